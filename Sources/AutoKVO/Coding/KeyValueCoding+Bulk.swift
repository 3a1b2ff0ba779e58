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
    /// `setValue(_:forKeyPath:)`. So where one entry sets an object (`"address"`) and another goes through it
    /// (`"address.city"`), the second one sets a property of the new object.
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
    /// - Complexity: O(*n* log *n*) for *n* entries, and their validations, setters and observers.
    public func setValues(_ values: [String: Any?], validating: Bool = false) throws(KeyValueError) {
        _ = try requireSchema()
        var plan = SettingPlan()
        var faults: [(name: String, error: KeyValueError)] = []
        let entries = values.map { (depth: KeyPathText.depth(of: $0.key), name: $0.key, value: $0.value) }
        for entry in entries.inOrder(by: { ($0.depth, $0.name) < ($1.depth, $1.name) }) {
            do throws(KeyValueError) {
                try plan.add(entry.value, forKeyPath: entry.name, of: self, validating: validating)
            } catch {
                faults.append((entry.name, error))
            }
        }
        if let error = KeyValueError(faults.inOrder(by: { $0.name < $1.name }).map(\.error)) { throw error }
        plan.carryOut()
    }
}

extension KeyPathText {
    /// How many dots a path has: one less than components.
    fileprivate static func depth(of path: String) -> Int { path.utf8.count { $0 == UInt8(ascii: ".") } }
}
