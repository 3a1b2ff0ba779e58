import Synchronization

/// One key path of one target on its way to whoever wants to know of its value: an observation, or a derived key.
///
/// Ordinary observations of one key need no route: they are in the key's list themselves. The route of a path of one key has a part
/// of its observation in that list. The route of a longer path has a chain of links, one for each property on the way, which moves
/// with the objects.
///
/// An observation owns its routes, and a route its observation, until the observation ends.
final class Route: @unchecked Sendable {
    // Guarded by the lock of `root`: everything variable here, but for `index`, and in the route's chains.

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
    /// The key, if the path is one key.
    let slot: Int?
    private var part: KeyValueObservation?
    private(set) var chain: KeyPathChain?
    /// Its index among its observation's routes. Guarded by the lock of the observation's record.
    var index = 0

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
        slot = path.keys.count == 1 && path.tail == nil ? root.schema!.slot(of: path.keys[0]) : nil
        if slot == nil {
            chain = KeyPathChain(path, base: root, route: self)
        } else if case .observation(let observation) = sink {
            part = KeyValueObservation(partFor: self, of: observation)
        }
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
        if let chain { return chain.relink(from: 0) }
        TestPoint.relinking.reach()
        if let part = root.lock.withLock({ part }) { _ = root.link(part) }
        TestPoint.linked.reach()
    }

    /// Takes the part or all links away, for good.
    func end() {
        if let chain { return chain.end() }
        let part = root.lock.withLock { self.part.take() }
        if let part, part.changeStateToEnded() { root.unlink(part) }
    }

    /// The deinit of the root has begun.
    func rootIsDying() {
        if case .observation(let observation) = sink { observation.targetDidDie(of: self) } else { end() }
    }

    /// Whether the path has been taken from its observation, or that has ended.
    var isEnded: Bool { root.lock.withLock { chain?.isEnded ?? (part == nil) } }

    /// The value at the end of the path; nil where an object on the way is missing.
    func currentValue() -> Any? {
        guard let object = root.trackedObject else { return nil }
        return path.value(from: object)
    }

    /// Whether a change calls the handler once for all of its observation's paths.
    var ignoresChange: Bool {
        isOneOfSeveral && unmanagedObservation?.use { $0.handling.ignoresChange } ?? false
    }

    /// The list of the key, if the path is one key.
    var keyList: InPlace<ObserverList>? { slot.flatMap { root.list($0) } }

    /// What the observation needs of a change.
    var needs: ObserverList.Interest { ObserverList.Interest(for: unmanagedObservation!.use { $0.options }) }

    var observation: KeyValueObservation? { unmanagedObservation?.object }
}
