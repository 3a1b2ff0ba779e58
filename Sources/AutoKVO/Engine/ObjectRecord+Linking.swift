extension ObjectRecord {
    /// Counts the observations and links in the object's lists, and sets or clears the bit of the object's word that says
    /// whether there are any. Under the lock.
    @inline(__always)
    func interestDidChange(by change: Int32) {
        let before = guarded.interest
        let now = before + change
        guarded.interest = now
        guard (before == 0) != (now == 0), !guarded.isDying else { return }
        Borrowed<TrackedObject>.at(address).use {
            $0.stateWord.store(Borrowed.to(self).bitPattern | (now == 0 ? 0 : 1), ordering: .releasing)
        }
    }

    /// Changes the list of a key under the lock, then updates the routes and watches of the objects behind the key.
    ///
    /// The state of an observation, read under the lock, decides whether the observation is in its lists: one that was removed
    /// while it was being attached is not added, and one that was armed again before the delivery that fired it has taken it
    /// out is not taken out. Linking and unlinking make the same check, so the last of them leaves the right result.
    ///
    /// - Parameters:
    ///   - isAhead: Whether what is linked or unlinked needs more than a call after the change.
    ///   - sequence: Of an observation that is added, the number that it has got.
    ///   - link: The link that is added.
    ///   - body: Returns by how much the list has grown.
    @inline(__always)
    private func changeList<Result>(
        _ slot: Int, isAhead: Bool, isInner: Bool = false, sequence: @autoclosure () -> UInt64 = 0,
        link: ObjectIdentifier? = nil, observation: KeyValueObservation? = nil,
        _ body: () -> (growth: Int32, result: Result)
    ) -> Result {
        let dependencies = layout!.value[slot].isIndependent ? nil : schema!.dependencies(of: slot)
        lock.lock()
        let isFirst = dependencies != nil && list(slot)?.value.isEmpty ?? true
        let (growth, result) = body()
        if growth != 0 {
            interestDidChange(by: growth)
            if growth > 0, !(dependencies?.paths.isEmpty ?? true) { AffectedLists.noteAddition() }
            if let dependencies {
                for base in dependencies.bases {
                    makeList(base).value.derivedInterestDidChange(by: growth, isAhead: isAhead, isInner: isInner)
                }
            }
        }
        #if DEBUG
            checkInvariants(of: slot)
        #endif
        lock.unlock()
        if growth > 0 {
            let (thread, list) = (ThreadContext.current, list(slot)!)
            let openSubjects = list.value.openSubjects.load(ordering: .relaxed)
            let isOwn = !thread.value.openTransactions.isEmpty && thread.value.openTransaction(target, slot) != nil
            if isOwn || openSubjects > 0 && thread.isOpenElsewhere(list.address, openSubjects) {
                list.value.hasLateObserver.store(true, ordering: .relaxed)
            }
        }
        if growth != 0, let dependencies {
            let thread = ThreadContext.current
            if isFirst { thread.value.starting.append((list(slot)!, sequence(), link)) }
            // It calls getters, and may run deinits. What they read is no read of a function that is being recorded.
            Recording.suspended { interestInDerivedKeyDidChange(slot, dependencies, isAdded: growth > 0) }
            if isFirst { thread.value.starting.removeLast() }
            if growth > 0, !thread.value.openTransactions.isEmpty { observation?.noteLateness(thread) }
        }
        return result
    }

    /// Appends an observation to the list of its key.
    ///
    /// - Returns: False if the object's deinit has begun, and then nothing has changed.
    @inline(never)
    func link(_ observation: KeyValueObservation) -> Bool {
        let slot = Int(observation.slot)
        return changeList(
            slot, isAhead: observation.options.contains(.prior), sequence: observation.sequence,
            observation: observation
        ) {
            guard !isDeinitializing else { return (0, false) }
            if observation.isLinked || !observation.isLive { return (0, true) }
            makeList(slot).value.append(observation)
            return (1, true)
        }
    }

    /// Takes an observation out of the list of its key. No effect if it is not in the list.
    ///
    /// - Parameters:
    ///   - unlessFindable: Whether an observation stays that has been armed again, or whose change is on its way.
    ///   - finish: Runs in the same section of the lock. It is given the observation, which the compiler would retain to capture it.
    @inline(__always)
    func unlink<Result>(
        _ observation: KeyValueObservation, unlessFindable: Bool = false,
        _ finish: (KeyValueObservation) -> Result = { _ in }
    ) -> Result {
        let slot = Int(observation.slot)
        let (isUnlinked, result) = changeList(slot, isAhead: observation.options.contains(.prior)) {
            let isLeaving = observation.isLinked && !(unlessFindable && observation.isFindable)
            let isUnlinked = isLeaving && list(slot)!.value.remove(observation)
            return (isLeaving ? -1 : 0, (isUnlinked, finish(observation)))
        }
        if isUnlinked { Borrowed.to(observation).release() }
        return result
    }

    /// Adds a link to the links of its key, unless it is among them, or has been cancelled, or the object's deinit has begun.
    ///
    /// - Returns: Where the work of this thread begins that has been left, if what affects the key is followed later: a change in between may
    ///   be missed. A key that has an expression is computed, and all that it reads linked, where it is read.
    @inline(never)
    func link(_ link: PathLink) -> Int? {
        let key = layout!.value[link.slot]
        let count = key.isIndependent || key.isRecorded ? nil : ThreadContext.current.value.pathWork.count
        changeList(link.slot, isAhead: true, isInner: link.isInner, link: ObjectIdentifier(link)) {
            if link.isLinked || link.isCancelled || isDeinitializing { return (0, ()) }
            makeList(link.slot).value.append(.to(link))
            return (1, ())
        }
        if key.height > 0, link.observation == nil, link.route.expression == nil { PathWork.raise(link) }
        link.noteMove()
        return count.flatMap { ThreadContext.current.value.pathWork.count > $0 ? $0 : nil }
    }

    /// Takes a link out of the links of its key, if it is among them.
    ///
    /// - Parameter cancelling: Whether it must not be added again.
    @inline(never)
    func unlink(_ link: PathLink, cancelling: Bool = false) {
        changeList(link.slot, isAhead: true, isInner: link.isInner) {
            if cancelling { link.isCancelled = true }
            guard link.isLinked else { return (0, ()) }
            list(link.slot)!.value.remove(link)
            return (-1, ())
        }
    }

    /// Adds an observation to the list of what the object holds as an observer.
    ///
    /// - Returns: False if the object's deinit has begun.
    func hold(_ observation: KeyValueObservation) -> Bool {
        lock.lock()
        defer { lock.unlock() }
        guard !isDeinitializing else { return false }
        guard !observation.isHeld, observation.isLive else { return true }
        let this = Borrowed.to(observation)
        (observation.nextHeld, observation.previousHeld) = (guarded.firstHeld, nil)
        guarded.firstHeld?.use { $0.previousHeld = this }
        guarded.firstHeld = this
        observation.isHeld = true
        return true
    }

    /// Takes an observation out of the list of what the object holds. No effect if it is not in the list. The caller has a
    /// reference to it.
    ///
    /// - Parameter unlessFindable: Whether an observation stays that has been armed again, or whose change is on its way.
    func letGo(of observation: KeyValueObservation, unlessFindable: Bool = false) {
        lock.lock()
        guard observation.isHeld, !(unlessFindable && observation.isFindable) else { return lock.unlock() }
        let ownedItself = observation.ownsItself
        (observation.isHeld, observation.ownsItself) = (false, false)
        if let previous = observation.previousHeld {
            previous.use { $0.nextHeld = observation.nextHeld }
        } else {
            guarded.firstHeld = observation.nextHeld
        }
        observation.nextHeld?.use { $0.previousHeld = observation.previousHeld }
        lock.unlock()
        if ownedItself { Borrowed.to(observation).release() }
    }

    /// Keeps an observation whose target is dead in memory as long as the object holds it: the list of what the object holds
    /// owns nothing, and no other owner need exist.
    func keepHeld(_ observation: KeyValueObservation) {
        lock.withLock {
            guard observation.isHeld else { return }
            observation.ownsItself = true
            _ = Borrowed.retaining(observation)
        }
    }

    /// The observations the object holds as an observer, the first registered first.
    func heldObservations() -> [KeyValueObservation] { lock.withLock { held.reversed() } }

    /// Whether the object, as an observer, holds more observations than a number. Looks at no more of them.
    func holdsMore(than count: Int) -> Bool { lock.withLock { held.dropFirst(count).contains { _ in true } } }

    /// How many observations and links are in the lists of the object's keys.
    var interest: Int { lock.withLock { Int(guarded.interest) } }

    /// The observations of the object's keys, in slot order and the order of registration, each once.
    func observationsAsTarget() -> [KeyValueObservation] {
        var found: [KeyValueObservation] = []
        lock.withLock { forEachObservation { observation, _, _ in found.append(observation) } }
        return withoutRepetitions(found)
    }

    /// The routes of an observation that begin at the object.
    func routes(of observation: KeyValueObservation) -> [Route] {
        var found: [Route] = []
        lock.withLock { forEachObservation { if $0 === observation, let route = $2 { found.append(route) } } }
        return found
    }

    /// The observations the object holds as an observer, the last registered first. Under the lock.
    var held: some Sequence<KeyValueObservation> {
        sequence(state: guarded.firstHeld?.object) { next in
            defer { next = next?.nextHeld?.object }
            return next
        }
    }

    /// Calls a function with each observation of each key of the object, and with the route that begins at that key if the
    /// observation has routes. Under the lock.
    func forEachObservation(_ body: (KeyValueObservation, _ slot: Int, Route?) -> Void) {
        func visit(_ route: Route, _ slot: Int) { if let one = route.observation { body(one, slot, route) } }
        for slot in 0..<(layout?.value.count ?? 0) {
            guard let list = list(slot) else { continue }
            list.value.forEachLinked {
                if let route = $0.details?.partRoute { visit(route, slot) } else { body($0, slot, nil) }
            }
            var routes: [Route] = []
            list.value.forEachLink { if $0.isFirst { routes.append($0.route) } }
            for route in routes.sorted(by: { $0.sequence < $1.sequence }) { visit(route, slot) }
        }
        for route in guarded.details?.sortedFunctionRoutes ?? [] { visit(route, -1) }
    }
}
