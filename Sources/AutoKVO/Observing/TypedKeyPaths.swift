extension KeyValueObserver where Self: TrackedObject {
    /// Observes a property that the compiler has checked: `person.observe(\.firstName) { person, change in … }`.
    ///
    /// The schema of the class on which the key path is formed has to declare it: use `\Person.fullName` for a property that
    /// `Employee` inherits. Anything else is a mistake in code and traps, with a sentence that names this call. `\.$firstName`
    /// is always valid for a property that has a key.
    @_disfavoredOverload
    @discardableResult
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Self, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler, .targetAndChange), file, line).observe(keyPath, of: self)
    }

    /// Observes a property by the key path of its handle, `\.$firstName`, which a subclass can use for an inherited one.
    ///
    /// The property has to have a key; a call for any other traps, with a sentence that names it.
    @discardableResult
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Property<Value>>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler, .targetAndChange), file, line).observe(self[keyPath: keyPath])
    }
}

extension TrackedObject {
    /// Observes a property by a key path from a superclass: `employee.observe(\Person.firstName) { person, change in … }`.
    ///
    /// The key path has to be one that the schema of its own class declares, and the object one of that class; anything else
    /// traps, with a sentence that names this call.
    @_disfavoredOverload
    @discardableResult
    public func observe<Root: TrackedObject, Value>(
        _ keyPath: KeyPath<Root, Value>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Root, Change<Value>) -> Void
    ) -> KeyValueObservation {
        requireUsage(
            self is Root,
            "An object of class \(type(of: self)) has no properties of \(Root.self), at \(CallSite(file, line).description)."
        )
        return Registration(options, userInfo, .closure(handler, .targetAndChange), file, line).observe(
            keyPath, of: self)
    }
}

extension Property {
    /// Observes the property. See `TrackedObject.observe(_:options:userInfo:file:line:_:)`.
    @discardableResult
    public func observe(
        options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler), file, line).observe(self)
    }

    /// Observes the property on behalf of an observer.
    @discardableResult
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Observer, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler), file, line).observe(self, by: observer)
    }

    /// Observes the property as long as the result is kept.
    public func onChange(
        options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Change<Value>) -> Void
    ) -> ScopedObservation {
        observe(options: options, userInfo: userInfo, file: file, line: line, handler).scoped()
    }
}
