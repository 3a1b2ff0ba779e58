extension Collection where Element: TrackedObject {
    /// Observes key paths of all objects in the collection, as it is at this moment, with one observation.
    ///
    /// `change.target` is the object that changed. When one of them dies or is removed, the observation goes on with the
    /// rest; it ends with the last. For an empty collection it has ended from the start.
    ///
    /// - Throws: A `KeyValueError` if one of the objects does not have one of the paths; nothing is registered then.
    /// - Complexity: O(*n*) for *n* objects and paths.
    @discardableResult @export(implementation) public func observe(
        _ keyPaths: some KeyPathSet, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Change<Any>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .closure(handler), file, line).observe(keyPaths.keyPaths, of: Array(self))
    }

    /// Observes key paths of all objects whose values have, or can be converted to, a type.
    ///
    /// - Throws: A `KeyValueError` if one of the objects does not have one of the paths, or its values can never be of the
    ///   type; nothing is registered then.
    @discardableResult @export(implementation) public func observe<Value>(
        _ keyPaths: some KeyPathSet, as type: Value.Type, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Change<Value>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, as: type, .closure(handler), file, line).observe(
            keyPaths.keyPaths, of: Array(self))
    }

    /// Observes key paths of all objects as long as the result is kept.
    ///
    /// - Throws: A `KeyValueError` if one of the objects does not have one of the paths; nothing is registered then.
    @export(implementation) public func onChange(
        _ keyPaths: some KeyPathSet, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Change<Any>) -> Void
    ) throws(KeyValueError) -> ScopedObservation {
        try observe(keyPaths, options: options, userInfo: userInfo, file: file, line: line, handler).scoped()
    }

    /// Observes key paths of all objects on behalf of an observer.
    ///
    /// - Throws: A `KeyValueError` if one of the objects does not have one of the paths; nothing is registered then.
    @discardableResult @export(implementation) public func addObserver<Observer: AnyObject>(
        _ observer: Observer, forKeyPath keyPaths: some KeyPathSet, options: ObservingOptions = [],
        userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Observer, Change<Any>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .closure(handler), file, line)
            .observe(keyPaths.keyPaths, of: Array(self), by: observer)
    }

    /// Observes key paths of all objects with a handler that the observer's class declares.
    ///
    /// - Throws: A `KeyValueError` if one of the objects does not have one of the paths, or the observer's class not the
    ///   handler; nothing is registered then.
    @discardableResult @export(implementation) public func addObserver(
        _ observer: AnyObject, forKeyPath keyPaths: some KeyPathSet, options: ObservingOptions = [], handler: String,
        userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .named(handler, of: observer), file, line)
            .observe(keyPaths.keyPaths, of: Array(self), by: observer)
    }
}
