/// What edits of a collection property go through: a handle (`Property`), or a key that is reached by name
/// (`ProxiedCollection`). The edits themselves are written once, in extensions of this protocol.
@usableFromInline
protocol CollectionEditor<Value> {
    associatedtype Value: Collection

    /// The collection as it is now.
    var value: Value { get }

    /// Makes an edit of the collection in place, and announces it if the property is observed.
    ///
    /// - Parameters:
    ///   - positions: Where elements of an array move. The elements that leave and come are read there.
    ///   - removed: The elements of a set that leave, as a set of its type; nil for none.
    ///   - inserted: The elements of a set that come, as a set of its type; nil for none.
    func announce<Result>(
        _ kind: ChangeKind, at positions: RangeSet<Int>?, removed: Any?, inserted: Any?,
        _ body: (inout Value) -> Result
    ) -> Result
}

extension Property: CollectionEditor where Value: Collection {
    @usableFromInline func announce<Result>(
        _ kind: ChangeKind, at positions: RangeSet<Int>?, removed: Any?, inserted: Any?,
        _ body: (inout Value) -> Result
    ) -> Result {
        guard object.isObserved else { return exclusively(body) }
        let ticket = object.ticket(forWriteTo: storageAddress)
        guard ticket.form != .silent else { return exclusively(body) }
        Transaction.begin(
            object, Int(ticket.slot),
            CollectionChange(kind, indexes: positions, removed: removed, inserted: inserted))
        defer { object.endWrite(ticket) }
        return exclusively(body)
    }
}

extension CollectionEditor
where Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection, Value.Index == Int {
    /// Makes an edit that concerns some indexes of the collection, and announces it.
    @usableFromInline func announce<Result>(
        _ kind: ChangeKind, _ indexes: RangeSet<Int>, _ body: (inout Value) -> Result
    ) -> Result {
        let start = value.startIndex
        // A change has positions, which are the indexes of an array, but not those of a slice.
        let positions =
            start == 0 ? indexes : RangeSet(indexes.ranges.map { $0.lowerBound - start..<$0.upperBound - start })
        return announce(kind, at: positions, removed: nil, inserted: nil, body)
    }

    /// Makes an edit by which the elements at some indexes leave. They are released after the edit and after the
    /// observers were called: the death of an object is a change for the observers of a weak reference to it, and
    /// their handlers may read this property.
    @inlinable func announceReleasing(_ kind: ChangeKind, _ indexes: RangeSet<Int>, _ body: (inout Value) -> Void) {
        let leaving = _isPOD(Value.Element.self) ? [] : Array(value[indexes])
        announce(kind, indexes, body)
        withExtendedLifetime(leaving) {}
    }

    // A handler of the prior call may shorten the collection. So the closures below do not rely on the indexes.

    /// Removes the elements at some indexes, if there are any.
    func remove(at indexes: RangeSet<Int>) {
        if indexes.isEmpty { return }
        announceReleasing(.removal, indexes) {
            $0.removeSubranges(indexes.intersection(RangeSet($0.startIndex..<$0.endIndex)))
        }
    }

    /// Replaces as many elements as there are on both sides, then inserts or removes the rest.
    @usableFromInline func replaceInSteps(_ bounds: Range<Int>, with elements: [Value.Element]) {
        let common = Swift.min(bounds.count, elements.count)
        let middle = bounds.lowerBound + common
        if common > 0 {
            announceReleasing(.replacement, RangeSet(bounds.lowerBound..<middle)) { value in
                for (index, element) in zip(bounds, elements) where index < value.endIndex { value[index] = element }
            }
        }
        // A handler of the replacement may have shortened the collection.
        let end = value.endIndex
        if common < bounds.count {
            remove(at: RangeSet(Swift.min(middle, end)..<Swift.min(bounds.upperBound, end)))
        } else if common < elements.count {
            let (rest, index) = (elements[common...], Swift.min(middle, end))
            announce(.insertion, RangeSet(index..<index + rest.count)) {
                $0.insert(contentsOf: rest, at: Swift.min(index, $0.endIndex))
            }
        }
    }

    /// Moves elements: `order` has the index of the element that each position gets. One replacement of the elements
    /// that move, or nothing if none does.
    @usableFromInline func arrange(by order: [Int]) {
        let start = value.startIndex
        let offsets = order.indices.indices { order[$0] != start + $0 }
        let moved = RangeSet(offsets.ranges.map { start + $0.lowerBound..<start + $0.upperBound })
        if moved.isEmpty { return }
        // Only the elements that move are kept: a reference to the collection would make the edit copy it.
        let elements = { value in offsets.ranges.joined().map { value[order[$0]] } }(value)
        announce(.replacement, moved) { value in
            guard value.count == order.count else { return }
            for (index, element) in zip(moved.ranges.joined(), elements) { value[index] = element }
        }
    }
}

extension CollectionEditor where Value: SetAlgebra {
    /// Makes an edit by which elements of a set leave and come. Nothing is done if none do.
    ///
    /// - Parameter body: Makes the edit; nil for taking out what leaves and putting in what comes.
    /// - Returns: Whether any do.
    @discardableResult
    @inlinable func move(_ movement: SetMovement<Value>, _ body: ((inout Value) -> Void)? = nil) -> Bool {
        if movement.isEmpty { return false }
        announce(movement.kind, at: nil, removed: movement.removed, inserted: movement.inserted) {
            if let body { return body(&$0) }
            $0.subtract(movement.leaving)
            $0.formUnion(movement.coming)
        }
        // Released after the observers were called: see `announceReleasing`.
        withExtendedLifetime(movement) {}
        return true
    }
}
