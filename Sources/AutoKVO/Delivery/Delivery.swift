internal import CSwiftRuntime

/// How a change travels: every one, automatic, manual, derived, nested or of a collection, begins and ends here.
///
/// `begin` finds who is concerned, keeps the old values they ask for, and makes the prior calls. `end` moves the links
/// of the paths that lead through the property, reads the new values, and calls. Between the two no lock is held and the
/// thread has an `OpenChange`. `Delivery+Write` is the short cut for what most writes are: a property whose observers
/// want neither of what needs a look ahead.
enum Delivery {
    /// A property is about to change.
    static func begin(_ record: ObjectRecord, _ slot: Int, _ description: ChangeDescription = .setting) {
        let thread = ThreadState.current
        if let index = thread.pointee.openChange(record, slot) {
            thread.pointee.openChanges[index].depth += 1
            return
        }
        if !thread.pointee.unobservedChanges.isEmpty, thread.pointee.isInUnobserved(record.address, slot) {
            return thread.pointee.beginUnobserved(record.address, slot)
        }
        var concerned: [OpenEvent] = []
        var opened: [OpenEvent] = []
        for affected in affected(by: record, slot) {
            if let event = thread.pointee.openEvents.first(where: { $0.subject == affected.subject }) {
                event.depth += 1
                concerned.append(event)
                continue
            }
            thread.pointee.serial += 1
            let isOwn = affected.isOwn(record, slot)
            let event = OpenEvent(
                affected, isOwn ? description : .setting, isLastComponent: isOwn,
                token: UInt(bitPattern: thread) &* 31 &+ thread.pointee.serial)
            concerned.append(event)
            opened.append(event)
        }
        thread.pointee.openEvents += opened
        thread.pointee.openChanges.append(OpenChange(record: record, slot: slot, events: concerned))
        TestPoint.begun.reach()
        // Reading is user code, which may begin and end changes itself.
        for event in opened where event.wants.contains(.old) { event.old = oldValue(for: event) }
        deliver(opened.filter { $0.wants.contains(.prior) }, isPrior: true, thread)
    }

    /// A property has changed.
    ///
    /// - Returns: False if no change of the property had begun on this thread.
    @discardableResult
    static func end(_ record: ObjectRecord, _ slot: Int, inserted: Any? = nil) -> Bool {
        let thread = ThreadState.current
        guard thread.pointee.openChange(record, slot) != nil else {
            guard thread.pointee.endUnobserved(record.address, slot) else { return false }
            moveLinks(record, slot)
            return true
        }
        // Moving links reads objects, which is user code and may begin and end changes itself.
        moveLinks(record, slot)
        guard let index = thread.pointee.openChange(record, slot) else { return true }
        if thread.pointee.openChanges[index].depth > 0 {
            thread.pointee.openChanges[index].depth -= 1
            return true
        }
        let change = thread.pointee.openChanges.remove(at: index)
        var ended: [OpenEvent] = []
        for event in change.events {
            event.depth -= 1
            if event.depth == 0 { ended.append(event) }
        }
        thread.pointee.openEvents.removeAll { $0.depth == 0 }
        deliver(ended, isPrior: false, thread)
        return true
    }

    /// The object that a weak property refers to has died: the property has become nil, without having been announced.
    static func weakReferentDidDie(_ record: ObjectRecord, _ slot: Int) {
        tellAll(record, slot, old: nil, excluding: [])
    }

    /// Tells everybody whom a change concerns that was not announced.
    static func tellAll(_ record: ObjectRecord, _ slot: Int, old: Any?, excluding excluded: ObservingOptions) {
        let thread = ThreadState.current
        moveLinks(record, slot)
        let events = affected(by: record, slot).map {
            let isOwn = $0.isOwn(record, slot)
            return OpenEvent(
                $0, .setting, isLastComponent: isOwn, old: isOwn ? old : nil,
                excluded: isOwn && old != nil ? excluded.intersection(.prior) : excluded)
        }
        deliver(events, isPrior: false, thread)
    }

    /// Links of paths that lead on from a property, or from a key derived from it, move to the objects that are behind it
    /// now.
    static func moveLinks(_ record: ObjectRecord, _ slot: Int) {
        if record.schema!.keys[slot].isWeak { record.fitWatch(of: slot, didChange: true) }
        guard let first = record.list(slot), first.pointee.shape.load(ordering: .acquiring) == .general else { return }
        var queue: [(record: ObjectRecord, slot: Int)] = []
        var seen = SubjectSet()
        var (record, slot, list) = (record, slot, first)
        var next = 0
        while true {
            let (isDerivedFrom, links) = record.lock.withLock {
                (list.pointee.hasDerivedInterest, list.pointee.hasInnerLinks ? list.pointee.innerLinks() : [])
            }
            for link in links where link.isFollowed { link.chain.relink(from: link.level + 1) }
            if isDerivedFrom {
                for derived in record.schema!.dependencies(of: slot).derived
                where seen.insert(.list(record, slot: derived)) { queue.append((record, derived)) }
            }
            for link in links {
                guard case .derivedKey(let derived) = link.route.sink else { continue }
                if seen.insert(.list(link.route.root, slot: derived)) { queue.append((link.route.root, derived)) }
            }
            repeat {
                guard next < queue.count else { return }
                (record, slot) = queue[next]
                next += 1
            } while record.list(slot) == nil
            list = record.list(slot)!
        }
    }

    // MARK: Values and calls

    private static func oldValue(for event: OpenEvent) -> Any? {
        switch event.subject {
        case .route(let route): return route.currentValue()
        case .list(let record, let slot):
            if let removed = event.description.removed { return removed }
            guard event.description.kind != .insertion, let object = record.trackedObject else { return nil }
            let value = record.schema!.keys[slot].declared.read(object)
            guard let indexes = event.description.indexes else { return value }
            return pick(indexes, of: value)
        }
    }

    /// Whether somebody asks for the new value, be it through a path that has moved here since the change began.
    private static func wantsNew(_ event: OpenEvent) -> Bool {
        if event.wants.contains(.new) { return true }
        guard case .list(let record, let slot) = event.subject else { return false }
        return record.lock.withLock { record.list(slot)?.pointee.needs.contains(.new) ?? false }
    }

    private static func newValue(for event: OpenEvent) -> Any? {
        switch event.subject {
        case .route(let route): return route.currentValue()
        case .list(let record, let slot):
            if let inserted = event.description.inserted { return inserted }
            guard event.description.kind != .removal, let object = record.trackedObject else { return nil }
            let value = record.schema!.keys[slot].declared.read(object)
            guard let indexes = event.description.indexes else { return value }
            return pick(indexes, of: value)
        }
    }

    private static func pick(_ indexes: RangeSet<Int>, of value: Any) -> Any? {
        pickElements(indexes, of: value)
    }

    /// Reads what is wanted before the first handler, then calls all.
    private static func deliver(_ events: [OpenEvent], isPrior: Bool, _ thread: UnsafeMutablePointer<ThreadState>) {
        if events.isEmpty { return }
        let values = isPrior ? [] : events.map { wantsNew($0) ? newValue(for: $0) : nil }
        let outer = thread.pointee.beginCalls()
        for (index, event) in events.enumerated() {
            deliver(event, new: isPrior ? nil : values[index], isPrior: isPrior, thread)
        }
        thread.pointee.endCalls(outer)
    }

    private static func deliver(
        _ event: OpenEvent, new: Any?, isPrior: Bool, _ thread: UnsafeMutablePointer<ThreadState>
    ) {
        withOptionalPointers(old: event.old, new: new, indexes: event.description.indexes) { old, new, indexes in
            let change = ChangeEvent(
                kind: event.description.kind, indexes: indexes, isPrior: isPrior,
                isLastComponent: event.isLastComponent, token: event.token, excluded: event.excluded, type: Any.self, old: old,
                new: new)
            switch event.subject {
            case .list(let record, let slot):
                guard let object = record.trackedObject else { return }
                Walk.call(record, record.list(slot)!, upTo: event.bound, change, thread)
                withExtendedLifetime(object) {}
            case .route(let route):
                var loop = HandlerLoop(thread, change)
                loop.call(route, change)
                loop.finish()
            }
        }
    }

    /// Calls one observation outside of a walk: for the initial call, and for changes that were held back.
    static func call(
        _ observation: KeyValueObservation, _ route: Route?, kind: ChangeKind = .setting, indexes: RangeSet<Int>? = nil,
        isInitial: Bool = false, isLastComponent: Bool = true, old: Any?, new: Any?
    ) {
        let thread = ThreadState.current
        let outer = thread.pointee.beginCalls()
        withOptionalPointers(old: old, new: new, indexes: indexes) { old, new, indexes in
            let event = ChangeEvent(
                kind: kind, indexes: indexes, isInitial: isInitial, isLastComponent: isLastComponent, old: old, new: new
            )
            var loop = HandlerLoop(thread, event)
            if let route { loop.call(route, event) } else { loop.callDirectly(observation, event) }
            loop.finish()
        }
        thread.pointee.endCalls(outer)
    }

    private static func withOptionalPointers(
        old: Any?, new: Any?, indexes: RangeSet<Int>?,
        _ body: (UnsafeRawPointer?, UnsafeRawPointer?, UnsafePointer<RangeSet<Int>>?) -> Void
    ) {
        withOptionalPointer(to: old) { old in
            withOptionalPointer(to: new) { new in
                withOptionalPointer(to: indexes) {
                    body(old.map { UnsafeRawPointer($0) }, new.map { UnsafeRawPointer($0) }, $0)
                }
            }
        }
    }

    private static func withOptionalPointer<Value>(to value: Value?, _ body: (UnsafePointer<Value>?) -> Void) {
        guard let value else { return body(nil) }
        withUnsafePointer(to: value) { body($0) }
    }
}

extension ThreadState {
    func openChange(_ record: ObjectRecord, _ slot: Int) -> Int? {
        openChanges.lastIndex { $0.slot == slot && $0.record === record }
    }
}
