extension ObjectRecord {
    /// Ends everything the object takes part in. Called once, from the object's `deinit`.
    ///
    /// While observations end, their closures are released and their `onEnd` runs: user code, which may remove and
    /// register others. Nothing new attaches to this object, whose record is marked first, so each loop comes to an end.
    func teardown() {
        lock.withLock { guarded.isDying = true }
        TestPoint.tearingDown.reach()
        if let schema {
            for slot in 0..<schema.keys.count where list(slot) != nil {
                while let node = firstLinked(slot) { node.targetDidDie() }
            }
        }
        while let observation = takeFirstHeld() { observation.observerDidDie() }
        let details = lock.withLock { guarded.details.take() }
        ThreadContext.current.dropTransactions(of: self)
        guard let details else { return }
        for routes in details.derivedKeyRoutes.values { for route in routes { route.end() } }
        for watch in details.watches.values { watch.cancel() }
    }

    private func firstLinked(_ slot: Int) -> ObservationNode? {
        lock.withLock { list(slot)?.value.firstLinked() }
    }
}

extension InPlace where Value == ThreadContext {
    /// Drops the changes that were begun for an object and not ended before it died: nobody will end them.
    fileprivate func dropTransactions(of record: ObjectRecord) {
        while let index = value.openTransactions.lastIndex(where: { $0.record === record }) {
            var transaction = value.openTransactions.remove(at: index)
            transaction.drop(self)
        }
    }
}
