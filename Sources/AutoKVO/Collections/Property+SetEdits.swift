/// Edits of a set through its handle, with the names of `SetAlgebra`.
///
/// The change has the elements that came and left: uniting and inserting is an insertion; subtracting, intersecting and
/// removing is a removal; setting the value is a replacement. The changes have no indexes. An edit that moves nothing
/// is no change and makes no call.
///
/// The set is changed in place. While the object is not observed, an edit costs what it costs on the set. The rest is
/// as for arrays: inside an open change of the property an edit is part of it, and if the key's automatic notification
/// is off, no observer is called.
extension Property where Value: SetAlgebra & Collection {
    /// The set now. Setting it through the handle is a replacement that has only the elements that left and came.
    /// (Setting the property itself is a `.setting` with both sets whole.)
    ///
    /// - Complexity: Setting is O(*n*) while the object is observed.
    public var value: Value {
        @inlinable get {
            ExclusiveAccess.checkRead(of: storageAddress)
            return storage.pointee
        }
        nonmutating set {
            guard object.isObserved else { return write(newValue) }
            let isMoved = move(SetMovement(of: .set, with: newValue, from: value)) { $0 = newValue }
            if !isMoved { exclusively { $0 = newValue } }
        }
    }

    /// Whether an element is in the set.
    @inlinable public func contains(_ element: Value.Element) -> Bool { value.contains(element) }

    /// Puts an element in, unless an equal one is there: an insertion.
    ///
    /// - Returns: Whether it was put in, and the element that is in the set now.
    /// - Complexity: O(1) on average.
    @discardableResult
    @inlinable public func insert(_ element: Value.Element) -> (inserted: Bool, memberAfterInsert: Value.Element) {
        guard object.isObserved, !contains(element) else { return exclusively { $0.insert(element) } }
        let coming = Value(CollectionOfOne(element))
        return announce(.insertion, at: nil, removed: nil, inserted: coming) { $0.insert(element) }
    }

    /// Puts an element in, also if an equal one is there: an insertion, or the replacement of the equal one.
    ///
    /// - Returns: The equal element that was there.
    /// - Complexity: O(1) on average.
    @discardableResult
    @inlinable public func update(with element: Value.Element) -> Value.Element? {
        guard object.isObserved else { return exclusively { $0.update(with: element) } }
        let coming = Value(CollectionOfOne(element))
        let equal = value.intersection(coming)
        let (kind, removed): (ChangeKind, Value?) = equal.isEmpty ? (.insertion, nil) : (.replacement, equal)
        return announce(kind, at: nil, removed: removed, inserted: coming) { $0.update(with: element) }
    }

    /// Takes an element out, if it is there: a removal.
    ///
    /// - Returns: The element that was in the set.
    /// - Complexity: O(1) on average.
    @discardableResult
    @inlinable public func remove(_ element: Value.Element) -> Value.Element? {
        guard object.isObserved else { return exclusively { $0.remove(element) } }
        let leaving = value.intersection(Value(CollectionOfOne(element)))
        if leaving.isEmpty { return nil }
        return announce(.removal, at: nil, removed: leaving, inserted: nil) { $0.remove(element) }
    }

    /// Takes all elements out: one removal, or none if there are none.
    ///
    /// - Complexity: O(*n*).
    @inlinable public func removeAll() { move(SetMovement(.removal, leaving: value)) { $0 = [] } }

    /// Takes the elements out that a condition is true of: one removal, or none.
    ///
    /// - Complexity: O(*n*).
    @inlinable public func removeAll(where condition: (Value.Element) throws -> Bool) rethrows {
        move(SetMovement(.removal, leaving: Value(try value.filter(condition))))
    }

    /// Puts elements in: one insertion of those that were not there, or none.
    ///
    /// - Complexity: O(*k*) on average for *k* elements.
    @inlinable public func formUnion(_ elements: some Sequence<Value.Element>) {
        let elements = Value(elements)
        if !object.isObserved { return exclusively { $0.formUnion(elements) } }
        move(SetMovement(of: .union, with: elements, from: value))
    }

    /// Takes elements out: one removal of those that were there, or none.
    ///
    /// - Complexity: O(*k*) on average for *k* elements; for sets that intersect otherwise, what that costs.
    @inlinable public func subtract(_ elements: some Sequence<Value.Element>) {
        let elements = Value(elements)
        if isEditedPlainly { return exclusively { $0.subtract(elements) } }
        move(SetMovement(of: .minus, with: elements, from: value))
    }

    /// Takes all elements out that are not among others: one removal, or none.
    ///
    /// - Complexity: O(*n*) on average.
    @inlinable public func formIntersection(_ elements: some Sequence<Value.Element>) {
        let elements = Value(elements)
        if isEditedPlainly { return exclusively { $0.formIntersection(elements) } }
        move(SetMovement(of: .intersect, with: elements, from: value))
    }

    /// Takes the elements out that are there and puts in those that are not: one removal, insertion or, if there are
    /// both, replacement.
    ///
    /// - Complexity: O(*k*) on average for *k* elements.
    @inlinable public func formSymmetricDifference(_ elements: some Sequence<Value.Element>) {
        let elements = Value(elements)
        if isEditedPlainly { return exclusively { $0.formSymmetricDifference(elements) } }
        move(SetMovement(of: nil, with: elements, from: value))
    }

    /// Whether no handler runs because of an edit, nor because an element that leaves is released.
    @usableFromInline var isEditedPlainly: Bool {
        @inlinable @inline(__always)
        get { !object.isObserved && _isPOD(Value.Element.self) }
    }
}
