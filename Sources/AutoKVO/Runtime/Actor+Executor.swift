internal import CSwiftRuntime

extension Actor {
    /// Whether this thread runs on the actor now.
    ///
    /// An executor is two words, which the runtime's own question takes; the standard library only has the forms that trap.
    nonisolated var isCurrent: Bool {
        let executor = unsafeBitCast(unownedExecutor, to: (identity: UInt, implementation: UInt).self)
        return csr_is_current_executor(executor.identity, executor.implementation)
    }

    /// Puts an operation into the actor's queue before this returns.
    ///
    /// A task whose closure is isolated to an actor is put into the actor's queue by the code that makes the task; any other
    /// arrives there later, by a hop of its own. For an actor that is not global, Swift (6.3) forms such a closure only in a
    /// function that is itself isolated. `startTask` uses nothing of the actor, so it may be called from anywhere.
    nonisolated func enqueue(_ operation: @escaping @Sendable () -> Void) {
        let start: (isolated Self, @escaping @Sendable () -> Void) -> Void = startTask
        unsafeBitCast(start, to: ((Self, @escaping @Sendable () -> Void) -> Void).self)(self, operation)
    }
}

private func startTask<A: Actor>(on actor: isolated A, _ operation: @escaping @Sendable () -> Void) {
    Task {
        // The closure is isolated only if it captures the actor.
        _ = actor
        operation()
    }
}
