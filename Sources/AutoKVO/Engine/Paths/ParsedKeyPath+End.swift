extension ParsedKeyPath {
    /// Where a path ends.
    struct End {
        /// The object that has the last key; nil if one on the way is nil.
        var object: TrackedObject?
        /// The last key; nil if it is not known, because an object before it is nil and its class is not declared.
        var key: (schema: ClassSchema, slot: Int)?
        /// The first key on the way that is nil.
        var missing: (schema: ClassSchema, key: String)?
    }
}

extension TrackedObject {
    /// The schema of the object's class.
    func requireSchema() throws(KeyValueError) -> ClassSchema {
        if let schema = record?.schema { return schema }
        return try ClassSchema.of(type(of: self))
    }

    /// Follows a path to the object that has its last key.
    func pathEnd(_ keyPath: String) throws(KeyValueError) -> ParsedKeyPath.End {
        let path = try ParsedKeyPath.parse(keyPath, for: type(of: self))
        if let tail = path.tail {
            throw KeyValueError(
                .readOnlyKey, className: "\(type(of: self))", key: "@" + tail.function.rawValue, keyPath: keyPath
            ).saying("what an operator makes of a collection cannot be set")
        }
        var end = ParsedKeyPath.End(object: self)
        var schema = try requireSchema()
        for name in path.keys.dropLast() {
            let key = try path.declaration(of: name, in: schema)
            if let object = end.object {
                defer { withExtendedLifetime(object) {} }
                end.object = try path.readObject(.to(key), of: .to(object))
                if end.object == nil { end.missing = (schema, name) }
            }
            if let next = end.object {
                schema = try next.requireSchema()
            } else if let next = key.objectClass {
                schema = try ClassSchema.of(next)
            } else {
                return end
            }
        }
        end.key = (schema, try schema.requireSlot(of: path.keys.last!, in: keyPath))
        return end
    }
}
