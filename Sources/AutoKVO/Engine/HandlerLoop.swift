internal import CSwiftRuntime

/// Calls handlers one after the other for one event, with one change context as long as no handler keeps it.
struct HandlerLoop {
    private let thread: InPlace<ThreadContext>
    private var context: Borrowed<ChangeContext>
    /// Flags of observations for which `callSlowPath` has to decide. The state is among them.
    private let slowPathFlags: ObservationFlags
    /// What this thread records into, suspended while handlers run.
    private let recorder: UInt
    private let subject: Borrowed<Subject>

    @inline(__always)
    init(_ thread: InPlace<ThreadContext>, _ subject: Subject) {
        self.thread = thread
        self.subject = .to(subject)
        recorder = Recording.suspend()
        context = thread.value.takeContext(for: InPlace(at: &subject.event))
        var flags = ObservationFlags(subject.event.excluded.union(.onceOrDistinct)).union(.partCountedOrInactive)
        if subject.event.isPrior { flags.insert(.any) }
        slowPathFlags = flags
    }

    @inline(__always)
    private var event: InPlace<ChangeEvent> { context.use { $0.event } }

    @inline(__always)
    func finish() {
        thread.value.giveBack(context)
        Recording.resume(recorder)
    }

    /// Calls the handler of an observation of a list, which the traversal pins.
    @inline(__always)
    mutating func call(_ observation: KeyValueObservation) {
        TestPoint.beforeCall.reach()
        guard observation.flags.isDisjoint(with: slowPathFlags) else { return callSlowPath(observation) }
        _ = perform(observation, by: nil)
    }

    @inline(never)
    private mutating func callSlowPath(_ observation: KeyValueObservation) {
        guard observation.flags.contains(.part) else { return call(observation, by: nil) }
        let route = observation.details!.partRoute!
        if !subject.use({ $0.separated.contains(ObjectIdentifier(route)) }) { call(route) }
    }

    /// Calls the handler of an observation that no traversal pins.
    mutating func callDirectly(_ observation: KeyValueObservation) {
        guard let target = observation.record?.trackedObject, observation.pin() else { return }
        call(observation, by: nil)
        observation.unpin()
        extendLifetime(target)
    }

    /// Calls the handler of a route's observation.
    mutating func call(_ route: Route) {
        guard let observation = route.unmanagedObservation else { return }
        let this = Borrowed.to(route)
        observation.use { observation in
            // One path or target of several may have been removed.
            if route.isOneOfSeveral, !route.isHeard { return }
            let target = route.root.address
            guard csr_try_retain(target) else {
                if !(route.expression?.function.isOfTarget ?? true) { observation.observerIsGone() }
                return
            }
            if observation.pin() {
                call(observation, by: this)
                observation.unpin()
            }
            csr_release(target)
        }
    }

    private mutating func call(_ observation: KeyValueObservation, by route: Borrowed<Route>?) {
        TestPoint.beforeCall.reach()
        let calls = observation.handling.ignoresChange ? subject.use { $0.calls } : nil
        // One that waited at a scheduler, and has been dropped meanwhile, is made again.
        if let calls, calls.called.contains(observation) {
            guard let route, observation.takes(subject.object.event) else { return }
            if calls.add(route.object, of: observation) { return }
        }
        guard observation.flags.isDisjoint(with: slowPathFlags) else {
            return callIfAdmitted(observation, by: route, calls)
        }
        calls?.called.insert(observation)
        _ = perform(observation, by: route)
    }

    @inline(never)
    private mutating func callIfAdmitted(
        _ observation: KeyValueObservation, by route: Borrowed<Route>?, _ calls: CallsOfChange?
    ) {
        guard let arming = observation.admits(subject.object, route, calls) else { return }
        calls?.called.insert(observation)
        let start = event.value.excluded.contains(.traced) ? ContinuousClock.now : nil
        let isCalled = perform(observation, by: route)
        if isCalled, let start { thread.noteCall(of: observation, by: route?.object, since: start) }
        observation.finishCall(event.value, isCalled, arming)
    }

    /// Calls the handler if the observer is alive, and retains the observer for the call.
    @inline(__always)
    private mutating func perform(_ observation: KeyValueObservation, by route: Borrowed<Route>?) -> Bool {
        TestPoint.beforeObserver.reach()
        guard let observer = observation.observerAddress else {
            invoke(observation, route)
            return true
        }
        guard csr_try_retain(observer) else {
            observation.observerIsGone()
            return false
        }
        invoke(observation, route)
        csr_release(observer)
        return true
    }

    @inline(__always)
    private mutating func invoke(_ observation: KeyValueObservation, _ route: Borrowed<Route>?) {
        context.use {
            $0.observation = Borrowed.to(observation)
            if let route { $0.route = route }
        }
        if route != nil, observation.flags.contains(.scheduled), observation.handling.ignoresChange {
            context.object.calls = subject.object.calls
        }
        observation.callHandler(context) {
            route?.use { $0.root.address } ?? observation.unmanagedRecord!.use { $0.address }
        }
        if !context.isUnique { replaceContext() }
        if route != nil { context.use { ($0.route, $0.calls) = (nil, nil) } }
    }

    /// A handler kept its change: it owns the context now, and the next call gets another one.
    @inline(never)
    private mutating func replaceContext() {
        let kept = context
        context = thread.value.takeContext(for: event)
        kept.use { $0.keep() }
        kept.release()
    }
}

extension KeyValueObservation {
    /// Pins an observation that no traversal pins, so that its handler is not released during a call. False if it has ended.
    fileprivate func pin() -> Bool {
        underLock {
            guard !closure.isNone else { return false }
            pinWord += 1
            return true
        }
    }

    /// The caller has a reference to the observation.
    fileprivate func unpin() {
        let isGone: Bool = underLock {
            pinWord -= 1
            guard !hasRoutes, let list = record?.list(Int(slot)) else { return false }
            return list.value.unlinkIfUnpinned(self)
        }
        releaseHandlerIfEnded()
        if isGone { Borrowed.to(self).release() }
    }

    /// After a call of the handler, or without one because the observer is dead.
    @inline(never)
    fileprivate func finishCall(_ event: ChangeEvent, _ isCalled: Bool, _ arming: Int) {
        if isCalled, flags.contains(.counted) { details!.calls.wrappingAdd(1, ordering: .relaxed) }
        if options.contains(.once), !event.isPrior {
            if flags.contains(.scheduled) { endDelivery() } else { didFire(arming: arming) }
        }
    }

    /// Whether its options let it be called for an event at all.
    fileprivate func takes(_ event: ChangeEvent) -> Bool {
        options.isDisjoint(with: event.excluded) && !(options.contains(.distinct) && event.isUnchanged)
    }

    /// Whether `.prior`, `.once` and `.distinct` allow the call: nil if not; with `.once` which of its `armings` has fired. Not inlined, as its
    /// variables would be on the stack of the handlers.
    @inline(never)
    fileprivate func admits(_ subject: Subject, _ route: Borrowed<Route>?, _ calls: CallsOfChange?) -> Int? {
        let event = subject.event
        guard takes(event), isLive, !event.isPrior || options.contains(.prior) else { return nil }
        return options.contains(.once) ? claim(subject, route?.object, calls) : state == .active ? 0 : nil
    }

    /// Whether this change is the one of which a `.once` observation is notified. Not if that has fired and been armed again since the change
    /// found it: then it has a new number, or other routes.
    ///
    ///     a write finds it, and calls another one      a second write
    ///                                                  fires it
    ///                                                  arms it again
    ///     would fire it, for what was written before
    private func claim(_ subject: Subject, _ route: Route?, _ calls: CallsOfChange?) -> Int? {
        let token = subject.event.token
        /// Under the lock.
        func isFound() -> Bool { route.map { details?.routes?.contains($0) ?? false } ?? (sequence <= subject.end) }
        if subject.event.isPrior {
            let mayBeNone = (subject.source ?? subject).isUncertain || options.contains(.distinct)
            let isClaimed = underLock {
                guard isFound(), changeState(from: .active, to: .claimed) else { return false }
                (details!.claimant, details!.isClaimUncertain) = (token, mayBeNone)
                return true
            }
            if isClaimed { subject.willCallAgain(self) }
            return isClaimed ? 0 : nil
        }
        func mayTake(_ claimant: UInt) -> Bool {
            claimant == token || claimant != 0 && (details!.isClaimUncertain || calls?.isOf(claimant) ?? false)
        }
        // Counted before it fires. Otherwise:
        //
        //     a write, behind rearm()              the delivery of the change before
        //     fires
        //                                          finds that it has fired, and that nothing is on its way: ends it
        //     hands its change to the scheduler
        if flags.contains(.scheduled) { beginDelivery() }
        // In one section: a claim of a path that is being removed is left to the others.
        let fired: Int? = underLock {
            let isClaimed = !subject.event.isInitial && state == .claimed
            guard isFound(), !isClaimed || details!.takeClaim(mayTake) else { return nil }
            details?.hasFiredInVain = false
            return changeState(from: isClaimed ? .claimed : .active, to: .fired) ? armings : nil
        }
        guard let fired else {
            if flags.contains(.scheduled) { endDelivery() }
            return nil
        }
        TestPoint.firing.reach()
        if !flags.contains(.scheduled) { detach() }
        return fired
    }

    /// The change that made the prior call will not make the call after the change.
    func releaseClaim(of token: UInt) {
        underLock { if details!.takeClaim({ $0 == token }) { _ = changeState(from: .claimed, to: .active) } }
    }
}
