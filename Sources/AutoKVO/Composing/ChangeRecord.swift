/// What happened to a property, as a value: a `Change` without its references to objects and to the observation.
///
/// It is the element of `changes(of:as:)`, and is `Sendable` if its values are.
public struct ChangeRecord<Value> {
    /// The path as it was registered.
    public let keyPath: String
    /// Whether the whole value was set, or a collection edited.
    public let kind: ChangeKind
    /// The value from before the change; for an edit of a collection, the elements that were removed or replaced. Nil if it was not
    /// asked for.
    public let oldValue: Value?
    /// The value from after the change; for an edit of a collection, the elements that were inserted. Nil if it was not asked for.
    public let newValue: Value?
    /// Where a collection was edited. See `Change.indexes`.
    public let indexes: RangeSet<Int>?
    /// Whether the change was about to be made.
    public let isPrior: Bool

    /// Copies a change, in a handler.
    ///
    /// - Complexity: O(1).
    @export(implementation) public init(_ change: Change<Value>) {
        keyPath = change.keyPath
        kind = change.kind
        oldValue = change.oldValue
        newValue = change.newValue
        indexes = change.indexes
        isPrior = change.isPrior
    }
}

extension ChangeRecord: Sendable where Value: Sendable {}
