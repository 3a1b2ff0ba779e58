internal import CSwiftRuntime

/// What one subject of a change will be notified of, from before the store until its last observer has been called.
///
/// The subject is the observer list of a property, a path of one observation, or, for changes that `coalescingChanges` held
/// back, one observation. Objects are pooled by their thread, the only one that uses them, so that a change allocates none.
///
/// While observers are still to be called it is in the thread's list of pending notifications: a change that a handler
/// makes of the same subject completes the delivery first (`complete`), so that everybody is notified of the changes in their order.
final class PendingNotification {
    // MARK: Subject

    /// The record and the list of a property.
    var record: Borrowed<ObjectRecord>?
    var list: InPlace<ObserverList>?
    var slot = 0
    /// The path, or the one path of a single observation; and its last component if that is what changes.
    var route: Borrowed<Route>?
    private(set) var leaf: Borrowed<PathLink>?
    var observation: Borrowed<KeyValueObservation>?
    /// Whether it has to be cleared for the next change. The notification of a plain write has not.
    private var isFilled = false
    /// Whether it holds a reference to its subject. If not, whoever makes the change holds the object.
    private(set) var ownsSubject = false
    /// The last observation of the list that counts: those added later wait for the next change.
    var bound: UInt64 = .max
    /// Observations of the list that are called on behalf of other notifications.
    var skipped: ObservationFlags = []
    /// What was the last observation when the traversal began.
    var end: UInt64 = 0

    // MARK: Change

    var needs: ObserverList.Interest = []
    /// Whether the subject's values are those of the property that is set.
    var isOwn = false
    @exclusivity(unchecked) var event = ChangeEvent()
    /// The values that were read for it, at an address that does not change.
    @exclusivity(unchecked) var old = ValueSlot()
    @exclusivity(unchecked) var new = ValueSlot()
    /// Whether the event has the values from the start, those of a write: nothing is to be read.
    var isKnown = false
    var edit: CollectionChange?
    /// How many open transactions concern the subject: the last one to end notifies.
    var openCount = 0
    /// Whether the old value was read, and the prior calls were made.
    var isPrepared = false
    /// Observations with `.once` to which it has made the prior call, and that are to get the other call too.
    @exclusivity(unchecked) private var claimed: [KeyValueObservation] = []

    // MARK: Delivery

    /// Observations that are pinned and to be called next, and the one to pin after them.
    @exclusivity(unchecked) var batch = InlineArray<16, Borrowed<KeyValueObservation>?>(repeating: nil)
    static var batchSize: Int { 16 }
    var batchCount = 0
    var batchIndex = 0
    var cursor: Borrowed<KeyValueObservation>?
    /// Whether it was made for the calls of one delivery alone: see `NotificationChain.separateParts`.
    private(set) var isAdded = false
    var isStarted = false
    var isPending = false

    /// The next one of its transaction, or the next spare one.
    var next: Borrowed<PendingNotification>?
    var nextPending: Borrowed<PendingNotification>?
    var previousPending: Borrowed<PendingNotification>?

    /// What tells the subject from others: the address of its list, or of its route.
    var identity: UnsafeRawPointer {
        if let route { return UnsafeRawPointer(route.address) }
        return list?.address ?? UnsafeRawPointer(observation!.address)
    }

    deinit {
        old.deallocate()
        new.deallocate()
    }

    /// The list of a property.
    ///
    /// - Parameter isHeld: Whether the object is held until the notification is cleared.
    func setSubject(_ record: Borrowed<ObjectRecord>, _ slot: Int, _ list: InPlace<ObserverList>, isHeld: Bool) {
        isFilled = true
        ownsSubject = !isHeld
        if !isHeld { record.retain() }
        self.record = record
        self.slot = slot
        self.list = list
    }

    /// Makes it hold its subject: it will outlive the change that it was made for.
    func ownSubject() {
        if ownsSubject { return }
        ownsSubject = true
        record?.retain()
    }

    /// A path.
    ///
    /// - Parameter leaf: Its last component, if that changes.
    func setSubject(_ route: Borrowed<Route>, leaf: PathLink?) {
        isFilled = true
        ownsSubject = true
        self.route = route.retain()
        self.leaf = leaf.map { .retaining($0) }
    }

    /// A path of one key, whose list another notification is of.
    ///
    /// - Parameter route: Retained; the ownership is taken.
    func setSubject(part route: Borrowed<Route>, of source: PendingNotification) {
        (isFilled, ownsSubject, isAdded) = (true, true, true)
        self.route = route
        (event, needs) = (source.event, source.needs)
    }

    /// Notes what changes.
    @inline(__always)
    func prepare(
        _ needs: ObserverList.Interest, isOwn: Bool, _ edit: CollectionChange?,
        excluding: ObservingOptions, _ thread: InPlace<ThreadContext>
    ) {
        self.needs = needs
        self.isOwn = isOwn
        openCount = 1
        if isOwn, let edit { self.edit = edit }
        event = ChangeEvent(
            kind: isOwn ? edit?.kind ?? .setting : .setting, isLastComponent: isOwn, excluded: excluding,
            token: thread.value.makeToken(thread))
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
        self.event.kind = edit?.kind ?? .setting
        self.event.edit = edit.map { .to($0) }
        self.event.old = self.old.pointer
        self.event.new = self.new.pointer
    }

    /// Lets go of everything, for the next change. User code runs, since values are released.
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
        bound = .max
        skipped = []
        isAdded = false
        needs = []
        isPrepared = false
        isKnown = false
        isStarted = false
        openCount = 0
        if edit != nil { edit = nil }
        if !claimed.isEmpty { releaseClaims() }
        if old.isFilled { old.take() }
        if new.isFilled { new.take() }
        record?.release()
        route?.release()
        leaf?.release()
        observation?.release()
    }

    private func releaseClaims() {
        let claimed = claimed
        self.claimed = []
        for observation in claimed { observation.releaseClaim(of: event.token) }
    }

    /// Notes that an observation with `.once` is to be called again. If it is not after all, because the value has stayed the
    /// same, the path was removed, or the change was dropped with its object, the next change may claim the observation.
    func willCallAgain(_ observation: KeyValueObservation) { claimed.append(observation) }
}
