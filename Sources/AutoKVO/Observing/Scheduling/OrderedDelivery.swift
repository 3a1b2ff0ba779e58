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
    private var waiting: [UInt: @Sendable () -> Void] = [:]
    private var lastAdded: UInt = 0
    private var lastTaken: UInt = 0
    /// The highest number whose operation has run.
    private var due: UInt = 0
    private var isDelivering = false
    private var isClosed = false

    @usableFromInline init() {}

    /// Adds a call with a change at the end of the queue.
    private func add<Value: Sendable>(
        _ change: Change<Value>, through schedule: (@escaping @Sendable () -> Void) -> Void,
        _ call: @escaping @Sendable (SentChange<Value>) -> Void
    ) {
        let sent = SentChange(change: change.detached())
        let number: UInt? = lock.withLock {
            if isClosed { return nil }
            lastAdded += 1
            waiting[lastAdded] = { call(sent) }
            return lastAdded
        }
        if let number { schedule { self.deliver(upTo: number) } }
    }

    private func deliver(upTo number: UInt) {
        let isFree = lock.withLock {
            due = max(due, number)
            defer { isDelivering = true }
            return !isDelivering
        }
        if !isFree { return }
        while let call = takeDue() { call() }
    }

    private func takeDue() -> (@Sendable () -> Void)? {
        lock.withLock {
            let call = take(upTo: due)
            isDelivering = call != nil
            return call
        }
    }

    /// Delivers what is in the queue before it returns. Called on the actor on which the queue's operations run.
    @usableFromInline func callWaiting() {
        let last = lock.withLock { lastAdded }
        // One at a time: a handler may make another change, and what is in the queue before that change goes first.
        while let call = lock.withLock({ take(upTo: last) }) { call() }
    }

    /// Under the lock.
    private func take(upTo number: UInt) -> (@Sendable () -> Void)? {
        guard lastTaken < number, let call = waiting.removeValue(forKey: lastTaken + 1) else { return nil }
        lastTaken += 1
        return call
    }

    /// Drops the queue and accepts nothing more.
    fileprivate func close() {
        let dropped = lock.withLock {
            defer { waiting = [:] }
            isClosed = true
            return waiting
        }
        // Released without the lock.
        withExtendedLifetime(dropped) {}
    }
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
        .closure { (change: Change<Value>) in self.add(change, through: scheduler.schedule) { handler($0.change) } }
    }

    /// The same for the main actor.
    @usableFromInline func handler<Value: Sendable>(
        onMainActor handler: @escaping @MainActor (Change<Value>) -> Void
    ) -> HandlerCall {
        .closure { (change: Change<Value>) in
            self.add(change, through: MainActorScheduler().schedule) { sent in
                MainActor.assumeIsolated { handler(sent.change) }
            }
        }
    }

    /// The same for an actor, which is the observer.
    @usableFromInline func handler<Value: Sendable, A: Actor>(
        onActor handler: @escaping @Sendable (isolated A, Change<Value>) -> Void
    ) -> HandlerCall {
        .closure { (actor: A, change: Change<Value>) in self.send(change, to: actor, handler) }
    }

    /// Delivers a change on an actor, after those that are in the queue.
    @usableFromInline func send<Value: Sendable, A: Actor>(
        _ change: Change<Value>, to actor: A, _ handler: @escaping @Sendable (isolated A, Change<Value>) -> Void
    ) {
        add(change, through: actor.enqueue) { sent in actor.assumeIsolated { handler($0, sent.change) } }
    }
}

/// A change that goes to another thread: an immutable copy (`detached()`) that owns its values.
///
/// The values are `Sendable` and were converted to the requested type on the thread of the change.
private struct SentChange<Value: Sendable>: @unchecked Sendable {
    // Nothing else refers to the context behind the change, which is only read; its values are `Sendable`.
    let change: Change<Value>
}
