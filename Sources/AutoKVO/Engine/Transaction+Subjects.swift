extension Transaction {
    /// Finds the subjects of a change: lists in the order of `AffectedLists`, then paths in the order of registration, each once.
    ///
    /// - Parameters:
    ///   - edit: How a collection is edited.
    ///   - isTargetHeld: Whether the caller retains the object until all observers have been called.
    ///   - share: Called with the notifications that open transactions have for the same subjects, and whether the change is one of
    ///     an object on the way of a path; nil if none is open.
    ///   - range: Called with a notification for the observers that were added to such a subject's list since its change began.
    /// - Returns: The union of what the subjects need.
    @inline(never)
    @discardableResult
    static func findSubjects(
        of record: ObjectRecord, _ changed: Int, _ edit: CollectionChange?, excluding: ObservingOptions = [],
        isTargetHeld: Bool = false, _ chain: inout NotificationChain, _ thread: InPlace<ThreadContext>,
        share: ((Borrowed<PendingNotification>, _ isOnTheWay: Bool) -> Void)? = nil,
        range: (Borrowed<PendingNotification>) -> Void = { _ in }
    ) -> ObserverList.Interest {
        var allNeeds: ObserverList.Interest = []
        var routes = NotificationChain()
        var isRanked = false
        // What `coalescingChanges` holds back as a whole.
        var (heldLists, heldRoutes) = (NotificationChain(), NotificationChain())
        let coalescing = thread.value.coalescing
        func held(_ identity: PendingNotification.Identity, isCertain: Bool) -> Borrowed<PendingNotification>? {
            coalescing?.use { $0.lastHeld(identity, isCertain: isCertain) }
        }
        AffectedLists.forEach(from: record, changed) { key, list, interest in
            let open = share == nil ? [] : thread.value.openNotifications(list.address)
            for notification in open { share!(notification, false) }
            let earlier = open.last ?? held(list.address, isCertain: !key.isUncertain)
            if let earlier, earlier.use({ $0.bound }) >= list.value.lastSequence { return }
            let isOfObject = key.record == .to(record)
            let notification = thread.value.takeNotification()
            notification.use {
                $0.setSubject(key.record, key.slot, list, isHeld: isTargetHeld && isOfObject)
                $0.setRange(above: earlier)
                $0.prepare(
                    interest, isOwn: isOfObject && key.slot == changed, edit, isUncertain: key.isUncertain,
                    excluding: key.isUncertain ? [] : excluding, thread)
                $0.rank = $0.isOwn ? -1 : isOfObject ? key.slot : Int(Int16.max) + key.height
            }
            if !open.isEmpty { return range(notification) }
            if key.isUncertain, coalescing != nil { return heldLists.append(notification) }
            if key.isUncertain { isRanked = true }
            allNeeds.formUnion(interest)
            chain.append(notification)
        } link: { link, key in
            guard link.observation != nil else { return }
            if let share, let open = thread.value.openNotifications(link.unmanagedRoute.rawAddress).last {
                return share(open, !link.isLeaf)
            }
            let isUncertain = key.isUncertain || link.unmanagedExpression != nil
            if held(link.unmanagedRoute.rawAddress, isCertain: !isUncertain) != nil { return }
            let isOwn = link.isLeaf && key.slot == changed && key.record == .to(record)
            let notification = notification(
                of: link, isOwn: isOwn, edit, isUncertain: isUncertain, readsLeaf: !(isOwn && isTargetHeld), thread)
            // An operator reads all elements: once at the end.
            if coalescing != nil, isUncertain || link.unmanagedRoute.use({ $0.path.tail != nil }) {
                return heldRoutes.append(notification)
            }
            routes.append(notification)
            allNeeds.formUnion(link.needs)
        }
        if isRanked { chain.sort() }
        chain.append(routes, thread)
        if let coalescing {
            var others = NotificationChain()
            heldLists.sort()
            // A path that has changed for certain need not be held.
            heldRoutes.forEachRemoving { path in
                let route = path.use { $0.route }
                if chain.first(where: { $0.route == route }) != nil {
                    thread.giveBack(path)
                } else {
                    others.append(path)
                }
            }
            heldLists.append(others, thread)
            coalescing.use { $0.hold(heldLists) }
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
        var ranges: [Borrowed<PendingNotification>] = []
        Transaction.findSubjects(
            of: record, slot, edit, excluding: excluding, isTargetHeld: isTargetHeld, &chain, thread,
            share: thread.value.openTransactions.isEmpty
                ? nil
                : { notification, isOnTheWay in
                    if isOnTheWay { redirected.append(notification) }
                    if shared.contains(notification) { return }
                    notification.use { $0.openCount += 1 }
                    shared.append(notification)
                }, range: { ranges.append($0) })
        for range in ranges {
            // It ends with the change that has the earlier one.
            let identity = range.use { $0.identity }
            let owner = thread.value.openTransactions.lastIndex { $0.notification { $0.identity == identity } != nil }
            thread.value.openTransactions[owner!].joined.append(range)
            range.use {
                $0.openCount += 1
                $0.ownSubject()
            }
            shared.append(range)
        }
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
            if thread.value.coalescing?.use({ $0.lastHeld(list.address) }) != nil { return }
            let open = thread.value.openNotifications(list.address)
            if !open.isEmpty { return open.forEach(share) }
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
            if thread.value.coalescing?.use({ $0.lastHeld(route.rawAddress) }) != nil { return }
            if let open = thread.value.openNotifications(route.rawAddress).last { return share(open) }
            routes.append(
                notification(
                    of: link, isOwn: false, nil, isUncertain: key.isUncertain || link.unmanagedExpression != nil, thread
                ))
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
    func readKeptValues() { forEach { $0.readKeptValue() } }

    /// The property's own list comes first, then those of derived keys of its object in the order of their declaration, then those of
    /// other objects, each behind what it is computed from; then paths in the order of registration.
    @inline(never)
    mutating func sort() {
        var (isSorted, last): (Bool, (Int, UInt64)) = (true, (.min, 0))
        forEach {
            let place = $0.place
            if place < last { isSorted = false }
            last = place
        }
        if isSorted { return }
        var all: [Borrowed<PendingNotification>] = []
        forEachRemoving { all.append($0) }
        self = NotificationChain()
        for notification in all.inOrder(by: { a, b in a.use { a in b.use { b in a.place < b.place } } }) {
            append(notification)
        }
    }

    /// Appends the subjects of a change that was made together with the one of these, each once.
    mutating func append(subjects others: NotificationChain, _ thread: InPlace<ThreadContext>) {
        others.forEachRemoving { other in
            let (identity, isUncertain) = other.use { ($0.identity, $0.isUncertain) }
            guard let known = first(where: { $0.identity == identity }) else { return append(other) }
            if !isUncertain { known.use { $0.isUncertain = $0.expression != nil } }
            thread.giveBack(other)
        }
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
    func readKeptValue() { if isUncertain, expression != nil { readOld() } }

    var routeSequence: UInt64 { route!.use { $0.sequence } }
    fileprivate var place: (Int, UInt64) { route.map { (.max, $0.use { $0.sequence }) } ?? (rank, 0) }
    fileprivate var isAtEnd: Int { leaf == nil && !isOwn ? 0 : 1 }
}
