internal import CSwiftRuntime

/// One change of one property, from before the store until every observer has been called. Every change, automatic, manual,
/// derived, nested, of a collection or by a death, goes this road:
///
/// 1. **prepare**: the deliveries under way on this thread that concern the same subjects are completed, so that everybody hears
///    of the changes in their order; the subjects of this one are found, each with its bound; old values are read if anybody
///    needs them; prior calls are made.
/// 2. **store**: the caller's, or nothing.
/// 3. **follow**: the links of paths that lead through the property move to the objects that are behind it now.
/// 4. **notify**: new values are read, once; then every subject's observers are called up to its bound: the property's own, those
///    of derived keys in the order of their declaration, paths in the order of registration.
///
/// `begin` is 1, `end` is 3 and 4. In between the transaction is open: it lies in the thread's context, and further changes of the
/// property are part of it. A write of a property that concerns the property's own list alone is the same with one notification and
/// without being open, since no user code runs before its observers do (`TrackedObject.write`).
struct Transaction {
    let record: ObjectRecord
    let slot: Int
    /// Further announcements of the same property inside this one.
    private var depth = 0
    /// What it will notify of: the subjects that no other open transaction concerned before.
    private var chain = NotificationChain()
    /// The notifications of other open transactions for subjects that this one concerns too. The last one to end notifies.
    private var shared: [Borrowed<PendingNotification>] = []
    /// Whether `begin` is still at work.
    private var isPreparing = true

    private init(_ record: ObjectRecord, _ slot: Int, _ chain: NotificationChain = NotificationChain()) {
        self.record = record
        self.slot = slot
        self.chain = chain
    }

    func notification(where condition: (PendingNotification) -> Bool) -> Borrowed<PendingNotification>? {
        chain.first(where: condition)
    }

    /// Drops the change: the object dies, and nobody will end it.
    mutating func drop(_ thread: InPlace<ThreadState>) {
        close(thread)
        thread.giveBack(chain)
    }

    func isOf(_ record: ObjectRecord, _ slot: Int) -> Bool { self.slot == slot && self.record === record }

    // MARK: Prepare

    /// The values of a write: pointers to values of a type, where they are after the store.
    struct KnownValues {
        let type: Any.Type
        let old: UnsafeRawPointer
        let new: UnsafeRawPointer
    }

    /// A property is about to change.
    ///
    /// - Parameter edit: How a collection is edited.
    static func begin(_ record: ObjectRecord, _ slot: Int, _ edit: CollectionChange? = nil) {
        let thread = ThreadState.current
        if let index = thread.value.openTransaction(record, slot) {
            thread.value.openTransactions[index].depth += 1
            return
        }
        if !thread.value.unobservedChanges.isEmpty, thread.value.isInUnobserved(record.address, slot) {
            return thread.value.beginUnobserved(record.address, slot)
        }
        completeDeliveries(before: record, slot, thread)
        var transaction = Transaction(record, slot)
        transaction.findSubjects(edit, thread)
        open(transaction, thread)
    }

    /// Reads old values and makes the prior calls, both user code, with the transaction open.
    private static func open(_ transaction: Transaction, _ thread: InPlace<ThreadState>) {
        let chain = transaction.chain
        thread.value.openTransactions.append(transaction)
        TestPoint.begun.reach()
        chain.forEach { if $0.needs.contains(.old) { $0.readOld() } }
        if chain.first(where: { $0.needs.contains(.prior) }) != nil { notify(chain, isPrior: true, thread) }
        if let index = thread.value.openTransaction(transaction.record, transaction.slot) {
            thread.value.openTransactions[index].isPreparing = false
        }
    }

    /// A write: all of a transaction around a store that is no user code. It need not be open, unless somebody wants a prior
    /// call or another transaction is.
    static func perform(
        _ record: ObjectRecord, _ slot: Int, values: KnownValues, _ thread: InPlace<ThreadState>, _ store: () -> Void
    ) {
        if thread.value.isAnnouncing {
            begin(record, slot)
            store()
            end(record, slot)
            return
        }
        var chain = NotificationChain()
        let needs = findSubjects(of: record, slot, nil, isHeld: true, &chain, thread)
        if needs.contains(.prior) {
            open(Transaction(record, slot, chain), thread)
            store()
            end(record, slot)
            return
        }
        TestPoint.begun.reach()
        chain.forEach {
            if $0.isOwn(record, slot) { $0.event.setValues(values) } else if $0.needs.contains(.old) { $0.readOld() }
        }
        store()
        follow(record, slot)
        notify(chain, isPrior: false, thread)
        thread.giveBack(chain)
    }

    /// Finds whom a change concerns.
    ///
    /// - Parameters:
    ///   - isHeld: Whether the object is held until everybody has been notified.
    ///   - share: Gets the notifications that other open transactions have for the same subjects, if there are any.
    /// - Returns: What they all need.
    @inline(__always)
    @discardableResult
    private static func findSubjects(
        of record: ObjectRecord, _ changed: Int, _ edit: CollectionChange?, excluding: ObservingOptions = [], isHeld: Bool = false,
        _ chain: inout NotificationChain, _ thread: InPlace<ThreadState>,
        share: ((Borrowed<PendingNotification>) -> Void)? = nil
    ) -> ObserverList.Needs {
        var allNeeds: ObserverList.Needs = []
        var found = Few<PathLink>()
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
        of links: Few<PathLink>, _ chain: inout NotificationChain, _ thread: InPlace<ThreadState>,
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
    private mutating func findSubjects(
        _ edit: CollectionChange?, excluding: ObservingOptions = [], isHeld: Bool = false, _ thread: InPlace<ThreadState>
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

    // MARK: Follow, notify

    /// A property has changed.
    ///
    /// - Returns: False if no change of the property had begun on this thread.
    @discardableResult
    static func end(_ record: ObjectRecord, _ slot: Int) -> Bool {
        let thread = ThreadState.current
        guard thread.value.openTransaction(record, slot) != nil else {
            guard thread.value.endUnobserved(record.address, slot) else { return false }
            follow(record, slot)
            return true
        }
        // Following reads objects, which is user code and may begin and end changes itself.
        follow(record, slot)
        guard let index = thread.value.openTransaction(record, slot) else { return true }
        if thread.value.openTransactions[index].depth > 0 {
            thread.value.openTransactions[index].depth -= 1
            return true
        }
        // A did without a will, inside a prior call of the change that is being begun.
        if thread.value.openTransactions[index].isPreparing { return false }
        var transaction = thread.value.openTransactions.remove(at: index)
        transaction.close(thread)
        notify(transaction.chain, isPrior: false, thread)
        thread.giveBack(transaction.chain)
        return true
    }

    /// Leaves in the chain what nobody else waits for.
    private mutating func close(_ thread: InPlace<ThreadState>) {
        let isAlone = shared.isEmpty && thread.value.openTransactions.isEmpty
        if isAlone { return }
        var ready = NotificationChain()
        var cursor = chain.first
        while let notification = cursor {
            notification.use {
                cursor = $0.next
                $0.openCount -= 1
                if $0.openCount == 0 {
                    ready.append(notification)
                } else {
                    thread.value.handOver(notification)
                }
            }
        }
        chain = ready
        for notification in shared { notification.use { $0.openCount -= 1 } }
        shared = []
    }

    fileprivate mutating func takeOver(_ notification: Borrowed<PendingNotification>) -> Bool {
        guard let index = shared.firstIndex(where: { $0.address == notification.address }) else { return false }
        shared.remove(at: index)
        chain.append(notification)
        return true
    }

    /// A property has changed without having been announced: the object that a weak property refers to has died, or somebody
    /// began to observe while the property was being stored.
    ///
    /// - Parameters:
    ///   - values: What is known of the property's own values; old values are not known otherwise.
    ///   - excluded: The options of those who cannot be given what they ask for, and wait for the next change.
    @inline(never)
    static func didChange(_ record: ObjectRecord, _ slot: Int, values: ChangeEvent? = nil, excluding excluded: ObservingOptions = []) {
        let thread = ThreadState.current
        completeDeliveries(before: record, slot, thread)
        follow(record, slot)
        var transaction = Transaction(record, slot)
        transaction.findSubjects(nil, excluding: excluded, isHeld: true, thread)
        transaction.shared.forEach { $0.use { $0.openCount -= 1 } }
        if let values {
            transaction.chain.forEach {
                guard $0.isOwn(record, slot) else { return }
                $0.event.setValues(values.type, values.old, values.new)
                $0.event.excluded = values.excluded.union(excluded.intersection(.prior))
            }
        }
        notify(transaction.chain, isPrior: false, thread)
        thread.giveBack(transaction.chain)
    }

    /// Moves the links of paths that lead on from a property, or from a key derived from it, to the objects that are behind it now.
    static func follow(_ record: ObjectRecord, _ slot: Int) {
        if record.layout!.value[slot].contains(.isWeak) { record.fitWatch(of: slot, didChange: true) }
        guard let list = record.list(slot), list.value.interest.load(ordering: .acquiring).contains(.ahead) else { return }
        AffectedLists.forEach(from: record, slot) { _, _, _, _, _ in
        } link: { link in
            if link.isFollowed { link.chain.relink(from: link.level + 1) }
        }
    }

    /// Reads what is needed before the first handler, then calls all.
    private static func notify(_ chain: NotificationChain, isPrior: Bool, _ thread: InPlace<ThreadState>) {
        var chain = chain
        chain.forEach { $0.makeEvent(isPrior: isPrior) }
        let isAdded = chain.addRoutes(isPrior: isPrior, thread)
        if !isPrior, !chain.isSingle { chain.forEach { thread.value.appendPending($0) } }
        chain.forEach {
            if !isPrior || $0.needs.contains(.prior) { $0.deliver(thread) }
        }
        chain.forEach {
            if $0.isPending { thread.value.removePending($0) }
            $0.isStarted = false
        }
        if isAdded { chain.removeAdded(thread) }
    }

    // MARK: Order

    /// Completes the deliveries under way on this thread of what a change of a property concerns, the outermost first.
    static func completeDeliveries(before record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadState>) {
        if thread.value.firstPending != nil { completePending(before: record, slot, thread) }
    }

    @inline(never)
    private static func completePending(before record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadState>) {
        var lists: [InPlace<ObserverList>] = []
        var routes: [Route] = []
        AffectedLists.forEach(from: record, slot) { _, _, list, _, _ in
            lists.append(list)
        } link: { link in
            if link.route.unmanagedObservation != nil { routes.append(link.route) }
        }
        var cursor = thread.value.firstPending
        while let notification = cursor {
            cursor = notification.use {
                guard $0.isConcerned(lists, routes) else { return $0.nextPending }
                $0.complete(thread)
                // What stands in the list has changed. What has been completed has left it.
                return thread.value.firstPending
            }
        }
    }
}

extension ThreadState {
    /// Gives a notification of a transaction that ends to another one that waits for it.
    fileprivate mutating func handOver(_ notification: Borrowed<PendingNotification>) {
        notification.use { $0.ownSubject() }
        for index in openTransactions.indices where openTransactions[index].takeOver(notification) { return }
        assertionFailure("An open notification that no transaction waits for.")
    }
}

extension ChangeEvent {
    fileprivate mutating func setValues(_ values: Transaction.KnownValues) { setValues(values.type, values.old, values.new) }

    fileprivate mutating func setValues(_ type: Any.Type, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?) {
        (self.type, self.old, self.new) = (type, old, new)
    }
}

extension PendingNotification {
    /// Whether a change of lists and of the values of routes changes its subject, too.
    fileprivate func isConcerned(_ lists: [InPlace<ObserverList>], _ routes: [Route]) -> Bool {
        if let route {
            return route.use { route in
                routes.contains { $0 === route } || route.leafList.map { lists.contains($0) } ?? false
            }
        }
        if let observation {
            return observation.use { $0.record?.list(Int($0.slot)).map { lists.contains($0) } ?? false }
        }
        return lists.contains(list!) || routes.contains { $0.leafList == list }
    }

    /// Whether it is of the list of a property.
    fileprivate func isOwn(_ record: ObjectRecord, _ slot: Int) -> Bool { list != nil && list == record.list(slot) }

    // MARK: Values

    private var isKnown: Bool { event.type != Any.self }

    fileprivate func readOld() {
        if isPrepared || isKnown { return }
        isPrepared = true
        if let edit {
            if let elements = elements(of: edit, edit.removed, isMissing: edit.kind == .insertion) { old.set(elements) }
        } else if let route {
            if let value = value(of: route) { old.set(value) }
        } else {
            read { body in old.fill(body) }
        }
    }

    /// Reads the new value, if somebody asks for it, be it through a path that has moved here since the change began; and
    /// completes the event.
    fileprivate func makeEvent(isPrior: Bool) {
        event.isPrior = isPrior
        event.edit = edit.map { .to($0) }
        if isKnown { return }
        if !isPrior, wantsNew {
            if let edit {
                if let elements = elements(of: edit, edit.inserted, isMissing: edit.kind == .removal) { new.set(elements) }
            } else if let route {
                if let value = value(of: route) { new.set(value) }
            } else {
                read { body in new.fill(body) }
            }
        }
        event.old = old.pointer
        event.new = new.pointer
    }

    private var wantsNew: Bool {
        needs.contains(.new) || list?.value.interest.load(ordering: .acquiring).contains(.new) ?? false
    }

    private func value(of route: Borrowed<Route>) -> Any? {
        route.use { route in
            guard let object = route.root.trackedObject else { return nil }
            return route.path.value(from: object)
        }
    }

    @inline(__always)
    private func read(_ fill: ((UnsafeMutablePointer<Any>) -> Void) -> Void) {
        record!.use { record in
            if !ownsSubject { return fill { record.readValue(slot, into: $0) } }
            guard let object = record.trackedObject else { return }
            fill { record.readValue(slot, into: $0) }
            withExtendedLifetime(object) {}
        }
    }

    /// The elements that an edit of a collection takes away or puts in; of the collection that is there now, if the edit does
    /// not say.
    private func elements(of edit: CollectionChange, _ given: Any?, isMissing: Bool) -> Any? {
        if let given { return given }
        return record!.use { record in
            guard !isMissing, let object = record.trackedObject else { return nil }
            let whole = record.readValue(slot)
            withExtendedLifetime(object) {}
            guard let indexes = edit.indexes else { return whole }
            return pickElements(indexes, of: whole)
        }
    }
}

extension NotificationChain {
    /// Where a change concerns several subjects, or a list has both its own observers and the ends of longer paths, those ends
    /// are called behind all lists, in the order of registration, each once: they get notifications of their own.
    ///
    /// Until they are removed again, the chain is not to be used through another copy of it.
    @inline(__always)
    fileprivate mutating func addRoutes(isPrior: Bool, _ thread: InPlace<ThreadState>) -> Bool {
        let isSingle = isSingle
        let separate = isSingle ? ObserverList.Interest.separate : .links
        var isSeparate = false
        forEach {
            $0.skipped = []
            if let list = $0.list, list.value.interest.load(ordering: .acquiring).contains(separate) { isSeparate = true }
        }
        return isSeparate && addSeparateRoutes(isPrior: isPrior, isSingle: isSingle, thread)
    }

    @inline(never)
    private mutating func addSeparateRoutes(isPrior: Bool, isSingle: Bool, _ thread: InPlace<ThreadState>) -> Bool {
        var links: [(link: PathLink, source: Borrowed<PendingNotification>)] = []
        forEach { notification in
            guard let list = notification.list, !isPrior || notification.needs.contains(.prior) else { return }
            notification.record!.use { record in
                record.lock.withLock {
                    notification.skipped = list.value.separateLinks(isAlone: isSingle)
                    if notification.skipped.isEmpty { return }
                    list.value.forEachLinked { node in
                        guard !node.marks.isDisjoint(with: notification.skipped), node.kind == .link,
                            node.sequence <= notification.bound || node.isMovedLink
                        else { return }
                        let link = unsafeDowncast(node, to: PathLink.self)
                        if link.isLeaf { links.append((link, .to(notification))) }
                    }
                }
            }
        }
        if links.isEmpty { return false }
        var routes: [Borrowed<PendingNotification>] = []
        var lists = NotificationChain()
        var cursor = first
        while let notification = cursor {
            cursor = notification.use { $0.next }
            if notification.use({ $0.route }) == nil { lists.append(notification) } else { routes.append(notification) }
        }
        var added: [Borrowed<PendingNotification>] = []
        for (link, source) in links {
            // Inside a change of an object on the path's way, that change notifies, when it ends.
            let identity = UnsafeRawPointer(Borrowed.to(link.route).address)
            if thread.value.openNotification(identity) != nil { continue }
            let notification = thread.value.takeNotification()
            notification.use { notification in
                notification.isAdded = true
                notification.setSubject(.to(link.route))
                source.use {
                    notification.event = $0.event
                    notification.needs = $0.needs
                }
            }
            added.append(notification)
        }
        // The sort is stable: a route that the change concerns on its way comes before what it has at its end here.
        routes = (routes + added).sorted { $0.sequenceOfRoute < $1.sequenceOfRoute }
        self = lists
        var previous: Route?
        for notification in routes {
            notification.use {
                let route = $0.route!.object
                // Called already, for this route or, if the handler ignores the change, for another one.
                if let previous, route === previous || route.ignoresChange && route.observation === previous.observation {
                    $0.isStarted = true
                }
                previous = route
            }
            append(notification)
        }
        return true
    }

    fileprivate mutating func removeAdded(_ thread: InPlace<ThreadState>) {
        guard first(where: { $0.isAdded }) != nil else { return }
        var (rest, cursor) = (NotificationChain(), first)
        while let notification = cursor {
            let isAdded = notification.use { notification in
                cursor = notification.next
                defer { notification.isAdded = false }
                return notification.isAdded
            }
            if isAdded { thread.giveBack(notification) } else { rest.append(notification) }
        }
        self = rest
    }
}

extension Borrowed where Object == PendingNotification {
    fileprivate var sequenceOfRoute: UInt64 {
        use { $0.route!.use { $0.sequence } }
    }
}
