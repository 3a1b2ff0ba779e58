/// An array that a proxy can edit though it does not know the type of its elements.
protocol ProxiedArray: EmptyCollectionValue, RandomAccessCollection, RangeReplaceableCollection, MutableCollection
where Index == Int {
    init()
}

extension Array: ProxiedArray {}
extension ContiguousArray: ProxiedArray {}

/// An edit of an array of any type.
enum ArrayEdit {
    case insert([Any], at: Int)
    case remove(RangeSet<Int>)
    case replace(Range<Int>, with: [Any])
    /// Every place gets the element that is now at another: the indexes in their new order.
    case arrange([Int])
}

extension ProxiedArray {
    /// Makes an edit of the array that a key has.
    static func perform(_ edit: ArrayEdit, on key: ProxiedKey) throws(KeyValueError) {
        let count = key.read(as: Self.self).count
        // Elements that leave are released after the observers were called: see `Property.editReleasing`.
        var leaving: [Element] = []
        defer { withExtendedLifetime(leaving) {} }
        switch edit {
        case .insert(let values, let index):
            try require(index..<index, count, key)
            let elements = try key.convert(values, to: Element.self)
            if elements.isEmpty { return }
            edits(key, .insertion, RangeSet(index..<index + elements.count)) {
                $0.insert(contentsOf: elements, at: Swift.min(index, $0.count))
            }
        case .remove(let indexes):
            guard let first = indexes.ranges.first, let last = indexes.ranges.last else { return }
            try require(first.lowerBound..<last.upperBound, count, key)
            leaving = Array(key.read(as: Self.self)[indexes])
            edits(key, .removal, indexes) {
                $0.removeSubranges(indexes.intersection(RangeSet($0.startIndex..<$0.endIndex)))
            }
        case .replace(let bounds, let values):
            try require(bounds, count, key)
            let elements = try key.convert(values, to: Element.self)
            let common = Swift.min(bounds.count, elements.count)
            let middle = bounds.lowerBound + common
            if common > 0 {
                leaving = Array(key.read(as: Self.self)[bounds])
                edits(key, .replacement, RangeSet(bounds.lowerBound..<middle)) { array in
                    for (index, element) in zip(bounds, elements) where index < array.count { array[index] = element }
                }
            }
            // A handler of the replacement may have changed the array: what is left to do is done as far as it goes.
            let now = key.read(as: Self.self).count
            let rest = Swift.min(middle, now)..<Swift.min(bounds.upperBound, now)
            if common < bounds.count {
                try perform(.remove(RangeSet(rest)), on: key)
            } else if common < elements.count {
                try perform(.insert(elements[common...].map { $0 as Any }, at: rest.lowerBound), on: key)
            }
        case .arrange(let order):
            let moved = order.indices.indices { order[$0] != $0 }
            if moved.isEmpty { return }
            edits(key, .replacement, moved) { array in
                guard array.count == order.count else { return }
                let before = array
                for range in moved.ranges { for index in range { array[index] = before[order[index]] } }
            }
        }
    }

    /// A prior call may have shortened the array, so the closure does not trust its indexes.
    private static func edits(
        _ key: ProxiedKey, _ kind: ChangeKind, _ indexes: RangeSet<Int>, _ body: (inout Self) -> Void
    ) {
        key.edit(CollectionChange(kind, indexes: indexes), body)
    }

    private static func require(_ bounds: Range<Int>, _ count: Int, _ key: ProxiedKey) throws(KeyValueError) {
        if bounds.lowerBound < 0 || bounds.lowerBound > count {
            throw key.error(.indexOutOfRange(index: bounds.lowerBound, count: count))
        }
        if bounds.upperBound > count { throw key.error(.indexOutOfRange(index: bounds.upperBound - 1, count: count)) }
    }

    static func count(of value: Any) -> Int { (value as? Self)?.count ?? 0 }

    static func element(at index: Int, of value: Any) -> Any? {
        guard let array = value as? Self, index >= 0, index < array.count else { return nil }
        return array[index]
    }
}
