/// Makes changes without telling anybody until the outermost of these calls ends on this thread; then every observation
/// concerned is called once, with the first old value and the last new one, in the order in which they were first
/// concerned.
///
/// Prior calls are left out; initial calls are not delayed. Several edits of a collection arrive as one `.setting` with the whole
/// new value. Other threads are not affected. The closure runs at once, on this thread; if it throws, what was changed
/// until then is told before the error goes on.
@discardableResult
public func coalescingChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let thread = ThreadState.current
    guard thread.pointee.coalescing == nil else { return try body() }
    let changes = CoalescedChanges()
    thread.pointee.coalescing = changes
    defer {
        thread.pointee.coalescing = nil
        changes.deliver()
    }
    return try body()
}

/// What was held back by a `coalescingChanges` under way on one thread.
final class CoalescedChanges {
    private struct Entry {
        let observation: KeyValueObservation
        let route: Route?
        let kind: ChangeKind
        let indexes: RangeSet<Int>?
        let isLastComponent: Bool
        let old: Any?
        var new: Any?
        var isSingle = true
        /// Whether it was set as a whole each time, so that `new` is the whole new value.
        var isWhole: Bool
    }

    private var entries: [Entry] = []
    private var places: [ObjectIdentifier: Int] = [:]

    func add(_ observation: KeyValueObservation, _ event: ChangeEvent, _ route: Route?) {
        let type = event.type
        func box(_ pointer: UnsafeRawPointer?) -> Any? { pointer.map { ChangeEvent.box($0, type) } }
        if let place = places[ObjectIdentifier(observation)] {
            // By another of its paths: what is told is the first path's change.
            guard entries[place].route === route else { return }
            entries[place].new = box(event.new)
            entries[place].isSingle = false
            if event.kind != .setting { entries[place].isWhole = false }
            return
        }
        places[ObjectIdentifier(observation)] = entries.count
        entries.append(
            Entry(
                observation: observation, route: route, kind: event.kind, indexes: event.indexes?.pointee,
                isLastComponent: event.isLastComponent, old: box(event.old), new: box(event.new),
                isWhole: event.kind == .setting))
    }

    func deliver() {
        TestPoint.coalesced.reach()
        for entry in entries {
            if entry.isSingle || entry.isWhole {
                Delivery.call(
                    entry.observation, entry.route, kind: entry.kind, indexes: entry.indexes,
                    isLastComponent: entry.isLastComponent, old: entry.old, new: entry.new)
            } else {
                let new = entry.observation.options.contains(.new) ? entry.observation.currentValue(by: entry.route) : nil
                Delivery.call(
                    entry.observation, entry.route, kind: .setting, indexes: nil, isLastComponent: entry.isLastComponent,
                    old: entry.kind == .setting ? entry.old : nil, new: new)
            }
        }
    }
}
