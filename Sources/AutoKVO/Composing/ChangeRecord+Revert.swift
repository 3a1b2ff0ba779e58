extension ChangeRecord {
    /// Undoes the change on an object, by name: sets the old value, or makes the edit that reverses this one. Observers are notified of
    /// that as of any change.
    ///
    /// Changes are undone from the last to the first. It takes `.old`, and for sets `.new`.
    ///
    /// - Parameter object: The object that was observed, or one like it: the path begins there.
    /// - Throws: What `setValue(_:forKeyPath:)` and the proxies throw, a key that no `Key` offers among it; `.invalidValue` for a
    ///   record without the values that it takes, of a prior call, or of what a closure or a key path computes. Then nothing has changed.
    /// - Complexity: O(*n*) for *n* components, and what it takes to set the value or to make the edit by name.
    public func revert(on object: TrackedObject) throws(KeyValueError) { try perform(pastChange, on: object) }

    /// Makes the change on another object, by name: sets the new value, or makes the same edit. Two models stay equal if each makes what
    /// the other one records, but for what it has just made itself: that is a change like any other, and would come back without end.
    ///
    /// It takes `.new`, and for removals and replacements in a set `.old`. A removal from a set takes out what is in it, and an insertion
    /// puts in what is not.
    ///
    /// - Parameter object: An object of the class that was observed, or one with the same keys: the path begins there.
    /// - Throws: What `revert(on:)` throws, for indexes that the collection does not have too. Then nothing has changed.
    /// - Complexity: O(*n*) for *n* components, and what it takes to set the value or to make the edit by name.
    public func apply(on object: TrackedObject) throws(KeyValueError) { try perform(pastChange.inverse, on: object) }

    private var pastChange: PastChange {
        let none = Any?.none as Any
        return PastChange(
            kind: kind, indexes: indexes, old: wasNil ? none : oldValue.map { $0 as Any },
            new: isNil ? none : newValue.map { $0 as Any })
    }

    private func perform(_ change: PastChange, on object: TrackedObject) throws(KeyValueError) {
        if isPrior { throw change.failure("a prior call says what is still to be done", object, keyPath) }
        if isComputed { throw change.failure("what a closure or a key path computes cannot be set", object, keyPath) }
        try object.revert(change, forKeyPath: keyPath)
    }
}

extension Change {
    /// Undoes the change on an object, by name. See `ChangeRecord.revert(on:)`.
    ///
    ///     try person.observe("friends", options: [.old, .new]) { change in log.append(ChangeRecord(change)) }
    ///     try log.removeLast().revert(on: person)
    ///
    /// - Throws: A `KeyValueError`; then nothing has changed.
    /// - Complexity: As for `ChangeRecord.revert(on:)`.
    public func revert(on object: TrackedObject) throws(KeyValueError) { try ChangeRecord(self).revert(on: object) }
}
