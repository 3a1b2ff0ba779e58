internal import CSwiftRuntime

/// What one subject of a change will be notified of, from before the store until its last observer has been called.
///
/// The subject is the observer list of a property, a path of one observation, or, for changes that `coalescingChanges` held
/// back, one observation. Objects are pooled by their thread, the only one that uses them, so that a change allocates none.
///
/// While observers are still to be called it stands in the thread's list of pending notifications: a change that a handler
/// makes of the same subject completes the delivery first (`complete`), so that everybody hears of the changes in their order.
final class PendingNotification {
    // MARK: Subject

    /// The record and the list of a property.
    @exclusivity(unchecked) var record: Borrowed<ObjectRecord>?
    @exclusivity(unchecked) var list: InPlace<ObserverList>?
    @exclusivity(unchecked) var slot = 0
    /// The path, or the one path of a single observation.
    @exclusivity(unchecked) var route: Borrowed<Route>?
    @exclusivity(unchecked) var observation: Borrowed<KeyValueObservation>?
    /// Whether it has to be cleared for the next change. The notification of a plain write has not.
    @exclusivity(unchecked) private var isFilled = false
    /// Whether it holds a reference to its subject. If not, whoever makes the change holds the object.
    @exclusivity(unchecked) private(set) var ownsSubject = false
    /// The last node of the list that counts: those added later wait for the next change.
    @exclusivity(unchecked) var bound: UInt64 = .max
    /// What was the last node when the traversal began.
    @exclusivity(unchecked) var end: UInt64 = 0
    /// Nodes of the list that are called on behalf of other notifications.
    @exclusivity(unchecked) var skipped: ObservationNode.Marks = []

    // MARK: Change

    @exclusivity(unchecked) var needs: ObserverList.Needs = []
    @exclusivity(unchecked) var event = ChangeEvent()
    /// The values that were read for it, at an address that does not change.
    @exclusivity(unchecked) var old = ValueSlot()
    @exclusivity(unchecked) var new = ValueSlot()
    /// Whether the event has the values from the start, those of a write: nothing is to be read.
    @exclusivity(unchecked) var isKnown = false
    @exclusivity(unchecked) var edit: CollectionChange?
    /// How many open transactions concern the subject: the last one to end notifies.
    @exclusivity(unchecked) var openCount = 0
    /// Whether the old value was read, and the prior calls were made.
    @exclusivity(unchecked) var isPrepared = false
    /// Observations with `.once` to which it has made the prior call, and that are to get the other call too.
    @exclusivity(unchecked) private var claimed: [KeyValueObservation] = []

    // MARK: Delivery

    /// Nodes that are pinned and to be called next, and the one to pin after them.
    @exclusivity(unchecked) var batch = InlineArray<16, Borrowed<ObservationNode>?>(repeating: nil)
    static var batchSize: Int { 16 }
    @exclusivity(unchecked) var batchCount = 0
    @exclusivity(unchecked) var batchIndex = 0
    @exclusivity(unchecked) var cursor: Borrowed<ObservationNode>?
    /// Whether it was made for the calls of one delivery alone: see `NotificationChain.addRoutes`.
    @exclusivity(unchecked) var isAdded = false
    @exclusivity(unchecked) var isStarted = false
    @exclusivity(unchecked) var isPending = false

    /// The next one of its transaction, or the next spare one.
    @exclusivity(unchecked) var next: Borrowed<PendingNotification>?
    @exclusivity(unchecked) var nextPending: Borrowed<PendingNotification>?
    @exclusivity(unchecked) var previousPending: Borrowed<PendingNotification>?

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

    func setSubject(_ route: Borrowed<Route>) {
        isFilled = true
        ownsSubject = true
        self.route = route.retain()
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
        let (record, route, observation) = ownsSubject ? (record, route, observation) : (nil, nil, nil)
        ownsSubject = false
        (self.record, self.route, self.observation, list) = (nil, nil, nil, nil)
        bound = .max
        skipped = []
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
