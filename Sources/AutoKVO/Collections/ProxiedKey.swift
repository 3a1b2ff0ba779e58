/// The key of a collection that a proxy stands for.
///
/// It reads and writes through the property each time, so it never holds a collection that has been replaced.
@usableFromInline struct ProxiedKey {
    @usableFromInline let object: TrackedObject
    let schema: ClassSchema
    let key: ResolvedKey
    /// The path that has led to it.
    let keyPath: String
    /// Whether elements are from such a collection: then they are not converted as those from outside are, an `NSNull` to nil.
    var isOwn = false
    /// Whether no setter runs.
    var writesStorage = false

    @usableFromInline init(_ object: TrackedObject, _ name: String) throws(KeyValueError) {
        let schema = try object.requireSchema()
        self.init(object, schema, try schema.requireKey(name, in: name))
        try key.checkKeyPath(of: object)
    }

    /// A key that has been looked up.
    init(_ object: TrackedObject, _ schema: ClassSchema, _ key: ResolvedKey, in keyPath: String? = nil) {
        (self.object, self.schema, self.key, self.keyPath) = (object, schema, key, keyPath ?? key.name)
    }

    /// The collection now; nil if the property is nil.
    @usableFromInline func read() -> Any? { unwrapped(object.valueOfKey(key.slot, of: schema)) }

    /// Sets the property; by an `UndoHistory` also one that has no setter, since no `Key` offers it.
    func write(_ value: Any) {
        if !writesStorage, let write = key.declared.write { return write(object, value) }
        if let field = key.field { key.storageType?.restore(value, in: field, of: object) }
    }

    /// The name of the key.
    @usableFromInline var name: String { key.name }

    /// Whether assigning an equal value is no change.
    var isDistinct: Bool {
        object.isObserved && key.observed.map { $0.storage.isDistinct($0.field, of: object) } ?? false
    }

    /// The elements now.
    @usableFromInline var elements: [Any] { (read() as? any KeyValueCollection)?.elements ?? [] }

    @usableFromInline
    func error(_ reason: KeyValueError.Reason) -> KeyValueError { schema.error(reason, of: key, in: keyPath) }

    /// Values as elements of a type.
    @usableFromInline func convert<Element>(_ values: [Any], to type: Element.Type) throws(KeyValueError) -> [Element] {
        try values.map { value throws(KeyValueError) -> Element in
            let element = isOwn ? AutoKVO.convert(value, to: type) : convertForCoding(value, to: type)
            if let element { return element }
            throw error(.wrongType(expected: "elements of type \(type)", actual: typeName(of: value)))
        }
    }

    /// What edits the collection, of which the type is known: an `@Observed` property is edited in place, any other, and one that a
    /// subclass may override, is set. One that has no setter, since no `Key` offers it, is edited only by an `UndoHistory`.
    @usableFromInline
    func editor<Value: Collection & ExpressibleByArrayLiteral>(of type: Value.Type) -> any CollectionEditor<Value> {
        // Both wrappers begin with the collection.
        let isStored = key.storageType == Observed<Value>.self || key.storageType == ObservedReadOnly<Value>.self
        let isInPlace = isStored && (!key.isOverridden || key.declared.write == nil)
        guard let offset = key.offset, isInPlace else { return ComputedCollection(key: self) }
        return Property(object, PropertyStorage(in: object, offset: offset))
    }
}

extension ClassSchema {
    /// The type of a key, which has to be a collection of a kind and settable.
    func collectionType<Kind>(
        of key: ResolvedKey, as kind: Kind.Type, _ description: String, in keyPath: String? = nil
    ) throws(KeyValueError) -> Kind {
        let (declared, keyPath) = (key.declared.valueType, keyPath ?? key.name)
        guard let type = unwrappedType(declared) as? Kind else {
            throw error(.wrongType(expected: "\(declared)", actual: description), of: key, in: keyPath)
        }
        try requireSetter(of: key, in: keyPath)
        return type
    }
}

/// The collection of a key, which is read, edited as a copy, and set. Empty if the property is nil.
struct ComputedCollection<Value: Collection & ExpressibleByArrayLiteral>: CollectionEditor {
    let key: ProxiedKey

    var object: TrackedObject { key.object }
    var editedSlot: Int? { key.key.slot }
    var value: Value { key.read() as? Value ?? [] }

    /// Whether the collection is a known one, as far as its elements can be compared. The one that is there is known then.
    private func isStill(_ known: inout Value?) -> Bool {
        let (last, now) = (known!, value)
        known = now
        let isSet = Value.self is any SetAlgebra.Type
        func areSame(_ a: Value, _ b: Value) -> Bool {
            // Equal objects are not the same.
            let areObjects = unwrappedType(Value.Element.self) is AnyObject.Type
            if !areObjects, areEqual(a, b) { return true }
            if a.count != b.count { return false }
            if isSet { return areObjects && Set(a.map { ElementIdentity($0) }) == Set(b.map { ElementIdentity($0) }) }
            let isSame = ElementIdentity.comparison(Array(a), Array(b))
            return zip(a, b).enumerated().allSatisfy { isSame($0, $0) || isSameContent($1.0, $1.1) }
        }
        if last.count != now.count { return false }
        // Where the getter makes others each time, it says nothing that these are others.
        return areSame(last, now) || !areSame(now, value)
    }

    func edit<Result, Failure: Error>(
        stored: () -> Void, _ plan: (Value) throws(Failure) -> Bool, _ change: () -> CollectionChange,
        _ store: (inout Value) -> Result
    ) throws(Failure) -> Result? {
        // What there was.
        var planned: Value?
        // What the plan has made of it, for the setter.
        var made: Value?
        return try object.edit(
            editedSlot,
            plan: { () throws(Failure) in
                planned = value
                return try plan(planned!)
            }, isPlanned: { isStill(&planned) }, isMade: { made == nil || isStill(&made) }, stored: stored, change
        ) {
            // Not read again: the getter may have another one then.
            var value = planned.take()!
            let result = store(&value)
            made = value
            key.write(value)
            return result
        }
    }
}
