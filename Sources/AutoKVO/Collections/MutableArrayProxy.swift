extension TrackedObject {
    /// The array of a key, as one that can be edited without knowing the type of its elements.
    ///
    ///     let friends = try person.mutableArrayValue(forKey: "friends")
    ///     try friends.append(bob)
    ///
    /// - Throws: A `KeyValueError` for a name that is not declared, a property that is not an array, and one that
    ///   cannot be written.
    /// - Complexity: O(1).
    @export(implementation)
    public func mutableArrayValue(forKey key: String) throws(KeyValueError) -> MutableArrayProxy {
        try MutableArrayProxy(ProxiedKey(self, key))
    }
}

/// An array property of an object, reached by name: reads and edits what the property holds at that moment, also after
/// it was set to another array. It keeps the object alive.
///
/// Edits are those of `Property`, with the same changes for the observers, also if the property is computed and has a
/// setter. An edit throws if an index is out of range or an element has the wrong type, and has then changed nothing.
/// If the key's automatic notification is off, no observer is called. If the property is an optional that is nil, the
/// array is empty, and the first edit that adds an element creates it.
///
/// An `@Observed` property is edited in place, unless it is optional or overridden; for any other, an edit reads, copies and sets the whole array. The proxy
/// is used by one thread at a time, like the property. Handlers run before an edit returns and may edit the array
/// again.
public struct MutableArrayProxy: RandomAccessCollection {
    @usableFromInline let proxied: ProxiedKey
    @usableFromInline let type: any ProxiedArray.Type

    @usableFromInline init(_ key: ProxiedKey) throws(KeyValueError) {
        self.init(key, try key.schema.collectionType(of: key.key, as: (any ProxiedArray.Type).self, "an array"))
    }

    /// A key whose property may also be one that cannot be set by name.
    @usableFromInline init(_ key: ProxiedKey, _ type: any ProxiedArray.Type) { (proxied, self.type) = (key, type) }

    /// The object that has the array.
    @export(implementation) public var object: TrackedObject { proxied.object }

    /// The key of the array.
    @export(implementation) public var key: String { proxied.name }

    /// The elements now.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public var elements: [Any] { proxied.elements }

    /// The array now; nil if the property is nil.
    @export(implementation) var array: (any ProxiedArray)? { proxied.read() as? any ProxiedArray }

    @export(implementation) public var startIndex: Int { 0 }
    @export(implementation) public var endIndex: Int { array?.count ?? 0 }
    @export(implementation) public func makeIterator() -> IndexingIterator<[Any]> { elements.makeIterator() }

    /// The element at an index. If there is none, or no longer one, an `Any` that holds the empty optional;
    /// `element(at:)` throws there instead.
    ///
    /// - Complexity: O(1) and the property's getter.
    @export(implementation) public subscript(position: Int) -> Any { array?.element(at: position) ?? Any?.none as Any }

    /// The element at an index.
    ///
    /// - Throws: `.indexOutOfRange` where there is none.
    /// - Complexity: O(1) and the property's getter.
    @export(implementation)
    public func element(at index: Int) throws(KeyValueError) -> Any { try require(index, in: array) }
}

extension MutableArrayProxy {
    /// Adds an element at the end: an insertion.
    ///
    /// - Throws: A `KeyValueError`: `.wrongType` for an element that the array cannot hold.
    /// - Complexity: O(1) on average if the array is edited in place, else O(*n*).
    @export(implementation)
    public func append(_ element: Any?) throws(KeyValueError) { try append(contentsOf: [element ?? Any?.none as Any]) }

    /// Adds elements at the end: one insertion, or none if there are none.
    ///
    /// - Throws: A `KeyValueError`: `.wrongType` for an element that the array cannot hold.
    /// - Complexity: O(*k*) on average for *k* new elements if the array is edited in place, else O(*n* + *k*).
    @export(implementation) public func append(contentsOf elements: some Sequence) throws(KeyValueError) {
        let elements = elements.map { $0 as Any }
        try type.edit(.insertion, with: elements, of: proxied) { RangeSet($0.count..<$0.count + elements.count) }
    }

    /// Inserts an element before the one at an index, or at the end.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange`, or `.wrongType` for an element that the array cannot hold.
    /// - Complexity: O(*n*) for *n* elements that move or are compared.
    @export(implementation) public func insert(_ element: Any?, at index: Int) throws(KeyValueError) {
        try insert(contentsOf: [element ?? Any?.none as Any], at: index)
    }

    /// Inserts elements before the one at an index, or at the end: one insertion, or none if there are none.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange`, or `.wrongType` for an element that the array cannot hold.
    /// - Complexity: O(*n*) for *n* elements that move or are compared.
    @export(implementation)
    public func insert(contentsOf elements: some Sequence, at index: Int) throws(KeyValueError) {
        try replaceSubrange(index..<index, with: elements)
    }

    /// Inserts elements in such a way that they are at some indexes afterwards: one insertion, or none if there are none. With the
    /// indexes and the old value of a removal it takes that back.
    ///
    /// - Parameters:
    ///   - elements: As many as there are indexes.
    ///   - indexes: Where the elements are to be, as in the `indexes` of an insertion.
    /// - Throws: A `KeyValueError`: `.indexOutOfRange`, `.wrongType` for an element that the array cannot hold, or `.invalidValue`
    ///   for another number of elements than of indexes.
    /// - Complexity: O(*n*) for *n* elements that move or are compared.
    @export(implementation)
    public func insert(contentsOf elements: some Sequence, at indexes: RangeSet<Int>) throws(KeyValueError) {
        try edit(.insertion, at: indexes, with: elements.map { $0 as Any })
    }

    /// Takes an element out: a removal.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange` for an index without an element.
    /// - Complexity: O(*n*) for *n* elements that move or are compared.
    @discardableResult @export(implementation)
    public func remove(at index: Int) throws(KeyValueError) -> Any { try removeOne { _ in index } }

    /// Takes out the first element: one removal.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange` if there is none.
    /// - Complexity: O(*n*).
    @discardableResult
    @export(implementation) public func removeFirst() throws(KeyValueError) -> Any { try remove(at: 0) }

    /// Takes out the last element: one removal.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange` if there is none.
    /// - Complexity: O(1) if the array is edited in place, else O(*n*).
    @discardableResult @export(implementation)
    public func removeLast() throws(KeyValueError) -> Any { try removeOne { $0 - 1 } }

    /// Takes elements out: one removal, or none if the range is empty.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange` for an index without an element.
    /// - Complexity: O(*n*) for *n* elements that move or are compared.
    @export(implementation)
    public func removeSubrange(_ bounds: Range<Int>) throws(KeyValueError) { try removeSubranges(RangeSet(bounds)) }

    /// Takes the elements at some indexes out: one removal, or none.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange` for an index without an element.
    /// - Complexity: O(*n*) for *n* elements that move or are compared.
    @export(implementation)
    public func removeSubranges(_ indexes: RangeSet<Int>) throws(KeyValueError) { try edit(.removal, at: indexes) }

    /// Takes all elements out: one removal, or none if there are none.
    ///
    /// - Throws: Nothing. A key that is not a settable array is refused when the proxy is made.
    /// - Complexity: O(*n*).
    @export(implementation)
    public func removeAll() throws(KeyValueError) { try type.edit(.removal, of: proxied) { RangeSet(0..<$0.count) } }

    /// Takes the elements out that a condition is true of: one removal, or none.
    ///
    /// - Throws: Nothing. A key that is not a settable array is refused when the proxy is made.
    /// - Complexity: O(*n*), and O(*k* log *k*) for *k* elements that leave.
    @export(implementation) public func removeAll(where condition: (Any) -> Bool) throws(KeyValueError) {
        try type.edit(.removal, of: proxied) { $0.indexes(where: condition) }
    }

    /// Replaces an element: a replacement.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange`, or `.wrongType` for an element that the array cannot hold.
    /// - Complexity: O(1) if the array is edited in place, else O(*n*).
    @export(implementation) public func replace(at index: Int, with element: Any?) throws(KeyValueError) {
        _ = try self.element(at: index)
        try replaceSubrange(index..<index + 1, with: [element ?? Any?.none as Any])
    }

    /// Replaces elements by others: a replacement of as many as there are on both sides, and an insertion or removal of
    /// the rest.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange`, or `.wrongType` for an element that the array cannot hold.
    /// - Complexity: O(*n*) for *n* elements that move or are compared.
    @export(implementation)
    public func replaceSubrange(_ bounds: Range<Int>, with elements: some Sequence) throws(KeyValueError) {
        try type.replace(with: elements.map { $0 as Any }, of: proxied) { array throws(KeyValueError) in
            try require(bounds, within: array.count)
        }
    }

    /// Replaces the elements at some indexes: one replacement, or none if there are none. With the indexes and the old value of a
    /// replacement it takes that back.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange`, `.wrongType` for an element that the array cannot hold, or `.invalidValue`
    ///   for another number of elements than of indexes.
    /// - Complexity: O(*n*) for *n* elements that are replaced or compared.
    @export(implementation)
    public func replaceSubranges(_ indexes: RangeSet<Int>, with elements: some Sequence) throws(KeyValueError) {
        try edit(.replacement, at: indexes, with: elements.map { $0 as Any })
    }

    /// Exchanges two elements: a replacement of both, or nothing if they are the same one.
    ///
    /// - Throws: A `KeyValueError`: `.indexOutOfRange` for an index without an element.
    /// - Complexity: O(*n*).
    @export(implementation) public func swapAt(_ i: Int, _ j: Int) throws(KeyValueError) {
        try type.arrange(of: proxied) { array throws(KeyValueError) in
            for index in [i, j] { _ = try require(index, in: array) }
            var order = Array(0..<array.count)
            order.swapAt(i, j)
            return order
        }
    }

    /// Sorts the array: one replacement of the elements that move, or nothing if none does.
    ///
    /// - Throws: Nothing. A key that is not a settable array is refused when the proxy is made.
    /// - Complexity: O(*n* log *n*).
    @export(implementation) public func sort(by areInIncreasingOrder: (Any, Any) -> Bool) throws(KeyValueError) {
        try type.arrange(of: proxied) { $0.sortedIndices(by: areInIncreasingOrder) }
    }
}

// MARK: Indexes that are given

extension MutableArrayProxy {
    /// Makes an edit at indexes that are given. Unless it is a removal, there has to be one for each element.
    @export(implementation)
    func edit(_ kind: ChangeKind, at indexes: RangeSet<Int>, with elements: [Any] = []) throws(KeyValueError) {
        try type.edit(kind, with: elements, of: proxied) { array throws(KeyValueError) in
            let added = kind == .insertion ? elements.count : 0
            if let bounds = indexes.bounds { try require(bounds, within: array.count, adding: added) }
            let count = indexes.ranges.reduce(0) { $0 + $1.count }
            if kind == .removal || count == elements.count { return indexes }
            throw proxied.error(.invalidValue("\(elements.count) elements for \(count) indexes"))
        }
    }

    /// - Parameter index: The index of the element for a number of elements.
    @export(implementation) func removeOne(_ index: (Int) -> Int) throws(KeyValueError) -> Any {
        var element: Any?
        try type.edit(.removal, of: proxied) { array throws(KeyValueError) in
            let index = index(array.count)
            element = try require(index, in: array)
            return RangeSet(index..<index + 1)
        }
        return element!
    }

    /// The element at an index, which has to be one of the array.
    @export(implementation) func require(_ index: Int, in array: (any ProxiedArray)?) throws(KeyValueError) -> Any {
        if let element = array?.element(at: index) { return element }
        throw proxied.error(.indexOutOfRange(index: index, count: array?.count ?? 0))
    }

    @discardableResult @export(implementation)
    func require(_ bounds: Range<Int>, within count: Int, adding added: Int = 0) throws(KeyValueError) -> Range<Int> {
        let isStartRight = (0...count + added).contains(bounds.lowerBound)
        if isStartRight, bounds.upperBound <= count + added { return bounds }
        let index = isStartRight ? bounds.upperBound - 1 : bounds.lowerBound
        throw proxied.error(.indexOutOfRange(index: index, count: count))
    }
}
