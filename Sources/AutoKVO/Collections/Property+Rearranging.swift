/// Edits that change the order of an array's elements. Each is one replacement of the elements that move, or nothing
/// if none does.
extension Property
where Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection, Value.Index == Int {
    /// Exchanges two elements: a replacement of both. With itself an element is not exchanged.
    ///
    /// - Precondition: Both indexes are those of elements.
    /// - Complexity: O(1).
    @export(implementation) public func swapAt(_ i: Int, _ j: Int) {
        require(i..<i + 1)
        require(j..<j + 1)
        if i == j { return }
        if !object.isObserved { return storage.exclusively { $0.swapAt(i, j) } }
        edit(.replacement) { value in
            require(Swift.min(i, j)..<Swift.max(i, j) + 1, stillIn: value)
            return RangeSet([i..<i + 1, j..<j + 1])
        } _: { value, _ in
            value.swapAt(i, j)
        }
    }

    /// Turns the order of the elements around.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func reverse() {
        if !object.isObserved { return storage.exclusively { $0.reverse() } }
        arrange { $0.indices.reversed() }
    }

    /// Sorts the array by a condition that says which of two elements comes first. Equal elements keep their order.
    ///
    /// The condition may read and change anything. All elements are sorted again if it changes this array, or if a handler of a prior
    /// call does.
    ///
    /// - Complexity: O(*n* log *n*).
    @export(implementation)
    public func sort(by areInIncreasingOrder: (Value.Element, Value.Element) throws -> Bool) rethrows {
        try arrange { try $0.sortedIndices(by: areInIncreasingOrder) }
    }

    /// Gives the elements a random order.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func shuffle(using generator: inout some RandomNumberGenerator) {
        arrange { $0.indices.shuffled(using: &generator) }
    }

    /// Gives the elements a random order.
    ///
    /// - Complexity: O(*n*).
    @export(implementation) public func shuffle() { arrange { $0.indices.shuffled() } }

    /// Brings the elements at some indexes together, in their order, before the element at another index.
    ///
    /// - Parameters:
    ///   - indexes: Which elements.
    ///   - index: Where they go, counted in the array as it is before.
    /// - Returns: Where they are now.
    /// - Precondition: The indexes are those of elements; the destination may be the one after the last.
    /// - Complexity: O(*n* log *n*).
    @discardableResult
    @export(implementation) public func moveSubranges(_ indexes: RangeSet<Int>, to index: Int) -> Range<Int> {
        require(index..<index)
        guard let bounds = indexes.bounds else { return index..<index }
        require(bounds)
        if !object.isObserved { return storage.exclusively { $0.moveSubranges(indexes, to: index) } }
        var moved = 0..<0
        arrange { value in
            require(Swift.min(index, bounds.lowerBound)..<Swift.max(index, bounds.upperBound), stillIn: value)
            let start = value.startIndex
            var order = Array(start..<value.endIndex)
            let places = order.moveSubranges(indexes.shifted(by: -start), to: index - start)
            moved = places.lowerBound + start..<places.upperBound + start
            return order
        }
        return moved
    }
}

extension Property
where
    Value: RandomAccessCollection & RangeReplaceableCollection & MutableCollection, Value.Index == Int,
    Value.Element: Comparable
{
    /// Sorts the array: one replacement of the elements that move. Equal elements keep their order.
    ///
    /// - Complexity: O(*n* log *n*).
    @export(implementation) public func sort() { sort(by: <) }
}
