/// What happened to a property, as a value: what a `Change` says that does not refer to an object or an observation.
public struct ChangeRecord<Value> {
    /// The path as it was registered.
    public let keyPath: String
    /// Whether the whole value was set, or a collection edited.
    public let kind: ChangeKind
    /// See `Change.oldValue`.
    public let oldValue: Value?
    /// See `Change.newValue`.
    public let newValue: Value?
    /// Where a collection was edited. See `Change.indexes`.
    public let indexes: RangeSet<Int>?
    /// Whether the change was about to be made.
    public let isPrior: Bool

    /// Copies what a change says.
    public init(_ change: Change<Value>) {
        keyPath = change.keyPath
        kind = change.kind
        oldValue = change.oldValue
        newValue = change.newValue
        indexes = change.indexes
        isPrior = change.isPrior
    }
}

extension ChangeRecord: Sendable where Value: Sendable {}
