import AutoKVO
import AutoKVOTestSupport

/// Runs what it was given on request, the latest first.
final class ManualScheduler: ChangeScheduler, @unchecked Sendable {
    private var operations: [@Sendable () -> Void] = []

    func schedule(_ operation: @escaping @Sendable () -> Void) { operations.append(operation) }

    func runAll() { while let operation = operations.popLast() { operation() } }
}

/// Runs what it was given on request, in order, one at a time.
final class SerialScheduler: ChangeScheduler, @unchecked Sendable {
    private var operations: [@Sendable () -> Void] = []

    /// Called first by each `schedule`.
    var delay: (@Sendable () -> Void)?

    func schedule(_ operation: @escaping @Sendable () -> Void) {
        delay?()
        operations.append(operation)
    }

    func runFirst() { takeFirst()() }

    func takeFirst() -> @Sendable () -> Void { operations.removeFirst() }

    func runAll() { while !operations.isEmpty { runFirst() } }

    func takeAll() -> [@Sendable () -> Void] {
        defer { operations = [] }
        return operations
    }
}

/// Runs what it is given at once.
struct InlineScheduler: ChangeScheduler {
    func schedule(_ operation: @escaping @Sendable () -> Void) { operation() }
}

/// Runs what it is given on a new thread.
struct NewThreadScheduler: ChangeScheduler {
    func schedule(_ operation: @escaping @Sendable () -> Void) { Task.detached { operation() } }
}

actor Collector {
    private(set) var ages: [Int] = []
    private(set) var paths: [String] = []
    let token: LifetimeToken?

    init(_ tracker: LifetimeTracker? = nil) { token = tracker?.token() }

    func add(_ change: Change<Int>) {
        ages.append(change.newValue ?? -1)
        paths.append(change.keyPath)
    }
}
