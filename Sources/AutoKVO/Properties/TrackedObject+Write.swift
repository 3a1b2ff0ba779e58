internal import CSwiftRuntime

/// What a write of an `@Observed` property has to do, found before the store. Trivial, so that it costs nothing to pass.
@usableFromInline
struct WriteTicket {
    @usableFromInline
    enum Form: UInt8 {
        /// Only store the value.
        case silent
        /// Store the value, then notify; `WithOld`: an observer asks for the old value.
        case immediate, immediateWithOld
        /// Open a transaction around the store.
        case announced
    }

    @usableFromInline let form: Form
    /// Whether an observer in the property's own list asks for the new value.
    @usableFromInline let wantsNew: Bool
    @usableFromInline let slot: Int32
    /// The list of the slot, which stays at its address as long as the object lives. Nil for `silent`.
    @usableFromInline let pointer: UnsafeMutableRawPointer?

    @inline(__always)
    init(_ form: Form, _ slot: Int, _ list: InPlace<ObserverList>? = nil, wantsNew: Bool = false) {
        self.form = form
        self.wantsNew = wantsNew
        self.slot = Int32(truncatingIfNeeded: slot)
        pointer = list.map { UnsafeMutableRawPointer($0.pointer) }
    }

    @inline(__always)
    var list: InPlace<ObserverList> { InPlace(pointer!.assumingMemoryBound(to: ObserverList.self)) }
}

extension TrackedObject {
    /// What a write to the storage at an address in this object has to do. The object is observed.
    @usableFromInline
    final func ticket(forWriteTo storageAddress: UnsafeRawPointer) -> WriteTicket {
        findTicket(forWriteTo: storageAddress).ticket
    }

    /// The ticket, and where it is not `silent` the object's record and this thread's state.
    @inline(__always)
    private final func findTicket(
        forWriteTo storageAddress: UnsafeRawPointer
    ) -> (ticket: WriteTicket, record: Borrowed<ObjectRecord>?, thread: InPlace<ThreadContext>?) {
        let address = UnsafeRawPointer(Borrowed.to(self).address)
        let pointer = UnsafeRawPointer(bitPattern: stateWord.load(ordering: .acquiring) & ~1)
        guard let pointer else { return (WriteTicket(.silent, -1), nil, nil) }
        let record = Borrowed<ObjectRecord>.at(pointer)
        let layout = record.use { $0.layout.unsafelyUnwrapped }
        let slot = layout.value.slot(atOffset: storageAddress - address)
        guard slot >= 0, let list = record.use({ $0.list(slot) }) else {
            return (WriteTicket(.silent, slot), nil, nil)
        }
        var interest = list.value.interest.load(ordering: .acquiring)
        if interest.isEmpty || layout.value[slot].isSilent || csr_is_deinitializing(address) {
            return (WriteTicket(.silent, slot), nil, nil)
        }
        let thread = ThreadContext.current
        if thread.value.firstPending != nil {
            record.use { Transaction.completeDeliveries(before: $0, slot, thread) }
            // Handlers were called, which may have added and removed observers.
            interest = list.value.interest.load(ordering: .acquiring)
        }
        let form: WriteTicket.Form
        // Inside an announced change of the same property, or of one that leads to the same observers, the outer one notifies.
        if !thread.value.openTransactions.isEmpty || !interest.isDisjoint(with: .beyondOwnList) {
            form = .announced
        } else {
            form = interest.contains(.old) ? .immediateWithOld : .immediate
        }
        return (WriteTicket(form, slot, list, wantsNew: interest.contains(.new)), record, thread)
    }

    /// Writes a property, and notifies: nearly all changes come here. The object is observed; the pointers are to values of
    /// the type.
    ///
    /// - Parameters:
    ///   - place: The address of the property's storage, if the class has a property there.
    ///   - old: The address at which `store` leaves the old value.
    /// - Returns: False if there is no such property, and then nothing was done.
    @usableFromInline
    final func write(
        to storageAddress: UnsafeRawPointer, _ type: Any.Type, old: UnsafeRawPointer, new: UnsafeRawPointer,
        _ store: () -> Void
    ) -> Bool {
        let (ticket, record, thread) = findTicket(forWriteTo: storageAddress)
        switch ticket.form {
        case .silent:
            guard ticket.slot >= 0 else { return false }
            store()
        case .immediate, .immediateWithOld:
            store()
            notify(ticket, record.unsafelyUnwrapped, type, old: old, new: new, thread.unsafelyUnwrapped)
        case .announced:
            record.unsafelyUnwrapped.use {
                Transaction.perform(
                    self, $0, Int(ticket.slot), values: Transaction.KnownValues(type: type, old: old, new: new),
                    thread.unsafelyUnwrapped,
                    store)
            }
        }
        return true
    }

    /// Notifies of a property that was changed in place. The pointers are to values of the type.
    @usableFromInline
    final func didWrite(_ ticket: WriteTicket, _ type: Any.Type, old: UnsafeRawPointer?, new: UnsafeRawPointer?) {
        withRecord { notify(ticket, Borrowed.to($0), type, old: old, new: new, ThreadContext.current) }
    }

    /// The transaction of one subject: no path goes through the property, and no observer asks for a prior call.
    @inline(__always)
    private final func notify(
        _ ticket: WriteTicket, _ record: Borrowed<ObjectRecord>, _ type: Any.Type, old: UnsafeRawPointer?,
        new: UnsafeRawPointer?,
        _ thread: InPlace<ThreadContext>
    ) {
        TestPoint.written.reach()
        let interest = ticket.list.value.interest.load(ordering: .acquiring)
        guard interest.isDisjoint(with: .beyondOwnList) else {
            return didWrite(ticket, ChangeEvent(ofWrite: type, old, new))
        }
        let notification = thread.value.takeNotification()
        notification.use { notification in
            record.use {
                notification.traverse($0, ticket.list, thread, ChangeEvent(ofWrite: type, old, new))
            }
        }
        thread.giveBack(notification)
    }

    /// Another thread has added an observer, since the ticket was made, for which the change would have been announced.
    @inline(never)
    private final func didWrite(_ ticket: WriteTicket, _ event: ChangeEvent) {
        withRecord { Transaction.didChange($0, Int(ticket.slot), values: event, excluding: .oldDistinctOrPrior) }
    }

    @usableFromInline
    final func beginWrite(_ ticket: WriteTicket) {
        Transaction.begin(self, Int(ticket.slot))
    }

    @usableFromInline
    final func endWrite(_ ticket: WriteTicket) {
        Transaction.end(self, Int(ticket.slot))
    }

    /// The record of an object that has one and whose deinit has not begun.
    @inline(__always)
    private final func withRecord(_ body: (ObjectRecord) -> Void) {
        let pointer = UnsafeRawPointer(bitPattern: stateWord.load(ordering: .acquiring) & ~1)!
        Borrowed<ObjectRecord>.at(pointer).use(body)
    }
}

extension ChangeEvent {
    /// The event of a write that was not announced. Skips observers that were added after the value they need was discarded.
    @inline(__always)
    fileprivate init(ofWrite type: Any.Type, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?) {
        var excluded: ObservingOptions = []
        if old == nil { excluded.formUnion(.oldOrDistinct) }
        if new == nil { excluded.formUnion(.newOrDistinct) }
        self.init(excluded: excluded, type: type, old: old, new: new)
    }
}
