/// The end of a change: follow, notify.
extension Transaction {
    /// A property has changed.
    ///
    /// - Parameter edit: What the collection's own edit did between this and its `begin`; nil if something else may have changed it.
    /// - Returns: False if no change of the property had begun on this thread.
    @discardableResult static func end(_ object: TrackedObject, _ slot: Int, _ edit: CollectionChange? = nil) -> Bool {
        let thread = ThreadContext.current
        let visit = TransactionsOfTasks.visit()
        defer { TransactionsOfTasks.leave(visit) }
        guard let ended = close(object, slot, edit, thread) else { return false }
        ended?.use { $0.deliver(thread) }
        return true
    }

    /// The same of a key that a getter may compute: from what nothing tells of, too, so what is kept of it is outdated.
    @discardableResult
    static func endComputed(_ object: TrackedObject, _ slot: Int, _ edit: CollectionChange? = nil) -> Bool {
        let thread = ThreadContext.current
        if let open = thread.value.openTransaction(ObjectIdentifier(object), slot), open.use({ $0.mayEnd }),
            let record = object.record
        {
            // As in `end`: what has been moved to it has its old value before anything is marked.
            if open.use({ $0.moves != PathLink.moves }) { open.object.addMoved(isMarked: false, thread) }
            markComputed(record, slot, thread)
        }
        return end(object, slot, edit)
    }

    /// - Returns: The transaction, unless it goes on; nil if there is none.
    ///
    /// Not inlined, and neither are the functions that notify: without optimization each takes 1 KB of the stack, which handlers that make
    /// changes inside of changes would keep.
    @inline(never)
    private static func close(
        _ object: TrackedObject, _ slot: Int, _ edit: CollectionChange?, _ thread: InPlace<ThreadContext>
    ) -> Borrowed<Transaction>?? {
        // One in a prior call of the change that is beginning has no begin.
        guard let open = thread.value.openTransaction(ObjectIdentifier(object), slot), open.use({ $0.mayEnd }) else {
            return nil
        }
        open.use { $0.followings += 1 }
        // Following may compute what has been moved to the property, and its value from before is the old one.
        if open.use({ $0.moves != PathLink.moves }) { open.object.addMoved(isMarked: false, thread) }
        // Following reads objects, which is user code and may begin and end changes itself.
        object.unmanagedRecord?.use { follow($0, slot, edit) }
        guard let transaction = thread.value.openTransaction(ObjectIdentifier(object), slot),
            transaction.use({ $0.mayEnd && !$0.endInner() })
        else { return .some(nil) }
        transaction.use { $0.close(thread) }
        return transaction
    }

    @inline(never)
    private func close(_ thread: InPlace<ThreadContext>) {
        if moves != PathLink.moves { addMoved(isMarked: true, thread) }
        thread.value.openTransactions.remove(self)
        countOut()
        settle(thread)
        thread.value.checkInvariants()
    }

    /// Adds what has been moved to the property, which is stored already.
    @inline(never)
    private func addMoved(isMarked: Bool, _ thread: InPlace<ThreadContext>) {
        let count = subjects.count
        addMovedSubjects(thread)
        subjects[count...].map(\.object).filter(isOpener).forEach { $0.missOld(isMarked: isMarked) }
    }

    /// Counts this change out of its subjects, and keeps those that it is to deliver. Other threads know of these until their events are made.
    func countOut() {
        var areHeld = false
        forEachSubject {
            ($0.openCount, $0.isDue) = ($0.openCount - 1, true)
            if isOpener(of: $0) { $0.opener = nil }
            if $0.openCount > 0 { areHeld = true }
        }
        if areHeld {
            subjects.removeAll { $0.object.openCount > 0 }
            forgetPlaces()
        }
    }

    @inline(never)
    private func deliver(_ thread: InPlace<ThreadContext>) {
        if !subjects.isEmpty { Transaction.forgetWalks(thread) }
        if subjects.count == 1, !mayOvertake {
            notify(subjects[0], thread)
        } else if !subjects.isEmpty {
            let older = mayOvertake ? thread.value.pending(of: topics) : []
            notify(subjects, isPrior: false, after: older, thread)
        }
        giveBack(thread)
    }

    private func giveBack(_ thread: InPlace<ThreadContext>) {
        while let subject = subjects.popLast() { thread.giveBack(subject) }
        thread.value.giveBack(.to(self))
    }

    /// Drops the change without notifying, because the object or the thread ends. What waited for it, because other objects' changes concern
    /// it too, is delivered if it is the object; so is what others compute from it, which may refer to it weakly.
    func drop(_ thread: InPlace<ThreadContext>, threadEnds: Bool = false) {
        thread.value.openTransactions.remove(self)
        var others = Set(subjects.filter { threadEnds || !$0.object.isDueWithoutChange })
        countOut()
        others.formIntersection(subjects)
        if subjects.contains(where: { !others.contains($0) }) {
            Transaction.forgetWalks(thread)
            settle(thread)
        }
        // What has joined it meanwhile is delivered, too.
        for subject in subjects.filter(others.contains).map(\.object) {
            let root = subject.root
            extendLifetime(root.lock.withLock { subject.becomeUnknown(root) })
        }
        let notified = subjects.filter { !others.contains($0) }
        if !notified.isEmpty { notify(notified, isPrior: false, thread) }
        handOnMarked(thread)
        let all = thread.value.marked
        thread.value.marked = all.filter { !$0.route.root.isDeinitializing && $0.route.expression!.liveRoute != nil }
        giveBack(thread)
        extendLifetime(all)
    }

    /// The outermost `coalescingChanges` of a thread ends.
    static func endCoalescing(_ thread: InPlace<ThreadContext>) {
        let visit = TransactionsOfTasks.visit()
        defer { TransactionsOfTasks.leave(visit) }
        let transaction = thread.value.coalescing.take()!.object
        transaction.forEachSubject { $0.isCoalesced = false }
        transaction.countOut()
        transaction.settle(thread)
        // A change that has ended inside may have begun before.
        transaction.mayOvertake = !thread.value.pending.isEmpty
        TestPoint.coalesced.reach()
        if transaction.isOfSeveral { transaction.rankByHeight() }
        if transaction.subjects.count > 1 { transaction.sort(from: 0, thread) }
        transaction.deliver(thread)
    }

    /// Properties have changed at once, without a `begin`: the object that weak properties refer to has died, or an observer was added
    /// while a property was being stored.
    ///
    /// - Parameters:
    ///   - values: The values of the one property, if the caller has them. Without them there are no old values.
    ///   - excluded: Observers with one of these options are not called, since the values they need were not kept.
    @inline(never)
    static func didChange(
        _ changed: [(record: ObjectRecord, slot: Int)], values: ChangeEvent? = nil,
        excluding excluded: ObservingOptions = []
    ) {
        let thread = ThreadContext.current
        let visit = TransactionsOfTasks.visit()
        defer { TransactionsOfTasks.leave(visit) }
        thread.dropDeadTransactions()
        // What has changed already must be known before handlers of older changes are called: they may move paths away from it.
        let older = changed.flatMap { olderDeliveries(of: $0.record, $0.slot, thread) }
        let transaction = thread.value.takeTransaction().object
        for (record, slot) in changed {
            transaction.findSubjects(of: record, slot, excluding: excluded, thread)
        }
        // What is derived from several of them comes behind what is derived from each.
        if changed.count > 1, transaction.subjects.count > 1 {
            transaction.rankByHeight()
            transaction.sort(from: 0, thread)
        }
        // User code runs before their observers are called.
        transaction.forEachSubject { if !$0.isOwn { $0.becomeKnown() } }
        transaction.includeFurtherChangeOfShared(thread)
        transaction.forEachSubject { $0.missOld() }
        for (record, slot) in changed { follow(record, slot) }
        transaction.countOut()
        transaction.settle(thread)
        transaction.forEachSubject {
            // A path that has come to the property since its change began has no old value.
            guard let values, $0.isOwn, $0.route == nil else { return }
            // The new value was not kept if nobody asked for it then.
            if values.new != nil || !$0.wantsNew { $0.setValues(values.type, values.old, values.new) }
            $0.event.excluded = values.excluded.union(excluded.intersection(.prior))
        }
        transaction.notify(transaction.subjects, isPrior: false, after: older, thread)
        transaction.giveBack(thread)
    }

    /// Moves the links of paths that lead on from a property, or from a key derived from it, to the objects that are behind it now.
    static func follow(_ record: ObjectRecord, _ slot: Int, _ edit: CollectionChange? = nil) {
        if record.layout!.value[slot].isWeak { record.updateWatch(of: slot, didChange: true) }
        guard record.list(slot)?.value.interest.load(ordering: .acquiring).contains(.inner) ?? false else { return }
        // What is changed inside of this is not part of the edit.
        let open = edit == nil ? nil : ThreadContext.current.value.openTransaction(record.target, slot)?.object
        // Where a path has been moved that a key is affected by, another thread may meanwhile have relied on where it led before: have computed
        // what reads the key, or linked what is behind it. So that is marked and followed once more: a few times, since a getter may return
        // another object each time.
        for pass in 0..<3 {
            var hasMoved = false
            markReaders(of: record, slot, ThreadContext.current) { link in
                var isOwn: Bool { link.record === record && link.slot == slot }
                if pass > 0 {
                    // What has been added to the property itself has found what is stored.
                    if !isOwn, link.chain.correct(behind: link), link.observation == nil { hasMoved = true }
                    return
                }
                if link.observation == nil { hasMoved = true }
                if let edit, isOwn, open?.isOverlapped != true, link.chain.follow(edit, of: link) { return }
                link.chain.relink(from: link.level + 1)
            }
            if !hasMoved { return }
        }
    }

    // MARK: Notify

    /// Reads all values, then calls the handlers.
    ///
    /// - Parameter older: Deliveries to complete before. These subjects are pending then, so that a change that one of their
    ///   handlers makes comes after them.
    func notify(
        _ subjects: [Borrowed<Subject>], isPrior: Bool, after older: [Subject] = [], _ thread: InPlace<ThreadContext>
    ) {
        let outer = startDelivering(thread)
        notifyAll(subjects, isPrior, older, thread)
        thread.value.delivering = outer
    }

    /// - Returns: What is to be `delivering` again behind it.
    @inline(__always)
    func startDelivering(_ thread: InPlace<ThreadContext>) -> Borrowed<Transaction>? {
        let outer = thread.value.delivering
        if !(outer?.use { $0.isCoalescing } ?? false) { thread.value.delivering = .to(self) }
        return outer
    }

    /// The same of one subject, where nothing is to be completed before: of most changes.
    private func notify(_ subject: Borrowed<Subject>, _ thread: InPlace<ThreadContext>) {
        let outer = startDelivering(thread)
        subject.use {
            $0.makeEvent(isPrior: false)
            $0.tellElsewhere(self)
            $0.deliver(thread)
            $0.isStarted = false
        }
        thread.value.delivering = outer
    }

    @inline(never)
    private func notifyAll(
        _ subjects: [Borrowed<Subject>], _ isPrior: Bool, _ older: [Subject], _ thread: InPlace<ThreadContext>
    ) {
        for subject in subjects { subject.use { $0.makeEvent(isPrior: isPrior) } }
        if !isPrior { for subject in subjects { subject.use { $0.tellElsewhere(self) } } }
        let parts = subjects.count < 2 ? [] : Transaction.makeParts(of: subjects, isPrior: isPrior)
        let told = parts.isEmpty ? subjects : Transaction.separated(subjects, parts)
        let delivery = told.count < 2 ? 0 : thread.value.makeToken()
        // The subjects that may have paths whose handlers ignore the change know of each other's calls.
        var calls: CallsOfChange?
        for subject in told {
            subject.use {
                if $0.route?.use({ $0.ignoresChange }) ?? $0.list?.value.hasParts ?? false {
                    if calls == nil { calls = CallsOfChange(told) }
                    $0.calls = calls
                }
                $0.event.delivery = delivery
                thread.value.appendPending($0)
            }
        }
        Transaction.complete(older, thread)
        for subject in told { subject.use { $0.deliver(thread) } }
        for subject in told {
            subject.use {
                $0.isStarted = false
                if $0.calls != nil { $0.calls = nil }
            }
        }
        for part in parts {
            part.source!.separated = []
            part.clear()
        }
    }
}
