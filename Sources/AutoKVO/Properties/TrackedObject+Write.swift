/// A write of a property whose observers have to be notified, as found before the store. Trivial, so that it costs nothing to pass.
@usableFromInline
struct ObservedWrite {
    /// The list of the slot, which stays at its address as long as the object lives.
    fileprivate let list: InPlace<ObserverList>
    fileprivate let slot: Int32
    /// Whether a transaction has to be open around the store. If not, the observers are called after it.
    fileprivate let isAnnounced: Bool
    /// Whether the caller has to supply the old and the new value.
    @usableFromInline let needsOld: Bool
    @usableFromInline let needsNew: Bool

    /// The context of the thread that found it. An edit may end on another one: an `inout` argument lasts over an `await`.
    fileprivate let thread: InPlace<ThreadContext>

    /// Nil if nobody has to be notified. Deliveries that the write must not overtake are completed.
    @inline(__always)
    fileprivate init?(
        to object: TrackedObject, _ record: Borrowed<ObjectRecord>, _ slot: Int, _ layout: InPlace<SlotLayout>,
        isOverridden: Bool = false
    ) {
        guard let list = record.use({ $0.list(slot) }) else { return nil }
        var interest = list.value.interest.load(ordering: .acquiring)
        if interest.isEmpty || layout.value[slot].isSilent || object.isDeinitializing { return nil }
        thread = ThreadContext.current
        if thread.value.firstPending != nil {
            let thread = thread
            record.use { Transaction.completeDeliveries(before: $0, slot, thread) }
            // Handlers were called, which may have added and removed observers.
            interest = list.value.interest.load(ordering: .acquiring)
        }
        self.list = list
        self.slot = Int32(truncatingIfNeeded: slot)
        // Inside an announced change of the same property, or of one that leads to the same observers, the outer one notifies.
        isAnnounced =
            isOverridden || !thread.value.openTransactions.isEmpty || !interest.isDisjoint(with: .beyondOwnList)
        needsOld = !isAnnounced && interest.contains(.old)
        needsNew = !isAnnounced && interest.contains(.new)
    }
}

extension TrackedObject {
    /// Writes a property, and notifies: nearly all changes come here. The object is observed.
    ///
    /// - Parameter offset: Where the property's storage is, if the class has a property there.
    /// - Returns: False if there is no such property, or a subclass may override its getter, and then nothing was done.
    @usableFromInline
    final func write(atOffset offset: Int, _ values: ValuePointers, _ store: () -> Void) -> Bool {
        guard let (record, slot, layout) = property(atOffset: offset) else { return false }
        guard let write = ObservedWrite(to: self, record, slot, layout) else {
            store()
            return true
        }
        if write.isAnnounced {
            record.use { Transaction.perform(self, $0, slot, write.list, values: values, write.thread, store) }
        } else {
            store()
            notify(write, record, ChangeEvent(values), write.thread)
        }
        return true
    }

    /// Writes a property in a transaction. Of one whose getter a subclass may override `write` cannot have the values, since what it
    /// reads need not be what its storage holds.
    ///
    /// - Parameter getter: Makes what reads the property, if the caller can name it.
    @usableFromInline
    final func announcingWrite(atOffset offset: Int, getter: () -> ((AnyObject) -> Any)?, _ store: () -> Void) {
        if let (_, slot, _) = property(atOffset: offset) { return announcing(slot, nil, store) }
        let slot = slot(atOffset: offset)
        if let slot { keepGetter(of: slot, getter) }
        announcing(slot, nil, store)
    }

    /// Begins a change in place of the property whose storage is at an offset. Nil if nobody has to be notified.
    ///
    /// - Parameter getter: As for `announcingWrite`.
    @usableFromInline
    final func beginEdit(atOffset offset: Int, getter: () -> ((AnyObject) -> Any)?) -> ObservedWrite? {
        guard let (record, slot, layout) = property(atOffset: offset) else {
            return beginOverriddenEdit(atOffset: offset, getter)
        }
        guard let write = ObservedWrite(to: self, record, slot, layout) else { return nil }
        if write.isAnnounced { Transaction.begin(self, slot) }
        return write
    }

    @inline(never)
    private final func beginOverriddenEdit(
        atOffset offset: Int, _ getter: () -> ((AnyObject) -> Any)?
    ) -> ObservedWrite? {
        guard let slot = slot(atOffset: offset), let record = unmanagedRecord, let layout = record.use({ $0.layout })
        else { return nil }
        keepGetter(of: slot, getter)
        guard let write = ObservedWrite(to: self, record, slot, layout, isOverridden: true) else { return nil }
        Transaction.begin(self, slot)
        return write
    }

    /// Keeps the getter of a property that no schema names.
    private final func keepGetter(of slot: Int, _ getter: () -> ((AnyObject) -> Any)?) {
        guard let found = record?.schema?.keys[slot].declared.getter, found.read == nil, let read = getter() else {
            return
        }
        found.keep(read)
    }

    /// Ends a change in place, and notifies.
    @usableFromInline
    final func endEdit(_ write: ObservedWrite, _ values: ValuePointers) {
        guard let record = unmanagedRecord else { return }
        if write.isAnnounced {
            Transaction.end(self, Int(write.slot))
        } else {
            // Skips observers that were added after the value they need was discarded.
            var excluded: ObservingOptions = []
            if values.old == nil { excluded.formUnion(.oldOrDistinct) }
            if values.new == nil { excluded.formUnion(.newOrDistinct) }
            notify(write, record, ChangeEvent(values, excluded), ThreadContext.current)
        }
    }

    /// Makes a change in a transaction, if somebody has to be notified of it.
    ///
    /// - Parameters:
    ///   - slot: The slot of the property; nil if it has none, or announces the change by itself.
    ///   - edit: How a collection is edited; nil if the property is set.
    @usableFromInline
    func announcing<Result>(
        _ slot: Int?, _ edit: @autoclosure () -> CollectionChange? = nil, _ body: () throws -> Result
    ) rethrows -> Result {
        guard isObserved, let slot, let record = unmanagedRecord, let layout = record.use({ $0.layout }),
            ObservedWrite(to: self, record, slot, layout) != nil
        else { return try body() }
        return try inTransaction(slot, edit(), body)
    }

    /// Edits the collection whose storage is at an offset in a transaction, if somebody has to be notified. Where the property is not
    /// that collection, because a subclass overrides the getter, it is a change of the whole value.
    @usableFromInline
    final func announcing<Result>(
        storageAt offset: Int, _ edit: @autoclosure () -> CollectionChange, _ body: () throws -> Result
    ) rethrows -> Result {
        if let (_, slot, _) = property(atOffset: offset) { return try announcing(slot, edit(), body) }
        let slot = slot(atOffset: offset)
        let isStored = slot.flatMap { record?.schema?.keys[$0] }?.readsStoredCollection(of: self) ?? false
        return try announcing(slot, isStored ? edit() : nil, body)
    }

    /// The slot of the property whose storage is at an offset; nil if the object has no such property, or no record.
    @usableFromInline
    final func slot(atOffset offset: Int) -> Int? {
        guard let layout = unmanagedRecord?.use({ $0.layout }) else { return nil }
        let slot = layout.value.slot(atOffset: offset)
        return slot < 0 ? nil : slot
    }

    /// The property whose storage is at an offset, if its value is what that holds.
    @inline(__always)
    private final func property(
        atOffset offset: Int
    ) -> (record: Borrowed<ObjectRecord>, slot: Int, layout: InPlace<SlotLayout>)? {
        guard let record = unmanagedRecord, let layout = record.use({ $0.layout }) else { return nil }
        let slot = layout.value.storedSlot(atOffset: offset)
        return slot < 0 ? nil : (record, slot, layout)
    }

    /// The transaction of one subject: no path goes through the property, and no observer asks for a prior call.
    @inline(__always)
    private final func notify(
        _ write: ObservedWrite, _ record: Borrowed<ObjectRecord>, _ event: @autoclosure () -> ChangeEvent,
        _ thread: InPlace<ThreadContext>
    ) {
        TestPoint.written.reach()
        let interest = write.list.value.interest.load(ordering: .acquiring)
        guard interest.isDisjoint(with: .beyondOwnList) else { return notifyAll(write, event()) }
        let notification = thread.value.takeNotification()
        notification.use { notification in
            record.use { notification.traverse($0, write.list, thread) { notification.event = event() } }
        }
        thread.giveBack(notification)
    }

    /// Another thread has added an observer, since the write began, for which a transaction would have been open.
    @inline(never)
    private final func notifyAll(_ write: ObservedWrite, _ event: ChangeEvent) {
        guard let record else { return }
        Transaction.didChange(record, Int(write.slot), values: event, excluding: .oldDistinctOrPrior)
    }
}

extension TrackedObject {
    /// Makes a change of a property in a transaction.
    final func inTransaction<Result, Failure: Error>(
        _ slot: Int, _ edit: CollectionChange? = nil, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        Transaction.begin(self, slot, edit)
        defer { Transaction.end(self, slot) }
        return try body()
    }
}

extension ChangeEvent {
    /// The event of a write without a transaction.
    @inline(__always)
    fileprivate init(_ values: ValuePointers, _ excluded: ObservingOptions = []) {
        self.init(excluded: excluded, type: values.type, old: values.old, new: values.new)
    }
}
