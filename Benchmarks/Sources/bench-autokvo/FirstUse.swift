// The first use of a class, which makes its schema: an object is made, and one of its keys is observed by name.

import AutoKVO
import BenchKit
import CBenchSupport
import FirstUse
import Glibc

private func firstUse(of make: () -> TrackedObject, _ key: String) -> Double {
    let tally = Tally()
    let start = bench_now()
    let object = make()
    let observation = try! object.observe(key) { _ in tally.calls &+= 1 }
    let took = bench_now() - start
    check("first-use is valid", observation.isValid ? 1 : 0, equals: 1)
    if Set(type(of: object).keyDescriptions.filter(\.isSettable).map(\.name)).contains(key) {
        try! object.setValue(1, forKey: key)
        check("first-use calls", tally.calls, equals: 1)
    }
    return Double(took)
}

/// Each class gives one sample, however many are asked for. The process has used another class before.
private func firstUses(_ workload: String, _ keys: Int, isDeclared: Bool) -> Cell {
    Cell(system: ByObserver.system, workload: workload, n: keys) { _ in
        _ = firstUse(of: { Branch() }, "value")
        var classes = unusedClasses(keys: keys, isDeclared: isDeclared)
        if classes.isEmpty { classes = [{ Keyed.with(keys) }] }
        return [Line(workload, "ns/class", classes.map { firstUse(of: $0, keys == 10_000 ? "value" : "p1") })]
    }
}

/// The first class of a process: each sample is from a process of its own.
private func firstOfProcess() -> Cell {
    Cell(system: ByObserver.system, workload: "first-use-process", n: 20) { samples in
        let workload = "first-use-process"
        if samples == 1 {
            return [Line(workload, "ns/class", [firstUse(of: unusedClasses(keys: 20, isDeclared: true)[0], "p1")])]
        }
        let command = "'\(CommandLine.arguments[0])' '\(ByObserver.system)' \(workload) 20 1"
        let results = (0..<samples).map { _ in
            let pipe = popen(command, "r")!
            defer { pclose(pipe) }
            var line = [CChar](repeating: 0, count: 1000)
            let isRead = fgets(&line, Int32(line.count), pipe) != nil
            check("first-use-process answers", isRead ? 1 : 0, equals: 1)
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            return Double(text.split(separator: "[").last!.split(separator: "]").first!)!
        }
        return [Line(workload, "ns/class", results)]
    }
}

func firstUse() -> [Cell] {
    Sizes.keys.map { firstUses("first-use", $0, isDeclared: true) }
        + [firstUses("first-use-implicit", 20, isDeclared: false), firstOfProcess()]
}
