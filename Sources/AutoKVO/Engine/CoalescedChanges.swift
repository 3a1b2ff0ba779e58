/// Makes changes without calling observers until the outermost of these calls ends on this thread; then every observation
/// concerned is called once for each of its paths that changed, with the path's first old value and its last new one, in the order
/// in which they were first concerned. A handler that ignores the change (`depend`, a named one without parameters) is called once
/// in all.
///
/// Several edits of a collection arrive as one `.setting` with the whole values. `.distinct` compares the first old value with the
/// last new one. Prior calls are left out; initial calls are not delayed. An observer that is removed, or dies, before the end is
/// not called.
///
/// Other threads are not affected. The closure runs at once, on this thread; if it throws, observers are called for what was
/// changed until then before the error goes on. For what handlers change at the end, observers are called as usual, inside
/// the handler's call.
///
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
/// - Complexity: O(1) for each change and path of an observation, and the values kept until the end. If an observation of a
///   collection has `.old` or `.distinct`, the collection is copied once when it is edited, and again after another observer was added.
@discardableResult
public func coalescingChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let thread = ThreadContext.current
    guard thread.value.coalescing == nil else { return try body() }
    let changes = CoalescedChanges()
    thread.value.coalescing = .to(changes)
    defer {
        changes.endHeldSubjects(thread)
        thread.value.coalescing = nil
        changes.deliver()
    }
    return try body()
}

/// The changes that the `coalescingChanges` under way on one thread holds back. Only that thread uses it.
final class CoalescedChanges {
    /// The notification of each path of an observation that changed, or of its one key.
    @exclusivity(unchecked) private var entries: [Borrowed<PendingNotification>] = []
    /// The index of each entry by its subject, of more entries than are searched one after the other.
    @exclusivity(unchecked) private var indexes: [UInt: Int] = [:]
    private static let searchedCount = 16
    /// The entry that was changed last.
    @exclusivity(unchecked) private var latest = 0
    /// For a notification of one edit, which has the elements of that edit, the whole collection from before it.
    private var wholeOld: [Borrowed<PendingNotification>: Any] = [:]
    /// By subject, the whole collection from before its first edit, or from before the first edit after an observer was added:
    /// `bound` is the last observer for which the value is right. The owner, a record or a route, keeps the subject's address
    /// from being reused.
    private var collections: [PendingNotification.Identity: (owner: AnyObject, bound: UInt64, value: Any?)] = [:]

    /// What is computed from what it reads, or derived from that, is held back as a whole: it is computed once, at the end. Each by its
    /// identity.
    private var held = NotificationChain()
    private var heldByIdentity: [PendingNotification.Identity: [Borrowed<PendingNotification>]] = [:]

    /// The notification of a subject that is held back as a whole, the last one if observers were added since the first; nil if it is not
    /// held back.
    ///
    /// - Parameter isCertain: Whether it has changed for certain now: then observers are called even if the value is the one of before.
    func lastHeld(
        _ identity: PendingNotification.Identity, isCertain: Bool = false
    ) -> Borrowed<PendingNotification>? {
        guard let subjects = heldByIdentity[identity] else { return nil }
        if isCertain { for subject in subjects { subject.use { $0.isUncertain = $0.expression != nil } } }
        return subjects.last
    }

    /// Holds the subjects of a change back that need not have another value at the end.
    func hold(_ subjects: NotificationChain) {
        subjects.forEachRemoving { subject in
            subject.use {
                heldByIdentity[$0.identity, default: []].append(subject)
                $0.ownSubject()
            }
            held.append(subject)
        }
        // Reading is user code.
        subjects.forEach { if $0.needs.contains(.old) { $0.readOld() } }
    }

    /// Notifies of what was held back, as part of the changes that are.
    func endHeldSubjects(_ thread: InPlace<ThreadContext>) {
        while held.first != nil {
            var chain = held
            held = NotificationChain()
            heldByIdentity = [:]
            Transaction.refreshMarked(thread)
            Transaction.notify(&chain, isPrior: false, thread)
            thread.giveBack(chain)
        }
    }

    /// Keeps the whole value that a collection has before an edit. The next edit has to copy a collection whose value is kept, so
    /// it is read again only if an observer was added.
    func keepOldValue(in notification: PendingNotification) {
        let bound = notification.route == nil ? notification.bound : 0
        if let kept = collections[notification.identity], kept.bound >= bound { return }
        let owner: AnyObject? = notification.route?.object ?? notification.record?.object
        collections[notification.identity] = owner.map { ($0, bound, notification.readWhole()) }
    }

    /// The kept value of a path, or of the one key of an observation.
    private func oldCollection(_ observation: KeyValueObservation, _ route: Borrowed<Route>?) -> Any? {
        if let route, let kept = collections[route.rawAddress] { return kept.value }
        let list = route == nil ? observation.record?.list(Int(observation.slot)) : route?.use { $0.keyList }
        return list.flatMap { collections[$0.address]?.value }
    }

    func add(_ observation: KeyValueObservation, _ event: ChangeEvent, _ route: Borrowed<Route>?) {
        guard let index = index(of: route?.bitPattern ?? Borrowed.to(observation).bitPattern) else {
            return append(first(observation, event, route))
        }
        latest = index
        entries[index].use { change($0, event) }
    }

    private func append(_ notification: Borrowed<PendingNotification>) {
        if entries.isEmpty { entries.reserveCapacity(Self.searchedCount) }
        latest = entries.count
        entries.append(notification)
        if entries.count <= Self.searchedCount { return }
        for index in (indexes.isEmpty ? 0 : latest)...latest { indexes[entries[index].use { $0.subject }] = index }
    }

    /// Mostly the entry behind the one that was changed last, or that one: what changes several times does so in the same order.
    @inline(__always)
    private func index(of subject: UInt) -> Int? {
        if entries.isEmpty { return nil }
        let next = latest + 1 < entries.count ? latest + 1 : 0
        if entries[next].use({ $0.subject == subject }) { return next }
        if entries[latest].use({ $0.subject == subject }) { return latest }
        if !indexes.isEmpty { return indexes[subject] }
        return entries.firstIndex { $0.use { $0.subject == subject } }
    }

    /// A notification of the first change of a path.
    private func first(
        _ observation: KeyValueObservation, _ event: ChangeEvent, _ route: Borrowed<Route>?
    ) -> Borrowed<PendingNotification> {
        let notification = ThreadContext.current.value.takeNotification()
        notification.use {
            $0.isKnown = true
            $0.setSubject(
                observation, route?.object, ChangeEvent(isLastComponent: event.isLastComponent),
                edit: event.edit?.object, old: event.oldValue?.box(), new: event.newValue?.box())
        }
        if event.edit != nil { wholeOld[notification] = oldCollection(observation, route) }
        return notification
    }

    /// Makes a notification one of a further change as well.
    @inline(__always)
    private func change(_ notification: PendingNotification, _ event: ChangeEvent) {
        notification.event.isLastComponent = event.isLastComponent
        if event.edit != nil || notification.edit != nil { return addEdit(event, to: notification) }
        notification.isKnown = true
        if let value = event.newValue, notification.new.replaceNumber(with: value) { return }
        replaceNew(notification, event.newValue)
    }

    /// The former value is released when the notification has the new one: its `deinit` may make another change.
    @inline(never)
    private func replaceNew(_ notification: PendingNotification, _ value: ValuePointer?) {
        let former = notification.new.replace(with: value)
        withExtendedLifetime(former) {}
    }

    /// Of several changes one of which is an edit, old and new are the whole values. If the last is one, new is read at the end.
    @inline(never)
    private func addEdit(_ event: ChangeEvent, to notification: PendingNotification) {
        notification.isKnown = event.edit == nil
        let former = notification.new.replace(with: event.edit == nil ? event.newValue : nil)
        var elements: Any?
        let edit = notification.edit.take()
        if edit != nil {
            elements = notification.old.replace(with: nil)
            if let whole = wholeOld.removeValue(forKey: .to(notification)) { notification.old.set(whole) }
        }
        withExtendedLifetime((former, elements, edit)) {}
    }

    func deliver() {
        TestPoint.coalesced.reach()
        let thread = ThreadContext.current
        var chain = NotificationChain()
        // All values are read before the first handler, which may change them.
        for notification in entries {
            notification.use { $0.completeHeldBack() }
            chain.append(notification)
        }
        chain.rememberCalls()
        chain.forEach { thread.value.appendPending($0) }
        chain.forEach { $0.deliver(thread) }
        thread.giveBack(chain)
    }
}

extension PendingNotification {
    /// Identifies the path or, if there is none, the observation.
    fileprivate var subject: UInt { route?.bitPattern ?? observation!.bitPattern }

    /// Makes it ready to be delivered.
    fileprivate func completeHeldBack() {
        let (observation, route) = (observation!.object, route?.object)
        if !isKnown, !observation.options.isDisjoint(with: .newOrDistinct),
            let value = observation.currentValue(by: route)
        {
            new.set(value)
        }
        completeEvent()
    }
}
