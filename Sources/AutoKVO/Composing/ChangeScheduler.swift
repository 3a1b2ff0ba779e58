/// Where changes are delivered that are not to be delivered on the thread that makes them.
///
/// Whatever can run a closure later can adopt it: an event loop, a queue, a thread of one's own.
///
///     struct OnMyLoop: ChangeScheduler {
///         let loop: EventLoop
///         func schedule(_ operation: @escaping @Sendable () -> Void) { loop.execute(operation) }
///     }
///
/// An observation hands over one operation for each change, so that a change keeps its place among the other work of a
/// scheduler that runs its work in order. It sees to the order of the changes itself: a scheduler need not run operations
/// one after the other, nor in the order in which it got them, and may run one before `schedule` returns. An operation
/// never waits for another.
public protocol ChangeScheduler: Sendable {
    /// Runs the operation, once, on whatever thread and whenever it likes. May be called from any thread.
    func schedule(_ operation: @escaping @Sendable () -> Void)
}

/// Delivers changes on the main actor: `.mainActor`.
public struct MainActorScheduler: ChangeScheduler {
    /// The main actor: there is only one, so all are alike.
    public init() {}

    public func schedule(_ operation: @escaping @Sendable () -> Void) {
        Task { @MainActor in operation() }
    }
}

extension ChangeScheduler where Self == MainActorScheduler {
    /// The main actor.
    public static var mainActor: MainActorScheduler { MainActorScheduler() }
}

/// Delivers changes on an actor.
struct ActorScheduler<A: Actor>: ChangeScheduler {
    let actor: A

    func schedule(_ operation: @escaping @Sendable () -> Void) {
        // A task whose closure is isolated to an actor is put into the actor's queue by whoever makes it; any other gets
        // there later, by a hop of its own. For an actor that is not global, Swift (6.3) forms such a closure only in a
        // function that is itself isolated. This one uses nothing of the actor, and so may be called from anywhere.
        let start: (isolated A, @escaping @Sendable () -> Void) -> Void = startTask
        unsafeBitCast(start, to: ((A, @escaping @Sendable () -> Void) -> Void).self)(actor, operation)
    }
}

private func startTask<A: Actor>(on actor: isolated A, _ operation: @escaping @Sendable () -> Void) {
    Task {
        // The closure is isolated only if it captures the actor.
        _ = actor
        operation()
    }
}
