/// Edits of collection properties: changes that say what moved.
///
/// Every edit is written once, over `CollectionEditor`, in the extensions below: it decides which positions or elements of the
/// collection it concerns, and calls `edit`, which makes it in place inside one transaction of the engine. There are two
/// editors: a property's handle (`Property`), and `ComputedCollection` for a key whose property is read and set. A proxy
/// (`MutableArrayProxy`, `MutableSetProxy`) reaches a key by name and does not know the type of its elements: it checks and
/// converts what it is given, and then uses one of the two. `observeElements` is the other side: it calls its closures with
/// the elements that a change added and removed.
///
/// Nothing here has a lock: a property is used by one thread at a time. The editors keep the object alive. Handlers run before
/// an edit returns, the prior ones before the collection changes, and may edit the same collection. Read next:
/// `Property+ArrayEdits`, `ProxiedKey`.
@usableFromInline
protocol CollectionEditor<Value> {
    associatedtype Value: Collection

    /// The collection as it is now.
    var value: Value { get }

    /// Makes an edit of the collection in place, and announces it if somebody has to be notified.
    func edit<Result>(_ change: @autoclosure () -> CollectionChange, _ body: (inout Value) -> Result) -> Result
}

extension Property: CollectionEditor where Value: Collection {
    @export(implementation) func edit<Result>(
        _ change: @autoclosure () -> CollectionChange, _ body: (inout Value) -> Result
    ) -> Result {
        guard object.isObserved else { return storage.exclusively(body) }
        return object.announcing(storageAt: storage.offset(in: object), change()) { storage.exclusively(body) }
    }
}

extension CollectionEditor
where Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection, Value.Index == Int {
    /// Makes an edit that concerns some indexes of the collection. They are an autoclosure because a `RangeSet` is an
    /// allocation, which an edit that nobody observes does not need.
    @export(implementation) func edit<Result>(
        _ kind: ChangeKind, at indexes: @autoclosure () -> RangeSet<Int>, _ body: (inout Value) -> Result
    ) -> Result {
        // A change has positions, which are the indexes of an array, but not those of a slice.
        edit(CollectionChange(kind, indexes: indexes().shifted(by: -value.startIndex)), body)
    }

    /// Makes an edit by which the elements at some indexes leave. They are released after the edit and after the
    /// observers were called: the death of an object is a change for the observers of a weak reference to it, and
    /// their handlers may read this property.
    @export(implementation) func edit(
        _ kind: ChangeKind, releasing indexes: @autoclosure () -> RangeSet<Int>, _ body: (inout Value) -> Void
    ) {
        let leaving = _isPOD(Value.Element.self) ? [] : Array(value[indexes()])
        edit(kind, at: indexes(), body)
        withExtendedLifetime(leaving) {}
    }

    // A handler of the prior call may shorten the collection. So the closures below do not rely on the indexes.

    /// Removes the elements at some indexes, if there are any.
    @export(implementation) func remove(at indexes: RangeSet<Int>) {
        if indexes.isEmpty { return }
        edit(.removal, releasing: indexes) {
            $0.removeSubranges(indexes.intersection(RangeSet($0.startIndex..<$0.endIndex)))
        }
    }

    /// Inserts elements in such a way that they are at some indexes, as many as there are elements: one insertion.
    @export(implementation) func insert(_ elements: [Value.Element], at indexes: RangeSet<Int>) {
        if indexes.isEmpty { return }
        edit(.insertion, at: indexes) { value in
            var rest = elements[...]
            for range in indexes.ranges {
                value.insert(contentsOf: rest.prefix(range.count), at: Swift.min(range.lowerBound, value.endIndex))
                rest = rest.dropFirst(range.count)
            }
        }
    }

    /// Replaces the elements at some indexes by as many others: one replacement.
    @export(implementation) func replace(at indexes: RangeSet<Int>, with elements: [Value.Element]) {
        if indexes.isEmpty { return }
        edit(.replacement, releasing: indexes) { value in
            for (index, element) in zip(indexes.ranges.joined(), elements) where index < value.endIndex {
                value[index] = element
            }
        }
    }

    /// Replaces as many elements as there are on both sides, then inserts or removes the rest.
    @export(implementation) func replaceInSteps(_ bounds: Range<Int>, with elements: [Value.Element]) {
        let common = Swift.min(bounds.count, elements.count)
        let middle = bounds.lowerBound + common
        if common > 0 {
            edit(.replacement, releasing: RangeSet(bounds.lowerBound..<middle)) { value in
                for (index, element) in zip(bounds, elements) where index < value.endIndex { value[index] = element }
            }
        }
        // A handler of the replacement may have shortened the collection.
        let end = value.endIndex
        if common < bounds.count {
            remove(at: RangeSet(Swift.min(middle, end)..<Swift.min(bounds.upperBound, end)))
        } else if common < elements.count {
            let (rest, index) = (elements[common...], Swift.min(middle, end))
            edit(.insertion, at: RangeSet(index..<index + rest.count)) {
                $0.insert(contentsOf: rest, at: Swift.min(index, $0.endIndex))
            }
        }
    }

    /// Moves elements: `order` has the index of the element that each position gets. One replacement of the elements
    /// that move, or nothing if none does.
    @export(implementation) func arrange(by order: [Int]) {
        let start = value.startIndex
        let moved = order.indices.indices { order[$0] != start + $0 }.shifted(by: start)
        if moved.isEmpty { return }
        // Only the elements that move are kept: a reference to the collection would make the edit copy it.
        let elements = { value in moved.ranges.joined().map { value[order[$0 - start]] } }(value)
        edit(.replacement, at: moved) { value in
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
    @export(implementation) func move(_ movement: SetMovement<Value>, _ body: ((inout Value) -> Void)? = nil) -> Bool {
        if movement.isEmpty { return false }
        edit(movement.change) {
            if let body { return body(&$0) }
            $0.subtract(movement.leaving)
            $0.formUnion(movement.coming)
        }
        // Released after the observers were called: see `edit(_:releasing:_:)`.
        withExtendedLifetime(movement) {}
        return true
    }
}

extension RangeSet<Int> {
    @export(implementation) func shifted(by distance: Int) -> RangeSet {
        distance == 0 ? self : RangeSet(ranges.map { $0.lowerBound + distance..<$0.upperBound + distance })
    }

    /// From the first index to the last; nil if there is none.
    @export(implementation) var bounds: Range<Int>? { ranges.first.map { $0.lowerBound..<ranges.last!.upperBound } }
}

extension RandomAccessCollection where Index == Int {
    /// The indexes in the order in which their elements would be sorted.
    @export(implementation) func sortedIndices(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows
        -> [Int]
    {
        try indices.sorted { try areInIncreasingOrder(self[$0], self[$1]) }
    }
}
