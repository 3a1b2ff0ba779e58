import Synchronization

/// A component of a path, among the links of one key of one object: a change of the key changes what the path leads to. The key's
/// list and the chain own it; it owns its route and the record.
final class PathLink: @unchecked Sendable {
    let route: Route
    let unmanagedRoute: Borrowed<Route>
    /// The observation of the path, which the route owns; nil if a key is derived from the path.
    let observation: Borrowed<KeyValueObservation>?
    /// What the observation needs of a change.
    let needs: ObserverList.Interest
    let chain: KeyPathChain
    /// The index of its key in the chain's path.
    let level: Int
    let record: ObjectRecord
    let slot: Int
    /// Whether it is the last component: the value of the path is that of the key.
    let isLeaf: Bool
    /// Whether the path has been linked before, to other objects perhaps.
    let isMoved: Bool
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

    init(_ chain: KeyPathChain, level: Int, isMoved: Bool, record: ObjectRecord, slot: Int) {
        route = chain.route
        unmanagedRoute = .to(route)
        observation = route.unmanagedObservation
        needs = observation.map { ObserverList.Interest(for: $0.use { $0.options }) } ?? []
        self.isMoved = isMoved
        self.chain = chain
        self.level = level
        self.record = record
        self.slot = slot
        isFollowed = level < chain.path.keys.count - 1 || chain.path.tail?.objectPath != nil
        isLeaf = chain === route.chain && level == chain.path.keys.count - 1 && chain.path.tail == nil
        Counters.links.add(1)
    }

    func noteMove() {
        if isMoved { PathLink.movesCounter.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    }

    deinit {
        Counters.links.add(-1)
    }

    /// The key that is derived from the path; nil for the path of an observation.
    var derivedKey: (root: ObjectRecord, slot: Int)? {
        if case .derivedKey(let slot) = route.sink { (route.root, slot) } else { nil }
    }

    /// Whether it is the link of the root's own property.
    var isFirst: Bool { level == 0 && chain === route.chain }

    /// Whether links are behind it, which are moved when its property changes.
    let isFollowed: Bool
    /// Whether it is not just the end of an observed path.
    var isInner: Bool { isFollowed || observation == nil }

    /// The value of the key; nil if the path does not lead here any more, or the object is dying.
    func readValue() -> Any? {
        record.lock.withLock { isLinked } ? record.readValue(slot) : nil
    }

    /// Takes the link out of its list, for good.
    func cancel() { record.unlink(self, cancelling: true) }

    /// The deinit of the object has begun.
    func objectIsDying() {
        record.unlink(self)
        if isFirst { route.rootIsDying() }
    }
}
