/// What is different between an array and another one: by positions, as edits tell it.
@usableFromInline
struct ElementDifferences {
    /// Which elements left, by their positions in the array before.
    @usableFromInline private(set) var removed = RangeSet<Int>()
    /// Which elements came, by their positions in the array after.
    @usableFromInline private(set) var inserted = RangeSet<Int>()
    /// Whether elements that came in the place of others are told as replaced.
    private let allowsReplacement: Bool
    /// Whether each element that came is in the place of one that left.
    @usableFromInline var isReplacement: Bool { allowsReplacement && !removed.isEmpty && removed == inserted }

    @usableFromInline var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }
    /// Whether it takes a removal and an insertion.
    @usableFromInline var isTwoEdits: Bool { !isReplacement && !removed.isEmpty && !inserted.isEmpty }

    /// Finding the fewest takes the square of their number, so it is done for so many.
    private static var maximumCount: Int { 2000 }

    @usableFromInline init<Element>(from old: [Element], to new: [Element], allowsReplacement: Bool) {
        self.allowsReplacement = allowsReplacement
        let areSame = ElementIdentity.comparison(old, new)
        let limit = min(old.count, new.count)
        let start = (0..<limit).first { !areSame($0, $0) } ?? limit
        let rest =
            (0..<limit - start).first { !areSame(old.count - 1 - $0, new.count - 1 - $0) } ?? limit - start
        let left = old[start..<old.count - rest].map { ElementIdentity($0) }
        let right = new[start..<new.count - rest].map { ElementIdentity($0) }
        let areMoved = allowsReplacement && left.count == right.count && missing(from: left, among: right).isEmpty
        if !left.isEmpty, !right.isEmpty, !areMoved, left.count + right.count <= Self.maximumCount {
            for change in right.difference(from: left) {
                switch change {
                case .remove(let offset, _, _): removed.insert(contentsOf: start + offset..<start + offset + 1)
                case .insert(let offset, _, _): inserted.insert(contentsOf: start + offset..<start + offset + 1)
                }
            }
        } else if left.count == right.count {
            removed = left.indices.indices { left[$0] != right[$0] }.shifted(by: start)
            inserted = removed
        } else {
            (removed, inserted) = (RangeSet(start..<start + left.count), RangeSet(start..<start + right.count))
        }
    }

    /// The first of the edits, or the only one.
    @usableFromInline var firstChange: CollectionChange {
        if isReplacement { return CollectionChange(.replacement, indexes: removed) }
        return removed.isEmpty
            ? CollectionChange(.insertion, indexes: inserted) : CollectionChange(.removal, indexes: removed)
    }
}
