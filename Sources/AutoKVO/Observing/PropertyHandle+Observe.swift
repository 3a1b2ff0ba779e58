extension PropertyHandles {
    /// Observes the property. See `TrackedObject.observe(_:options:userInfo:file:line:_:)`.
    ///
    /// What the compiler cannot check is a mistake in code and traps, in all forms for a handle: an object whose deinit has begun,
    /// a class whose schema has a fault.
    ///
    /// - Returns: The observation. It need not be kept.
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @export(implementation) @discardableResult public func observe(
        options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler), file, line).observe(targets)
    }

    /// Observes the property on behalf of an observer: the observation ends when either object dies.
    ///
    /// - Returns: The observation. It need not be kept.
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @export(implementation) @discardableResult public func addObserver<Observer: AnyObject>(
        _ observer: Observer, options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ handler: @escaping (Observer, Change<Value>) -> Void
    ) -> KeyValueObservation {
        Registration(options, userInfo, .closure(handler), file, line).observe(targets, by: observer)
    }

    /// Observes the property as long as the result is kept.
    ///
    /// - Returns: A token that ends the observation when it is released.
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @export(implementation) public func onChange(
        options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Change<Value>) -> Void
    ) -> ScopedObservation {
        observe(options: options, userInfo: userInfo, file: file, line: line, handler).scoped()
    }

    /// Calls a closure with the value now, and with the value after each change.
    ///
    ///     person.$firstName.onValue { name in … }
    ///
    /// The closure gets the whole value that the property has when it is called: after an edit of a collection the collection. Each
    /// change of a thread is a call, in the order in which they were made. So where an earlier handler corrects a write, the closure
    /// gets the value that was written, and then the corrected one. For a path on which an object is missing it gets nil.
    /// Where two threads change at once what it reads, the last call has the last value, and one of them may make one call more.
    ///
    /// - Parameters:
    ///   - options: `.distinct`, `.retainsTarget` and the like, as for any observation. Options for the values, `.prior` and `.initial`
    ///     have no effect; with `.once` the call with the value now is the only one.
    ///   - userInfo: The observation's `userInfo`.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Called on the thread that makes the change, before the write returns, and first before this returns.
    /// - Returns: The observation. It need not be kept.
    /// - Complexity: O(1) for a property, O(*n*) for a path of *n* keys; a derived value is computed.
    @discardableResult @export(implementation) public func onValue(
        options: ObservingOptions = [], userInfo: Any? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (Current) -> Void
    ) -> KeyValueObservation {
        let turns = Turns()
        return observe(options: options.ofWholeValue, userInfo: userInfo, file: file, line: line) { change in
            turns.hand(change.currentValue(as: Current.self), while: change.isHeard) {
                if change.isHeard { handler($0) }
            }
        }
    }
}
