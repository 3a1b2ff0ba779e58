/// Edits of a set through its handle, with the names of `SetAlgebra`.
///
/// The change has the elements that came and left: uniting and inserting is an insertion; subtracting, intersecting and
/// removing is a removal; setting the value is a replacement. The changes have no indexes. An edit that leaves
/// the set as it was is not reported.
///
/// The set is changed in place. While the object is not observed, an edit costs what it costs on the set. The rest is
/// as for arrays: inside an open change of the property an edit is part of it, and if the key's automatic notification
/// is off, no observer is called.
extension Property where Value: SetAlgebra & Collection {
    /// The set now. Setting it through the handle is a replacement that has only the elements that left and came.
    /// (Setting the property itself is a `.setting` with both sets whole.)
    ///
    /// - Complexity: Setting is O(*n*) while the object is observed.
    @export(implementation) public var value: Value {
        @export(implementation) get {
            if isRecording { object.noteRead(atOffset: storage.offset(in: object)) }
            return storage.checkedValue
        }
        nonmutating set {
            guard object.isObserved else { return write(newValue) }
            edit(isReplacement: true) { $0 = newValue }
        }
    }

    /// Checks the set and edits it in one: `list.$tags.edit { tags in if tags.count > 2 { tags.removeFirst() } }`.
    ///
    /// The closure runs behind the deliveries that the edit completes, so what it looks at is what it changes. It changes a copy, and may
    /// read and change anything else meanwhile. It runs again if it changes this set itself, or if a handler of a prior call does.
    /// Observers are notified of the elements that left and came, compared by `==`, objects by identity. Equal ones are stored, too, of which
    /// only keys that are computed from the set or `affectedBy` it are notified.
    ///
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws. Then the set is as it was.
    /// - Complexity: O(*n*).
    @discardableResult @export(implementation) public func edit<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try edit(isReplacement: false, body)
    }

    /// Assigns a set by its differences from the one that is there. Observers are notified of a removal, an insertion, or, of elements
    /// that left and others that came, one replacement; if nothing is different, nobody is. Elements are compared as in `edit(_:)`.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func update(to elements: some Sequence<Value.Element>) {
        let new = Value(elements)
        edit { $0 = new }
    }

    /// Edits a copy of the set, and stores it as a change that has the elements which leave and come.
    @export(implementation) func edit<Result, Failure: Error>(
        isReplacement: Bool, round: Int = 1, _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        object.requireSettled(round)
        var (new, equal, result): (Value, StoredCopy<Value>?, Result?) = (Value(), nil, nil)
        try move { value throws(Failure) in
            new = value
            result = try body(&new)
            let isSame = object.isObserved && storage.isDistinct && new == value
            let movement = isSame ? SetMovement() : SetMovement(from: value, to: new, isReplacement: isReplacement)
            equal = movement.isEmpty ? storage.copy : nil
            return movement
        } _: { set, _ in
            Swift.swap(&set, &new)
        }
        if storeEqual(&new, insteadOf: equal) { return result! }
        return try edit(isReplacement: isReplacement, round: round + 1, body)
    }

    /// Whether an element is in the set.
    ///
    /// - Complexity: That of the collection's own `contains`.
    @export(implementation) public func contains(_ element: Value.Element) -> Bool { value.contains(element) }

    /// Puts an element in, unless an equal one is there: an insertion.
    ///
    /// - Returns: Whether it was put in, and the element that is in the set now.
    /// - Complexity: O(1) on average.
    @discardableResult @export(implementation)
    public func insert(_ element: Value.Element) -> (inserted: Bool, memberAfterInsert: Value.Element) {
        guard object.isObserved else { return storage.exclusively { $0.insert(element) } }
        let one = Value(CollectionOfOne(element))
        var member = element
        return move {
            let movement = SetMovement(of: .union, with: one, from: $0)
            if movement.isEmpty { member = $0.member(element) ?? element }
            return movement
        } _: { set, _ in
            set.insert(element)
        } ?? (false, member)
    }

    /// Puts an element in, also if an equal one is there: an insertion, or the replacement of the equal one.
    ///
    /// - Returns: The equal element that was there.
    /// - Complexity: O(1) on average.
    @discardableResult @export(implementation) public func update(with element: Value.Element) -> Value.Element? {
        guard object.isObserved else { return storage.exclusively { $0.update(with: element) } }
        let one = Value(CollectionOfOne(element))
        return move({ SetMovement(leaving: $0.members(in: one), coming: one) }) { set, _ in
            set.update(with: element)
        }!
    }

    /// Takes an element out, if it is there: a removal.
    ///
    /// - Returns: The element that was in the set.
    /// - Complexity: O(1) on average.
    @discardableResult @export(implementation) public func remove(_ element: Value.Element) -> Value.Element? {
        guard object.isObserved else { return storage.exclusively { $0.remove(element) } }
        let one = Value(CollectionOfOne(element))
        return move({ SetMovement(leaving: $0.members(in: one)) }) { set, _ in set.remove(element) } ?? nil
    }

    /// Takes all elements out: one removal, or none if there are none.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func removeAll() { move({ SetMovement(leaving: $0) }) { set, _ in set = [] } }

    /// Takes the elements out that a condition is true of: one removal, or none.
    ///
    /// The condition may read and change anything. It is asked again for all elements if it changes this set, or if a handler of a prior
    /// call does.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func removeAll(where condition: (Value.Element) throws -> Bool) rethrows {
        try move { SetMovement(leaving: Value(try $0.filter(condition))) }
    }

    /// Puts elements in: one insertion of those that were not there, or none.
    ///
    /// - Complexity: O(*k*) on average for *k* elements.
    @export(implementation) public func formUnion(_ elements: some Sequence<Value.Element>) {
        mutate(.union, with: elements) { $0.formUnion($1) }
    }

    /// Takes elements out: one removal of those that were there, or none.
    ///
    /// - Complexity: O(*k*) on average for *k* elements; for sets that intersect otherwise, what that costs.
    @export(implementation) public func subtract(_ elements: some Sequence<Value.Element>) {
        mutate(.minus, with: elements) { $0.subtract($1) }
    }

    /// Takes all elements out that are not among others: one removal, or none.
    ///
    /// - Complexity: O(*n*) on average.
    @export(implementation) public func formIntersection(_ elements: some Sequence<Value.Element>) {
        mutate(.intersect, with: elements) { $0.formIntersection($1) }
    }

    /// Takes the elements out that are there and puts in those that are not: one removal, insertion or, if there are
    /// both, replacement.
    ///
    /// - Complexity: O(*k*) on average for *k* elements.
    @export(implementation) public func formSymmetricDifference(_ elements: some Sequence<Value.Element>) {
        mutate(nil, with: elements) { $0.formSymmetricDifference($1) }
    }

    /// Mutates the set with the elements of another: plainly, if no handler runs because of it, nor because an element that
    /// leaves is released.
    @export(implementation) func mutate(
        _ mutation: SetMutationKind?, with elements: some Sequence<Value.Element>,
        _ plainly: (inout Value, Value) -> Void
    ) {
        let elements = Value(elements)
        if !object.isObserved, mutation == .union || _isPOD(Value.Element.self) {
            return storage.exclusively { plainly(&$0, elements) }
        }
        move { SetMovement(of: mutation, with: elements, from: $0) }
    }
}
