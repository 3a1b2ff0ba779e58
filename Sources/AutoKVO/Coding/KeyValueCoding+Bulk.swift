extension TrackedObject {
    /// The values of all keys that can be set, by name: what `setValues(_:validating:)` takes. A property that is nil has an
    /// entry, whose value is an `Any` that holds the empty optional: `as? String` gives nil.
    ///
    /// - Parameter asRawValues: Whether values go out as a file or a database keeps them: a raw-representable one as its raw
    ///   value, a `KeyValueConvertible` as its `keyValue`, also in optionals and collections.
    /// - Throws: A `KeyValueError` if the class's schema is faulty.
    /// - Complexity: O(*n*) for *n* keys, and their getters; with `asRawValues` also for the elements of collections.
    public func dictionaryWithValues(asRawValues: Bool = false) throws(KeyValueError) -> [String: Any] {
        let settable = try requireSchema().namedKeys.filter { $0.declared.write != nil }
        return try dictionaryWithValues(forKeys: settable.map(\.name), asRawValues: asRawValues)
    }

    /// The values of several keys or key paths, each by its name or path. What is nil, or behind an object that is nil, has an
    /// entry, whose value is an `Any` that holds the empty optional: `as? String` gives nil.
    ///
    /// - Parameters:
    ///   - keys: Names of keys, and key paths.
    ///   - asRawValues: Whether values go out as a file or a database keeps them: a raw-representable one as its raw value, a
    ///     `KeyValueConvertible` as its `keyValue`, also in optionals and collections.
    /// - Throws: A `KeyValueError` for the first name or path that is not right, as `value(forKeyPath:)` does.
    /// - Complexity: O(*n*) for *n* keys, and their getters; with `asRawValues` also for the elements of collections.
    public func dictionaryWithValues(
        forKeys keys: [String], asRawValues: Bool = false
    ) throws(KeyValueError) -> [String: Any] {
        var values: [String: Any] = [:]
        for name in keys {
            let value = try value(forKeyPath: name) ?? Any?.none as Any
            values[name] = .some(asRawValues ? storedValue(of: value) : value)
        }
        return values
    }

    /// Sets several properties by key or key path, all or none: every name and value is checked before the first is set.
    ///
    /// They are set in the order of the number of their components, then of their names, each as by
    /// `setValue(_:forKeyPath:)`. Where one entry sets an object (`"address"`) and another goes through it
    /// (`"address.city"`), the second one is set after the first, in the new object; also where their paths reach the object in
    /// different ways (`"partner.address"`, of a person who is the partner), but not where they call the property by two names.
    /// Entries that go through each other's objects in a circle cannot be set. If a handler of one puts another object in the place of the one
    /// that a later entry goes through, the value is set in the object for which it was checked; so it is if an entry goes through a derived key
    /// that others change.
    ///
    /// A value that is nil, an `Any` that holds the empty optional, or Foundation's `NSNull` sets an optional property to nil.
    /// So what `dictionaryWithValues(asRawValues:)` gave can be set again.
    ///
    /// - Parameters:
    ///   - values: The values by key or key path.
    ///   - validating: Whether each value is first validated as by `validateValue(_:forKeyPath:)`; what a validation corrects is
    ///     set as corrected. Validations are called before the first value is set.
    /// - Throws: The `KeyValueError` for the first entry, in the order of names, that cannot be set: its name or path is not
    ///   right, its key cannot be written, its value is of another type or refused, or an object on its way is nil
    ///   (`.noObject`). `errors` has the error for each such entry, in that order.
    /// - Complexity: O(*n* log *n*) for *n* entries, and their validations, setters and observers. Entries that reach an object in
    ///   different ways are checked again, at most 16 times.
    public func setValues(_ values: [String: Any?], validating: Bool = false) throws(KeyValueError) {
        _ = try requireSchema()
        try SettingPlan(values, of: self, validating: validating).carryOut()
    }
}
