extension KeyValueObservation {
    /// The value of what is observed, by one of its routes or of its one key; nil if the target is dead.
    func currentValue(by route: Route?) -> Any? {
        if let route { return route.currentValue() }
        guard let record, let object = record.trackedObject else { return nil }
        defer { withExtendedLifetime(object) {} }
        return record.readValue(Int(slot))
    }
}
