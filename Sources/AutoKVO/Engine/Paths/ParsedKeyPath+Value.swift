extension ParsedKeyPath {
    /// The value at the end of the path; the empty optional if an object on the way is nil or does not have the path's
    /// next key.
    func value(from object: TrackedObject) -> Any {
        do { return try requireValue(from: object) } catch { return Any?.none as Any }
    }

    /// The value at the end of the path; the empty optional if an object on the way is nil.
    ///
    /// - Throws: A `KeyValueError` if an object whose class is not declared does not have the path's next key, or if
    ///   the operator does not fit the values.
    func requireValue(from object: TrackedObject) throws(KeyValueError) -> Any {
        // The caller keeps the first object alive, and `kept` the one that was read last.
        var kept: TrackedObject?
        var object = Borrowed.to(object)
        let last = keys.count - 1
        for level in 0..<last {
            let key = try declaration(of: level, in: object)
            guard let next = try readObject(key, of: object) else {
                return Any?.none as Any
            }
            object = .to(next)
            kept = next
        }
        let key = try declaration(of: last, in: object)
        let value = object.use { object in key.use { $0.read(object) } }
        withExtendedLifetime(kept) {}
        return try tail?.evaluate(on: value, in: self) ?? value
    }

    /// The declaration of the key at a level in the class of an object.
    @inline(__always)
    private func declaration(
        of level: Int, in object: Borrowed<TrackedObject>
    ) throws(KeyValueError) -> Borrowed<DeclaredKey> {
        let schema: Borrowed<ClassSchema>
        if let known = object.use({ $0.knownSchema }) {
            schema = known
        } else {
            schema = try ClassSchema.unmanaged(of: object.use { type(of: $0) })
        }
        guard let slot = slot(of: level, in: schema) else {
            throw schema.object.unknownKey(keys[level], in: text)
        }
        return schema.use { $0.layout.value.declaration(slot) }
    }

    /// The object that a key before the last holds. Nil is no error: the path ends there.
    ///
    /// - Throws: A `KeyValueError` if the value is no object.
    @inline(__always)
    func readObject(
        _ key: Borrowed<DeclaredKey>, of object: Borrowed<TrackedObject>
    ) throws(KeyValueError) -> TrackedObject? {
        if let next = object.use({ object in key.use { $0.readObject(object) } }) { return next }
        try requireNothing(in: key.object, of: object.object)
        return nil
    }

    private func requireNothing(in key: DeclaredKey, of object: TrackedObject) throws(KeyValueError) {
        guard key.objectClass == nil, let value = unwrapped(key.read(object)) else { return }
        throw cannotGoOn(at: type(of: value), key.name, of: try ClassSchema.of(type(of: object)).className)
    }
}

extension ParsedKeyPath.Tail {
    fileprivate func evaluate(on value: Any, in path: ParsedKeyPath) throws(KeyValueError) -> Any {
        guard let value = unwrapped(value) else { return function.valueOfNothing }
        guard let collection = value as? any KeyValueCollection else {
            throw unsupported(in: path.text, "\(type(of: value)) is no collection")
        }
        if function == .count { return collection.elementCount }
        var values = collection.elements
        if let element {
            for index in values.indices { values[index] = try element.value(ofElement: values[index], in: self) }
        }
        if let result = function.apply(to: values) { return result }
        throw unsupported(in: path.text, "it takes \(function.operands)")
    }
}

extension ParsedKeyPath {
    /// The values at the end of the path from each of some objects on, nil where there is none; if the path begins with an
    /// operator, its value for them.
    func value(ofElements objects: [TrackedObject]) throws(KeyValueError) -> Any {
        if keys.isEmpty {
            for type in classes(of: objects) { _ = try valueType(from: arrayType(of: type)) }
            return try tail!.evaluate(on: objects, in: self)
        }
        for type in classes(of: objects) { _ = try valueType(from: type) }
        return try objects.map { object throws(KeyValueError) in unwrapped(try requireValue(from: object)) }
    }

    /// The classes of the objects, each once, in the order in which they come.
    private func classes(of objects: [TrackedObject]) -> [Any.Type] {
        var seen: Set<ObjectIdentifier> = []
        return objects.map { type(of: $0) as Any.Type }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }

    /// The value at the end of the path from an element of a collection on; if that is a collection itself, the values
    /// from its elements on.
    ///
    /// - Parameter depth: How many collections are around the element, besides the one that the operator follows.
    fileprivate func value(ofElement element: Any, in tail: Tail, depth: Int = 0) throws(KeyValueError) -> Any {
        if keys.isEmpty { return try self.tail!.evaluate(on: element, in: self) }
        guard let bare = unwrapped(element) else { return Any?.none as Any }
        if let object = bare as? TrackedObject { return try requireValue(from: object) }
        guard let inner = bare as? any KeyValueCollection else {
            throw tail.unsupported(in: text, "\(type(of: bare)) has no keys")
        }
        // Data may nest collections deeper than the stack lets them be followed.
        guard depth < ParsedKeyPath.maximumOperatorCount else {
            throw tail.unsupported(
                in: text, "its values are more than \(ParsedKeyPath.maximumOperatorCount) collections deep")
        }
        var values = inner.elements
        for index in values.indices { values[index] = try value(ofElement: values[index], in: tail, depth: depth + 1) }
        return values
    }
}
