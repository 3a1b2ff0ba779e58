public import AutoKVO
public import Foundation

extension IndexSet: ArrayIndexes {
    /// The same indexes.
    ///
    /// - Complexity: O(*n*) for *n* ranges.
    public init(_ indexes: RangeSet<Int>) {
        self.init()
        for range in indexes.ranges { insert(integersIn: range) }
    }

    @_documentation(visibility: internal) public var arrayIndexes: RangeSet<Int> { RangeSet(self) }
}

extension RangeSet where Bound == Int {
    /// The same indexes.
    ///
    /// - Complexity: O(*n*) for *n* ranges.
    public init(_ indexes: IndexSet) { self.init(indexes.rangeView) }
}

extension Change {
    /// Where a collection was edited, as `indexes`. Nil for `.setting` and for sets.
    public var indexSet: IndexSet? { indexes.map { IndexSet($0) } }
}
