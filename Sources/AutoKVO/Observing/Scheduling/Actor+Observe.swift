/// Actors as observers. Their handlers run on the actor and so may use its state.
extension KeyValueObserver where Self: Actor {
    /// Observes key paths of an object whose values are of a `Sendable` type.
    ///
    /// A change that is made on the actor is delivered at once, before the write returns, as to any observer. A change
    /// made anywhere else is delivered on the actor as soon as that is free, and the write does not wait. In both cases
    /// changes arrive in the order in which they were made; those under way when the observation ends are dropped.
    /// Whether this thread runs on the actor, an executor of one's own says by `isIsolatingCurrentContext`. One that has only
    /// `checkIsolated` cannot be asked without ending the program: outside of the actor's tasks its changes count as made elsewhere.
    ///
    /// The observation ends when either side dies; it keeps neither alive.
    ///
    /// - Throws: A `KeyValueError` for a path that the target's class does not have, or whose values can never be of
    ///   the type.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @discardableResult @export(implementation) public nonisolated func observe<Value: Sendable>(
        _ keyPaths: some KeyPathSet, of target: TrackedObject, as type: Value.Type,
        options: ObservingOptions = [], userInfo: (any Sendable)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @Sendable (isolated Self, Change<Value>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, as: type, file, line) { $0.handler(onActor: handler, isAtOnce: true) }
            .observe(keyPaths, of: target, by: self)
    }

    /// Observes key paths of an object, with a handler that is called at each change and does not get it.
    ///
    ///     try observe("age|address.city", of: person) { panel in panel.isStale = true }
    ///
    /// A value that is not known to be `Sendable` cannot be sent to the actor. For the values, use the form with `as:`, which delivers
    /// changes at the same moments. A change that concerns several of the paths calls the handler once.
    ///
    /// - Parameters:
    ///   - keyPaths: A path, several separated by `|`, an array or set of paths, or any `KeyPathSet`.
    ///   - target: The object. It is not kept alive.
    ///   - options: When the handler is called, and when the observation ends. `.old` and `.new` have no effect.
    ///   - userInfo: The observation's `userInfo`.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Called on the actor, which it gets.
    /// - Returns: The observation. It need not be kept.
    /// - Throws: A `KeyValueError` for a path that the target's class does not have.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @discardableResult @export(implementation) public nonisolated func observe(
        _ keyPaths: some KeyPathSet, of target: TrackedObject,
        options: ObservingOptions = [], userInfo: (any Sendable)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @Sendable (isolated Self) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options.withoutValues, userInfo, file, line) {
            $0.handler(
                onActor: { (actor: isolated Self, _: Change<Never>) in handler(actor) }, isAtOnce: true, .observer)
        }
        .observe(keyPaths, of: target, by: self)
    }
}

/// A handler that is isolated to an actor, called where this thread runs on the actor, with a change that nothing else uses: it was made
/// on the actor, or is a copy with values that are `Sendable`. `assumeIsolated`, with a closure that calls the handler, would allocate
/// two blocks.
struct IsolatedHandler<A: Actor, Value> {
    private struct Free { let body: (A, Change<Value>) -> Void }
    let body: @Sendable (isolated A, Change<Value>) -> Void

    func callAsFunction(_ actor: A, _ change: Change<Value>) {
        withoutIsolation(self, as: Free.self).body(actor, change)
    }
}
