extension TrackedObject {
    /// The values that a key path takes from now on, as an asynchronous sequence.
    ///
    ///     for await age in try person.values(of: "age", as: Int.self) { … }
    ///
    /// Each change gives the whole value that its path has when the change is delivered: after an edit of a collection the
    /// collection, and after a write that an earlier handler corrects the corrected value, perhaps twice. So the last
    /// value is always the current one.
    ///
    /// The sequence ends when this object dies or the observation is removed. The observation ends when the iterating
    /// task is cancelled, and when the sequence and its iterators are released. Neither keeps the object alive.
    ///
    /// A value that cannot be converted to the type is left out: a nil, unless the type is optional.
    ///
    /// - Parameters:
    ///   - keyPaths: A path, several separated by `|`, an array or set of paths, or any `KeyPathSet`.
    ///   - type: What the values are, or can be converted to.
    ///   - options: `.initial` for the current value first; `.distinct`, `.once` and the like as for any observation.
    ///   - bufferingPolicy: What happens to values that arrive faster than they are read: all are kept, or the oldest or
    ///     newest few.
    ///   - file: Where the call stands in the program, for `debugDescription`. Not to be given.
    ///   - line: The same.
    /// - Throws: A `KeyValueError` for a path that the object's class does not have, or whose values can never be of
    ///   the type.
    public func values<Value: Sendable>(
        of keyPaths: some KeyPathSet, as type: Value.Type, options: ObservingOptions = [],
        bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded, file: StaticString = #fileID,
        line: UInt = #line
    ) throws(KeyValueError) -> AsyncStream<Value> {
        try AsyncStream.ofChanges(bufferingPolicy) { handler throws(KeyValueError) in
            try observe(keyPaths, as: type, options: options.ofStream, file: file, line: line, handler)
        }
    }
}

extension Property where Value: Sendable {
    /// The values that the property takes from now on. See
    /// `TrackedObject.values(of:as:options:bufferingPolicy:file:line:)`.
    public var values: AsyncStream<Value> { values() }

    /// The values that the property takes from now on, with the current one first if `.initial` is among the options.
    public func values(
        options: ObservingOptions = [],
        bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded, file: StaticString = #fileID,
        line: UInt = #line
    ) -> AsyncStream<Value> {
        AsyncStream.ofChanges(bufferingPolicy) { observe(options: options.ofStream, file: file, line: line, $0) }
    }
}

extension ObservingOptions {
    /// A stream reads the values itself, after each change.
    fileprivate var ofStream: ObservingOptions { subtracting([.old, .new, .prior, .unregisterManually]) }
}

extension AsyncStream where Element: Sendable {
    /// The values of an observation's changes. The stream ends with the observation, and the observation with the stream.
    fileprivate static func ofChanges<Failure>(
        _ bufferingPolicy: Continuation.BufferingPolicy,
        _ observe: (@escaping (Change<Element>) -> Void) throws(Failure) -> KeyValueObservation
    ) throws(Failure) -> AsyncStream {
        let (stream, continuation) = makeStream(bufferingPolicy: bufferingPolicy)
        let observation = try observe { change in if let value = change.currentValue { continuation.yield(value) } }
        // In this order: of an observation that has fired already, `onEnd` finishes the stream at once, which then has to
        // remove the observation, whose handler refers to the stream.
        continuation.onTermination = { _ in observation.remove() }
        observation.onEnd { _ in continuation.finish() }
        return stream
    }
}
