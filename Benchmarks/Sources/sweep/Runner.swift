import Foundation

/// One thing that a benchmark executable can run.
struct Cell: Hashable {
    var executable: String
    var system: String
    var workload: String
    var n: Int
    var once: Bool

    /// Cells of one workload stand together, so that systems are compared at nearly the same time.
    var place: (Int, Int, Int) {
        let workloads = ["W1", "W2", "W3", "W4", "W4b", "W5", "W6", "W7", "W7t", "W8"]
        return (
            workloads.firstIndex(of: workload) ?? workloads.count
                + (SecondSet.index(of: workload) ?? SecondSet.all.count + (ThirdSet.index(of: workload) ?? 0)), n,
            Systems.place(of: system)
        )
    }
}

/// Starts the executables and reads what they print.
struct Runner {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    var environment: [String: String]

    private struct Listed: Decodable {
        var system: String
        var workload: String
        var n: Int
        var once: Bool?
    }

    func cells(of executable: String) throws -> [Cell] {
        try lines(of: executable, ["list"], within: 20).map { line in
            let listed = try JSONDecoder().decode(Listed.self, from: line)
            return Cell(
                executable: executable, system: listed.system, workload: listed.workload, n: listed.n,
                once: listed.once ?? false)
        }
    }

    func run(_ cell: Cell, samples: Int) throws -> [Measured] {
        let arguments = [cell.system, cell.workload, String(cell.n), String(samples)]
        return try lines(of: cell.executable, arguments, within: 300).map { line in
            var measured = try JSONDecoder().decode(Measured.self, from: line)
            measured.sized = cell.isSized
            return measured
        }
    }

    private func lines(of executable: String, _ arguments: [String], within seconds: Double) throws -> [Data] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = environment
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let patience = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: patience)
        let data = output.fileHandleForReading.readDataToEndOfFile()
        let complaint = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let late = process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGTERM
        patience.cancel()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            let said = String(decoding: complaint, as: UTF8.self).split(separator: "\n").last ?? "no word"
            throw Failure(
                description: late
                    ? "took longer than \(Int(seconds)) s" : "ended with \(process.terminationStatus): \(said)")
        }
        return data.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }
}

extension Cell {
    /// Whether the workload is looked at over several sizes, so that its name alone would not tell which.
    var isSized: Bool {
        ["W6", "read", "objects", "fanout", "fanin"].contains(workload) || SecondSet.index(of: workload) != nil
            || ThirdSet.index(of: workload) != nil
    }
}

enum Systems {
    static let floor = "plain Swift"
    static let autoKVO = ["AutoKVO", "AutoKVO, closure only", "AutoKVO, typed", "AutoKVO, Key", "AutoKVO, reading"]
    static let swift = [
        "Observation", "OpenCombine @Published", "OpenCombine CurrentValueSubject", "NotificationCenter",
    ]
    static let others = [
        "GNUstep KVO", "GObject notify", "Qt 6 signal", "Qt 6 QProperty", "Qt 6 property", "boost::signals2",
        "boost::signals2 tracked",
        "sigc++ trackable",
    ]
    static let order = [floor] + autoKVO + swift + others

    static func place(of system: String) -> Int { order.firstIndex(of: system) ?? order.count }
}
