extension TrackedObject {
    /// Observes key paths of this object, for as long as it lives.
    ///
    /// - Parameters:
    ///   - keyPaths: A path, several separated by `|`, an array or set of paths, or any `KeyPathSet`.
    ///   - options: What the changes carry and when the observation ends.
    ///   - userInfo: Handed back in each change.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Called on the thread that makes the change, before the write returns. It may add and remove
    ///     observations, change the same property again (the delivery under way is completed first), and let anything die.
    /// - Returns: The observation. It need not be kept.
    /// - Throws: A `KeyValueError` for a path that the object's class does not have; nothing is registered then.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @export(implementation) @discardableResult public func observe(
        _ keyPaths: some KeyPathSet, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Change<Any>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .closure(handler), file, line).observe(keyPaths, of: self)
    }

    /// Observes key paths whose values have, or can be converted to, a type.
    ///
    /// A value that the property holds but that is not of the type after all is nil in the change.
    ///
    /// - Parameters:
    ///   - keyPaths: A path, several separated by `|`, an array or set of paths, or any `KeyPathSet`.
    ///   - type: The property's own type, its optional or what is in it, a superclass or subclass, a
    ///     `RawRepresentable` of its raw value, a `KeyValueConvertible`, or a protocol.
    ///   - options: What the changes carry and when the observation ends.
    ///   - userInfo: Handed back in each change.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Called as in every form, on the thread that makes the change.
    /// - Returns: The observation. It need not be kept.
    /// - Throws: A `KeyValueError` for a path that the object's class does not have, or whose values can never be of the
    ///   type; nothing is registered then.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @export(implementation) @discardableResult public func observe<Value>(
        _ keyPaths: some KeyPathSet, as type: Value.Type, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Change<Value>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, as: type, .closure(handler), file, line).observe(keyPaths, of: self)
    }

    /// Observes each path with a handler of its own: `try person.observe(["firstName": { … }, "lastName": { … }])`.
    ///
    /// Initial calls are made in the order written, those of one path together. A change that reaches several of the paths calls the handler
    /// of each.
    ///
    /// - Returns: One observation of all the paths.
    /// - Throws: A `KeyValueError` for the first path that is wrong; none is registered then, and no call made.
    /// - Complexity: That of observing each of the paths.
    @discardableResult @export(implementation) public func observe(
        _ handlers: KeyValuePairs<String, (Change<Any>) -> Void>, options: ObservingOptions = [], userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) throws(KeyValueError) -> KeyValueObservation {
        let pairs = handlers.flatMap { set, call in withoutRepetitions(set.keyPaths).map { (path: $0, call: call) } }
        let pairsByPath = Dictionary(grouping: pairs, by: \.path)
        let (paths, options) = (pairs.map(\.path), options.ofSeveralCalls)
        return try observe(paths, options: options, userInfo: userInfo, file: file, line: line) { change in
            let pairs = pairsByPath[change.keyPath] ?? []
            change.context.makeCalls(pairs.count) { pairs[$0].call(change) }
        }
    }

    /// Observes key paths as long as the result is kept.
    ///
    /// - Throws: A `KeyValueError` for a path that the object's class does not have; nothing is registered then.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @export(implementation) public func onChange(
        _ keyPaths: some KeyPathSet, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Change<Any>) -> Void
    ) throws(KeyValueError) -> ScopedObservation {
        try observe(keyPaths, options: options, userInfo: userInfo, file: file, line: line, handler).scoped()
    }

    /// Observes key paths on behalf of an observer: the observation ends with the life of either.
    ///
    /// - Parameters:
    ///   - observer: Any object. It is not kept alive, but is while the handler runs. It may be this object.
    ///   - keyPaths: A path, several separated by `|`, an array or set of paths, or any `KeyPathSet`.
    ///   - options: What the changes carry and when the observation ends.
    ///   - userInfo: Handed back in each change.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Gets the observer, so that it need not capture it. Called on the thread that makes the change, before
    ///     the write returns; it may do whatever a handler without an observer may.
    /// - Returns: The observation. It need not be kept.
    /// - Throws: A `KeyValueError` for a path that the object's class does not have; nothing is registered then.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @export(implementation) @discardableResult public func addObserver<Observer: AnyObject>(
        _ observer: Observer, forKeyPath keyPaths: some KeyPathSet, options: ObservingOptions = [],
        userInfo: Any? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ handler: @escaping (Observer, Change<Any>) -> Void
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .closure(handler), file, line).observe(keyPaths, of: self, by: observer)
    }

    /// Observes key paths with a handler that the observer's class declares in its schema.
    ///
    /// - Parameters:
    ///   - observer: A `TrackedObject`, or an object of a class that is `SchemaProviding`. It is not kept alive.
    ///   - keyPaths: A path, several separated by `|`, an array or set of paths, or any `KeyPathSet`.
    ///   - options: What the changes carry and when the observation ends.
    ///   - handler: The name of a `Handler`.
    ///   - userInfo: Handed back in each change, and to a handler that takes it.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    /// - Throws: A `KeyValueError` for a path that this object's class, or a handler that the observer's class, does not have.
    /// - Complexity: O(1) for one key, but O(*n*) for one that is affected by *n* others; a derived value is computed.
    @discardableResult @export(implementation) public func addObserver(
        _ observer: AnyObject, forKeyPath keyPaths: some KeyPathSet, options: ObservingOptions = [], handler: String,
        userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws(KeyValueError) -> KeyValueObservation {
        try Registration(options, userInfo, .named(handler, of: observer), file, line).observe(
            keyPaths, of: self, by: observer)
    }
}
