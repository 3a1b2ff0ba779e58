/// Edits of collection properties: changes that say what moved.
///
/// Every edit is written once, over `CollectionEditor`, in the extensions below. It has a *plan*, which decides which positions or
/// elements of the collection it concerns, and a *store*, which makes it in place inside one transaction of the engine. There are
/// two editors: a property's handle (`Property`), and `ComputedCollection` for a key whose property is read and set. A proxy
/// (`MutableArrayProxy`, `MutableSetProxy`) reaches a key by name and does not know the type of its elements: it checks and
/// converts what it is given, and then uses one of the two. `observeElements` is the other side: it calls its closures with
/// the elements that a change added and removed.
///
/// **When an edit looks at the collection.** `$items.append(x)`, made by a handler, first has the observers called that have not heard of the
/// change under way. Their handlers may edit the collection too, and so may those of prior calls. So the plan is made behind the former,
/// and again behind the latter if they have changed something (`TrackedObject.edit`). An index that the caller has given may be
/// out of range by then: that traps with a sentence (`require(_:stillIn:)`), or throws for a proxy.
///
/// **An example**: `person.$tags.append("x")`, of an array, where somebody observes `tags`.
///
///     Property.append         `edit(.insertion, at:)`, whose plan is the position behind the last element
///     Property.edit           calls `TrackedObject.edit`. A copy, which shares the elements, says whether the array is still the one planned for
///     TrackedObject.edit      completes deliveries that the edit must not overtake, then has the plan made
///     Transaction.begin       with the `CollectionChange`; it makes prior calls. If one of them changes the array, the plan is made again
///     storage.exclusively     the copy has been released, so the array itself is changed, in place
///     Transaction.end         observers get an insertion and its index; a `.setting` if a prior call has changed the array
///
/// `mutableArrayValue(forKey: "tags").append("x")` first converts the element (`ProxiedKey.convert`), and asks `ProxiedKey.editor(of:)` which of
/// the two editors it uses.
///
/// Nothing here has a lock: a property is used by one thread at a time. The editors keep the object alive. Handlers run before
/// an edit returns, the prior ones before the collection changes, and may edit the same collection. Read next:
/// `Property+ArrayEdits`, `ProxiedKey`.
@usableFromInline protocol CollectionEditor<Value> {
    associatedtype Value: Collection

    /// The object that has the collection, and the slot of its key.
    var object: TrackedObject { get }
    var editedSlot: Int? { get }

    /// The collection as it is now.
    var value: Value { get }

    /// Makes an edit of the collection in place, and announces it if somebody has to be notified.
    ///
    /// - Parameters:
    ///   - stored: Called behind the store, when no observer has been notified.
    ///   - plan: Looks at the collection. It may be called several times, outside of all accesses, since it may call functions of the user.
    ///     False if there is nothing to do.
    ///   - change: What the plan is, for the observers.
    ///   - store: Does what was planned.
    /// - Returns: What `store` returns; nil if there is nothing to do.
    func edit<Result, Failure: Error>(
        stored: () -> Void, _ plan: (Value) throws(Failure) -> Bool, _ change: () -> CollectionChange,
        _ store: (inout Value) -> Result
    ) throws(Failure) -> Result?
}

extension Property: CollectionEditor where Value: Collection {
    @export(implementation) var editedSlot: Int? { object.slot(atOffset: storage.offset(in: object)) }

    @export(implementation) func edit<Result, Failure: Error>(
        stored: () -> Void, _ plan: (Value) throws(Failure) -> Bool, _ change: () -> CollectionChange,
        _ store: (inout Value) -> Result
    ) throws(Failure) -> Result? {
        // Kept while user code runs, and released before the store, which would otherwise have to copy the collection.
        var planned: StoredCopy<Value>?
        return try object.edit(
            editedSlot,
            plan: { () throws(Failure) in
                planned = storage.copy
                return try plan(planned!.value)
            }, isPlanned: { storage.holds(planned!) }, stored: stored,
            { object.isStoredCollection(atOffset: storage.offset(in: object)) ? change() : nil }
        ) {
            planned = nil
            return storage.exclusively(store)
        }
    }

    /// Stores a collection that is equal to the one that an edit has found: its elements may be others. Of that only what depends on the
    /// property is notified.
    ///
    /// - Returns: False if the code of a prior call has changed the collection: then the edit is to be made again.
    @export(implementation) func storeEqual(_ new: inout Value, insteadOf found: StoredCopy<Value>?) -> Bool {
        guard let found, !storage.isDistinct, storage.holds(found), !storage.holds(new) else { return true }
        // Of an array or a set of objects these are the same ones.
        let isArray = Value.self == [Value.Element].self || Value.self == ContiguousArray<Value.Element>.self
        let isElementsOnly = isArray || Value.self is any ProxiedSet.Type
        var isStored = false
        func store() {
            isStored = storage.holds(found)
            if isStored { storage.swap(&new) }
        }
        if isElementsOnly, unwrappedType(Value.Element.self) is AnyClass {
            store()
        } else {
            object.storeEqual(atOffset: storage.offset(in: object), store)
        }
        return isStored
    }
}

extension CollectionEditor
where Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection, Value.Index == Int {
    /// Makes an edit that concerns some indexes of the collection, of which there is none if there is nothing to do.
    ///
    /// - Parameter releasing: Whether the elements at the indexes leave. They are released after the edit and after the observers
    ///   were called: the death of an object is a change for the observers of a weak reference to it, and their handlers may read
    ///   this property.
    @discardableResult @export(implementation) func edit<Result, Failure: Error>(
        _ kind: ChangeKind, releasing: Bool = false, stored: () -> Void = {},
        at plan: (Value) throws(Failure) -> RangeSet<Int>, _ store: (inout Value, RangeSet<Int>) -> Result
    ) throws(Failure) -> Result? {
        var (indexes, start) = (RangeSet<Int>(), 0)
        var leaving: [Value.Element] = []
        defer { extendLifetime(leaving) }
        return try edit(
            stored: stored,
            { value throws(Failure) in
                indexes = try plan(value)
                start = value.startIndex
                if releasing, !_isPOD(Value.Element.self) { leaving = Array(value[indexes]) }
                return !indexes.isEmpty
            },
            // A change has positions, which are the indexes of an array, but not those of a slice.
            { CollectionChange(kind, indexes: indexes.shifted(by: -start)) }, { store(&$0, indexes) })
    }

    /// The edit of a kind: removes the elements at some indexes, replaces them by as many others, or inserts as many in such a way that they
    /// are there.
    @export(implementation) func edit<Failure: Error>(
        _ kind: ChangeKind, with elements: [Value.Element] = [], stored: () -> Void = {},
        at plan: (Value) throws(Failure) -> RangeSet<Int>
    ) throws(Failure) {
        try edit(kind, releasing: kind != .insertion, stored: stored, at: plan) { value, indexes in
            switch kind {
            case .insertion: value.insert(elements, at: indexes)
            case .removal: value.remove(at: indexes)
            default: value.replace(at: indexes, with: elements)
            }
        }
    }

    /// Replaces as many elements as there are on both sides, then inserts or removes the rest.
    @export(implementation) func replaceInSteps<Failure: Error>(
        with elements: [Value.Element], at plan: (Value) throws(Failure) -> Range<Int>
    ) throws(Failure) {
        var (bounds, common) = (0..<0, 0)
        var outcome = Swift.Result<Void, Failure>.success(())
        try object.inTwoEdits(editedSlot) { isStored throws(Failure) in
            try edit(.replacement, with: elements, stored: isStored) { value throws(Failure) in
                bounds = try plan(value)
                common = Swift.min(bounds.count, elements.count)
                return RangeSet(bounds.prefix(common))
            }
        } _: {
            outcome = Swift.Result { () throws(Failure) in
                let coming = Array(elements.dropFirst(common))
                try edit(coming.isEmpty ? .removal : .insertion, with: coming) { value throws(Failure) in
                    // Without a replacement the rest is all, at the indexes that the caller has given.
                    let given = common == 0 ? try plan(value) : bounds.dropFirst(common)
                    // The setter of a computed collection or a prior handler may have left elements out.
                    let rest = given.clamped(to: value.startIndex..<value.endIndex)
                    return RangeSet(coming.isEmpty ? rest : rest.lowerBound..<rest.lowerBound + coming.count)
                }
            }
        }
        try outcome.get()
    }

    /// Moves elements: `plan` returns the index of the element that each position gets. One replacement of the elements that move, or
    /// nothing if none does.
    @export(implementation) func arrange<Failure: Error>(by plan: (Value) throws(Failure) -> [Int]) throws(Failure) {
        var elements: [Value.Element] = []
        try edit(.replacement) { value throws(Failure) in
            let (order, start) = (try plan(value), value.startIndex)
            let moved = order.indices.indices { order[$0] != start + $0 }.shifted(by: start)
            // Only the elements that move are kept: a reference to the collection would make the edit copy it.
            elements = moved.ranges.joined().map { value[order[$0 - start]] }
            return moved
        } _: {
            $0.replace(at: $1, with: elements)
        }
    }
}

extension CollectionEditor where Value: SetAlgebra {
    /// Makes an edit by which elements of a set leave and come. Nothing is done if none do.
    ///
    /// - Parameters:
    ///   - plan: Which elements.
    ///   - store: Makes the edit.
    /// - Returns: What `store` returns; nil if nothing is done.
    @discardableResult @export(implementation) func move<Result, Failure: Error>(
        _ plan: (Value) throws(Failure) -> SetMovement<Value>, _ store: (inout Value, SetMovement<Value>) -> Result
    ) throws(Failure) -> Result? {
        // Released after the observers were called: see `edit(_:releasing:at:_:)`.
        var movement = SetMovement<Value>()
        defer { extendLifetime(movement) }
        return try edit(
            stored: {},
            { value throws(Failure) in
                movement = try plan(value)
                return !movement.isEmpty
            }, { movement.change }, { store(&$0, movement) })
    }

    /// The same edit, made by taking out what leaves and putting in what comes. Returns whether anything was done.
    @discardableResult @export(implementation)
    func move<Failure: Error>(_ plan: (Value) throws(Failure) -> SetMovement<Value>) throws(Failure) -> Bool {
        let isDone: Void? = try move(plan) {
            let count = $0.count - $1.leaving.count
            $0.subtract($1.leaving)
            // What does not equal itself is not found.
            if $0.count > count { $0 = Value(elements($0, without: $1.leaving)) }
            $0.formUnion($1.coming)
        }
        return isDone != nil
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
    /// The indexes of the elements that a condition is true of. It is called once for each, which `indices(where:)` does not promise.
    @export(implementation) func indexes(where condition: (Element) throws -> Bool) rethrows -> RangeSet<Int> {
        RangeSet(try indices.filter { try condition(self[$0]) }, within: self)
    }

    /// The indexes in the order in which their elements would be sorted.
    @export(implementation) func sortedIndices(by isLess: (Element, Element) throws -> Bool) rethrows -> [Int] {
        try indices.sorted { try isLess(self[$0], self[$1]) }
    }
}
