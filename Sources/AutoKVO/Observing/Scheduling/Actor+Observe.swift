/// Actors as observers. Their handlers run on the actor and so may use its state.
extension KeyValueObserver where Self: Actor {
    /// Observes key paths of an object whose values are of a `Sendable` type.
    ///
    /// A change that is made on the actor is delivered at once, before the write returns, as to any observer. A change
    /// made anywhere else is delivered on the actor as soon as that is free, and the write does not wait. In both cases
    /// changes arrive in the order in which they were made; those under way when the observation ends are dropped.
    ///
    /// The observation ends when either side dies; it keeps neither alive.
    ///
    /// - Throws: A `KeyValueError` for a path that the target's class does not have, or whose values can never be of
    ///   the type.
    @discardableResult @export(implementation) public nonisolated func observe<Value: Sendable>(
        _ keyPaths: some KeyPathSet, of target: TrackedObject, as type: Value.Type, options: ObservingOptions = [],
        userInfo: (any Sendable)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (isolated Self, Change<Value>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        let delivery = OrderedDelivery()
        delivery.deliverOnActor(handler)
        return try target.addObserver(
            self, forKeyPath: keyPaths, as: type, options: options, userInfo: userInfo, file: file, line: line
        ) { (actor: Self, change: Change<Value>) in
            guard actor.isCurrent else { return delivery.send(change, to: actor) }
            delivery.callWaiting(on: actor)
            IsolatedHandler(handler)(actor, change)
        }.closing(delivery)
    }

    /// Observes key paths of an object that the actor owns: all changes have to be made on the actor.
    ///
    /// The values may be of any type, so they cannot be sent to the actor: a change that is made elsewhere stops the
    /// program with a sentence, as `assumeIsolated` does. For values of a `Sendable` type use the form with `as:`.
    ///
    /// - Throws: A `KeyValueError` for a path that the target's class does not have.
    @discardableResult @export(implementation) public nonisolated func observe(
        _ keyPaths: some KeyPathSet, of target: TrackedObject, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (isolated Self, Change<Any>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try target.addObserver(
            self, forKeyPath: keyPaths, options: options, userInfo: userInfo, file: file, line: line
        ) { (actor: Self, change: Change<Any>) in
            requireUsage(
                actor.isCurrent,
                "\(quoted(change.keyPath)) changed outside of the actor \(Self.self), which observes it with values of any "
                    + "type. Make the change on the actor, or observe it as a Sendable type, with as:.")
            IsolatedHandler(handler)(actor, change)
        }
    }
}

/// A handler that is isolated to an actor, called where this thread runs on the actor, with a change that nothing else uses: it was made
/// on the actor, or is a copy with values that are `Sendable`. `assumeIsolated`, with a closure that calls the handler, would allocate
/// two blocks.
@usableFromInline struct IsolatedHandler<A: Actor, Value> {
    private struct Free { let body: (A, Change<Value>) -> Void }
    private let body: @Sendable (isolated A, Change<Value>) -> Void

    @usableFromInline init(_ body: @escaping @Sendable (isolated A, Change<Value>) -> Void) { self.body = body }

    @usableFromInline func callAsFunction(_ actor: A, _ change: Change<Value>) {
        withoutIsolation(self, as: Free.self).body(actor, change)
    }
}
