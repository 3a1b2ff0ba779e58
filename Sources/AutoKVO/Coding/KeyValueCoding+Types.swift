extension TrackedObject {
    /// The type of the values at the end of a key path, as far as the classes declare it; `Any` where they do not.
    ///
    /// - Throws: A `KeyValueError` for a path that the class does not have.
    /// - Complexity: O(*n*) for *n* components.
    public class func valueType(forKeyPath keyPath: String) throws(KeyValueError) -> Any.Type {
        try CheckedKeyPath.of(keyPath, from: ClassSchema.of(self)).valueType
    }
}
