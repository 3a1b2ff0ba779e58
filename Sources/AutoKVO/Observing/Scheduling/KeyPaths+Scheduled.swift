// The forms with any scheduler are disfavoured, so that `.mainActor` gets a handler that is typed as the main actor's.

extension KeyValueObserver where Self: TrackedObject {
    /// Observes a property that the compiler has checked and delivers its changes elsewhere, in order:
    /// `person.observe(\.age, on: .mainActor) { change in … }`.
    ///
    /// The schema has to declare a key with the key path; anything else is a mistake in code and traps. See
    /// `TrackedObject.observe(_:as:options:userInfo:on:file:line:_:)`. The handle has the same form, for every observed property:
    /// `person.$age.observe(on: .mainActor) { change in … }`.
    @_disfavoredOverload
    @discardableResult @export(implementation) public func observe<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some ChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (Change<Value>) -> Void
    ) -> KeyValueObservation {
        let delivery = OrderedDelivery()
        return Registration(options, userInfo, delivery.handler(on: scheduler, handler), file, line)
            .observe(keyPath, of: self).closing(delivery)
    }

    /// Observes a property that the compiler has checked and delivers its changes on the main actor, in order.
    @discardableResult @export(implementation) public func observe<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: MainActorScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Change<Value>) -> Void
    ) -> KeyValueObservation {
        let delivery = OrderedDelivery()
        return Registration(options, userInfo, delivery.handler(onMainActor: handler), file, line)
            .observe(keyPath, of: self).closing(delivery)
    }
}
