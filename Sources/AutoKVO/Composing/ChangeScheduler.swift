/// Where changes are delivered that are not to be delivered on the thread that makes them.
///
/// Whatever can run a closure later can adopt it: an event loop, a queue, a thread of one's own.
///
///     struct OnMyLoop: ChangeScheduler {
///         let loop: EventLoop
///         func schedule(_ operation: @escaping @Sendable () -> Void) { loop.execute(operation) }
///     }
///
/// An observation hands over one operation at a time and puts the changes in order itself, so a scheduler need not run
/// operations one after the other, nor in the order in which it got them.
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
        Task { await actor.run(operation) }
    }
}

extension Actor {
    fileprivate func run(_ operation: @Sendable () -> Void) { operation() }
}
