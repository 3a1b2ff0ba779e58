/// A key of a class that can be set by name, looked up and checked once: for whoever sets it again and again.
struct SettableKey {
    private let schema: ClassSchema
    private let key: ResolvedKey

    /// Looks up a key.
    ///
    /// - Parameter type: The type of the values that it is to be set to.
    /// - Throws: As `setValue(_:forKey:)` and `checkType(_:forKey:)`.
    init(_ name: String, of object: TrackedObject, for type: Any.Type) throws(KeyValueError) {
        schema = try object.requireSchema()
        key = try schema.requireKey(name, in: name)
        try key.checkKeyPath(of: object)
        try object.checkType(type, forKey: name)
    }

    /// The value as one of the property's type.
    func converted(_ value: Any?) throws(KeyValueError) -> Any {
        try schema.convert(value, for: key, in: key.name)
    }

    func value(of object: TrackedObject) -> Any { key.declared.read(object) }

    /// Sets the property to a value that has its type.
    func set(_ value: Any, of object: TrackedObject) { object.set(value, key) }
}
