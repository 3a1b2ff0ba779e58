internal import CSwiftRuntime

/// A number that no other thread has while this one runs. Never zero.
func thisThread() -> UInt { csr_this_thread() }

/// Identifies the task that runs on this thread, as long as it runs or waits. Zero if none does.
func currentTask() -> UInt { csr_current_task() }

extension Actor {
    /// Whether this thread runs on the actor now: what `assumeIsolated` accepts, as far as that can be found out without ending the program.
    /// That is not so for an executor that has only `checkIsolated`, outside of the actor's tasks.
    nonisolated var isCurrent: Bool {
        (RuntimeCheck.holds(.currentExecutor) ? isCurrentExecutor : isStartedAtOnce) || isOnMainQueue
    }

    /// **Assumption** `currentExecutor`: an executor is two words, which the runtime's own questions take; the standard library
    /// only has the forms that trap.
    fileprivate nonisolated var isCurrentExecutor: Bool {
        let executor = executorWords(unownedExecutor)
        return csr_is_current_executor(executor.identity, executor.implementation)
    }

    /// Whether the actor is the main actor, or has its executor, and this thread runs on the main queue. Swift's main executor has only
    /// `checkIsolated`, and its other questions know the main thread alone: not the queue, which another thread serves in a
    /// program with an asynchronous `main` or with `dispatchMain()`.
    private nonisolated var isOnMainQueue: Bool {
        executorWords(unownedExecutor).identity == executorWords(MainActor.sharedUnownedExecutor).identity
            && csr_is_on_main_queue()
    }

    /// Whether a task of the actor that is to start immediately does so on this thread, which it can only where this thread runs
    /// on the actor. Otherwise it starts on another thread, perhaps at once, or later.
    private nonisolated var isStartedAtOnce: Bool {
        let thread = Guarded<UInt>(0)
        StartFunction(startImmediately)(self) { thread.withLock { $0 = thisThread() } }
        return thread.withLock { $0 } == thisThread()
    }

    /// Puts an operation into the actor's queue before this returns.
    ///
    /// **Assumption** `actorQueue`: a task whose closure is isolated to an actor is put into the actor's queue by the code that
    /// makes the task; any other arrives there later, by a hop of its own. For an actor that is not global, Swift (6.3) forms
    /// such a closure only in a function that is itself isolated. `startTask` uses nothing of the actor, so it may be called
    /// from anywhere.
    nonisolated func enqueue(_ operation: @escaping @Sendable () -> Void) { StartFunction(startTask)(self, operation) }
}

private func executorWords(_ executor: UnownedSerialExecutor) -> (identity: UInt, implementation: UInt) {
    unsafeBitCast(executor, to: (identity: UInt, implementation: UInt).self)
}

/// A function that starts a task of an actor, called from anywhere.
private struct StartFunction {
    typealias Operation = @Sendable () -> Void
    private struct Isolated { let body: (isolated any Actor, @escaping Operation) -> Void }
    private let body: (any Actor, @escaping Operation) -> Void

    init(_ body: @escaping (isolated any Actor, @escaping Operation) -> Void) {
        self = withoutIsolation(Isolated(body: body), as: StartFunction.self)
    }

    func callAsFunction(_ actor: any Actor, _ operation: @escaping Operation) { body(actor, operation) }
}

private func startTask(on actor: isolated any Actor, _ operation: @escaping @Sendable () -> Void) {
    Task {
        // The closure is isolated only if it captures the actor.
        _ = actor
        operation()
    }
}

private func startImmediately(on actor: isolated any Actor, _ operation: @escaping @Sendable () -> Void) {
    Task.immediate {
        _ = actor
        operation()
    }
}

/// An actor that runs what is put into its queue before the call returns, so that a probe does not wait.
actor InlineActor {
    private final class Executor: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) { job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    private let executor = Executor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Whether this thread runs on the actor, and on another one, as asked by an operation of the actor. Empty if that has not run.
    static func probe() -> [Bool] {
        let (actor, other) = (InlineActor(), InlineActor())
        let answers = Guarded<[Bool]>([])
        actor.enqueue { answers.withLock { $0 = [actor.isCurrentExecutor, other.isCurrentExecutor] } }
        return answers.withLock { $0 }
    }
}
