extension KeyValueObservation {
    /// The initial calls: one for each path of each target, or a single one if the handler ignores the change.
    func callInitially() {
        let wantsNew = options.contains(.new)
        let thread = ThreadContext.current
        let calls = handling.ignoresChange ? CallsOfChange() : nil
        for route in routes.map({ $0.map(Optional.some) }) ?? [nil] {
            if let calls, calls.called.contains(self) { return }
            let subject = thread.value.takeSubject()
            if wantsNew { leaveOpenChanges(by: route, thread) }
            subject.use {
                $0.setInitialValue(wantsNew ? Recording.suspended { currentValue(by: route) } : nil)
                $0.calls = calls
                var loop = HandlerLoop(thread, $0)
                if let route { loop.call(route) } else { loop.callDirectly(self) }
                loop.finish()
            }
            thread.giveBack(subject)
        }
    }

    /// The observer is told the value that a path has now, so of the changes that are open on this thread it is to be told only what
    /// follows. The registration may have made them: by a function that writes, or by the initial call of another path.
    private func leaveOpenChanges(by route: Route?, _ thread: InPlace<ThreadContext>) {
        if !thread.value.holdsChanges, thread.value.settling.isEmpty { return }
        // A function that is computed for this may write what has been read before it. Read again, it has nothing to write any more.
        _ = Recording.suspended { currentValue(by: route) }
        let list = route.map { $0.keyList } ?? record?.list(Int(slot))
        guard let root = route?.root ?? record, let topic = list?.address ?? route?.identity else { return }
        thread.forEachOpen(topic) { subject in
            if let list { return root.lock.withLock { list.value.number(route?.part ?? self) } }
            let value = Recording.suspended { currentValue(by: route) }
            withExtendedLifetime(subject.replaceOld(value, subject.expression?.changes.all ?? 0)) {}
        }
    }
}
