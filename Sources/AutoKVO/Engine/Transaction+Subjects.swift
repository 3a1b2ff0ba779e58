extension Transaction {
    /// Finds whom a change concerns.
    ///
    /// - Parameters:
    ///   - isHeld: Whether the object is held until everybody has been notified.
    ///   - share: Gets the notifications that other open transactions have for the same subjects, if there are any.
    /// - Returns: What they all need.
    @inline(__always)
    @discardableResult
    static func findSubjects(
        of record: ObjectRecord, _ changed: Int, _ edit: CollectionChange?, excluding: ObservingOptions = [],
        isHeld: Bool = false,
        _ chain: inout NotificationChain, _ thread: InPlace<ThreadContext>,
        share: ((Borrowed<PendingNotification>) -> Void)? = nil
    ) -> ObserverList.Needs {
        var allNeeds: ObserverList.Needs = []
        var found = TinyArray<PathLink>()
        AffectedLists.forEach(from: record, changed) { owner, slot, list, needs, bound in
            if let share, let open = thread.value.openNotification(list.address) { return share(open) }
            let notification = thread.value.takeNotification()
            notification.use {
                let isOfObject = owner == .to(record)
                let isOwn = isOfObject && slot == changed
                $0.setSubject(owner, slot, list, isHeld: isHeld && isOfObject)
                $0.bound = bound
                $0.needs = needs
                $0.openCount = 1
                if isOwn, let edit { $0.edit = edit }
                $0.event = ChangeEvent(
                    kind: isOwn ? edit?.kind ?? .setting : .setting, isLastComponent: isOwn, excluded: excluding,
                    token: thread.value.makeToken(thread))
            }
            allNeeds.formUnion(needs)
            chain.append(notification)
        } link: { link in
            if link.route.unmanagedObservation != nil { found.append(link) }
        }
        if !found.isEmpty { allNeeds.formUnion(addRoutes(of: found, &chain, thread, share)) }
        return allNeeds
    }

    /// Adds the paths that lead through links, in the order of their registration, each once.
    @inline(never)
    private static func addRoutes(
        of links: TinyArray<PathLink>, _ chain: inout NotificationChain, _ thread: InPlace<ThreadContext>,
        _ share: ((Borrowed<PendingNotification>) -> Void)?
    ) -> ObserverList.Needs {
        var allNeeds: ObserverList.Needs = []
        var last: Route?
        links.sorted { $0.route.sequence < $1.route.sequence }.forEach { link in
            let route = link.route
            if route === last { return }
            last = route
            if let share, let open = thread.value.openNotification(Borrowed.to(route).rawAddress) { return share(open) }
            let notification = thread.value.takeNotification()
            notification.use {
                $0.setSubject(.to(route))
                $0.needs = route.unmanagedObservation!.use { $0.needs }
                allNeeds.formUnion($0.needs)
                $0.openCount = 1
                $0.event = ChangeEvent(isLastComponent: false, token: thread.value.makeToken(thread))
            }
            chain.append(notification)
        }
        return allNeeds
    }

    /// The same for a transaction that other open ones may share notifications with.
    mutating func findSubjects(
        _ edit: CollectionChange?, excluding: ObservingOptions = [], isHeld: Bool = false,
        _ thread: InPlace<ThreadContext>
    ) {
        var shared: [Borrowed<PendingNotification>] = []
        Transaction.findSubjects(
            of: record, slot, edit, excluding: excluding, isHeld: isHeld, &chain, thread,
            share: thread.value.openTransactions.isEmpty
                ? nil
                : { notification in
                    notification.use { $0.openCount += 1 }
                    shared.append(notification)
                })
        self.shared = shared
    }
}
