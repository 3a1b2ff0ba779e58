/// What one subject of a change is notified of, from before the store until its last observer has been called.
///
/// The subject is the observer list of a property, a path of one observation, or, for changes that `coalescingChanges` held
/// back, one observation. Each thread has a pool of these objects and is the only one to use them, so a change allocates none.
///
/// While observers of the subject are still to be called, the notification is in the thread's list of pending ones: before a
/// handler changes the same subject, the delivery is completed (`complete`), so that all observers are notified of changes in
/// the order in which they are made.
final class PendingNotification {
    // MARK: Subject

    /// The record and the list of a property.
    var record: Borrowed<ObjectRecord>?
    var list: InPlace<ObserverList>?
    var slot = 0
    /// The path, also if the subject is one observation by one of its paths; and the path's last link if its property changes and has
    /// to be read.
    var route: Borrowed<Route>?
    private(set) var leaf: Borrowed<PathLink>?
    var observation: Borrowed<KeyValueObservation>?
    /// Whether `clear` has anything to do. For the notification of a plain write it has not.
    private var isFilled = false
    /// Whether it owns its subject. If not, the caller that makes the change retains the object.
    private(set) var ownsSubject = false
    /// The sequence number of the last observation to call: those added later are called for the next change.
    var bound: UInt64 = .max
    /// That of the last observation which an earlier notification of an open change calls: zero if there is none. An observer that is
    /// added while a change of its key is open is notified of what is stored after that.
    var lowerBound: UInt64 = 0
    /// Observations of the list that are called on behalf of other notifications.
    var skipped: ObservationFlags = []
    /// The sequence number of the last observation when the traversal began.
    var end: UInt64 = 0

    // MARK: Change

    var needs: ObserverList.Interest = []
    /// Whether the subject's values are those of the property that is set.
    var isOwn = false
    @exclusivity(unchecked) var event = ChangeEvent()
    var eventPlace: InPlace<ChangeEvent> { InPlace(at: &event) }
    /// The values that were read for it. Their addresses do not change.
    @exclusivity(unchecked) var old = ValueSlot()
    @exclusivity(unchecked) var new = ValueSlot()
    /// Whether the event has the values of a write from the start: none is read.
    var isKnown = false
    var edit: CollectionChange?
    /// Whether another change of the subject is part of this one, so that observers get a `.setting`; and the whole value from
    /// before, if an observer needs it.
    private var isWhole = false
    @exclusivity(unchecked) private var wholeOld: Any?
    /// For a change that is two edits: the second one, to be made before anything else changes the property.
    @exclusivity(unchecked) var continuation: (() -> Void)?
    /// Number of open transactions that concern the subject: the last one to end delivers.
    var openCount = 0
    /// Whether a transaction that concerns it has ended, and waits for the others.
    var isDue = false
    /// Whether the old value was read.
    var isPrepared = false
    /// For a path whose handler ignores the change, while handlers are called: which of those the change has called.
    var calls: CallsOfChange?
    /// Observations with `.once` whose prior call was made for it, and which are to be called again after the store.
    @exclusivity(unchecked) private var claimed: [KeyValueObservation] = []

    /// Whether observers are called only if the value is another one: the subject is computed from what it reads, or derived from what is.
    var isUncertain = false
    /// Whether it has turned out that the value is the same.
    private(set) var isDropped = false
    /// Its place among the lists of a change.
    var rank = 0

    // MARK: Delivery

    /// Observations that are pinned, of which those from `batchIndex` on are to be called; `cursor` is the next one to pin.
    @exclusivity(unchecked) var batch = InlineArray<16, Borrowed<KeyValueObservation>?>(repeating: nil)
    static var batchSize: Int { 16 }
    var batchCount = 0
    var batchIndex = 0
    var cursor: Borrowed<KeyValueObservation>?
    /// Whether it exists for one delivery only: see `NotificationChain.separateParts`.
    private(set) var isAdded = false
    var isStarted = false
    var isPending = false

    /// The next one of its transaction, or the next spare one.
    var next: Borrowed<PendingNotification>?
    var nextPending: Borrowed<PendingNotification>?
    var previousPending: Borrowed<PendingNotification>?

    typealias Identity = UnsafeRawPointer
    /// Identifies the subject: the address of its list, or of its route.
    var identity: PendingNotification.Identity {
        if let route { return UnsafeRawPointer(route.address) }
        return list?.address ?? UnsafeRawPointer(observation!.address)
    }

    deinit {
        old.deallocate()
        new.deallocate()
    }

    /// The list of a property.
    ///
    /// - Parameter isHeld: Whether the caller retains the object until the notification is cleared.
    func setSubject(_ record: Borrowed<ObjectRecord>, _ slot: Int, _ list: InPlace<ObserverList>, isHeld: Bool) {
        isFilled = true
        ownsSubject = !isHeld
        if !isHeld { record.retain() }
        self.record = record
        self.slot = slot
        self.list = list
    }

    /// Makes it own its subject, since it outlives the change that it was made for.
    func ownSubject() {
        if ownsSubject { return }
        ownsSubject = true
        record?.retain()
    }

    /// The path of a link.
    ///
    /// - Parameter readsLeaf: Whether values are read through the link, if it is the path's last. They are not where the caller has
    ///   them.
    func setSubject(_ link: PathLink, readsLeaf: Bool) {
        (isFilled, ownsSubject) = (true, true)
        route = link.unmanagedRoute.retain()
        leaf = link.isLeaf && readsLeaf ? .retaining(link) : nil
    }

    /// A path of one key, the list of which is the subject of another notification.
    ///
    /// - Parameter route: Retained; the ownership is taken.
    func setSubject(part route: Borrowed<Route>, of source: PendingNotification) {
        (isFilled, ownsSubject, isAdded) = (true, true, true)
        self.route = route
        (event, needs) = (source.event, source.needs)
    }

    /// Restricts the calls to observations that are in the list now, and that no earlier notification of an open change calls.
    func setRange(above earlier: Borrowed<PendingNotification>?) {
        bound = list!.value.lastSequence
        if let earlier { lowerBound = earlier.use { $0.bound } }
    }

    /// Stores what kind of change it is of.
    @inline(__always)
    func prepare(
        _ needs: ObserverList.Interest, isOwn: Bool, _ edit: CollectionChange?, isUncertain: Bool,
        excluding: ObservingOptions, _ thread: InPlace<ThreadContext>
    ) {
        self.needs = isUncertain ? needs.union([.old, .new]) : needs
        self.isUncertain = isUncertain
        self.isOwn = isOwn
        openCount = 1
        if isOwn, let edit { self.edit = edit }
        event = ChangeEvent(
            kind: isOwn ? edit?.kind ?? .setting : .setting, isLastComponent: isOwn, excluded: excluding,
            token: needs.contains(.prior) ? thread.value.makeToken() : 0)
    }

    /// One observation, by one of its paths, with values that are known.
    func setSubject(
        _ observation: KeyValueObservation, _ route: Route?, _ event: ChangeEvent, edit: CollectionChange?, old: Any?,
        new: Any?
    ) {
        self.observation = .retaining(observation)
        self.route = route.map { .retaining($0) }
        isFilled = true
        ownsSubject = true
        if let old { self.old.set(old) }
        if let new { self.new.set(new) }
        self.edit = edit
        self.event = event
        completeEvent()
    }

    /// Another change of the subject is about to be made, as part of this one. Prior calls that are being made still say what was
    /// planned; reading is user code.
    func includeFurtherChange() {
        guard edit != nil, !isWhole else { return }
        isWhole = true
        if needs.contains(.old) { wholeOld = readWhole() }
    }

    /// Before the store of an edit that may turn out not to be one of what the property reads: keeps the old value. User code.
    func keepWhole() { if edit != nil, !isWhole, needs.contains(.old) { wholeOld = readWhole() } }

    /// It has turned out so: observers get a `.setting`.
    func tellWhole() { if edit != nil { isWhole = true } }

    /// Before the calls: of several changes one of which is an edit, observers get a `.setting` with whole values.
    func dropEditIfNotAlone() {
        guard isWhole, let edit = edit.take() else { return }
        event.kind = .setting
        let elements = old.isFilled ? old.take() : nil
        if let whole = wholeOld.take() { old.set(whole) }
        withExtendedLifetime((edit, elements)) {}
    }

    /// Observers of what is uncertain are called only if the value is another one. `==` is user code.
    func dropIfUnchanged() {
        if isUncertain { isDropped = event.isUnchanged }
    }

    /// The expression that is the subject; nil of any other.
    var expression: Expression? {
        if let route { return route.use { $0.expression } }
        return record?.use { $0.expression(slot) }
    }

    /// Makes the event say what the notification has.
    func completeEvent() {
        event.kind = edit?.kind ?? .setting
        event.edit = edit.map { .to($0) }
        event.old = old.pointer
        event.new = new.pointer
    }

    /// Releases the subject and the values, for the next change. User code runs, since values are released.
    @inline(__always)
    func clear() {
        if isFilled { clearAll() }
    }

    @inline(never)
    private func clearAll() {
        isFilled = false
        let (record, route, leaf, observation) = ownsSubject ? (record, route, leaf, observation) : (nil, nil, nil, nil)
        ownsSubject = false
        (self.record, self.route, self.leaf, self.observation, list) = (nil, nil, nil, nil, nil)
        slot = 0
        (lowerBound, bound) = (0, .max)
        skipped = []
        isAdded = false
        needs = []
        isPrepared = false
        isKnown = false
        (isOwn, isDue) = (false, false)
        isStarted = false
        (isUncertain, isDropped, rank) = (false, false, 0)
        openCount = 0
        calls = nil
        if edit != nil { edit = nil }
        isWhole = false
        if wholeOld != nil { wholeOld = nil }
        assert(continuation == nil)
        if !claimed.isEmpty { releaseClaims() }
        if old.isFilled { old.take() }
        if new.isFilled { new.take() }
        record?.release()
        route?.release()
        leaf?.release()
        observation?.release()
    }

    /// Whether nothing is left of an earlier change. Not looked at: what is written before it is read, which is `event`, `end`, the
    /// batch beyond its count, and the neighbours in lists that the notification is not in.
    var isBlank: Bool {
        let hasSubject = record != nil || list != nil || slot != 0 || route != nil || leaf != nil || observation != nil
        let hasChange =
            !needs.isEmpty || isDue || isUncertain || isDropped || isOwn || isKnown || isPrepared || edit != nil
            || openCount != 0
        let hasValues =
            old.isFilled || new.isFilled || !claimed.isEmpty || calls != nil || isWhole || wholeOld != nil
            || continuation != nil
        let isUsed = batchCount != 0 || batchIndex != 0 || cursor != nil || isAdded || isStarted || isPending
        return !hasSubject && !isFilled && !ownsSubject && lowerBound == 0 && bound == .max && skipped.isEmpty
            && !hasChange && !hasValues
            && !isUsed
    }

    private func releaseClaims() {
        let claimed = claimed
        self.claimed = []
        for observation in claimed { observation.releaseClaim(of: event.token) }
    }

    /// Notes that an observation with `.once` is to be called again after the store. If it is not called, because the value
    /// has not changed, the path was removed, or the object died, `clear` releases the claim, and the next change may claim it.
    func willCallAgain(_ observation: KeyValueObservation) { claimed.append(observation) }
}
