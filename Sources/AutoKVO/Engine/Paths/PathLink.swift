import Synchronization

/// A component of a path, in the list of one key of one object: a change of the key is a change of what the path leads to.
final class PathLink: @unchecked Sendable {
    let route: Route
    let chain: KeyPathChain
    /// Which key of the chain's path the property is.
    let level: Int
    let record: ObjectRecord
    let slot: Int
    /// Whether it is the last component: the value of the path is that of the key.
    let isLeaf: Bool
    /// Whether the path has been linked before, to other objects perhaps.
    let isMoved: Bool
    /// Its index among the links of the key; -1 if it is not among them. Guarded by the record's lock, like `isCancelled`.
    var index = -1
    /// It must not be linked (again).
    var isCancelled = false

    /// How many links of moved paths were made, in the whole program: an unchanged count says that no path has been moved.
    static var moves: UInt64 { movesCounter.load(ordering: .acquiring) }
    private static let movesCounter = Atomic<UInt64>(0)

    init(_ chain: KeyPathChain, level: Int, isMoved: Bool, record: ObjectRecord, slot: Int) {
        route = chain.route
        self.isMoved = isMoved
        self.chain = chain
        self.level = level
        self.record = record
        self.slot = slot
        if isMoved { PathLink.movesCounter.wrappingAdd(1, ordering: .relaxed) }
        isLeaf = chain === route.chain && level == chain.path.keys.count - 1 && chain.path.tail == nil
        Counters.links.add(1)
    }

    deinit {
        Counters.links.add(-1)
    }

    /// What the path's change is a change of, if that is a derived key.
    var derivedKey: (root: ObjectRecord, slot: Int)? {
        if case .derivedKey(let slot) = route.sink { (route.root, slot) } else { nil }
    }

    /// Whether it is the link of the root's own property.
    var isFirst: Bool { level == 0 && chain === route.chain }

    /// Whether objects are linked behind it, which move when its property changes.
    var isFollowed: Bool { level < chain.path.keys.count - 1 || chain.path.tail?.objectPath != nil }

    /// The value of the key; nil if the path does not lead here any more, or the object is dying.
    func readValue() -> Any? {
        record.lock.withLock { index >= 0 } ? record.readValue(slot) : nil
    }

    /// Takes the link out of its list, or makes sure that it never gets in.
    func cancel() {
        record.lock.withLock { isCancelled = true }
        record.unlink(self)
    }

    /// The deinit of the object has begun.
    func objectIsDying() {
        record.unlink(self)
        if isFirst { route.rootIsDying() }
    }
}
