extension ParsedKeyPath {
    /// The value at the end of the path; the empty optional where an object on the way is missing, or does not have the
    /// key it is asked for.
    func value(from object: TrackedObject) -> Any {
        do { return try requireValue(from: object) } catch { return Any?.none as Any }
    }

    /// The value at the end of the path; the empty optional where an object on the way is missing.
    ///
    /// - Throws: A `KeyValueError` if an object whose class no declaration told is there and does not have the key, or if
    ///   the operator does not fit the values.
    func requireValue(from object: TrackedObject) throws(KeyValueError) -> Any {
        // The first object is the caller's to keep, and each one behind it is kept here.
        var kept: TrackedObject?
        var object = Unmanaged.passUnretained(object)
        let last = keys.count - 1
        for level in 0..<last {
            let key = try declaration(of: level, in: object)
            guard let next = object._withUnsafeGuaranteedRef({ object in key._withUnsafeGuaranteedRef { $0.readObject(object) } })
            else {
                try requireNothing(in: key.takeUnretainedValue(), of: object.takeUnretainedValue())
                return Any?.none as Any
            }
            object = .passUnretained(next)
            kept = next
        }
        let key = try declaration(of: last, in: object)
        let value = object._withUnsafeGuaranteedRef { object in key._withUnsafeGuaranteedRef { $0.read(object) } }
        withExtendedLifetime(kept) {}
        return try tail?.evaluate(on: value, in: self) ?? value
    }

    /// The declaration of the key at a level in the class of an object.
    @inline(__always)
    private func declaration(
        of level: Int, in object: Unmanaged<TrackedObject>
    ) throws(KeyValueError) -> Unmanaged<DeclaredKey> {
        let schema: Unmanaged<ClassSchema>
        if let known = object._withUnsafeGuaranteedRef({ $0.knownSchema }) {
            schema = known
        } else {
            schema = .passUnretained(try .of(type(of: object.takeUnretainedValue())))
        }
        guard let slot = slot(of: level, in: schema) else {
            throw schema.takeUnretainedValue().unknownKey(keys[level], in: text)
        }
        return schema._withUnsafeGuaranteedRef { $0.layout.pointee.declaration(slot) }
    }

    /// Refuses what is no object where the path goes on. Nothing is not refused: the path ends there.
    private func requireNothing(in key: DeclaredKey, of object: TrackedObject) throws(KeyValueError) {
        if key.objectClass != nil || unwrapped(key.read(object)) == nil { return }
        throw KeyValueError(
            .pathThroughCollection, className: try ClassSchema.of(type(of: object)).className, key: key.name, keyPath: text)
    }
}

extension ParsedKeyPath.Tail {
    fileprivate func evaluate(on value: Any, in path: ParsedKeyPath) throws(KeyValueError) -> Any {
        func unsupported() -> KeyValueError {
            KeyValueError(.unsupportedOperator, key: "@" + function.rawValue, keyPath: path.text)
        }
        guard let value = unwrapped(value) else { return function.valueOfNothing }
        guard let collection = value as? any KeyValueCollection else { throw unsupported() }
        if function == .count { return collection.elementCount }
        var leaves: [Any] = []
        for leaf in collection.elements {
            guard let element else {
                leaves.append(leaf)
                continue
            }
            guard let bare = unwrapped(leaf) else {
                leaves.append(Any?.none as Any)
                continue
            }
            guard let object = asTrackedObject(bare) else { throw unsupported() }
            leaves.append(try element.requireValue(from: object))
        }
        guard let result = function.apply(to: leaves) else { throw unsupported() }
        return result
    }
}
