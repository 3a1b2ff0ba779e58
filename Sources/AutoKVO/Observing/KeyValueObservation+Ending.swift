internal import CSwiftRuntime

extension KeyValueObservation {
    /// Why an observation ended.
    public enum EndReason: Sendable, Hashable {
        /// It was removed.
        case removed
        /// It was registered with `.once` and has been delivered.
        case fired
        /// Its target died, or the last of its targets.
        case targetDeinitialized
        case observerDeinitialized
    }

    /// Ends the observation. No call of its handler starts after this has returned; one that is running on another
    /// thread may finish. The handler is released at once, or when the delivery that is using it is over.
    ///
    /// Calling it again, from any thread, also inside the handler, is harmless.
    ///
    /// - Complexity: O(1) for one key of one target; O(*n*) for *n* path components and targets.
    public func remove() {
        end(.removed)
    }

    /// Removes one path from an observation of several. Removing the last one ends it.
    ///
    /// - Returns: Whether the observation had the path.
    @discardableResult
    public func remove(keyPath: String) -> Bool {
        removeRoutes { $0.path.text == keyPath } ?? (directKey == keyPath && end(.removed))
    }

    /// Removes one target from an observation of several. Returns whether it had it.
    func remove(target: TrackedObject, keyPath: String?) -> Bool {
        let address = UnsafeRawPointer(Unmanaged.passUnretained(target).toOpaque())
        return removeRoutes { $0.root.address == address && (keyPath == nil || $0.path.text == keyPath) }
            ?? (record?.address == address && (keyPath == nil || directKey == keyPath) && end(.removed))
    }

    /// Takes the routes away that a condition is true of, and ends the observation with the last; nil if it has no routes.
    private func removeRoutes(where condition: (Route) -> Bool) -> Bool? {
        guard let routes else { return nil }
        let leaving = routes.filter(condition)
        guard !leaving.isEmpty, isValid || endsByHand else { return false }
        if leaving.count == routes.count { return end(.removed) }
        underLock { details?.routes?.removeAll { route in leaving.contains { $0 === route } } }
        for route in leaving { route.end() }
        return true
    }

    /// Runs a closure when the observation ends, with the reason, on the thread that ends it; at once if it has ended.
    /// When a side dies, that is inside its `deinit`, before any of its stored properties is destroyed.
    ///
    /// The closures run in the order in which they were added. Those of a `.once` observation run at each delivery.
    public func onEnd(_ action: @escaping (EndReason) -> Void) {
        let ended: EndReason? = underLock {
            if details == nil { details = ObservationDetails() }
            if state.load(ordering: .acquiring) != .ended {
                details!.onEnd.append(action)
                return nil
            }
            return details!.endReason ?? .removed
        }
        if let ended { action(ended) }
    }

    /// Arms an observation with `.once` again after it has been delivered. Has no effect while it is armed.
    ///
    /// - Throws: A `KeyValueError` if the observation was removed or a side has died: its handler is gone.
    public func rearm() throws(KeyValueError) {
        let (fired, before) = state.compareExchange(expected: .fired, desired: .active, ordering: .acquiringAndReleasing)
        guard fired else {
            if before == .ended { throw KeyValueError(.endedObservation, key: keyPaths.joined(separator: "|")) }
            return
        }
        guard attach() else {
            _ = state.compareExchange(expected: .active, desired: .fired, ordering: .acquiringAndReleasing)
            throw KeyValueError(.deinitializingObject, keyPath: keyPaths.joined(separator: "|"))
        }
    }

    /// Puts the observation where changes find it, on both sides. False if one of them is dying.
    func attach() -> Bool {
        if let observerHome, !observerHome._withUnsafeGuaranteedRef({ $0.hold(self) }) { return false }
        let isLinked: Bool
        if isGroup {
            let routes = routes ?? []
            isLinked = !routes.isEmpty
            for route in routes { route.start() }
        } else {
            isLinked = home!._withUnsafeGuaranteedRef { $0.link(self) }
        }
        if !isLinked { observerHome?._withUnsafeGuaranteedRef { $0.letGo(of: self) } }
        return isLinked
    }

    /// Takes the observation from where changes find it, on both sides.
    func detach() {
        if isGroup {
            for route in routes ?? [] { route.end() }
        } else {
            _ = home?._withUnsafeGuaranteedRef { $0.unlink(self) }
        }
        observerHome?._withUnsafeGuaranteedRef { $0.letGo(of: self) }
    }

    /// Ends the observation once, whoever comes first. True for the one who did.
    @discardableResult
    func end(_ reason: EndReason) -> Bool {
        var seen = state.load(ordering: .acquiring)
        while true {
            if seen == .ended { return false }
            let (done, now) = state.compareExchange(expected: seen, desired: .ended, ordering: .acquiringAndReleasing)
            if done { break }
            seen = now
        }
        if isGroup {
            detach()
            csr_release(underLock { holds == 0 ? takeHandler() : nil })
        } else {
            observerHome?._withUnsafeGuaranteedRef { $0.letGo(of: self) }
            csr_release(home?._withUnsafeGuaranteedRef { $0.unlink(self, taking: self) })
        }
        let details = underLock {
            self.details?.endReason = reason
            return self.details
        }
        if let details { finishEnding(reason, details) }
        return true
    }

    private func finishEnding(_ reason: EndReason, _ details: ObservationDetails) {
        let (actions, routes, targets, ownsItself) = underLock {
            defer {
                details.onEnd = []
                details.endedPaths = details.routes.map { $0.map(\.path.text) }
                details.routes = details.routes.map { _ in [] }
                details.retainedTargets = []
                details.ownsItself = false
            }
            return (details.onEnd, details.routes, details.retainedTargets, details.ownsItself)
        }
        for action in actions { action(reason) }
        withExtendedLifetime((routes, targets)) {}
        if ownsItself { Unmanaged.passUnretained(self).release() }
    }

    /// What a walk that was the last to hold an ended observation does when it lets go, without a lock.
    func releaseHandlerIfEnded() {
        guard state.load(ordering: .acquiring) == .ended else { return }
        csr_release(underLock { holds == 0 ? takeHandler() : nil })
    }

    // MARK: Deaths

    func endWithTarget() {
        guard endsByHand else {
            if !end(.targetDeinitialized) { _ = record?.unlink(self) }
            return
        }
        // It stays valid until it is removed. If its observer can still find it, it has to stay in memory for that.
        if observerRecord != nil, underLock({ isHeld }) {
            underLock {
                if details == nil { details = ObservationDetails() }
                details!.ownsItself = true
            }
            _ = Unmanaged.passRetained(self)
        }
        _ = record?.unlink(self)
    }

    /// One of several targets, or the only one of a path, died.
    func targetDidDie(of route: Route) {
        guard let routes else { return route.end() }
        if endsByHand {
            route.end()
            if observerRecord == nil, routes.allSatisfy({ !$0.root.isObjectAlive }) { forgetRoutes() }
            return
        }
        let left = underLock {
            details?.routes?.removeAll { $0 === route }
            return details?.routes ?? []
        }
        if left.isEmpty {
            underLock { details?.routes = routes }
            end(.targetDeinitialized)
        }
        route.end()
    }

    /// Breaks the cycle through which routes keep their observation, when nobody but the holder of the handle is left.
    private func forgetRoutes() {
        let routes = underLock {
            defer {
                details?.endedPaths = details?.routes.map { $0.map(\.path.text) }
                details?.routes = []
            }
            return details?.routes
        }
        withExtendedLifetime(routes) {}
    }

    func observerDidDie() {
        if !endsByHand {
            end(.observerDeinitialized)
            return
        }
        let ownsItself = underLock {
            defer { details?.ownsItself = false }
            return details?.ownsItself ?? false
        }
        if ownsItself { Unmanaged.passUnretained(self).release() }
    }

    /// A change found the observer dead.
    func observerIsGone() {
        if !endsByHand {
            // A tracked observer's deinit is ending the observation at this moment, on another thread.
            if observerRecord?.schema == nil { end(.observerDeinitialized) }
            return
        }
        let isFirst = underLock {
            if details == nil { details = ObservationDetails() }
            defer { details!.hasReportedDeadObserver = true }
            return !details!.hasReportedDeadObserver
        }
        if isFirst {
            Diagnostics.report("A change was missed because the observer is dead and the observation was not removed: \(debugDescription)")
        }
    }
}
