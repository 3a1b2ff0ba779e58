extension TrackedObject {
    /// The type of the values at the end of a key path, as far as the classes declare it; `Any` where they do not, and for a `@sum` that may be
    /// an `Int` or a `Double`.
    ///
    /// - Throws: A `KeyValueError` for a path that the class does not have.
    /// - Complexity: O(*n*) for *n* components.
    public class func valueType(forKeyPath keyPath: String) throws(KeyValueError) -> Any.Type {
        let type = try CheckedKeyPath.of(keyPath, from: ClassSchema.of(self)).valueType
        return type == (any IntOrDouble).self ? Any.self : type
    }
}
