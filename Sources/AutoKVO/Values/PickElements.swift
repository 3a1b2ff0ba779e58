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
