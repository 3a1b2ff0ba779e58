/// A property that is set again and again, by a binding: what that takes is looked up and checked once. It keeps no object.
@usableFromInline struct SettableProperty {
    private let type: Any.Type
    private let equality: AnyEquality
    private let read: ObjectReader
    private let write: (AnyObject, Any) -> Void
    /// Whether a copy counts as an equal value, also of what cannot be compared: for a binding in both ways.
    var comparesCopies = false
    /// Calls the handlers that a write would call first: those that have not heard of an earlier change.
    private let completeDeliveries: (TrackedObject) -> Void

    @usableFromInline init<Value>(
        of type: Value.Type, at offset: Int, read: @escaping (AnyObject) -> Any,
        write: @escaping (AnyObject, Any) -> Void
    ) {
        (self.type, equality, self.read, self.write) = (type, AnyEquality.of(type), ObjectReader(read), write)
        completeDeliveries = { $0.completeDeliveries(beforeWriteOf: $0.slot(atOffset: offset)) }
    }

    /// What compares values by itself, and is to be called with each.
    init<Value>(
        comparing set: @escaping (TrackedObject, Value) -> Void, completing: @escaping (TrackedObject) -> Void
    ) {
        (type, equality, read) = (Value.self, AnyEquality(), ObjectReader { _ in () })
        write = { set(known($0, as: TrackedObject.self), content(of: $1, as: Value.self)) }
        completeDeliveries = completing
    }

    /// The property of a key, read and set by name.
    init(_ key: ResolvedKey) {
        (type, equality, read) = (key.declared.valueType, .ofType(key.declared.valueType), key.declared.read)
        write = key.announcesItself ? key.declared.write! : { known($0, as: TrackedObject.self).set($1, key) }
        completeDeliveries = { SettableProperty.completeDeliveries(before: key, of: $0) }
    }

    /// Calls the handlers that setting a key of an object by name would call first.
    static func completeDeliveries(before key: ResolvedKey, of object: TrackedObject) {
        // The setter of a computed one, or an overridden one, may set any property of it, and what the getter reads.
        if key.offset == nil || key.isOverridden {
            return OutermostChange.finishCalls(of: object) { _ = key.declared.read(object) }
        }
        object.completeDeliveries(beforeWriteOf: key.slot)
    }

    /// The name by which messages describe a property, or the end of a path from outside.
    static func name(_ keyPath: String, of object: TrackedObject) -> String {
        "\(Swift.type(of: object)).\(shown(keyPath))"
    }

    /// The value that the path of a change has now, in a handler of the change, whatever its type.
    static func value<Value>(of change: Change<Value>) -> Any { change.valueInHandler }

    /// Whether the observation of a change is still valid, in a handler of it.
    @inline(__always)
    static func isValid<Value>(_ change: Change<Value>) -> Bool { change.context.observation!.use { $0.isValid } }

    /// Whether handlers of this thread's changes are still to be called, which a write may have to call first.
    static var isOvertaking: Bool { !ThreadContext.current.value.pending.isEmpty }

    /// Whether a value is held as one of the property's type.
    func isOfType(_ value: Any) -> Bool { contentType(of: value) == type }

    /// The value, as one of the property's type.
    func value<Value>(in object: TrackedObject, as type: Value.Type) -> Value { content(of: read(object), as: type) }

    /// Whether the property of an object has a value that is equal to this one, which has its type.
    @inline(__always) func holds(_ value: Any, in object: TrackedObject) -> Bool {
        let held = read(object)
        return equality.compare(held, value) || comparesCopies && areCopies(held, value)
    }

    /// The opposite. Where handlers are to be called before a write, they are called, and may make it needless.
    func needs(_ value: Any, in object: TrackedObject) -> Bool {
        if holds(value, in: object) { return false }
        if !SettableProperty.isOvertaking { return true }
        completeDeliveries(object)
        return !holds(value, in: object)
    }

    /// Sets the property of an object to a value of its type.
    func set(_ object: TrackedObject, to value: Any) { write(object, value) }
}

extension Property {
    /// The property, in any object of the class, set through its handle. Compiled with the call that makes a binding, where the
    /// type is known.
    @inlinable var settable: SettableProperty {
        let (offset, indirect) = (storage.offset(in: object), indirect)
        func handle(_ object: AnyObject) -> Property {
            Property(
                known(object, as: TrackedObject.self), PropertyStorage(in: object, offset: offset), indirect: indirect)
        }
        return SettableProperty(
            of: Value.self, at: offset, read: { handle($0).value },
            write: { handle($0).write(content(of: $1, as: Value.self)) })
    }
}

/// What the key path of a handle leads to, for a binding.
@usableFromInline func handles<Root: TrackedObject, Handle: PropertyHandle>(
    at keyPath: KeyPath<Root, Handle>, of root: Root
) -> HandleKeyPath<Root, Handle> { HandleKeyPath(root, keyPath) }
