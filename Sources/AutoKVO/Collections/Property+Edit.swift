extension Property
where Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection, Value.Index == Int {
    /// Checks the array and edits it in one.
    ///
    ///     list.$songs.edit { songs in if songs.count > 2 { songs.removeLast() } }
    ///
    /// An edit that a handler makes first has those observers called that have not heard of the change under way, and their handlers may
    /// edit the same array. The closure runs behind that: what it looks at is what it changes. It changes a copy, so it may read
    /// and change anything else meanwhile. It runs again if it changes this array itself, or if a handler of a prior call does; if it does so a
    /// hundred times, that is a mistake in code, and traps.
    ///
    /// Observers are notified of the differences: of a replacement, if elements were replaced or only changed places, or else of a
    /// removal, an insertion, or both, one after the other. Elements are compared by `==`, objects by identity. What the closure
    /// has made is stored in any case: where an element is replaced by an equal one, only keys that are computed from the
    /// array or `affectedBy` it are notified.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws. Then the array is as it was.
    /// - Complexity: O(*n*) for *n* elements, and O(*m*²) for the *m* elements from the first to the last difference while the array is
    ///   observed. If they are more than 2,000, they are compared place by place, or all count as replaced if their number changes.
    @discardableResult @export(implementation) public func edit<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try edit(allowsReplacement: true, body)
    }

    /// Assigns an array by its differences from the one that is there: `list.$songs.update(to: fetched)`.
    ///
    /// Observers are notified of the elements that left and of those that came, each with their indexes, and not of a `.setting`: of a
    /// removal, an insertion, or both. Elements are compared by `==`, objects by identity; of an equal one nobody is notified. One that
    /// has another place leaves and comes again.
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
        allowsReplacement: Bool, round: Int = 1, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        object.requireSettled(round)
        var (result, isOver): (Result?, Bool) = (nil, true)
        // Behind the edit `new` is the array that was there: what left dies when the observers have been called.
        var (new, coming): (Value, [Value.Element]) = (Value(), [])
        var (equal, differences): (StoredCopy<Value>?, ElementDifferences?)
        func compare(_ value: Value) -> ElementDifferences {
            ElementDifferences(from: Array(value), to: Array(new), allowsReplacement: allowsReplacement)
        }
        try object.inTwoEdits(editedSlot) { isStored throws(Failure) in
            let isDone: Void? = try edit(stored: isStored) { value throws(Failure) in
                (new, differences, equal) = (value, nil, nil)
                result = try body(&new)
                if object.isObserved, storage.isDistinct, object.holds(new, at: storage) { return false }
                // While the object is observed, an equal array of a `.distinct` property is not stored.
                if !object.isAnnounced(editedSlot), !object.isObserved || !storage.isDistinct { return true }
                differences = compare(value)
                if differences!.isEmpty { equal = storage.copy }
                return !differences!.isEmpty
            } _: {
                // When the plan was made nobody observed the array, so nothing was compared. Now somebody does.
                differences = differences ?? compare(value)
                return differences!.firstChange
            } _: { value in
                if let differences, differences.isTwoEdits {
                    let places = differences.inserted.shifted(by: new.startIndex)
                    coming = places.ranges.joined().map { new[$0] }
                    new.removeSubranges(places)
                }
                Swift.swap(&value, &new)
            }
            if isDone == nil { differences = nil }
            isOver = storeEqual(&new, insteadOf: equal)
        } _: {
            guard let differences, differences.isTwoEdits else { return }
            edit(.insertion, with: coming) { value in
                // Prior handlers of this change may have taken elements out.
                let (end, places) = (value.count + coming.count, differences.inserted)
                let fits = places.bounds!.upperBound <= end
                return (fits ? places : RangeSet(value.count..<end)).shifted(by: value.startIndex)
            }
        }
        extendLifetime(new)
        return isOver ? result! : try edit(allowsReplacement: allowsReplacement, round: round + 1, body)
    }
}
