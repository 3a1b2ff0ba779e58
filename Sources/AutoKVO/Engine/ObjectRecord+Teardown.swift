extension ObjectRecord {
    /// Ends all observations in which the object takes part. Called once, from the object's `deinit`.
    ///
    /// Ending an observation releases its closure and runs its `onEnd`: user code, which may remove and register other
    /// observations. The record is marked first, so nothing is added to its lists, and each loop terminates.
    func teardown() {
        lock.withLock { guarded.isDying = true }
        TestPoint.tearingDown.reach()
        if let schema {
            for slot in 0..<schema.keys.count where list(slot) != nil {
                while let observation = firstLinked(slot) { observation.targetIsDying() }
                while let link = firstLink(slot) { link.objectIsDying() }
            }
        }
        while let observation = takeFirstHeld() { observation.observerDidDie() }
        let details = lock.withLock { guarded.details.take() }
        ThreadContext.current.dropTransactions(of: self)
        guard let details else { return }
        for routes in details.derivedKeyRoutes.values { for route in routes { route.end() } }
        for watch in details.watches.values { watch.cancel() }
    }

    private func firstLinked(_ slot: Int) -> KeyValueObservation? {
        lock.withLock { list(slot)?.value.firstLinked() }
    }

    private func firstLink(_ slot: Int) -> PathLink? {
        lock.withLock { list(slot)?.value.firstLink?.object }
    }
}

extension ObjectRecord {
    /// Identifies the object, which may be dead. No other object has this identifier while the record exists.
    var target: ObjectIdentifier { Borrowed<TrackedObject>.at(address).use { ObjectIdentifier($0) } }
}

extension InPlace where Value == ThreadContext {
    /// Drops the changes of an object that had begun when it died: no call can end them any more.
    fileprivate func dropTransactions(of record: ObjectRecord) {
        while let index = value.openTransactions.lastIndex(where: { $0.target == record.target }) {
            var transaction = value.openTransactions.remove(at: index)
            transaction.drop(self)
        }
    }
}
