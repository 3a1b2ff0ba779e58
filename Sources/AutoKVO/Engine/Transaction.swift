internal import CSwiftRuntime

/// One change of one property, from before the store until every observer has been called. Every change, automatic, manual,
/// derived, nested, of a collection or by a death, goes this road:
///
/// 1. **prepare**: the deliveries under way on this thread that concern the same subjects are completed, so that everybody is notified
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
    let target: ObjectIdentifier
    let slot: Int
    /// The target's record, which keeps its address from being reused; nil if nobody observed the target when the change began.
    private let record: ObjectRecord?
    /// Does the same where there is no record.
    private let pin: PinnedReference<TrackedObject>?
    /// Further announcements of the same property inside this one.
    private var depth = 0
    /// What it will notify of: the subjects that no other open transaction concerned before.
    var chain: NotificationChain
    /// The notifications of other open transactions for subjects that this one concerns too. The last one to end notifies.
    var shared: [Borrowed<PendingNotification>] = []
    /// Whether `begin` is still at work.
    private var isPreparing = true
    /// How many paths had been moved when it began.
    private let moves = PathLink.moves

    private init(_ record: ObjectRecord, _ slot: Int, _ chain: NotificationChain = NotificationChain()) {
        (self.record, self.slot, self.chain) = (record, slot, chain)
        target = record.target
        pin = nil
    }

    /// The change of an object that nobody observes: observers that are added before it ends are not notified of it.
    private init(ofUnobserved object: TrackedObject, _ slot: Int) {
        record = nil
        target = ObjectIdentifier(object)
        pin = PinnedReference(object)
        self.slot = slot
        chain = NotificationChain()
    }

    func notification(where condition: (PendingNotification) -> Bool) -> Borrowed<PendingNotification>? {
        chain.first(where: condition)
    }

    /// Drops the change: the object dies, and nobody will end it.
    mutating func drop(_ thread: InPlace<ThreadContext>) {
        close(thread)
        thread.giveBack(chain)
    }

    func isOf(_ target: ObjectIdentifier, _ slot: Int) -> Bool { self.slot == slot && self.target == target }

    // MARK: Prepare

    /// A property is about to change.
    ///
    /// - Parameters:
    ///   - edit: How a collection is edited.
    ///   - isSilent: Whether nobody is to be notified, unless a change of the property is open already.
    static func begin(_ object: TrackedObject, _ slot: Int, _ edit: CollectionChange? = nil, isSilent: Bool = false) {
        let thread = ThreadContext.current
        if let index = thread.value.openTransaction(ObjectIdentifier(object), slot) {
            thread.value.openTransactions[index].depth += 1
            return
        }
        guard !isSilent, object.isObserved, let record = object.record else {
            return open(Transaction(ofUnobserved: object, slot), thread)
        }
        completeDeliveries(before: record, slot, thread)
        var transaction = Transaction(record, slot)
        transaction.findSubjects(of: record, edit, thread)
        open(transaction, thread)
    }

    /// Reads old values and makes the prior calls, both user code, with the transaction open.
    private static func open(_ transaction: Transaction, _ thread: InPlace<ThreadContext>) {
        let chain = transaction.chain
        thread.value.openTransactions.append(transaction)
        TestPoint.begun.reach()
        chain.forEach { if $0.needs.contains(.old) { $0.readOld() } }
        if chain.first(where: { $0.needs.contains(.prior) }) != nil { notify(chain, isPrior: true, thread) }
        if let index = thread.value.openTransaction(transaction.target, transaction.slot) {
            thread.value.openTransactions[index].isPreparing = false
        }
    }

    /// A write: all of a transaction around a store that is no user code. It need not be open, unless somebody wants a prior
    /// call or another transaction is.
    static func perform(
        _ object: TrackedObject, _ record: ObjectRecord, _ slot: Int, values: ValuePointers, _ thread: InPlace<ThreadContext>,
        _ store: () -> Void
    ) {
        if !thread.value.openTransactions.isEmpty {
            begin(object, slot)
            store()
            end(object, slot)
            return
        }
        let moves = PathLink.moves
        var chain = NotificationChain()
        let needs = findSubjects(of: record, slot, nil, isTargetHeld: true, &chain, thread)
        if needs.contains(.prior) {
            open(Transaction(record, slot, chain), thread)
            store()
            end(object, slot)
            return
        }
        TestPoint.begun.reach()
        chain.forEach {
            if $0.isOwn {
                $0.setValues(values.type, values.old, values.new)
            } else if $0.needs.contains(.old) {
                $0.readOld()
            }
        }
        store()
        follow(record, slot)
        if moves != PathLink.moves { addMovedRoutes(of: record, slot, &chain, thread) }
        notify(chain, isPrior: false, thread)
        thread.giveBack(chain)
    }

    // MARK: Follow, notify

    /// A property has changed.
    ///
    /// - Returns: False if no change of the property had begun on this thread.
    @discardableResult
    static func end(_ object: TrackedObject, _ slot: Int) -> Bool {
        let thread = ThreadContext.current
        let target = ObjectIdentifier(object)
        guard thread.value.openTransaction(target, slot) != nil else { return false }
        // Following reads objects, which is user code and may begin and end changes itself.
        let record = object.record
        let moves = PathLink.moves
        if let record { follow(record, slot) }
        let followed = PathLink.moves - moves
        guard let index = thread.value.openTransaction(target, slot) else { return true }
        if thread.value.openTransactions[index].depth > 0 {
            thread.value.openTransactions[index].depth -= 1
            return true
        }
        // A did without a will, inside a prior call of the change that is being begun.
        if thread.value.openTransactions[index].isPreparing { return false }
        var transaction = thread.value.openTransactions.remove(at: index)
        transaction.close(thread)
        if let record, transaction.moves + followed != PathLink.moves {
            addMovedRoutes(of: record, slot, &transaction.chain, thread)
        }
        notify(transaction.chain, isPrior: false, thread)
        thread.giveBack(transaction.chain)
        return true
    }

    /// Leaves in the chain what nobody else waits for.
    private mutating func close(_ thread: InPlace<ThreadContext>) {
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

    mutating func takeOver(_ notification: Borrowed<PendingNotification>) -> Bool {
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
    static func didChange(
        _ record: ObjectRecord, _ slot: Int, values: ChangeEvent? = nil, excluding excluded: ObservingOptions = []
    ) {
        let thread = ThreadContext.current
        completeDeliveries(before: record, slot, thread)
        follow(record, slot)
        var transaction = Transaction(record, slot)
        transaction.findSubjects(of: record, nil, excluding: excluded, isTargetHeld: true, thread)
        transaction.shared.forEach { $0.use { $0.openCount -= 1 } }
        if let values {
            transaction.chain.forEach {
                guard $0.isOwn else { return }
                $0.setValues(values.type, values.old, values.new)
                $0.event.excluded = values.excluded.union(excluded.intersection(.prior))
            }
        }
        notify(transaction.chain, isPrior: false, thread)
        thread.giveBack(transaction.chain)
    }

    /// Moves the links of paths that lead on from a property, or from a key derived from it, to the objects that are behind it now.
    static func follow(_ record: ObjectRecord, _ slot: Int) {
        if record.layout!.value[slot].isWeak { record.updateWatch(of: slot, didChange: true) }
        guard let list = record.list(slot), list.value.interest.load(ordering: .acquiring).contains(.ahead) else {
            return
        }
        AffectedLists.forEach(from: record, slot) { _, _, _, _ in
        } link: { link in
            if link.isFollowed { link.chain.relink(from: link.level + 1) }
        }
    }

    /// Reads what is needed before the first handler, then calls all.
    private static func notify(_ chain: NotificationChain, isPrior: Bool, _ thread: InPlace<ThreadContext>) {
        var chain = chain
        chain.forEach { $0.makeEvent(isPrior: isPrior) }
        let hasSeparateParts = chain.separateParts(isPrior: isPrior, thread)
        if !isPrior, !chain.isSingle { chain.forEach { thread.value.appendPending($0) } }
        chain.forEach {
            if !isPrior || $0.needs.contains(.prior) { $0.deliver(thread) }
        }
        chain.forEach {
            if $0.isPending { thread.value.removePending($0) }
            $0.isStarted = false
        }
        if hasSeparateParts { chain.removeParts(thread) }
    }
}

extension ThreadContext {
    /// Gives a notification of a transaction that ends to another one that waits for it.
    mutating func handOver(_ notification: Borrowed<PendingNotification>) {
        notification.use { $0.ownSubject() }
        for index in openTransactions.indices where openTransactions[index].takeOver(notification) { return }
        assertionFailure("An open notification that no transaction waits for.")
    }
}

extension PendingNotification {
    fileprivate func setValues(_ type: Any.Type, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?) {
        (event.type, event.old, event.new) = (type, old, new)
        isKnown = true
    }
}
