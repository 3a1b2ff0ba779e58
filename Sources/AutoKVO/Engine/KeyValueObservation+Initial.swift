extension KeyValueObservation {
    /// The initial calls, one for each path of each target, or a single one.
    func callInitially(once: Bool) {
        let wantsNew = options.contains(.new)
        let subjects = routes.map { $0.map(Optional.some) } ?? [nil]
        let thread = ThreadContext.current
        for route in once ? subjects.prefix(1) : subjects[...] {
            let notification = thread.value.takeNotification()
            notification.use {
                $0.setSubject(
                    self, route, ChangeEvent(isInitial: true), edit: nil, old: nil,
                    new: wantsNew ? currentValue(by: route) : nil)
                $0.deliver(thread)
            }
            thread.giveBack(notification)
        }
    }
}
