extension KeyValueObserver where Self: TrackedObject {
    /// What the key path of a handle leads to from this object.
    @inlinable @inline(__always)
    func at<H: PropertyHandle>(_ keyPath: KeyPath<Self, H>) -> HandleKeyPath<Self, H> { HandleKeyPath(self, keyPath) }

    /// Observes a property by the key path of its handle for an observer:
    /// `person.observe(\.$age, for: panel) { panel, change in … }`. See `PropertyHandles.observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func observe<Handle: PropertyHandle, Observer: AnyObject>(
        _ keyPath: KeyPath<Self, Handle>, for observer: Observer, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Observer, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation {
        at(keyPath).observe(for: observer, options: options, userInfo: userInfo, file: file, line: line, handler)
    }

    /// Observes a property by the key path of its handle for an observer, on the main actor:
    /// `person.observe(\.$age, for: panel, on: .mainActor) { panel, change in … }`. See
    /// `PropertyHandles.observe(for:options:userInfo:file:line:_:)`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation)
    public func observe<Handle: PropertyHandle, Observer: AnyObject & Sendable>(
        _ keyPath: KeyPath<Self, Handle>, for observer: Observer, options: ObservingOptions = [],
        userInfo: (any Sendable)? = nil, on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @MainActor (Observer, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        at(keyPath).observe(for: observer, options, userInfo, file, line, .change(), to: .mainActor(scheduler, handler))
    }

    /// The same on the main actor, for an observer that need not be `Sendable`: the call is made on the main actor, too.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @MainActor @discardableResult @export(implementation)
    public func observe<Handle: PropertyHandle, Observer: AnyObject>(
        _ keyPath: KeyPath<Self, Handle>, for observer: Observer, options: ObservingOptions = [],
        userInfo: (any Sendable)? = nil, on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @MainActor (Observer, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        at(keyPath).observe(for: observer, options, userInfo, file, line, .change(), to: .mainActor(scheduler, handler))
    }

    /// The same on an actor.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation)
    public func observe<Handle: PropertyHandle, Observer: AnyObject & Sendable, A: Actor>(
        _ keyPath: KeyPath<Self, Handle>, for observer: Observer,
        options: ObservingOptions = [], userInfo: (any Sendable)? = nil, on actor: A, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @Sendable (isolated A, Observer, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        at(keyPath).observe(for: observer, options, userInfo, file, line, .change(), to: .actor(actor, handler))
    }

    /// The same by a scheduler.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @_disfavoredOverload @discardableResult @export(implementation)
    public func observe<Handle: PropertyHandle, Observer: AnyObject & Sendable>(
        _ keyPath: KeyPath<Self, Handle>, for observer: Observer, options: ObservingOptions = [],
        userInfo: (any Sendable)? = nil, on scheduler: some ChangeScheduler, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @Sendable (Observer, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        at(keyPath).observe(for: observer, options, userInfo, file, line, .change(), to: .scheduler(scheduler, handler))
    }
}

// The same by a key path that was formed on a superclass: `employee.observe(\Person.$age, for: panel) { panel, change in … }`. An object that
// is not one of that class traps, with a sentence that names the call.

extension TrackedObject {
    /// Observes a property by the key path of its handle, formed on a superclass, for an observer.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation)
    public func observe<Root: TrackedObject, Handle: PropertyHandle, Observer: AnyObject>(
        _ keyPath: KeyPath<Root, Handle>, for observer: Observer, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Observer, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation {
        HandleKeyPath(asObject(of: Root.self, file, line), keyPath).observe(
            for: observer, options: options, userInfo: userInfo, file: file, line: line, handler)
    }

    /// The same on the main actor.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation)
    public func observe<Root: TrackedObject, Handle: PropertyHandle, Observer: AnyObject & Sendable>(
        _ keyPath: KeyPath<Root, Handle>, for observer: Observer, options: ObservingOptions = [],
        userInfo: (any Sendable)? = nil, on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @MainActor (Observer, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        HandleKeyPath(asObject(of: Root.self, file, line), keyPath).observe(
            for: observer, options: options, userInfo: userInfo, on: scheduler, file: file, line: line, handler)
    }

    /// The same on the main actor, for an observer that need not be `Sendable`: the call is made on the main actor, too.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @MainActor @discardableResult @export(implementation)
    public func observe<Root: TrackedObject, Handle: PropertyHandle, Observer: AnyObject>(
        _ keyPath: KeyPath<Root, Handle>, for observer: Observer, options: ObservingOptions = [],
        userInfo: (any Sendable)? = nil, on scheduler: some MainActorChangeScheduler, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @MainActor (Observer, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        HandleKeyPath(asObject(of: Root.self, file, line), keyPath).observe(
            for: observer, options: options, userInfo: userInfo, on: scheduler, file: file, line: line, handler)
    }

    /// The same on an actor.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation)
    public func observe<Root: TrackedObject, Handle: PropertyHandle, Observer: AnyObject & Sendable, A: Actor>(
        _ keyPath: KeyPath<Root, Handle>, for observer: Observer, options: ObservingOptions = [],
        userInfo: (any Sendable)? = nil, on actor: A, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping @Sendable (isolated A, Observer, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        HandleKeyPath(asObject(of: Root.self, file, line), keyPath).observe(
            for: observer, options: options, userInfo: userInfo, on: actor, file: file, line: line, handler)
    }

    /// The same by a scheduler.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @_disfavoredOverload @discardableResult @export(implementation)
    public func observe<Root: TrackedObject, Handle: PropertyHandle, Observer: AnyObject & Sendable>(
        _ keyPath: KeyPath<Root, Handle>, for observer: Observer, options: ObservingOptions = [],
        userInfo: (any Sendable)? = nil, on scheduler: some ChangeScheduler, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping @Sendable (Observer, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation where Handle.Value: Sendable {
        HandleKeyPath(asObject(of: Root.self, file, line), keyPath).observe(
            for: observer, options: options, userInfo: userInfo, on: scheduler, file: file, line: line, handler)
    }
}
