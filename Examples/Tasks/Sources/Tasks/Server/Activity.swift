import AutoKVO

/// How much was changed since the program was started. An observer on an actor of its own: no turn waits for it.
actor Activity: KeyValueObserver {
    struct Report: Codable, Sendable {
        var turns = 0
        var changes = 0
    }

    private(set) var report = Report()

    /// Called on the actor of the journal; the changes are delivered on this one, in their order.
    nonisolated func follow(_ journal: Journal) throws {
        try observe("latest", of: journal, as: Turn.self, options: .new) { activity, change in
            guard let turn = change.newValue else { return }
            activity.report.turns += 1
            activity.report.changes += turn.changes.count
        }
    }
}
