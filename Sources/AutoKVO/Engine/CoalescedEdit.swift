/// One edit of a collection, as a change tells it.
struct CoalescedEdit {
    let kind: ChangeKind
    /// Nil for sets.
    let indexes: RangeSet<Int>?
    let old: Any?
    let new: Any?
}

/// A collection before edits that led to it, the latest last; nil if they do not tell enough.
func undo(_ edits: [CoalescedEdit], _ collection: Any) -> Any? {
    if let set = collection as? any UndoableSet { return set.undoing(edits) }
    return (collection as? any (RandomAccessCollection & RangeReplaceableCollection)).flatMap { undo(edits, $0) }
}

private func undo<Elements: RandomAccessCollection & RangeReplaceableCollection>(
    _ edits: [CoalescedEdit], _ collection: Elements
) -> Any? {
    var value = collection
    func index(_ position: Int) -> Elements.Index { value.index(value.startIndex, offsetBy: position) }
    for edit in edits.reversed() {
        guard let ranges = edit.indexes?.ranges, edit.kind != .setting else { return nil }
        if edit.kind == .insertion {
            guard (ranges.last?.upperBound ?? 0) <= value.count else { return nil }
            for range in ranges.reversed() { value.removeSubrange(index(range.lowerBound)..<index(range.upperBound)) }
            continue
        }
        guard let old = edit.old.flatMap(unwrapped) as? Elements else { return nil }
        let count = value.count + (edit.kind == .removal ? old.count : 0)
        guard (ranges.last?.upperBound ?? 0) <= count else { return nil }
        var rest = old[...]
        for range in ranges {
            if edit.kind == .removal {
                value.insert(contentsOf: rest.prefix(range.count), at: index(range.lowerBound))
            } else {
                value.replaceSubrange(
                    index(range.lowerBound)..<index(range.upperBound), with: rest.prefix(range.count))
            }
            rest = rest.dropFirst(range.count)
        }
    }
    return value
}

private protocol UndoableSet {
    func undoing(_ edits: [CoalescedEdit]) -> Any?
}

extension Set: UndoableSet {
    fileprivate func undoing(_ edits: [CoalescedEdit]) -> Any? {
        var value = self
        for edit in edits.reversed() {
            let old = edit.old.flatMap(unwrapped) as? Set
            let new = edit.new.flatMap(unwrapped) as? Set
            switch edit.kind {
            case .setting: return nil
            case .insertion:
                guard let new else { return nil }
                value.subtract(new)
            case .removal:
                guard let old else { return nil }
                value.formUnion(old)
            case .replacement:
                guard let old, let new else { return nil }
                value = value.subtracting(new).union(old)
            }
        }
        return value
    }
}
