extension Change {
    /// The whole value that the path has now, read at each use.
    ///
    /// After an edit of a collection `newValue` has only the elements that came. Any `newValue` is outdated when the property is set
    /// again: by this handler, by another thread, or before a change arrives that is delivered elsewhere. What another handler sets
    /// is delivered after this change, so it does not outdate it.
    ///
    /// Nil if the target is dead, or if the value cannot be converted to the type of the change's values, which is reported to
    /// `Diagnostics`. Of a path on which an object is missing the value is nil: an optional type holds it as `.some(nil)`, as `newValue`
    /// does.
    @export(implementation) public var currentValue: Value? { currentValue(as: Value.self) }

    /// The same as another type.
    public func currentValue<Other>(as type: Other.Type) -> Other? {
        guard let value = context.currentObservation.currentValue(by: context.route?.object) else { return nil }
        return context.deliverable(value, as: type)
    }

    /// The same, not converted, in a handler of the change: the target is alive then.
    var valueInHandler: Any {
        context.observation!.use { $0.currentValue(by: context.route?.object) } ?? Any?.none as Any
    }

    /// Whether a handler of the change may be called once more: neither the observation nor this path of it has been removed meanwhile.
    @usableFromInline var isHeard: Bool { !context.isWithdrawn }
}

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
