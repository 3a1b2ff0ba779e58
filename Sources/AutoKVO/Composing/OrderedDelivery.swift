/// Changes of one observation on their way to where they are delivered: a queue that is emptied one at a time, in
/// order, whatever the scheduler does.
///
/// When the observation ends what is under way is dropped.
final class OrderedDelivery: @unchecked Sendable {
    private let lock = ShortLock()
    // Guarded by `lock`.
    private var waiting: [@Sendable () -> Void] = []
    /// Whether a scheduler has been given the work of emptying the queue.
    private var isScheduled = false
    private var isClosed = false

    /// Adds a call behind the others.
    func add(on scheduler: some ChangeScheduler, _ call: @escaping @Sendable () -> Void) {
        let isFirst = lock.withLock {
            if isClosed { return false }
            waiting.append(call)
            defer { isScheduled = true }
            return !isScheduled
        }
        if isFirst { scheduler.schedule { self.deliver(on: scheduler) } }
    }

    /// Calls what is waiting. What is added meanwhile is left to another turn, so that others get theirs.
    private func deliver(on scheduler: some ChangeScheduler) {
        callWaiting()
        let isDone = lock.withLock {
            isScheduled = !waiting.isEmpty
            return waiting.isEmpty
        }
        if !isDone { scheduler.schedule { self.deliver(on: scheduler) } }
    }

    /// Calls what is waiting, here and now.
    func callWaiting() {
        for call in takeWaiting() {
            if lock.withLock({ isClosed }) { break }
            call()
        }
    }

    private func takeWaiting() -> [@Sendable () -> Void] {
        lock.withLock {
            defer { waiting = [] }
            return waiting
        }
    }

    /// Drops what is waiting and takes nothing more.
    func close() {
        lock.withLock { isClosed = true }
        _ = takeWaiting()
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
