/// Edits of an array through its handle, with the standard library's names.
///
/// Each is a change that says what moved: an insertion, a removal or a replacement with its indexes and, if they were
/// asked for, only the elements concerned. One edit is one change (`replaceSubrange` is up to two); an edit that has
/// nothing to do is not reported. Applied in their order to a copy, the changes give the array.
///
/// An edit looks at the array when it is stored. Before that, an edit that a handler makes has those observers called that have not
/// heard of the change under way, and their handlers may edit the same array; so may handlers of prior calls. An index that was valid
/// at the call and is not any more then traps with a sentence; `edit(_:)` checks and edits in one.
///
/// The array is changed in place: only the elements that an observer asked for are copied, and those that have to be
/// kept until the observers were called. While the object is not observed, an edit costs what it costs on the array;
/// sorting, shuffling and removing by a condition, which may read the property, copy what moves or leaves.
/// Inside an open change of the property (`withMutation`) an edit is part of that change; if the key's automatic
/// notification is off, no observer is called. Handlers run on this thread, after the edit and before the call returns,
/// and may edit the same property again.
///
/// These edits exist for every collection that is random access, with whole numbers as indexes, as arrays and their
/// slices are.
extension Property
where Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection, Value.Index == Int {
    /// The element at an index. Setting it is a replacement, also by an equal element.
    ///
    /// - Precondition: The index is that of an element.
    /// - Complexity: O(1).
    @export(implementation) public subscript(position: Int) -> Value.Element {
        get { value[position] }
        nonmutating set {
            var element = newValue
            // The one that was there is released after the observers were called.
            edit(.replacement, given: { _ in position..<position + 1 }) { swap(&$0[position], &element) }
            extendLifetime(element)
        }
    }

    /// Adds an element at the end: an insertion.
    ///
    /// - Complexity: O(1) on average.
    @export(implementation) public func append(_ element: Value.Element) {
        if !object.isObserved { return storage.exclusively { $0.append(element) } }
        edit(.insertion, at: { RangeSet($0.endIndex..<$0.endIndex + 1) }) { value, _ in value.append(element) }
    }

    /// Adds elements at the end: one insertion, or none if there are none.
    ///
    /// - Complexity: O(*k*) on average for *k* new elements.
    @export(implementation) public func append(contentsOf elements: some Sequence<Value.Element>) {
        // Made before the access: they may be read from this property.
        let elements = Array(elements)
        if !object.isObserved { return storage.exclusively { $0.append(contentsOf: elements) } }
        edit(.insertion, with: elements) { RangeSet($0.endIndex..<$0.endIndex + elements.count) }
    }

    /// Inserts an element before the one at an index, or at the end.
    ///
    /// - Precondition: The index is that of an element, or the one after the last.
    /// - Complexity: O(*n*).
    @export(implementation) public func insert(_ element: Value.Element, at index: Int) {
        edit(.insertion, given: { _ in index..<index }, adding: 1) { $0.insert(element, at: index) }
    }

    /// Inserts elements before the one at an index, or at the end: one insertion, or none if there are none.
    ///
    /// - Precondition: The index is that of an element, or the one after the last.
    /// - Complexity: O(*n* + *k*) for *k* new elements.
    @export(implementation) public func insert(contentsOf elements: some Collection<Value.Element>, at index: Int) {
        require(index..<index)
        let elements = Array(elements)
        if elements.isEmpty { return }
        edit(.insertion, given: { _ in index..<index }, adding: elements.count) {
            $0.insert(contentsOf: elements, at: index)
        }
    }

    /// Takes an element out: a removal.
    ///
    /// - Precondition: The index is that of an element.
    /// - Complexity: O(*n*).
    @discardableResult @export(implementation) public func remove(at index: Int) -> Value.Element {
        edit(.removal, given: { _ in index..<index + 1 }) { $0.remove(at: index) }
    }

    /// Takes the first element out: a removal.
    ///
    /// - Precondition: The array is not empty.
    /// - Complexity: O(*n*).
    @discardableResult @export(implementation) public func removeFirst() -> Value.Element {
        edit(.removal, given: { $0.startIndex..<$0.startIndex + 1 }) { $0.remove(at: $0.startIndex) }
    }

    /// Takes the last element out: a removal.
    ///
    /// - Precondition: The array is not empty.
    /// - Complexity: O(1).
    @discardableResult @export(implementation) public func removeLast() -> Value.Element {
        edit(.removal, given: { $0.endIndex - 1..<$0.endIndex }) { $0.remove(at: $0.endIndex - 1) }
    }

    /// Takes the last element out, if there is one: a removal.
    ///
    /// - Complexity: O(1).
    @export(implementation) public func popLast() -> Value.Element? {
        if !object.isObserved { return storage.exclusively { $0.isEmpty ? nil : $0.remove(at: $0.endIndex - 1) } }
        return edit(.removal, at: { RangeSet(Swift.max($0.startIndex, $0.endIndex - 1)..<$0.endIndex) }) { value, _ in
            value.remove(at: value.endIndex - 1)
        }
    }

    /// Takes the first elements out: one removal, or none if the number is zero.
    ///
    /// - Precondition: The array has that many elements.
    /// - Complexity: O(*n*).
    @export(implementation)
    public func removeFirst(_ count: Int) { remove(given: { $0.startIndex..<$0.startIndex + count }) }

    /// Takes the last elements out: one removal, or none if the number is zero.
    ///
    /// - Precondition: The array has that many elements.
    /// - Complexity: O(*k*) for *k* elements.
    @export(implementation)
    public func removeLast(_ count: Int) { remove(given: { $0.endIndex - count..<$0.endIndex }) }

    /// Takes elements out: one removal, or none if the range is empty.
    ///
    /// - Precondition: The range is within the array. `3...` is all that the array has from there when the edit is stored.
    /// - Complexity: O(*n*).
    @export(implementation)
    public func removeSubrange(_ bounds: some RangeExpression<Int>) { remove(given: { relative(bounds, to: $0) }) }

    /// Takes the elements at some indexes out: one removal, or none.
    ///
    /// - Precondition: The indexes are within the array.
    /// - Complexity: O(*n*).
    @export(implementation) public func removeSubranges(_ indexes: RangeSet<Int>) {
        guard let bounds = indexes.bounds else { return }
        require(bounds)
        edit(.removal) { value -> RangeSet<Int> in
            require(bounds, stillIn: value)
            return indexes
        }
    }

    /// Takes all elements out: one removal, or none if there are none.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func removeAll(keepingCapacity: Bool = false) {
        if !object.isObserved, _isPOD(Value.Element.self) {
            return storage.exclusively { $0.removeAll(keepingCapacity: keepingCapacity) }
        }
        edit(.removal, releasing: true, at: { RangeSet($0.startIndex..<$0.endIndex) }) { value, _ in
            value.removeAll(keepingCapacity: keepingCapacity)
        }
    }

    /// Takes the elements out that a condition is true of: one removal, or none.
    ///
    /// The condition may read and change anything. It is asked again for all elements if it changes this array, or if a handler of a
    /// prior call does.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func removeAll(where condition: (Value.Element) throws -> Bool) rethrows {
        try edit(.removal) { try $0.indexes(where: condition) }
    }

    /// Replaces elements by others: a replacement of as many as there are on both sides, and an insertion or removal of
    /// the rest. With an empty range it is an insertion, with no elements a removal, with neither nothing.
    ///
    /// The two changes are two edits, one after the other: a handler of the first sees the array in between. If it changes the array, the
    /// second edit is made before that.
    ///
    /// - Precondition: The range is within the array.
    /// - Complexity: O(*n* + *k*) for *k* new elements.
    @export(implementation)
    public func replaceSubrange(_ bounds: some RangeExpression<Int>, with elements: some Collection<Value.Element>) {
        let given = require(relative(bounds, to: value))
        let elements = Array(elements)
        if object.isObserved {
            replaceInSteps(with: elements) { require(relative(bounds, to: $0), stillIn: $0) }
        } else {
            let leaving = _isPOD(Value.Element.self) ? [] : Array(value[given])
            storage.exclusively { $0.replaceSubrange(given, with: elements) }
            extendLifetime(leaving)
        }
    }

    // MARK: Indexes that are given

    /// Makes an edit at indexes that the caller has given.
    ///
    /// - Parameters:
    ///   - bounds: Has to be in the array, now and when the edit is stored.
    ///   - count: How many indexes more the change has.
    @discardableResult @export(implementation) func edit<Result>(
        _ kind: ChangeKind, given bounds: (Value) -> Range<Int>, adding count: Int = 0, _ store: (inout Value) -> Result
    ) -> Result {
        require(bounds(value))
        if !object.isObserved { return storage.exclusively(store) }
        return edit(kind) {
            let found = require(bounds($0), stillIn: $0)
            return RangeSet(found.lowerBound..<found.upperBound + count)
        } _: { value, _ in
            store(&value)
        }!
    }

    @export(implementation) func remove(given bounds: (Value) -> Range<Int>) {
        let given = require(bounds(value))
        if !object.isObserved, _isPOD(Value.Element.self) { return storage.exclusively { $0.removeSubrange(given) } }
        edit(.removal) { RangeSet(require(bounds($0), stillIn: $0)) }
    }

    @export(implementation) func relative(_ expression: some RangeExpression<Int>, to value: Value) -> Range<Int> {
        guard let from = expression as? PartialRangeFrom<Int> else { return expression.relative(to: value) }
        return from.lowerBound..<Swift.max(from.lowerBound, value.endIndex)
    }

    /// Requires that indexes that were given are in the array now, or still in the one that an edit finds.
    @discardableResult @export(implementation) @inline(__always)
    func require(_ bounds: Range<Int>, stillIn found: Value? = nil) -> Range<Int> {
        let value = found ?? value
        if bounds.lowerBound >= value.startIndex && bounds.upperBound <= value.endIndex { return bounds }
        target.complain(of: bounds, count: value.count, isBehindHandlers: found != nil)
    }
}

extension HandleTarget {
    @usableFromInline func complain(of bounds: Range<Int>, count: Int, isBehindHandlers: Bool) -> Never {
        let indexes = bounds.count == 1 ? "The index \(bounds.lowerBound) is" : "The indexes \(bounds) are"
        fatalMisuse(
            "\(indexes) out of range for \(type(of: object)).\(key.name), which has \(count) element\(count == 1 ? "" : "s")."
                + (isBehindHandlers
                    ? " A handler that ran before the edit was stored has changed the array: $\(key.name).edit { … } checks and edits in one."
                    : ""))
    }
}
