/// A collection whose elements can be picked by position: what an indexed change is told of.
protocol IndexedCollection {
    /// The elements at the indexes, in order, as a collection of the same type. Indexes beyond the end are left out.
    func elements(at indexes: RangeSet<Int>) -> Any
}

extension Array: IndexedCollection {
    func elements(at indexes: RangeSet<Int>) -> Any {
        var picked: [Element] = []
        for range in indexes.ranges { picked.append(contentsOf: self[range.clamped(to: indices)]) }
        return picked
    }
}
