extension TrackedObject {
    /// The values of several keys. A property that is nil has an entry, whose value is an `Any` that holds the empty
    /// optional: `as? String` gives nil.
    ///
    /// - Throws: A `KeyValueError` for the first name that the object's class does not declare.
    /// - Complexity: O(*n*) for *n* keys, and their getters.
    public func dictionaryWithValues(forKeys keys: [String]) throws(KeyValueError) -> [String: Any] {
        let schema = try requireSchema()
        var slots: [(String, Int)] = []
        for key in keys { slots.append((key, try schema.requireSlot(of: key, in: key))) }
        var values: [String: Any] = [:]
        for (key, slot) in slots {
            values[key] = unwrapped(schema.keys[slot].declared.read(self)) ?? Any?.none as Any
        }
        return values
    }

    /// Sets several properties by key, all or none: every name and value is checked before the first is set. They are
    /// set in the order of their names, each as by `setValue(_:forKey:)`.
    ///
    /// A value that is nil, or an `Any` that holds the empty optional, sets an optional property to nil. So what
    /// `dictionaryWithValues(forKeys:)` gave can be set again.
    ///
    /// - Throws: A `KeyValueError` for a name that is not declared, a key that cannot be written, and a value of
    ///   another type.
    /// - Complexity: O(*n* log *n*) for *n* keys, and their setters and observers.
    public func setValues(_ values: [String: Any?]) throws(KeyValueError) {
        let schema = try requireSchema()
        var prepared: [(slot: Int, value: Any)] = []
        for key in values.keys.sorted() {
            let slot = try schema.requireSlot(of: key, in: key)
            prepared.append((slot, try schema.prepare(values[key]!, forSlot: slot, in: key)))
        }
        for (slot, value) in prepared { set(value, slot, schema) }
    }
}
