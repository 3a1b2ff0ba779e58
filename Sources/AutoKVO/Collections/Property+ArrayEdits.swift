/// Edits of an array through its handle, with the standard library's names.
///
/// Each is a change that says what moved: an insertion, a removal or a replacement with its indexes and, if they were
/// asked for, only the elements concerned. One edit is one change (`replaceSubrange` is up to two); an edit that moves
/// nothing is none. Applied in their order to a copy, the changes give the array.
///
/// The array is changed in place: only the elements that an observer asked for are copied, and those that have to be
/// kept until the observers were called. While the object is not observed, an edit costs what it costs on the array.
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
            require(position..<position + 1)
            var element = newValue
            // The one that was there is released after the observers were called.
            edit(.replacement, at: RangeSet(position..<position + 1)) { swap(&$0[position], &element) }
            withExtendedLifetime(element) {}
        }
    }

    /// Adds an element at the end: an insertion.
    ///
    /// - Complexity: O(1) on average.
    @export(implementation) public func append(_ element: Value.Element) {
        let end = endIndex
        edit(.insertion, at: RangeSet(end..<end + 1)) { $0.append(element) }
    }

    /// Adds elements at the end: one insertion, or none if there are none.
    ///
    /// - Complexity: O(*k*) on average for *k* new elements.
    @export(implementation) public func append(contentsOf elements: some Sequence<Value.Element>) {
        if !object.isObserved { return storage.exclusively { $0.append(contentsOf: elements) } }
        insert(contentsOf: Array(elements), at: endIndex)
    }

    /// Inserts an element before the one at an index, or at the end.
    ///
    /// - Precondition: The index is that of an element, or the one after the last.
    /// - Complexity: O(*n*).
    @export(implementation) public func insert(_ element: Value.Element, at index: Int) {
        require(index..<index)
        edit(.insertion, at: RangeSet(index..<index + 1)) { $0.insert(element, at: index) }
    }

    /// Inserts elements before the one at an index, or at the end: one insertion, or none if there are none.
    ///
    /// - Precondition: The index is that of an element, or the one after the last.
    /// - Complexity: O(*n* + *k*) for *k* new elements.
    @export(implementation) public func insert(contentsOf elements: some Collection<Value.Element>, at index: Int) {
        require(index..<index)
        let count = elements.count
        if count > 0 {
            edit(.insertion, at: RangeSet(index..<index + count)) { $0.insert(contentsOf: elements, at: index) }
        }
    }

    /// Takes an element out: a removal.
    ///
    /// - Precondition: The index is that of an element.
    /// - Complexity: O(*n*).
    @discardableResult @export(implementation) public func remove(at index: Int) -> Value.Element {
        require(index..<index + 1)
        return edit(.removal, at: RangeSet(index..<index + 1)) { $0.remove(at: index) }
    }

    /// Takes the first element out: a removal.
    ///
    /// - Precondition: The array is not empty.
    /// - Complexity: O(*n*).
    @discardableResult @export(implementation) public func removeFirst() -> Value.Element { remove(at: startIndex) }

    /// Takes the last element out: a removal.
    ///
    /// - Precondition: The array is not empty.
    /// - Complexity: O(1).
    @discardableResult @export(implementation) public func removeLast() -> Value.Element { remove(at: endIndex - 1) }

    /// Takes the last element out, if there is one: a removal.
    ///
    /// - Complexity: O(1).
    @export(implementation) public func popLast() -> Value.Element? { isEmpty ? nil : removeLast() }

    /// Takes the first elements out: one removal, or none if the number is zero.
    ///
    /// - Precondition: The array has that many elements.
    /// - Complexity: O(*n*).
    @export(implementation) public func removeFirst(_ count: Int) { removeSubrange(startIndex..<startIndex + count) }

    /// Takes the last elements out: one removal, or none if the number is zero.
    ///
    /// - Precondition: The array has that many elements.
    /// - Complexity: O(*k*) for *k* elements.
    @export(implementation) public func removeLast(_ count: Int) { removeSubrange(endIndex - count..<endIndex) }

    /// Takes elements out: one removal, or none if the range is empty.
    ///
    /// - Precondition: The range is within the array.
    /// - Complexity: O(*n*).
    @export(implementation) public func removeSubrange(_ bounds: some RangeExpression<Int>) {
        let bounds = bounds.relative(to: self)
        require(bounds)
        if !bounds.isEmpty { edit(.removal, releasing: RangeSet(bounds)) { $0.removeSubrange(bounds) } }
    }

    /// Takes the elements at some indexes out: one removal, or none.
    ///
    /// - Precondition: The indexes are within the array.
    /// - Complexity: O(*n*).
    @export(implementation) public func removeSubranges(_ indexes: RangeSet<Int>) {
        require(indexes)
        if !indexes.isEmpty { edit(.removal, releasing: indexes) { $0.removeSubranges(indexes) } }
    }

    /// Takes all elements out: one removal, or none if there are none.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func removeAll(keepingCapacity: Bool = false) {
        if isEmpty { return }
        edit(.removal, releasing: RangeSet(startIndex..<endIndex)) { $0.removeAll(keepingCapacity: keepingCapacity) }
    }

    /// Takes the elements out that a condition is true of: one removal, or none.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func removeAll(where condition: (Value.Element) throws -> Bool) rethrows {
        if !object.isObserved, _isPOD(Value.Element.self) {
            return try storage.exclusively { try $0.removeAll(where: condition) }
        }
        removeSubranges(try value.indices(where: condition))
    }

    /// Replaces elements by others: a replacement of as many as there are on both sides, and an insertion or removal of
    /// the rest. With an empty range it is an insertion, with no elements a removal, with neither nothing.
    ///
    /// The two changes are two edits, one after the other: a handler of the first sees the array in between.
    ///
    /// - Precondition: The range is within the array.
    /// - Complexity: O(*n* + *k*) for *k* new elements.
    @export(implementation) public func replaceSubrange(
        _ bounds: some RangeExpression<Int>, with elements: some Collection<Value.Element>
    ) {
        let bounds = bounds.relative(to: self)
        require(bounds)
        if object.isObserved {
            replaceInSteps(bounds, with: Array(elements))
        } else {
            edit(.replacement, releasing: RangeSet(bounds)) { $0.replaceSubrange(bounds, with: elements) }
        }
    }

    @export(implementation) func require(_ bounds: Range<Int>) {
        if !(bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex) { fail(bounds) }
    }

    /// Requires that indexes are those of elements.
    @export(implementation) func require(_ indexes: RangeSet<Int>) {
        if let bounds = indexes.bounds { require(bounds) }
    }

    @export(implementation) func fail(_ bounds: Range<Int>) -> Never {
        let indexes = bounds.count == 1 ? "The index \(bounds.lowerBound) is" : "The indexes \(bounds) are"
        fatalMisuse("\(indexes) out of range for \(type(of: object)).\(key), which has \(count) elements.")
    }
}
