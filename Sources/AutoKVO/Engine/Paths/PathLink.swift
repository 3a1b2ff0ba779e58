import Synchronization

/// A component of a path, among the links of one key of one object: a change of the key changes what the path leads to. Its chain
/// owns it, and it owns its chain and the record. Constant but for its place in the list, which the lock of `record` guards.
final class PathLink: ListMember, @unchecked Sendable {
    let chain: KeyPathChain
    /// The chain's, which the chain keeps.
    let unmanagedRoute: Borrowed<Route>
    /// The observation of the path, which the route owns; nil if a key is derived from the path.
    let observation: Borrowed<KeyValueObservation>?
    /// The expression that reads the key, which the route owns; nil for a component of a path.
    let unmanagedExpression: Borrowed<Expression>?
    /// The index of its key in the chain's path.
    let level: Int
    let record: ObjectRecord
    let slot: Int
    /// Whether it is the last component: the value of the path is that of the key.
    let isLeaf: Bool
    /// Whether the path has been linked before, to other objects perhaps.
    let isMoved: Bool
    /// The link of the next level, which it owns as long as the chain has both. The lock of the chain's root guards it.
    var behind: PathLink?
    /// Where the property is stored in the object, if an expression has read it there.
    private(set) var offset = -1
    /// The expression of the key that is read, if it is a derived one; retained. Set by who makes the link.
    private(set) var source: Borrowed<Expression>?
    // The record's lock guards the following.
    /// Whether it is among the links of the key, and its neighbours there.
    var isLinked = false
    var next: Borrowed<PathLink>?
    var previous: Borrowed<PathLink>?
    /// Whether it must not be added to its list any more.
    var isCancelled = false

    /// Number of links of moved paths that were added to lists in the whole program: an unchanged number says that no path was
    /// moved. Counted behind the addition: a change that finds the number unchanged was stored before the path's value is read.
    static var moves: UInt64 { movesCounter.load(ordering: .acquiring) }
    private static let movesCounter = Atomic<UInt64>(0)

    /// - Parameter level: -1 for a key that an expression reads, whose chain is its route.
    init(_ chain: KeyPathChain, level: Int = -1, isMoved: Bool, record: ObjectRecord, slot: Int) {
        let route = chain.route
        self.chain = chain
        unmanagedRoute = .to(route)
        observation = route.unmanagedObservation
        unmanagedExpression = .toOptional(route.expression)
        self.isMoved = isMoved
        self.level = level
        self.record = record
        self.slot = slot
        let isLast = level >= 0 && level == chain.path.keys.count - 1
        isFollowed = !isLast || chain.path.elementPath != nil
        isLeaf = isLast && chain.path.tail == nil && chain === route
        Counters.links.add(1)
    }

    /// It is in its list, so the key is needed, and has its expression.
    func setSource(atOffset offset: Int) {
        self.offset = offset
        source = record.expression(slot).map { .retaining($0) }
    }

    func noteMove() { if isMoved { PathLink.movesCounter.wrappingAdd(1, ordering: .acquiringAndReleasing) } }

    deinit {
        source?.release()
        Counters.links.add(-1)
    }

    var route: Route { unmanagedRoute.object }

    /// Whether it is the link of the root's own property.
    var isFirst: Bool { level == 0 && chain === route }

    /// Whether links are behind it, which are moved when its property changes, or an expression is, which is evaluated.
    let isFollowed: Bool
    /// Whether it is not just the end of an observed path.
    var isInner: Bool { isFollowed || observation == nil }

    /// What it is a link of.
    @inline(__always)
    var key: Recorder.Source { .init(record: .to(record), slot: slot) }

    /// Of the derived key that an expression reads, or that a path leads through: see `ResolvedKey`. No other key has one.
    var height: Int {
        if let source { return source.object.height }
        return record.layout!.value[slot].height == 0 ? 0 : record.lock.withLock { record.height(of: slot) }
    }

    /// Whether it was read where an object stores something. The record pins the object's address.
    @inline(__always)
    func isOf(_ object: TrackedObject, _ offset: Int) -> Bool {
        self.offset == offset && record.address == Borrowed.to(object).rawAddress
    }

    /// The value of the key; nil if the path does not lead here any more, or the object is dying.
    func readValue() -> Any? { record.lock.withLock { isLinked } ? record.readValue(slot) : nil }

    /// Takes the link out of its list, for good.
    func cancel() { record.unlink(self, cancelling: true) }

    /// The deinit of the object has begun.
    func objectIsDying() {
        record.unlink(self)
        if isFirst { route.rootIsDying() }
        unmanagedExpression?.object.endIfUnreachable()
    }
}
