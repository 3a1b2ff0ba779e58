extension TrackedObject {
    /// The type of the values at the end of a key path, as far as the classes declare it; `Any` where they do not.
    ///
    /// - Throws: A `KeyValueError` for a path that the class does not have.
    /// - Complexity: O(*n*) for *n* components.
    public class func valueType(forKeyPath keyPath: String) throws(KeyValueError) -> Any.Type {
        try CheckedKeyPath.of(keyPath, from: ClassSchema.of(self)).valueType
    }

    /// The value as `setValue(_:forKey:)` would set it: one of the property's type. Nothing is set.
    ///
    /// - Throws: As `setValue(_:forKey:)`.
    /// - Complexity: O(1); for a collection O(*n*) for its elements.
    package func convertedValue(_ value: Any?, forKey key: String) throws(KeyValueError) -> Any {
        let schema = try requireSchema()
        return try schema.prepare(value, for: try schema.requireKey(key, in: key), in: key)
    }

    /// Checks that values of a type could be set for a key: that the key can be set, and that the types allow a conversion.
    /// A single value may be refused all the same, such as a number that does not fit.
    ///
    /// - Throws: A `KeyValueError` for a name that is not declared, a key that cannot be written, and a type whose values can
    ///   never be set.
    /// - Complexity: O(1).
    package func checkType(_ type: Any.Type, forKey key: String) throws(KeyValueError) {
        try checkType(type, forKeyPath: key)
    }
}
