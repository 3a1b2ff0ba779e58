/// An array that a proxy can edit without knowing the type of its elements.
protocol ProxiedArray: EmptyCollectionValue, RandomAccessCollection, RangeReplaceableCollection, MutableCollection
where Index == Int {}

extension Array: ProxiedArray {}
extension ContiguousArray: ProxiedArray {}

/// An edit of an array of any type.
enum ArrayEdit {
    case remove(RangeSet<Int>)
    case replace(Range<Int>, with: [Any])
    /// Each position gets the element at another: the indexes in their new order.
    case arrange([Int])
}

extension ProxiedArray {
    /// Makes an edit of the array of a key.
    static func perform(_ edit: ArrayEdit, on key: ProxiedKey) throws(KeyValueError) {
        let array = ProxiedCollection<Self>(key: key)
        switch edit {
        case .remove(let indexes):
            guard let first = indexes.ranges.first, let last = indexes.ranges.last else { return }
            try require(first.lowerBound..<last.upperBound, array.value.count, key)
            array.remove(at: indexes)
        case .replace(let bounds, let values):
            try require(bounds, array.value.count, key)
            array.replaceInSteps(bounds, with: try key.convert(values, to: Element.self))
        case .arrange(let order): array.arrange(by: order)
        }
    }

    private static func require(_ bounds: Range<Int>, _ count: Int, _ key: ProxiedKey) throws(KeyValueError) {
        if bounds.lowerBound < 0 || bounds.lowerBound > count {
            throw key.error(.indexOutOfRange(index: bounds.lowerBound, count: count))
        }
        if bounds.upperBound > count { throw key.error(.indexOutOfRange(index: bounds.upperBound - 1, count: count)) }
    }

    /// The element at an index; nil if there is none.
    func element(at index: Int) -> Any? { indices.contains(index) ? self[index] : nil }
}
