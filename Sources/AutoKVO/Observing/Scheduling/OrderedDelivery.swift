/// The queue of one observation's changes that are delivered elsewhere, each by a scheduled operation of its own.
///
/// The changes are numbered. An operation delivers all undelivered changes up to its own; if another operation is
/// delivering, it leaves them to that one. So a scheduler that runs operations in order delivers each change in its place,
/// and on any other scheduler the changes arrive in order too, one at a time, and no thread waits.
///
/// When the observation ends, the changes that are still in the queue are dropped.
@usableFromInline final class OrderedDelivery: @unchecked Sendable {
    private let lock = ShortLock()
    // Guarded by `lock`.
    /// The first and the last of the changes in the queue, which owns them. They are linked by `next`.
    private var first: Borrowed<ChangeContext>?
    private var last: Borrowed<ChangeContext>?
    private var lastAdded: UInt = 0
    private var lastTaken: UInt = 0
    /// The highest number whose operation has run.
    private var due: UInt = 0
    private var isDelivering = false
    private var isClosed = false
    /// Calls the handler with a change, on an actor if changes are delivered on one. Set, without the lock, before the observation is made;
    /// nil once the queue is closed.
    private var call: Call?

    private typealias Call = @Sendable (_ actor: AnyObject?, ChangeContext) -> Void

    @usableFromInline init() {}

    deinit { close() }

    /// Adds a change at the end of the queue. Returns it, for an operation to be scheduled; nil if the queue is closed.
    private func add<Value: Sendable>(_ change: Change<Value>, for actor: AnyObject? = nil) -> ScheduledChange? {
        let added = ScheduledChange(change, in: self, for: actor)
        let queued = Borrowed<ChangeContext>.to(added)
        let hold = lock.lock()
        let isOpen = !isClosed
        if isOpen {
            queued.retain()
            if let last { last.use { $0.next = queued } } else { first = queued }
            last = queued
            lastAdded += 1
            added.number = lastAdded
        }
        lock.unlock(hold)
        return isOpen ? added : nil
    }

    /// Delivers what is due when the operation of a change runs.
    fileprivate func deliver(upTo number: UInt, on actor: AnyObject?) {
        let hold = lock.lock()
        due = max(due, number)
        var next = isDelivering ? nil : takeDue()
        let call = call
        lock.unlock(hold)
        while let context = next {
            call?(actor, context.take())
            next = lock.withLock { takeDue() }
        }
    }

    /// Under the lock.
    private func takeDue() -> Borrowed<ChangeContext>? {
        let next = take(upTo: due)
        isDelivering = next != nil
        return next
    }

    /// Delivers what is in the queue before it returns. Called on the actor on which the queue's operations run.
    @usableFromInline func callWaiting(on actor: some Actor) {
        let hold = lock.lock()
        let (last, call) = (lastAdded, call)
        lock.unlock(hold)
        // One at a time: a handler may make another change, and what is in the queue before that change goes first.
        while let context = lock.withLock({ take(upTo: last) }) { call?(actor, context.take()) }
    }

    /// Under the lock. The change is the caller's.
    private func take(upTo number: UInt) -> Borrowed<ChangeContext>? {
        guard lastTaken < number, let next = first else { return nil }
        lastTaken += 1
        first = next.use { $0.next }
        if first == nil { last = nil }
        return next
    }

    /// Drops the queue and accepts nothing more.
    fileprivate func close() {
        var (dropped, lastCall): (Borrowed<ChangeContext>?, Call?) = (nil, nil)
        lock.withLock {
            (dropped, lastCall) = (first, call)
            (first, last, call, isClosed) = (nil, nil, nil, true)
        }
        // Released without the lock.
        while let context = dropped {
            dropped = context.use { $0.next }
            // Its operation may still refer to it.
            context.use { $0.drop() }
            context.release()
        }
        withExtendedLifetime(lastCall) {}
    }
}

/// A change in a queue: a copy that owns its values, which were converted on the thread of the change. The operation that is scheduled
/// for it refers to nothing else, so that it needs no memory of its own.
///
/// Constant from when it is in the queue, but for `next`, which the queue's lock guards; for what its operation takes out, which runs
/// once; and for what `drop` releases, of a change that no handler was called with.
private final class ScheduledChange: ChangeContext, @unchecked Sendable {
    // Released by the operation: a handler may keep the change.
    private var delivery: OrderedDelivery?
    private var actor: AnyObject?
    /// Its place in the queue. Set before the operation is scheduled.
    var number: UInt = 0

    @inline(__always)
    init<Value: Sendable>(_ change: Change<Value>, in delivery: OrderedDelivery, for actor: AnyObject?) {
        self.delivery = delivery
        self.actor = actor
        super.init(copyOf: change.context, convertingTo: Value.self)
    }

    /// Its operation. Run a second time, it does nothing.
    func deliver() { delivery.take()?.deliver(upTo: number, on: actor.take()) }
}

extension KeyValueObservation {
    /// Closes a queue when the observation is removed or a side dies. The queue stays open when a `.once` observation has
    /// fired, whose change is still to be delivered.
    @usableFromInline func closing(_ delivery: OrderedDelivery) -> KeyValueObservation {
        onDrop { delivery.close() }
        return self
    }
}

// MARK: Handlers

extension OrderedDelivery {
    /// The handler, on the thread of the change, of an observation that is delivered on a scheduler.
    @usableFromInline func handler<Value: Sendable>(
        on scheduler: some ChangeScheduler, _ handler: @escaping @Sendable (Change<Value>) -> Void
    ) -> HandlerCall {
        call = { _, context in handler(Change(context)) }
        return .closure { (change: Change<Value>) in
            if let added = self.add(change) { scheduler.schedule { added.deliver() } }
        }
    }

    /// The same for the main actor.
    @usableFromInline func handler<Value: Sendable>(
        onMainActor handler: @escaping @MainActor (Change<Value>) -> Void
    ) -> HandlerCall {
        self.handler(on: MainActorScheduler()) { (change: Change<Value>) in
            // Nothing else refers to the change, whose values are `Sendable`.
            nonisolated(unsafe) let change = change
            MainActor.assumeIsolated { handler(change) }
        }
    }

    /// The same for an actor, which is the observer.
    @usableFromInline func handler<Value: Sendable, A: Actor>(
        onActor handler: @escaping @Sendable (isolated A, Change<Value>) -> Void
    ) -> HandlerCall {
        deliverOnActor(handler)
        return .closure { (actor: A, change: Change<Value>) in self.send(change, to: actor) }
    }

    /// Sets the handler of changes that are sent to an actor.
    @usableFromInline func deliverOnActor<Value: Sendable, A: Actor>(
        _ handler: @escaping @Sendable (isolated A, Change<Value>) -> Void
    ) {
        call = { actor, context in IsolatedHandler(handler)(known(actor!, as: A.self), Change(context)) }
    }

    /// Delivers a change on an actor, after those that are in the queue.
    @usableFromInline func send<Value: Sendable>(_ change: Change<Value>, to actor: some Actor) {
        if let added = add(change, for: actor) { actor.enqueue { added.deliver() } }
    }
}
