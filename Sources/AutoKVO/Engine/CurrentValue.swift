extension Change {
    /// The whole value that the path which changed has now, read when it is asked for. What the change carries is only a part
    /// of it after an edit of a collection, and outdated if an earlier handler has set the property again.
    ///
    /// Nil if the target is dead; the empty optional where an object on the way is missing.
    var currentValue: Any? { context.currentObservation.currentValue(by: context.currentRoute) }
}

extension KeyValueObservation {
    /// The value of what is observed, by one of its routes or of its one key; nil if the target is dead.
    func currentValue(by route: Route?) -> Any? {
        if let route { return route.currentValue() }
        guard let record, let object = record.trackedObject else { return nil }
        defer { withExtendedLifetime(object) {} }
        return record.readValue(Int(slot))
    }
}
