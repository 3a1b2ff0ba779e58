// The forms with any scheduler are disfavoured, so that `.mainActor` gets a handler that is typed as the main actor's.

extension KeyValueObserver where Self: TrackedObject {
    /// Observes any key path of the object and delivers its changes elsewhere, in order:
    /// `person.observe(\.age, on: .mainActor) { change in … }`.
    ///
    /// A value that is computed from what the key path reads is computed on the thread of the change, and only the handler runs
    /// elsewhere. See `TrackedObject.observe(_:as:options:userInfo:on:file:line:_:)`. Of an observed property the handle has the same form,
    /// also for an actor: `person.$age.observe(on: .mainActor) { change in … }`.
    @_disfavoredOverload
    @discardableResult @export(implementation) public func observe<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some ChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, file, line) { $0.handler(on: scheduler, handler) }
            .observe(keyPath, of: self)
    }

    /// Observes any key path of the object and delivers its changes on the main actor, in order.
    @discardableResult @export(implementation) public func observe<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, file, line) { $0.handler(onMain: scheduler, handler) }
            .observe(keyPath, of: self)
    }
}
