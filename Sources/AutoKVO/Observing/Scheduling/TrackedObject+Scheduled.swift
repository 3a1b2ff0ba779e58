// The forms with any scheduler are disfavoured, so that `.mainActor` gets a handler that is typed as the main actor's.

extension TrackedObject {
    /// Observes key paths and delivers their changes elsewhere, in the order in which they were made.
    ///
    /// The write that makes a change does not wait for its delivery. On a scheduler that runs its work in order, such as a
    /// serial queue or an actor, a change keeps its place among the other work. The change carries the values of its time;
    /// when it arrives the property may have others. When the observation is removed, or a side dies, the changes under way are
    /// dropped, also that of a `.once` observation; a handler that is running may finish. The object is kept alive while the handler
    /// runs, so its `deinit` may run there. While a scheduler runs nothing, changes accumulate.
    ///
    /// - Parameters:
    ///   - keyPaths: A path, several separated by `|`, an array or set of paths, or any `KeyPathSet`.
    ///   - type: What the values are, or can be converted to: on the thread of the change, before they are sent.
    ///   - options: What the changes carry and when the observation ends.
    ///   - userInfo: Handed back in each change.
    ///   - scheduler: Where the handler is called. Kept as long as the observation is valid.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Called by the scheduler. `change.target` identifies the object; its properties belong to the thread, or
    ///     actor, that changes them.
    /// - Returns: The observation. It need not be kept.
    /// - Throws: A `KeyValueError` for a path that the object's class does not have, or whose values can never be of
    ///   the type.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @_disfavoredOverload @discardableResult @export(implementation) public func observe<Value: Sendable>(
        _ keyPaths: some KeyPathSet, as type: Value.Type,
        options: ObservingOptions = [], userInfo: (any Sendable)? = nil, on scheduler: some ChangeScheduler,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping @Sendable (Change<Value>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, as: type, file, line) { $0.handler(on: scheduler, handler) }
            .observe(keyPaths, of: self)
    }

    /// Observes key paths and delivers their changes on the main actor, in the order in which they were made. See the
    /// form with any scheduler.
    ///
    /// - Throws: A `KeyValueError` for a path that the object's class does not have, or whose values can never be of
    ///   the type.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Value: Sendable>(
        _ keyPaths: some KeyPathSet, as type: Value.Type,
        options: ObservingOptions = [], userInfo: (any Sendable)? = nil, on scheduler: some MainActorChangeScheduler,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping @MainActor (Change<Value>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, as: type, file, line) { $0.handler(onMain: scheduler, handler) }
            .observe(keyPaths, of: self)
    }

    /// Observes key paths and delivers their changes on an actor, in the order in which they were made.
    ///
    /// The actor is the observation's observer: it is not kept alive, and the observation ends with it. See the form
    /// with any scheduler for the rest.
    ///
    /// - Throws: A `KeyValueError` for a path that the object's class does not have, or whose values can never be of
    ///   the type.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Value: Sendable, A: Actor>(
        _ keyPaths: some KeyPathSet, as type: Value.Type,
        options: ObservingOptions = [], userInfo: (any Sendable)? = nil, on actor: A, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @Sendable (isolated A, Change<Value>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, as: type, file, line) { $0.handler(onActor: handler) }
            .observe(keyPaths, of: self, by: actor)
    }
}
