internal import CSwiftRuntime

/// Calling the observers in one list for one event.
///
/// The list is walked without its lock: under the lock the walk takes the next few nodes into its hands (`holds`), and
/// lets go of the ones before; then it calls them. A node that is taken out meanwhile stays linked until the last walk
/// lets go of it, so that the walk finds on from where it was. What a handler does to the list, on any thread, is seen:
///
/// - a removed observation is not called: each is asked again right before its call;
/// - a new one is not called: the walk ends at what was the last when the change began. A link that is new here because
///   its path has moved counts as old, or the path's observation would miss a change;
/// - a handler that never returns keeps back the few nodes its own walk holds, and nothing else.
enum Walk {
    /// How many nodes a walk holds at a time. Two lock operations are shared by as many calls.
    private static var handful: Int { 16 }

    /// - Parameter loop: What to call the nodes with. It has its event.
    static func call(
        _ record: ObjectRecord, _ list: UnsafeMutablePointer<ObserverList>, upTo bound: UInt64?, _ loop: inout HandlerLoop
    ) {
        walk(record, list, upTo: bound, &loop) { _ in }
    }

    /// The walk that is all of its delivery, as part of the function it is called from: for the one place where 30 instructions
    /// count. The event is made after the lock was taken, which, if it is shared, would wait until all of it is written (4 ns).
    @inline(__always)
    static func callInlined(
        _ record: ObjectRecord, _ list: UnsafeMutablePointer<ObserverList>, _ thread: UnsafeMutablePointer<ThreadState>,
        _ event: @autoclosure () -> ChangeEvent
    ) {
        var loop = HandlerLoop(thread, isWhole: true)
        walk(record, list, upTo: nil, &loop) { $0.begin(event()) }
        loop.finish()
    }

    @inline(__always)
    private static func walk(
        _ record: ObjectRecord, _ list: UnsafeMutablePointer<ObserverList>, upTo bound: UInt64?, _ loop: inout HandlerLoop,
        begin: (inout HandlerLoop) -> Void
    ) {
        // Memory that is not initialised: clearing it would cost as much as a call.
        withUnsafeTemporaryAllocation(of: Unmanaged<ObservationNode>.self, capacity: 2 * handful) { nodes in
            let held = nodes.baseAddress!
            let gone = held + handful
            let hold = record.lock.lock()
            let end = list.pointee.lastSequence
            let last = bound ?? end
            var cursor = list.pointee.first
            var heldCount = take(from: &cursor, upTo: last, end, held)
            record.lock.unlock(hold)
            if heldCount == 0 { return }
            begin(&loop)
            repeat {
                var index = 0
                repeat {
                    held[index]._withUnsafeGuaranteedRef { loop.call($0) }
                    index &+= 1
                } while index < heldCount
                let hold = record.lock.lock()
                // What was next may have left meanwhile. What is held is still in its place.
                if cursor != nil { cursor = held[heldCount &- 1]._withUnsafeGuaranteedRef { $0.next } }
                var goneCount = 0
                index = 0
                repeat {
                    if list.pointee.release(held[index]) {
                        gone[goneCount] = held[index]
                        goneCount &+= 1
                    }
                    index &+= 1
                } while index < heldCount
                heldCount = cursor == nil ? 0 : take(from: &cursor, upTo: last, end, held)
                record.lock.unlock(hold)
                if goneCount > 0 { letGo(of: gone, goneCount) }
            } while heldCount > 0
        }
    }

    /// Takes the next few nodes of a list into the hands of a walk. Under the lock.
    ///
    /// - Parameter cursor: The node to begin with; then the one to go on with, nil behind the last.
    /// - Returns: How many were taken.
    @inline(__always)
    private static func take(
        from cursor: inout Unmanaged<ObservationNode>?, upTo last: UInt64, _ end: UInt64,
        _ held: UnsafeMutablePointer<Unmanaged<ObservationNode>>
    ) -> Int {
        var count = 0
        while let node = cursor {
            node._withUnsafeGuaranteedRef {
                guard $0.sequence <= end else { return cursor = nil }
                cursor = $0.next
                guard $0.membership == .linked, $0.sequence <= last || $0.isMovedLink else { return }
                $0.holds &+= 1
                held[count] = node
                count &+= 1
            }
            if count == handful { break }
        }
        // The next one is fetched from memory while these are called.
        if let cursor { csr_prefetch(cursor.toOpaque()) }
        return count
    }

    /// Lets go, without a lock, of nodes that left their list while walks held them. They are not chained through
    /// their own links: an observation that has fired may be armed again, and be in the list once more, before that.
    @inline(never)
    private static func letGo(of nodes: UnsafeMutablePointer<Unmanaged<ObservationNode>>, _ count: Int) {
        TestPoint.lettingGo.reach()
        for index in 0..<count {
            nodes[index]._withUnsafeGuaranteedRef {
                if $0.kind == .observation { unsafeDowncast($0, to: KeyValueObservation.self).releaseHandlerIfEnded() }
            }
            nodes[index].release()
        }
    }
}

extension ObserverList {
    /// A walk lets go of a node. If it was the last to hold it and the node has left, it is unlinked, and the list's
    /// ownership of it goes to the caller: true then.
    @inline(__always)
    mutating func release(_ node: Unmanaged<ObservationNode>) -> Bool {
        node._withUnsafeGuaranteedRef {
            $0.holds &-= 1
            guard $0.holds == 0, $0.membership == .leaving else { return false }
            unlink($0)
            return true
        }
    }
}

/// Calls handlers one after the other for one event, with one change context as long as no handler keeps it.
struct HandlerLoop {
    private let thread: UnsafeMutablePointer<ThreadState>
    private var context: Unmanaged<ChangeContext>
    /// The context's reference counts while nobody but the loop refers to it.
    private var countWord: UInt64 = 0
    /// Marks that need a closer look before the call.
    private var special: ObservationNode.Marks = .node
    /// The delivery's part of the register of calls: who began it, and if the loop has, what `end` is to be given.
    private var part: Int
    private static var deliverys: Int { -1 }
    private static var nobodys: Int { -2 }

    /// A loop whose event is yet to come, by `begin`.
    ///
    /// - Parameter isWhole: Whether the loop is all of its delivery. Otherwise the delivery has begun a part of the register of
    ///   calls, for all its loops.
    @inline(__always)
    init(_ thread: UnsafeMutablePointer<ThreadState>, isWhole: Bool = false) {
        self.thread = thread
        part = isWhole ? Self.nobodys : Self.deliverys
        context = thread.pointee.takeContext()
    }

    @inline(__always)
    init(_ thread: UnsafeMutablePointer<ThreadState>, _ event: @autoclosure () -> ChangeEvent) {
        self.init(thread)
        begin(event())
    }

    @inline(__always)
    mutating func begin(_ event: @autoclosure () -> ChangeEvent) {
        let event = event()
        context._withUnsafeGuaranteedRef {
            $0.event = event
            $0.route = nil
        }
        var special = ObservationNode.Marks(event.excluded.union(.onceOrDistinct)).union(.link)
        if event.isPrior || thread.pointee.coalescing != nil { special.insert(.node) }
        self.special = special
        countWord = csr_count_word(context.toOpaque())
    }

    /// In the context, which is the loop's.
    @inline(__always)
    private var event: ChangeEvent { context._withUnsafeGuaranteedRef { $0.event } }

    @inline(__always)
    func finish() {
        thread.pointee.giveBack(context)
        if part >= 0 { thread.pointee.calls.end(part) }
    }

    /// Calls the handler of a node that its list, held by the walk, keeps alive.
    @inline(__always)
    mutating func call(_ node: ObservationNode) {
        guard node.marks.isDisjoint(with: special) else { return callAfterCloserLook(node) }
        TestPoint.beforeCall.reach()
        if node.isActive { _ = perform(unsafeDowncast(node, to: KeyValueObservation.self), by: nil) }
    }

    @inline(never)
    private mutating func callAfterCloserLook(_ node: ObservationNode) {
        switch node.kind {
        case .observation: call(unsafeDowncast(node, to: KeyValueObservation.self), by: nil)
        case .link: call(unsafeDowncast(node, to: PathLink.self))
        }
    }

    /// The same for an observation that no walk holds.
    mutating func callDirectly(_ observation: KeyValueObservation) {
        // The changes of a coalescing are told late, when the target may be dead.
        guard let target = observation.record?.trackedObject, observation.hold() else { return }
        call(observation, by: nil)
        observation.letGo()
        withExtendedLifetime(target) {}
    }

    /// Calls the handler of the observation that a path's last component leads to.
    private mutating func call(_ link: PathLink) {
        // A link that leads on was added after this change began, and is told of the next.
        guard link.isLeaf else { return }
        // Inside an announced change of an object on the path's way, that change tells, when it ends.
        if !thread.pointee.openChanges.isEmpty, thread.pointee.openEvent(of: .route(link.route)) != nil { return }
        call(link.route)
    }

    /// Calls the handler of a route's observation, once for each change.
    mutating func call(_ route: Route) {
        guard let observation = route.unmanagedObservation else { return }
        let this = Unmanaged.passUnretained(route)
        observation._withUnsafeGuaranteedRef { observation in
            // One path of several, or one target, may have been removed by itself, and one that has fired is armed with new
            // routes.
            if route.isOneOfSeveral || observation.options.contains(.once), route.isEnded { return }
            if route.mayMeetItself {
                let isOfRoute = observation.handling == .changeOfEachPath
                if part == Self.nobodys { part = thread.pointee.calls.begin() }
                let called = isOfRoute ? this.toOpaque() : Unmanaged.passUnretained(observation).toOpaque()
                guard thread.pointee.calls.isFirst(of: called) else { return }
            }
            let target = route.root.address
            guard csr_try_retain(target) else { return }
            if observation.hold() {
                call(observation, by: this)
                observation.letGo()
            }
            csr_release(target)
        }
    }

    private mutating func call(_ observation: KeyValueObservation, by route: Unmanaged<Route>?) {
        TestPoint.beforeCall.reach()
        let isAdmitted =
            observation.marks.isDisjoint(with: special) ? observation.isActive : observation.admits(event, route, thread)
        guard isAdmitted, perform(observation, by: route) else { return }
        if observation.options.contains(.once), !event.isPrior { observation.didFire() }
    }

    /// Calls the handler if the observer is alive, and keeps it alive for the call.
    @inline(__always)
    private mutating func perform(_ observation: KeyValueObservation, by route: Unmanaged<Route>?) -> Bool {
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
    private mutating func invoke(_ observation: KeyValueObservation, _ route: Unmanaged<Route>?) {
        context._withUnsafeGuaranteedRef {
            $0.observation = Unmanaged.passUnretained(observation)
            if let route { $0.route = route }
        }
        observation.callHandler(context) {
            route?._withUnsafeGuaranteedRef { $0.root.address }
                ?? observation.home.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.address }
        }
        if csr_count_word(context.toOpaque()) != countWord { giveUpContext() }
        if route != nil { context._withUnsafeGuaranteedRef { $0.route = nil } }
    }

    /// A handler kept its change: the context is the handler's now, the next call gets another.
    @inline(never)
    private mutating func giveUpContext() {
        let kept = context
        context = thread.pointee.takeContext()
        context._withUnsafeGuaranteedRef {
            $0.event = kept._withUnsafeGuaranteedRef { $0.event }
            $0.route = nil
        }
        kept._withUnsafeGuaranteedRef { $0.keep() }
        kept.release()
        countWord = csr_count_word(context.toOpaque())
    }
}

extension KeyValueObservation {
    /// Makes sure that the handler stays for a call, for an observation that no list holds. False if it has ended.
    fileprivate func hold() -> Bool {
        underLock {
            guard function != nil else { return false }
            holds += 1
            return true
        }
    }

    /// The caller has a reference of its own.
    fileprivate func letGo() {
        let this = Unmanaged<ObservationNode>.passUnretained(self)
        let isGone: Bool = underLock {
            if !isGroup, let list = record?.list(Int(slot)) { return list.pointee.release(this) }
            holds -= 1
            return false
        }
        releaseHandlerIfEnded()
        if isGone { this.release() }
    }

    /// What `.prior`, `.once`, `.distinct` and `coalescingChanges` have to say before a call. False if there is to be none.
    @inline(never)
    fileprivate func admits(
        _ event: ChangeEvent, _ route: Unmanaged<Route>?, _ thread: UnsafeMutablePointer<ThreadState>
    ) -> Bool {
        if route == nil, !options.isDisjoint(with: event.excluded) { return false }
        guard isLive, !event.isPrior || options.contains(.prior) else { return false }
        if options.contains(.distinct), event.isUnchanged { return false }
        if let coalescing = thread.pointee.coalescing, !event.isInitial {
            if !event.isPrior { coalescing.add(self, event, route?.takeUnretainedValue()) }
            return false
        }
        return options.contains(.once) ? claim(event, thread) : state.load(ordering: .acquiring) == .active
    }

    /// Decides whether this change is the one that a `.once` observation is delivered.
    private func claim(_ event: ChangeEvent, _ thread: UnsafeMutablePointer<ThreadState>) -> Bool {
        if event.isPrior {
            guard change(from: .active, to: .claimed) else { return false }
            let token = event.token
            underLock { details!.claimant = token }
            thread.pointee.openEvent(token)?.willCallAgain(self)
            return true
        }
        if options.contains(.prior), !event.isInitial, state.load(ordering: .acquiring) == .claimed {
            let token = event.token
            guard underLock({ details!.takeClaim(of: token) }), change(from: .claimed, to: .fired) else { return false }
        } else {
            guard change(from: .active, to: .fired) else { return false }
        }
        TestPoint.firing.reach()
        detach()
        return true
    }

    /// The change that made the prior call will not make the other.
    func giveUpClaim(of token: UInt) {
        underLock { if details!.takeClaim(of: token) { _ = change(from: .claimed, to: .active) } }
    }

    private func change(from expected: State, to desired: State) -> Bool {
        state.compareExchange(expected: expected, desired: desired, ordering: .acquiringAndReleasing).exchanged
    }

    /// A `.once` observation was delivered.
    @inline(never)
    fileprivate func didFire() {
        let actions = underLock { state.load(ordering: .acquiring) == .ended ? [] : details?.onEnd ?? [] }
        for action in actions { action(.fired) }
    }
}
