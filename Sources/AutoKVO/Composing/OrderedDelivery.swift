/// Changes of one observation on their way to where they are delivered, each with a scheduled operation of its own.
///
/// The changes are numbered. An operation delivers the changes up to its own that have not been delivered; if another
/// operation is delivering, it leaves them to that one. So a scheduler that runs operations in order delivers each change in
/// its place, and on any other the changes arrive in order too, one at a time, without a thread that waits.
///
/// When the observation ends what is under way is dropped.
final class OrderedDelivery: @unchecked Sendable {
    private let lock = ShortLock()
    // Guarded by `lock`.
    private var waiting: [UInt: @Sendable () -> Void] = [:]
    private var lastAdded: UInt = 0
    private var lastTaken: UInt = 0
    /// The highest number whose operation has run.
    private var due: UInt = 0
    private var isDelivering = false
    private var isClosed = false

    /// Adds a call behind the others.
    func add(on scheduler: some ChangeScheduler, _ call: @escaping @Sendable () -> Void) {
        let number: UInt? = lock.withLock {
            if isClosed { return nil }
            lastAdded += 1
            waiting[lastAdded] = call
            return lastAdded
        }
        if let number { scheduler.schedule { self.deliver(upTo: number) } }
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

    /// Calls what is waiting, here and now: where nothing else of this observation can run meanwhile.
    func callWaiting() {
        let last = lock.withLock { lastAdded }
        // One by one, since a handler may come here again, and then those before its change go first.
        while let call = lock.withLock({ take(upTo: last) }) { call() }
    }

    /// Under the lock.
    private func take(upTo number: UInt) -> (@Sendable () -> Void)? {
        guard lastTaken < number, let call = waiting.removeValue(forKey: lastTaken + 1) else { return nil }
        lastTaken += 1
        return call
    }

    /// Drops what is waiting and takes nothing more.
    func close() {
        let dropped = lock.withLock {
            defer { waiting = [:] }
            isClosed = true
            return waiting
        }
        withExtendedLifetime(dropped) {}
    }

    /// Closes when an observation ends; not when a `.once` observation has been delivered, whose change is under way
    /// until the observation is removed or a side dies.
    func close(with observation: KeyValueObservation) {
        observation.onDrop { self.close() }
    }
}

/// A change that goes to another thread: a copy that owns what it tells, and in which nothing changes any more.
///
/// The values are `Sendable` and were converted to the type asked for on the thread of the change.
struct SentChange<Value: Sendable>: @unchecked Sendable {
    // The context behind the change belongs to nobody else and is only read; its values are `Sendable`.

    let change: Change<Value>

    init(copyOf change: Change<Value>) {
        self.change = change.detached()
    }
}
