extension KeyValueObservation {
    /// The value of what is observed, by one of its routes or of its one key; nil if the target is dead.
    func currentValue(by route: Route?) -> Any? {
        if let route { return route.currentValue() }
        return record?.readValue(Int(slot))
    }

    /// The program reads what the observation's expression computes. Where changes are held back that may be another value than before
    /// and after them, and is to be told then.
    func noteRead() {
        let isOpen = routes?.contains { $0.openSubjects.load(ordering: .relaxed) > 0 } ?? record?.isOpen(Int(slot))
        guard isOpen ?? false || TransactionsOfTasks.mayHoldChanges else { return }
        TransactionsOfTasks.visiting {
            let expressions = routes?.map(\.expression) ?? [record?.expression(Int(slot))]
            for expression in expressions { _ = expression?.refreshedValue(isRead: true) }
        }
    }
}
