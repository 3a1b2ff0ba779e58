extension ObjectRecord {
    /// An observation or a link was added to the list of a key that is derived or weak, or removed from it: starts or ends the
    /// routes and watches that the key's value depends on.
    @inline(never)
    func interestInDerivedKeyDidChange(_ slot: Int, _ dependencies: DependencyClosure, isAdded: Bool) {
        if !dependencies.paths.isEmpty { updateDerivedKeyRoutes(of: slot, dependencies.paths, isAdded) }
        for base in CollectionOfOne(slot) + dependencies.bases {
            if schema!.keys[base].isWeak { updateWatch(of: base) }
            if schema!.keys[base].isRecorded { updateExpression(of: base, isAdded: isAdded) }
        }
    }

    /// Routes along the paths that a key is derived from exist as long as the key is observed.
    private func updateDerivedKeyRoutes(of slot: Int, _ paths: [DerivedPath], _ isAdded: Bool) {
        let schema = schema!
        func route(_ path: DerivedPath) -> Route? {
            orReport(
                "\(schema.type).\(schema.keys[slot].name) is affected by a path that does not exist",
                Route(try schema.path(path), root: self, sink: .derivedKey(slot)))
        }
        // Parsing runs user code (schemas of other classes), so it comes before the lock.
        let made = (isAdded ? paths : []).compactMap(route)
        let (starting, ending): ([Route], [Route]) = lock.withLock {
            guard !guarded.isDying, let list = list(slot), !list.value.isEmpty else {
                return ([], guarded.details?.derivedKeyRoutes.removeValue(forKey: slot) ?? [])
            }
            let former = guarded.details?.derivedKeyRoutes[slot]
            // What this thread has left for later it starts for what a function adds meanwhile, at once.
            let thread = ThreadContext.current
            let start = thread.value.doesPathWork ? thread.value.pathWorkStart : thread.value.pathWork.count
            func isUnlinked(_ route: Route) -> Bool {
                let starter = route.starter.load(ordering: .acquiring)
                return starter != 0 && (starter != thisThread() || route.startIndex < start)
            }
            guard isAdded, former?.contains(where: isUnlinked) ?? true else { return ([], []) }
            return (made, guarded.makeDetails().derivedKeyRoutes.updateValue(made, forKey: slot) ?? [])
        }
        TestPoint.updatingDerivedKeyRoutes.reach()
        for route in starting {
            route.startIndex = ThreadContext.current.value.pathWork.count
            PathWork.do(.start(route))
        }
        for route in ending { PathWork.do(.end(route)) }
    }

    /// A derived value on the way of a path may have been computed while a change is open at whose end the path is moved. What is about to read
    /// the key depends on the objects that are there now.
    func followDerivedValues(onPathsOf slot: Int) {
        TransactionsOfTasks.visiting {
            let thread = ThreadContext.current
            if thread.value.marked.isEmpty, thread.value.waitingCount == 0 { return }
            let routes = lock.withLock { guarded.details?.derivedKeyRoutes[slot] }
            for route in routes ?? [] { route.followDerivedValues() }
        }
    }

    /// The expression of a derived key exists as long as somebody needs the key. The list owns its route.
    ///
    /// It is refreshed for an observer or reader that is added. When one is removed nothing may be evaluated: that may happen in the middle of
    /// an evaluation which this expression now reads.
    func updateExpression(of slot: Int, isAdded: Bool) {
        while let (former, isNeeded) = lock.withLock({ stateOfExpression(slot) }) {
            if (former != nil) == isNeeded {
                // One that is there may have been marked while it had no observer that would have had it refreshed.
                if isAdded, let former { PathWork.do(former.isStartedElsewhere ? .evaluate(former) : .start(former)) }
                return
            }
            let key = schema!.keys[slot]
            let function = Expression.Function(
                body: key.computation!, objects: key.computedObjects, overridden: key.isOverridden ? key : nil)
            let made = isNeeded ? Route(.none, root: self, sink: .derivedKey(slot), function: function) : nil
            let isCurrent = lock.withLock {
                guard let now = stateOfExpression(slot), now.route === former, now.isNeeded == isNeeded else {
                    return false
                }
                list(slot)!.value.setExpressionRoute(made)
                // Before another thread may make the next one, whose links lead to the same key.
                former?.isGivenUp.store(true, ordering: .relaxed)
                return true
            }
            TestPoint.updatingDerivedKeyRoutes.reach()
            if !isCurrent { continue }
            if let former { PathWork.do(.end(former)) }
            if let made { PathWork.do(.start(made)) }
            return
        }
    }

    /// The route of the expression that a derived key has, and whether it needs one. Under the lock.
    private func stateOfExpression(_ slot: Int) -> (route: Route?, isNeeded: Bool)? {
        guard let list = list(slot) else { return nil }
        return (list.value.expressionRoute?.object, !guarded.isDying && list.value.isNeeded)
    }

    /// Keeps the route of an expression of an observation, so that the object's death ends it. No effect for one of a key.
    func keep(_ route: Route) {
        guard route.observation != nil, schema != nil, route.expression!.function.isOfTarget else { return }
        let isDying = lock.withLock {
            if guarded.isDying || route.expression!.hasEnded { return guarded.isDying }
            guarded.makeDetails().functionRoutes[route.sequence] = route
            return false
        }
        if isDying { route.expression!.end() }
    }
}
