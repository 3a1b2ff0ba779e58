// The handle of an `@ObservedReadOnly` collection reads like the collection, as that of an `@Observed` one does. Both have these
// members: in an extension of their protocol they would be as good as the standard library's defaults, and neither would be taken.

extension ReadOnlyProperty: Sequence where Value: Sequence {
    public typealias Element = Value.Element

    @export(implementation) public func makeIterator() -> Value.Iterator { value.makeIterator() }

    @export(implementation) public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<Element>) throws -> Result
    ) rethrows -> Result? {
        try value.withContiguousStorageIfAvailable(body)
    }
}

extension ReadOnlyProperty: Collection where Value: Collection {
    public typealias Index = Value.Index
    public typealias SubSequence = Value.SubSequence
    public typealias Indices = Value.Indices

    @export(implementation) public var startIndex: Index { value.startIndex }

    @export(implementation) public var endIndex: Index { value.endIndex }

    @export(implementation) public var indices: Indices { value.indices }

    /// The number of elements.
    ///
    /// - Complexity: That of the collection's own `count`.
    @export(implementation) public var count: Int { value.count }

    @export(implementation) public var isEmpty: Bool { value.isEmpty }

    /// The element at an index.
    ///
    /// - Precondition: The index is that of an element.
    /// - Complexity: That of reading the property, and of the collection's own subscript.
    @export(implementation) public subscript(position: Index) -> Element { value[position] }

    @export(implementation) public subscript(bounds: Range<Index>) -> SubSequence { value[bounds] }

    @export(implementation) public func index(after index: Index) -> Index { value.index(after: index) }

    @export(implementation) public func index(_ index: Index, offsetBy distance: Int) -> Index {
        value.index(index, offsetBy: distance)
    }

    @export(implementation)
    public func index(_ index: Index, offsetBy distance: Int, limitedBy limit: Index) -> Index? {
        value.index(index, offsetBy: distance, limitedBy: limit)
    }

    @export(implementation) public func distance(from start: Index, to end: Index) -> Int {
        value.distance(from: start, to: end)
    }

    /// What a function makes of each of the elements that are there when it begins.
    ///
    /// - Complexity: That of reading the property, and O(*n*) with a call of the function for each element.
    @export(implementation) public func map<Result, Failure: Error>(
        _ transform: (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] { try value.map(transform) }
}

extension ReadOnlyProperty: BidirectionalCollection where Value: BidirectionalCollection {
    @export(implementation) public func index(before index: Index) -> Index { value.index(before: index) }

    /// The elements that are there now, the last one first.
    ///
    /// - Complexity: That of reading the property.
    @export(implementation) public func reversed() -> ReversedCollection<Value> { value.reversed() }
}

extension ReadOnlyProperty: RandomAccessCollection where Value: RandomAccessCollection {}

extension ReadOnlyProperty where Value: SetAlgebra & Collection {
    /// Whether an element is in the set.
    ///
    /// - Complexity: That of reading the property, and of the collection's own `contains`.
    @export(implementation) public func contains(_ element: Value.Element) -> Bool { value.contains(element) }
}
