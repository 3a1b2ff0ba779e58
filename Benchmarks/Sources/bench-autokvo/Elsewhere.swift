// Changes delivered on a queue and on an actor, and read from a stream.

import AutoKVO
import BenchKit
import Dispatch

/// What AutoKVOFoundation makes of a `DispatchQueue`, without Foundation in the process.
private struct OnQueue: ChangeScheduler {
    let queue: DispatchQueue
    func schedule(_ operation: @escaping @Sendable () -> Void) { queue.async(execute: operation) }
}

private func onQueue() -> [Cell] {
    sized("queue", Sizes.usual) { n, samples in
        let queue = DispatchQueue(label: "delivery")
        let model = Model()
        let tally = SharedTally()
        try! model.observe("value", as: Int.self, on: OnQueue(queue: queue)) { _ in tally.calls &+= 1 }
        var value = 0
        let result = sampled(samples, per: n) { count in
            for _ in 0..<count {
                for _ in 0..<n {
                    value &+= 1
                    ByObserver.set(model, value)
                }
                queue.sync {}
                check("queue calls", tally.calls, equals: value)
            }
        }
        return [Line("queue", "ns/set", result)]
    }
}

private func onActor() -> [Cell] {
    sized("actor", Sizes.usual) { n, samples in
        inTask {
            let model = Model()
            try! model.observe("value", as: Int.self, on: Station.shared) { station, _ in station.called() }
            var value = 0
            let result = await sampledInTask(samples, per: n) { count in
                for _ in 0..<count {
                    for _ in 0..<n {
                        value &+= 1
                        ByObserver.set(model, value)
                    }
                    check("actor calls", await Station.shared.calls, equals: value)
                }
            }
            return [Line("actor", "ns/set", result)]
        }
    }
}

private func inStream() -> [Cell] {
    sized("stream", Sizes.usual) { n, samples in
        inTask {
            let model = Model()
            var values = try! model.values(of: "value", as: Int.self).makeAsyncIterator()
            var value = 0
            var last: Int?
            let result = await sampledInTask(samples, per: n) { count in
                for _ in 0..<count {
                    for _ in 0..<n {
                        value &+= 1
                        ByObserver.set(model, value)
                    }
                    for _ in 0..<n { last = await values.next() }
                    check("stream value", last ?? -1, equals: value)
                }
            }
            return [Line("stream", "ns/value", result)]
        }
    }
}

func deliveredElsewhere() -> [Cell] {
    onQueue() + onActor() + inStream()
}
