internal import CSwiftRuntime

extension ObjectRecord {
    /// Puts a node into the list of its slot, behind the others. The list takes ownership of the node.
    ///
    /// Whether an observation belongs into its lists is decided under the lock, by its state at that moment: one that
    /// was removed while it was being attached stays out, and one that was armed again before the delivery that fired it
    /// has taken it out stays in. `unlink` and `letGo` ask the same question, so the last to come leaves it right.
    ///
    /// - Returns: False if the object's deinit has begun, and then nothing has changed.
    func link(_ node: ObservationNode) -> Bool {
        let slot = Int(node.slot)
        let isIndependent = layout!.value[slot].isIndependent
        let dependencies = isIndependent ? nil : schema!.dependencies(of: slot)
        let hold = lock.lock()
        guard !isDying, !node.isCancelled, !csr_is_deinitializing(address) else {
            lock.unlock(hold)
            return false
        }
        if node.isLinked || !node.isLive {
            lock.unlock(hold)
            return true
        }
        let list = makeList(slot)
        if node.isLeaving {
            list.value.rejoin(node)
        } else {
            list.value.append(Borrowed.retaining(node))
        }
        interestDidChange(by: 1)
        if let dependencies { basesDidGetInterest(dependencies, from: node, by: 1) }
        lock.unlock(hold)
        if let dependencies { interestInDerivedKeyDidChange(slot, dependencies) }
        return true
    }

    /// Takes a node out of the list of its slot, if it is in it.
    ///
    /// - Parameters:
    ///   - unlessLive: Whether an observation that has been armed again meanwhile stays in.
    ///   - finish: What else is to be done in the same section of the lock.
    @inline(__always)
    func unlink<Result>(_ node: ObservationNode, unlessLive: Bool = false, _ finish: () -> Result) -> Result {
        let slot = Int(node.slot)
        let hold = lock.lock()
        guard node.isLinked, !(unlessLive && node.isLive) else {
            let result = finish()
            lock.unlock(hold)
            return result
        }
        let isUnlinked = list(slot).unsafelyUnwrapped.value.remove(node)
        interestDidChange(by: -1)
        let isIndependent = layout!.value[slot].isIndependent
        let dependencies = isIndependent ? nil : schema!.dependencies(of: slot)
        if let dependencies { basesDidGetInterest(dependencies, from: node, by: -1) }
        let result = finish()
        lock.unlock(hold)
        if isUnlinked { Borrowed.to(node).release() }
        if let dependencies { interestInDerivedKeyDidChange(slot, dependencies) }
        return result
    }

    private func basesDidGetInterest(_ dependencies: DependencyClosure, from node: ObservationNode, by one: Int32) {
        for base in dependencies.bases {
            makeList(base).value.derivedInterestDidChange(by: one, needing: node.needs)
        }
    }

    /// Puts an observation into the list of what the object holds as an observer.
    ///
    /// - Returns: False if the object's deinit has begun.
    func hold(_ observation: KeyValueObservation) -> Bool {
        let hold = lock.lock()
        defer { lock.unlock(hold) }
        guard !isDying, !csr_is_deinitializing(address) else { return false }
        guard !observation.isHeld, observation.isLive else { return true }
        let this = Borrowed.to(observation)
        observation.nextHeld = firstHeld
        observation.previousHeld = nil
        firstHeld?.use { $0.previousHeld = this }
        firstHeld = this
        observation.isHeld = true
        return true
    }

    /// Takes an observation out of the list of what the object holds, if it is in it. The caller has a reference of its own.
    ///
    /// - Parameter unlessLive: Whether an observation that has been armed again meanwhile stays in.
    func letGo(of observation: KeyValueObservation, unlessLive: Bool = false) {
        let hold = lock.lock()
        guard observation.isHeld, !(unlessLive && observation.isLive) else { return lock.unlock(hold) }
        let ownedItself = takeOut(observation)
        lock.unlock(hold)
        if ownedItself { Borrowed.to(observation).release() }
    }

    /// Takes the last observation out of the list of what the object holds that was put in; nil if there is none.
    func takeFirstHeld() -> KeyValueObservation? {
        let hold = lock.lock()
        guard let observation = firstHeld else {
            lock.unlock(hold)
            return nil
        }
        let isOwned = observation.use { takeOut($0) }
        if !isOwned { _ = observation.retain() }
        lock.unlock(hold)
        return observation.take()
    }

    /// Takes an observation out of the list of what the object holds. Under the lock. Returns whether it had a reference to
    /// itself, which is the caller's now.
    @inline(__always)
    private func takeOut(_ observation: KeyValueObservation) -> Bool {
        let ownedItself = observation.ownsItself
        observation.isHeld = false
        observation.ownsItself = false
        if let previous = observation.previousHeld {
            previous.use { $0.nextHeld = observation.nextHeld }
        } else {
            firstHeld = observation.nextHeld
        }
        observation.nextHeld?.use { $0.previousHeld = observation.previousHeld }
        observation.nextHeld = nil
        observation.previousHeld = nil
        return ownedItself
    }

    /// Makes sure that an observation whose target is dead stays in memory as long as the object holds it: nobody else
    /// need have a reference to it, and the list of what the object holds has none.
    func keepHeld(_ observation: KeyValueObservation) {
        lock.withLock {
            guard observation.isHeld, !observation.ownsItself, !csr_is_deinitializing(address) else { return }
            observation.ownsItself = true
            _ = Borrowed.retaining(observation)
        }
    }

    /// The observations the object holds as an observer, the first registered first.
    func heldObservations() -> [KeyValueObservation] {
        lock.withLock {
            var found: [KeyValueObservation] = []
            forEachHeld { found.append($0.object) }
            return found.reversed()
        }
    }

    /// The observations of the object's keys, in slot order and the order of registration, each once.
    func observationsAsTarget() -> [KeyValueObservation] {
        lock.withLock {
            var found: [KeyValueObservation] = []
            var seen: Set<UnsafeMutableRawPointer> = []
            forEachObservation { observation, _, _ in
                if seen.insert(observation.address).inserted { found.append(observation.object) }
            }
            return found
        }
    }

    /// Calls a function with each observation the object holds as an observer, the last registered first. Under the lock.
    func forEachHeld(_ body: (Borrowed<KeyValueObservation>) -> Void) {
        var cursor = firstHeld
        while let observation = cursor {
            cursor = observation.use { $0.nextHeld }
            body(observation)
        }
    }

    /// Calls a function with each observation of each key of the object, and with the route by which it begins there if it
    /// has several. Under the lock.
    func forEachObservation(_ body: (Borrowed<KeyValueObservation>, _ slot: Int, Route?) -> Void) {
        for slot in 0..<(layout?.value.count ?? 0) {
            list(slot)?.value.forEachLinked { node in
                if node.kind == .observation {
                    body(.to(unsafeDowncast(node, to: KeyValueObservation.self)), slot, nil)
                } else {
                    let link = unsafeDowncast(node, to: PathLink.self)
                    guard link.isFirst, let observation = link.route.unmanagedObservation else { return }
                    body(observation, slot, link.route)
                }
            }
        }
    }
}
