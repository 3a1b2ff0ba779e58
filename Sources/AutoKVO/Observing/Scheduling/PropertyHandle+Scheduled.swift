// The forms with any scheduler are disfavoured, so that `.mainActor` gets a handler that is typed as the main actor's.

extension PropertyHandles where Value: Sendable {
    /// Observes the property and delivers its changes elsewhere, in order. See
    /// `TrackedObject.observe(_:as:options:userInfo:on:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @_disfavoredOverload @discardableResult @export(implementation) public func observe(
        options: ObservingOptions = [], userInfo: (any Sendable)? = nil, on scheduler: some ChangeScheduler,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping @Sendable (Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, file, line) { $0.handler(on: scheduler, handler) }.observe(targets)
    }

    /// Observes the property and delivers its changes on the main actor, in order. The write does not wait for them.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe(
        options: ObservingOptions = [], userInfo: (any Sendable)? = nil, on scheduler: some MainActorChangeScheduler,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping @MainActor (Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, file, line) { $0.handler(onMain: scheduler, handler) }.observe(targets)
    }

    /// Observes the property and delivers its changes on an actor, in order. The write does not wait for them. The actor is the
    /// observer: it is not kept alive, and the observation ends when it dies.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<A: Actor>(
        options: ObservingOptions = [], userInfo: (any Sendable)? = nil, on actor: A, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @Sendable (isolated A, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, file, line) { $0.handler(onActor: handler) }.observe(targets, by: actor)
    }
}
