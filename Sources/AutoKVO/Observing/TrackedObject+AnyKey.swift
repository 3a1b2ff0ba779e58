extension TrackedObject {
    /// Observes all keys of this object as one observation: `change.keyPath` says which one a change is of.
    ///
    /// These are the keys that `observe(_:)` takes as a string: derived ones too, hidden ones not. A change that concerns
    /// several, such as a property and a key derived from it, is a call for each.
    ///
    /// - Parameters:
    ///   - options: What the changes carry and when the observation ends. `.initial` is a call for each key.
    ///   - userInfo: Each change has it.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Called as in every form, on the thread that makes the change.
    /// - Returns: The observation. It need not be kept.
    /// - Throws: A `KeyValueError` if the schema of the object's class has a fault, or the class has no key.
    /// - Complexity: O(*n* + *d*) for *n* keys and the *d* dependencies between them, those through others among them.
    @discardableResult public func observeAnyKey(
        options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Change<Any>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .closure(handler), file, line).observe(try allKeys(), of: [self])
    }

    fileprivate func allKeys() throws(KeyValueError) -> [String] {
        let schema = try requireSchema()
        if !schema.namedKeys.isEmpty { return schema.namedKeys.map(\.name) }
        throw KeyValueError(.emptyPathSet, className: schema.className)
    }
}

extension KeyValueObserver {
    /// Observes all keys of another object as one observation: `change.keyPath` says which one a change is of.
    ///
    /// The observation ends with the life of either. See `TrackedObject.observeAnyKey(options:userInfo:file:line:_:)`.
    ///
    /// - Throws: A `KeyValueError` if the schema of the target's class has a fault, or the class has no key.
    /// - Complexity: O(*n* + *d*) for *n* keys and the *d* dependencies between them, those through others among them.
    @discardableResult public func observeAnyKey(
        of target: TrackedObject, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Self, Change<Any>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .closure(handler), file, line)
            .observe(try target.allKeys(), of: [target], by: self)
    }
}
