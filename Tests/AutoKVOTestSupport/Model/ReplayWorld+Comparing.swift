import AutoKVO

extension ReplayWorld {
    func staleLog() -> String? {
        for (number, record) in observations.enumerated() where record.isActive {
            for log in record.logs {
                guard let current = log.currentValue else { continue }
                if record.logs.count > 1 || record.ignoresChange, log.value == nil {
                    log.value = current
                } else if log.value != current {
                    return
                        "o\(number) ends on \(log.value?.description ?? "nothing") for \(log.path) of n\(log.target), which is \(current)"
                }
            }
        }
        return nil
    }

    /// A handler that ignores the change was called more often than there were changes of what it observes.
    func tooManyCalls() -> String? {
        if !countsChanges { return nil }
        for (number, record) in observations.enumerated() where record.callCount > 1 {
            let count = record.keys.reduce(0) { $0 + changeCounts[$1, default: 0] }
            if record.observation?.options.isDisjoint(with: [.prior, .initial]) ?? false, record.callCount > count {
                return "o\(number) was called \(record.callCount) times for \(count) changes"
            }
        }
        return nil
    }

    func unequalLogs() -> String? {
        if hasCoalesced { return nil }
        var first: [String: (Int, ReplayLog)] = [:]
        for (number, record) in observations.enumerated() where record.isActive && record.hearsAll {
            for log in record.logs where log.isComplete && log.root != nil {
                let key = "\(log.target) \(log.path)"
                guard let (other, known) = first[key] else {
                    first[key] = (number, log)
                    continue
                }
                if known.calls != log.calls {
                    return "o\(other) was called with \(known.calls), o\(number) with \(log.calls)"
                }
            }
        }
        return nil
    }
}
