extension ParsedKeyPath {
    /// The value at the end of the path; nil if an object on the way is nil or does not have the path's next key. A value that is nil
    /// itself is an empty optional.
    func value(from object: TrackedObject) -> Any? {
        do throws(KeyValueError) { return try reachedValue(from: object) } catch {
            // An object that the path does not fit is reported when the path is linked to it.
            if case .unsupportedOperator = error.reason { Diagnostics.report("A key path has no value: \(error)") }
            return nil
        }
    }

    /// The value at the end of the path; the empty optional if an object on the way is nil.
    ///
    /// - Throws: A `KeyValueError` if an object whose class is not declared does not have the path's next key, or if
    ///   the operator does not fit the values.
    func requireValue(from object: TrackedObject) throws(KeyValueError) -> Any {
        try reachedValue(from: object) ?? Any?.none as Any
    }

    /// Checks the keys that are used by name for the first time, those of the first element behind an operator among them.
    /// Nothing is recorded meanwhile.
    ///
    /// - Returns: False if not all could be: an object on the way is nil, or one that is read is dying.
    @discardableResult func checkFirstUse(from root: TrackedObject) throws(KeyValueError) -> Bool {
        let outer = Recording.suspend()
        defer { Recording.resume(outer) }
        var (next, isWhole): (TrackedObject?, Bool) = (root, true)
        for level in keys.indices {
            // What does not fit the path is thrown by its evaluation, and reported where it is linked.
            guard let object = next, let (schema, slot) = try? key(of: level, in: .to(object)) else { return false }
            isWhole = try object.checkFirstUse(of: slot, schema.object) && isWhole
            let key = schema.object.keys[slot].declared
            if level < keys.count - 1 {
                next = key.readObject(object)
            } else if let elementPath {
                guard let element = trackedObjects(in: key.read(object)).first else { return false }
                return try elementPath.checkFirstUse(from: element) && isWhole
            }
        }
        return isWhole
    }

    /// The same; nil if an object on the way is nil. Behind that an operator has an empty collection.
    func reachedValue(from root: TrackedObject) throws(KeyValueError) -> Any? {
        // The caller keeps the first object alive, and `kept` the one that was read last.
        var kept: TrackedObject?
        var object = Borrowed.to(root)
        let last = keys.count - 1
        for level in 0..<last {
            guard let next = try nextObject(level, of: object) else {
                return tail.map { $0.function.valueOfNothing(declaredType(from: root)) }
            }
            object = .to(next)
            kept = next
        }
        let (schema, slot) = try key(of: last, in: object)
        let (key, isRecorded) = schema.use { ($0.layout.value[slot].declaration, $0.layout.value[slot].isRecorded) }
        defer { extendLifetime(kept) }
        if let tail, !isRecording, !isRecorded,
            let objects = object.use({ object in key.use { $0.readObjects(object) } })
        {
            return try tail.evaluate(on: objects, in: self, declaredType(from: root))
        }
        let value = object.use { object in
            isRecording || isRecorded ? object.valueOfKey(slot, of: schema.object) : key.use { $0.read(object) }
        }
        return try tail?.evaluate(on: value, in: self) ?? value
    }

    /// The type of the value at the end of the path, as far as it is declared.
    private func declaredType(from object: TrackedObject) -> Any.Type {
        do { return try valueType(from: type(of: object)) } catch { return Any.self }
    }

    /// The object that the key at a level holds.
    @inline(__always)
    private func nextObject(_ level: Int, of object: Borrowed<TrackedObject>) throws(KeyValueError) -> TrackedObject? {
        let (schema, slot) = try key(of: level, in: object)
        let key = schema.use { $0.layout.value[slot].declaration }
        // What is read of a computed key may have to be noted, also where nothing is recorded.
        guard isRecording || schema.use({ $0.layout.value[slot].isRecorded }) else {
            return try readObject(key, of: object)
        }
        let value = unwrapped(object.object.valueOfKey(slot, of: schema.object))
        if let next = value as? TrackedObject { return next }
        if value == nil, !isRecording { return nil }
        return try Recording.suspended { () throws(KeyValueError) in try readObject(key, of: object) }
    }

    /// The schema of the class of an object, and in it the slot of the key at a level.
    @inline(__always)
    private func key(
        of level: Int, in object: Borrowed<TrackedObject>
    ) throws(KeyValueError) -> (schema: Borrowed<ClassSchema>, slot: Int) {
        let schema: Borrowed<ClassSchema>
        if let known = object.use({ $0.knownSchema }) {
            schema = known
        } else {
            schema = try ClassSchema.unmanaged(of: object.use { type(of: $0) })
        }
        let slot = try requireSlot(of: level, in: schema)
        if isRecording { object.use { $0.noteRead(of: slot) } }
        return (schema, slot)
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

    /// The values at the end of the path from each of some objects on, nil where there is none; if the path begins with an
    /// operator, its value for them.
    func value<Object: TrackedObject>(ofElements objects: [Object]) throws(KeyValueError) -> Any {
        if keys.isEmpty {
            for type in classes(of: objects) { _ = try valueType(from: arrayType(of: type)) }
            if let elementPath, let one = trackedObjects(in: objects).first { try elementPath.checkFirstUse(from: one) }
            return try tail!.evaluate(on: objects, in: self, tail!.declaredType(on: [Object].self, in: self))
        }
        for type in classes(of: objects) {
            _ = try valueType(from: type)
            try checkFirstUse(from: objects.first(where: { Swift.type(of: $0) == type })!)
        }
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
        guard let bare = unwrapped(element) else { return Any?.none as Any }
        if keys.isEmpty { return try self.tail!.evaluate(on: bare, in: self) }
        // Before the cast to a class, which with Foundation makes an object of the collection, and of each element.
        guard let inner = bare as? any KeyValueCollection else {
            if let object = bare as? TrackedObject { return try requireValue(from: object) }
            throw tail.unsupported(in: text, "\(type(of: bare)) has no keys")
        }
        // Data may nest collections deeper than the stack lets them be followed.
        guard depth < Self.maximumOperatorCount else {
            throw tail.unsupported(in: text, "its values are more than \(Self.maximumOperatorCount) collections deep")
        }
        var values = inner.elements
        for index in values.indices { values[index] = try value(ofElement: values[index], in: tail, depth: depth + 1) }
        return values
    }
}

extension ParsedKeyPath.Tail {
    /// The operator's value for a collection of any kind, or nil.
    fileprivate func evaluate(on value: Any, in path: ParsedKeyPath) throws(KeyValueError) -> Any {
        let declared = type(of: value)
        guard let value = unwrapped(value) else { return function.valueOfNothing(declaredType(on: declared, in: path)) }
        guard let collection = value as? any KeyValueCollection else {
            throw unsupported(in: path.text, "\(type(of: value)) is no collection")
        }
        if function == .count { return collection.elementCount }
        if let objects = collection.objects(of: TrackedObject.self) {
            return try evaluate(on: objects, in: path, declaredType(on: declared, in: path))
        }
        var result = OperatorResult(of: function)
        for value in collection.elements { result.add(try element?.value(ofElement: value, in: self) ?? value) }
        return try checked(result, in: path, declaredType(on: declared, in: path))
    }

    /// The type of the result for a collection of a type, as far as it is declared.
    fileprivate func declaredType(on type: Any.Type, in path: ParsedKeyPath) -> Any.Type {
        do { return try resultType(on: type, in: nil, path.text) } catch { return Any.self }
    }

    /// The same for objects.
    ///
    /// - Parameter type: That of the result, as far as it is declared.
    fileprivate func evaluate(
        on objects: [TrackedObject], in path: ParsedKeyPath, _ type: @autoclosure () -> Any.Type
    ) throws(KeyValueError) -> Any {
        if function == .count { return objects.count }
        var result = OperatorResult(of: function)
        if let element, element.keys.count == 1, element.tail == nil {
            var index = 0
            // The key of each element, not of one for each class.
            if isRecording { for object in objects { _ = try element.key(of: 0, in: .to(object)) } }
            // That keys are read may have to be noted; and where this thread records, they are what is read, and not what their getters read.
            while index < objects.count {
                let (schema, slot) = try element.key(of: 0, in: .to(objects[index]))
                if schema.use({ $0.layout.value[slot].isRecorded }) {
                    result.add(objects[index].valueOfKey(slot, of: schema.object))
                    index += 1
                    continue
                }
                index += Recording.suspended {
                    schema.use { $0.keys[slot].addValues(of: objects, from: index, to: &result) }
                }
            }
        } else {
            for object in objects { result.add(try element?.value(ofElement: object, in: self) ?? object) }
        }
        return try checked(result, in: path, type())
    }

    private func checked(
        _ result: OperatorResult, in path: ParsedKeyPath, _ type: @autoclosure () -> Any.Type
    ) throws(KeyValueError) -> Any {
        if result.isNothing { return function.valueOfNothing(type()) }
        if let value = result.value { return value }
        throw unsupported(in: path.text, "it takes \(function.operands)")
    }
}

extension ResolvedKey {
    /// Adds the values of the key in objects from an index on, as long as they are of one class, to the result of an operator. Returns
    /// how many these are.
    ///
    /// Numbers are read in the objects themselves where the getter does nothing else. Unlike the getter this does not ask whether
    /// one is being changed at this moment, by code that calls this: it is the number that is there.
    fileprivate func addValues(of objects: [TrackedObject], from start: Int, to result: inout OperatorResult) -> Int {
        if declared.valueType == Int.self, let storage = storage(in: objects[start]) {
            return result.addEach { add in
                objects.forEachOfOneClass(from: start) { add(storage.value(in: $0, as: Int.self)) }
            }
        }
        if declared.valueType == Double.self, let storage = storage(in: objects[start]) {
            return objects.forEachOfOneClass(from: start) { result.add(.real(storage.value(in: $0, as: Double.self))) }
        }
        var value = ValueSlot()
        defer { value.deallocate() }
        return objects.forEachOfOneClass(from: start) { object in
            value.fill { declared.read(object.rawAddress, into: $0) }
            result.take(&value)
        }
    }
}

/// The tracked objects that a value is, or has as elements, or that are elements of these, at any depth.
func trackedObjects(in value: Any?) -> [TrackedObject] {
    var (rest, found): ([Any?], [TrackedObject]) = ([value], [])
    while let next = rest.popLast() {
        guard let content = next.flatMap(unwrapped) else { continue }
        // Before the cast to a class, which with Foundation makes an object of the whole collection.
        guard let collection = content as? any KeyValueCollection else {
            if let object = content as? TrackedObject { found.append(object) }
            continue
        }
        let objects = collection.objects(of: TrackedObject.self)
        found += objects ?? []
        if objects == nil { rest += collection.elements.reversed() }
    }
    return found
}
