// The floor of the second set: closures, dictionaries, loops, and the bare queue, actor and stream.

import BenchKit
import Dispatch

private func sized(_ workload: String, _ sizes: [Int], _ run: @escaping (Int, Int) -> [Line]) -> [Cell] {
    sizes.map { n in Cell(system: PlainStore.system, workload: workload, n: n) { samples in run(n, samples) } }
}

/// Closures that set the next object.
private func bindings() -> [Cell] {
    sized("bind-hop", Sizes.usual) { n, samples in
        let targets = (0...n).map { _ in LoopTarget() }
        for (source, follower) in zip(targets, targets.dropFirst()) {
            _ = source.add { [unowned follower] value in follower.value = value }
        }
        var value = 0
        let result = sampled(samples, per: n) { count in
            for _ in 0..<count {
                value &+= 1
                ClosureLoop.set(targets[0], value)
                check("bind-hop value of the last", targets[n].value, equals: value)
            }
        }
        return [Line("bind-hop", "ns/hop", result)]
    }
}

private final class Store {
    var values: [String: Any] = ["value": 7]

    init(_ keys: Int) {
        for index in 1..<max(keys, 1) { values["key\(index)"] = index }
    }

    @inline(never) func value(forKey key: String) -> Any? { values[key] }
    @inline(never) func setValue(_ value: Any?, forKey key: String) { values[key] = value }
}

private func coding() -> [Cell] {
    sized("value-key", Sizes.keys) { n, samples in
        let store = Store(n)
        let result = sampled(samples) { count in
            for _ in 0..<count { consume(store.value(forKey: "value")) }
        }
        check("value-key value", store.value(forKey: "value") as! Int, equals: 7)
        return [Line("value-key", "ns/read", result)]
    }
        + sized("set-key", Sizes.keys) { n, samples in
            let store = Store(n)
            var value = 0
            let result = sampled(samples) { count in
                for _ in 0..<count {
                    value &+= 1
                    store.setValue(value, forKey: "value")
                }
            }
            check("set-key value", store.value(forKey: "value") as! Int, equals: value)
            return [Line("set-key", "ns/write", result)]
        }
}

/// One element is set, and a closure adds up all of them.
private func sums() -> [Cell] {
    sized("sum", Sizes.elements) { n, samples in
        let rows = (0..<n).map { _ in LoopTarget() }
        var (calls, last, value) = (0, 0, 0)
        let element = rows[n / 2]
        _ = element.add { _ in
            calls &+= 1
            last = rows.reduce(0) { $0 &+ $1.value }
        }
        let result = sampled(samples) { count in
            for _ in 0..<count {
                value &+= 1
                ClosureLoop.set(element, value)
            }
        }
        check("sum calls", calls, equals: value)
        check("sum value", last, equals: value)
        element.handlers = []
        return [Line("sum", "ns/set", result)]
    }
}

private func onQueue() -> [Cell] {
    sized("queue", Sizes.usual) { n, samples in
        let queue = DispatchQueue(label: "delivery")
        let tally = SharedTally()
        var expected = 0
        let result = sampled(samples, per: n) { count in
            for _ in 0..<count {
                expected &+= n
                for _ in 0..<n { queue.async { tally.calls &+= 1 } }
                queue.sync {}
                check("queue calls", tally.calls, equals: expected)
            }
        }
        return [Line("queue", "ns/set", result)]
    }
}

@Station private var delivered = 0

private func onActor() -> [Cell] {
    sized("actor", Sizes.usual) { n, samples in
        inTask {
            var expected = 0
            let result = await sampledInTask(samples, per: n) { count in
                for _ in 0..<count {
                    expected &+= n
                    for _ in 0..<n { Task { @Station in delivered &+= 1 } }
                    check("actor calls", await delivered, equals: expected)
                }
            }
            return [Line("actor", "ns/set", result)]
        }
    }
}

private func inStream() -> [Cell] {
    sized("stream", Sizes.usual) { n, samples in
        inTask {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            var values = stream.makeAsyncIterator()
            var value = 0
            var last: Int?
            let result = await sampledInTask(samples, per: n) { count in
                for _ in 0..<count {
                    for _ in 0..<n {
                        value &+= 1
                        continuation.yield(value)
                    }
                    for _ in 0..<n { last = await values.next() }
                    check("stream value", last ?? -1, equals: value)
                }
            }
            return [Line("stream", "ns/value", result)]
        }
    }
}

func secondSet() -> [Cell] {
    bindings() + coding() + sums() + onQueue() + onActor() + inStream()
}
