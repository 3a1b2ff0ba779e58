import BenchKit
import Observation

/// A value set and then read from `Observations`, which tells of the values of one transaction as one.
func streamCell() -> Cell {
    Cell(system: Tracking.system, workload: "stream", n: 1) { samples in
        inTask {
            let model = Unchecked(value: Model())
            var values = Observations { model.value.value }.makeAsyncIterator()
            var value = 0
            var last = await values.next()
            let result = await sampledInTask(samples) { count in
                for _ in 0..<count {
                    value &+= 1
                    Tracking.set(model.value, value)
                    last = await values.next()
                    check("stream value", last ?? -1, equals: value)
                }
            }
            return [Line("stream", "ns/value", result)]
        }
    }
}
