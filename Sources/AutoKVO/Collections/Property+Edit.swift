extension Property
where Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection, Value.Index == Int {
    /// Checks the array and edits it in one.
    ///
    ///     list.$songs.edit { songs in if songs.count > 2 { songs.removeLast() } }
    ///
    /// An edit that a handler makes first has those observers called that have not heard of the change under way, and their handlers may
    /// edit the same array. The closure runs behind that: what it looks at is what it changes. It changes a copy, so it may read
    /// and change anything else meanwhile. It runs again if it changes this array itself, or if a handler of a prior call does.
    ///
    /// Observers are notified of the differences: of a replacement, if elements were replaced or only changed places, or else of a
    /// removal, an insertion, or both, one after the other. Elements are compared by `==`, objects by identity. If the array is
    /// as it was, nobody is notified.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws. Then the array is as it was.
    /// - Complexity: O(*n*) for *n* elements, and O(*m*²) for the *m* elements from the first to the last difference while the object is
    ///   observed. If they are more than 2,000, all of them count as replaced.
    @discardableResult @export(implementation) public func edit<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try edit(allowsReplacement: true, body)
    }

    /// Assigns an array by its differences from the one that is there: `list.$songs.update(to: fetched)`.
    ///
    /// Observers are notified of the elements that left and of those that came, each with their indexes, and not of a `.setting`: of a
    /// removal, an insertion, or both. Elements are compared by `==`, objects by identity; what is equal stays as it is. One that has
    /// another place leaves and comes again. If nothing is different, nobody is notified.
    ///
    /// The differences are those from the array that is there behind the deliveries which the edit completes. An edit that a handler makes
    /// between the two changes has the second one made first.
    ///
    /// - Complexity: As for `edit(_:)`.
    @export(implementation) public func update(to elements: some Sequence<Value.Element>) {
        let new = Value(elements)
        edit(allowsReplacement: false) { $0 = new }
    }

    @discardableResult @export(implementation) func edit<Result, Failure: Error>(
        allowsReplacement: Bool, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var outcome: Swift.Result<Result, Failure>!
        var new = Value()
        var (leaving, coming): ([Value.Element], [Value.Element]) = ([], [])
        var differences: ElementDifferences?
        object.inTwoEdits(editedSlot) { isStored in
            outcome = Swift.Result { () throws(Failure) in
                var result: Result?
                let isDone: Void? = try edit(asking: true) { value throws(Failure) in
                    (new, differences) = (value, nil)
                    result = try body(&new)
                    if !object.isObserved { return true }
                    let found = ElementDifferences(
                        from: value.map { $0 }, to: new.map { $0 }, allowsReplacement: allowsReplacement)
                    differences = found
                    leaving = found.removed.ranges.joined().map { value[value.startIndex + $0] }
                    coming = found.inserted.ranges.joined().map { new[new.startIndex + $0] }
                    return !found.isEmpty
                } _: {
                    differences!.firstChange
                } _: { value in
                    guard let differences else { return swap(&value, &new) }
                    let start = value.startIndex
                    if differences.isReplacement {
                        value.replace(at: differences.removed.shifted(by: start), with: coming)
                    } else if !differences.removed.isEmpty {
                        value.removeSubranges(differences.removed.shifted(by: start))
                    } else {
                        value.insert(coming, at: differences.inserted.shifted(by: start))
                    }
                } stored: {
                    isStored()
                }
                if isDone == nil { differences = nil }
                return result!
            }
        } _: {
            guard case .success = outcome, let differences, differences.isTwoEdits else { return }
            insert(coming) { value in
                // Prior handlers of this change may have taken elements out.
                let (end, places) = (value.count + coming.count, differences.inserted)
                let fits = places.bounds!.upperBound <= end
                return (fits ? places : RangeSet(value.count..<end)).shifted(by: value.startIndex)
            }
        }
        withExtendedLifetime((new, leaving)) {}
        return try outcome.get()
    }
}

extension Property where Value: SetAlgebra & Collection {
    /// Checks the set and edits it in one: `list.$tags.edit { tags in if tags.count > 2 { tags.removeFirst() } }`.
    ///
    /// The closure runs behind the deliveries that the edit completes, so what it looks at is what it changes. It changes a copy, and may
    /// read and change anything else meanwhile. It runs again if it changes this set itself, or if a handler of a prior call does.
    /// Observers are notified of the elements that left and came; if there are none, nobody is.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws. Then the set is as it was.
    /// - Complexity: O(*n*).
    @discardableResult @export(implementation) public func edit<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Result?
        try move(asking: true) { value throws(Failure) in
            var copy = value
            result = try body(&copy)
            return SetMovement(leaving: value.subtracting(copy), coming: copy.subtracting(value))
        }
        return result!
    }

    /// Assigns a set by its differences from the one that is there. Observers are notified of a removal, an insertion, or, of elements
    /// that left and others that came, one replacement; if nothing is different, nobody is.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func update(to elements: some Sequence<Value.Element>) {
        let new = Value(elements)
        edit { $0 = new }
    }
}
