extension KeyValueObservation {
    /// The initial calls: one for each path of each target, or a single one if the handler ignores the change.
    func callInitially() {
        let wantsNew = options.contains(.new)
        let subjects = routes.map { $0.map(Optional.some) } ?? [nil]
        let thread = ThreadContext.current
        let calls = handling.ignoresChange ? CallsOfChange(NotificationChain()) : nil
        for route in subjects {
            if let calls, calls.contains(self) { return }
            let notification = thread.value.takeNotification()
            notification.use {
                $0.calls = calls
                $0.setSubject(
                    self, route, ChangeEvent(isInitial: true), edit: nil, old: nil,
                    new: wantsNew ? currentValue(by: route) : nil)
                $0.deliver(thread)
            }
            thread.giveBack(notification)
        }
    }
}
