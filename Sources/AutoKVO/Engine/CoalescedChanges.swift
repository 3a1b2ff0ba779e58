/// Makes changes without telling anybody until the outermost of these calls ends on this thread; then every observation
/// concerned is called once, with the first old value and the last new one, in the order in which they were first
/// concerned.
///
/// An observation of several paths or targets is told of the one that changed last. Several edits of a collection
/// arrive as one `.setting` with the whole values. `.distinct` compares the first old value with the last new one.
/// Prior calls are left out; initial calls are not delayed. Whoever is removed, or dies, before the end is not called.
///
/// Other threads are not affected. The closure runs at once, on this thread; if it throws, what was changed until then
/// is told before the error goes on. What handlers change at the end is told as usual, inside their call.
///
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
/// - Complexity: O(1) for each change and observation, and the values held until the end.
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

/// What was held back by a `coalescingChanges` under way on one thread.
final class CoalescedChanges {
    private var entries: [Entry] = []
    private var places: [ObjectIdentifier: Int] = [:]

    /// What is to be told to one observation.
    private struct Entry {
        let observation: KeyValueObservation
        /// One for each path and target that changed, the one that changed last at the end.
        var roads: [CoalescedRoute]
    }

    func add(_ observation: KeyValueObservation, _ event: ChangeEvent, _ route: Route?) {
        guard let place = places[ObjectIdentifier(observation)] else {
            places[ObjectIdentifier(observation)] = entries.count
            entries.append(Entry(observation: observation, roads: [CoalescedRoute(route, event)]))
            return
        }
        guard let index = entries[place].roads.lastIndex(where: { $0.route === route }) else {
            entries[place].roads.append(CoalescedRoute(route, event))
            return
        }
        let last = entries[place].roads.count - 1
        if index != last { entries[place].roads.append(entries[place].roads.remove(at: index)) }
        entries[place].roads[last].add(event, keepingOld: !observation.options.isDisjoint(with: [.old, .distinct]))
    }

    func deliver() {
        TestPoint.coalesced.reach()
        let thread = ThreadContext.current
        var chain = NotificationChain()
        // All values are read before the first handler, which may change them.
        for entry in entries {
            guard var road = entry.roads.last(where: { $0.isPart(of: entry.observation) }) else { continue }
            road.complete(for: entry.observation)
            let notification = thread.value.takeNotification()
            notification.use { road.fill($0, for: entry.observation) }
            chain.append(notification)
        }
        chain.forEach { thread.value.appendPending($0) }
        chain.forEach { $0.deliver(thread) }
        thread.giveBack(chain)
    }
}

/// What happened to one path of one target, or to the one key of an observation.
private struct CoalescedRoute {
    let route: Route?
    private var kind: ChangeKind
    private var indexes: RangeSet<Int>?
    private var isLastComponent: Bool
    private var old: Any?
    private var new: Any?
    /// Edits whose whole old value is not known yet.
    private var edits: [CoalescedEdit] = []
    private var isSingle = true
    /// Whether the last change was an edit, so that the whole new value is not known.
    private var isEdited: Bool

    init(_ route: Route?, _ event: ChangeEvent) {
        self.route = route
        kind = event.kind
        indexes = event.indexes
        isLastComponent = event.isLastComponent
        old = event.boxedOld
        new = event.boxedNew
        isEdited = event.kind != .setting
        if isEdited { edits = [event.coalescedEdit] }
    }

    mutating func add(_ event: ChangeEvent, keepingOld: Bool) {
        isSingle = false
        isLastComponent = event.isLastComponent
        isEdited = event.kind != .setting
        new = event.boxedNew
        if kind != .setting, keepingOld {
            if isEdited {
                edits.append(event.coalescedEdit)
            } else {
                old = event.boxedOld.flatMap { undo(edits, $0) }
                kind = .setting
                edits = []
            }
        }
    }

    private func undo(_ edits: [CoalescedEdit], _ value: Any) -> Any? {
        unwrapped(value).flatMap { AutoKVO.undo(edits, $0) }
    }

    func isPart(of observation: KeyValueObservation) -> Bool {
        guard let route else { return true }
        return observation.routes?.contains { $0 === route } ?? false
    }

    func fill(_ notification: PendingNotification, for observation: KeyValueObservation) {
        let edit = kind == .setting ? nil : CollectionChange(kind, indexes: indexes)
        notification.setSubject(
            observation, route, ChangeEvent(isLastComponent: isLastComponent), edit: edit, old: old, new: new)
    }

    /// Makes one `.setting` of several changes, with the whole values that are asked for.
    mutating func complete(for observation: KeyValueObservation) {
        if isSingle { return }
        let needsUndo = kind != .setting && !observation.options.isDisjoint(with: [.old, .distinct])
        let wantsNew = !observation.options.isDisjoint(with: [.new, .distinct])
        if isEdited, wantsNew || needsUndo { new = observation.currentValue(by: route) }
        if needsUndo { old = new.flatMap { undo(edits, $0) } }
        kind = .setting
        indexes = nil
    }
}

extension ChangeEvent {
    fileprivate var boxedOld: Any? { old.map { ChangeEvent.box($0, type) } }
    fileprivate var boxedNew: Any? { new.map { ChangeEvent.box($0, type) } }
    fileprivate var coalescedEdit: CoalescedEdit {
        CoalescedEdit(kind: kind, indexes: indexes, old: boxedOld, new: boxedNew)
    }
}
