/// A write of a property whose observers have to be notified, as found before the store. Trivial, so that it costs nothing to pass.
@usableFromInline struct ObservedWrite {
    /// The list of the slot, which stays at its address as long as the object lives.
    fileprivate let list: InPlace<ObserverList>
    fileprivate let slot: Int32
    /// Whether a transaction has to be open around the store. If not, the observers are called after it.
    fileprivate let isAnnounced: Bool
    /// Whether the caller has to supply the old and the new value.
    @usableFromInline let needsOld: Bool
    @usableFromInline let needsNew: Bool
    /// Whether it concerns the property's own list alone.
    fileprivate let isOfOwnList: Bool
    /// Whether a change in place is part of a change of the property that is open.
    fileprivate var isInner = false

    /// The context of the thread that found it. An edit may end on another one: an `inout` argument lasts over an `await`.
    fileprivate let thread: InPlace<ThreadContext>

    /// Nil if nobody has to be notified. Deliveries that the write must not overtake are completed.
    @inline(__always) fileprivate init?(
        to object: TrackedObject, _ record: Borrowed<ObjectRecord>, _ slot: Int, _ layout: InPlace<SlotLayout>,
        isOverridden: Bool = false
    ) {
        guard let list = record.use({ $0.list(slot) }), !layout.value[slot].isSilent, !object.isDeinitializing else {
            return nil
        }
        var interest = list.value.interest.load(ordering: .acquiring)
        thread = ThreadContext.current
        // Where nobody observes any more, the second one of two edits may be pending.
        if !thread.value.pending.isEmpty, !interest.isEmpty || thread.value.twoEdits != nil {
            record.use { [thread] in Transaction.completeDeliveries(before: $0, slot, thread) }
            // Handlers were called, which may have added and removed observers.
            interest = list.value.interest.load(ordering: .acquiring)
        }
        if interest.isEmpty { return nil }
        self.list = list
        self.slot = Int32(truncatingIfNeeded: slot)
        // Inside an announced change of the same property, or of one that leads to the same observers, the outer one notifies. If one is open
        // elsewhere, it gets what this one tells.
        isAnnounced =
            isOverridden || thread.value.holdsChanges || !interest.isDisjoint(with: .beyondOwnList) || list.value.isOpen
        isOfOwnList = !isOverridden && interest.isDisjoint(with: .beyondOwnList)
        needsOld = !isAnnounced && interest.contains(.old)
        needsNew = !isAnnounced && interest.contains(.new)
    }
}

extension TrackedObject {
    /// Writes a property, and notifies: nearly all changes come here. The object is observed.
    ///
    /// - Parameter offset: Where the property's storage is, if the class has a property there.
    /// - Returns: False if there is no such property, or a subclass may override its getter, and then nothing was done.
    @usableFromInline final func write(atOffset offset: Int, _ values: ValuePointers, _ store: () -> Void) -> Bool {
        guard let (record, slot, layout) = property(atOffset: offset) else { return false }
        checkWrite(of: slot)
        let visit = TransactionsOfTasks.visit()
        defer { TransactionsOfTasks.leave(visit) }
        guard let write = ObservedWrite(to: self, record, slot, layout) else {
            store()
            return true
        }
        if let coalescing = write.thread.value.coalescing, write.isOfOwnList,
            write.thread.value.openTransactions.isEmpty,
            coalescing.use({ $0.holdsAllObservers(of: write.list, record) })
        {
            // The `coalescingChanges` under way notifies of it.
            store()
        } else if write.isAnnounced {
            Transaction.begin(self, slot, values: values)
            store()
            Transaction.end(self, slot)
        } else {
            store()
            notify(write, record, ChangeEvent(type: values.type, old: values.old, new: values.new), write.thread)
        }
        return true
    }

    /// Writes a property in a transaction. Of one whose getter a subclass may override `write` cannot have the values, since what it
    /// reads need not be what its storage holds.
    ///
    /// - Parameter getter: Makes what reads the property, if the caller can name it.
    @usableFromInline
    final func announcingWrite(atOffset offset: Int, getter: () -> PropertyGetter?, _ store: () -> Void) {
        let slot = slot(atOffset: offset)
        if let slot, property(atOffset: offset) == nil { findGetter(of: slot, getter) }
        announcing(slot, store)
    }

    /// Begins a change in place of the property whose storage is at an offset. Nil if nobody has to be notified.
    ///
    /// - Parameter getter: As for `announcingWrite`.
    @usableFromInline final func beginEdit(atOffset offset: Int, getter: () -> PropertyGetter?) -> ObservedWrite? {
        if isRecording, let slot = slot(atOffset: offset) { checkWrite(of: slot) }
        let visit = TransactionsOfTasks.visit()
        defer { TransactionsOfTasks.leave(visit) }
        let isStored = property(atOffset: offset) != nil
        guard let slot = slot(atOffset: offset), let record = unmanagedRecord, let layout = record.use({ $0.layout })
        else { return nil }
        if !isStored { findGetter(of: slot, getter) }
        guard var write = ObservedWrite(to: self, record, slot, layout, isOverridden: !isStored) else { return nil }
        if write.isAnnounced { write.isInner = Transaction.beginInPlace(self, slot, write.thread) }
        return write
    }

    /// Ends a change in place, and notifies.
    @usableFromInline final func endEdit(_ write: ObservedWrite, _ values: ValuePointers) {
        guard let record = unmanagedRecord else { return }
        let visit = TransactionsOfTasks.visit()
        defer { TransactionsOfTasks.leave(visit) }
        if write.isAnnounced {
            record.use { Transaction.endInPlace(self, $0, Int(write.slot), isInner: write.isInner) }
        } else {
            endUnannouncedEdit(write, record, values)
        }
    }

    /// Not inlined: its variables would take room on the stack of all handlers that make changes inside of changes.
    @inline(never) private final func endUnannouncedEdit(
        _ write: ObservedWrite, _ record: Borrowed<ObjectRecord>, _ values: ValuePointers
    ) {
        // Skips observers that were added after the value they need was discarded.
        var excluded: ObservingOptions = []
        if values.old == nil { excluded.formUnion(.oldOrDistinct) }
        if values.new == nil { excluded.formUnion(.newOrDistinct) }
        notify(
            write, record, ChangeEvent(excluded: excluded, type: values.type, old: values.old, new: values.new),
            ThreadContext.current)
    }

    /// Makes a change in a transaction, if somebody has to be notified of it.
    ///
    /// - Parameters:
    ///   - slot: The slot of the property; nil if it has none, or announces the change by itself.
    @usableFromInline func announcing<Result, Failure: Error>(
        _ slot: Int?, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard isAnnounced(slot) else {
            if let slot { checkWrite(of: slot) }
            return try body()
        }
        return try inTransaction(slot!, body)
    }

    /// Makes a change of a property in a transaction.
    final func inTransaction<Result, Failure: Error>(
        _ slot: Int, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Values that read the object through a weak property are computed at its death, not before.
        if isDeinitializing { return try body() }
        Transaction.begin(self, slot)
        defer { Transaction.end(self, slot) }
        return try body()
    }

    /// Whether somebody has to be notified of a change of a property. Deliveries that it must not overtake are completed.
    @usableFromInline final func isAnnounced(_ slot: Int?) -> Bool {
        guard isObserved, let slot, let record = unmanagedRecord, let layout = record.use({ $0.layout }) else {
            return false
        }
        return ObservedWrite(to: self, record, slot, layout) != nil
    }

    /// Completes the deliveries that a write of a property must not overtake.
    final func completeDeliveries(beforeWriteOf slot: Int?) { _ = isAnnounced(slot) }

    /// Makes an edit of a collection, and announces it if somebody has to be notified.
    ///
    /// What is edited is looked at as late as possible: behind the deliveries that the edit completes, and a second time if a prior call
    /// has changed the collection.
    ///
    /// - Parameters:
    ///   - editedSlot: The slot of the property; nil if it has none yet.
    ///   - plan: Decides what to edit. It may be user code. False if there is nothing to do.
    ///   - isPlanned: Whether the collection is the one that the plan was made for.
    ///   - isMade: Whether the collection is, behind the edit, what the plan makes of it. If not, observers get the whole values. Nil for one
    ///     that is edited in place.
    ///   - stored: Called behind the store, when no observer has been notified.
    ///   - change: What the plan is, for the observers; nil if they get the whole value.
    ///   - store: Makes the edit.
    /// - Returns: What `store` returns; nil if there is nothing to do.
    @usableFromInline final func edit<Result, Failure: Error>(
        _ editedSlot: @autoclosure () -> Int?, plan: () throws(Failure) -> Bool, isPlanned: () -> Bool,
        isMade: (() -> Bool)? = nil, stored: () -> Void, _ change: () -> CollectionChange?, _ store: () -> Result
    ) throws(Failure) -> Result? {
        var (slot, isAnnounced) = (editedSlot(), false)
        /// Plans until the functions of the plan leave the collection as they found it.
        func isNeeded() throws(Failure) -> Bool {
            var round = 1
            while true {
                requireSettled(round)
                round += 1
                _ = self.isAnnounced(slot)
                let isNeeded = try plan()
                // The plan's own functions may have made somebody observe it.
                slot = editedSlot()
                isAnnounced = self.isAnnounced(slot)
                if isPlanned() { return isNeeded }
            }
        }
        guard try isNeeded() else { return nil }
        guard isAnnounced, let slot else {
            if let slot { checkWrite(of: slot) }
            defer { stored() }
            return store()
        }
        let edit = change()
        let isPlain = isMade == nil && !unmanagedRecord!.use { $0.layout!.value[slot].isOverridden }
        let isBegun = Transaction.begin(self, slot, edit, isPlain: isPlain)
        let isMade = edit.flatMap { _ in isMade ?? isStillStored(slot) }
        if isMade != nil { Transaction.forEachSubject(of: self, slot) { $0.keepOldCollection() } }
        // A handler of a prior call that ends its own observation may change it without anybody who observes, and so may getters.
        let isUntouched = isBegun && isPlanned()
        if !isUntouched { Transaction.forEachSubject(of: self, slot) { $0.includeFurtherChange() } }
        let told = isUntouched ? edit : nil
        defer { if isPlain { Transaction.end(self, slot, told) } else { Transaction.endComputed(self, slot, told) } }
        if !isUntouched, try !isNeeded() { return nil }
        defer {
            if told != nil, let isMade, !isMade() {
                Transaction.forEachSubject(of: self, slot) { $0.reportAsSetting() }
            }
            stored()
        }
        return store()
    }

    /// - Parameter round: How often the closure of an edit is being called: each time before something has changed the collection.
    @usableFromInline final func requireSettled(_ round: Int) {
        requireUsage(
            round <= 100, "A collection of \(type(of: self)) was changed each of 100 times that an edit's closure ran.")
    }

    /// Stores an equal value, which is not the same in all respects.
    @usableFromInline final func storeEqual(atOffset offset: Int, _ store: () -> Void) {
        guard !isDeinitializing, let record, let slot = slot(atOffset: offset), !record.layout!.value[slot].isSilent,
            let interest = record.list(slot)?.value.interest.load(ordering: .acquiring)
        else { return store() }
        let key = record.schema!.keys[slot]
        let isOverridden = key.isOverridden
        // What the getter of an override makes of it may be another value; not if it returns what is stored.
        let concernsOwn = isOverridden && !key.readsStoredCollection(of: self)
        if !concernsOwn, interest.isDisjoint(with: .beyondOwnList) { return store() }
        Transaction.begin(self, slot, isPlain: !isOverridden, equal: concernsOwn ? .toOwnToo : .toOthers)
        store()
        if isOverridden { Transaction.endComputed(self, slot) } else { Transaction.end(self, slot) }
    }

    /// Whether a property still reads what is stored, asked behind an edit: an override's getter that does need not do so then. Nil for a
    /// property of which no getter is overridden, or that does not read what is stored.
    private final func isStillStored(_ slot: Int) -> (() -> Bool)? {
        guard let key = record?.schema?.keys[slot], key.isOverridden, key.readsStoredCollection(of: self) else {
            return nil
        }
        return { key.readsStoredCollection(of: self) }
    }

    /// Whether an edit of what is stored at an offset is an edit of the property: not of one whose getter a subclass overrides, unless that
    /// returns what is stored.
    @usableFromInline final func isStoredCollection(atOffset offset: Int) -> Bool {
        if property(atOffset: offset) != nil { return true }
        return slot(atOffset: offset).flatMap { record?.schema?.keys[$0] }?.readsStoredCollection(of: self) ?? false
    }

    /// The property whose storage is at an offset, if its value is what that holds.
    @inline(__always) private final func property(
        atOffset offset: Int
    ) -> (record: Borrowed<ObjectRecord>, slot: Int, layout: InPlace<SlotLayout>)? {
        guard let record = unmanagedRecord, let layout = record.use({ $0.layout }) else { return nil }
        let slot = layout.value.storedSlot(atOffset: offset)
        return slot < 0 ? nil : (record, slot, layout)
    }

    /// The transaction of one subject: no path goes through the property, and no observer asks for a prior call.
    @inline(__always) private final func notify(
        _ write: ObservedWrite, _ record: Borrowed<ObjectRecord>, _ event: @autoclosure () -> ChangeEvent,
        _ thread: InPlace<ThreadContext>
    ) {
        TestPoint.written.reach()
        let interest = write.list.value.interest.load(ordering: .acquiring)
        guard interest.isDisjoint(with: .beyondOwnList) else { return notifyAll(write, event()) }
        let subject = thread.value.takeSubject()
        subject.use { subject in
            record.use { subject.run($0, Int(write.slot), write.list, thread) { subject.event = event() } }
        }
        thread.giveBack(subject)
    }

    /// Another thread has added an observer, since the write began, for which a transaction would have been open.
    @inline(never) private final func notifyAll(_ write: ObservedWrite, _ event: ChangeEvent) {
        guard let record else { return }
        Transaction.didChange([(record, Int(write.slot))], values: event, excluding: .oldDistinctOrPrior)
    }
}
