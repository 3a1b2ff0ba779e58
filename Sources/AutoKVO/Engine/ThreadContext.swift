internal import CDeallocHook

/// What one thread needs while changes are under way on it: made when it is first asked for, freed when the thread ends.
///
/// Only its own thread ever touches it, so it has no lock. It is plain memory behind a pointer, not an object, because
/// it is read in every delivery and a reference would be retained and released each time.
struct ThreadContext {
    /// Change contexts that no handler kept, linked through `nextSpare`, for the next delivery.
    var spareContexts: Borrowed<ChangeContext>?
    /// Notifications for the next change, linked through `next`.
    fileprivate var spareNotifications: Borrowed<PendingNotification>?
    /// Notifications with observers that are still to be called, the outermost delivery's first.
    private(set) var firstPending: Borrowed<PendingNotification>?
    private var lastPending: Borrowed<PendingNotification>?
    /// The changes that have begun and not ended on this thread, the outermost first.
    var openTransactions: [Transaction] = []
    /// Counts the notifications of this thread, to tell them apart.
    var serial: UInt = 0
    /// The outermost `coalescingChanges` under way, if any.
    var coalescing: CoalescedChanges?
    /// Routes that are to be started or ended when those being started or ended are done.
    var pathWork: [PathWork] = []
    var isDoingPathWork = false
    #if DEBUG
        /// What tests have put at points that this thread comes to.
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
            while var transaction = state.value.openTransactions.popLast() { transaction.drop(state) }
            while let notification = state.value.takeSpareNotification() { notification.release() }
            state.deallocate()
        }
        precondition(stored, "AutoKVO could not get memory for the state of a thread.")
        return state
    }

    @inline(__always)
    private mutating func takeSpareContext() -> Borrowed<ChangeContext>? {
        guard let context = spareContexts else { return nil }
        spareContexts = context.use { $0.nextSpare }
        return context
    }

    @inline(__always)
    mutating func takeContext() -> Borrowed<ChangeContext> {
        takeSpareContext() ?? Borrowed.retaining(ChangeContext())
    }

    /// Takes back a context that nobody else refers to.
    @inline(__always)
    mutating func giveBack(_ context: Borrowed<ChangeContext>) {
        context.use { $0.nextSpare = spareContexts }
        spareContexts = context
    }

    // MARK: Notifications

    @inline(__always)
    private mutating func takeSpareNotification() -> Borrowed<PendingNotification>? {
        guard let notification = spareNotifications else { return nil }
        spareNotifications = notification.use { $0.next }
        return notification
    }

    @inline(__always)
    mutating func takeNotification() -> Borrowed<PendingNotification> {
        takeSpareNotification() ?? Borrowed.retaining(PendingNotification())
    }

    @inline(__always)
    mutating func appendPending(_ notification: PendingNotification) {
        let this = Borrowed.to(notification)
        notification.isPending = true
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

    /// What the open transactions will notify a subject of.
    func openNotification(_ identity: UnsafeRawPointer) -> Borrowed<PendingNotification>? {
        for transaction in openTransactions {
            if let found = transaction.notification(where: { $0.identity == identity }) { return found }
        }
        return nil
    }

    /// What no other notification of any thread has, as long as both are under way.
    mutating func makeToken(_ this: InPlace<ThreadContext>) -> UInt {
        serial += 1
        return UInt(bitPattern: this.address) &* 31 &+ serial
    }
}

extension InPlace where Value == ThreadContext {
    /// Takes back a notification that is over. Its values and its subject are released: user code runs.
    @inline(__always)
    func giveBack(_ notification: Borrowed<PendingNotification>) {
        notification.use {
            $0.clear()
            $0.next = value.spareNotifications
        }
        value.spareNotifications = notification
    }

    func giveBack(_ chain: NotificationChain) {
        var cursor = chain.first
        while let notification = cursor {
            cursor = notification.use { $0.next }
            giveBack(notification)
        }
    }
}
