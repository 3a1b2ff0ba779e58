extension TrackedObject {
    /// The array at the end of a key path: that of the object that the path leads to now.
    ///
    /// - Throws: As `mutableArrayValue(forKey:)`, for a path that is not right, and if an object on the way is nil.
    /// - Complexity: O(*n*) for *n* components, and their getters.
    @export(implementation)
    public func mutableArrayValue(forKeyPath keyPath: String) throws(KeyValueError) -> MutableArrayProxy {
        try MutableArrayProxy(ProxiedKey(self, path: keyPath, as: (any ProxiedArray.Type).self, "an array"))
    }

    /// The set at the end of a key path: that of the object that the path leads to now.
    ///
    /// - Throws: As `mutableSetValue(forKey:)`, for a path that is not right, and if an object on the way is nil.
    /// - Complexity: O(*n*) for *n* components, and their getters.
    @export(implementation)
    public func mutableSetValue(forKeyPath keyPath: String) throws(KeyValueError) -> MutableSetProxy {
        try MutableSetProxy(ProxiedKey(self, path: keyPath, as: (any ProxiedSet.Type).self, "a set"))
    }
}

extension ProxiedKey {
    /// The key at the end of a path, which has to be of a kind and settable. An object on the way that is nil is an error.
    @usableFromInline
    init<Kind>(_ object: TrackedObject, path: String, as kind: Kind.Type, _ description: String) throws(KeyValueError) {
        let end = try object.pathEnd(path)
        // The type is checked as far as it is declared also if there is no object.
        if let (schema, key) = end.key { _ = try schema.collectionType(of: key, as: kind, description, in: path) }
        guard let owner = end.object, let (schema, key) = end.key else { throw end.noObject! }
        try key.checkKeyPath(of: owner, in: path)
        self.init(owner, schema, key, in: path)
    }
}
