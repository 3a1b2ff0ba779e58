extension Transaction {
    /// Marks what reads a property, or a key derived from it, and calls a function with the links of paths that lead on from one of them.
    ///
    /// What reads an expression that is marked already is marked, too: another thread may have marked the one and not yet the other, and
    /// a change ends only when all that it concerns is marked.
    ///
    /// - Parameter link: Called when all is marked: it may be user code.
    static func markReaders(
        of record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>,
        link follow: (PathLink) -> Void = { _ in }
    ) {
        var links: [Borrowed<PathLink>] = []
        swap(&links, &thread.value.affectedLinks)
        record.appendLinks(of: slot, to: &links)
        let stamp = links.isEmpty ? nil : WalkStamp.take()
        var found: Set<Borrowed<Route>>?
        func isNew(_ link: PathLink) -> Bool {
            if let stamp, let expression = link.unmanagedExpression { return expression.use { $0.isNew(to: stamp) } }
            var routes = found.take() ?? []
            defer { found = routes }
            return routes.insert(link.unmanagedRoute).inserted
        }
        var index = 0
        while index < links.count {
            links[index].use { link in
                if link.unmanagedExpression != nil { mark(link, thread) }
                if link.observation == nil, isNew(link),
                    let (root, slot) = link.unmanagedRoute.use({ $0.unmanagedDerivedKey })
                {
                    root.use { $0.appendLinks(of: slot, to: &links) }
                }
            }
            index += 1
        }
        WalkStamp.giveBack(stamp)
        for link in links {
            link.use { if $0.isFollowed, $0.unmanagedExpression == nil { follow($0) } }
            link.release()
        }
        links.removeAll(keepingCapacity: links.count <= ThreadContext.poolLimit)
        swap(&links, &thread.value.affectedLinks)
    }

    /// An expression that has observers is refreshed at the end of the change; the others when one that reads them is.
    private static func mark(_ source: PathLink, _ thread: InPlace<ThreadContext>) {
        let isCertain = !source.record.layout!.value[source.slot].isRecorded
        guard source.unmanagedExpression!.use({ $0.mark(isCertain: isCertain) }) else { return }
        source.unmanagedRoute.use { if $0.isObserved { thread.value.marked.append($0) } }
    }

    /// Refreshes the expressions that this thread has marked, but for those that an open change is of, which wait for its end. So the
    /// sources of each are those of now.
    static func refreshMarked(_ thread: InPlace<ThreadContext>) {
        if !thread.value.marked.isEmpty { refreshAllMarked(thread) }
    }

    @inline(never)
    private static func refreshAllMarked(_ thread: InPlace<ThreadContext>) {
        var (waiting, marked): ([Route], [Route]) = ([], [])
        swap(&marked, &thread.value.markedRoom)
        while !thread.value.marked.isEmpty {
            swap(&marked, &thread.value.marked)
            for route in marked {
                if let identity = route.identity, thread.isHeld(identity) {
                    waiting.append(route)
                } else {
                    route.expression!.refresh()
                }
            }
            marked.removeAll(keepingCapacity: marked.count <= ThreadContext.poolLimit)
        }
        swap(&marked, &thread.value.markedRoom)
        if !waiting.isEmpty { thread.value.marked = waiting }
    }
}

extension ObjectRecord {
    /// Appends the links in the list of a key, and in those of the keys of the object that are derived from it, each retained.
    fileprivate func appendLinks(of slot: Int, to links: inout [Borrowed<PathLink>]) {
        guard let list = list(slot) else { return }
        let hold = lock.lock()
        list.value.forEachLink { links.append(.retaining($0)) }
        if list.value.interest.load(ordering: .relaxed).contains(.derived) {
            for slot in schema!.dependencies(of: slot).derived {
                self.list(slot)?.value.forEachLink { links.append(.retaining($0)) }
            }
        }
        lock.unlock(hold)
    }
}

extension Route {
    /// The key that is derived with it; nil for the path of an observation.
    var derivedKey: (root: ObjectRecord, slot: Int)? {
        if case .derivedKey(let slot) = sink { (root, slot) } else { nil }
    }

    @inline(__always)
    var unmanagedDerivedKey: (root: Borrowed<ObjectRecord>, slot: Int)? {
        if case .derivedKey(let slot) = sink { (.to(base), slot) } else { nil }
    }

    /// Whether observers are called when its value changes, and not only expressions evaluated.
    fileprivate var isObserved: Bool {
        guard let (root, slot) = derivedKey else { return true }
        return root.list(slot)?.value.interest.load(ordering: .acquiring).contains(.own) ?? false
    }

    /// The subject that it is, as `PendingNotification.identity` has it.
    fileprivate var identity: PendingNotification.Identity? {
        guard let (root, slot) = derivedKey else { return Borrowed.to(self).rawAddress }
        return root.list(slot)?.address
    }
}
