extension ParsedKeyPath {
    /// Where a path ends.
    struct End {
        /// The object that has the last key; nil if one on the way is nil.
        var object: TrackedObject?
        /// The last key; nil if it is not known, because an object before it is nil and its class is not declared.
        var key: (schema: ClassSchema, slot: Int)?
        /// The first key on the way that is nil. Nil also if a value that is still to be set there is not known.
        var missing: (schema: ClassSchema, key: String)?
        /// The whole path.
        let keyPath: String

        /// The error for an object on the way that is nil.
        var noObject: KeyValueError? {
            missing.map { KeyValueError(.noObject, className: $0.schema.className, key: $0.key, keyPath: keyPath) }
        }
    }

    /// Values that have been checked and will be set: a path is followed as it will lead then.
    struct PreparedValues {
        enum Prepared {
            case value(Any)
            /// The key was to be set, and cannot be.
            case refused
        }

        private struct Place: Hashable {
            let object: ObjectIdentifier
            let slot: Int
        }

        /// The objects are kept, so that no other one has the identity of one of them.
        private var values: [Place: (object: TrackedObject, prepared: Prepared)] = [:]
        /// The number of the path that is followed or set; nil if paths need not be compared.
        var path: Int?
        /// The paths that lead through a key of an object, and to what.
        private var passing: [Place: [(path: Int, next: TrackedObject?)]] = [:]
        /// The paths that lead through an object which another path replaces later, each with the last such one.
        private(set) var overtaken: [Int: Int] = [:]

        /// What is known of the value that a key of an object will have; nil if it is not to be set.
        subscript(object: TrackedObject, slot: Int) -> Prepared? {
            values.isEmpty ? nil : values[Place(object: ObjectIdentifier(object), slot: slot)]?.prepared
        }

        mutating func set(_ prepared: Prepared, for slot: Int, of object: TrackedObject) {
            let place = Place(object: ObjectIdentifier(object), slot: slot)
            values[place] = (object, prepared)
            guard let path, case .value(let value) = prepared, let others = passing[place] else { return }
            let next = unwrapped(value) as? TrackedObject
            for other in others where other.path != path && other.next !== next { overtaken[other.path] = path }
        }

        /// The path leads through a key of an object to another object.
        mutating func pass(_ slot: Int, of object: TrackedObject, to next: TrackedObject?) {
            guard let path else { return }
            passing[Place(object: ObjectIdentifier(object), slot: slot), default: []].append((path, next))
        }
    }
}

extension TrackedObject {
    /// The schema of the object's class.
    func requireSchema() throws(KeyValueError) -> ClassSchema {
        try requireUnmanagedSchema().object
    }

    /// The same without a reference of the caller's own: it is never freed.
    @inline(__always)
    func requireUnmanagedSchema() throws(KeyValueError) -> Borrowed<ClassSchema> {
        if let knownSchema { return knownSchema }
        return try ClassSchema.unmanaged(of: type(of: self))
    }

    /// Follows a path to the object that has its last key.
    func pathEnd(_ keyPath: String) throws(KeyValueError) -> ParsedKeyPath.End {
        var none = ParsedKeyPath.PreparedValues()
        return try pathEnd(keyPath, with: &none)
    }

    /// The same, as the path will lead when prepared values have been set.
    func pathEnd(
        _ keyPath: String, with prepared: inout ParsedKeyPath.PreparedValues
    ) throws(KeyValueError) -> ParsedKeyPath.End {
        var end = ParsedKeyPath.End(object: self, keyPath: keyPath)
        var schema = try requireSchema()
        if let slot = schema.slot(of: keyPath) {
            end.key = (schema, slot)
            return end
        }
        let path = try CheckedKeyPath.of(keyPath, from: schema).path
        if let tail = path.tail {
            throw KeyValueError(
                .readOnlyKey, className: "\(type(of: self))", key: "@" + tail.function.rawValue, keyPath: keyPath
            ).saying("what an operator makes of a collection cannot be set")
        }
        for name in path.keys.dropLast() {
            let slot = try schema.requireSlot(of: name, in: keyPath)
            let key = schema.keys[slot].declared
            if let object = end.object {
                end.object = nil
                defer { prepared.pass(slot, of: object, to: end.object) }
                switch prepared[object, slot] {
                case .value(let value): end.object = try path.object(in: value, of: name, schema)
                case .refused: end.object = nil
                case nil: end.object = try path.readObject(.to(key), of: .to(object))
                }
                if end.object == nil { end.missing = (schema, name) }
                if case .refused = prepared[object, slot] { end.missing = nil }
            }
            if let next = end.object {
                schema = try next.requireSchema()
            } else if let next = key.objectClass, next != TrackedObject.self {
                schema = try ClassSchema.of(next)
            } else {
                return end
            }
        }
        end.key = (schema, try schema.requireSlot(of: path.keys.last!, in: keyPath))
        return end
    }
}

extension ParsedKeyPath {
    /// The object that a value of a key is; nil if the value is nil.
    ///
    /// - Throws: A `KeyValueError` if the value is no object.
    fileprivate func object(
        in value: Any, of name: String, _ schema: ClassSchema
    ) throws(KeyValueError) -> TrackedObject? {
        guard let value = unwrapped(value) else { return nil }
        if let object = value as? TrackedObject { return object }
        throw cannotGoOn(at: type(of: value), name, of: schema.className)
    }
}

extension ClassSchema {
    func error(_ reason: KeyValueError.Reason, of key: ResolvedKey, in keyPath: String) -> KeyValueError {
        KeyValueError(reason, className: className, key: key.name, keyPath: keyPath)
    }

    /// Checks that a key can be set by name.
    func requireSetter(of key: ResolvedKey, in keyPath: String) throws(KeyValueError) {
        guard key.declared.write == nil else { return }
        let line =
            "write Key(\"\(key.name)\", \\.\(key.name)) in the schema of \(key.declared.owner) to let it be set by name"
        throw error(.readOnlyKey, of: key, in: keyPath).saying(
            key.storageType?.isDerived == false && !key.declared.hasKeyPath ? line : nil)
    }
}
