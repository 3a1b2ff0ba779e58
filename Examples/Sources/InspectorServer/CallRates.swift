import AutoKVO

/// Makes calls a second of the calls that are counted, from one look at the graph to the next.
///
/// It looks only when it is asked, so that a page that nobody has opened costs nothing.
actor CallRates {
    private typealias Identity = Snapshot.Observation.Identity
    private var calls: [Identity: Int] = [:]
    private var rates: [Identity: Double] = [:]
    private var time: ContinuousClock.Instant?

    func snapshot(of graph: ObservationGraph, at now: ContinuousClock.Instant) -> Snapshot {
        var snapshot = Snapshot(graph)
        // Two pages that are open take the same rates. Rates over a long time, in which nobody looked, say nothing of the present.
        let elapsed = time.map { ($0.duration(to: now)) / .seconds(1) }
        if elapsed == nil || elapsed! >= 0.5 {
            let counted = snapshot.observations.compactMap { item in item.calls.map { (item.identity, $0) } }
            rates = [:]
            if let elapsed, elapsed <= 10 {
                for (identity, count) in counted {
                    rates[identity] = Double(max(0, count - calls[identity, default: 0])) / elapsed
                }
            }
            calls = Dictionary(counted) { $0 + $1 }
            time = now
        }
        for index in snapshot.observations.indices {
            snapshot.observations[index].callsPerSecond = rates[snapshot.observations[index].identity]
        }
        return snapshot
    }
}
