extension Transaction {
    /// Finds the subjects of a change: lists in the order of `AffectedLists`, then paths in the order of registration, each once.
    ///
    /// - Parameters:
    ///   - edit: How a collection is edited.
    ///   - isTargetHeld: Whether the caller retains the object until all observers have been called.
    ///   - share: Called with the notifications that open transactions have for the same subjects; nil if none is open.
    /// - Returns: The union of what the subjects need.
    @inline(__always)
    @discardableResult
    static func findSubjects(
        of record: ObjectRecord, _ changed: Int, _ edit: CollectionChange?, excluding: ObservingOptions = [],
        isTargetHeld: Bool = false, _ chain: inout NotificationChain, _ thread: InPlace<ThreadContext>,
        share: ((Borrowed<PendingNotification>) -> Void)? = nil
    ) -> ObserverList.Interest {
        var allNeeds: ObserverList.Interest = []
        var routes = NotificationChain()
        AffectedLists.forEach(from: record, changed) { owner, slot, list, interest in
            if let share, let open = thread.value.openNotification(list.address) { return share(open) }
            let notification = thread.value.takeNotification()
            notification.use {
                let isOfObject = owner == .to(record)
                $0.setSubject(owner, slot, list, isHeld: isTargetHeld && isOfObject)
                $0.bound = list.value.lastSequence
                $0.prepare(
                    interest, isOwn: isOfObject && slot == changed, edit, excluding: excluding, thread)
            }
            allNeeds.formUnion(interest)
            chain.append(notification)
        } link: { link, owner, slot in
            guard link.observation != nil else { return }
            if let share, let open = thread.value.openNotification(link.unmanagedRoute.rawAddress) {
                return share(open)
            }
            let isOwn = link.isLeaf && slot == changed && owner == .to(record)
            routes.append(notification(of: link, isOwn: isOwn, edit, thread))
            allNeeds.formUnion(link.needs)
        }
        if routes.first != nil { chain.append(routes, thread) }
        return allNeeds
    }

    private static func notification(
        of link: PathLink, isOwn: Bool, _ edit: CollectionChange?, _ thread: InPlace<ThreadContext>
    ) -> Borrowed<PendingNotification> {
        let notification = thread.value.takeNotification()
        notification.use {
            $0.setSubject(link)
            $0.prepare(link.needs, isOwn: isOwn, edit, excluding: [], thread)
        }
        return notification
    }

    /// The same for a transaction that may share notifications with open ones.
    mutating func findSubjects(
        of record: ObjectRecord, _ edit: CollectionChange?, excluding: ObservingOptions = [],
        isTargetHeld: Bool = false,
        _ thread: InPlace<ThreadContext>
    ) {
        var shared: [Borrowed<PendingNotification>] = []
        Transaction.findSubjects(
            of: record, slot, edit, excluding: excluding, isTargetHeld: isTargetHeld, &chain, thread,
            share: thread.value.openTransactions.isEmpty
                ? nil
                : { notification in
                    if shared.contains(notification) { return }
                    notification.use { $0.openCount += 1 }
                    shared.append(notification)
                })
        self.shared = shared
    }

    /// Adds paths that were moved since the change began, by a handler or by another thread, and lead through the property now:
    /// their observers were called with the value from before the store, or not called.
    @inline(never)
    static func addMovedRoutes(
        of record: ObjectRecord, _ changed: Int, _ chain: inout NotificationChain, _ thread: InPlace<ThreadContext>
    ) {
        var routes = NotificationChain()
        let known = chain
        AffectedLists.forEach(from: record, changed) { _, _, _, _ in
        } link: { link, _, _ in
            guard link.isMoved, link.observation != nil, known.first(where: { $0.route == link.unmanagedRoute }) == nil,
                thread.value.openNotification(link.unmanagedRoute.rawAddress) == nil
            else { return }
            routes.append(notification(of: link, isOwn: false, nil, thread))
        }
        chain.append(routes, thread)
    }
}

extension NotificationChain {
    /// Appends paths in the order of their registration, each once.
    fileprivate mutating func append(_ routes: NotificationChain, _ thread: InPlace<ThreadContext>) {
        guard let first = routes.first else { return }
        if routes.isSingle { return append(first) }
        var all: [Borrowed<PendingNotification>] = []
        routes.forEach { all.append(.to($0)) }
        // Of two links of one path, the one before its end comes first.
        all.sort { a, b in a.use { a in b.use { b in (a.routeSequence, a.isAtEnd) < (b.routeSequence, b.isAtEnd) } } }
        var last: Borrowed<Route>?
        for notification in all {
            let route = notification.use { $0.route }
            if route == last { thread.giveBack(notification) } else { append(notification) }
            last = route
        }
    }
}

extension PendingNotification {
    var routeSequence: UInt64 { route!.use { $0.sequence } }
    fileprivate var isAtEnd: Int { leaf == nil ? 0 : 1 }
}
