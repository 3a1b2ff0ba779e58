/// A key of a class, looked up and checked once, and what makes values of its type.
struct SettableKey {
    let property: SettableProperty
    private let schema: ClassSchema
    private let key: ResolvedKey

    /// Looks up a key.
    ///
    /// - Parameter type: The type of the values that it is to be set to.
    /// - Throws: As `setValue(_:forKey:)` and `checkType(_:forKeyPath:)`.
    init(_ name: String, of object: TrackedObject, for type: Any.Type) throws(KeyValueError) {
        schema = try object.requireSchema()
        key = try schema.requireKey(name, in: name)
        try key.checkKeyPath(of: object)
        try object.checkType(type, forKeyPath: name)
        property = SettableProperty(key)
    }

    /// The index of the key among those of the class.
    var slot: Int { key.slot }

    /// What a transform makes of a value, as a value of the property's type.
    func converted(_ value: Any?, by transform: BindingTransform) throws(KeyValueError) -> Any {
        // A transform takes the layers of `Optional` away.
        try schema.convert(transform.isIdentity ? value : transform(value), for: key, in: key.name)
    }
}

extension TrackedObject {
    /// The index of a key among those of the class; nil if it has none of that name, or its schema has a fault.
    func slot(ofKey name: String) -> Int? {
        do throws(KeyValueError) { return try requireSchema().slot(of: name) } catch { return nil }
    }
}
