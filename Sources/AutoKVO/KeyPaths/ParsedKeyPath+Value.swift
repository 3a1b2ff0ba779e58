extension ParsedKeyPath {
    /// The value at the end of the path; the empty optional where an object on the way is missing, or does not have the
    /// key it is asked for.
    func value(from object: TrackedObject) -> Any {
        (try? requireValue(from: object)) ?? Any?.none as Any
    }

    /// The value at the end of the path; the empty optional where an object on the way is missing.
    ///
    /// - Throws: A `KeyValueError` if an object whose class no declaration told is there and does not have the key, or if
    ///   the operator does not fit the values.
    func requireValue(from object: TrackedObject) throws(KeyValueError) -> Any {
        var object = object
        for index in keys.indices {
            let schema = if let known = object.record?.schema { known } else { try ClassSchema.of(type(of: object)) }
            let key = schema.keys[try schema.requireSlot(of: keys[index], in: text)].declared
            if index == keys.count - 1 {
                let value = key.read(object)
                return try tail?.evaluate(on: value, in: self) ?? value
            }
            if let next = key.readObject(object) {
                object = next
            } else if key.objectClass != nil || unwrapped(key.read(object)) == nil {
                break
            } else {
                throw KeyValueError(.pathThroughCollection, className: schema.className, key: key.name, keyPath: text)
            }
        }
        return Any?.none as Any
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
