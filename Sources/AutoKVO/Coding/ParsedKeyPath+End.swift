extension ParsedKeyPath {
    /// Where a path ends.
    struct End {
        /// The object that has the last key; nil if one on the way is nil.
        var object: TrackedObject?
        /// The last key; nil if it is not known, because an object before it is nil and its class is not declared.
        var key: (schema: ClassSchema, key: ResolvedKey)?
        /// The error for the first key on the way that is nil. None also if a value that is still to be set there is not known.
        var noObject: KeyValueError?
        /// The whole path.
        let keyPath: String

        /// Checks the set of a value at the end of the path. Nil if an object on the way is not known, because it could not be set.
        func step(setting value: Any?, validating: Bool = false) throws(KeyValueError) -> SettingPlan.Step? {
            guard let (schema, key) = key else {
                if let noObject { throw noObject }
                return nil
            }
            try schema.requireSetter(of: key, in: keyPath)
            var value = value
            if let object {
                try key.checkKeyPath(of: object, in: keyPath)
                if validating { try object.validate(&value, schema, key, in: keyPath) }
            }
            let converted = try schema.convert(value, for: key, in: keyPath)
            if let noObject { throw noObject }
            return object.map { SettingPlan.Step(object: $0, key: key, value: converted) }
        }
    }

    /// Values that have been checked and will be set: a path is followed as it will lead then.
    final class PreparedValues {
        private struct Place: Hashable {
            let object: ObjectIdentifier
            let slot: Int
        }

        /// Nil for a key that was to be set, and cannot be. The objects are kept, so that no other one has the identity of one of them.
        private var values: [Place: (object: TrackedObject, value: Any?)] = [:]
        /// The number of the path that is followed or set; nil if paths need not be compared.
        var path: Int?
        /// The paths that lead through a key of an object, and to what.
        private var passing: [Place: [(path: Int, next: TrackedObject?)]] = [:]
        /// The paths that lead through an object which another path replaces later, each with the last such one.
        private(set) var overtaken: [Int: Int] = [:]

        /// What is known of the value that a key of an object will have; nil if it is not to be set.
        subscript(object: TrackedObject, slot: Int) -> (object: TrackedObject, value: Any?)? {
            values[Place(object: ObjectIdentifier(object), slot: slot)]
        }

        /// - Parameter value: Nil if the key cannot be set.
        func set(_ value: Any?, for slot: Int, of object: TrackedObject) {
            let place = Place(object: ObjectIdentifier(object), slot: slot)
            values[place] = (object, value)
            guard let path, let value, let others = passing[place] else { return }
            let next = unwrapped(value) as? TrackedObject
            for other in others where other.path != path && other.next !== next { overtaken[other.path] = path }
        }

        /// The path leads through a key of an object to another object.
        func pass(_ slot: Int, of object: TrackedObject, to next: TrackedObject?) {
            guard let path else { return }
            passing[Place(object: ObjectIdentifier(object), slot: slot), default: []].append((path, next))
        }
    }
}

extension TrackedObject {
    /// Follows a path to the object that has its last key.
    ///
    /// - Parameter prepared: The path is followed as it will lead when these have been set.
    func pathEnd(
        _ keyPath: String, with prepared: ParsedKeyPath.PreparedValues? = nil
    ) throws(KeyValueError) -> ParsedKeyPath.End {
        let schema = try requireSchema()
        if let slot = schema.slot(of: keyPath) {
            return ParsedKeyPath.End(object: self, key: (schema, schema.keys[slot]), keyPath: keyPath)
        }
        return try CheckedKeyPath.of(keyPath, from: schema).path.end(from: self, with: prepared)
    }
}

extension ParsedKeyPath {
    /// Follows the path to the object that has its last key. A path with an operator throws: what that makes cannot be set.
    func end(from root: TrackedObject, with prepared: PreparedValues? = nil) throws(KeyValueError) -> End {
        var end = End(object: root, keyPath: text)
        var schema = try root.requireSchema()
        if let tail {
            throw KeyValueError(
                .readOnlyKey, className: schema.className, key: "@" + tail.function.rawValue, keyPath: text
            ).saying("what an operator makes of a collection cannot be set")
        }
        for level in keys.indices.dropLast() {
            let slot = try requireSlot(of: level, in: .to(schema))
            let key = schema.keys[slot].declared
            if let object = end.object {
                end.object = nil
                defer { prepared?.pass(slot, of: object, to: end.object) }
                let known = prepared?[object, slot]
                if let known {
                    end.object = try self.object(in: known.value, of: keys[level], schema)
                } else {
                    try schema.keys[slot].checkKeyPath(of: object, in: text)
                    end.object = try readObject(.to(key), of: .to(object))
                }
                // Where what was to be set is refused, that is the error.
                if end.object == nil, known.map({ $0.value != nil }) ?? true {
                    end.noObject = schema.error(.noObject, of: schema.keys[slot], in: text)
                }
            }
            if let next = end.object {
                schema = try next.requireSchema()
            } else if let next = key.objectClass, next != TrackedObject.self {
                schema = try ClassSchema.of(next)
            } else {
                return end
            }
        }
        end.key = (schema, schema.keys[try requireSlot(of: keys.count - 1, in: .to(schema))])
        return end
    }

    /// The object that a value of a key is; nil if the value is nil.
    ///
    /// - Throws: A `KeyValueError` if the value is no object.
    private func object(in value: Any?, of key: String, _ schema: ClassSchema) throws(KeyValueError) -> TrackedObject? {
        guard let value = value.flatMap(unwrapped) else { return nil }
        if let object = value as? TrackedObject { return object }
        throw cannotGoOn(at: type(of: value), key, of: schema.className)
    }
}
