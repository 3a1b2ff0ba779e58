/// How a collection is edited.
@usableFromInline
final class CollectionChange {
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
}
