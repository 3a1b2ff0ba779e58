extension Transaction {
    /// Finds whom a change concerns: lists in the order of `AffectedLists`, then paths in the order of registration.
    ///
    /// - Parameters:
    ///   - edit: How a collection is edited.
    ///   - isTargetHeld: Whether the caller holds the object until everybody has been notified.
    ///   - share: Gets the notifications that other open transactions have for the same subjects, if there are any.
    /// - Returns: What they all need.
    @inline(__always)
    @discardableResult
    static func findSubjects(
        of record: ObjectRecord, _ changed: Int, _ edit: CollectionChange?, excluding: ObservingOptions = [],
        isTargetHeld: Bool = false, _ chain: inout NotificationChain, _ thread: InPlace<ThreadContext>,
        share: ((Borrowed<PendingNotification>) -> Void)? = nil
    ) -> ObserverList.Interest {
        var allNeeds: ObserverList.Interest = []
        var links = TinyArray<PathLink>()
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
        } link: { link in
            if link.route.unmanagedObservation != nil { links.append(link) }
        }
        if !links.isEmpty {
            allNeeds.formUnion(addRoutes(of: links, record, changed, edit, &chain, thread, share))
        }
        return allNeeds
    }

    /// Adds the paths that lead through links, in the order of their registration, each once.
    @inline(never)
    private static func addRoutes(
        of links: TinyArray<PathLink>, _ record: ObjectRecord, _ changed: Int, _ edit: CollectionChange?,
        _ chain: inout NotificationChain, _ thread: InPlace<ThreadContext>,
        _ share: ((Borrowed<PendingNotification>) -> Void)?
    ) -> ObserverList.Interest {
        var allNeeds: ObserverList.Interest = []
        var last: Borrowed<Route>?
        links.sorted(by: PathLink.areInOrder).forEach { link in
            let route = Borrowed.to(link.route)
            if route == last { return }
            last = route
            if let share, let open = thread.value.openNotification(route.rawAddress) { return share(open) }
            if chain.contains(route) { return }
            let notification = thread.value.takeNotification()
            notification.use {
                let needs = link.route.needs
                $0.setSubject(route, leaf: link.isLeaf ? link : nil)
                let isOwn = link.isLeaf && link.slot == changed && link.record === record
                $0.prepare(needs, isOwn: isOwn, edit, excluding: [], thread)
                allNeeds.formUnion(needs)
            }
            chain.append(notification)
        }
        return allNeeds
    }

    /// The same for a transaction that other open ones may share notifications with.
    mutating func findSubjects(
        of record: ObjectRecord, _ edit: CollectionChange?, excluding: ObservingOptions = [], isTargetHeld: Bool = false,
        _ thread: InPlace<ThreadContext>
    ) {
        var shared: [Borrowed<PendingNotification>] = []
        Transaction.findSubjects(
            of: record, slot, edit, excluding: excluding, isTargetHeld: isTargetHeld, &chain, thread,
            share: thread.value.openTransactions.isEmpty
                ? nil
                : { notification in
                    notification.use { $0.openCount += 1 }
                    shared.append(notification)
                })
        self.shared = shared
    }

    /// Adds paths that have been moved since the change began, by a handler or by another thread, and lead through the property now:
    /// their observers were called with the value from before the store, or not at all.
    @inline(never)
    static func addMovedRoutes(
        of record: ObjectRecord, _ changed: Int, _ chain: inout NotificationChain, _ thread: InPlace<ThreadContext>
    ) {
        var links = TinyArray<PathLink>()
        AffectedLists.forEach(from: record, changed) { _, _, _, _ in
        } link: { link in
            if link.isMoved, link.route.unmanagedObservation != nil { links.append(link) }
        }
        if links.isEmpty { return }
        _ = addRoutes(of: links, record, changed, nil, &chain, thread) { _ in }
    }
}

extension PathLink {
    /// In the order of the paths' registration; of one path first what is not its end.
    fileprivate static func areInOrder(_ a: PathLink, _ b: PathLink) -> Bool {
        (a.route.sequence, a.isLeaf ? 1 : 0) < (b.route.sequence, b.isLeaf ? 1 : 0)
    }
}
