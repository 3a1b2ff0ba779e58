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

    @usableFromInline init(from old: [Any], to new: [Any], allowsReplacement: Bool) {
        self.allowsReplacement = allowsReplacement
        let (old, new) = (old.map(ElementIdentity.init), new.map(ElementIdentity.init))
        let limit = min(old.count, new.count)
        let start = (0..<limit).first { old[$0] != new[$0] } ?? limit
        let rest = (0..<limit - start).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? limit - start
        let (left, right) = (start..<old.count - rest, start..<new.count - rest)
        let areMoved = allowsReplacement && left.count == right.count && Self.areMoved(old[left], new[right])
        if left.isEmpty || right.isEmpty || areMoved || left.count + right.count > Self.maximumCount {
            setChanged(left, right, old, new)
            return
        }
        for change in new[right].difference(from: old[left]) {
            switch change {
            case .remove(let offset, _, _): removed.insert(contentsOf: start + offset..<start + offset + 1)
            case .insert(let offset, _, _): inserted.insert(contentsOf: start + offset..<start + offset + 1)
            }
        }
    }

    /// What is between the first difference and the last one: position by position if there are as many on both sides.
    private mutating func setChanged(
        _ left: Range<Int>, _ right: Range<Int>, _ old: [ElementIdentity], _ new: [ElementIdentity]
    ) {
        if left.count == right.count {
            removed = old.indices.indices { $0 < new.count && left.contains($0) && old[$0] != new[$0] }
            inserted = removed
        } else {
            removed.insert(contentsOf: left)
            inserted.insert(contentsOf: right)
        }
    }

    /// Whether the same elements are there in another order.
    private static func areMoved(_ old: ArraySlice<ElementIdentity>, _ new: ArraySlice<ElementIdentity>) -> Bool {
        var counts: [ElementIdentity: Int] = [:]
        for element in old { counts[element, default: 0] += 1 }
        for element in new {
            guard let count = counts[element], count > 0 else { return false }
            counts[element] = count - 1
        }
        return true
    }

    /// The first of the edits, or the only one.
    @usableFromInline var firstChange: CollectionChange {
        if isReplacement { return CollectionChange(.replacement, indexes: removed) }
        return removed.isEmpty
            ? CollectionChange(.insertion, indexes: inserted) : CollectionChange(.removal, indexes: removed)
    }
}
