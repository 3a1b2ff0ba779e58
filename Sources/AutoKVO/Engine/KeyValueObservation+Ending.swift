extension KeyValueObservation {
    /// Why an observation ended.
    public enum EndReason: Sendable, Hashable {
        /// It was removed.
        case removed
        /// It was registered with `.once` and has been delivered.
        case fired
        /// Its target died, or the last of its targets.
        case targetDeinitialized
        /// Its observer died.
        case observerDeinitialized
    }

    /// Ends the observation. No call of its handler starts after this has returned; one that is running on another
    /// thread may finish. The handler is released at once, or when the delivery that is using it is over.
    ///
    /// Calling it again, from any thread, also inside the handler, is harmless.
    ///
    /// - Complexity: O(1) for one key of one target; O(*n*) for *n* path components and targets.
    public func remove() { end(.removed) }

    /// Removes a path, or several, from an observation of several. Removing the last one ends it.
    ///
    /// - Returns: Whether the observation had the path, or one of them.
    /// - Complexity: O(*n*) for *n* paths.
    @discardableResult
    public func remove(keyPath: some KeyPathSet) -> Bool { remove(.named(Set(keyPath.keyPaths)), of: nil) }

    /// Paths that are removed from observations.
    enum RemovedPaths {
        case all
        case named(Set<String>)
        /// The key of a slot.
        case key(Int)
        /// A path of handles.
        case path(ParsedKeyPath)
    }

    /// Removes paths and a target, nil for every target, from an observation. Returns whether it had one of them.
    func remove(_ paths: RemovedPaths, of target: TrackedObject?) -> Bool {
        let identity = target.map { ObjectIdentifier($0) }
        func fits(_ root: ObjectRecord?, _ slot: Int?, _ path: ParsedKeyPath?) -> Bool {
            guard identity == nil || root?.target == identity else { return false }
            // Of two properties of one name it is the one that the name reaches, or that the handle is of. An observation of a hidden one
            // knows it by its name.
            func isSame(_ name: String?, _ removed: ParsedKeyPath? = nil) -> Bool {
                guard let name, let schema = root?.schema else { return true }
                let wanted = removed?.slot(of: 0, in: .to(schema)) ?? schema.slot(of: name)
                if wanted == nil, target == nil { return true }
                return (slot ?? path?.slot(of: 0, in: .to(schema))) ?? wanted == wanted
            }
            switch paths {
            case .all: return true
            case .key(let removed): return slot == removed
            case .path(let removed): return path?.isSame(as: removed) ?? false && isSame(removed.keys.first, removed)
            case .named(let names):
                return path?.keys.isEmpty != true && names.contains(path?.text ?? directKey)
                    && isSame(path?.keys.first ?? directKey)
            }
        }
        let some: [Route]? = target?.record.flatMap { root in
            // If the target has clearly fewer observations and links, its own are found faster there.
            let most = 16 + root.interest
            return underLock { details?.routes?.count ?? 0 > most } ? root.routes(of: self) : nil
        }
        // What a closure reads has no target.
        return removeRoutes(among: some) {
            (identity == nil || $0.expression?.function.isOfTarget ?? true) && fits($0.root, $0.slot, $0.path)
        }
            ?? (fits(record, Int(slot), nil) && end(.removed))
    }

    /// Removes the routes for which a condition is true, of all or of some. Removing the last one ends the observation. Nil if it has no
    /// routes.
    private func removeRoutes(among some: [Route]?, where condition: (Route) -> Bool) -> Bool? {
        guard hasRoutes else { return nil }
        // In one section of the lock: of two threads that remove the last two routes, one has to find that none is left.
        let (leaving, isLast, targets): ([Route], Bool, [TrackedObject?]) = underLock {
            let those = (some ?? details?.routes?.all ?? []).filter { details?.routes?.contains($0) ?? false }
            let leaving = those.filter(condition)
            // A dead target's route may still be there: a target's death does not end routes of an observation that has fired
            // or is being attached.
            if details?.routes?.hasOthers(than: condition, alive: !isManual) != true { return (leaving, true, []) }
            for route in leaving { details!.routes!.remove(route) }
            return (leaving, false, details!.takeTargets(of: leaving, leaving: those.filter { !condition($0) }))
        }
        if leaving.isEmpty { return false }
        if isLast { return end(.removed) }
        withExtendedLifetime(targets) { for route in leaving { route.end() } }
        return true
    }

    /// Whether a path of a target has not been removed. One that has fired has other routes in their place.
    func has(_ route: Route) -> Bool {
        underLock { details?.routes }?.contains {
            $0 === route || $0.root === route.root && $0.path.isSame(as: route.path)
        } ?? false
    }

    /// Links the observation into the target's and the observer's lists. False if one of the two is dying: then the caller ends or detaches
    /// it. What this reads, a function that adds an observer does not.
    func attach() -> Bool {
        if let unmanagedObserverRecord, !unmanagedObserverRecord.use({ $0.hold(self) }) { return false }
        TestPoint.attaching.reach()
        return PathWork.leaving(false) { Recording.suspended { linkToTargets() } }
    }

    /// An observation that is added is not notified of the changes that are open on this thread, and its observer may read what was there before
    /// their store. If they concern it, its next edit comes as a `.setting`, with the whole collection.
    @inline(never)
    func noteLateness(_ thread: InPlace<ThreadContext>) {
        let lists = routes?.map(\.keyList) ?? [record?.list(Int(slot))]
        thread.value.coalescing?.object.startWalk(.other)
        for transaction in thread.value.openTransactions.members.map(\.object) {
            // Looking for the record may be the last use of the object, whose death drops this.
            let slot = transaction.slot
            guard let record = transaction.currentRecord else { continue }
            AffectedLists.forEach(from: record, slot) { _, list, _ in
                if lists.contains(list) { list.value.hasLateObserver.store(true, ordering: .relaxed) }
            } link: { link, key in
                // A path that ends at the open property itself needs no flag: its list has one.
                let isOpen = key.record == .to(record) && key.slot == slot
                if link.observation == .to(self), link.isFollowed || !isOpen {
                    link.route.isLate.store(true, ordering: .relaxed)
                }
            }
        }
    }

    /// Links the observation into the lists of what it observes. False if that is dying.
    private func linkToTargets() -> Bool {
        guard hasRoutes else { return unmanagedRecord!.use { $0.link(self) } }
        let routes = activateRoutes()
        routes.forEach { $0.start() }
        let thread = ThreadContext.current
        if !thread.value.openTransactions.isEmpty { noteLateness(thread) }
        // Checked after linking: a target that died before does not find the observation, and so does not end it.
        return routes.contains { !$0.root.isDeinitializing } || !isLive
    }

    /// Takes the observation out of the target's and the observer's lists, unless it has been armed again, or a change is on its way.
    func detach() {
        if hasRoutes {
            underLock { isFindable ? RouteList() : deactivateRoutes() }.forEach { $0.end() }
        } else {
            record?.unlink(self, unlessFindable: true)
        }
        unmanagedObserverRecord?.use { $0.letGo(of: self, unlessFindable: true) }
    }

    /// The routes of an observation that is being attached; copies of those that were deactivated.
    private func activateRoutes() -> RouteList {
        let (awake, resting): (RouteList, RouteList?) = underLock {
            guard isLive, let routes = details?.routes else { return (RouteList(), nil) }
            if !routes.contains(where: { $0.isDeactivated }) { return (routes, nil) }
            // Not those of targets that have died meanwhile. If all have, the caller finds that.
            let left = details!.routes!.areAllDead() ? nil : routes.all.filter { isManual || !$0.root.isDeinitializing }
            let awake = RouteList((left ?? routes.all).map { $0.isDeactivated ? $0.copy(for: .observation(self)) : $0 })
            details!.routes = awake
            return (awake, routes)
        }
        extendLifetime(resting)
        return awake
    }

    /// Takes the routes out of an observation that has fired or ended; the caller ends them. One that has fired may be armed again,
    /// so it keeps copies of them. These do not own it, so that it is freed when the caller drops it. Under the lock.
    func deactivateRoutes() -> RouteList {
        guard let details else { return RouteList() }
        if state == .ended { return details.takeRoutes() }
        let routes = details.routes ?? RouteList()
        details.routes = RouteList(routes.all.map { $0.copy(for: .nobody) })
        return routes
    }

    /// Ends the observation. Returns true for the first call, false if it had ended.
    @discardableResult func end(_ reason: EndReason) -> Bool {
        guard changeStateToEnded() else { return false }
        TestPoint.ending.reach()
        let left: (closure: Borrowed<AnyObject>?, hasActions: Bool, isArmed: Bool)
        if hasRoutes {
            detach()
            left = underLock { finishEnding(reason) }
        } else {
            unmanagedObserverRecord?.use { $0.letGo(of: self) }
            left = unmanagedRecord!.use { $0.unlink(self) { $0.finishEnding(reason) } }
        }
        left.closure?.release()
        if left.hasActions { runEndActions(left.isArmed ? reason : nil) }
        return true
    }

    /// Stores why it has ended. Under the lock. Returns what the caller does without the lock: release the closure, which is nil
    /// while a call uses it; run `runEndActions` if it has to, with the reason if `onEnd` has not run since it was armed.
    @inline(__always)
    private func finishEnding(_ reason: EndReason) -> (closure: Borrowed<AnyObject>?, hasActions: Bool, isArmed: Bool) {
        let isArmed = endReason == nil
        if isArmed { endReason = reason }
        return (pinCount == 0 ? closure.take() : nil, details?.hasEndActions ?? false, isArmed)
    }

    /// - Parameter reason: What to run `onEnd` with; nil if it has been run.
    private func runEndActions(_ reason: EndReason?) {
        let (actions, drop, targets) = underLock {
            let details = details!
            defer { (details.onEnd, details.dropChanges, details.retainedTargets) = ([], nil, [:]) }
            return (details.onEnd, details.dropChanges, details.retainedTargets)
        }
        drop?()
        // What they read is not what a function reads in which the observation ends.
        if let reason { Recording.suspended { for action in actions { action(reason) } } }
        extendLifetime((actions, targets))
    }

    /// Called by a traversal after it has unpinned an observation, without a lock: the last one releases the handler.
    @inline(__always)  // counts: path-leaf
    func releaseHandlerIfEnded() {
        guard state == .ended else { return }
        underLock { pinCount == 0 ? closure.take() : nil }?.release()
    }

    // MARK: Deaths

    /// The deinit of the target has begun. The observation leaves the list of its key.
    func targetIsDying() {
        if flags.contains(.part), let route = details?.partRoute {
            route.rootIsDying()
        } else if isManual {
            // It stays valid until it is removed, so it has to stay in memory as long as its observer holds it.
            observerRecord?.keepHeld(self)
        } else if end(.targetDeinitialized) {
            return
        }
        // Another thread may have taken the part from its route and not have unlinked it yet; there will be nothing to unlink then.
        record?.unlink(self)
        // A manual one whose observer has died without a hook is still in the list of what that holds. No object can find it there.
        if isManual, let observerRecord, observerRecord.isDeinitializing { observerRecord.letGo(of: self) }
    }

    /// One of several targets, or the only one of a path, died.
    func targetDidDie(of route: Route) {
        // In one section of the lock, so that of two targets that die at once one is the last. The last route stays, since the
        // observation still has to know its paths.
        let isLast = underLock {
            if isManual { return false }
            if details?.routes?.areAllDead() ?? true { return true }
            details!.routes!.remove(route)
            return false
        }
        if isLast { end(.targetDeinitialized) }
        route.end()
        if isManual { forgetRoutesIfUnreachable() }
    }

    /// Breaks the ownership cycle of an observation and its routes when all targets and the observer are dead.
    private func forgetRoutesIfUnreachable() {
        guard hasRoutes, observerRecord?.isDeinitializing ?? true,
            let routes = underLock({ details?.routes?.areAllDead() ?? false ? details!.takeRoutes() : nil })
        else { return }
        // A target that died before its route was started has not ended the route.
        routes.forEach { $0.end() }
        observerRecord?.letGo(of: self)
    }

    /// The observer is being deinitialized, and the observation is not in its list any more.
    func observerDidDie() { if isManual { forgetRoutesIfUnreachable() } else { end(.observerDeinitialized) } }

    /// The observer was dead when its handler was to be called. A manual observation misses the change and stays; that is reported once.
    @inline(never)
    func observerIsGone() {
        if !isManual {
            // The deinit of one that is tracked ends it, but for an observation that has fired for this call: that may be detached.
            if observerRecord?.schema == nil || state == .fired { end(.observerDeinitialized) }
            return
        }
        // It misses the change, so it has not fired, and belongs in the targets' lists, out of which this call has taken it.
        if changeState(from: .fired, to: .active), !flags.contains(.scheduled) { _ = linkToTargets() }
        if underLock({ makeDetails() }).hasReportedDeadObserver.exchange(true, ordering: .relaxed) { return }
        Diagnostics.report(
            "A change was missed because the observer is dead and the observation was not removed: \(debugDescription)")
    }
}
