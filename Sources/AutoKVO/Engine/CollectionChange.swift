/// How a collection is edited.
@usableFromInline final class CollectionChange {
    let kind: ChangeKind
    let indexes: RangeSet<Int>?
    /// The elements that are removed and inserted, if the caller has them (sets); otherwise they are read at the indexes.
    let removed: Any?
    let inserted: Any?

    @usableFromInline
    init(_ kind: ChangeKind, indexes: RangeSet<Int>? = nil, removed: Any? = nil, inserted: Any? = nil) {
        self.kind = kind
        self.indexes = indexes
        self.removed = removed
        self.inserted = inserted
    }

    /// What the collection was before the edit. Nil if it is neither an array nor a set, and if it does not have the positions.
    ///
    /// - Parameters:
    ///   - value: What it is behind it.
    ///   - old: What the edit took out: of an array, in the order of its positions.
    func undone(in value: Any, _ old: Any?) -> Any? {
        func undone<Elements: RandomAccessCollection & RangeReplaceableCollection>(_ elements: Elements) -> Any? {
            var (before, rest) = (elements, (old as? Elements ?? Elements())[...])
            let ranges = indexes.map { Array($0.ranges) } ?? []
            let count = kind == .insertion ? 0 : ranges.reduce(0) { $0 + $1.count }
            let last = elements.count + (kind == .removal ? count : 0)
            if rest.count != count || ranges.last?.upperBound ?? 0 > last { return nil }
            for range in kind == .insertion ? ranges.reversed() : ranges {
                let start = before.index(before.startIndex, offsetBy: range.lowerBound)
                let end = kind == .removal ? start : before.index(start, offsetBy: range.count)
                before.replaceSubrange(start..<end, with: rest.prefix(range.count))
                rest = rest.dropFirst(range.count)
            }
            return before
        }
        func undone<Elements: SetAlgebra>(_ elements: Elements) -> Any {
            elements.subtracting(inserted as? Elements ?? []).union(old as? Elements ?? [])
        }
        let value = unwrapped(value)
        if let array = value as? any (RandomAccessCollection & RangeReplaceableCollection) { return undone(array) }
        return (value as? any SetAlgebra).map { undone($0) }
    }
}
