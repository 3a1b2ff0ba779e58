extension Transaction {
    /// Finds the subjects of a change: lists in the order of `AffectedLists`, then paths in the order of registration, each once.
    ///
    /// - Parameters:
    ///   - edit: How a collection is edited.
    ///   - isTargetHeld: Whether the caller retains the object until all observers have been called.
    ///   - share: Called with the notifications that open transactions have for the same subjects, and whether the change is one of
    ///     an object on the way of a path; nil if none is open.
    /// - Returns: The union of what the subjects need.
    @inline(never)
    @discardableResult
    static func findSubjects(
        of record: ObjectRecord, _ changed: Int, _ edit: CollectionChange?, excluding: ObservingOptions = [],
        isTargetHeld: Bool = false, _ chain: inout NotificationChain, _ thread: InPlace<ThreadContext>,
        share: ((Borrowed<PendingNotification>, _ isOnTheWay: Bool) -> Void)? = nil
    ) -> ObserverList.Interest {
        var allNeeds: ObserverList.Interest = []
        var routes = NotificationChain()
        var isRanked = false
        // What `coalescingChanges` holds back as a whole.
        var (held, heldRoutes) = (NotificationChain(), NotificationChain())
        let coalescing = thread.value.coalescing
        func isHeld(_ identity: PendingNotification.Identity, isCertain: Bool) -> Bool {
            coalescing?.use { $0.holds(identity, isCertain: isCertain) } ?? false
        }
        AffectedLists.forEach(from: record, changed) { key, list, interest in
            if let share, let open = thread.value.openNotification(list.address) { return share(open, false) }
            if isHeld(list.address, isCertain: !key.isUncertain) { return }
            let isOfObject = key.record == .to(record)
            let notification = thread.value.takeNotification()
            notification.use {
                $0.setSubject(key.record, key.slot, list, isHeld: isTargetHeld && isOfObject)
                $0.bound = list.value.lastSequence
                $0.prepare(
                    interest, isOwn: isOfObject && key.slot == changed, edit, isUncertain: key.isUncertain,
                    excluding: key.isUncertain ? [] : excluding, thread)
                $0.rank = $0.isOwn ? -1 : isOfObject ? key.slot : Int(Int16.max) + key.height
            }
            if key.isUncertain, coalescing != nil { return held.append(notification) }
            if key.isUncertain { isRanked = true }
            allNeeds.formUnion(interest)
            chain.append(notification)
        } link: { link, key in
            guard link.observation != nil else { return }
            if let share, let open = thread.value.openNotification(link.unmanagedRoute.rawAddress) {
                return share(open, !link.isLeaf)
            }
            let isUncertain = key.isUncertain || link.expression != nil
            if isHeld(link.unmanagedRoute.rawAddress, isCertain: !isUncertain) { return }
            let isOwn = link.isLeaf && key.slot == changed && key.record == .to(record)
            let notification = notification(
                of: link, isOwn: isOwn, edit, isUncertain: isUncertain, readsLeaf: !(isOwn && isTargetHeld), thread)
            if isUncertain, coalescing != nil { return heldRoutes.append(notification) }
            routes.append(notification)
            allNeeds.formUnion(link.needs)
        }
        if isRanked { chain.sortByRank() }
        chain.append(routes, thread)
        if let coalescing {
            var others = NotificationChain()
            held.sortByRank()
            // A path that has changed for certain need not be held.
            heldRoutes.forEachRemoving { path in
                let route = path.use { $0.route }
                if chain.first(where: { $0.route == route }) != nil {
                    thread.giveBack(path)
                } else {
                    others.append(path)
                }
            }
            held.append(others, thread)
            coalescing.use { $0.hold(held) }
        }
        TestPoint.subjectsFound.reach()
        return allNeeds
    }

    private static func notification(
        of link: PathLink, isOwn: Bool, _ edit: CollectionChange?, isUncertain: Bool, readsLeaf: Bool = true,
        _ thread: InPlace<ThreadContext>
    ) -> Borrowed<PendingNotification> {
        let notification = thread.value.takeNotification()
        notification.use {
            $0.setSubject(link, readsLeaf: readsLeaf)
            $0.prepare(link.needs, isOwn: isOwn, edit, isUncertain: isUncertain, excluding: [], thread)
        }
        return notification
    }

    /// The same for a transaction that may share notifications with open ones.
    mutating func findSubjects(
        of record: ObjectRecord, _ edit: CollectionChange?, excluding: ObservingOptions = [],
        isTargetHeld: Bool = false,
        _ thread: InPlace<ThreadContext>
    ) {
        var (shared, redirected): ([Borrowed<PendingNotification>], [Borrowed<PendingNotification>]) = ([], [])
        Transaction.findSubjects(
            of: record, slot, edit, excluding: excluding, isTargetHeld: isTargetHeld, &chain, thread,
            share: thread.value.openTransactions.isEmpty
                ? nil
                : { notification, isOnTheWay in
                    if isOnTheWay { redirected.append(notification) }
                    if shared.contains(notification) { return }
                    notification.use { $0.openCount += 1 }
                    shared.append(notification)
                })
        self.shared = shared
        // Reading whole values is user code, so it comes behind the search, which holds locks.
        Transaction.includeFurtherChange(of: shared, thread)
        for notification in redirected { notification.use { $0.includeFurtherChange() } }
    }

    /// Finds what a change concerns because paths were moved after it began, by a handler or by another thread: their observers were
    /// called with the value from before the store, or not called.
    ///
    /// - Parameters:
    ///   - known: The subjects that it concerned before.
    ///   - share: Called with the notifications that open transactions have for further ones.
    @inline(never)
    private static func findMovedSubjects(
        of record: ObjectRecord, _ slot: Int, besides known: NotificationChain, _ thread: InPlace<ThreadContext>,
        share: (Borrowed<PendingNotification>) -> Void
    ) -> NotificationChain {
        var (lists, routes) = (NotificationChain(), NotificationChain())
        AffectedLists.forEach(from: record, slot) { key, list, interest in
            guard key.isMoved, known.first(where: { $0.list == list }) == nil else { return }
            if thread.value.coalescing?.use({ $0.holds(list.address) }) ?? false { return }
            if let open = thread.value.openNotification(list.address) { return share(open) }
            let notification = thread.value.takeNotification()
            notification.use {
                $0.setSubject(key.record, key.slot, list, isHeld: false)
                $0.bound = list.value.lastSequence
                $0.prepare(interest, isOwn: false, nil, isUncertain: key.isUncertain, excluding: [], thread)
            }
            lists.append(notification)
        } link: { link, key in
            let route = link.unmanagedRoute
            guard link.isMoved || key.isMoved, link.observation != nil, known.first(where: { $0.route == route }) == nil
            else { return }
            if thread.value.coalescing?.use({ $0.holds(route.rawAddress) }) ?? false { return }
            if let open = thread.value.openNotification(route.rawAddress) { return share(open) }
            routes.append(
                notification(
                    of: link, isOwn: false, nil, isUncertain: key.isUncertain || link.expression != nil, thread))
        }
        lists.append(routes, thread)
        return lists
    }

    /// Adds them to a change whose property has been stored: old values are not known. Those of open transactions are left to them.
    static func addMovedSubjects(
        of record: ObjectRecord, _ slot: Int, to chain: inout NotificationChain, _ thread: InPlace<ThreadContext>
    ) {
        let found = findMovedSubjects(of: record, slot, besides: chain, thread) { _ in }
        found.readKeptValues()
        found.forEachRemoving { chain.append($0) }
    }

    /// Adds to the open transactions what they concern because paths were moved after they began, and reads the old values.
    static func joinMovedPaths(_ thread: InPlace<ThreadContext>) {
        var joined: [Borrowed<PendingNotification>] = []
        for index in thread.value.openTransactions.indices {
            let transaction = thread.value.openTransactions[index]
            guard let record = transaction.currentRecord else { continue }
            var shared = transaction.shared
            let found = findMovedSubjects(of: record, transaction.slot, besides: transaction.chain, thread) { open in
                if shared.contains(open) || transaction.notification(where: { .to($0) == open }) != nil { return }
                open.use { $0.openCount += 1 }
                shared.append(open)
            }
            thread.value.openTransactions[index].shared = shared
            found.forEachRemoving {
                thread.value.openTransactions[index].joined.append($0)
                joined.append($0)
            }
        }
        // Reading is user code, which may end a transaction.
        for notification in joined {
            notification.use { if $0.openCount > 0, $0.needs.contains(.old) { $0.readOld() } }
        }
    }
}

extension NotificationChain {
    /// Reads the old values of expressions, which are the kept ones.
    func readKeptValues() { forEach { if $0.isUncertain, $0.expression != nil { $0.readOld() } } }

    /// The property's own list comes first, then those of derived keys of its object in the order of their declaration, then those of
    /// other objects, each behind what it is computed from.
    @inline(never)
    fileprivate mutating func sortByRank() {
        var all: [Borrowed<PendingNotification>] = []
        forEachRemoving { all.append($0) }
        self = NotificationChain()
        for notification in all.inOrder(by: { a, b in a.use { $0.rank } < b.use { $0.rank } }) { append(notification) }
    }

    /// Appends paths in the order of their registration, each once.
    @inline(__always)
    mutating func append(_ routes: NotificationChain, _ thread: InPlace<ThreadContext>) {
        guard let first = routes.first else { return }
        if routes.isSingle { append(first) } else { appendInOrder(routes, thread) }
    }

    private mutating func appendInOrder(_ routes: NotificationChain, _ thread: InPlace<ThreadContext>) {
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
    fileprivate var isAtEnd: Int { leaf == nil && !isOwn ? 0 : 1 }
}
