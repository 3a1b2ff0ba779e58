extension KeyValueObserver {
    /// Observes key paths of another object: `try panel.observe("fullName", of: person) { panel, change in … }`.
    ///
    /// The observation ends with the life of either. See `TrackedObject.addObserver(_:forKeyPath:options:userInfo:file:line:_:)`.
    ///
    /// - Throws: A `KeyValueError` for a path that the target's class does not have; nothing is registered then.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @export(implementation) @discardableResult public func observe(
        _ keyPaths: some KeyPathSet, of target: TrackedObject, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Self, Change<Any>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .closure(handler), file, line).observe(keyPaths, of: target, by: self)
    }

    /// Observes key paths of another object whose values have, or can be converted to, a type.
    ///
    /// - Throws: A `KeyValueError` for a path that the target's class does not have, or whose values can never be of the
    ///   type; nothing is registered then.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @export(implementation) @discardableResult public func observe<Value>(
        _ keyPaths: some KeyPathSet, of target: TrackedObject, as type: Value.Type, options: ObservingOptions = [],
        userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Self, Change<Value>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, as: type, .closure(handler), file, line)
            .observe(keyPaths, of: target, by: self)
    }

    /// Observes key paths of another object with a handler that this object's class declares.
    ///
    /// - Throws: A `KeyValueError` for a path that the target's class, or a handler that this object's class, does not have.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @discardableResult @export(implementation) public func observe(
        _ keyPaths: some KeyPathSet, of target: TrackedObject, options: ObservingOptions = [], handler: String,
        userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .named(handler, of: self), file, line)
            .observe(keyPaths, of: target, by: self)
    }
}
