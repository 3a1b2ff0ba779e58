extension ChangeRecord {
    /// Undoes the change on an object, by name: sets the old value, or makes the edit that reverses this one. Observers are notified of
    /// that as of any change.
    ///
    /// Changes are undone from the last to the first. It takes `.old`, and for sets `.new`.
    ///
    /// - Parameter object: The object that was observed, or one like it: the path begins there.
    /// - Throws: What `setValue(_:forKeyPath:)` and the proxies throw, a key that no `Key` offers among it; `.invalidValue` for a
    ///   record without the values that it takes, or of a prior call. Then nothing has changed.
    public func revert(on object: TrackedObject) throws(KeyValueError) {
        guard !isPrior else {
            throw KeyValueError(
                .invalidValue("a prior call says what is still to be done, so it cannot be undone"),
                className: "\(type(of: object))", key: keyPath, keyPath: keyPath)
        }
        try object.revert(
            PastChange(kind: kind, indexes: indexes, old: oldValue.map { $0 as Any }, new: newValue.map { $0 as Any }),
            forKeyPath: keyPath)
    }
}

extension Change {
    /// Undoes the change on an object, by name. See `ChangeRecord.revert(on:)`.
    ///
    ///     try person.observe("friends", options: [.old, .new]) { change in log.append(ChangeRecord(change)) }
    ///     try log.removeLast().revert(on: person)
    ///
    /// - Throws: A `KeyValueError`; then nothing has changed.
    public func revert(on object: TrackedObject) throws(KeyValueError) {
        try ChangeRecord(self).revert(on: object)
    }
}
