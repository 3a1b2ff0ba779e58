extension KeyValueObserver where Self: TrackedObject {
    /// Observes any key path of the object: `person.observe(\.firstName.count) { person, change in … }`.
    ///
    /// One that a `Key` declares is that key, with the kinds and indexes of its edits; `\.$firstName` names an observed property in the same
    /// way. Of any other the value is computed after each change of what it read the last time, and the handler is called if it is another
    /// one. `change.keyPath` is then the name of the one key that was read, or empty if it was not one. A key path that reads nothing
    /// observed is reported to `Diagnostics`.
    ///
    /// - Precondition: The object's deinit has not begun, its class's schema has no fault, and the key path can be evaluated, now and after
    ///   each change: `\.rows[0]` needs a row, `\.rows.first` does not.
    /// - Complexity: O(*n*) for *n* keys of the class; O(1) for the key path of a key, if it is one of those used last. Of any other also O(*m*)
    ///   for *m* reads.
    @_disfavoredOverload @discardableResult @export(implementation) public func observe<Value>(
        _ keyPath: KeyPath<Self, Value>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler, .targetAndChange), file, line).observe(keyPath, of: self)
    }

    /// Observes a property by the key path of its handle, `\.$firstName`, which a subclass can use for an inherited one. It
    /// is always valid, and may go on through objects: `\.$address.$city`. `\.address.$city` finds the handle by reading, and is followed as any other
    /// key path: what it reads is what is observed.
    // Inlined, as in `KeyValueObserver`: the compiler sees the literal then and reads the handle directly.
    @inlinable @inline(__always) @discardableResult public func observe<Handle: PropertyHandle>(
        _ keyPath: KeyPath<Self, Handle>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler, .targetAndChange), file, line)
            .observe(HandleKeyPath(self, keyPath).targets)
    }
}

extension TrackedObject {
    /// Observes a property by a key path from a superclass: `employee.observe(\Person.firstName) { person, change in … }`.
    ///
    /// Any key path of that class, as in `observe(_:options:userInfo:file:line:_:)`. The object has to be one of that class; any other traps,
    /// with a sentence that names this call.
    ///
    /// - Complexity: O(*n*) for *n* keys of the class; O(1) for the key path of a key, if it is one of those used last. Of any other also O(*m*)
    ///   for *m* reads.
    @_disfavoredOverload @discardableResult public func observe<Root: TrackedObject, Value>(
        _ keyPath: KeyPath<Root, Value>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Root, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler, .targetAndChange), file, line)
            .observe(keyPath, of: asObject(of: Root.self, file, line))
    }

    /// Observes a property by the key path of its handle, formed on a superclass: `employee.observe(\Person.$age) { person, change in … }`.
    ///
    /// The object has to be one of that class; anything else traps, with a sentence that names this call.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @inlinable @inline(__always) @discardableResult public func observe<Root: TrackedObject, Handle: PropertyHandle>(
        _ keyPath: KeyPath<Root, Handle>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Root, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler, .targetAndChange), file, line)
            .observe(HandleKeyPath(asObject(of: Root.self, file, line), keyPath).targets)
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
    /// Observes any key path of another object: `panel.observe(\.fullName, of: person) { panel, change in … }`.
    ///
    /// The observation ends with the life of either. A key path that a `Key` declares is that key; of any other, what it reads is followed,
    /// and the handler is called if the value is another one.
    ///
    /// - Complexity: O(*n*) for *n* keys of the class; O(1) for the key path of a key, if it is one of those used last. Of any other also O(*m*)
    ///   for *m* reads.
    @_disfavoredOverload @discardableResult @export(implementation) public func observe<Root: TrackedObject, Value>(
        _ keyPath: KeyPath<Root, Value>, of target: Root, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler), file, line).observe(keyPath, of: target, by: self)
    }

    /// Observes a property of another object by the key path of its handle: `panel.observe(\.$firstName, of: person) { … }`.
    ///
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @inlinable @inline(__always) @discardableResult public func observe<Root: TrackedObject, Handle: PropertyHandle>(
        _ keyPath: KeyPath<Root, Handle>, of target: Root, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Handle.Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler), file, line)
            .observe(HandleKeyPath(target, keyPath).targets, by: self)
    }
}
