extension ObjectRecord {
    /// Ends all observations in which the object takes part. Called once, from the object's `deinit`.
    ///
    /// Ending an observation releases its closure and runs its `onEnd`: user code, which may remove and register other
    /// observations. The record is marked first, so nothing is added to its lists, and each loop terminates.
    /// The expression of a key ends with the last observation or link that needs it.
    func teardown() {
        lock.withLock { guarded.isDying = true }
        TestPoint.tearingDown.reach()
        if let schema {
            for slot in 0..<schema.keys.count {
                guard let list = list(slot) else { continue }
                while let observation = lock.withLock({ list.value.firstLinked() }) { observation.targetIsDying() }
                while let link = lock.withLock({ list.value.firstLink?.object }) { link.objectIsDying() }
            }
        }
        while let observation = lock.withLock({ guarded.firstHeld?.object }) {
            letGo(of: observation)
            observation.observerDidDie()
        }
        let details = lock.withLock { guarded.details.take() }
        ThreadContext.current.dropDeadTransactions()
        guard let details else { return }
        for routes in details.derivedKeyRoutes.values { for route in routes { route.end() } }
        for route in details.sortedFunctionRoutes { route.rootIsDying() }
        for watch in details.watches.values { watch.cancel() }
        DeathWatch.referentDidDie(details.watchers)
    }
}
