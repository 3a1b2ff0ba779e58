import Synchronization

/// One key path of one target on its way to whoever wants to know of its value: an observation, or a derived key.
///
/// Ordinary observations of one key need no route, they stand in the key's list themselves. A route has a chain of
/// links along the path, one in the list of each property on the way, which moves with the objects.
///
/// An observation owns its routes, and a route its observation, until the observation ends.
final class Route: @unchecked Sendable {
    // Guarded by the lock of `root`: everything variable here, but for `place`, and in the route's chains.

    let path: ParsedKeyPath
    let root: ObjectRecord
    let sink: Sink
    /// The observation that the sink owns, for those who do not count references.
    let unmanagedObservation: Borrowed<KeyValueObservation>?
    /// Whether the observation has other routes, and where it came among them when they were registered.
    let isOneOfSeveral: Bool
    let order: Int
    /// Its place in the order of registration of all paths.
    let sequence: UInt64
    private static let lastSequence = Atomic<UInt64>(0)
    private(set) var chain: KeyPathChain!
    /// Where it stands among its observation's routes. Guarded by the lock of the observation's unmanagedRecord.
    var place = 0

    enum Sink {
        case observation(KeyValueObservation)
        /// The path is what a key of the root is derived from: its change is a change of that key.
        case derivedKey(Int)
        /// The route is only remembered, for an observation that has fired.
        case nobody
    }

    init(_ path: ParsedKeyPath, root: ObjectRecord, sink: Sink, isOneOfSeveral: Bool = false, order: Int = 0) {
        self.path = path
        self.order = order
        self.isOneOfSeveral = isOneOfSeveral
        sequence = Route.lastSequence.wrappingAdd(1, ordering: .relaxed).newValue
        self.root = root
        self.sink = sink
        unmanagedObservation = if case .observation(let observation) = sink { .to(observation) } else { nil }
        chain = KeyPathChain(path, base: root, route: self)
        Counters.routes.add(1)
    }

    deinit {
        Counters.routes.add(-1)
    }

    /// The same route for another sink, not started.
    func copy(for sink: Sink) -> Route {
        Route(path, root: root, sink: sink, isOneOfSeveral: isOneOfSeveral, order: order)
    }

    var isDeactivated: Bool { if case .nobody = sink { true } else { false } }

    /// Links the path up. May be called again to make sure of it; has no effect once the route has been ended, so that a
    /// start on one thread cannot come after the end on another.
    func start() {
        chain.relink(from: 0)
    }

    /// Takes all links away, for good.
    func end() {
        chain.end()
    }

    /// Whether the path has been taken from its observation, or that has ended.
    var isEnded: Bool { root.lock.withLock { chain.isEnded } }

    /// The value at the end of the path; nil where an object on the way is missing.
    func currentValue() -> Any? {
        guard let object = root.trackedObject else { return nil }
        return path.value(from: object)
    }

    /// Whether a change calls the handler once for all of its observation's paths.
    var ignoresChange: Bool {
        isOneOfSeveral && unmanagedObservation?.use { $0.handling.ignoresChange } ?? false
    }

    /// The list of the property at the end of the path; nil if it is not reached, or behind an operator.
    var leafList: InPlace<ObserverList>? {
        guard path.tail == nil, let link = root.lock.withLock({ chain.lastLink }) else { return nil }
        return link.record!.list(Int(link.slot))
    }

    var observation: KeyValueObservation? { unmanagedObservation?.object }
}

/// A place on the way of a path: in the list of one property of one object.
final class PathLink: ObservationNode {
    let route: Route
    let chain: KeyPathChain
    /// Which key of the chain's path the property is.
    let level: Int
    /// Whether a change of the property is a change of the path's value as it stands: it is the last component.
    let isLeaf: Bool
    let linkNeeds: ObserverList.Needs
    /// Whether the path has been linked before, to other objects perhaps.
    let isMoved: Bool

    init(_ chain: KeyPathChain, level: Int, isMoved: Bool, unmanagedRecord: Borrowed<ObjectRecord>, slot: Int) {
        route = chain.route
        self.isMoved = isMoved
        self.chain = chain
        self.level = level
        var flags: Marks = []
        if chain === route.chain, level == chain.path.keys.count - 1, chain.path.tail == nil,
            let observation = route.observation
        {
            isLeaf = true
            linkNeeds = observation.needs
            if route.ignoresChange { flags = [.pathEnd, .sharedHandler] } else if level > 0 { flags = .pathEnd }
        } else {
            isLeaf = false
            linkNeeds = .inner
        }
        super.init(unmanagedRecord: unmanagedRecord, slot: slot, kind: .link, flags: flags)
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

    /// Takes the link out of its list, or makes sure that it never gets in.
    func cancel() {
        unmanagedRecord!.use { record in
            record.lock.withLock { isCancelled = true }
            record.unlink(self) {}
        }
    }

    override func targetDidDie() {
        record!.unlink(self) {}
        guard isFirst else { return }
        switch route.sink {
        case .observation(let observation): observation.targetDidDie(of: route)
        case .derivedKey, .nobody: route.end()
        }
    }
}
