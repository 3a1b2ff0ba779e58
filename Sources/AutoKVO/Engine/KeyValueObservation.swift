import Synchronization

/// One registration: an observer that is notified of changes of properties.
///
/// The library keeps it as long as it is valid, so the result of a registration may be dropped. It ends when it is
/// removed, when the target dies, when the observer dies, or, with `.once`, when it was delivered. It keeps neither
/// target nor observer alive (unless `.retainsTarget` was given), and gives up its handler when it ends.
///
/// Every member may be used from any thread.
public final class KeyValueObservation: ListMember, @unchecked Sendable {
    // The variables that a traversal reads come first, in 48 bytes: reading memory is most of the cost of a long traversal. The
    // flags are atomic. The lock of `record`, of the target or of the first of several, guards the other variables; the lock of
    // the observer's record guards `isHeld`, `ownsItself`, `nextHeld` and `previousHeld`.

    /// The next one in the key's list.
    var next: Borrowed<KeyValueObservation>?
    /// Number in the order of registration. A traversal ends at the number that was the last when the change began.
    var sequence: UInt64 = 0
    /// The handler. Owned until the observation has ended and no call is using it.
    var closure: ClosureCall
    /// The observer, pinned by its record; nil if a call does not need it.
    let observerAddress: UnsafeRawPointer?
    /// Low 30 bits: number of traversals that pin the observation. High 2 bits: membership in the key's list.
    var pinWord = Membership.out.rawValue
    @usableFromInline let atomicFlags: Atomic<ObservationFlags>
    let handling: HandlerCall.Shape
    /// Whether it is in the list of what its observer holds, and whether it owns itself there, so that the observer still finds
    /// it after its target's death.
    var isHeld = false
    var ownsItself = false
    /// Why it ended, once the `onEnd` closures have run with that reason, or are about to; nil while it is armed.
    var endReason: EndReason?
    /// The index of the key in the schema of the target's class; -1 for an observation with routes.
    let slot: Int32
    var previous: Borrowed<KeyValueObservation>?
    /// The record of the target, or of the first of several; retained. Nil for an observation of nothing.
    let unmanagedRecord: Borrowed<ObjectRecord>?
    /// The observer's record, retained.
    let unmanagedObserverRecord: Borrowed<ObjectRecord>?
    /// Nil as long as the observation needs none: routes, user info, closures to run at the end.
    var details: ObservationDetails?
    var nextHeld: Borrowed<KeyValueObservation>?
    var previousHeld: Borrowed<KeyValueObservation>?
    let site: CallSite

    /// The observation's membership in the list of its key.
    enum Membership: UInt32 {
        case linked = 0
        /// Not in the list.
        case out = 0x4000_0000
        /// Taken out, but still linked because a traversal pins it.
        case leaving = 0x8000_0000
    }

    init(
        unmanagedRecord: Borrowed<ObjectRecord>?, slot: Int, unmanagedObserverRecord: Borrowed<ObjectRecord>?,
        options: ObservingOptions, handler: consuming HandlerCall, site: CallSite, flags: ObservationFlags = .any
    ) {
        self.unmanagedRecord = unmanagedRecord?.retain()
        self.slot = Int32(truncatingIfNeeded: slot)
        self.unmanagedObserverRecord = unmanagedObserverRecord?.retain()
        observerAddress = handler.needsObserver ? unmanagedObserverRecord?.use { $0.address } : nil
        atomicFlags = Atomic(flags.union(ObservationFlags(options.intersection(.all))).union(.any))
        handling = handler.shape
        closure = handler.takeClosure()
        self.site = site
        Counters.observations.add(1)
    }

    /// The part of an observation with routes that is in the list of one key.
    convenience init(partFor route: Route, of whole: KeyValueObservation) {
        self.init(
            unmanagedRecord: .to(route.root), slot: route.slot!, unmanagedObserverRecord: nil, options: whole.options,
            handler: HandlerCall(.change, .none), site: whole.site, flags: .part)
        makeDetails().partRoute = route
    }

    deinit {
        closure.release()
        unmanagedRecord?.release()
        unmanagedObserverRecord?.release()
        Counters.observations.add(-1)
    }

    @inline(__always)
    var flags: ObservationFlags { atomicFlags.load(ordering: .acquiring) }

    /// The options of the registration, with `.unregisterManually` added where the class of a side asks for it.
    @export(implementation) public var options: ObservingOptions { atomicFlags.load(ordering: .relaxed).options }

    /// Number of traversals that pin it. A pinned observation stays linked, so that they can continue behind it.
    @inline(__always)
    var pinCount: UInt32 { pinWord & 0x3FFF_FFFF }

    @inline(__always)
    var membership: Membership {
        get { Membership(rawValue: pinWord & 0xC000_0000)! }
        set { pinWord = newValue.rawValue | pinCount }
    }

    /// Whether it is in the list, and not leaving.
    @inline(__always)
    var isLinked: Bool { pinWord < Membership.out.rawValue }

    /// The target's record, or that of the first of several; nil for an observation of nothing.
    var record: ObjectRecord? { unmanagedRecord?.object }
    /// The observer's record.
    var observerRecord: ObjectRecord? { unmanagedObserverRecord?.object }
    /// Whether it has routes, and is not in the list of one key itself.
    var hasRoutes: Bool { slot < 0 }

    // MARK: Asking

    /// Whether changes are still delivered, or would be if the observer of a manual observation were alive.
    ///
    /// False as soon as the death of a side is over; with `.once`, as soon as the change is on its way. An observer that is not a
    /// `TrackedObject` has no hook: its death is found out when `isValid` is read, or at the next change.
    public var isValid: Bool {
        if isLive, let observerRecord, observerRecord.schema == nil, !isManual, observerRecord.isDeinitializing {
            end(.observerDeinitialized)
        }
        return isLive
    }

    /// The object observed; the first one alive if there are several; nil if it is dead. Of an observation that has ended: of one key the
    /// object, else nil.
    ///
    /// - Complexity: O(*n*) for *n* paths of several objects. `Change.target` is O(1).
    public var target: TrackedObject? { targets.first }

    /// The objects observed that are alive and not removed. For one that has ended see `target`.
    public var targets: [TrackedObject] {
        guard let routes = routes else { return record?.trackedObject.map { [$0] } ?? [] }
        var seen: Set<ObjectIdentifier> = []
        return routes.compactMap(\.target).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The observer, if there is one and it is alive.
    public var observer: AnyObject? { observerRecord?.object(as: AnyObject.self) }

    /// The paths observed, as they were registered, without those that were removed. Of an observation that has ended, those that it had
    /// when it ended.
    public var keyPaths: [String] {
        guard let paths = underLock({ details?.endedPaths ?? details?.routes?.paths }) else {
            return record == nil ? [] : [directKey]
        }
        return withoutRepetitions(paths.filter { !$0.keys.isEmpty }.map(\.text))
    }

    /// What was given at the registration for the handler.
    public var userInfo: Any? { underLock { details?.userInfo } }

    /// The key of an observation of one key of one object.
    var directKey: String { record?.schema?.keys[Int(slot)].name ?? "" }

    /// Where the observation was registered, as `file:line`.
    public var registrationSite: String { site.description }

    /// Whether `.unregisterManually` holds for it, by option or by the class of a side.
    var isManual: Bool { options.contains(.unregisterManually) }

    /// One route for each path of each target; nil for an observation of one key.
    var routes: [Route]? { hasRoutes ? underLock { details?.routes }?.all : nil }

    /// Runs a closure under the lock of the record. Without a record no other thread changes the observation.
    @inline(__always)
    func underLock<R>(_ body: () -> R) -> R {
        guard let unmanagedRecord else { return body() }
        return unmanagedRecord.use { $0.lock.withLock(body) }
    }
}

extension KeyValueObservation: Hashable, CustomDebugStringConvertible {
    /// Observations are equal only to themselves.
    @export(implementation) public static func == (a: KeyValueObservation, b: KeyValueObservation) -> Bool { a === b }
    @export(implementation) public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    /// Both sides, the paths, the options, whether it is valid, and the file and line of the registration. Of a side
    /// that is dead, its class.
    public var debugDescription: String {
        func name(_ record: ObjectRecord?, _ none: String) -> String {
            record.map { $0.object(as: AnyObject.self).map(describeObject) ?? "a dead \($0.objectClass)" } ?? none
        }
        let (paths, targets) = (listed(keyPaths.map(quoted)), listed(targets.map { describeObject($0) }))
        let target = name(paths.isEmpty && record === observerRecord ? nil : record, "no target")
        return
            "<KeyValueObservation of \(paths.isEmpty ? "what a closure reads" : paths) on \(targets.isEmpty ? target : targets) by "
            + "\(name(observerRecord, "no observer")), options \(options), \(isValid ? "valid" : "ended"), "
            + "registered at \(registrationSite)>"
    }
}

/// An object's class and address.
func describeObject(_ object: AnyObject) -> String {
    "\(type(of: object))(0x\(String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)))"
}

/// The state of an observation that needs more than most do.
@usableFromInline final class ObservationDetails {
    // Guarded by the lock of the observation's record.
    var userInfo: Any?
    @exclusivity(unchecked) var routes: RouteList?
    /// For a part: the route for which it is in the list. Constant.
    var partRoute: Route?
    /// The paths of an observation that has ended and has no routes any more.
    var endedPaths: [ParsedKeyPath]?
    var onEnd: [(KeyValueObservation.EndReason) -> Void] = []
    /// Drops the changes that wait at a scheduler. Runs when the observation is removed or a side dies, also after it has fired,
    /// and not when it fires.
    var dropChanges: (() -> Void)?
    /// Targets kept alive for `.retainsTarget`.
    var retainedTargets: [ObjectIdentifier: TrackedObject] = [:]
    /// With `.once` and `.prior`: the change that made the prior call.
    var claimant: UInt = 0
    /// How often it was armed again.
    var armings = 0
    /// Whether that may turn out to be no change: then the call after another one takes its place.
    var isClaimUncertain = false
    /// With `.once` and a scheduler: how many changes are on their way for which it has fired. Each is counted until it is delivered or
    /// dropped, and while it is handed to the scheduler.
    let deliveries = Atomic(0)
    /// Whether the last of them was dropped, since its path or target is gone.
    var hasFiredInVain = false
    /// How often the handler was called, if that is counted.
    let calls = Atomic(0)
    /// Whether the diagnostic for a dead observer was given.
    let hasReportedDeadObserver = Atomic(false)

    /// Whether an observation that has ended has something to run or to release.
    var hasEndActions: Bool { !onEnd.isEmpty || dropChanges != nil || !retainedTargets.isEmpty }

    /// Moves the routes of an observation that has ended out, and keeps their paths.
    func takeRoutes() -> RouteList {
        let taken = routes ?? RouteList()
        routes = RouteList()
        endedPaths = endedPaths ?? taken.paths
        return taken
    }

    /// Lets go of the targets that have no other routes than those that were removed. The caller releases them, without the lock.
    func takeTargets(of removed: [Route], leaving others: [Route]) -> [TrackedObject?] {
        let gone = retainedTargets.isEmpty ? [] : Set(removed.map(\.root.target)).subtracting(others.map(\.root.target))
        return gone.map { retainedTargets.removeValue(forKey: $0) }
    }

    /// Ends the claim of a change. False if another change had it.
    func takeClaim(_ isOfChange: (UInt) -> Bool) -> Bool {
        guard isOfChange(claimant) else { return false }
        claimant = 0
        return true
    }

    @usableFromInline init(userInfo: Any? = nil) { self.userInfo = userInfo }
}

extension [ObjectIdentifier: TrackedObject] {
    init(retaining targets: [TrackedObject]) { self.init(targets.map { (ObjectIdentifier($0), $0) }) { $1 } }
}

/// The place in a program where an observation was registered.
@usableFromInline struct CallSite: @unchecked Sendable {
    // The pointer is to a string literal: constant memory.
    let file: UnsafePointer<UInt8>?
    let line: UInt32

    @usableFromInline init(_ file: StaticString, _ line: UInt) {
        // A literal's bytes end with a zero.
        self.file = file.hasPointerRepresentation ? file.utf8Start : nil
        self.line = UInt32(truncatingIfNeeded: line)
    }

    var description: String { file.map { String(cString: $0) + ":\(line)" } ?? "unknown" }
}
