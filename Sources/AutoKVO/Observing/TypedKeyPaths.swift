extension KeyValueObserver where Self: TrackedObject {
    /// Observes a property that the compiler has checked: `person.observe(\.firstName) { person, change in … }`.
    ///
    /// The schema of the class on which the key path is formed has to declare it: use `\Person.fullName` for a property that
    /// `Employee` inherits. Anything else is a mistake in code and traps, with a sentence that names this call. `\.$firstName`
    /// is valid for every observed property.
    @_disfavoredOverload
    @discardableResult @export(implementation) public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Self, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler, .targetAndChange), file, line).observe(keyPath, of: self)
    }

    /// Observes a property by the key path of its handle, `\.$firstName`, which a subclass can use for an inherited one. It
    /// is always valid, and may go on through objects: `\.$address.$city`.
    // Inlined, as in `KeyValueObserver`: the compiler sees the literal then and reads the handle directly.
    @inlinable @inline(__always)
    @discardableResult
    public func observe<Handle: PropertyHandle>(
        _ keyPath: KeyPath<Self, Handle>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler, .targetAndChange), file, line)
            .observe(self[keyPath: keyPath].target)
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
        _ = asObject(of: Root.self, file, line)
        return Registration(options, userInfo, .closure(handler, .targetAndChange), file, line).observe(
            keyPath, of: self)
    }

    /// Observes a property by the key path of its handle, formed on a superclass: `employee.observe(\Person.$age) { person, change in … }`.
    ///
    /// The object has to be one of that class; anything else traps, with a sentence that names this call.
    @inlinable @inline(__always)
    @discardableResult
    public func observe<Root: TrackedObject, Handle: PropertyHandle>(
        _ keyPath: KeyPath<Root, Handle>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Root, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler, .targetAndChange), file, line)
            .observe(asObject(of: Root.self, file, line)[keyPath: keyPath].target)
    }

    /// This object, for a key path that was formed on a class: it has to be one of that class.
    @usableFromInline
    func asObject<Root: TrackedObject>(of type: Root.Type, _ file: StaticString, _ line: UInt) -> Root {
        if let root = self as? Root { return root }
        fatalMisuse(
            "An object of class \(Swift.type(of: self)) has no properties of \(type), at \(CallSite(file, line).description)."
        )
    }
}

extension KeyValueObserver {
    /// Observes a property of another object by a key path that the schema of its class declares:
    /// `panel.observe(\.fullName, of: person) { panel, change in … }`.
    ///
    /// The observation ends with the life of either. A key path that no key is declared with traps, with a sentence that names
    /// this call; `\.$firstName` is always valid.
    @_disfavoredOverload
    @discardableResult @export(implementation) public func observe<Root: TrackedObject, Value>(
        _ keyPath: KeyPath<Root, Value>, of target: Root, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler), file, line).observe(keyPath, of: target, by: self)
    }

    /// Observes a property of another object by the key path of its handle: `panel.observe(\.$firstName, of: person) { … }`.
    @inlinable @inline(__always)
    @discardableResult
    public func observe<Root: TrackedObject, Handle: PropertyHandle>(
        _ keyPath: KeyPath<Root, Handle>, of target: Root, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler), file, line)
            .observe(target[keyPath: keyPath].target, by: self)
    }
}
