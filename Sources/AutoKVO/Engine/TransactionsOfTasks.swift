import Synchronization

/// The transactions of changes in place that tasks have begun and not ended.
///
/// An `inout` argument lasts over an `await`, and the task may go on on another thread:
///
///     thread 1                                      thread 2
///     task A begins a change of p.first, and waits
///     another task sets p.last, which is
///     no part of A's change
///                                                   task A goes on: sets p.last, which is part of its change
///                                                   task A ends its change: observers are called here
///
/// So such a transaction is in a thread's list only while code of the library runs for its task. At other times it is here, with the expressions
/// that it has marked.
enum TransactionsOfTasks {
    /// By the address of the task.
    private static let waiting = Guarded<[UInt: [Borrowed<Transaction>]]>([:])
    private static let count = Atomic<Int>(0)

    /// Puts those of this task in the thread's list, until `leave`.
    ///
    /// A task that goes on sees what it did before, on any thread, so the number is read without an order.
    ///
    /// Nothing is recorded meanwhile: what the library and the observers of a change read is not what an expression reads that makes
    /// the change.
    @inline(__always)
    static func visit() -> Visit { (count.load(ordering: .relaxed) == 0 ? 0 : take(), Recording.suspend()) }

    /// Whether observers may have to be told later of changes that this thread or its task has made.
    static var mayHoldChanges: Bool { count.load(ordering: .relaxed) != 0 || ThreadContext.current.value.holdsChanges }

    /// Runs a function for a read, which may be inside of such a change.
    @inline(never)
    static func visiting<Result>(_ body: () -> Result) -> Result {
        let visit = visit()
        defer { leave(visit) }
        return body()
    }

    /// The token is zero if there are none.
    typealias Visit = (token: UInt, recorder: UInt)

    @inline(never)
    private static func take() -> UInt {
        let task = currentTask()
        let taken = waiting.withLock { $0.removeValue(forKey: task) } ?? []
        count.wrappingSubtract(taken.count, ordering: .relaxed)
        let thread = ThreadContext.current
        let visit = thread.value.makeToken()
        for transaction in taken {
            (transaction.object.visit, transaction.object.mayOvertake) = (visit, true)
            thread.value.openTransactions.append(transaction)
            thread.value.waitingCount += transaction.object.marked.count
        }
        return visit
    }

    /// Takes those that are still open out of the thread's list again.
    @inline(__always)
    static func leave(_ visit: Visit) {
        if visit.token != 0 { putBack { $0.visit == visit.token } }
        Recording.resume(visit.recorder)
    }

    @inline(never)
    fileprivate static func putBack(where condition: (Transaction) -> Bool) {
        let (task, thread) = (currentTask(), ThreadContext.current)
        let leaving = thread.value.openTransactions.members.filter { $0.use(condition) }
        if leaving.isEmpty { return }
        for transaction in leaving {
            transaction.object.postponeMarked(thread)
            thread.value.openTransactions.remove(transaction.object)
        }
        thread.value.waitingCount -= leaving.reduce(0) { $0 + $1.object.marked.count }
        count.wrappingAdd(leaving.count, ordering: .relaxed)
        waiting.withLock { $0[task, default: []] += leaving }
    }
}

extension Transaction {
    /// A property is about to be changed in place.
    ///
    /// - Returns: Whether that is part of a change of the property that is open.
    static func beginInPlace(_ object: TrackedObject, _ slot: Int, _ thread: InPlace<ThreadContext>) -> Bool {
        let target = ObjectIdentifier(object)
        if let open = thread.value.openTransaction(target, slot) {
            open.object.includeFurtherChange()
            return true
        }
        begin(object, slot)
        // Out of the thread's list, until this task does something.
        if currentTask() != 0 { TransactionsOfTasks.putBack { $0.visit == 0 && $0.isOf(target, slot) } }
        return false
    }

    /// A property has been changed in place.
    ///
    /// - Parameter isInner: What `beginInPlace` returned.
    static func endInPlace(_ object: TrackedObject, _ record: ObjectRecord, _ slot: Int, isInner: Bool) {
        if isInner || !end(object, slot) { endWithinChange(object, record, slot, isInner: isInner) }
    }

    /// Not inlined, as its variables would be on the stack of the handlers.
    @inline(never)
    private static func endWithinChange(_ object: TrackedObject, _ record: ObjectRecord, _ slot: Int, isInner: Bool) {
        let thread = ThreadContext.current
        if isInner, let open = thread.value.openTransaction(ObjectIdentifier(object), slot)?.object {
            open.followings += 1
            follow(record, slot)
            return open.didFollow()
        }
        // The change that it was part of has ended before it, or was begun by hand on another thread.
        didChange([(record, slot)])
    }
}
