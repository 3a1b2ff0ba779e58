extension Collection where Element: TrackedObject {
    /// Observes key paths of all objects in the collection, as it is at this moment, with one observation.
    ///
    /// `change.target` is the object that changed. When one of them dies or is removed, the observation goes on with the
    /// rest; it ends with the last. For an empty collection it has ended from the start.
    ///
    /// By handle, an array can be observed in all forms in which one handle can, for values of a known type, tokens, places and elements too:
    /// `people.map(\.$age).onValue { age in … }`, or `try people.map { try $0.path("age", as: Int.self) }`.
    ///
    /// - Throws: A `KeyValueError` if one of the objects does not have one of the paths; nothing is registered then.
    /// - Complexity: O(*n*) for *n* objects and paths.
    @discardableResult @export(implementation) public func observe(
        _ keyPaths: some KeyPathSet, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Change<Any>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .closure(handler), file, line).observe(keyPaths.keyPaths, of: Array(self))
    }

    /// Observes key paths of all objects on behalf of an observer.
    ///
    /// - Throws: A `KeyValueError` if one of the objects does not have one of the paths; nothing is registered then.
    /// - Complexity: O(*n*) for *n* objects and paths.
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
    /// - Complexity: O(*n*) for *n* objects and paths.
    @discardableResult @export(implementation) public func addObserver(
        _ observer: AnyObject, forKeyPath keyPaths: some KeyPathSet, options: ObservingOptions = [], handler: String,
        userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .named(handler, of: observer), file, line)
            .observe(keyPaths.keyPaths, of: Array(self), by: observer)
    }
}
