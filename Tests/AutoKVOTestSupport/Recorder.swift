import AutoKVO

/// Writes down the changes that its handlers get: what they carried at that moment, copied.
public final class Recorder<Value> {
    public struct Entry {
        public let keyPath: String
        public let kind: ChangeKind
        public let old: Value?
        public let new: Value?
        public let indexes: RangeSet<Int>?
        public let isPrior: Bool
        /// The target's identity, without keeping it alive.
        public let target: ObjectIdentifier?
        public let userInfo: Any?
        public let label: String
    }

    public private(set) var entries: [Entry] = []

    public init() {}

    public var count: Int { entries.count }
    public var last: Entry? { entries.last }
    public var paths: [String] { entries.map(\.keyPath) }
    public var kinds: [ChangeKind] { entries.map(\.kind) }
    public var priors: [Bool] { entries.map(\.isPrior) }
    public var labels: [String] { entries.map(\.label) }

    public func record(_ change: Change<Value>, _ label: String = "") {
        // Values that were not asked for are read on purpose, and debug builds would report each place once.
        let (old, new) = Diagnostics.withHandler({ _ in }) { (change.oldValue, change.newValue) }
        entries.append(
            Entry(
                keyPath: change.keyPath, kind: change.kind, old: old, new: new, indexes: change.indexes,
                isPrior: change.isPrior, target: change.target.map(ObjectIdentifier.init), userInfo: change.userInfo,
                label: label))
    }

    /// A handler that writes its change down.
    public func handler(_ label: String = "") -> (Change<Value>) -> Void {
        { self.record($0, label) }
    }

    public func clear() { entries = [] }

    /// What was written down since the last call.
    public func take() -> [Entry] {
        defer { entries = [] }
        return entries
    }
}

extension Recorder where Value == Any {
    /// The new values as one type; nil where there is none or it is of another type.
    public func news<As>(_ type: As.Type) -> [As?] { entries.map { $0.new as? As } }
    public func olds<As>(_ type: As.Type) -> [As?] { entries.map { $0.old as? As } }
}

/// Writes down the messages that go to `Diagnostics` while an operation runs.
public func messages(during operation: () throws -> Void) rethrows -> [String] {
    let log = MessageLog()
    try Diagnostics.withHandler({ log.add($0) }, operation: operation)
    return log.messages
}
