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
        while let observation = lock.withLock({ firstHeld?.takeUnretainedValue() }) {
            observation.observerDidDie()
            letGo(of: observation)
        }
        let (relays, watches) = lock.withLock {
            defer {
                self.relays = [:]
                self.watches = [:]
            }
            return (self.relays, self.watches)
        }
        for routes in relays.values { for route in routes { route.end() } }
        for watch in watches.values { watch.cancel() }
    }

    private func firstLinked(_ slot: Int) -> ObservationNode? {
        lock.withLock { list(slot)?.pointee.firstLinked() }
    }
}
