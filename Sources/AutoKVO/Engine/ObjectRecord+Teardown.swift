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
        lock.withLock { list(slot)?.value.links.first }
    }
}

extension ObjectRecord {
    /// The object, which may be dead. No other has the same identifier as long as the record exists.
    var target: ObjectIdentifier { Borrowed<TrackedObject>.at(address).use { ObjectIdentifier($0) } }
}

extension InPlace where Value == ThreadContext {
    /// Drops the changes that were begun for an object and not ended before it died: nobody will end them.
    fileprivate func dropTransactions(of record: ObjectRecord) {
        while let index = value.openTransactions.lastIndex(where: { $0.target == record.target }) {
            var transaction = value.openTransactions.remove(at: index)
            transaction.drop(self)
        }
    }
}
