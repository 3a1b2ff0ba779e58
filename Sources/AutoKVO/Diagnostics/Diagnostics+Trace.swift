extension Diagnostics {
    /// Tells of each change of an object: its key, its values, and who was called for how long.
    ///
    ///     let trace = Diagnostics.trace(person) { change in
    ///         print(change.key, change.oldValue ?? "-", "to", change.newValue ?? "-")
    ///         for call in change.calls { print("   ", call.registeredAt, call.duration) }
    ///     }
    ///
    /// All keys that a name reaches are traced, derived ones too, whose functions are therefore called after each change of what they read.
    /// A change of several keys is told for each: that of the property that was written first. Changes inside `coalescingChanges` are told
    /// as one, at its end. There, a trace may change the order in which observers of derived values are called; and a call that is made early,
    /// since a handler changes the object again, is in the `calls` of no change.
    ///
    /// While an object is traced, each of its changes takes some microseconds more. The others, and all when no trace is left, take
    /// as long as without this function. The trace ends when the result is released, when it is removed, and with the object, which
    /// it does not keep alive; the object's `removeAllObservers()` ends it, too. That of one property ends it for that key;
    /// that of the class's first key ends it altogether.
    ///
    /// - Parameters:
    ///   - object: The object. Its deinit must not have begun, and its class has at least one key; anything else traps.
    ///   - file: The call site, for the observations that do this, one for each key. Leave it at its default.
    ///   - line: The same.
    ///   - handler: Called on the thread of the change, when all observers have been called, and before the write returns. It may do what
    ///     any handler may: a change of the object that it makes is told as well.
    /// - Returns: What ends the trace.
    /// - Complexity: O(*n*) for *n* keys.
    public static func trace(
        _ object: TrackedObject, file: StaticString = #fileID, line: UInt = #line,
        _ handler: @escaping (TracedChange) -> Void
    ) -> ScopedObservation {
        let trace = { (change: Change<Any>) in
            let (key, kind, old, new) = (change.keyPath, change.kind, change.oldValue, change.newValue)
            let observation = change.observation
            TracedCalls.complete(change.context) { calls in
                // The handler of another change of the same store may have ended the trace.
                guard observation.isValid else { return }
                handler(TracedChange(key: key, kind: kind, oldValue: old, newValue: new, calls: calls))
            }
        }
        let observations = orTrap(
            try object.requireSchema().namedKeys.map { key throws(KeyValueError) in
                try Registration([.old, .new, .unregisterAutomatically, .first], nil, .closure(trace), file, line)
                    .observe(key: key.slot, of: object, by: nil)
            })
        guard let first = observations.first else { fatalMisuse("\(type(of: object)) has no key to be traced.") }
        first.onEnd { _ in for other in observations.dropFirst() { other.remove() } }
        return first.scoped()
    }
}
