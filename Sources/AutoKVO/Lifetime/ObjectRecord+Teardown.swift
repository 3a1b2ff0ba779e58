extension ObjectRecord {
    /// Ends everything the object takes part in. Called once, from the object's `deinit`.
    ///
    /// While observations end, their closures are released and their `onEnd` runs: user code, which may remove and
    /// register others. Nothing new attaches to this object, whose record is marked first, so each loop comes to an end.
    func teardown() {
        lock.withLock { isDying = true }
        TestPoint.tearingDown.reach()
        if let schema {
            for slot in 0..<schema.keys.count where list(slot) != nil {
                while let node = firstLinked(slot) { node.targetDidDie() }
            }
        }
        while let observation = takeFirstHeld() { observation.observerDidDie() }
        let details = lock.withLock { takeDetails() }
        // What they kept is released here, not while the thread's state is being changed: a deinit is user code.
        withExtendedLifetime(ThreadState.current.pointee.forgetChanges(of: self)) {}
        guard let details else { return }
        for routes in details.relays.values { for route in routes { route.end() } }
        for watch in details.watches.values { watch.cancel() }
    }

    private func firstLinked(_ slot: Int) -> ObservationNode? {
        lock.withLock { list(slot)?.pointee.firstLinked() }
    }
}

extension ThreadState {
    /// Drops the changes that were begun for an object and not ended before it died: nobody will end them.
    mutating func forgetChanges(of record: ObjectRecord) -> [OpenEvent] {
        var forgotten: [OpenEvent] = []
        while let index = openChanges.lastIndex(where: { $0.record === record }) {
            openChanges.remove(at: index).events.forEach { event in
                event.depth -= 1
                if event.depth == 0 { forgotten.append(event) }
            }
        }
        return forgotten
    }
}
