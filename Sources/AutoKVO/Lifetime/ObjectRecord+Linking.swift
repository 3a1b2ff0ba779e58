internal import CSwiftRuntime

extension ObjectRecord {
    /// Puts a node into the list of its slot, behind the others. The list takes ownership of the node.
    ///
    /// - Returns: False if the object's deinit has begun, and then nothing has changed.
    func link(_ node: ObservationNode) -> Bool {
        let slot = Int(node.slot)
        let isIndependent = layout!.pointee[slot].contains(.isIndependent)
        let dependencies = isIndependent ? nil : schema!.dependencies(of: slot)
        lock.lock()
        guard !isDying, !node.isCancelled, !csr_is_deinitializing(address) else {
            lock.unlock()
            return false
        }
        let list = makeList(slot)
        if node.membership == .leaving {
            list.pointee.rejoin(node)
        } else {
            list.pointee.append(Unmanaged.passRetained(node))
        }
        interestDidChange(by: 1)
        if let dependencies { basesDidGetInterest(dependencies, by: 1) }
        lock.unlock()
        if let dependencies { interestInDerivedKeyDidChange(slot, dependencies) }
        return true
    }

    /// Takes a node out of the list of its slot, if it is in it.
    ///
    /// - Parameter taking: The node again, if it is an observation that has ended: its closure, if no call is using it,
    ///   is taken in the same go.
    func unlink(_ node: ObservationNode, taking observation: KeyValueObservation? = nil) -> UnsafeRawPointer? {
        let slot = Int(node.slot)
        lock.lock()
        guard node.membership == .linked else {
            let closure = observation.flatMap { $0.holds == 0 ? $0.takeHandler() : nil }
            lock.unlock()
            return closure
        }
        let isUnlinked = list(slot)!.pointee.remove(node)
        interestDidChange(by: -1)
        let isIndependent = layout!.pointee[slot].contains(.isIndependent)
        let dependencies = isIndependent ? nil : schema!.dependencies(of: slot)
        if let dependencies { basesDidGetInterest(dependencies, by: -1) }
        let closure = observation.flatMap { $0.holds == 0 ? $0.takeHandler() : nil }
        lock.unlock()
        if isUnlinked { Unmanaged.passUnretained(node).release() }
        if let dependencies { interestInDerivedKeyDidChange(slot, dependencies) }
        return closure
    }

    private func basesDidGetInterest(_ dependencies: DependencyClosure, by one: Int) {
        for base in dependencies.bases { makeList(base).pointee.derivedInterestDidChange(by: one) }
    }

    /// Puts an observation into the list of what the object holds as an observer.
    ///
    /// - Returns: False if the object's deinit has begun or the record has been dropped.
    func hold(_ observation: KeyValueObservation) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard !isDying, !csr_is_deinitializing(address) else { return false }
        let this = Unmanaged.passUnretained(observation)
        observation.nextHeld = firstHeld
        observation.previousHeld = nil
        firstHeld?._withUnsafeGuaranteedRef { $0.previousHeld = this }
        firstHeld = this
        observation.isHeld = true
        return true
    }

    func letGo(of observation: KeyValueObservation) {
        lock.lock()
        guard observation.isHeld else { return lock.unlock() }
        observation.isHeld = false
        if let previous = observation.previousHeld {
            previous._withUnsafeGuaranteedRef { $0.nextHeld = observation.nextHeld }
        } else {
            firstHeld = observation.nextHeld
        }
        observation.nextHeld?._withUnsafeGuaranteedRef { $0.previousHeld = observation.previousHeld }
        observation.nextHeld = nil
        observation.previousHeld = nil
        let isIdle = firstHeld == nil
        lock.unlock()
        if isIdle, schema == nil { dropIfUntrackedAndIdle() }
    }

    /// The observations the object holds as an observer, the first registered first.
    func heldObservations() -> [KeyValueObservation] {
        lock.withLock {
            var found: [KeyValueObservation] = []
            var cursor = firstHeld
            while let observation = cursor {
                found.append(observation.takeUnretainedValue())
                cursor = observation._withUnsafeGuaranteedRef { $0.nextHeld }
            }
            return found.reversed()
        }
    }

    /// The observations of the object's keys, in slot order and the order of registration, each once.
    func observationsAsTarget() -> [KeyValueObservation] {
        guard let schema else { return [] }
        var found: [KeyValueObservation] = []
        var seen: Set<ObjectIdentifier> = []
        for slot in 0..<schema.keys.count {
            let nodes = lock.withLock { list(slot)?.pointee.linkedNodes() ?? [] }
            for node in nodes {
                if let observation = node as? KeyValueObservation {
                    if seen.insert(ObjectIdentifier(observation)).inserted { found.append(observation) }
                } else if let link = node as? PathLink {
                    guard link.isFirst, case .observation(let observation) = link.route.sink else { continue }
                    if seen.insert(ObjectIdentifier(observation)).inserted { found.append(observation) }
                }
            }
        }
        return found
    }
}
