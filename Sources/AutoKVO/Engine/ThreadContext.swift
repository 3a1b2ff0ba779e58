internal import CDeallocHook
import Synchronization

/// The changes under way on one thread, and the pools of what they need. Made at the thread's first change, freed when the thread
/// ends.
///
/// A pool keeps at most `poolLimit` objects, an array that is emptied that capacity: what one large change took is given back.
///
/// Only its own thread uses it, so it has no lock. It is memory behind a pointer, not an object: every delivery reads it, and would
/// retain and release a reference.
struct ThreadContext {
    /// As many changes as are made inside each other, or subjects of one change, without an allocation: with 700 bytes for a
    /// notification and its values, 90 KB for each thread.
    static let poolLimit = 128
    /// Change contexts that no handler kept, linked through `nextSpare`, for the next delivery.
    private var spareContexts: Borrowed<ChangeContext>?
    private(set) var spareContextCount = 0
    /// Notifications for the next change, linked through `next`.
    private var spareNotifications: Borrowed<PendingNotification>?
    private(set) var spareNotificationCount = 0
    /// Notifications with observers that are still to be called, the outermost delivery's first.
    private(set) var firstPending: Borrowed<PendingNotification>?
    private var lastPending: Borrowed<PendingNotification>?
    /// The changes that have begun and not ended on this thread, the outermost first.
    var openTransactions: [Transaction] = []
    /// The token that this thread made last.
    private var lastToken: UInt = 0
    private static let tokenBlocks = Atomic<UInt>(0)
    /// The outermost `coalescingChanges` under way, if any.
    var coalescing: Borrowed<CoalescedChanges>?
    /// Routes to start or to end, in this order.
    var pathWork: [PathWork] = []
    var isDoingPathWork = false
    /// How many functions of derived properties are being called for reads, inside each other, and which from `uncheckedDepth` on.
    var computingDepth = 0
    var computing: Set<ComputedProperty> = []
    static let uncheckedDepth = 64
    /// Room for the keys that one walk through what a change concerns finds, and for the links of another one.
    var affectedKeys: [AffectedLists.FurtherKeys.Element] = []
    var affectedLinks: [Borrowed<PathLink>] = []
    /// Room for the expressions that wait for those that they read.
    var checkedExpressions: [Expression.Checked] = []
    /// The routes of expressions that a change of this thread has marked, and that are to be refreshed.
    var marked: [Route] = []
    var markedRoom: [Route] = []
    /// The changes of traced objects that are being delivered, the outermost first.
    var traced: [TracedCalls] = []
    #if DEBUG
        /// The actions that tests run when this thread reaches a point.
        var testPoints: [TestPoint: () -> Void] = [:]
    #endif

    @inline(__always)
    static var current: InPlace<ThreadContext> {
        if let pointer = cdh_thread_value() {
            return InPlace(pointer.assumingMemoryBound(to: ThreadContext.self))
        }
        return makeCurrent()
    }

    @inline(never)
    private static func makeCurrent() -> InPlace<ThreadContext> {
        let state = InPlace.allocate(ThreadContext())
        let stored = cdh_set_thread_value(state.pointer) { pointer in
            guard let pointer = pointer?.assumingMemoryBound(to: ThreadContext.self) else { return }
            let state = InPlace(pointer)
            while let context = state.value.takeSpareContext() { context.release() }
            while let transaction = state.value.openTransactions.popLast() {
                state.giveBack(transaction.chain)
                state.giveBack(transaction.joined)
            }
            while let notification = state.value.takeSpareNotification() { notification.release() }
            state.deallocate()
        }
        requireUsage(stored, "AutoKVO could not get memory for the state of a thread.")
        return state
    }

    @inline(__always)
    private mutating func takeSpareContext() -> Borrowed<ChangeContext>? {
        guard let context = spareContexts else { return nil }
        spareContexts = context.use { $0.nextSpare }
        spareContextCount &-= 1
        return context
    }

    @inline(__always)
    mutating func takeContext(for event: InPlace<ChangeEvent>) -> Borrowed<ChangeContext> {
        guard let context = takeSpareContext() else { return .retaining(ChangeContext(event)) }
        context.use {
            assert($0.isBlank)
            $0.event = event
        }
        return context
    }

    /// Returns a context to the pool. No handler refers to it.
    @inline(__always)
    mutating func giveBack(_ context: Borrowed<ChangeContext>) {
        context.use { $0.observation = nil }
        if spareContextCount == Self.poolLimit { return context.release() }
        context.use { $0.nextSpare = spareContexts }
        spareContexts = context
        spareContextCount &+= 1
    }

    // MARK: Notifications

    @inline(__always)
    private mutating func takeSpareNotification() -> Borrowed<PendingNotification>? {
        guard let notification = spareNotifications else { return nil }
        spareNotifications = notification.use { $0.next }
        spareNotificationCount &-= 1
        return notification
    }

    /// Puts a notification that has been cleared into the pool.
    @inline(__always)
    fileprivate mutating func keep(_ notification: Borrowed<PendingNotification>) {
        if spareNotificationCount == Self.poolLimit { return notification.release() }
        notification.use { $0.next = spareNotifications }
        spareNotifications = notification
        spareNotificationCount &+= 1
    }

    @inline(__always)
    mutating func takeNotification() -> Borrowed<PendingNotification> {
        let notification = takeSpareNotification() ?? Borrowed.retaining(PendingNotification())
        assert(notification.use { $0.isBlank })
        return notification
    }

    @inline(__always)
    mutating func appendPending(_ notification: PendingNotification) {
        let this = Borrowed.to(notification)
        notification.isPending = true
        if coalescing != nil { notification.event.isHeldBack = true }
        notification.nextPending = nil
        notification.previousPending = lastPending
        if let lastPending { lastPending.use { $0.nextPending = this } } else { firstPending = this }
        lastPending = this
    }

    @inline(__always)
    mutating func removePending(_ notification: PendingNotification) {
        guard notification.isPending else { return }
        notification.isPending = false
        let (previous, next) = (notification.previousPending, notification.nextPending)
        if let previous { previous.use { $0.nextPending = next } } else { firstPending = next }
        if let next { next.use { $0.previousPending = previous } } else { lastPending = previous }
    }

    // MARK: Open transactions

    func openTransaction(_ target: ObjectIdentifier, _ slot: Int) -> Int? {
        openTransactions.withUnsafeBufferPointer { transactions in
            transactions.lastIndex { $0.isOf(target, slot) }
        }
    }

    /// The notification of an open transaction with a token.
    func openNotification(token: UInt) -> Borrowed<PendingNotification>? {
        for transaction in openTransactions.reversed() {
            if let found = transaction.notification(where: { $0.event.token == token }) { return found }
        }
        return nil
    }

    /// The notifications that open transactions have of a subject, that of the last range of its observers last.
    func openNotifications(_ identity: PendingNotification.Identity) -> [Borrowed<PendingNotification>] {
        var found: [Borrowed<PendingNotification>] = []
        for transaction in openTransactions {
            transaction.forEachNotification { if $0.identity == identity { found.append(.to($0)) } }
        }
        return found
    }

    mutating func removeTransaction(at index: Int) -> Transaction {
        defer { if openTransactions.isEmpty, openTransactions.capacity > Self.poolLimit { openTransactions = [] } }
        return openTransactions.remove(at: index)
    }

    /// A token that no other change of the process has. A thread takes them in blocks of 65,536, which no other thread has.
    mutating func makeToken() -> UInt {
        if lastToken & 0xFFFF == 0 { lastToken = Self.tokenBlocks.wrappingAdd(1, ordering: .relaxed).newValue << 16 }
        lastToken += 1
        return lastToken
    }
}

extension InPlace where Value == ThreadContext {
    /// Whether an open change, or the `coalescingChanges` under way, has a subject. Not a method of the context, which would be copied.
    @inline(__always)
    func isHeld(_ identity: PendingNotification.Identity) -> Bool {
        if let coalescing = value.coalescing, coalescing.use({ $0.lastHeld(identity) }) != nil { return true }
        return !value.openTransactions.isEmpty && !value.openNotifications(identity).isEmpty
    }

    /// Returns a notification to the pool. Its values and its subject are released: user code runs.
    @inline(__always)
    func giveBack(_ notification: Borrowed<PendingNotification>) {
        notification.use { $0.clear() }
        value.keep(notification)
    }

    func giveBack(_ chain: NotificationChain) {
        var cursor = chain.first
        while let notification = cursor {
            cursor = notification.use { $0.next }
            giveBack(notification)
        }
    }
}

#if DEBUG
    extension ThreadContext {
        /// Traps if the open changes do not agree about what they share: each of their notifications belongs to one of them, and counts
        /// all that it waits for, and maybe one that begins and is not open yet. What exists for prior calls only waits for nothing.
        func checkInvariants() {
            if openTransactions.count > 40 { return }
            var owned: Set<Borrowed<PendingNotification>> = []
            var counts: [Borrowed<PendingNotification>: Int] = [:]
            for transaction in openTransactions {
                transaction.forEachNotification {
                    precondition(owned.insert(.to($0)).inserted, "Two open changes have one notification.")
                }
                for notification in transaction.shared { counts[notification, default: 0] += 1 }
            }
            let counted = owned.allSatisfy { $0.use { $0.isAdded || $0.openCount > counts[.to($0), default: 0] } }
            precondition(counted, "A notification does not count all changes that it waits for.")
            precondition(owned.isSuperset(of: counts.keys), "An open change waits for a notification of none.")
        }
    }
#endif
