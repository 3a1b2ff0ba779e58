/// The end of a change: follow, notify.
extension Transaction {
    /// A property has changed.
    ///
    /// - Parameter edit: What the collection's own edit did between this and its `begin`; nil if something else may have changed it.
    /// - Returns: False if no change of the property had begun on this thread.
    @discardableResult
    static func end(_ object: TrackedObject, _ slot: Int, _ edit: CollectionChange? = nil) -> Bool {
        let thread = ThreadContext.current
        let visit = TransactionsOfTasks.visit()
        defer { TransactionsOfTasks.leave(visit) }
        guard let chain = finish(object, slot, edit, thread) else { return false }
        deliver(chain, thread)
        return true
    }

    /// Ends a change.
    ///
    /// Not inlined, and neither is `deliver`: without optimization this takes 1.5 KB of the stack, which handlers that make changes inside
    /// of changes would keep.
    ///
    /// - Returns: What to notify of, nothing if the change goes on; nil if none had begun.
    @inline(never)
    private static func finish(
        _ object: TrackedObject, _ slot: Int, _ edit: CollectionChange?, _ thread: InPlace<ThreadContext>
    ) -> NotificationChain? {
        let target = ObjectIdentifier(object)
        guard let open = thread.value.openTransaction(target, slot) else { return nil }
        let isSure = thread.value.openTransactions[open].depth > 0 || !thread.value.openTransactions[open].hasInner
        // Following reads objects, which is user code and may begin and end changes itself.
        if let record = object.record { follow(record, slot, isSure ? edit : nil) }
        guard let index = thread.value.openTransaction(target, slot) else { return NotificationChain() }
        if thread.value.openTransactions[index].depth > 0 {
            thread.value.openTransactions[index].depth -= 1
            return NotificationChain()
        }
        // An end without a begin, in a prior call of the change that is beginning.
        if thread.value.openTransactions[index].isPreparing { return nil }
        var transaction = thread.value.removeTransaction(at: index)
        transaction.close(thread)
        #if DEBUG
            thread.value.checkInvariants()
        #endif
        if transaction.moves != PathLink.moves {
            if let record = object.record { addMovedSubjects(of: record, slot, to: &transaction.chain, thread) }
            joinMovedPaths(thread)
        }
        let moves = PathLink.moves
        refreshMarked(thread)
        if moves != PathLink.moves { joinMovedPaths(thread) }
        return transaction.chain
    }

    @inline(never)
    private static func deliver(_ chain: NotificationChain, _ thread: InPlace<ThreadContext>) {
        if chain.first == nil { return }
        var chain = chain
        notify(&chain, isPrior: false, thread)
        thread.giveBack(chain)
    }

    /// Leaves in the chain the notifications that no other open transaction shares, and gives the others to those.
    mutating func close(_ thread: InPlace<ThreadContext>) {
        joined.forEachRemoving { chain.append($0) }
        joined = NotificationChain()
        let isAlone = shared.isEmpty && thread.value.openTransactions.isEmpty
        if isAlone { return }
        var ready = NotificationChain()
        var cursor = chain.first
        while let notification = cursor {
            notification.use {
                cursor = $0.next
                $0.openCount -= 1
                if $0.openCount == 0 {
                    ready.append(notification)
                } else {
                    $0.isDue = true
                    thread.value.handOver(notification)
                }
            }
        }
        chain = ready
        for notification in shared {
            notification.use {
                $0.openCount -= 1
                $0.isDue = true
            }
        }
        shared = []
    }

    mutating func takeOver(_ notification: Borrowed<PendingNotification>) -> Bool {
        guard let index = shared.firstIndex(where: { $0.address == notification.address }) else { return false }
        shared.remove(at: index)
        joined.append(notification)
        return true
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
        var older: [Borrowed<PendingNotification>] = []
        var chain = NotificationChain()
        for (record, slot) in changed {
            older += deliveriesUnderWay(of: record, slot, thread).filter { !older.contains($0) }
            var transaction = Transaction(record, slot)
            transaction.findSubjects(of: record, nil, excluding: excluded, isTargetHeld: true, thread)
            for notification in transaction.shared {
                notification.use {
                    ($0.openCount, $0.isDue) = ($0.openCount - 1, true)
                    $0.readKeptValue()
                }
            }
            chain.append(subjects: transaction.chain, thread)
        }
        if changed.count > 1 { chain.sort() }
        chain.readKeptValues()
        for (record, slot) in changed { follow(record, slot) }
        refreshMarked(thread)
        if let values {
            chain.forEach {
                guard $0.isOwn else { return }
                $0.setValues(values.type, values.old, values.new)
                $0.event.excluded = values.excluded.union(excluded.intersection(.prior))
            }
        }
        notify(&chain, isPrior: false, after: older, thread)
        thread.giveBack(chain)
    }

    /// Moves the links of paths that lead on from a property, or from a key derived from it, to the objects that are behind it now.
    static func follow(_ record: ObjectRecord, _ slot: Int, _ edit: CollectionChange? = nil) {
        if record.layout!.value[slot].isWeak { record.updateWatch(of: slot, didChange: true) }
        guard let list = record.list(slot), list.value.interest.load(ordering: .acquiring).contains(.inner) else {
            return
        }
        markReaders(of: record, slot, ThreadContext.current) { link in
            if let edit, link.record === record, link.slot == slot, link.chain.follow(edit, of: link) { return }
            link.chain.relink(from: link.level + 1)
        }
    }

    /// Reads all values, then calls the handlers.
    ///
    /// - Parameter older: Deliveries to complete before. These notifications are pending then, so that a change that one of their
    ///   handlers makes comes after them.
    static func notify(
        _ chain: inout NotificationChain, isPrior: Bool, after older: [Borrowed<PendingNotification>] = [],
        _ thread: InPlace<ThreadContext>
    ) {
        if let first = chain.first, chain.isSingle, older.isEmpty {
            return first.use {
                $0.makeEvent(isPrior: isPrior)
                $0.deliver(thread)
                $0.isStarted = false
            }
        }
        chain.forEach { $0.makeEvent(isPrior: isPrior) }
        let hasSeparateParts = !chain.isSingle && chain.separateParts(isPrior: isPrior, thread)
        chain.rememberCalls()
        if !isPrior { chain.forEach { thread.value.appendPending($0) } }
        complete(older, thread)
        chain.forEach {
            if !isPrior || $0.needs.contains(.prior) { $0.deliver(thread) }
        }
        chain.forEach {
            if $0.isPending { thread.value.removePending($0) }
            $0.isStarted = false
            if $0.calls != nil { $0.calls = nil }
        }
        if hasSeparateParts { chain.removeParts(thread) }
    }
}

extension ThreadContext {
    /// Moves a notification of a transaction that ends to an open one that shares it.
    mutating func handOver(_ notification: Borrowed<PendingNotification>) {
        notification.use { $0.ownSubject() }
        for index in openTransactions.indices where openTransactions[index].takeOver(notification) { return }
        assertionFailure("An open notification that no transaction waits for.")
    }
}

extension PendingNotification {
    func setValues(_ type: Any.Type, _ old: UnsafeRawPointer?, _ new: UnsafeRawPointer?) {
        (event.type, event.old, event.new) = (type, old, new)
        isKnown = true
    }
}
