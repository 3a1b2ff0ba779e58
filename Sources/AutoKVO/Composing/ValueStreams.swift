extension TrackedObject {
    /// The values that a key path takes from now on, as an asynchronous sequence.
    ///
    ///     for await age in try person.values(of: "age", as: Int.self) { … }
    ///
    /// Each change gives the whole value that its path has when the change is delivered: after an edit of a collection the
    /// collection. Where an earlier handler corrects a write, the sequence has the value that was written, and then the
    /// corrected one. So the last value is always the current one. The sequence is made on a thread that may use this object, and may be
    /// read on any.
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
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    /// - Throws: A `KeyValueError` for a path that the object's class does not have, or whose values can never be of
    ///   the type.
    /// - Complexity: That of an observation. What has not been read yet is kept, as far as the buffering policy says.
    @export(implementation) public func values<Value: Sendable>(
        of keyPaths: some KeyPathSet, as type: Value.Type, options: ObservingOptions = [],
        bufferingPolicy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded, file: StaticString = #fileID,
        line: UInt = #line
    ) throws(KeyValueError) -> AsyncStream<Value> {
        let turns = Turns()
        return try AsyncStream.ofChanges(bufferingPolicy) { add throws(KeyValueError) in
            try observe(keyPaths, as: type, options: options.ofValues, file: file, line: line) {
                turns.hand($0.currentValue, while: $0.observation.isValid, to: add)
            }
        }
    }

    /// What happens to the values of a key path from now on, as an asynchronous sequence.
    ///
    ///     for await change in try person.changes(of: "tags", as: Set<String>.self) { … }
    ///
    /// There is an element for each change, in the order in which they are made. The sequence ends as that of
    /// `values(of:as:options:bufferingPolicy:file:line:)` does.
    ///
    /// - Parameters:
    ///   - keyPaths: A path, several separated by `|`, an array or set of paths, or any `KeyPathSet`.
    ///   - type: What the values are, or can be converted to. A value that cannot be converted is nil.
    ///   - options: What the elements carry, and when the observation ends.
    ///   - bufferingPolicy: What happens to changes that arrive faster than they are read.
    ///   - file: The call site, for `debugDescription`. Leave it at its default.
    ///   - line: The same.
    /// - Throws: A `KeyValueError` for a path that the object's class does not have, or whose values can never be of
    ///   the type.
    /// - Complexity: That of an observation. What has not been read yet is kept, as far as the buffering policy says.
    @export(implementation) public func changes<Value: Sendable>(
        of keyPaths: some KeyPathSet, as type: Value.Type, options: ObservingOptions = [.old, .new],
        bufferingPolicy: AsyncStream<ChangeRecord<Value>>.Continuation.BufferingPolicy = .unbounded,
        file: StaticString = #fileID, line: UInt = #line
    ) throws(KeyValueError) -> AsyncStream<ChangeRecord<Value>> {
        try AsyncStream.ofChanges(bufferingPolicy) { add throws(KeyValueError) in
            try observe(keyPaths, as: type, options: options.ofStream, file: file, line: line) { add(ChangeRecord($0)) }
        }
    }
}

extension PropertyHandle where Current: Sendable {
    /// The values that the property takes from now on. See
    /// `TrackedObject.values(of:as:options:bufferingPolicy:file:line:)`.
    @export(implementation) public var values: AsyncStream<Current> { values() }

    /// The values that the property takes from now on, with the current one first if `.initial` is among the options. Those of a path
    /// are nil where an object on the way is.
    ///
    /// - Complexity: That of an observation. What has not been read yet is kept, as far as the buffering policy says.
    @export(implementation) public func values(
        options: ObservingOptions = [], bufferingPolicy: AsyncStream<Current>.Continuation.BufferingPolicy = .unbounded,
        file: StaticString = #fileID, line: UInt = #line
    ) -> AsyncStream<Current> {
        let turns = Turns()
        return AsyncStream.ofChanges(bufferingPolicy) { add in
            observe(options: options.ofValues, file: file, line: line) {
                turns.hand($0.currentValue(as: Current.self), while: $0.observation.isValid, to: add)
            }
        }
    }
}

extension PropertyHandle where Value: Sendable {
    /// What happens to the property from now on, one element for each change. See
    /// `TrackedObject.changes(of:as:options:bufferingPolicy:file:line:)`.
    ///
    /// - Complexity: That of an observation. What has not been read yet is kept, as far as the buffering policy says.
    @export(implementation) public func changes(
        options: ObservingOptions = [.old, .new],
        bufferingPolicy: AsyncStream<ChangeRecord<Value>>.Continuation.BufferingPolicy = .unbounded,
        file: StaticString = #fileID, line: UInt = #line
    ) -> AsyncStream<ChangeRecord<Value>> {
        AsyncStream.ofChanges(bufferingPolicy) { add in
            observe(options: options.ofStream, file: file, line: line) { add(ChangeRecord($0)) }
        }
    }
}

extension ObservingOptions {
    @export(implementation)
    var ofStream: ObservingOptions { subtracting(.unregisterManually).union(.unregisterAutomatically) }
    /// A stream of values reads them itself, after each change.
    @export(implementation) var ofValues: ObservingOptions { ofStream.subtracting([.old, .new, .prior]) }
}

extension AsyncStream where Element: Sendable {
    /// What an observation's handler adds. The stream ends with the observation, and the observation with the
    /// stream.
    @export(implementation) static func ofChanges<Failure>(
        _ bufferingPolicy: Continuation.BufferingPolicy,
        _ observe: (_ add: @escaping (Element) -> Void) throws(Failure) -> KeyValueObservation
    ) throws(Failure) -> AsyncStream {
        let (stream, continuation) = makeStream(bufferingPolicy: bufferingPolicy)
        let observation = try observe { element in continuation.yield(element) }
        // In this order: of an observation that has fired already, `onEnd` finishes the stream at once, which then has to
        // remove the observation, whose handler refers to the stream.
        continuation.onTermination = { _ in observation.remove() }
        observation.onEnd { _ in continuation.finish() }
        return stream
    }
}
