extension KeyValueObserver where Self: TrackedObject {
    /// Observes a property that the compiler has checked: `person.observe(\.firstName) { person, change in … }`.
    ///
    /// The property must be that of a declared key; anything else is a mistake in code and traps.
    @_disfavoredOverload
    @discardableResult
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Self, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration.observe(
            slot: requireSlot(of: keyPath), of: self, options, userInfo, .target(handler), CallSite(file, line))
    }

    /// Observes a property by the key path of its handle, `\.$firstName`, which a subclass can use for an inherited one.
    @discardableResult
    public func observe<Value>(
        _ keyPath: KeyPath<Self, Property<Value>>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration.observe(
            slot: self[keyPath: keyPath].slot, of: self, options, userInfo, .target(handler), CallSite(file, line))
    }
}

extension TrackedObject {
    /// Observes a property by a key path from a superclass: `employee.observe(\Person.firstName) { person, change in … }`.
    ///
    /// The property must be that of a declared key, and the object of the key path's class; anything else traps.
    @_disfavoredOverload
    @discardableResult
    public func observe<Root: TrackedObject, Value>(
        _ keyPath: KeyPath<Root, Value>, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Root, Change<Value>) -> Void
    ) -> KeyValueObservation {
        demand(self is Root, "An object of class \(type(of: self)) has no properties of \(Root.self).")
        return Registration.observe(
            slot: requireSlot(of: keyPath), of: self, options, userInfo, .target(handler), CallSite(file, line))
    }

    fileprivate func requireSlot(of keyPath: AnyKeyPath) -> Int {
        let schema: ClassSchema
        do throws(KeyValueError) {
            schema = try ClassSchema.of(type(of: self))
        } catch {
            misuse("\(error)")
        }
        guard let slot = schema.slot(of: keyPath) else {
            misuse(
                "\(keyPath) is not the property of a key that \(schema.className) declares. An inherited key is reached by the "
                    + "key path from the class that declares it, such as \\Person.firstName, by \\.$firstName, or by "
                    + "object.$firstName.observe.")
        }
        return slot
    }
}

extension Property {
    /// Observes the property. See `TrackedObject.observe(_:options:userInfo:file:line:_:)`.
    @discardableResult
    public func observe(
        options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration.observe(slot: slot, of: object, options, userInfo, .change(handler), CallSite(file, line))
    }

    /// Observes the property on behalf of an observer.
    @discardableResult
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Observer, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration.observe(
            slot: slot, of: object, by: observer, options, userInfo, .observer(handler), CallSite(file, line))
    }

    /// Observes the property as long as the result is kept.
    public func onChange(
        options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Change<Value>) -> Void
    ) -> ScopedObservation {
        observe(options: options, userInfo: userInfo, file: file, line: line, handler).scoped()
    }
}
