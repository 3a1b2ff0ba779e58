import Synchronization

/// One change of one property, from before the store until every observer has been called. All changes (automatic, manual,
/// derived, nested, of a collection, by a death) have the same four steps:
///
/// 1. **prepare**: complete the deliveries under way on this thread that have the same subjects, so that the observers of each
///    subject are notified of its changes in the order in which they are made; find the subjects of this change, each with its bounds; read the
///    old values that observers need; make prior calls.
/// 2. **store**: the caller's, or none.
/// 3. **follow**: move the links of paths that lead through the property to the objects that are behind it now; mark what has read it.
/// 4. **notify**: read the new values, once; then call every subject's observers up to its bound: those of the property, those
///    of derived keys in the order of declaration, those of paths in the order of registration.
///
/// `begin` is step 1, `end` is steps 3 and 4. Between them the transaction is open: it is in the thread's list, and a further change of the
/// property is part of it.
///
/// **Sharing.** A subject that several open transactions concern is one object, into which each of them counts itself when it begins, and
/// out of which when it ends. The one that makes the count zero delivers. `coalescingChanges` is a transaction without a property that
/// counts itself into every subject which a change inside it opens, so no change inside delivers:
///
///     coalescingChanges {       counts
///         p.a = 1               a: 2, then 1                sum (of a and b): 2, then 1
///         p.b = 2               b: 2, then 1                sum: 2, then 1
///     }                         a, sum, b: 0, delivered: each with its first old value and its last new one
///
/// A write that concerns the property's own list alone, while nothing is open, needs no transaction (`TrackedObject.write`). A transaction
/// is used by one thread, without a lock; the object may die before its end, then the transaction is dropped. Each thread has a pool of
/// them. Read next: `Transaction+Subjects` for step 1, `Subject` for what is told.
final class Transaction: PooledObject, ListMember {
    /// Its neighbours among the open changes of the thread.
    var next: Borrowed<Transaction>?
    var previous: Borrowed<Transaction>?
    /// No other use of a transaction has it. Zero while it is in the pool.
    var token: UInt = 0
    /// The property; the target is nil for `coalescingChanges`, and for a change of several properties at once.
    private(set) var target: ObjectIdentifier?
    private(set) var slot = -1
    /// The target's record, which keeps its address from being reused; nil if the target had no observer when the change began.
    private(set) var record: ObjectRecord?
    /// The target, pinned, if it had no observer.
    private var pin: PinnedReference<TrackedObject>?
    /// Whether the change turns out to be none: what is moved to the property meanwhile is not told of it.
    private(set) var isSilent = false
    /// Of one that stores an equal value, which is not the same in all respects: whether it concerns what depends on the property alone, as far as
    /// that has another value then, or who observes the property itself, too.
    enum Equal { case toOthers, toOwnToo }
    private(set) var equal: Equal?
    /// Whose change it is, also while nobody finds it.
    var changed: ObjectIdentifier? { target ?? (equal == nil ? nil : record?.target) }
    /// Number of changes of the same property that have begun inside this one and not ended.
    private var depth = 0
    /// Whether it is a `coalescingChanges`.
    var isCoalescing = false
    /// Whether `begin` has not returned yet.
    private(set) var isPreparing = false
    /// From `begin` until the old values have been read: the prior calls come behind that.
    private(set) var isReadingOld = false
    /// How many changes are having the links of paths moved behind their store, one inside of the other: that may compute a function, and what
    /// this writes may change the property again. Whether it has: then observers of an edit get a `.setting`, and the links are not moved by it.
    var followings = 0
    private(set) var isOverlapped = false
    /// Whether a handler of its prior calls, or the getter of an old value, has made a change of one of its subjects.
    private var isTouched = false
    /// While code of the library runs for the task that has it open: see `TransactionsOfTasks`.
    var visit: UInt = 0
    /// The value of `PathLink.moves` from before its subjects were found.
    var moves: UInt64 = 0
    /// Counts the derived values that have come to read others, on all threads: subjects found before may be out of order.
    static let raisedHeights = Atomic<Int>(0)
    /// How many those were when this one began, or was sorted last.
    var raisedHeights = 0
    /// What it concerns, in the order in which observers are called.
    @exclusivity(unchecked) var subjects: [Borrowed<Subject>] = []
    /// Whether deliveries under way may be of older changes of what it concerns, and so come first: something has been moved to the property
    /// since it began, or a task has had it open elsewhere.
    var mayOvertake = false
    /// The expressions that were marked while this was open and had them as subjects. They are refreshed at its end.
    var marked: [Marked] = []
    /// What they are: each is there once.
    var markedIdentities: Set<ObjectIdentifier> = []
    /// Of a `coalescingChanges` with many changes: the expressions behind which all is found and marked, with the number of their
    /// `cleanings`, or nil for those behind which all is found; and the number of `AffectedLists.additions` for which this holds.
    var walked: [ObjectIdentifier: UInt32?] = [:]
    var walkedAdditions: UInt64 = 0
    /// What the walk under way inside of it is for, if it need not go everywhere.
    var walk = Walk.other
    /// How many changes there were.
    var walks = 0
    /// The object that was changed first, and whether others were, too.
    var (changedFirst, isOfSeveral): (ObjectIdentifier?, Bool) = (nil, false)
    /// Whether what a change concerns has to be found again: it may end behind this one.
    var walksEverywhere = false
    /// If they are many: where the last of each topic is, and of each the place of the former one of its topic, or -1.
    var places: [Subject.Identity: Int] = [:]
    var formerPlaces: [Int] = []

    /// Ready for the next change. It has no subjects any more.
    func clear() {
        assert(subjects.isEmpty && marked.isEmpty)
        (token, target, slot, record, pin) = (0, nil, -1, nil, nil)
        (depth, isCoalescing, isPreparing, isTouched, visit) = (0, false, false, false, 0)
        (isSilent, equal, mayOvertake, followings, isOverlapped) = (false, nil, false, 0, false)
        if walks > 0 { (walks, walked, walk, changedFirst, isOfSeveral) = (0, [:], .other, nil, false) }
        if subjects.capacity > Transaction.searchedCount {
            forgetPlaces()
            if subjects.capacity > ThreadContext.poolLimit { subjects = [] }
        }
    }

    func isOf(_ target: ObjectIdentifier, _ slot: Int) -> Bool { self.slot == slot && self.target == target }

    /// Whether the target's deinit has begun: no call can end the change any more.
    var isOfDead: Bool { record?.isDeinitializing ?? pin?.isDeinitializing ?? false }

    /// The target's record now; nil if it has none, or is dead.
    var currentRecord: ObjectRecord? { record ?? pin?.object?.record }

    /// Whether a change of the property has begun, and not only is beginning.
    var mayEnd: Bool { depth > 0 || !isPreparing }

    func didFollow() {
        followings = max(0, followings - 1)
        if followings == 0 { isOverlapped = false }
    }

    /// Ends a change inside this one. False if there is none: then this one is to end.
    func endInner() -> Bool {
        didFollow()
        if depth == 0 { return false }
        depth -= 1
        return true
    }

    /// Calls a function with each subject of the open change of a property. It may be user code that adds subjects.
    static func forEachSubject(of object: TrackedObject, _ slot: Int, _ body: (Subject) -> Void) {
        guard let open = ThreadContext.current.value.openTransaction(ObjectIdentifier(object), slot) else { return }
        open.object.forEachSubject(body)
    }

    // MARK: Prepare

    /// A property is about to change.
    ///
    /// - Parameters:
    ///   - edit: How a collection is edited.
    ///   - isSilent: Whether to notify no observer, unless a change of the property is open already.
    ///   - isPlain: Whether the store is no user code.
    ///   - values: The values of a write, which is no user code.
    ///   - equal: Whom it concerns, if an equal value is stored.
    /// - Returns: Whether the property is as it was when this was called: no prior call has changed it.
    @discardableResult static func begin(
        _ object: TrackedObject, _ slot: Int, _ edit: CollectionChange? = nil, isSilent: Bool = false,
        isPlain: Bool = false, values: ValuePointers? = nil, equal: Equal? = nil
    ) -> Bool {
        let thread = ThreadContext.current
        object.checkWrite(of: slot)
        thread.dropDeadTransactions()
        let visit = TransactionsOfTasks.visit()
        defer { TransactionsOfTasks.leave(visit) }
        // What another thread has moved to an open change is part of that before this one tells of it.
        addMovedSubjects(thread)
        if let open = thread.value.openTransaction(ObjectIdentifier(object), slot) {
            if open.object.isPreparing, let record = object.record { completeDeliveries(before: record, slot, thread) }
            open.object.depth += 1
            open.object.includeFurtherChange()
            return true
        }
        // The object is alive as long as this runs, or has no observer any more: so no handler can end this change by its death.
        guard !isSilent, object.isObserved, !object.isDeinitializing, let record = object.unmanagedRecord else {
            // A change without subjects: nobody observes the property, or the change turns out to be none.
            let transaction = thread.value.takeTransaction().object
            (transaction.target, transaction.slot) = (ObjectIdentifier(object), slot)
            (transaction.pin, transaction.isSilent) = (PinnedReference(object), isSilent)
            thread.value.openTransactions.append(.to(transaction))
            return true
        }
        return record.use { record in
            completeDeliveries(before: record, slot, thread)
            let isLate = edit != nil && record.list(slot)?.value.takeLateness() ?? false
            let transaction = thread.value.takeTransaction()
            return transaction.use {
                // As long as one that stores an equal value is prepared, nobody finds it: what is changed in that has changes of its own.
                ($0.record, $0.slot, $0.target) = (record, slot, equal == nil ? record.target : nil)
                ($0.isPreparing, $0.isReadingOld, $0.equal) = (true, true, equal)
                $0.findSubjects(of: record, slot, isLate ? nil : edit, hasValues: values != nil, thread)
                let isAlone = thread.value.openTransactions.isEmpty && thread.value.coalescing == nil
                thread.value.openTransactions.append(transaction)
                let isUntouched = $0.prepare(record, isAlone ? values : nil, isPlain: isPlain || values != nil, thread)
                $0.target = record.target
                return isUntouched
            }
        }
    }

    /// A property is announced to be about to change, by code that may say later, also behind a `coalescingChanges` under way, that it has.
    static func announce(
        _ object: TrackedObject, _ slot: Int, _ edit: CollectionChange? = nil, isSilent: Bool = false
    ) {
        let coalescing = ThreadContext.current.value.coalescing?.object
        let walksEverywhere = coalescing?.walksEverywhere ?? true
        coalescing?.walksEverywhere = true
        begin(object, slot, edit, isSilent: isSilent)
        coalescing?.walksEverywhere = walksEverywhere
    }

    /// Reads old values and makes the prior calls, both user code.
    ///
    /// - Returns: Whether these have made no change of the transaction's subjects.
    private func prepare(
        _ record: ObjectRecord, _ values: ValuePointers?, isPlain: Bool, _ thread: InPlace<ThreadContext>
    ) -> Bool {
        thread.value.checkInvariants()
        TestPoint.begun.reach()
        var needs: ObserverList.Interest = []
        var hasShared = false
        // Whether user code runs before the store, or as it: then other threads must know of the subjects.
        var isKnown = !isPlain
        forEachSubject {
            needs.formUnion($0.needs)
            if !$0.isOwn, $0.needs.contains(.old) { isKnown = true }
            guard $0.edit != nil || $0.isKnown else { return }
            if !isOpener(of: $0) { hasShared = true } else if $0.isOpenElsewhere(thread) { $0.includeFurtherChange() }
        }
        if isKnown || hasShared || needs.contains(.prior) { forEachSubject { $0.becomeKnown() } }
        if hasShared { includeFurtherChangeOfShared(thread) }
        if let values, !needs.contains(.prior) {
            forEachSubject { if $0.isOwn { $0.setValues(values.type, values.old, values.new) } }
        }
        if needs.contains(.old) { forEachSubject { if $0.needs.contains(.old) { $0.readOld() } } }
        isReadingOld = false
        if needs.contains(.prior), thread.value.coalescing == nil {
            let notified = subjects.filter { isOpener(of: $0.object) && $0.object.needs.contains(.prior) }
            if !notified.isEmpty { notify(notified, isPrior: true, thread) }
        }
        // A store that is user code may read derived values. A prior call that read one would have cleaned an earlier mark.
        if !isPlain, record.list(slot)?.value.interest.load(ordering: .acquiring).contains(.inner) ?? false {
            Transaction.markReaders(of: record, slot, thread)
        }
        isPreparing = false
        return !isTouched
    }

    /// Calls a function with each subject. It may be user code, which may move paths here, and so add subjects.
    @inline(__always)
    func forEachSubject(_ body: (Subject) -> Void) {
        var index = 0
        while index < subjects.count {
            subjects[index].use(body)
            index += 1
        }
    }

    func isOpener(of subject: Subject) -> Bool { subject.opener == ObjectIdentifier(self) }

    /// A change is about to be made inside this one. What an edit was going to be is no longer what happens if this one is still being
    /// prepared: observers get a `.setting`.
    func includeFurtherChange() {
        if followings > 0, !isOverlapped {
            isOverlapped = true
            forEachSubject { $0.becomeWhole(behindEdit: true) }
        }
        guard isPreparing else { return forEachSubject { $0.includeFurtherWrite() } }
        isTouched = true
        forEachSubject { $0.includeFurtherChange() }
    }

    /// The same for those that this one shares subjects with: one of an edited collection, or one that has the values of a write, whose path
    /// this one may move away. Reading whole values is user code, so it comes behind the search, which holds locks.
    @inline(never)
    func includeFurtherChangeOfShared(_ thread: InPlace<ThreadContext>) {
        for subject in subjects.map(\.object) where !isOpener(of: subject) && (subject.edit != nil || subject.isKnown) {
            let isKnown = subject.isKnown
            let opener = thread.value.openTransactions.last { ObjectIdentifier($0) == subject.opener }
            // First: behind the store of its edit it knows what the collection was before that.
            opener?.object.includeFurtherChange()
            if !isKnown, subject.isCoalesced || subject.isReachedOnTheWay { subject.includeFurtherChange() }
        }
    }
}
