/// Edits of a set through its handle, with the names of `SetAlgebra`.
///
/// Each tells the observers which elements came and which left: uniting and inserting is an insertion, subtracting,
/// intersecting and removing a removal, setting the value a replacement. The changes have no indexes. An edit that
/// moves nothing is no change and makes no call.
///
/// The set is changed in place. While nobody observes the object, an edit costs what it costs on the set. The rest
/// is as for arrays: inside an open change of the property an edit is part of it, and where the key's automatic
/// notification is off nobody is told.
extension Property where Value: SetAlgebra & Collection {
    /// The set now. Setting it through the handle is a replacement that tells only which elements left and which came.
    /// (Setting the property itself is a `.setting` with both sets whole.)
    ///
    /// - Complexity: Setting is O(*n*) while somebody observes the object.
    public var value: Value {
        @inlinable
        get {
            ExclusiveAccess.checkRead(of: place)
            return storage.pointee
        }
        nonmutating set {
            guard object.isObserved else { return write(newValue) }
            let (leaving, coming) = (value.subtracting(newValue), newValue.subtracting(value))
            if leaving.isEmpty, coming.isEmpty { return exclusively { $0 = newValue } }
            announce(.replacement, removed: leaving, inserted: coming) { $0 = newValue }
        }
    }

    /// Whether an element is in the set.
    @inlinable
    public func contains(_ element: Value.Element) -> Bool { value.contains(element) }

    /// Puts an element in, unless an equal one is there: an insertion.
    ///
    /// - Returns: Whether it was put in, and the element that is in the set now.
    /// - Complexity: O(1) on average.
    @inlinable
    @discardableResult
    public func insert(_ element: Value.Element) -> (inserted: Bool, memberAfterInsert: Value.Element) {
        if object.isObserved, !contains(element) {
            return announce(.insertion, removed: nil, inserted: Value(CollectionOfOne(element))) { $0.insert(element) }
        }
        return exclusively { $0.insert(element) }
    }

    /// Puts an element in, also if an equal one is there: an insertion, or the replacement of the equal one.
    ///
    /// - Returns: The equal element that was there.
    /// - Complexity: O(1) on average.
    @inlinable
    @discardableResult
    public func update(with element: Value.Element) -> Value.Element? {
        guard object.isObserved else { return exclusively { $0.update(with: element) } }
        let equal = value.intersection(Value(CollectionOfOne(element)))
        if equal.isEmpty {
            return announce(.insertion, removed: nil, inserted: Value(CollectionOfOne(element))) {
                $0.update(with: element)
            }
        }
        return announce(.replacement, removed: equal, inserted: Value(CollectionOfOne(element))) {
            $0.update(with: element)
        }
    }

    /// Takes an element out, if it is there: a removal.
    ///
    /// - Returns: The element that was in the set.
    /// - Complexity: O(1) on average.
    @inlinable
    @discardableResult
    public func remove(_ element: Value.Element) -> Value.Element? {
        guard object.isObserved else { return exclusively { $0.remove(element) } }
        let leaving = value.intersection(Value(CollectionOfOne(element)))
        if leaving.isEmpty { return nil }
        return announce(.removal, removed: leaving, inserted: nil) { $0.remove(element) }
    }

    /// Takes all elements out: one removal, or none if there are none.
    ///
    /// - Complexity: O(*n*).
    @inlinable
    public func removeAll() { move(out: value, in: [], as: .removal) { $0 = [] } }

    /// Takes the elements out that a condition is true of: one removal, or none.
    ///
    /// - Complexity: O(*n*).
    @inlinable
    public func removeAll(where condition: (Value.Element) throws -> Bool) rethrows {
        let leaving = Value(try value.filter(condition))
        move(out: leaving, in: [], as: .removal) { $0.subtract(leaving) }
    }

    /// Puts elements in: one insertion of those that were not there, or none.
    ///
    /// - Complexity: O(*k*) on average for *k* elements.
    @inlinable
    public func formUnion(_ elements: some Sequence<Value.Element>) {
        let elements = Value(elements)
        guard object.isObserved else { return exclusively { $0.formUnion(elements) } }
        let coming = elements.subtracting(value)
        move(out: [], in: coming, as: .insertion) { $0.formUnion(coming) }
    }

    /// Takes elements out: one removal of those that were there, or none.
    ///
    /// - Complexity: O(*k*) on average for *k* elements; for sets that intersect otherwise, what that costs.
    @inlinable
    public func subtract(_ elements: some Sequence<Value.Element>) {
        let elements = Value(elements)
        if isEditedPlainly { return exclusively { $0.subtract(elements) } }
        let leaving = value.intersection(elements)
        move(out: leaving, in: [], as: .removal) { $0.subtract(leaving) }
    }

    /// Takes all elements out that are not among others: one removal, or none.
    ///
    /// - Complexity: O(*n*) on average.
    @inlinable
    public func formIntersection(_ elements: some Sequence<Value.Element>) {
        let elements = Value(elements)
        if isEditedPlainly { return exclusively { $0.formIntersection(elements) } }
        let leaving = value.subtracting(elements)
        move(out: leaving, in: [], as: .removal) { $0.subtract(leaving) }
    }

    /// Takes the elements out that are there and puts in those that are not: one removal, insertion or, if there are
    /// both, replacement.
    ///
    /// - Complexity: O(*k*) on average for *k* elements.
    @inlinable
    public func formSymmetricDifference(_ elements: some Sequence<Value.Element>) {
        let elements = Value(elements)
        if isEditedPlainly { return exclusively { $0.formSymmetricDifference(elements) } }
        let (leaving, coming) = (value.intersection(elements), elements.subtracting(value))
        let kind: ChangeKind = leaving.isEmpty ? .insertion : coming.isEmpty ? .removal : .replacement
        move(out: leaving, in: coming, as: kind) { $0.formSymmetricDifference(elements) }
    }

    /// Makes an edit after which some elements have left and others have come. With neither nothing is done.
    @usableFromInline
    func move(out: Value, in coming: Value, as kind: ChangeKind, _ body: (inout Value) -> Void) {
        if out.isEmpty, coming.isEmpty { return }
        if object.isObserved {
            announce(kind, removed: out, inserted: coming, body)
        } else {
            exclusively(body)
        }
        // Released after the observers were called: see `editReleasing`.
        withExtendedLifetime(out) {}
    }

    /// Whether nobody hears of an edit, nor of the end of an element that leaves.
    @usableFromInline
    var isEditedPlainly: Bool {
        @inlinable @inline(__always)
        get { !object.isObserved && _isPOD(Value.Element.self) }
    }

    @usableFromInline
    func announce<Result>(
        _ kind: ChangeKind, removed: Value?, inserted: Value?, _ body: (inout Value) -> Result
    ) -> Result {
        let ticket = object.beginEdit(
            of: place, kind, at: nil, removed: kind == .insertion ? nil : removed,
            inserted: kind == .removal ? nil : inserted)
        defer { object.endEdit(ticket) }
        return exclusively(body)
    }
}
