extension ObjectRecord {
    /// Somebody began or ceased to observe a key that is derived from others, or that is weak: makes what watches the
    /// objects behind it fit.
    func interestInDerivedKeyDidChange(_ slot: Int, _ dependencies: DependencyClosure) {
        if !dependencies.paths.isEmpty { updateDerivedKeyRoutes(of: slot, dependencies.paths) }
        for base in CollectionOfOne(slot) + dependencies.bases where schema!.keys[base].isWeak { updateWatch(of: base) }
    }

    /// Routes along the paths that a key is derived from exist as long as the key is observed.
    private func updateDerivedKeyRoutes(of slot: Int, _ paths: [String]) {
        guard let type = schema?.type as? TrackedObject.Type else { return }
        // Parsing runs user code (schemas of other classes), so it comes before the lock.
        let made = paths.compactMap { path -> Route? in
            do throws(KeyValueError) {
                return Route(try .parse(path, for: type), root: self, sink: .derivedKey(slot))
            } catch {
                Diagnostics.report(
                    "\(type).\(schema!.keys[slot].name) is affected by a path that does not exist: \(error)")
                return nil
            }
        }
        var starting: [Route] = []
        var ending: [Route] = []
        lock.withLock {
            let isObserved = !isDying && !(list(slot)?.value.isEmpty ?? true)
            if isObserved {
                let details = makeDetails()
                if details.derivedKeyRoutes[slot] == nil { details.derivedKeyRoutes[slot] = made }
                starting = details.derivedKeyRoutes[slot]!
            } else {
                ending = details?.derivedKeyRoutes.removeValue(forKey: slot) ?? []
            }
        }
        TestPoint.updatingDerivedKeyRoutes.reach()
        for route in ending { PathWork.do(.end(route)) }
        for route in starting where made.contains(where: { $0 === route }) { PathWork.do(.start(route)) }
    }
}

/// Starting and ending routes that start and end others: done one after the other, however deep objects hang together.
enum PathWork {
    case start(Route)
    case end(Route)

    /// Does it now, or, if this thread is doing such work already, when that is done.
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
        thread.value.pathWork.removeAll(keepingCapacity: true)
        thread.value.isDoingPathWork = false
    }
}
