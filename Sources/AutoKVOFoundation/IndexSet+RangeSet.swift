public import AutoKVO
public import Foundation

extension IndexSet {
    /// The same indexes.
    ///
    /// - Complexity: O(*n*) for *n* ranges.
    public init(_ indexes: RangeSet<Int>) {
        self.init()
        for range in indexes.ranges { insert(integersIn: range) }
    }
}

extension RangeSet where Bound == Int {
    /// The same indexes.
    ///
    /// - Complexity: O(*n*) for *n* ranges.
    public init(_ indexes: IndexSet) {
        self.init(indexes.rangeView)
    }
}

extension Change {
    /// Where a collection was edited, as `indexes`. Nil for `.setting` and for sets.
    public var indexSet: IndexSet? { indexes.map { IndexSet($0) } }
}

extension TrackedObject {
    /// Says that elements of an array are about to be inserted, removed or replaced. See the form with a `RangeSet`.
    public func willChange(_ kind: ChangeKind, valuesAt indexes: IndexSet, forKey key: String) {
        willChange(kind, valuesAt: RangeSet(indexes), forKey: key)
    }

    /// Says that elements of an array have been inserted, removed or replaced, and notifies the observers.
    public func didChange(_ kind: ChangeKind, valuesAt indexes: IndexSet, forKey key: String) {
        didChange(kind, valuesAt: RangeSet(indexes), forKey: key)
    }
}
