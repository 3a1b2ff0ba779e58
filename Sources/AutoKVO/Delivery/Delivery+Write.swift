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
            case .general: form = .announced
            }
            if layout.pointee[slot].contains(.isSilent) || csr_is_deinitializing(address) {
                return WriteTicket(.silent, slot)
            }
            // Inside an announced change of the same property, or of one that leads to the same observers, the outer one tells.
            return WriteTicket(ThreadState.current.pointee.openChanges.isEmpty ? form : .announced, slot)
        }
    }

    /// Tells the list of a property of its new value. The pointers are to values of the type.
    @usableFromInline
    final func didWrite(_ ticket: WriteTicket, _ type: Any.Type, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
        let pointer = UnsafeRawPointer(bitPattern: word.load(ordering: .acquiring) & ~1)!
        Unmanaged<ObjectRecord>.fromOpaque(pointer)._withUnsafeGuaranteedRef { record in
            let slot = Int(ticket.slot)
            let list = record.list(slot)!
            // A path that another thread is laying through the property just now may have read the value from before.
            if list.pointee.shape.load(ordering: .acquiring) == .general { Delivery.moveLinks(record, slot) }
            let thread = ThreadState.current
            let outer = thread.pointee.beginCalls()
            Walk.call(record, list, upTo: nil, ChangeEvent(type: type, old: old, new: new), thread)
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
