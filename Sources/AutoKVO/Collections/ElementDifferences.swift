/// What is different between an array and another one: by positions, as edits tell it.
@usableFromInline struct ElementDifferences {
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

    @usableFromInline init<Element>(from old: [Element], to new: [Element], allowsReplacement: Bool) {
        self.allowsReplacement = allowsReplacement
        let areSame = ElementIdentity.comparison(old, new)
        let limit = min(old.count, new.count)
        let start = (0..<limit).first { !areSame($0, $0) } ?? limit
        let rest = (0..<limit - start).first { !areSame(old.count - 1 - $0, new.count - 1 - $0) } ?? limit - start
        let (left, right) = ElementIdentity.numbers(
            Array(old[start..<old.count - rest]), Array(new[start..<new.count - rest]))
        let areOthers = Set(left).isDisjoint(with: right)
        let areMoved = allowsReplacement && left.sorted() == right.sorted()
        // Finding the fewest takes the square of their number.
        if !areOthers, !areMoved, left.count + right.count <= 2000 {
            let difference = right.difference(from: left)
            for case .remove(let offset, _, _) in difference { removed.insert(offset, within: left) }
            for case .insert(let offset, _, _) in difference { inserted.insert(offset, within: right) }
            (removed, inserted) = (removed.shifted(by: start), inserted.shifted(by: start))
        } else if left.count == right.count {
            removed = left.indices.indices { left[$0] != right[$0] }.shifted(by: start)
            inserted = removed
        } else {
            (removed, inserted) = (RangeSet(start..<start + left.count), RangeSet(start..<start + right.count))
        }
    }

    /// The first of the edits, or the only one.
    @usableFromInline var firstChange: CollectionChange {
        if removed.isEmpty { return CollectionChange(.insertion, indexes: inserted) }
        return CollectionChange(isReplacement ? .replacement : .removal, indexes: removed)
    }
}
