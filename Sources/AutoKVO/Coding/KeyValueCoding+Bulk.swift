extension TrackedObject {
    /// The values of several keys. A property that is nil has an entry, whose value is an `Any` that holds the empty
    /// optional: `as? String` gives nil.
    ///
    /// - Throws: A `KeyValueError` for the first name that the object's class does not declare.
    /// - Complexity: O(*n*) for *n* keys, and their getters.
    public func dictionaryWithValues(forKeys keys: [String]) throws(KeyValueError) -> [String: Any] {
        let schema = try requireSchema()
        let known = try keys.map { name throws(KeyValueError) in try schema.requireKey(name, in: name) }
        let values = known.map { ($0.name, unwrapped($0.declared.read(self)) ?? Any?.none as Any) }
        return Dictionary(values) { $1 }
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
        let prepared = try values.sorted { $0.key < $1.key }.map { name, value throws(KeyValueError) in
            let key = try schema.requireKey(name, in: name)
            return (key, try schema.prepare(value, for: key, in: name))
        }
        for (key, value) in prepared { set(value, key) }
    }
}
