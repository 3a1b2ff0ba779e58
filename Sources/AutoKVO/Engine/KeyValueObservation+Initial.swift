extension KeyValueObservation {
    /// Called before the observation is attached. A path calls the handler for no change until its initial call, which has the value that such a
    /// change leaves: the handler may make one in the initial call for an earlier path.
    func awaitInitialCalls() { if !handling.ignoresChange { routes?.forEach { $0.awaitInitialCall(true) } } }

    /// The initial calls: one for each path of each target, or a single one if the handler ignores the change.
    func callInitially() {
        let thread = ThreadContext.current
        let calls = handling.ignoresChange ? CallsOfChange() : nil
        for route in routes.map({ $0.map(Optional.some) }) ?? [nil] {
            let pooled = thread.value.takeSubject()
            let subject = pooled.object
            route?.awaitInitialCall(false)
            subject.setInitialValue(initialValue(by: route, thread))
            subject.calls = calls
            var loop = HandlerLoop(thread, subject)
            if let route { loop.call(route) } else { loop.callDirectly(self) }
            loop.finish()
            thread.giveBack(pooled)
        }
    }

    /// The value that a path has now, if it is asked for, with which the observer leaves the changes that are open on this thread: of those it is
    /// to be told only what follows. The registration may have made them: by a function that writes, or by the initial call of another path.
    private func initialValue(by route: Route?, _ thread: InPlace<ThreadContext>) -> Any? {
        let wantsNew = options.contains(.new)
        func read() -> Any? { Recording.suspended { currentValue(by: route) } }
        let value = wantsNew ? read() : nil
        if !TransactionsOfTasks.mayHoldChanges, thread.value.settling.isEmpty { return value }
        // It is called once, and not for each path.
        if handling.ignoresChange { return value }
        let visit = TransactionsOfTasks.visit()
        defer { TransactionsOfTasks.leave(visit) }
        let list = route.map { $0.keyList } ?? record?.list(Int(slot))
        guard let root = route?.root ?? record, let topic = list?.address ?? route?.identity else { return value }
        var isOpen = false
        thread.forEachOpen(topic) {
            isOpen = true
            // What another thread has told so far is older than what this call tells.
            if list == nil { $0.noteTold() }
        }
        if !isOpen { return value }
        // A function that was computed for this may have written what had been read before it. Read again, it has nothing to write any more.
        let now = wantsNew || list == nil ? read() : nil
        thread.forEachOpen(topic) { subject in
            if let list {
                root.lock.withLock { list.value.number(route?.part ?? self) }
                return AffectedLists.noteAddition()
            }
            subject.initialWalk = subject.walk
            extendLifetime(subject.replaceOld(now, subject.changes?.all ?? 0))
        }
        return wantsNew ? now : nil
    }
}
