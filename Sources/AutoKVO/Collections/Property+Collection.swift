/// Handles of collection properties read like the collection: `person.$friends.count`, `person.$friends[0]`,
/// `for friend in person.$friends`.
///
/// Iterating goes over the elements that are there when it begins; changing the property meanwhile does not affect
/// it.
extension Property: Sequence where Value: Sequence {
    public typealias Element = Value.Element

    @inlinable public func makeIterator() -> Value.Iterator { value.makeIterator() }

    @inlinable public var underestimatedCount: Int { value.underestimatedCount }

    @inlinable public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<Element>) throws -> Result
    ) rethrows -> Result? {
        try value.withContiguousStorageIfAvailable(body)
    }
}

extension Property: Collection where Value: Collection {
    public typealias Index = Value.Index
    public typealias SubSequence = Value.SubSequence
    public typealias Indices = Value.Indices

    @inlinable public var startIndex: Index { value.startIndex }

    @inlinable public var endIndex: Index { value.endIndex }

    @inlinable public var indices: Indices { value.indices }

    /// The number of elements.
    ///
    /// - Complexity: That of the collection's own `count`.
    @inlinable public var count: Int { value.count }

    @inlinable public var isEmpty: Bool { value.isEmpty }

    /// The element at an index.
    ///
    /// - Precondition: The index is that of an element.
    @inlinable public subscript(position: Index) -> Element { value[position] }

    @inlinable public subscript(bounds: Range<Index>) -> SubSequence { value[bounds] }

    @inlinable public func index(after index: Index) -> Index { value.index(after: index) }

    @inlinable public func index(_ index: Index, offsetBy distance: Int) -> Index {
        value.index(index, offsetBy: distance)
    }

    @inlinable public func index(_ index: Index, offsetBy distance: Int, limitedBy limit: Index) -> Index? {
        value.index(index, offsetBy: distance, limitedBy: limit)
    }

    @inlinable public func distance(from start: Index, to end: Index) -> Int { value.distance(from: start, to: end) }
}

extension Property: BidirectionalCollection where Value: BidirectionalCollection {
    @inlinable public func index(before index: Index) -> Index { value.index(before: index) }
}

extension Property: RandomAccessCollection where Value: RandomAccessCollection {}
