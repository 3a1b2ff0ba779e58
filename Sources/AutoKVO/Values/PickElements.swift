/// The elements of a collection at some positions, in order, as a collection of the same type. Positions without an element are
/// left out. Nil if the value is not a collection whose elements have positions.
func pickElements(_ positions: RangeSet<Int>, of value: Any) -> Any? {
    func pick<Elements: RandomAccessCollection & RangeReplaceableCollection>(_ elements: Elements) -> Any {
        var picked = Elements()
        for range in positions.ranges.map({ $0.clamped(to: 0..<elements.count) }) {
            picked.append(contentsOf: elements.dropFirst(range.lowerBound).prefix(range.count))
        }
        return picked
    }
    let collection = unwrapped(value) as? any (RandomAccessCollection & RangeReplaceableCollection)
    return collection.map { pick($0) }
}

extension MutableCollection where Index == Int {
    /// Puts others in the place of the elements at some indexes, as many.
    @export(implementation) mutating func replace(at indexes: RangeSet<Int>, with elements: [Element]) {
        for (index, element) in zip(indexes.ranges.joined(), elements) { self[index] = element }
    }
}

extension RangeReplaceableCollection where Self: MutableCollection, Index == Int {
    /// Inserts elements in such a way that they are at some indexes, as many as there are elements.
    @export(implementation) mutating func insert(_ elements: [Element], at indexes: RangeSet<Int>) {
        if indexes.ranges.count < 2 {
            return indexes.ranges.forEach { insert(contentsOf: elements, at: $0.lowerBound) }
        }
        // In one pass: else what is behind each range would be moved for each.
        let start = indexes.ranges[0].lowerBound
        var (behind, rest) = (Array(self[start...])[...], elements[...])
        removeSubrange(start...)
        for range in indexes.ranges {
            let between = range.lowerBound - endIndex
            precondition(between <= behind.count)
            append(contentsOf: behind.prefix(between))
            append(contentsOf: rest.prefix(range.count))
            (behind, rest) = (behind.dropFirst(between), rest.dropFirst(range.count))
        }
        append(contentsOf: behind)
    }

    /// Removes the elements at some indexes. What is behind one range is moved as a whole; between several, element by element.
    @export(implementation) mutating func remove(at indexes: RangeSet<Int>) {
        if indexes.ranges.count == 1 { removeSubrange(indexes.ranges[0]) } else { removeSubranges(indexes) }
    }
}
