/// Announcing changes by hand: for properties that are not `@Observed`, for keys declared with
/// `notifiesAutomatically: false`, and for grouping several writes into one change.
///
/// Between will and did of a key, further changes of it are part of the outermost: one prior call at the first will, one
/// other call at the last did. The two belong to one thread. An unknown key and a did without its will are reported to
/// `Diagnostics` and do nothing else. A name is one of the object's class: that of a private property may be another one there.
///
/// - Complexity: What any change takes, and O(*n*) for *n* changes that this thread has begun and not ended.
extension TrackedObject {
    /// Says that a property is about to change. Prior calls are made on this thread, before it returns.
    ///
    /// - Complexity: What any change takes, and O(*n*) for *n* changes that this thread has begun and not ended.
    public func willChangeValue(forKey key: String) {
        if let slot = announcedSlot(key) { Transaction.announce(self, slot) }
    }

    /// Says that a property has changed, and calls its observers on this thread, before it returns.
    ///
    /// - Complexity: What any change takes, and O(*n*) for *n* changes that this thread has begun and not ended.
    public func didChangeValue(forKey key: String) {
        guard let slot = announcedSlot(key), !Transaction.endComputed(self, slot) else { return }
        Diagnostics.report(
            "didChangeValue(forKey: \(quoted(key))) of \(describeObject(self)) came without its willChangeValue")
    }

    /// Announces a change of a property around a closure that makes it, also if the closure throws.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws. An unknown key does not throw, but is reported to `Diagnostics`.
    /// - Complexity: What any change takes, O(*n*) for *n* changes that this thread has begun and not ended, and the closure.
    @discardableResult @export(implementation) public func withMutation<Result, Failure: Error>(
        of key: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        willChangeValue(forKey: key)
        defer { didChangeValue(forKey: key) }
        return try body()
    }

    /// Says that elements of an array are about to be inserted, removed or replaced.
    ///
    /// - Parameters:
    ///   - kind: What is about to happen.
    ///   - indexes: For removals and replacements, where the elements are; for insertions, where they will be: `2..<5`, a `RangeSet`, or,
    ///     with AutoKVOFoundation, an `IndexSet`.
    ///   - key: The key of the array.
    /// - Complexity: What any change takes, and O(*n*) for *n* changes that this thread has begun and not ended.
    public func willChange(_ kind: ChangeKind, valuesAt indexes: some ArrayIndexes, forKey key: String) {
        guard let slot = announcedSlot(key) else { return }
        Transaction.announce(self, slot, kind == .setting ? nil : CollectionChange(kind, indexes: indexes.arrayIndexes))
    }

    /// Says that elements of an array have been inserted, removed or replaced, and notifies the observers.
    ///
    /// Observers get the kind and the indexes that `willChange` was given. The arguments of this call are not used.
    ///
    /// - Complexity: What any change takes, and O(*n*) for *n* changes that this thread has begun and not ended.
    public func didChange(_ kind: ChangeKind, valuesAt indexes: some ArrayIndexes, forKey key: String) {
        didChangeValue(forKey: key)
    }

    /// The slot of a key that a change is announced of; nil, with a report, if there is no such key.
    func announcedSlot(_ key: String) -> Int? {
        if isDeinitializing { return nil }
        return orReport("A change could not be announced", try requireSchema().requireOwnSlot(of: key))
    }
}

/// Where elements are in an array.
public protocol ArrayIndexes {
    /// The same as ranges.
    var arrayIndexes: RangeSet<Int> { get }
}

extension RangeSet<Int>: ArrayIndexes {
    @_documentation(visibility: internal) public var arrayIndexes: RangeSet<Int> { self }
}

extension Range<Int>: ArrayIndexes {
    @_documentation(visibility: internal) public var arrayIndexes: RangeSet<Int> { RangeSet(self) }
}
