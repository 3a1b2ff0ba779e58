internal import CSwiftRuntime

/// What a write of an `@Observed` property has to do, found before it. Trivial, so that it costs nothing to pass.
@usableFromInline
struct WriteTicket {
    @usableFromInline
    enum Form: UInt8 {
        /// Store the value, no more.
        case silent
        /// Store the value, then tell the list; `withOld`: somebody wants the value from before.
        case immediate, immediateWithOld
        /// Announce the change around the store.
        case announced
    }

    @usableFromInline let form: Form
    @usableFromInline let slot: Int32

    @inline(__always)
    init(_ form: Form, _ slot: Int) {
        self.form = form
        self.slot = Int32(truncatingIfNeeded: slot)
    }
}

extension TrackedObject {
    /// What a write to the storage at a place in this object has to do. The object is observed.
    @usableFromInline
    final func ticket(forWriteTo place: UnsafeRawPointer) -> WriteTicket {
        let address = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        let pointer = UnsafeRawPointer(bitPattern: word.load(ordering: .acquiring) & ~1)
        guard let pointer else { return WriteTicket(.silent, -1) }
        return Unmanaged<ObjectRecord>.fromOpaque(pointer)._withUnsafeGuaranteedRef { record in
            let layout = record.layout!
            let slot = layout.pointee.slot(atOffset: place - address)
            guard slot >= 0, let list = record.list(slot) else { return WriteTicket(.silent, slot) }
            let form: WriteTicket.Form
            switch list.pointee.shape.load(ordering: .acquiring) {
            case .idle: return WriteTicket(.silent, slot)
            case .immediate: form = .immediate
            case .immediateWithOld: form = .immediateWithOld
            case .derived: form = layout.pointee.derived(from: slot).pointee.areFew ? .immediate : .announced
            case .general: form = .announced
            }
            if layout.pointee[slot].contains(.isSilent) || csr_is_deinitializing(address) {
                return WriteTicket(.silent, slot)
            }
            // Inside an announced change of the same property, or of one that leads to the same observers, the outer one tells.
            let thread = ThreadState.current
            let isAlone = thread.pointee.openChanges.isEmpty && thread.pointee.unobservedChanges.isEmpty
            return WriteTicket(isAlone ? form : .announced, slot)
        }
    }

    /// Tells the list of a property of its new value. The pointers are to values of the type.
    @usableFromInline
    final func didWrite(_ ticket: WriteTicket, _ type: Any.Type, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
        let pointer = UnsafeRawPointer(bitPattern: word.load(ordering: .acquiring) & ~1)!
        Unmanaged<ObjectRecord>.fromOpaque(pointer)._withUnsafeGuaranteedRef { record in
            let slot = Int(ticket.slot)
            let list = record.list(slot)!
            TestPoint.written.reach()
            let derived = record.layout!.pointee.derived(from: slot)
            let shape = list.pointee.shape.load(ordering: .acquiring)
            if shape == .general || shape == .derived && !derived.pointee.areFew {
                // Another thread has added somebody since the ticket was made, who would have had the change announced.
                let old = old.map { ChangeEvent.box($0, type) }
                return Delivery.tellAll(record, slot, old: old, excluding: [.old, .distinct, .prior])
            }
            let thread = ThreadState.current
            let outer = thread.pointee.beginCalls()
            let event = ChangeEvent(excluded: old == nil ? [.old, .distinct] : [], type: type, old: old, new: new)
            if shape == .derived {
                Delivery.tell(record, list, derived, event, thread)
            } else {
                Walk.call(record, list, upTo: nil, event, thread)
            }
            thread.pointee.endCalls(outer)
        }
    }

    @usableFromInline
    final func beginWrite(_ ticket: WriteTicket) {
        if let record { Delivery.begin(record, Int(ticket.slot)) }
    }

    @usableFromInline
    final func endWrite(_ ticket: WriteTicket) {
        if let record { Delivery.end(record, Int(ticket.slot)) }
    }
}

extension Delivery {
    /// Tells the list of a property and those of the few keys derived from it, in which nobody wants to know what was
    /// before. As ever, all bounds are taken and all values read before the first handler is called.
    static func tell(
        _ record: ObjectRecord, _ list: UnsafeMutablePointer<ObserverList>, _ derived: UnsafePointer<SlotLayout.DerivedSlots>,
        _ event: ChangeEvent, _ thread: UnsafeMutablePointer<ThreadState>
    ) {
        let excluded: ObservingOptions = [.old, .distinct, .prior]
        var bounds = InlineArray<4, UInt64>(repeating: 0)
        var wantingNew: UInt8 = 0
        var values = InlineArray<4, Any?>(repeating: nil)
        record.lock.lock()
        let ownBound = list.pointee.count > 0 ? list.pointee.lastSequence : 0
        for index in 0..<derived.pointee.count {
            guard let list = record.list(derived.pointee[index]), list.pointee.count > 0 else { continue }
            bounds[index] = list.pointee.lastSequence
            if list.pointee.wantsNew { wantingNew |= 1 << UInt8(truncatingIfNeeded: index) }
        }
        record.lock.unlock()
        for index in 0..<derived.pointee.count where wantingNew & 1 << UInt8(truncatingIfNeeded: index) != 0 {
            values[index] = record.readValue(derived.pointee[index])
        }
        if ownBound > 0 { Walk.call(record, list, upTo: ownBound, event, thread) }
        for index in 0..<derived.pointee.count where bounds[index] > 0 {
            let list = record.list(derived.pointee[index])!
            if let value = values[index] {
                withUnsafePointer(to: value) {
                    Walk.call(record, list, upTo: bounds[index], ChangeEvent(isLastComponent: false, excluded: excluded, new: $0), thread)
                }
            } else {
                Walk.call(record, list, upTo: bounds[index], ChangeEvent(isLastComponent: false, excluded: excluded), thread)
            }
        }
    }
}

extension ObjectRecord {
    /// The value of a key of the object, which is alive.
    func readValue(_ slot: Int) -> Any {
        Unmanaged<TrackedObject>.fromOpaque(address)._withUnsafeGuaranteedRef { schema!.keys[slot].declared.read($0) }
    }
}
