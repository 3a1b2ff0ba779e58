/// The property at the end of a path, set in the object that is there at that time. It keeps no object.
struct SettablePath<Value> {
    let path: ParsedKeyPath
    /// Reads and writes the property of a handle, whatever its wrapper.
    private let own: SettableProperty?
    /// Whether a property whose getter a subclass overrides is set through its setter, and not in its storage: since what it reads is shown.
    private let isShown: Bool

    init(_ handle: some PropertyHandle, isShown: Bool = false) {
        // A path by name is followed by name, also if it is one key.
        path = handle.target.path ?? handle.target.wholePath
        own = (handle as? Property<Value>)?.settable
        self.isShown = isShown
    }

    /// The property, for a binding of the object at which the path begins.
    var settable: SettableProperty {
        SettableProperty(comparing: { set($1, from: $0) }) { root in
            var last: TrackedObject?
            // A handler may move the path to another object. But a getter may make another one each time.
            for _ in 0..<4 {
                // What cannot be reached is not set either, and reported then.
                guard let end = try? path.end(from: root), let object = end.object, let key = end.key?.key,
                    object !== last
                else { return }
                SettableProperty.completeDeliveries(before: key, of: object)
                last = object
            }
        }
    }

    /// The object that has the last key; nil if there is none, or one on the way does not fit the path, which `reportMisfit` says (`try?`).
    func object(from root: TrackedObject) -> TrackedObject? { try? path.end(from: root).object }

    /// Reports that something is to be set where an object on the way does not fit the path, if that is so.
    func reportMisfit(from root: TrackedObject) {
        do throws(KeyValueError) { _ = try path.end(from: root) } catch { report(error) }
    }

    private func report(_ error: KeyValueError) {
        Diagnostics.report("A binding cannot set \(quoted(path.text)): \(error)")
    }

    /// Observes which object that is, where it is not the one at which the path begins.
    func observeObject<Observer: TrackedObject>(
        from root: TrackedObject, by observer: Observer, _ options: ObservingOptions, _ file: StaticString,
        _ line: UInt, _ handler: @escaping (Observer, Change<ObjectIdentifier?>) -> Void
    ) -> KeyValueObservation? {
        guard path.isLong, path.tail == nil else { return nil }
        return Registration(options, nil, .closure(handler), file, line)
            // By identity: an equal object is another one.
            .observe(
                reading: { object(from: known($0, as: TrackedObject.self)).map(ObjectIdentifier.init) as Any },
                as: ObjectIdentifier?.self, of: root, by: observer)
    }

    /// The value; nil if an object on the way is nil.
    func value(from root: TrackedObject) -> Value? { path.value(from: root).flatMap { convert($0, to: Value.self) } }

    /// Sets the property, unless it has an equal value. Where an object on the way is nil, there is nothing to set. A path of handles
    /// writes to the storage, as a handle does; any other sets by name. What cannot be set is reported.
    ///
    /// - Parameter isWanted: Asked behind the handlers that are called before the property is set.
    func set(_ value: Value, from root: TrackedObject, if isWanted: () -> Bool = { true }) {
        do throws(KeyValueError) {
            let end = try path.end(from: root)
            guard let object = end.object, let key = end.key?.key else { return }
            let isStored = !path.properties.isEmpty && key.storageType == Observed<Value>.self
            let storage = isStored ? PropertyStorage<Value>(in: object, offset: key.offset!) : nil
            var handle = own ?? storage.map { Property(object, $0).settable }
            if isShown, key.isOverridden, key.declared.write != nil { handle = nil }
            let new: Any = handle == nil ? try end.step(setting: value)!.value : value
            let property = handle ?? SettableProperty(key)
            if property.needs(new, in: object), isWanted() { property.set(object, to: new) }
        } catch { report(error) }
    }
}

extension TrackedObject {
    /// Checks that values of a type could be set at the end of a key path, as far as types are declared: that its key can be set, and that
    /// the types allow a conversion. A single value may be refused all the same, such as a number that does not fit.
    package func checkType(_ type: Any.Type, forKeyPath keyPath: String) throws(KeyValueError) {
        guard let (schema, key) = try pathEnd(keyPath).key else { return }
        try schema.requireSetter(of: key, in: keyPath)
        if canConvertForCoding(from: type, to: key.declared.valueType) { return }
        throw schema.error(.wrongType(expected: "\(key.declared.valueType)", actual: "\(type)"), of: key, in: keyPath)
    }

    /// A key, looked up and checked once: its property, its index among those of the class, and what makes of a value what a transform makes of
    /// it, as a value of the property's type.
    ///
    /// - Parameter type: The type of the values that it is to be set to.
    /// - Throws: As `setValue(_:forKey:)` and `checkType(_:forKeyPath:)`.
    func settableKey(
        _ name: String, for type: Any.Type, by transform: BindingTransform
    ) throws(KeyValueError) -> (property: SettableProperty, slot: Int, make: (Any?) throws(KeyValueError) -> Any?) {
        let schema = try requireSchema()
        let key = try schema.requireKey(name, in: name)
        try key.checkKeyPath(of: self)
        try checkType(type, forKeyPath: name)
        func make(_ value: Any?) throws(KeyValueError) -> Any? {
            // A transform takes the layers of `Optional` away.
            try schema.convert(transform.isIdentity ? value : transform(value), for: key, in: name)
        }
        return (SettableProperty(key), key.slot, make)
    }

    /// The index of a key among those of the class; nil if it has none of that name, or its schema has a fault, which are not told
    /// apart (`try?`).
    func slot(ofKey name: String) -> Int? { try? requireSchema().slot(of: name) }
}

extension PropertyHandle {
    /// The index of the key among those of the class; nil for a path of several keys.
    var keySlot: Int? { target.longPath == nil ? target.slot() : nil }

    /// The index of the first key of a path of several.
    var firstSlot: Int? { target.longPath?.slot(of: 0, in: .to(target.schema())) }
}

/// Which object's property a binding in both ways has read last, and the value that it showed for it. It keeps neither alive.
final class ShownObject: Sendable {
    private let content = Guarded<(object: PinnedReference<TrackedObject>?, value: Any)?>(nil)

    /// - Parameter value: What is shown where there is no object, too; nil while something else is being set.
    func set(_ object: TrackedObject?, _ value: Any?) {
        let reference = (value.flatMap(unwrapped) as? TrackedObject).map { PinnedReference($0) as Any }
        var other = value.map { (object: object.map(PinnedReference.init), value: reference ?? $0) }
        content.withLock { swap(&$0, &other) }
        // The former one is released without the lock.
        extendLifetime(other)
    }

    /// Whether an object is shown, or that there is none. False while something else is being set.
    func isShown(_ object: TrackedObject?) -> Bool {
        guard let shown = content.withLock({ $0 }) else { return false }
        return object.map { shown.object?.isReference(to: $0) ?? false } ?? (shown.object == nil)
    }

    /// Whether an equal value is shown. False while something else is being set, or if it is an object that is dead.
    func isEqual(to value: Any) -> Bool {
        guard let shown = content.withLock({ $0 })?.value else { return false }
        guard let reference = shown as? PinnedReference<TrackedObject> else { return areSame(shown, value) }
        return reference.object.map { areEqual($0, value) } ?? false
    }
}
