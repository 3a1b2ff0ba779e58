/// The key of a collection that a proxy stands for.
///
/// It reads and writes through the property each time, so it never holds a collection that has been replaced.
struct ProxiedKey {
    let object: TrackedObject
    let schema: ClassSchema
    let key: ResolvedKey

    init(_ object: TrackedObject, _ name: String, expecting what: String, _ isRight: (Any.Type) -> Bool)
        throws(KeyValueError)
    {
        schema = try object.requireSchema()
        key = schema.keys[try schema.requireSlot(of: name, in: name)]
        self.object = object
        guard isRight(unwrappedType(key.declared.valueType)) else {
            throw error(.wrongType(expected: "\(key.declared.valueType)", actual: what))
        }
        guard key.declared.write != nil else { throw error(.readOnlyKey) }
    }

    /// The collection now; nil if the property is nil.
    func read() -> Any? { unwrapped(key.declared.read(object)) }

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

/// The collection of a key, as one of its type. Empty if the property is nil.
struct ProxiedCollection<Value: EmptyCollectionValue & Collection>: CollectionEditor {
    let key: ProxiedKey

    var value: Value { key.read() as? Value ?? Value() }

    /// An `@Observed` property is edited in place; any other is read, and set to the edited collection. Observers are
    /// not called if the key's automatic notification is off.
    func announce<Result>(
        _ kind: ChangeKind, at positions: RangeSet<Int>?, removed: Any?, inserted: Any?,
        _ body: (inout Value) -> Result
    ) -> Result {
        let (object, key) = (key.object, key.key)
        let change = CollectionChange(kind, indexes: positions, removed: removed, inserted: inserted)
        return object.announcing(key, change) {
            if let offset = key.offset, key.storageType == Observed<Value>.self {
                return Property<Value>(object, storageAddress: Borrowed.to(object).address + offset).exclusively(body)
            }
            var value = value
            let result = body(&value)
            key.declared.write!(object, value)
            return result
        }
    }
}

extension TrackedObject {
    /// Follows a path to the object whose collection its last key names. An object on the way that is nil is an error.
    func collectionOwner(_ keyPath: String) throws(KeyValueError) -> (object: TrackedObject, key: String) {
        let end = try pathEnd(keyPath)
        guard let object = end.object, let (schema, slot) = end.key else {
            throw KeyValueError(
                .wrongType(expected: "an object", actual: "nil"), className: end.missing!.schema.className,
                key: end.missing!.key, keyPath: keyPath)
        }
        return (object, schema.keys[slot].name)
    }
}
