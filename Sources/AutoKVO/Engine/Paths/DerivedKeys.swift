extension ObjectRecord {
    /// An observation or a link was added to the list of a key that is derived or weak, or removed from it: starts or ends the
    /// routes and watches that the key's value depends on.
    @inline(never)
    func interestInDerivedKeyDidChange(_ slot: Int, _ dependencies: DependencyClosure) {
        if !dependencies.paths.isEmpty { updateDerivedKeyRoutes(of: slot, dependencies.paths) }
        for base in CollectionOfOne(slot) + dependencies.bases where schema!.keys[base].isWeak { updateWatch(of: base) }
    }

    /// Routes along the paths that a key is derived from exist as long as the key is observed.
    private func updateDerivedKeyRoutes(of slot: Int, _ paths: [DerivedPath]) {
        let schema = schema!
        // Parsing runs user code (schemas of other classes), so it comes before the lock.
        let made = paths.compactMap { path -> Route? in
            do throws(KeyValueError) {
                return Route(try schema.path(path), root: self, sink: .derivedKey(slot))
            } catch {
                Diagnostics.report(
                    "\(schema.type).\(schema.keys[slot].name) is affected by a path that does not exist: \(error)")
                return nil
            }
        }
        let (starting, ending): ([Route], [Route]) = lock.withLock {
            guard !guarded.isDying, let list = list(slot), !list.value.isEmpty else {
                return ([], guarded.details?.derivedKeyRoutes.removeValue(forKey: slot) ?? [])
            }
            let details = guarded.makeDetails()
            // Another thread may have made the routes: that thread starts them.
            guard details.derivedKeyRoutes[slot] == nil else { return ([], []) }
            details.derivedKeyRoutes[slot] = made
            return (made, [])
        }
        TestPoint.updatingDerivedKeyRoutes.reach()
        for route in ending { PathWork.do(.end(route)) }
        for route in starting { PathWork.do(.start(route)) }
    }
}

/// Starting and ending routes, which may start and end other routes: one after the other, not recursively, however long the
/// chain of objects is.
enum PathWork {
    case start(Route)
    case end(Route)

    /// Does it now, or, if this thread is doing such work already, after that.
    static func `do`(_ work: PathWork) {
        let thread = ThreadContext.current
        thread.value.pathWork.append(work)
        if thread.value.isDoingPathWork { return }
        thread.value.isDoingPathWork = true
        var next = 0
        while next < thread.value.pathWork.count {
            switch thread.value.pathWork[next] {
            case .start(let route): route.start()
            case .end(let route): route.end()
            }
            next += 1
        }
        thread.value.pathWork.removeAll(keepingCapacity: next <= ThreadContext.poolLimit)
        thread.value.isDoingPathWork = false
    }
}
