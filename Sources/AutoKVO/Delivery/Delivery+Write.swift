internal import CSwiftRuntime

/// What a write of an `@Observed` property has to do, found before it. Trivial, so that it costs nothing to pass.
@usableFromInline
struct WriteTicket {
    @usableFromInline
    enum Form: UInt8 {
        /// Store the value, no more.
        case silent
        /// Store the value, then tell; `withOld`: somebody wants the value from before.
        case immediate, immediateWithOld
        /// Read what is derived from the property, store the value, then tell. A change in place is announced instead.
        case derivedWithOld
        /// Announce the change around the store.
        case announced
    }

    @usableFromInline let form: Form
    /// Whether somebody in the property's own list asks for the new value.
    @usableFromInline let wantsNew: Bool
    @usableFromInline let slot: Int32
    /// The list of the slot, which stays where it is as long as the object lives. Not for `silent`.
    @usableFromInline let pointer: UnsafeMutableRawPointer?

    @inline(__always)
    init(_ form: Form, _ slot: Int, _ list: UnsafeMutablePointer<ObserverList>? = nil, wantsNew: Bool = false) {
        self.form = form
        self.wantsNew = wantsNew
        self.slot = Int32(truncatingIfNeeded: slot)
        pointer = UnsafeMutableRawPointer(list)
    }

    /// Whether a change in place has to be announced around it.
    @inlinable @inline(__always)
    var isAnnounced: Bool { form == .derivedWithOld || form == .announced }

    @inline(__always)
    var list: UnsafeMutablePointer<ObserverList> { pointer!.assumingMemoryBound(to: ObserverList.self) }
}

extension TrackedObject {
    /// What a write to the storage at a place in this object has to do. The object is observed.
    @usableFromInline
    final func ticket(forWriteTo place: UnsafeRawPointer) -> WriteTicket { findTicket(forWriteTo: place).ticket }

    /// The ticket, and where it is not `silent` the object's record and this thread's state.
    @inline(__always)
    private final func findTicket(
        forWriteTo place: UnsafeRawPointer
    ) -> (ticket: WriteTicket, record: Unmanaged<ObjectRecord>?, thread: UnsafeMutablePointer<ThreadState>?) {
        let address = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        let pointer = UnsafeRawPointer(bitPattern: word.load(ordering: .acquiring) & ~1)
        guard let pointer else { return (WriteTicket(.silent, -1), nil, nil) }
        let record = Unmanaged<ObjectRecord>.fromOpaque(pointer)
        let layout = record._withUnsafeGuaranteedRef { $0.layout.unsafelyUnwrapped }
        let slot = layout.pointee.slot(atOffset: place - address)
        guard slot >= 0, let list = record._withUnsafeGuaranteedRef({ $0.list(slot) }) else {
            return (WriteTicket(.silent, slot), nil, nil)
        }
        let interest = list.pointee.interest.load(ordering: .acquiring)
        if interest.isEmpty || layout.pointee[slot].contains(.isSilent) || csr_is_deinitializing(address) {
            return (WriteTicket(.silent, slot), nil, nil)
        }
        let thread = ThreadState.current
        let form: WriteTicket.Form
        if thread.pointee.isAnnouncing {
            // Inside an announced change of the same property, or of one that leads to the same observers, the outer one tells.
            form = .announced
        } else if interest.isDisjoint(with: .derivedOrAhead) {
            form = interest.contains(.old) ? .immediateWithOld : .immediate
        } else if interest.contains(.ahead) || !layout.pointee.derived(from: slot).pointee.areFew {
            form = .announced
        } else {
            form = interest.isDisjoint(with: .anyOld) ? .immediate : .derivedWithOld
        }
        return (WriteTicket(form, slot, list, wantsNew: interest.contains(.new)), record, thread)
    }

    /// Writes a property, and tells: the whole way of nearly all changes. The object is observed; the pointers are to values of
    /// the type.
    ///
    /// - Parameters:
    ///   - place: Where the property's storage is, if the class has one there.
    ///   - old: Where `store` puts what was there before.
    /// - Returns: False if there is no such property, and then nothing was done.
    @usableFromInline
    final func write(
        to place: UnsafeRawPointer, _ type: Any.Type, old: UnsafeRawPointer, new: UnsafeRawPointer, _ store: () -> Void
    ) -> Bool {
        let (ticket, record, thread) = findTicket(forWriteTo: place)
        switch ticket.form {
        case .silent:
            guard ticket.slot >= 0 else { return false }
            store()
        case .immediate, .immediateWithOld:
            store()
            tell(ticket, record.unsafelyUnwrapped, type, old: old, new: new, thread.unsafelyUnwrapped)
        case .derivedWithOld:
            writeWithDerived(ticket, type, old: old, new: new, store)
        case .announced:
            beginWrite(ticket)
            store()
            endWrite(ticket)
        }
        return true
    }

    @inline(never)
    private final func writeWithDerived(
        _ ticket: WriteTicket, _ type: Any.Type, old: UnsafeRawPointer, new: UnsafeRawPointer, _ store: () -> Void
    ) {
        withRecord { record in
            let event = ChangeEvent(type: type, old: old, new: new)
            Delivery.tellWithDerived(record, Int(ticket.slot), ticket.list, event, excluding: [], readingOld: true) {
                store()
                TestPoint.written.reach()
                // A path that another thread has begun to observe meanwhile may lead through what was there before.
                if ticket.list.pointee.interest.load(ordering: .acquiring).contains(.ahead) {
                    Delivery.moveLinks(record, Int(ticket.slot))
                }
            }
        }
    }

    /// Tells of a property that was changed in place. The pointers are to values of the type.
    @usableFromInline
    final func didWrite(_ ticket: WriteTicket, _ type: Any.Type, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
        withRecord { tell(ticket, Unmanaged.passUnretained($0), type, old: old, new: new, ThreadState.current) }
    }

    @inline(__always)
    private final func tell(
        _ ticket: WriteTicket, _ record: Unmanaged<ObjectRecord>, _ type: Any.Type, old: UnsafeRawPointer?, new: UnsafeRawPointer?,
        _ thread: UnsafeMutablePointer<ThreadState>
    ) {
        TestPoint.written.reach()
        let interest = ticket.list.pointee.interest.load(ordering: .acquiring)
        guard interest.isDisjoint(with: .derivedOrAhead) else {
            return didWrite(ticket, interest, ChangeEvent(ofWrite: type, old, new))
        }
        record._withUnsafeGuaranteedRef {
            Walk.callInlined($0, ticket.list, thread, ChangeEvent(ofWrite: type, old, new))
        }
    }

    /// The same where there may be more to tell than the property's own list.
    @inline(never)
    private final func didWrite(_ ticket: WriteTicket, _ interest: ObserverList.Interest, _ event: ChangeEvent) {
        let slot = Int(ticket.slot)
        withRecord { record in
            if !interest.contains(.ahead), record.layout!.pointee.derived(from: slot).pointee.areFew {
                return Delivery.tellWithDerived(record, slot, ticket.list, event, excluding: .oldDistinctOrPrior) {}
            }
            // Another thread has added somebody since the ticket was made, who would have had the change announced.
            let old = event.old.map { ChangeEvent.box($0, event.type) }
            Delivery.tellAll(record, slot, old: old, excluding: .oldDistinctOrPrior)
        }
    }

    @usableFromInline
    final func beginWrite(_ ticket: WriteTicket) {
        withRecord { Delivery.begin($0, Int(ticket.slot)) }
    }

    @usableFromInline
    final func endWrite(_ ticket: WriteTicket) {
        withRecord { _ = Delivery.end($0, Int(ticket.slot)) }
    }

    /// The record of an object that has one and whose deinit has not begun.
    @inline(__always)
    private final func withRecord(_ body: (ObjectRecord) -> Void) {
        let pointer = UnsafeRawPointer(bitPattern: word.load(ordering: .acquiring) & ~1)!
        Unmanaged<ObjectRecord>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
    }
}

extension ChangeEvent {
    /// The event of a write that was not announced. Who came too late for a value to be kept for him is left out.
    @inline(__always)
    fileprivate init(ofWrite type: Any.Type, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?) {
        var excluded: ObservingOptions = []
        if old == nil { excluded.formUnion(.oldOrDistinct) }
        if new == nil { excluded.formUnion(.newOrDistinct) }
        self.init(excluded: excluded, type: type, old: old, new: new)
    }
}

extension Delivery {
    /// Stores a property's new value, and tells its list and those of the few keys derived from it. As ever, all bounds are
    /// taken and all values read before the first handler is called.
    ///
    /// - Parameters:
    ///   - excluded: The options of those observers of derived keys who came too late to get what they ask for.
    ///   - readingOld: Whether the property is not stored yet, so that derived keys can be read from before.
    @inline(__always)
    fileprivate static func tellWithDerived(
        _ record: ObjectRecord, _ slot: Int, _ list: UnsafeMutablePointer<ObserverList>, _ event: ChangeEvent,
        excluding excluded: ObservingOptions, readingOld: Bool = false, storing store: () -> Void
    ) {
        let derived = record.layout!.pointee.derived(from: slot)
        let count = derived.pointee.count
        var bounds = InlineArray<4, UInt64>(repeating: 0)
        var wantingOld: UInt8 = 0
        var wantingNew: UInt8 = 0
        let hold = record.lock.lock()
        let ownBound = list.pointee.count > 0 ? list.pointee.lastSequence : 0
        for index in 0..<count {
            guard let list = record.list(derived.pointee[index]), list.pointee.count > 0 else { continue }
            bounds[index] = list.pointee.lastSequence
            let bit = 1 as UInt8 &<< UInt8(truncatingIfNeeded: index)
            if readingOld, list.pointee.wantsOld { wantingOld |= bit }
            if list.pointee.wantsNew { wantingNew |= bit }
        }
        record.lock.unlock(hold)
        // Memory of which nothing is initialised that is not asked for.
        withUnsafeTemporaryAllocation(of: Any.self, capacity: 8) { memory in
            let old = Values(at: memory.baseAddress!, wantingOld)
            let new = Values(at: memory.baseAddress! + 4, wantingNew)
            old.read(record, derived)
            store()
            new.read(record, derived)
            let thread = ThreadState.current
            let outer = thread.pointee.calls.begin()
            if ownBound > 0 {
                var loop = HandlerLoop(thread, event)
                Walk.call(record, list, upTo: ownBound, &loop)
                loop.finish()
            }
            for index in 0..<count where bounds[index] > 0 {
                var loop = HandlerLoop(
                    thread, ChangeEvent(isLastComponent: false, excluded: excluded, old: old[index], new: new[index]))
                Walk.call(record, record.list(derived.pointee[index])!, upTo: bounds[index], &loop)
                loop.finish()
            }
            thread.pointee.calls.end(outer)
            old.forget(count)
            new.forget(count)
        }
    }

    /// The values of those of up to four derived keys that are asked for, each in its key's place among the derived ones.
    private struct Values {
        private let place: UnsafeMutablePointer<Any>
        private let wanted: UInt8

        @inline(__always)
        init(at place: UnsafeMutablePointer<Any>, _ wanted: UInt8) {
            self.place = place
            self.wanted = wanted
        }

        @inline(__always)
        func read(_ record: ObjectRecord, _ derived: UnsafePointer<SlotLayout.DerivedSlots>) {
            if wanted == 0 { return }
            for index in 0..<derived.pointee.count where isWanted(index) {
                record.readValue(derived.pointee[index], into: place + index)
            }
        }

        /// Nil for a value that nobody asks for.
        @inline(__always)
        subscript(index: Int) -> UnsafeRawPointer? { isWanted(index) ? UnsafeRawPointer(place + index) : nil }

        @inline(__always)
        func forget(_ count: Int) {
            if wanted == 0 { return }
            for index in 0..<count where isWanted(index) { (place + index).deinitialize(count: 1) }
        }

        @inline(__always)
        private func isWanted(_ index: Int) -> Bool { wanted & 1 &<< UInt8(truncatingIfNeeded: index) != 0 }
    }
}

extension ObjectRecord {
    /// The value of a key of the object, which is alive.
    func readValue(_ slot: Int) -> Any {
        Unmanaged<TrackedObject>.fromOpaque(address)._withUnsafeGuaranteedRef { object in
            layout!.pointee.declaration(slot)._withUnsafeGuaranteedRef { $0.read(object) }
        }
    }

    /// The same, put into memory that is not initialised.
    @inline(__always)
    fileprivate func readValue(_ slot: Int, into place: UnsafeMutablePointer<Any>) {
        layout.unsafelyUnwrapped.pointee.declaration(slot)._withUnsafeGuaranteedRef { $0.read(address, into: place) }
    }
}
