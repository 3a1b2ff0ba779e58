/// Makes changes without calling observers until the outermost of these calls ends on this thread; then every observation
/// concerned is called once, with the first old value and the last new one, in the order in which they were first
/// concerned.
///
/// An observation of several paths or targets is called for the one that changed last. Several edits of a collection
/// arrive as one `.setting` with the whole values. `.distinct` compares the first old value with the last new one.
/// Prior calls are left out; initial calls are not delayed. An observer that is removed, or dies, before the end is not called.
///
/// Other threads are not affected. The closure runs at once, on this thread; if it throws, observers are called for what was
/// changed until then before the error goes on. For what handlers change at the end, observers are called as usual, inside
/// the handler's call.
///
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
/// - Complexity: O(1) for each change and observation, and the values kept until the end. If an observation of a collection
///   has `.old` or `.distinct`, the collection is copied once when it is edited, and again after another observer was added.
@discardableResult
public func coalescingChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let thread = ThreadContext.current
    guard thread.value.coalescing == nil else { return try body() }
    let changes = CoalescedChanges()
    thread.value.coalescing = changes
    defer {
        thread.value.coalescing = nil
        changes.deliver()
    }
    return try body()
}

/// The changes that the `coalescingChanges` under way on one thread holds back. Only that thread uses it.
final class CoalescedChanges {
    /// For each observation one change of each path and target that changed, the one that changed last at the end.
    private var entries: [(observation: KeyValueObservation, changes: [CoalescedChange])] = []
    private var indexes: [KeyValueObservation: Int] = [:]
    /// By subject, the whole collection from before its first edit, or from before the first edit after an observer was added:
    /// `bound` is the last observer for which the value is right. The owner, a record or a route, keeps the subject's address
    /// from being reused.
    private var collections: [UnsafeRawPointer: (owner: AnyObject, bound: UInt64, value: Any?)] = [:]

    /// Keeps the whole value that a collection has before an edit. The next edit has to copy a collection whose value is kept, so
    /// it is read again only if an observer was added.
    func keepOldValue(in notification: PendingNotification) {
        let bound = notification.route == nil ? notification.bound : 0
        if let kept = collections[notification.identity], kept.bound >= bound { return }
        let owner: AnyObject? = notification.route?.object ?? notification.record?.object
        collections[notification.identity] = owner.map { ($0, bound, notification.readWhole()) }
    }

    /// The kept value of a path, or of the one key of an observation.
    private func oldCollection(_ observation: KeyValueObservation, _ route: Route?) -> Any? {
        if let route, let kept = collections[Borrowed.to(route).rawAddress] { return kept.value }
        let list = route == nil ? observation.record?.list(Int(observation.slot)) : route?.keyList
        return list.flatMap { collections[$0.address]?.value }
    }

    func add(_ observation: KeyValueObservation, _ event: ChangeEvent, _ route: Route?) {
        let index = indexes[observation] ?? entries.count
        if index == entries.count {
            indexes[observation] = index
            entries.append((observation, []))
        }
        guard let earlier = entries[index].changes.lastIndex(where: { $0.route === route }) else {
            return entries[index].changes.append(
                CoalescedChange(route, event, event.edit == nil ? nil : oldCollection(observation, route)))
        }
        var change = entries[index].changes.remove(at: earlier)
        change.add(event)
        entries[index].changes.append(change)
    }

    func deliver() {
        TestPoint.coalesced.reach()
        let thread = ThreadContext.current
        var chain = NotificationChain()
        // All values are read before the first handler, which may change them.
        for (observation, changes) in entries {
            guard let change = changes.last(where: { $0.isPart(of: observation) }) else { continue }
            let notification = thread.value.takeNotification()
            notification.use { change.fill($0, for: observation) }
            chain.append(notification)
        }
        chain.forEach { thread.value.appendPending($0) }
        chain.forEach { $0.deliver(thread) }
        thread.giveBack(chain)
    }
}

/// All changes of one path of one target, or of the one key of an observation.
private struct CoalescedChange {
    let route: Route?
    private var isLastComponent: Bool
    /// The edit of a collection, if it is the only change: `old` and `new` are elements then, otherwise whole values.
    private var edit: CollectionChange?
    private let wholeOld: Any?
    private var old: Any?
    private var new: Any?
    /// Whether the last of several changes is an edit, so that `new` has to be read.
    private var isNewUnknown = false

    init(_ route: Route?, _ event: ChangeEvent, _ wholeOld: Any?) {
        self.route = route
        self.wholeOld = wholeOld
        isLastComponent = event.isLastComponent
        edit = event.edit?.object
        old = event.oldValue?.box()
        new = event.newValue?.box()
    }

    mutating func add(_ event: ChangeEvent) {
        if edit != nil { old = wholeOld }
        edit = nil
        isLastComponent = event.isLastComponent
        isNewUnknown = event.edit != nil
        new = isNewUnknown ? nil : event.newValue?.box()
    }

    func isPart(of observation: KeyValueObservation) -> Bool {
        guard let route else { return true }
        return observation.routes?.contains { $0 === route } ?? false
    }

    func fill(_ notification: PendingNotification, for observation: KeyValueObservation) {
        let readsNew = isNewUnknown && !observation.options.isDisjoint(with: .newOrDistinct)
        notification.setSubject(
            observation, route, ChangeEvent(isLastComponent: isLastComponent), edit: edit, old: old,
            new: readsNew ? observation.currentValue(by: route) : new)
    }
}
