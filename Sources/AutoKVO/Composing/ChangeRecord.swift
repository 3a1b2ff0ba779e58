/// What happened to a property, as a value: a `Change` without its references to objects and to the observation.
///
/// It is the element of `changes(of:as:)`, is `Sendable` if its values are, and `Codable` if they are.
public struct ChangeRecord<Value> {
    /// The path as it was registered; of what a closure or a key path computes `Change.keyPath`.
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
    /// Whether there is no old value because nothing was before: the call was made at the registration.
    let isFirst: Bool
    /// Whether there is no old value because what was before is not known any more, as where an object has died on the way.
    let isOldLost: Bool
    /// Whether there is no new value because nothing is there any more: an object on the way has become nil, or the property itself.
    let isGone: Bool
    /// Whether the value that is missing is nil, and not one that the type of the record's values cannot hold: then it can be set.
    let wasNil: Bool
    let isNil: Bool
    /// Whether it is of what a closure or a key path computes, which cannot be set.
    let isComputed: Bool

    /// Copies a change, in a handler.
    ///
    /// - Complexity: O(1).
    public init(_ change: Change<Value>) {
        (keyPath, kind, indexes, isPrior) = (change.keyPath, change.kind, change.indexes, change.isPrior)
        let options = change.observation.options
        oldValue = options.contains(.old) ? change.oldValue : nil
        newValue = options.contains(.new) ? change.newValue : nil
        let hasNoOld = change.kind == .setting && oldValue == nil && options.contains(.old)
        (isFirst, isOldLost) = (hasNoOld && change.isFirst, hasNoOld && !change.isFirst)
        isGone = change.kind == .setting && newValue == nil && options.contains(.new) && !isPrior
        (wasNil, isNil, isComputed) = (hasNoOld && change.wasNil, isGone && change.isNil, change.isOfComputed)
    }

    private enum CodingKeys: CodingKey {
        case keyPath, kind, oldValue, newValue, indexes, isPrior, isFirst, isOldLost, isGone, wasNil, isNil, isComputed
    }
}

extension ChangeRecord: Sendable where Value: Sendable {}

extension ChangeRecord: Encodable where Value: Encodable {
    /// Encodes what the record has: the kind as its raw value, and the indexes as ranges.
    ///
    /// - Complexity: That of the values, and O(*r*) for *r* ranges of indexes.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(keyPath, forKey: .keyPath)
        try container.encode(kind.rawValue, forKey: .kind)
        // Not `encodeIfPresent`: a value that is there and is itself nil is told from one that is missing.
        if let oldValue { try container.encode(oldValue, forKey: .oldValue) }
        if let newValue { try container.encode(newValue, forKey: .newValue) }
        try container.encodeIfPresent(indexes.map { Array($0.ranges) }, forKey: .indexes)
        try container.encode(isPrior, forKey: .isPrior)
        try container.encode(isFirst, forKey: .isFirst)
        if isOldLost { try container.encode(true, forKey: .isOldLost) }
        if isGone { try container.encode(true, forKey: .isGone) }
        if isGone { try container.encode(isNil, forKey: .isNil) }
        if wasNil { try container.encode(true, forKey: .wasNil) }
        if isComputed { try container.encode(true, forKey: .isComputed) }
    }
}

extension ChangeRecord: Decodable where Value: Decodable {
    /// Decodes a record.
    ///
    /// - Throws: A `DecodingError` for data that is no record: a kind that does not exist, an index below zero, indexes of a whole value,
    ///   another number of elements than of indexes, and a prior call by which something is gone. Whether a record fits a collection is found
    ///   out when it is applied.
    /// - Complexity: That of the values, and O(*r* log *r*) for *r* ranges of indexes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func value(_ key: CodingKeys) throws -> Value? {
            container.contains(key) ? try container.decode(Value.self, forKey: key) : nil
        }
        keyPath = try container.decode(String.self, forKey: .keyPath)
        func require(_ isTrue: Bool, _ key: CodingKeys, _ complaint: String) throws {
            if isTrue { return }
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: complaint)
        }
        let kind = ChangeKind(rawValue: try container.decode(UInt.self, forKey: .kind))
        try require(kind != nil, .kind, "There is no such kind of change.")
        self.kind = kind!
        (oldValue, newValue) = (try value(.oldValue), try value(.newValue))
        let ranges = try container.decodeIfPresent([Range<Int>].self, forKey: .indexes)
        try require(ranges?.allSatisfy { $0.lowerBound >= 0 } ?? true, .indexes, "An index is below zero.")
        indexes = ranges.map { RangeSet($0) }
        try require(indexes == nil || kind != .setting, .indexes, "A whole value has no indexes.")
        let count = indexes?.ranges.reduce(0) { $0 + $1.count }
        for value in [kind == .insertion ? nil : oldValue, kind == .removal ? nil : newValue] {
            let elements = value.flatMap(unwrapped).flatMap { $0 as? any Collection }
            let fits = count == nil || elements == nil || elements!.count == count
            try require(fits, .indexes, "There are not as many elements as indexes.")
        }
        isPrior = try container.decode(Bool.self, forKey: .isPrior)
        isFirst = try container.decode(Bool.self, forKey: .isFirst)
        isOldLost = try container.decodeIfPresent(Bool.self, forKey: .isOldLost) ?? false
        isGone = try container.decodeIfPresent(Bool.self, forKey: .isGone) ?? false
        wasNil = try container.decodeIfPresent(Bool.self, forKey: .wasNil) ?? false && oldValue == nil
        isNil = try container.decodeIfPresent(Bool.self, forKey: .isNil) ?? true && isGone && newValue == nil
        isComputed = try container.decodeIfPresent(Bool.self, forKey: .isComputed) ?? false
        try require(!(isPrior && isGone), .isGone, "Before a change nothing is gone yet.")
    }
}
