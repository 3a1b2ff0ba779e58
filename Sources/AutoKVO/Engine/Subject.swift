/// What a change makes for one group of observers that get the same values: whom to call, with which values, and how far the calls have
/// come. It is used from before the store until the last of these observers has been called.
///
/// A subject is the observer list of a key, or the path or function of one observation. Each thread has a pool of these objects and is
/// the only one to use them, so a change allocates none.
///
/// All open transactions that concern a subject refer to one object of this class, and `openCount` says how many they are: the one that
/// ends last delivers. While observers are still to be called, the subject is in the thread's list of pending ones: before a handler
/// changes the same subject, the delivery is completed, so that its observers are notified of changes in the order in which they are made.
final class Subject: PooledObject, ListMember {
    // MARK: Topic

    /// The record of a key, retained, and the key's list.
    private(set) var record: Borrowed<ObjectRecord>?
    private(set) var list: InPlace<ObserverList>?
    private(set) var slot = 0
    /// The path or function, retained; and the path's last link, retained, if its property changes and has to be read.
    private(set) var route: Borrowed<Route>?
    private(set) var leaf: Borrowed<PathLink>?
    /// The derived value by which the change has come to the path, if that leads on from it.
    var head: Expression?
    /// Of a part: the subject that is its list.
    private(set) var source: Subject?
    /// Of a list: the observations with a sequence number in `lowerBound ... upperBound` are called. Those added later are called for
    /// the next change; those before it by another subject of the same list, whose change was open when they were not there.
    var lowerBound: UInt64 = 0
    var upperBound: UInt64 = .max
    /// Parts of the list that are subjects of their own for this delivery, by their routes.
    var separated: Set<ObjectIdentifier> = []

    // MARK: Change

    var needs: ObserverList.Interest = []
    @exclusivity(unchecked) var event = ChangeEvent()
    /// The values that were read for it. Their addresses do not change.
    @exclusivity(unchecked) var old = ValueSlot()
    @exclusivity(unchecked) var new = ValueSlot()
    /// Whether the event has the values of a write from the start: none is read.
    var isKnown = false
    /// How the collection is edited, as long as that is all that happens to it.
    var edit: CollectionChange?
    /// The whole collection from before the edit, if the change may turn out to be more than that; and whether it has.
    @exclusivity(unchecked) var wholeOld: Any?
    var isWhole = false
    /// For a change that is two edits: the second one, to be made before anything else changes the property.
    @exclusivity(unchecked) var continuation: (() -> Void)?
    /// Number of open transactions that concern the subject, `coalescingChanges` included.
    var openCount = 0
    /// The one that has opened it, until that ends.
    var opener: ObjectIdentifier?
    /// The last walk through what a change concerns that has come to it.
    var walk: UInt = 0
    /// Of a path: the same when its observer was told the value by its initial call.
    var initialWalk: UInt = .max
    /// Whether the `coalescingChanges` under way counts itself into it.
    var isCoalesced = false
    /// Of a path: whether a change of an object on the way has come to it while it was open.
    var isReachedOnTheWay = false
    /// Of a path: whether a property on it was set, too, while it was open. That it has the former value again need not mean that nobody
    /// has read another one.
    var isLinkSet = false
    /// Whether a transaction that concerns it has ended, and waits for the others.
    var isDue = false
    /// Whether the old value was read.
    var isPrepared = false
    /// Whether observers are called only if the value is another one: the subject is computed from what it reads, or derived from what is.
    var isUncertain = false
    /// Whether nobody is called any more: the value has turned out to be the same, there is none yet, or all have been called while derived
    /// values were computed.
    var isDropped = false
    /// How often the value had changed when the old one was read.
    var formerChanges = 0
    /// Further expressions on which the value depends and which the change concerns: see `note`.
    var others: NotedExpressions?
    /// Once `becomeKnown` was called: the number of what had been told elsewhere before. See `ToldElsewhere`.
    var toldBefore: Int?
    /// Of late observers: what had been told elsewhere, and those before them have replaced by what they leave.
    var missedTold: ToldElsewhere?
    /// Whether the old value is known to be the one that observers were told last: no other thread had the subject open.
    var isOldTold = false
    /// Its place among the lists of a change.
    var rank = 0
    /// Where handlers may ignore the change, while handlers are called: which of those the change has called.
    var calls: CallsOfChange?
    /// Observations with `.once` whose prior call was made for it, and which are to be called again after the store.
    @exclusivity(unchecked) private var claimed: [KeyValueObservation] = []

    // MARK: Delivery

    /// The observations that the innermost frame which delivers has pinned; and the next one behind them.
    var batch: InPlace<Batch>?
    var cursor: Borrowed<KeyValueObservation>?
    /// The sequence number of the last observation to call.
    var end: UInt64 = 0
    var isStarted = false
    /// Whether it stands for the calls that one observer has still to get of a change (`ChangeContext.makeCalls`).
    var isRestOfCalls = false
    /// Whether it is pending, and has no event yet.
    var isWaiting = false
    /// Whether `clear` has anything to do. After a plain write with one observer it has nothing.
    private var isFilled = false

    /// Its neighbours in the thread's list of pending ones.
    var next: Borrowed<Subject>?
    var previous: Borrowed<Subject>?
    var isPending: Bool { previous != nil }
    /// Whether an observer that comes before all others of a property (`.first`) is still to be called.
    func isLeft(for observer: AnyObject) -> Bool {
        guard let list, route == nil, !isRestOfCalls else { return false }
        return root.lock.withLock {
            var next = list.value.first
            // An empty one is the last of its frame, which is about to return.
            if let batch = batch?.value {
                if batch.count == 0 { return false }
                next = batch.index < batch.count ? batch.members[batch.index] : batch.last.object.next
            }
            while let one = next?.object, one.flags.contains(.first) {
                if one.observerRecord?.target == ObjectIdentifier(observer),
                    one.sequence &- lowerBound <= upperBound &- lowerBound
                {
                    return true
                }
                next = one.next
            }
            return false
        }
    }
    /// Greater than those of all that were pending before, where the thread has a table of them.
    var pendingNumber: UInt = 0

    typealias Identity = UnsafeRawPointer
    /// Identifies the topic: the address of the list, or of the route.
    var identity: Identity { route?.rawAddress ?? list!.address }

    deinit {
        old.deallocate()
        new.deallocate()
    }

    /// The list of a key.
    func setTopic(_ record: Borrowed<ObjectRecord>, _ slot: Int, _ list: InPlace<ObserverList>) {
        isFilled = true
        (self.record, self.slot, self.list) = (record.retain(), slot, list)
    }

    /// A path or function.
    ///
    /// - Parameter leaf: The path's last link, if values are to be read through it.
    func setTopic(_ route: Borrowed<Route>, leaf: PathLink? = nil) {
        isFilled = true
        self.route = route.retain()
        self.leaf = leaf.map { .retaining($0) }
    }

    /// A path of one key, whose list is the topic of another subject.
    convenience init(part route: Route, of source: Subject) {
        self.init()
        setTopic(.to(route))
        (self.source, event, needs) = (source, source.event, source.needs)
    }

    /// A key has come to depend on another one since the subject was found: observers of that are called first.
    func raiseRank() {
        guard rank >= 0, let record = record?.object else { return }
        rank = max(rank, rank & 1 << 48 | record.lock.withLock { record.height(of: slot) })
    }

    /// Stores of what kind of change it is a subject.
    @inline(__always)
    func prepare(
        _ needs: ObserverList.Interest, isOwn: Bool, _ edit: CollectionChange?, isUncertain: Bool, rank: Int = 0,
        excluding: ObservingOptions = [], _ thread: InPlace<ThreadContext>
    ) {
        self.needs = isUncertain ? needs.union(.values) : needs
        (self.isUncertain, self.rank, formerChanges) = (isUncertain, rank, 0)
        if isOwn, let edit, !(route?.object.takeLateness(thread) ?? false) { self.edit = edit }
        event = ChangeEvent(
            kind: self.edit?.kind ?? .setting, isLastComponent: isOwn, excluded: isUncertain ? [] : excluding,
            token: needs.contains(.prior) ? thread.value.makeToken() : 0)
    }

    /// Whether the subject's values are those of the property that is set.
    var isOwn: Bool { event.isLastComponent }

    /// The values of a write, where no user code runs before its store.
    func setValues(_ type: Any.Type, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?) {
        (event.type, event.old, event.new) = (type, old, new)
        isKnown = true
    }

    /// For the call at a registration.
    func setInitialValue(_ value: Any?) {
        (isFilled, end) = (true, .max)
        if let value { new.set(value) }
        event = ChangeEvent(isInitial: true, new: new.pointer)
    }

    /// Lists come first, then paths and functions in the order of registration. Of two links of one path, the one before its end comes
    /// first.
    var place: (Int, UInt64, Int) {
        route.map { (.max, $0.use { $0.sequence }, leaf == nil && !isOwn ? 0 : 1) } ?? (rank, 0, 0)
    }

    /// The expression that is the subject, or whose value is at the end of the path; nil of any other.
    var expression: Expression? {
        if let route { return route.use { $0.expression } ?? leaf.flatMap { $0.use { $0.record.expression($0.slot) } } }
        return record?.use { $0.expression(slot) }
    }

    /// What its value is, or is read behind.
    var computed: Expression? { expression ?? head }

    /// How often that has changed.
    var changes: (all: Int, lastRead: Int)? { computed?.changes }

    /// Whether the subject has an expression. Without a lock: a search that comes to the subject holds the one of its record.
    var isComputed: Bool {
        route?.use { $0.expression != nil } ?? record?.use { $0.layout!.value[slot].isRecorded } ?? false
    }

    /// The record of the object that has the key, or at which the path begins.
    var root: ObjectRecord { unmanagedRoot.object }
    var unmanagedRoot: Borrowed<ObjectRecord> { route?.use { .to($0.base) } ?? record! }

    /// Whether its observers are called if a change that concerns it is dropped: another one has waited for that; or it is computed for an object
    /// that is alive, which may refer weakly to the one that is dying.
    var isDueWithoutChange: Bool { isDue || isUncertain && !root.isDeinitializing }

    /// A key that is `affectedBy` a `@Derived` one changes only if its value does; but if another base of it was set, its observers are
    /// notified of an equal value, too.
    func isChangedForCertain() { if isUncertain, !isComputed { isUncertain = false } }

    /// Releases the topic and the values, for the next change. User code runs, since values are released.
    @inline(__always)
    func clear() { if isFilled { clearAll() } }

    @inline(never)
    private func clearAll() {
        if isUncertain, route != nil { expression?.endIfUnreachable() }
        isFilled = false
        let (record, route, leaf) = (record, route, leaf)
        (self.record, self.route, self.leaf, list, slot) = (nil, nil, nil, nil, 0)
        (lowerBound, upperBound) = (0, .max)
        (needs, isKnown, isPrepared) = ([], false, false)
        (isUncertain, isDropped, rank) = (false, false, 0)
        (openCount, opener, isDue, isStarted) = (0, nil, false, false)
        (isCoalesced, isReachedOnTheWay, isLinkSet, isOldTold) = (false, false, false, false)
        (calls, isWhole) = (nil, false)
        if edit != nil { (edit, wholeOld) = (nil, nil) }
        if head != nil { head = nil }
        if others != nil { others = nil }
        if missedTold != nil { missedTold = nil }
        if !claimed.isEmpty { releaseClaims { _ in true } }
        if old.isFilled { old.take() }
        if new.isFilled { new.take() }
        record?.release()
        route?.release()
        leaf?.release()
    }

    /// Whether nothing is left of an earlier change. `event`, `end`, `walk` and the neighbours in lists may be: they are
    /// written before they are read.
    var isBlank: Bool {
        let hasTopic = record != nil || list != nil || slot != 0 || route != nil || leaf != nil || head != nil
        let hasRange = lowerBound != 0 || upperBound != .max || !separated.isEmpty || openCount != 0 || opener != nil
        let isChanged = !needs.isEmpty || isDue || isUncertain || isDropped || isKnown || isPrepared || isCoalesced
        let isEdited = edit != nil || isWhole || wholeOld != nil || continuation != nil || old.isFilled || new.isFilled
        let isTold = isOldTold || toldBefore != nil || missedTold != nil || !claimed.isEmpty || calls != nil
        let isUsed = batch != nil || cursor != nil || isStarted || isPending || isWaiting || isFilled || isRestOfCalls
        return others == nil
            && !(hasTopic || hasRange || isChanged || isReachedOnTheWay || isLinkSet || isEdited || isTold || isUsed)
    }

    private func releaseClaims(where isReleased: (KeyValueObservation) -> Bool) {
        var released: [KeyValueObservation] = []
        claimed.removeAll {
            if isReleased($0) { released.append($0) }
            return released.last === $0
        }
        if claimed.isEmpty, released.count > ThreadContext.poolLimit { claimed = [] }
        for observation in released { observation.releaseClaim(of: event.token) }
    }

    /// The event is complete. Observations that are not called for it, since the value has not changed, may be claimed by the changes that
    /// handlers make.
    func releaseVainClaims() {
        if !claimed.isEmpty { releaseClaims { isDropped || $0.options.contains(.distinct) && event.isUnchanged } }
    }

    /// Notes that an observation with `.once` is to be called again after the store. If it is not called, because the path was removed or
    /// the object died, `clear` releases the claim, and the next change may claim it.
    func willCallAgain(_ observation: KeyValueObservation) { (source ?? self).claimed.append(observation) }
}
