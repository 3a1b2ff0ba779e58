extension TrackedObject {
    /// A key, looked up and checked once: its property, its index among those of the class, and what makes of a value what a transform makes of
    /// it, as a value of the property's type.
    ///
    /// - Parameter type: The type of the values that it is to be set to.
    /// - Throws: As `setValue(_:forKey:)` and `checkType(_:forKeyPath:)`.
    func settableKey(
        _ name: String, for type: Any.Type, by transform: BindingTransform
    ) throws(KeyValueError) -> (property: SettableProperty, slot: Int, make: (Any?) throws(KeyValueError) -> Any?) {
        let schema = try requireSchema()
        let key = try schema.requireKey(name, in: name)
        try key.checkKeyPath(of: self)
        try checkType(type, forKeyPath: name)
        func make(_ value: Any?) throws(KeyValueError) -> Any? {
            // A transform takes the layers of `Optional` away.
            try schema.convert(transform.isIdentity ? value : transform(value), for: key, in: name)
        }
        return (SettableProperty(key), key.slot, make)
    }

    /// The index of a key among those of the class; nil if it has none of that name, or its schema has a fault, which are not told
    /// apart (`try?`).
    func slot(ofKey name: String) -> Int? { try? requireSchema().slot(of: name) }
}
