/// A collection whose elements can be picked by position, as an indexed change needs it.
protocol IndexedCollection {
    /// The elements at the positions, in order, as a collection of the same type. Positions without an element are
    /// left out.
    func elements(at positions: RangeSet<Int>) -> Any
}

extension IndexedCollection where Self: RandomAccessCollection & RangeReplaceableCollection {
    func elements(at positions: RangeSet<Int>) -> Any { pick(positions, of: self) }
}

extension Array: IndexedCollection {}
extension ContiguousArray: IndexedCollection {}
extension ArraySlice: IndexedCollection {}

private func pick<Elements: RandomAccessCollection & RangeReplaceableCollection>(
    _ positions: RangeSet<Int>, of elements: Elements
) -> Elements {
    var picked = Elements()
    for range in positions.ranges {
        let range = range.clamped(to: 0..<elements.count)
        let start = elements.index(elements.startIndex, offsetBy: range.lowerBound)
        picked.append(contentsOf: elements[start..<elements.index(start, offsetBy: range.count)])
    }
    return picked
}

/// The elements of a collection at some positions; nil if it is none whose elements have positions.
func pickElements(_ positions: RangeSet<Int>, of value: Any) -> Any? {
    guard let value = unwrapped(value) else { return nil }
    if let known = value as? any IndexedCollection { return known.elements(at: positions) }
    return (value as? any (RandomAccessCollection & RangeReplaceableCollection)).map { pick(positions, of: $0) }
}
