// The forms with any scheduler are disfavoured, so that `.mainActor` gets a handler that is typed as the main actor's.

extension KeyValueObserver where Self: TrackedObject {
    /// Observes any key path of the object and delivers its changes elsewhere, in order:
    /// `person.observe(\.age, on: .mainActor) { change in … }`.
    ///
    /// A value that is computed from what the key path reads is computed on the thread of the change, and only the handler runs
    /// elsewhere. See `TrackedObject.observe(_:as:options:userInfo:on:file:line:_:)`. Of an observed property the handle has the same form,
    /// also for an actor: `person.$age.observe(on: .mainActor) { change in … }`.
    ///
    /// - Complexity: O(*n*) for *n* keys of the class; O(1) for the key path of a key, if it is one of those used last. Of any other also O(*m*)
    ///   for *m* reads.
    @_disfavoredOverload @discardableResult @export(implementation) public func observe<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some ChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, file, line) { $0.handler(on: scheduler, handler) }.observe(keyPath, of: self)
    }

    /// Observes any key path of the object and delivers its changes on the main actor, in order.
    ///
    /// - Complexity: O(*n*) for *n* keys of the class; O(1) for the key path of a key, if it is one of those used last. Of any other also O(*m*)
    ///   for *m* reads.
    @discardableResult @export(implementation) public func observe<Value: Sendable>(
        _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, file, line) { $0.handler(onMain: scheduler, handler) }
            .observe(keyPath, of: self)
    }

    /// Observes a property by the key path of its handle and delivers its changes elsewhere, in order:
    /// `person.observe(\.$age, on: queue) { change in … }`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @_disfavoredOverload @discardableResult @export(implementation) public func observe<Handle: PropertyHandle>(
        _ keyPath: KeyPath<Self, Handle>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some ChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        at(keyPath).observe(options: options, userInfo: userInfo, on: scheduler, file: file, line: line, handler)
    }

    /// Observes a property by the key path of its handle and delivers its changes on the main actor, in order.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Handle: PropertyHandle>(
        _ keyPath: KeyPath<Self, Handle>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        at(keyPath).observe(options: options, userInfo: userInfo, on: scheduler, file: file, line: line, handler)
    }

    /// Observes a property by the key path of its handle and delivers its changes on an actor, in order, which is the observer.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Handle: PropertyHandle, A: Actor>(
        _ keyPath: KeyPath<Self, Handle>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on actor: A, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (isolated A, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        at(keyPath).observe(options: options, userInfo: userInfo, on: actor, file: file, line: line, handler)
    }
}

// The same by a key path that was formed on a superclass: `employee.observe(\Person.$age, on: .mainActor) { change in … }`. An
// object that is not one of that class traps, with a sentence that names the call.

extension TrackedObject {
    /// Observes a property by the key path of its handle, formed on a superclass, and delivers its changes elsewhere, in order.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @_disfavoredOverload
    @discardableResult @export(implementation) public func observe<Root: TrackedObject, Handle: PropertyHandle>(
        _ keyPath: KeyPath<Root, Handle>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some ChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        HandleKeyPath(asObject(of: Root.self, file, line), keyPath).observe(
            options: options, userInfo: userInfo, on: scheduler, file: file, line: line, handler)
    }

    /// Observes a property by the key path of its handle, formed on a superclass, and delivers its changes on the main actor, in order.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Root: TrackedObject, Handle: PropertyHandle>(
        _ keyPath: KeyPath<Root, Handle>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @MainActor (Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        HandleKeyPath(asObject(of: Root.self, file, line), keyPath).observe(
            options: options, userInfo: userInfo, on: scheduler, file: file, line: line, handler)
    }

    /// Observes a property by the key path of its handle, formed on a superclass, and delivers its changes on an actor, in order.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation)
    public func observe<Root: TrackedObject, Handle: PropertyHandle, A: Actor>(
        _ keyPath: KeyPath<Root, Handle>, options: ObservingOptions = [], userInfo: (any Sendable)? = nil,
        on actor: A, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (isolated A, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        HandleKeyPath(asObject(of: Root.self, file, line), keyPath).observe(
            options: options, userInfo: userInfo, on: actor, file: file, line: line, handler)
    }
}
