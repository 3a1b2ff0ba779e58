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
            let details = guarded.makeDetails()
            let former = details.derivedKeyRoutes[slot]
            guard isAdded, former?.contains(where: \.isStartedElsewhere) ?? true else { return ([], []) }
            details.derivedKeyRoutes[slot] = made
            return (made, former ?? [])
        }
        TestPoint.updatingDerivedKeyRoutes.reach()
        for route in starting { PathWork.do(.start(route)) }
        for route in ending { PathWork.do(.end(route)) }
    }

    /// A derived value on the way of a path may have been computed while a change is open at whose end the path is moved. What is about to read
    /// the key depends on the objects that are there now.
    func followDerivedValues(onPathsOf slot: Int) {
        let thread = ThreadContext.current
        if thread.value.marked.isEmpty, thread.value.waitingCount == 0 { return }
        let routes = lock.withLock { guarded.details?.derivedKeyRoutes[slot] }
        for route in routes ?? [] { route.followDerivedValue() }
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
                body: key.computation!, holdsObject: key.declared.objectClass != nil,
                holdsEquatable: key.declared.holdsEquatable,
                overridden: key.isOverridden ? key : nil)
            let made = isNeeded ? Route(.none, root: self, sink: .derivedKey(slot), function: function) : nil
            let isCurrent = lock.withLock {
                guard let now = stateOfExpression(slot), now.route === former, now.isNeeded == isNeeded else {
                    return false
                }
                list(slot)!.value.setExpressionRoute(made)
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

    func forget(_ route: Route) {
        extendLifetime(lock.withLock { guarded.details?.functionRoutes.removeValue(forKey: route.sequence) })
    }
}

/// Starting and ending routes, which may start and end other routes: one after the other, not recursively, however long the
/// chain of objects is.
enum PathWork {
    case start(Route)
    case end(Route)
    /// Of an expression that may have missed a change.
    case evaluate(Route)
    /// A link of a key that depends on others, which may not be linked yet: what is behind it may have missed a change.
    case follow(PathLink)

    /// Does it now, or, if this thread is doing such work already, after that.
    ///
    /// - Parameter first: Where the work begins that has been left, and is done before it; nil for none.
    static func `do`(_ work: PathWork, from first: Int? = nil) {
        let thread = ThreadContext.current
        thread.value.pathWork.append(work)
        if thread.value.doesPathWork { return }
        thread.value.doesPathWork = true
        let start = first ?? thread.value.pathWork.count - 1
        /// The index of what is to be done next; that at which all was where the paths lead; how many links were; and how often not.
        var (next, known, knownLinks, movedCount) = (start, start, 0, 0)
        var (links, outdated): ([PathLink], [Route]) = ([], [])
        while true {
            if next < thread.value.pathWork.count {
                switch thread.value.pathWork[next] {
                case .start(let route): route.start()
                case .end(let route): route.end()
                case .evaluate(let route): outdated.append(route)
                case .follow(let link): links.append(link)
                }
                next += 1
            } else if !links.isEmpty, known != next, movedCount < 3 {
                // All is linked: what another thread has changed before is found now. A getter may return another object each time.
                known = next
                let all = outdated.isEmpty ? links[...] : links[knownLinks...]
                for link in all where link.chain.correct(behind: link) { known = -1 }
                if known < 0 { movedCount += 1 } else { knownLinks = links.count }
            } else if !outdated.isEmpty {
                let expression = outdated.removeFirst().expression!
                if outdated.isEmpty { known = -1 }
                _ = expression.mark(isCertain: true)
                expression.refresh()
            } else {
                break
            }
        }
        for case .start(let route) in thread.value.pathWork[start...] { route.starter.store(0, ordering: .releasing) }
        thread.value.pathWork.removeSubrange(start...)
        if start == 0, next > ThreadContext.poolLimit { thread.value.pathWork = [] }
        thread.value.doesPathWork = false
    }

    /// A link of a key that depends on others has been made. No effect where this thread does no such work: then all of that is linked.
    static func followLater(_ link: PathLink) {
        let thread = ThreadContext.current
        if thread.value.doesPathWork { thread.value.pathWork.append(.follow(link)) }
    }

    /// Calls a function inside of which such work is left for later, or is done at once: what a registration links, also in a function that is
    /// computed for a path.
    static func leaving<Result>(_ isLeft: Bool, _ body: () -> Result) -> Result {
        let thread = ThreadContext.current
        let wasLeft = thread.value.doesPathWork
        thread.value.doesPathWork = isLeft
        defer { thread.value.doesPathWork = wasLeft }
        return body()
    }
}
