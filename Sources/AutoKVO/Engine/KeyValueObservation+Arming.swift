extension KeyValueObservation {
    /// Runs a closure when the observation ends, with the reason, on the thread that ends it; at once if it has ended.
    /// When a side dies, that is inside its `deinit`, before any of its stored properties is destroyed; the death of an observer that is no
    /// `TrackedObject` is noticed later: see `isValid`.
    ///
    /// The closures run in the order in which they were added, once for each time the observation was armed: one with
    /// `.once` that has fired does not end a second time, whatever happens to it and its sides, unless `rearm()` was
    /// called.
    ///
    /// - Complexity: O(1) on average.
    public func onEnd(_ action: @escaping (EndReason) -> Void) {
        let ended: EndReason? = underLock {
            // An observation that has fired may be armed again.
            if endReason == nil || endReason == .fired && state != .ended { makeDetails().onEnd.append(action) }
            return endReason
        }
        if let ended { Recording.suspended { action(ended) } }
    }

    /// How often it was armed again. Under the lock.
    var armings: Int { details?.armings ?? 0 }

    /// The details, made if they are missing. Under the lock.
    func makeDetails() -> ObservationDetails {
        if details == nil { details = ObservationDetails() }
        return details!
    }

    /// Arms an observation with `.once` again after it has fired. Has no effect while it is armed. Of a change that was made before
    /// this call it is not notified, also where others are still to be, except for the one that it has fired for. While another thread
    /// arms it, this returns at once, and it is notified of changes that begin when that thread's call has returned. From then on
    /// it is called behind the other observers; one of a single key that is armed while observers of that key are called, or
    /// while its change waits at a scheduler, keeps its place.
    ///
    /// With `.retainsTarget` it keeps the target alive again. Inside the handler, and while the change waits at a scheduler, it ends the
    /// delivery under way: the `onEnd` closures run with `.fired` before it returns. A change that waits is still delivered.
    ///
    /// - Throws: A `KeyValueError` if the observation was removed or a side has died: its handler is gone.
    /// - Complexity: That of registering the observation.
    public func rearm() throws(KeyValueError) {
        let targets = options.contains(.retainsTarget) ? targets : []
        defer { extendLifetime(targets) }
        var former = RouteList()
        defer { former.forEach { $0.end() } }
        repeat {
            didFire()
            let before = state
            if before == .ended { throw endedError }
            if before != .fired { return }
        } while !underLock({
            // Not one that has been armed and has fired again since: its `onEnd` is still to run.
            guard endReason == .fired, changeState(from: .fired, to: .active) else { return false }
            endReason = nil
            makeDetails().armings += 1
            // Also where it has not been taken out of the lists.
            if hasRoutes { former = deactivateRoutes() } else { record!.list(Int(slot))!.value.number(self) }
            // Not one whose paths have been removed meanwhile: nothing would let go of it.
            let kept = targets.isEmpty ? nil : details?.routes.map { Set($0.all.map(\.root.target)) }
            details?.retainedTargets = .init(retaining: targets.filter { kept?.contains(ObjectIdentifier($0)) ?? true })
            return true
        })
        // It may be in the lists still, with a new number.
        AffectedLists.noteAddition()
        if attach() { return }
        underLock {
            guard changeState(from: .active, to: .fired) else { return }
            endReason = .fired
            details?.retainedTargets = [:]
        }
        detach()
        throw endedError
    }

    private var endedError: KeyValueError {
        let (paths, name) = (keyPaths.joined(separator: "|"), record.map { "\($0.objectClass)" } ?? "")
        return KeyValueError(.endedObservation, className: name, key: paths, keyPath: paths)
    }

    /// A change that a scheduler delivers is on its way, for which the observation fires.
    func beginDelivery() { details!.deliveries.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// A change that a scheduler delivers, and for which the observation has fired, is not on its way any more.
    ///
    /// - Parameter wasDropped: Whether the handler was not called, since the change's path or target is gone; nil if that is not decided here.
    func endDelivery(wasDropped: Bool? = nil) {
        underLock {
            if let wasDropped { details!.hasFiredInVain = wasDropped }
            // In one section: what another thread takes out waits for nothing then.
            details!.deliveries.wrappingSubtract(1, ordering: .acquiringAndReleasing)
            // It waits for a change of what is left. No other one is on its way.
            guard details!.hasFiredInVain, state == .fired, endReason == nil, !isFindable, let routes = details!.routes,
                routes.contains(where: { !$0.root.isDeinitializing }), changeState(from: .fired, to: .active)
            else { return }
            details!.hasFiredInVain = false
        }
        // Armed again, or with another change on its way, it stays, and does not end: both look under the lock.
        detach()
        didFire(unlessFindable: true)
    }

    /// The delivery of a `.once` observation is over: runs its `onEnd` and releases its targets, unless it has been armed again
    /// or has ended since it fired.
    ///
    /// - Parameters:
    ///   - unlessFindable: Whether another change may be on its way.
    ///   - arming: The `armings` for which it has fired, if another thread may have fired it since, and be calling the handler.
    @inline(never)
    func didFire(unlessFindable: Bool = false, arming: Int? = nil) {
        let (actions, targets): ([(EndReason) -> Void], [ObjectIdentifier: TrackedObject]) = underLock {
            guard state == .fired, endReason == nil, !(unlessFindable && isFindable), arming ?? armings == armings
            else { return ([], [:]) }
            endReason = .fired
            defer { details?.retainedTargets = [:] }
            return (details?.onEnd ?? [], details?.retainedTargets ?? [:])
        }
        Recording.suspended { for action in actions { action(.fired) } }
        extendLifetime(targets)
    }
}
