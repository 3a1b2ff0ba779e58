import AutoKVO

/// An observer on an actor of its own.
actor Journal: KeyValueObserver {
    private(set) var entries: [String] = []

    /// Called on the actor of the progress; the changes are delivered on this one.
    nonisolated func follow(_ progress: ImportProgress) throws {
        let name = progress.name
        try observe("state", of: progress, as: ImportState.self, options: [.old, .new]) { journal, change in
            guard let old = change.oldValue, let new = change.newValue else { return }
            journal.entries.append("\(name): \(old), now \(new)")
        }
    }
}
