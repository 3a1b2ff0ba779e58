/// Where changes are delivered that are not to be delivered on the thread that makes them.
///
/// Anything that can run a closure later can adopt it: an event loop, a queue, a thread of your own.
///
///     struct OnMyLoop: ChangeScheduler {
///         let loop: EventLoop
///         func schedule(_ operation: @escaping @Sendable () -> Void) { loop.execute(operation) }
///     }
///
/// An observation schedules one operation for each change, so that a change keeps its place among the other work of a
/// scheduler that runs its work in order. The observation keeps its changes in order itself: a scheduler may run operations
/// concurrently, in another order than it received them, and before `schedule` returns. An operation never waits for another.
public protocol ChangeScheduler: Sendable {
    /// Runs the operation once, at any time, on any thread. May be called from any thread. An operation that is released without having
    /// run drops its change.
    func schedule(_ operation: @escaping @Sendable () -> Void)
}

/// A scheduler that runs its operations on the main thread, for a program whose main thread is in another loop than Swift's own.
///
/// `.mainActor` needs somebody who runs the main queue: an asynchronous `main`, `dispatchMain()`, Foundation's `RunLoop`. A program
/// whose main thread is in the loop of GLib, Qt or SDL adopts this in place of `ChangeScheduler`, and has handlers that are the main
/// actor's, wherever `.mainActor` is accepted:
///
///     struct GLibScheduler: MainActorChangeScheduler {
///         func schedule(_ operation: @escaping @Sendable () -> Void) { onNextTurnOfTheLoop(operation) }
///     }
///     extension ChangeScheduler where Self == GLibScheduler { static var glib: GLibScheduler { GLibScheduler() } }
///
///     person.$age.observe(for: panel, on: .glib) { panel, change in … }
///
/// - Precondition: `schedule(_:)` runs operations on the main thread. One that runs elsewhere traps.
public protocol MainActorChangeScheduler: ChangeScheduler {}

/// Delivers changes on the main actor: `.mainActor`.
///
/// If nobody runs the main queue within a second, a debug build reports that to `Diagnostics`, once.
public struct MainActorScheduler: MainActorChangeScheduler {
    /// Makes the scheduler of the main actor. All are equal.
    @export(implementation) public init() {}

    @export(implementation) public func schedule(_ operation: @escaping @Sendable () -> Void) {
        #if DEBUG
            MainQueueCheck.begin()
        #endif
        Task { @MainActor in operation() }
    }
}

extension ChangeScheduler where Self == MainActorScheduler {
    /// The main actor.
    @export(implementation) public static var mainActor: MainActorScheduler { MainActorScheduler() }
}

extension MainActorChangeScheduler {
    /// Runs what an operation of the scheduler is for. (Elsewhere `assumeIsolated` would end the program without a word.)
    func run(_ body: @MainActor () -> Void) {
        requireUsage(
            MainActor.shared.isCurrent,
            "\(type(of: self)), a MainActorChangeScheduler, has run an operation on another thread than the main one.")
        MainActor.assumeIsolated(body)
    }
}
