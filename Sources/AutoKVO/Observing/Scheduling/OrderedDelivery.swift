/// The queue of one observation's changes that are delivered elsewhere, each by a scheduled operation of its own.
///
/// The changes are numbered. An operation delivers all undelivered changes up to its own; if another operation is
/// delivering, it leaves them to that one. So a scheduler that runs operations in order delivers each change in its place,
/// and on any other scheduler the changes arrive in order too, one at a time, and no thread waits.
///
/// When the observation ends, the changes that are still in the queue are dropped. A change is also dropped if its target has died, or
/// its path or target was removed from an observation of several, unless the handler ignores the change and that has come to another path, too:
/// this is decided right before the call, for which the target is retained.
///
/// An operation owns its change; the queue does not, unless the operation has run while another one was delivering. So a change is released,
/// and is in the queue no longer, when a scheduler drops its operation without running it.
@usableFromInline final class OrderedDelivery: @unchecked Sendable {
    private let lock = ShortLock()
    // Guarded by `lock`.
    /// The changes that are to be delivered.
    private var changes = MemberList<ScheduledChange>()
    private var lastAdded: UInt = 0
    /// The highest number whose operation has run.
    private var due: UInt = 0
    private var isDelivering = false
    /// Calls the handler with a change, on an actor if changes are delivered on one. Set, without the lock, before the observation is made,
    /// and so before there is a change; nil once the queue is closed.
    var call: Call?

    typealias Call = @Sendable (_ actor: AnyObject?, ChangeContext) -> Void

    /// Adds a change at the end of the queue. Returns it, for an operation to be scheduled; nil if the queue is closed.
    ///
    /// - Parameter value: What is sent with it, besides the values that the observation asked for.
    func add<Value: Sendable>(
        _ change: Change<Value>, for actor: AnyObject? = nil, with value: Any? = nil
    ) -> ScheduledChange? {
        let added = ScheduledChange(change, in: self, for: actor)
        added.value = value
        lock.lock()
        let isOpen = call != nil
        if isOpen {
            added.beginDelivery()
            changes.append(.to(added))
            lastAdded += 1
            added.number = lastAdded
        }
        lock.unlock()
        if isOpen { change.context.calls?.waiting[change.observation] = added.paths }
        return isOpen ? added : nil
    }

    /// Delivers what is due when the operation of a change runs.
    fileprivate func deliver(upTo change: ScheduledChange, on actor: AnyObject?) {
        lock.lock()
        due = max(due, change.number)
        if isDelivering, change.isQueued {
            // Another thread delivers it, perhaps after the operation has been released: the queue owns it from now on.
            change.isOwnedByQueue = true
            Borrowed.to(change).retain()
        }
        var next = isDelivering ? nil : takeDue()
        let call = call
        lock.unlock()
        while let change = next {
            perform(call, change, on: actor)
            next = lock.withLock { takeDue() }
        }
    }

    /// Under the lock.
    private func takeDue() -> ScheduledChange? {
        let next = take(upTo: due)
        isDelivering = next != nil
        return next
    }

    /// Delivers what is in the queue and then a change that is made on the actor on which the queue's operations run.
    func deliverAtOnce<Value: Sendable>(_ change: Change<Value>, on actor: some Actor) {
        // Behind the others: one of their handlers may make another change, before which this one is delivered.
        guard let added = add(change) else { return }
        let call = lock.withLock { self.call }
        while let next = lock.withLock({ take(upTo: added.number) }) { perform(call, next, on: actor) }
    }

    /// Calls the handler with a change that was taken out of the queue, unless it is one to be dropped.
    private func perform(_ call: Call?, _ change: ScheduledChange, on actor: AnyObject?) {
        TestPoint.taken.reach()
        // To the end: an observation that fires does so for this call, and not for a death in it.
        let (target, observer) = (change.target, change.isCounted ? change.observer : nil)
        let isDropped = (target == nil || change.isWithdrawn) && !change.isOfAnotherPath()
        if !isDropped { call?(actor, change) }
        change.endDelivery(wasDropped: isDropped)
        extendLifetime((target, observer))
    }

    /// Under the lock. The change is the caller's.
    private func take(upTo number: UInt) -> ScheduledChange? {
        while let first = changes.first, first.use({ $0.number <= number }) {
            first.use { changes.remove($0) }
            if first.use({ $0.isOwnedByQueue }) { return first.take() }
            // Nil if its operation was dropped, and waits for the lock in its `deinit`.
            if let change = first.objectIfAlive { return change }
            first.use { $0.paths?.drop() }
        }
        return nil
    }

    /// Takes a change out of which the operation was dropped. No effect if it has been delivered, or taken out.
    fileprivate func forget(_ change: ScheduledChange) {
        let isQueued = lock.withLock {
            defer { if change.isQueued { changes.remove(change) } }
            return change.isQueued
        }
        change.endDelivery()
        if isQueued { change.paths?.drop() }
    }

    /// Drops the queue and accepts nothing more.
    func close() {
        let lastCall = lock.withLock { call.take() }
        // Their operations may still refer to them. Released without the lock.
        while let change = lock.withLock({ take(upTo: .max) }) {
            change.endDelivery()
            change.drop()
            change.value = nil
        }
        extendLifetime(lastCall)
    }
}

/// A change in a queue: a copy that owns its values, which were converted on the thread of the change. The operation that is scheduled
/// for it refers to nothing else, so that it needs no memory of its own.
///
/// Constant from when it is in the queue, but for what the queue's lock guards; for what its operation takes out, which runs
/// once; and for what `drop` releases, which belongs to whoever takes it out of the queue.
final class ScheduledChange: ChangeContext, ListMember, @unchecked Sendable {
    // Released by the operation: a handler may keep the change.
    private var delivery: OrderedDelivery?
    private var actor: AnyObject?
    /// Whether it is one of its observation's `deliveries`. Set before it is in the queue; then it belongs to whoever takes it out.
    fileprivate var isCounted = false
    /// What is sent with it.
    fileprivate(set) var value: Any?
    /// Its place in the queue. Set before the operation is scheduled.
    fileprivate var number: UInt = 0
    /// Other paths of the observation to which the change has come, if its handler ignores the change.
    fileprivate let paths: PathsOfCall?
    // The queue's lock guards the following.
    var next: Borrowed<ScheduledChange>?
    var previous: Borrowed<ScheduledChange>?
    fileprivate(set) var isOwnedByQueue = false

    @inline(__always)
    fileprivate init<Value: Sendable>(_ change: Change<Value>, in delivery: OrderedDelivery, for actor: AnyObject?) {
        self.delivery = delivery
        self.actor = actor
        paths = change.context.calls.map { _ in PathsOfCall() }
        super.init(copyOf: change.context, convertingTo: Value.self)
    }

    deinit { delivery?.forget(self) }

    var isQueued: Bool { previous != nil }

    /// Where the first path has gone: whether another one that the observation still has makes the call. Else that is dropped.
    fileprivate func isOfAnotherPath() -> Bool {
        paths?.contains { !$0.root.isDeinitializing && isStillHeard(by: $0) && currentObservation.state != .ended }
            ?? false
    }

    /// Of an observation with `.once`, which fires for it, or for the call behind it: it is counted in that until it is delivered or dropped.
    fileprivate func beginDelivery() {
        isCounted = wants(.once)
        if isCounted { observation!.use { $0.beginDelivery() } }
    }

    fileprivate func endDelivery(wasDropped: Bool? = nil) {
        if isCounted { observation!.object.endDelivery(wasDropped: wasDropped) }
        isCounted = false
    }

    /// Its operation. Run a second time, it does nothing.
    func deliver() { delivery.take()?.deliver(upTo: self, on: actor.take()) }
}
