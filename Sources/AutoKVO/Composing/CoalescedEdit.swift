/// One edit of a collection, as a change tells it.
struct CoalescedEdit {
    let kind: ChangeKind
    /// Nil for sets.
    let indexes: RangeSet<Int>?
    let old: Any?
    let new: Any?
}

/// A collection that can be put back to what it was before edits.
protocol UndoableCollection {
    /// The collection before edits that led to this one, the latest last; nil if they do not tell enough.
    func undoing(_ edits: [CoalescedEdit]) -> Any?
}

extension Array: UndoableCollection {
    func undoing(_ edits: [CoalescedEdit]) -> Any? {
        var value = self
        for edit in edits.reversed() {
            guard let indexes = edit.indexes, (indexes.ranges.last?.upperBound ?? 0) <= value.count + edit.oldCount
            else { return nil }
            switch edit.kind {
            case .setting: return nil
            case .insertion:
                guard (indexes.ranges.last?.upperBound ?? 0) <= value.count else { return nil }
                value.removeSubranges(indexes)
            case .removal:
                guard let old = edit.old.flatMap(unwrapped) as? [Element] else { return nil }
                var rest = old[...]
                for range in indexes.ranges where range.lowerBound <= value.count {
                    value.insert(contentsOf: rest.prefix(range.count), at: range.lowerBound)
                    rest = rest.dropFirst(range.count)
                }
            case .replacement:
                guard let old = edit.old.flatMap(unwrapped) as? [Element] else { return nil }
                for (index, element) in zip(indexes.ranges.joined(), old) where index < value.count {
                    value[index] = element
                }
            }
        }
        return value
    }
}

extension CoalescedEdit {
    fileprivate var oldCount: Int { (old.flatMap(unwrapped) as? any KeyValueCollection)?.elementCount ?? 0 }
}

extension Set: UndoableCollection {
    func undoing(_ edits: [CoalescedEdit]) -> Any? {
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
