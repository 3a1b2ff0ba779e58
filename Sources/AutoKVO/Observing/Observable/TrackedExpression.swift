import Observation
import Synchronization

/// What a closure reads of `@Observable` objects, as a property that can be observed like any other. Its observation keeps it.
@usableFromInline final class TrackedExpression<Value: Sendable>: TrackedObject {
    @Observed var value: ReadValue<Value>?

    @usableFromInline var property: Property<ReadValue<Value>?> { $value }
}

/// What has been read. Before that there is nothing, which is not equal to a nil that has been read.
@usableFromInline struct ReadValue<Value>: Equatable {
    @usableFromInline let value: Value

    @usableFromInline init(_ value: Value) { self.value = value }

    @usableFromInline static func == (a: ReadValue, b: ReadValue) -> Bool { areEqual(a.value, b.value) }
}

extension KeyValueObserver {
    /// Observes what a closure reads of `@Observable` objects, on the main actor.
    ///
    ///     owner.observe(tracking: { lamp.level }, on: .mainActor) { owner, level in … }
    ///
    /// The closure is called by the scheduler, at first soon after this call, and again when something has changed that it read: all
    /// changes until then are one value, with `.mainActor` those that the main actor makes without a suspension. The handler gets each value,
    /// the first one too, on the main actor; an equal value is delivered, unless `.distinct` is given. The closure may read
    /// tracked objects, too, through `observable`.
    ///
    /// The observation ends with this object, when it is removed, and, with `.once`, after the first value; a value that is under
    /// way then is dropped. The death of an object that is not a `TrackedObject` is noticed at the next value, or when `isValid` is
    /// read. The observation does not keep this object alive, but it keeps the closures: they should not capture this object, which
    /// the handler gets. Its target is an object of the library, and its one key is "value".
    ///
    /// The objects that the closure reads belong to the main actor: a write elsewhere is a race, as with `Observations` itself.
    ///
    /// An observation that has ended leaves some bytes in what the closure has read, until that changes: Observation does not give them back.
    ///
    /// An operation that the scheduler runs at once, inside of a change, is made in the main queue instead, when the value is stored. One that it
    /// drops is the last: what the closure reads is not followed any more, which is reported to `Diagnostics`.
    ///
    /// - Parameters:
    ///   - tracking: Reads and computes a value.
    ///   - options: `.distinct`, and `.once`, with which the observation cannot be armed again; others have no effect.
    ///   - scheduler: `.mainActor`, or the scheduler of another main loop.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Gets this object and the value, on the main actor.
    /// - Returns: The observation. It need not be kept.
    /// - Complexity: O(1).
    @MainActor @discardableResult @export(implementation) public func observe<Value: Sendable>(
        tracking: @escaping @MainActor () -> Value, options: ObservingOptions = [],
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Self, Value) -> Void
    ) -> KeyValueObservation {
        let expression = TrackedExpression<Value>()
        let observation = expression.property.addObserver(self, options: options.ofExpression, file: file, line: line) {
            owner, change in
            guard let value = change.newValue??.value else { return }
            // All changes are made on the main actor.
            nonisolated(unsafe) let owner = owner
            MainActor.assumeIsolated { handler(owner, value) }
        }
        // Used on the main actor alone.
        nonisolated(unsafe) let follower = expression
        let loop = TrackingLoop(scheduler) { onChange in
            follower.property.value = ReadValue(withObservationTracking({ tracking() }, onChange: onChange))
        }
        // Also one with `.once` that has fired: it cannot be armed again without its loop.
        observation.onEnd { [unowned observation] _ in
            loop.end()
            observation.remove()
        }
        loop.schedule()
        return observation
    }
}

/// Evaluates by a scheduler what a closure reads, again after each change.
@usableFromInline final class TrackingLoop: Sendable {
    @usableFromInline typealias Step = @MainActor @Sendable (_ onChange: @escaping @Sendable () -> Void) -> Void

    /// In a struct, as in `Diagnostics`: a closure by itself would be wrapped again each time it is read.
    private struct Steps { let evaluate: Step }

    private let scheduler: any MainActorChangeScheduler
    /// Evaluates the closure once; nil when the observation has ended.
    private let steps: Guarded<Steps?>
    /// Whether a change is about to be stored.
    private let isChanging = Atomic(false)

    @usableFromInline init(_ scheduler: any MainActorChangeScheduler, _ step: @escaping Step) {
        (self.scheduler, steps) = (scheduler, Guarded<Steps?>(Steps(evaluate: step)))
    }

    @usableFromInline func schedule() {
        let operation = Operation(self)
        scheduler.schedule { self.scheduler.run { operation.run() } }
    }

    /// Only an operation that runs has the closure's objects followed again.
    private final class Operation: Sendable {
        private let loop: Guarded<TrackingLoop?>

        init(_ loop: TrackingLoop) { self.loop = Guarded(loop) }

        @MainActor func run() { loop.withLock { $0.take() }?.run() }

        deinit {
            if loop.withLock({ $0 })?.steps.withLock({ $0 == nil }) ?? true { return }
            Diagnostics.report(
                "A scheduler has dropped an operation of observe(tracking:): nothing is followed any more")
        }
    }

    @MainActor private func run() {
        if isChanging.load(ordering: .relaxed) { return MainActorScheduler().schedule { self.schedule() } }
        steps.withLock { $0 }?.evaluate {
            if self.steps.withLock({ $0 == nil }) { return }
            self.isChanging.store(true, ordering: .relaxed)
            self.schedule()
            self.isChanging.store(false, ordering: .relaxed)
        }
    }

    /// The closure is released without the lock.
    @usableFromInline func end() { _ = steps.withLock { $0.take() } }
}

extension KeyValueObserver where Self: Sendable {
    /// Observes what a closure reads of `@Observable` objects, on an actor. See `observe(tracking:options:on:file:line:_:)`.
    ///
    /// The actor is kept as long as the observation lasts, since `Observations` keeps what its closure is isolated to. So an
    /// actor cannot observe for itself in this way: to pass this object as the actor is a mistake in code, and traps.
    ///
    /// - Parameters:
    ///   - tracking: Reads and computes a value, on the actor.
    ///   - options: `.distinct`, and `.once`, with which the observation cannot be armed again; others have no effect.
    ///   - actor: Where the closure and the handler are called.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Gets the actor, this object and the value, on the actor.
    /// - Returns: The observation. It need not be kept.
    /// - Complexity: O(1).
    @discardableResult @export(implementation) public nonisolated func observe<Value: Sendable, A: Actor>(
        tracking: @escaping @Sendable (isolated A) -> Value, options: ObservingOptions = [], on actor: A,
        file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (isolated A, Self, Value) -> Void
    ) -> KeyValueObservation {
        if actor === self {
            fatalError("An actor that tracks on itself would be kept alive by its own observation: use another owner.")
        }
        let expression = TrackedExpression<Value>()
        let observation = expression.property.addObserver(self, options: options.ofExpression, file: file, line: line) {
            owner, change in
            guard let value = change.newValue??.value else { return }
            actor.assumeIsolated { handler($0, owner, value) }
        }
        // Used by the task alone.
        nonisolated(unsafe) let follower = expression
        let task = Task { await follow(tracking, on: actor) { follower.property.value = ReadValue($0) } }
        observation.onEnd { [unowned observation] _ in
            task.cancel()
            observation.remove()
        }
        return observation
    }
}

/// Calls a function with each value of a closure, on an actor, until the task is cancelled.
@usableFromInline func follow<Value: Sendable, A: Actor>(
    _ tracking: @escaping @Sendable (isolated A) -> Value, on actor: isolated A, _ body: (Value) -> Void
) async {
    let values = Observations<Value, Never> { tracking(actor) }
    for await value in values { body(value) }
}
