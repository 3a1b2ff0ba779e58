/// One change of one property, from before the store until every observer has been called. All changes (automatic, manual,
/// derived, nested, of a collection, by a death) have the same four steps:
///
/// 1. **prepare**: complete the deliveries under way on this thread that have the same subjects, so that all observers are
///    notified of changes in the order in which they are made; find the subjects of this change, each with its bound; read the
///    old values that observers need; make prior calls.
/// 2. **store**: the caller's, or none.
/// 3. **follow**: move the links of paths that lead through the property to the objects that are behind it now.
/// 4. **notify**: read the new values, once; then call every subject's observers up to its bound: those of the property, those
///    of derived keys in the order of declaration, those of paths in the order of registration.
///
/// A *subject* is an observer list or a path; a `PendingNotification` has what it is notified of. `begin` is step 1, `end` is
/// steps 3 and 4. Between them the transaction is open: the thread's context owns it, and a further change of the property is
/// part of it. A write around which no user code runs need not be open (`perform`); a write that concerns the property's own
/// list alone is one notification without a transaction (`TrackedObject.write`). A transaction is used by one thread, without
/// a lock; the object may die before its end, then the transaction is dropped.
struct Transaction {
    let target: ObjectIdentifier
    let slot: Int
    /// The target's record, which keeps its address from being reused; nil if the target had no observer when the change began.
    let record: ObjectRecord?
    /// The same where there is no record.
    let pin: PinnedReference<TrackedObject>?
    /// Number of changes of the same property that have begun inside this one and not ended.
    var depth = 0
    /// Whether any has: then its own edit need not be all that has happened to the collection.
    var hasInner = false
    /// Its notifications: of the subjects that no other open transaction had when it began.
    var chain: NotificationChain
    /// Further notifications, added while it is open. Apart from the chain, which may be in use for prior calls.
    var joined = NotificationChain()
    /// Notifications of other open transactions for subjects that this one concerns too. The last transaction to end delivers.
    var shared: [Borrowed<PendingNotification>] = []
    /// Whether `begin` has not returned yet.
    var isPreparing = true
    /// Whether a handler of its prior calls, or the getter of an old value, has made a change of one of its subjects.
    var isTouched = false
    /// While code of the library runs for the task that has it open: see `TransactionsOfTasks`.
    var visit: UInt = 0
    /// The value of `PathLink.moves` from before its subjects were found.
    let moves: UInt64

    init(
        _ record: ObjectRecord, _ slot: Int, _ chain: NotificationChain = NotificationChain(),
        moves: UInt64 = PathLink.moves
    ) {
        (self.record, self.slot, self.chain, self.moves) = (record, slot, chain, moves)
        target = record.target
        pin = nil
    }

    /// A change of an object without observers: observers that are added before it ends are not notified of it.
    init(ofUnobserved object: TrackedObject, _ slot: Int) {
        record = nil
        target = ObjectIdentifier(object)
        pin = PinnedReference(object)
        self.slot = slot
        chain = NotificationChain()
        moves = PathLink.moves
    }

    /// Whether the target's deinit has begun: no call can end the change any more.
    var isOfDead: Bool { record?.isDeinitializing ?? pin!.isDeinitializing }

    /// The target's record now; nil if it has none, or is dead.
    var currentRecord: ObjectRecord? { record ?? pin?.object?.record }

    func forEachNotification(_ body: (PendingNotification) -> Void) {
        chain.forEach(body)
        joined.forEach(body)
    }

    static func forEachNotification(of object: TrackedObject, _ slot: Int, _ body: (PendingNotification) -> Void) {
        let thread = ThreadContext.current
        guard let index = thread.value.openTransaction(ObjectIdentifier(object), slot) else { return }
        let transaction = thread.value.openTransactions[index]
        transaction.forEachNotification(body)
    }

    func notification(where condition: (PendingNotification) -> Bool) -> Borrowed<PendingNotification>? {
        chain.first(where: condition) ?? joined.first(where: condition)
    }

    /// Drops the change without notifying, because the object dies. What waited for it, because other objects' changes concern it too, is
    /// delivered.
    mutating func drop(_ thread: InPlace<ThreadContext>) {
        close(thread)
        var due = NotificationChain()
        chain.forEachRemoving { if $0.use({ $0.isDue }) { due.append($0) } else { thread.giveBack($0) } }
        if due.first == nil { return }
        Transaction.refreshMarked(thread)
        Transaction.notify(&due, isPrior: false, thread)
        thread.giveBack(due)
    }

    func isOf(_ target: ObjectIdentifier, _ slot: Int) -> Bool { self.slot == slot && self.target == target }

    // MARK: Prepare

    /// A property is about to change.
    ///
    /// - Parameters:
    ///   - edit: How a collection is edited.
    ///   - isSilent: Whether to notify no observer, unless a change of the property is open already.
    /// - Returns: Whether the property is as it was when this was called: no prior call has changed it.
    @discardableResult
    static func begin(
        _ object: TrackedObject, _ slot: Int, _ edit: CollectionChange? = nil, isSilent: Bool = false
    ) -> Bool {
        let thread = ThreadContext.current
        object.checkWrite(of: slot)
        thread.dropDeadTransactions()
        let visit = TransactionsOfTasks.visit()
        defer { TransactionsOfTasks.leave(visit) }
        if let index = thread.value.openTransaction(ObjectIdentifier(object), slot) {
            thread.value.openTransactions[index].depth += 1
            thread.value.openTransactions[index].hasInner = true
            includeFurtherChange(in: index, thread)
            return true
        }
        guard !isSilent, object.isObserved, let record = object.record else {
            return open(Transaction(ofUnobserved: object, slot), thread)
        }
        completeDeliveries(before: record, slot, thread)
        var transaction = Transaction(record, slot)
        transaction.findSubjects(of: record, edit, thread)
        return open(transaction, thread)
    }

    /// A change is about to be made inside one that is open. What an edit was going to be is no longer what happens if that one is
    /// still being prepared: observers get a `.setting`.
    static func includeFurtherChange(in index: Int, _ thread: InPlace<ThreadContext>) {
        guard thread.value.openTransactions[index].isPreparing else { return }
        thread.value.openTransactions[index].isTouched = true
        let transaction = thread.value.openTransactions[index]
        transaction.chain.forEach { $0.includeFurtherChange() }
        transaction.joined.forEach { $0.includeFurtherChange() }
    }

    /// The same for a change that shares subjects of open transactions.
    static func includeFurtherChange(of subjects: [Borrowed<PendingNotification>], _ thread: InPlace<ThreadContext>) {
        for subject in subjects where subject.use({ $0.edit != nil }) {
            let index = thread.value.openTransactions.firstIndex { $0.notification { .to($0) == subject } != nil }
            if let index { includeFurtherChange(in: index, thread) }
        }
    }

    /// Reads old values and makes the prior calls, both user code, with the transaction open.
    ///
    /// - Returns: Whether these have made no change of the transaction's subjects.
    @discardableResult
    private static func open(_ transaction: Transaction, _ thread: InPlace<ThreadContext>) -> Bool {
        var chain = transaction.chain
        thread.value.openTransactions.append(transaction)
        #if DEBUG
            thread.value.checkInvariants()
        #endif
        TestPoint.begun.reach()
        chain.forEach { if $0.needs.contains(.old) { $0.readOld() } }
        // Those of the ranges that it has opened are not read yet.
        for shared in transaction.shared {
            shared.use { if $0.openCount > 0, $0.needs.contains(.old) { $0.readOld() } }
        }
        if chain.first(where: { $0.needs.contains(.prior) }) != nil { notify(&chain, isPrior: true, thread) }
        guard let index = thread.value.openTransaction(transaction.target, transaction.slot) else { return true }
        // The store may be user code that reads derived values. A prior call that read one would have cleaned an earlier mark.
        if let record = transaction.record, let list = record.list(transaction.slot),
            list.value.interest.load(ordering: .acquiring).contains(.inner)
        {
            markReaders(of: record, transaction.slot, thread)
        }
        thread.value.openTransactions[index].isPreparing = false
        return !thread.value.openTransactions[index].isTouched
    }

    /// A whole transaction around a store that is not user code. It need not be open, unless an observer needs a prior call or
    /// another transaction is open.
    static func perform(
        _ object: TrackedObject, _ record: ObjectRecord, _ slot: Int, _ list: InPlace<ObserverList>,
        values: ValuePointers, _ thread: InPlace<ThreadContext>, _ store: () -> Void
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
            open(Transaction(record, slot, chain, moves: moves), thread)
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
        let areMoved = moves != PathLink.moves
        if list.value.interest.load(ordering: .acquiring).contains(.inner) { follow(record, slot) }
        if areMoved { addMovedSubjects(of: record, slot, to: &chain, thread) }
        refreshMarked(thread)
        notify(&chain, isPrior: false, thread)
        thread.giveBack(chain)
    }
}
