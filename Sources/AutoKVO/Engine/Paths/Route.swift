import Synchronization

/// One key path of one target, for an observation or for a derived key. The protocol of this folder:
///
/// - An observation of one key of one object needs no route: it is in the key's list. Other observations have one route for each
///   path of each target. The route of a path of one key has a *part* in that key's list: an observation that represents it there.
///   The route of a longer path is a `KeyPathChain`: it has a `PathLink` for each property on the way, among the links of that key.
///   While a key that is derived from paths is observed, it has routes too (`RecordDetails.derivedKeyRoutes`).
/// - **Owners.** An observation owns its routes, and a route its observation, until the observation ends. A chain owns its links,
///   and a link its chain, until the chain ends.
/// - **Locks.** The lock of the root's record guards a route and its chains; the lock of a link's record guards the link's
///   index. Reading a property is user code, so objects are linked one after the other, without a lock between them.
/// - **Deaths.** The root, and every object on the way, may be dead: routes and links own records, not objects. The death of an
///   object on the way removes its links; a `DeathWatch` makes the death of the object of a weak property a change.
///
/// **An example**: `person.observe("address.city") { … }`, and then `person.address = other`.
///
///     Registration.observe(string:)     no key has that name, so the path is checked (`CheckedKeyPath`), and a route is made for it
///     KeyValueObservation.attach        `linkToTargets`: `Route.start`, which is `relink(from: 0)`, since the path is longer than one key
///     KeyPathChain.relink               level 0: a link in the list of the person's `address`; only then `address` is read
///                                       level 1: a link in the list of `city` of the address that is there
///     Transaction.begin                 of the write: `findSubjects` comes to the link of level 0, so the route is a subject of the change
///     Transaction.follow                behind the store: `relink(from: 1)` takes the link of level 1 out of the former address's list, and makes
///                                       another one in the list of the new address
///     Transaction.notify                reads the new value, if it is asked for, and calls the observation
///
/// Read next: `KeyPathChain`, `PathLink`, `DerivedKeys`, `PathWork`, `DeathWatch`; `ParsedKeyPath` for the path as a value.
final class Route: KeyPathChain, @unchecked Sendable {
    let sink: Sink
    /// The observation that the sink owns, without counting references, and what it needs of a change.
    let unmanagedObservation: Borrowed<KeyValueObservation>?
    let needs: ObserverList.Interest
    /// Whether the observation has other routes.
    let isOneOfSeveral: Bool
    /// Its number in the order of registration of all paths. Of the routes of an observation all are copies, or none is.
    let sequence: UInt64
    private static let lastSequence = Atomic<UInt64>(0)
    /// The key, if the path is one key.
    let slot: Int?
    /// Guarded by the lock of `root`.
    private(set) var part: KeyValueObservation?
    /// What is evaluated, if it is no path.
    private(set) var expression: Expression?
    /// Number of open subjects that are the route, as for a list.
    let openSubjects = Atomic<Int32>(0)
    /// Whether it was linked while a change was open of what it leads through: see `ObserverList.hasLateObserver`.
    let isLate = Atomic(false)

    /// Whether an edit that begins has to tell of the whole collection. As long as this thread has a change open, so have those that follow.
    func takeLateness(_ thread: InPlace<ThreadContext>) -> Bool {
        isLate.load(ordering: .relaxed) && isLate.exchange(!thread.value.openTransactions.isEmpty, ordering: .relaxed)
    }
    /// Of a derived key: the thread that is starting it, and all that it leads to; 0 when that is done.
    let starter = Atomic<UInt>(0)
    /// For that thread: where the start is in its work; greater than all of that once it has begun.
    var startIndex = Int.max
    /// Of a computed key: whether it is about to be ended. Its key may have another expression already.
    let isGivenUp = Atomic(false)
    /// Its index among its observation's routes. Guarded by the lock of the observation's record.
    var index = 0
    /// Whether its initial call is still to be made: until then the handler is not called for changes. Guarded by the lock of `root`.
    private var isAwaited = false

    enum Sink {
        case observation(KeyValueObservation)
        /// A key of the root is derived from the path: a change of the path is a change of that key.
        case derivedKey(Int)
        /// The route is deactivated: kept for an observation that has fired.
        case nobody
    }

    init(
        _ path: ParsedKeyPath, root: ObjectRecord, sink: Sink, isOneOfSeveral: Bool = false,
        function: Expression.Function? = nil
    ) {
        self.isOneOfSeveral = isOneOfSeveral
        sequence = Route.lastSequence.wrappingAdd(1, ordering: .relaxed).newValue
        self.sink = sink
        unmanagedObservation = if case .observation(let observation) = sink { .to(observation) } else { nil }
        needs = unmanagedObservation.map { ObserverList.Interest(for: $0.use { $0.options }) } ?? []
        slot = path.isLong || path.keys.isEmpty ? nil : path.slot(of: 0, in: root.unmanagedSchema!)
        super.init(path, base: root)
        if derivedSlot != nil { starter.store(thisThread(), ordering: .relaxed) }
        if slot != nil, let observation { part = KeyValueObservation(partFor: self, of: observation) }
        expression = function.map { Expression($0, self, root) }
        Counters.routes.add(1)
    }

    deinit { Counters.routes.add(-1) }

    /// The same route for another sink, not started.
    func copy(for sink: Sink) -> Route {
        Route(path, root: root, sink: sink, isOneOfSeveral: isOneOfSeveral, function: expression?.function)
    }

    /// The object that is observed; nil if it is dead, or if a closure reads for an observer.
    var target: TrackedObject? { expression?.function.isOfTarget ?? true ? root.trackedObject : nil }

    /// As it was registered. Of an expression the name of the one key that it reads.
    var text: String { expression?.onlyKey ?? path.text }

    var root: ObjectRecord { base }

    /// Whether another thread is starting it. An observer that is added meanwhile is to be told of changes of what that thread has not linked yet,
    /// so all of it is linked for that observer, too.
    var isStartedElsewhere: Bool {
        let starter = starter.load(ordering: .acquiring)
        return starter != 0 && starter != thisThread()
    }

    var isDeactivated: Bool { if case .nobody = sink { true } else { false } }

    /// Links the path. It may be called again. It has no effect once the route has ended, so that a start on one thread cannot
    /// follow the end on another.
    func start() {
        if let expression {
            root.keep(self)
            return expression.refresh()
        }
        guard slot != nil else {
            relink(from: 0)
            return
        }
        TestPoint.relinking.reach()
        // Without effect if the root is dying. Its observation ends the route then, if not before.
        if let part = root.lock.withLock({ part }) { _ = root.link(part) }
        TestPoint.linked.reach()
    }

    /// Removes the part or all links, for good.
    override func end() {
        if let expression {
            expression.end()
            extendLifetime(root.lock.withLock { root.guarded.details?.functionRoutes.removeValue(forKey: sequence) })
        }
        if slot == nil { return super.end() }
        let part = root.lock.withLock { self.part.take() }
        TestPoint.endingPart.reach()
        if let part, part.changeStateToEnded() { root.unlink(part) }
    }

    /// The deinit of the root has begun.
    func rootIsDying() {
        if case .observation(let observation) = sink { observation.targetDidDie(of: self) } else { end() }
    }

    /// Whether its observer is to be told of changes: its initial call has been made, and neither has the path been removed from its observation
    /// nor that ended.
    var isHeard: Bool { root.lock.withLock { !isAwaited && !(slot == nil ? hasEnded : part == nil) } }

    func awaitInitialCall(_ isAwaited: Bool) { root.lock.withLock { self.isAwaited = isAwaited } }

    /// The value at the end of the path, an empty optional where an object on the way is missing; nil if the root is dead.
    func currentValue() -> Any? {
        if let expression { return expression.value() }
        guard let object = root.trackedObject else { return nil }
        // Of a type that no property has: an `Any?` that is nil is a value.
        return path.value(from: object) ?? Never?.none as Any
    }

    /// Whether a change calls the handler once for all of its observation's paths.
    var ignoresChange: Bool { isOneOfSeveral && unmanagedObservation?.use { $0.handling.ignoresChange } ?? false }

    /// The list of the key, if the path is one key.
    var keyList: InPlace<ObserverList>? { slot.flatMap { root.list($0) } }

    var observation: KeyValueObservation? { unmanagedObservation?.object }

    /// The key of the root that is derived with it; nil for the path of an observation.
    @inline(__always)
    var derivedSlot: Int? { if case .derivedKey(let slot) = sink { slot } else { nil } }

    /// Calls a function with the expressions that read that key. Under the lock of the root.
    func forEachReader(_ body: (Expression) -> Void) {
        derivedSlot.flatMap { base.list($0) }?.value.forEachLink { $0.unmanagedExpression?.use(body) }
    }

    /// The height of that key in its class.
    var keyHeight: Int { derivedSlot.map { base.layout!.value[$0].height } ?? 0 }

    /// Whether observers are called when its value changes, and not only expressions evaluated.
    var isObserved: Bool {
        guard let derivedSlot else { return true }
        return base.list(derivedSlot)?.value.interest.load(ordering: .acquiring).contains(.own) ?? false
    }

    /// The subject that it is, as `Subject.identity` has it.
    var identity: Subject.Identity? {
        guard let derivedSlot else { return Borrowed.to(self).rawAddress }
        return base.list(derivedSlot)?.address
    }
}
