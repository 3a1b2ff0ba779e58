/// The key of a collection that a proxy stands for: what it reads, and where its edits go.
///
/// It reads and writes through the property each time, so it never holds a collection that has been replaced.
struct ProxiedKey {
    let object: TrackedObject
    let schema: ClassSchema
    let key: ResolvedKey

    init(_ object: TrackedObject, _ name: String, expecting what: String, _ isRight: (Any.Type) -> Bool)
        throws(KeyValueError)
    {
        schema = try object.codingSchema()
        key = schema.keys[try schema.requireSlot(of: name, in: name)]
        self.object = object
        guard isRight(key.declared.valueType) else {
            throw error(.wrongType(expected: "\(key.declared.valueType)", actual: what))
        }
        guard key.declared.write != nil else { throw error(.readOnlyKey) }
    }

    /// The collection now; nil if the property is nil.
    func read() -> Any? { unwrapped(key.declared.read(object)) }

    /// The collection now, empty if the property is nil.
    func read<Value: EmptyCollectionValue>(as type: Value.Type) -> Value { read() as? Value ?? Value() }

    /// Edits the collection, and tells of it unless the key's automatic notification is off.
    ///
    /// An `@Observed` property is edited in place; any other is read, and set to the edited collection.
    func edit<Value: EmptyCollectionValue>(_ edit: CollectionChange, _ body: (inout Value) -> Void) {
        object.announcing(key, edit) {
            guard let offset = key.offset, key.storageType == Observed<Value>.self else {
                var value = read(as: Value.self)
                body(&value)
                _ = key.declared.write!(object, value)
                return
            }
            let place = Borrowed.to(object).address + offset
            Property<Value>(object, place: place).exclusively(body)
        }
    }

    func error(_ reason: KeyValueError.Reason) -> KeyValueError {
        KeyValueError(reason, className: schema.className, key: key.name)
    }

    /// Values as elements of a type.
    func convert<Element>(_ values: [Any], to type: Element.Type) throws(KeyValueError) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for value in values {
            guard let element = convertForCoding(value, to: type) else {
                throw error(.wrongType(expected: "elements of type \(type)", actual: typeName(of: value)))
            }
            elements.append(element)
        }
        return elements
    }
}

/// A collection that can be made empty.
protocol EmptyCollectionValue {
    init()
}

extension TrackedObject {
    /// Follows a path to the object whose collection its last key names. An object on the way that is nil is an error.
    func collectionOwner(_ keyPath: String) throws(KeyValueError) -> (object: TrackedObject, key: String) {
        let end = try pathEnd(keyPath)
        guard let object = end.object, let (schema, slot) = end.declared else {
            throw KeyValueError(
                .wrongType(expected: "an object", actual: "nil"), className: end.missing!.schema.className,
                key: end.missing!.key, keyPath: keyPath)
        }
        return (object, schema.keys[slot].name)
    }
}
