/// A key of a class, looked up and checked once, and what makes values of its type.
struct SettableKey {
    let property: SettableProperty
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
        property = SettableProperty(key)
    }

    /// The value as one of the property's type.
    func converted(_ value: Any?) throws(KeyValueError) -> Any {
        try schema.convert(value, for: key, in: key.name)
    }
}
