internal import CSwiftRuntime

/// How a change travels: every one, automatic, manual, derived, nested or of a collection, begins and ends here.
///
/// `begin` finds who is concerned, keeps the old values they ask for, and makes the prior calls. `end` moves the links
/// of the paths that lead through the property, reads the new values, and calls. Between the two no lock is held and the
/// thread has an `OpenChange`. `Delivery+Write` is the short cut for what most writes are: of a property from which no path
/// goes on, and before whose change nobody wants to be called.
enum Delivery {
    /// A property is about to change.
    static func begin(_ record: ObjectRecord, _ slot: Int, _ edit: CollectionChange? = nil) {
        let thread = ThreadState.current
        if let index = thread.pointee.openChange(record, slot) {
            thread.pointee.openChanges[index].depth += 1
            return
        }
        if !thread.pointee.unobservedChanges.isEmpty, thread.pointee.isInUnobserved(record.address, slot) {
            return thread.pointee.beginUnobserved(record.address, slot)
        }
        let (events, opened) = events(of: record, slot, edit, thread)
        thread.pointee.openChanges.append(OpenChange(record, slot, events))
        TestPoint.begun.reach()
        if let opened { prepare(opened, thread) } else { prepare(events, thread) }
    }

    /// What there will be to tell of a change.
    ///
    /// - Returns: The events, and if other changes are open the ones of them that those have not begun already.
    private static func events(
        of record: ObjectRecord, _ slot: Int, _ edit: CollectionChange?, _ thread: UnsafeMutablePointer<ThreadState>
    ) -> (all: Few<OpenEvent>, opened: Few<OpenEvent>?) {
        var all = Few<OpenEvent>()
        var opened = thread.pointee.openChanges.isEmpty ? nil : Few<OpenEvent>()
        forEachAffected(by: record, slot) { affected in
            if opened != nil, let event = thread.pointee.openEvent(of: affected.subject) {
                event.depth += 1
                all.append(event)
                return
            }
            let isOwn = affected.isOwn(record, slot)
            let event = OpenEvent(
                affected, isOwn ? edit : nil, isLastComponent: isOwn, token: thread.pointee.makeToken(thread))
            all.append(event)
            opened?.append(event)
        }
        return (all, opened)
    }

    /// Reads the old values that are asked for, and makes the prior calls.
    private static func prepare(_ opened: borrowing Few<OpenEvent>, _ thread: UnsafeMutablePointer<ThreadState>) {
        // Reading is user code, which may begin and end changes itself.
        opened.forEach { if $0.wants.contains(.old) { $0.old = oldValue(for: $0) } }
        if opened.first(where: { $0.wants.contains(.prior) }) != nil {
            deliver(opened.filter { $0.wants.contains(.prior) }, isPrior: true, thread)
        }
    }

    /// A property has changed.
    ///
    /// - Returns: False if no change of the property had begun on this thread.
    @discardableResult
    static func end(_ record: ObjectRecord, _ slot: Int) -> Bool {
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
        let ended = thread.pointee.openChanges.remove(at: index).events
        ended.forEach { $0.depth -= 1 }
        let isNested = ended.first { $0.depth > 0 } != nil
        deliver(isNested ? ended.filter { $0.depth == 0 } : ended, isPrior: false, thread)
        return true
    }

    /// The object that a weak property refers to has died: the property has become nil, without having been announced.
    static func weakReferentDidDie(_ record: ObjectRecord, _ slot: Int) {
        tellAll(record, slot, old: nil, excluding: [])
    }

    /// Tells everybody whom a change concerns that was not announced. Not as part of another function, which would have to make
    /// room for what only this one needs.
    @inline(never)
    static func tellAll(_ record: ObjectRecord, _ slot: Int, old: Any?, excluding excluded: ObservingOptions) {
        let thread = ThreadState.current
        moveLinks(record, slot)
        var events = Few<OpenEvent>()
        forEachAffected(by: record, slot) {
            let isOwn = $0.isOwn(record, slot)
            events.append(OpenEvent(
                $0, nil, isLastComponent: isOwn, old: isOwn ? old.map(KnownValue.init) ?? KnownValue() : KnownValue(),
                excluded: isOwn && old != nil ? excluded.intersection(.prior) : excluded))
        }
        deliver(events, isPrior: false, thread)
    }

    /// Links of paths that lead on from a property, or from a key derived from it, move to the objects that are behind it
    /// now.
    static func moveLinks(_ record: ObjectRecord, _ slot: Int) {
        if record.layout!.pointee[slot].contains(.isWeak) { record.fitWatch(of: slot, didChange: true) }
        guard let first = record.list(slot), first.pointee.interest.load(ordering: .acquiring).contains(.ahead) else { return }
        // It owns the records.
        var queue: [(record: ObjectRecord, slot: Int)] = []
        var (unmanaged, slot, list) = (Unmanaged.passUnretained(record), slot, first)
        var seen = SubjectSet(.list(unmanaged, slot: slot))
        var next = 0
        while true {
            unmanaged._withUnsafeGuaranteedRef { record in
                let hold = record.lock.lock()
                let isDerivedFrom = list.pointee.hasDerivedInterest
                let links = list.pointee.hasInnerLinks ? list.pointee.innerLinks() : Few()
                record.lock.unlock(hold)
                if isDerivedFrom {
                    for derived in record.schema!.dependencies(of: slot).derived
                    where seen.insert(.list(unmanaged, slot: derived)) { queue.append((record, derived)) }
                }
                links.forEach { link in
                    if link.isFollowed { link.chain.relink(from: link.level + 1) }
                    guard let (root, derived) = link.derivedKey else { return }
                    if seen.insert(.list(.passUnretained(root), slot: derived)) { queue.append((root, derived)) }
                }
            }
            var found: UnsafeMutablePointer<ObserverList>?
            repeat {
                guard next < queue.count else { return }
                (unmanaged, slot) = (.passUnretained(queue[next].record), queue[next].slot)
                next += 1
                found = unmanaged._withUnsafeGuaranteedRef { $0.list(slot) }
            } while found == nil
            list = found!
        }
    }

    // MARK: Values and calls

    private static func oldValue(for event: OpenEvent) -> KnownValue {
        guard let edit = event.edit else { return value(of: event.subject) }
        return elements(of: event.subject, edit, given: edit.removed, isMissing: edit.kind == .insertion)
    }

    private static func newValue(for event: OpenEvent) -> KnownValue {
        guard let edit = event.edit else { return value(of: event.subject) }
        return elements(of: event.subject, edit, given: edit.inserted, isMissing: edit.kind == .removal)
    }

    private static func value(of subject: ChangeSubject) -> KnownValue {
        switch subject {
        case .route(let route):
            return route._withUnsafeGuaranteedRef { route in
                guard let object = route.root.trackedObject else { return KnownValue() }
                return KnownValue(route.path.value(from: object))
            }
        case .list(let record, let slot):
            return record._withUnsafeGuaranteedRef { record in
                guard let object = record.trackedObject else { return KnownValue() }
                defer { withExtendedLifetime(object) {} }
                return KnownValue(record.readValue(slot))
            }
        }
    }

    /// The elements that an edit of a collection takes away or puts in; of the collection that is there now, if the edit does
    /// not say.
    private static func elements(
        of subject: ChangeSubject, _ edit: CollectionChange, given: Any?, isMissing: Bool
    ) -> KnownValue {
        guard case .list(let unmanaged, let slot) = subject else { return value(of: subject) }
        if let given { return KnownValue(given) }
        return unmanaged._withUnsafeGuaranteedRef { record in
            guard !isMissing, let object = record.trackedObject else { return KnownValue() }
            let value = record.readValue(slot)
            withExtendedLifetime(object) {}
            guard let indexes = edit.indexes else { return KnownValue(value) }
            return pickElements(indexes, of: value).map(KnownValue.init) ?? KnownValue()
        }
    }

    /// Whether somebody asks for the new value, be it through a path that has moved here since the change began.
    private static func wantsNew(_ event: OpenEvent) -> Bool {
        if event.wants.contains(.new) { return true }
        guard case .list(let record, let slot) = event.subject else { return false }
        return record._withUnsafeGuaranteedRef { record in
            record.lock.withLock { record.list(slot)?.pointee.wantsNew ?? false }
        }
    }

    /// Reads what is wanted before the first handler, then calls all.
    private static func deliver(_ events: Few<OpenEvent>, isPrior: Bool, _ thread: UnsafeMutablePointer<ThreadState>) {
        if events.isEmpty { return }
        if !isPrior { events.forEach { if wantsNew($0) { $0.new = newValue(for: $0) } } }
        let outer = thread.pointee.calls.begin()
        events.forEach { deliver($0, isPrior: isPrior, thread) }
        thread.pointee.calls.end(outer)
    }

    private static func deliver(_ event: OpenEvent, isPrior: Bool, _ thread: UnsafeMutablePointer<ThreadState>) {
        event.withValues { old, new, indexes in
            var loop = HandlerLoop(
                thread,
                ChangeEvent(
                    kind: event.edit?.kind ?? .setting, isPrior: isPrior, isLastComponent: event.isLastComponent,
                    excluded: event.excluded, indexes: indexes, token: event.token, type: Any.self, old: old, new: new))
            switch event.subject {
            case .list(let record, let slot):
                record._withUnsafeGuaranteedRef { record in
                    guard let object = record.trackedObject else { return }
                    Walk.call(record, record.list(slot)!, upTo: event.bound, &loop)
                    withExtendedLifetime(object) {}
                }
            case .route(let route): route._withUnsafeGuaranteedRef { loop.call($0) }
            }
            loop.finish()
        }
    }

    /// Calls one observation outside of a walk: for the initial call, and for changes that were held back.
    static func call(
        _ observation: KeyValueObservation, _ route: Route?, kind: ChangeKind = .setting, indexes: RangeSet<Int>? = nil,
        isInitial: Bool = false, isLastComponent: Bool = true, old: Any?, new: Any?
    ) {
        let thread = ThreadState.current
        let outer = thread.pointee.calls.begin()
        var (old, new) = (old.map(KnownValue.init) ?? KnownValue(), new.map(KnownValue.init) ?? KnownValue())
        old.withPointer { old in
            new.withPointer { new in
                withPointer(to: indexes) { indexes in
                    var loop = HandlerLoop(
                        thread,
                        ChangeEvent(
                            kind: kind, isInitial: isInitial, isLastComponent: isLastComponent, indexes: indexes, old: old, new: new))
                    if let route { loop.call(route) } else { loop.callDirectly(observation) }
                    loop.finish()
                }
            }
        }
        thread.pointee.calls.end(outer)
    }
}

extension OpenEvent {
    /// The values as pointers to them, nil for those that are missing.
    @inline(__always)
    fileprivate func withValues(_ body: (UnsafeRawPointer?, UnsafeRawPointer?, UnsafePointer<RangeSet<Int>>?) -> Void) {
        old.withPointer { old in
            new.withPointer { new in
                guard let edit else { return body(old, new, nil) }
                withPointer(to: edit.indexes) { body(old, new, $0) }
            }
        }
    }
}

@inline(__always)
private func withPointer(to indexes: RangeSet<Int>?, _ body: (UnsafePointer<RangeSet<Int>>?) -> Void) {
    guard let indexes else { return body(nil) }
    withUnsafePointer(to: indexes) { body($0) }
}

extension ThreadState {
    func openChange(_ record: ObjectRecord, _ slot: Int) -> Int? {
        openChanges.withUnsafeBufferPointer { changes in
            changes.lastIndex { $0.slot == slot && $0.address == record.address }
        }
    }

    /// The open event with a token.
    func openEvent(_ token: UInt) -> OpenEvent? {
        for change in openChanges.reversed() {
            if let event = change.events.first(where: { $0.token == token }) { return event }
        }
        return nil
    }

    /// What the open changes will tell to a subject.
    func openEvent(of subject: ChangeSubject) -> OpenEvent? {
        for change in openChanges {
            if let event = change.events.first(where: { $0.subject == subject }) { return event }
        }
        return nil
    }

    /// Whether a change has been announced that has not ended.
    @inline(__always)
    var isAnnouncing: Bool { !openChanges.isEmpty || !unobservedChanges.isEmpty }

    /// What no other event of any thread has, as long as both are under way.
    mutating func makeToken(_ this: UnsafeMutablePointer<ThreadState>) -> UInt {
        serial += 1
        return UInt(bitPattern: this) &* 31 &+ serial
    }
}
