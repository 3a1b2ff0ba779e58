extension Transaction {
    /// Marks what reads a property, or a key derived from it.
    static func markReaders(of record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>) {
        var sources = TinyArray<PathLink>()
        AffectedLists.forEach(from: record, slot) { _, _, _ in
        } link: { link, _ in
            if link.expression != nil { sources.append(link) }
        }
        sources.forEach { mark($0, thread) }
    }

    /// An expression that has observers is refreshed at the end of the change; the others when one that reads them is.
    static func mark(_ source: PathLink, _ thread: InPlace<ThreadContext>) {
        let isCertain = !source.record.layout!.value[source.slot].isRecorded
        guard let expression = source.expression, expression.mark(isCertain: isCertain) else { return }
        let route = source.route
        if route.isObserved { thread.value.marked.append(route) }
    }

    /// Refreshes the expressions that this thread has marked, but for those that an open change is of, which wait for its end. So the
    /// sources of each are those of now.
    static func refreshMarked(_ thread: InPlace<ThreadContext>) {
        if !thread.value.marked.isEmpty { refreshAllMarked(thread) }
    }

    @inline(never)
    private static func refreshAllMarked(_ thread: InPlace<ThreadContext>) {
        var waiting: [Route] = []
        while !thread.value.marked.isEmpty {
            var marked: [Route] = []
            swap(&marked, &thread.value.marked)
            for route in marked {
                if let identity = route.identity, thread.value.isHeld(identity) {
                    waiting.append(route)
                } else {
                    route.expression!.refresh()
                }
            }
        }
        thread.value.marked = waiting
    }
}

extension Route {
    /// The key that is derived with it; nil for the path of an observation.
    var derivedKey: (root: ObjectRecord, slot: Int)? {
        if case .derivedKey(let slot) = sink { (root, slot) } else { nil }
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
