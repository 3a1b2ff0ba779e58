extension KeyValueObservation {
    /// The initial calls: one for each path of each target, or a single one if the handler ignores the change.
    func callInitially() {
        let wantsNew = options.contains(.new)
        let thread = ThreadContext.current
        let calls = handling.ignoresChange ? CallsOfChange() : nil
        for route in routes.map({ $0.map(Optional.some) }) ?? [nil] {
            if let calls, calls.called.contains(self) { return }
            let subject = thread.value.takeSubject()
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
}
