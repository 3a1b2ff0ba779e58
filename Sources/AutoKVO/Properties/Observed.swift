/// A property of a `TrackedObject` whose writes notify its observers.
///
///     class Person: TrackedObject {
///         @Observed var age = 0
///     }
///
/// The property's name is its key, also if no schema declares it: it is observed and read by name, and by its handle `$age`. It is
/// written by name only if the schema has a `Key` for it.
/// `private(set)` only prevents assignments to the property in other files: code that can read the property can write it
/// through its handle, `object.$age.value = 1`. For a property that only its class writes there is `@ObservedReadOnly`.
///
/// A write through the handle goes to the storage: it notifies observers, and runs neither `didSet` nor an override's setter.
///
/// Old and new values are what the property reads. Where a subclass overrides its accessors, that is what the override's getter returns:
/// the getter is called before and after each change that is observed, of all properties of the class whose getters may be overridden.
/// If no `Key` declares the property, it is found with the first such change; a value that is asked for before is the stored one.
///
/// A property of a type that has one value, such as `Void` or an enum of one case, is a key like any other, and never changes: nobody is
/// notified when it is set. It has no storage of its own, so the handle of one is that of another of the same type.
///
/// Each assignment is a change, also that of an equal value. Of a property that is declared with a policy it is not:
///
///     @Observed(.distinct) var level = 0
///
/// See `ObservedPolicy.distinct`.
///
/// It cannot be combined with another property wrapper, in either order: the compiler (6.3.1) refuses both. Correct a value in `didSet`.
///
/// Reading costs a plain read, one load and one branch. So does writing while the object has no observer; but since observers might release the
/// object, the compiler has a loop over objects retain each that it writes to.
/// Changing a collection in place (`person.friends.append(x)`) does not copy it unless an observer asked for `.old` or `.distinct`. From
/// another module, in a class that is subclassed, through a protocol and in an optional chain (`person.age? += 1`) the compiler (6.3.1) does not
/// inline the accessor, and each change in place takes 0.14 µs: call a method of the class there, or read and assign.
/// While a property is changed in place nobody may read it: Swift stops the program. The library reads it for observers that ask for values,
/// so a function that has the property as `inout` must not make an observed path or derived value lead to it.
///
/// It is coded as its value if that is `Codable`, so that a tracked class can synthesize `Codable`. Decoding notifies nobody.
///
/// Observers are called on the thread that writes, after the new value is in place and before the write returns.
/// If several threads write one property, the caller has to serialise the writes, as for any property.
@propertyWrapper
public struct Observed<Value>: ValueStorage {
    // What finds the storage of a property takes it for that of its value, so this is the first.
    @usableFromInline var value: Value
    @usableFromInline var isDistinct = false

    /// Sets the initial value, which is no change: an object that is being initialised has no observer.
    @export(implementation) public init(wrappedValue: Value) { value = wrappedValue }

    /// Sets the initial value of a property that has a policy.
    @export(implementation) public init(wrappedValue: Value, _ policy: ObservedPolicy) where Value: Equatable {
        (value, isDistinct) = (wrappedValue, true)
    }

    /// Sets an optional property that has a policy to nil.
    @export(implementation) public init(_ policy: ObservedPolicy) where Value: Equatable & ExpressibleByNilLiteral {
        (value, isDistinct) = (nil, true)
    }

    @available(*, unavailable, message: "Give it a value, or set it in init: _x = Observed(wrappedValue: x, .distinct)")
    @export(implementation) public init(_ policy: ObservedPolicy) where Value: Equatable { preconditionFailure() }

    @available(*, unavailable, message: "@Observed works only in classes that derive from TrackedObject.")
    @export(implementation) public var wrappedValue: Value {
        get { preconditionFailure() }
        set { preconditionFailure() }
    }

    @available(*, unavailable, message: "@Observed works only in classes that derive from TrackedObject.")
    @export(implementation) public var projectedValue: Property<Value> { preconditionFailure() }

    @export(implementation)
    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> Value {
        // Always inlined: a call would have to create the key path at run time and access the storage through it (150 ns). The key
        // path of the property is made only where it is needed: to read a property whose getter a subclass may override.
        @inline(__always) get {
            if isRecording {
                let place = addressing { PropertyStorage(at: &object[keyPath: storage].value) }
                object.noteRead(atOffset: place.offset(in: object))
            }
            return object[keyPath: storage].value
        }
        @inline(__always) set {
            if object.isObserved {
                // The address is used after the access has ended: observers read the property during `write`.
                let storage = PropertyStorage(at: &object[keyPath: storage].value)
                if write(newValue, to: object, at: storage) { return }
                return writeOverridden(newValue, to: object, at: storage) { getter(of: wrapped()) }
            }
            // What was there is released behind the access: the death of an object is a change, whose observers may read the property.
            var value = newValue
            swap(&object[keyPath: storage].value, &value)
        }
        @inline(__always) _modify {
            // One yield for both cases: two are not inlined and take four times as long.
            let edit =
                object.isObserved
                ? InPlaceEdit.begin(object, PropertyStorage(at: &object[keyPath: storage].value)) {
                    getter(of: wrapped())
                } : nil
            // Deferred: if the edit throws, code after the yield does not run, and the change has to end.
            defer { edit?.finish(object) }
            yield &object[keyPath: storage].value
        }
    }

    @export(implementation)
    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, Property<Value>>,
        storage storage: ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> Property<Value> {
        Property(object, addressing { PropertyStorage(at: &object[keyPath: storage].value) })
    }

    /// Writes a property of an object that is observed and whose key `write` does not find: a subclass may override the getter, or there
    /// is none.
    @export(implementation) @inline(never) static func writeOverridden(
        _ newValue: Value, to object: TrackedObject, at storage: PropertyStorage<Value>, getter: () -> PropertyGetter?
    ) {
        var value = newValue
        object.announcingWrite(atOffset: storage.offset(in: object), getter: getter) { storage.swap(&value) }
    }

    /// Writes a property of an object that is observed. False if `writeOverridden` has to; then nothing is done.
    ///
    /// - Parameter storage: The property's storage. It is written to only if the class has a property at that offset, whose
    ///   storage stays at the address as long as the object lives.
    @export(implementation) @inline(never)
    static func write(_ newValue: Value, to object: TrackedObject, at storage: PropertyStorage<Value>) -> Bool {
        if storage.isDistinct, object.holds(newValue, at: storage) { return true }
        return ValuePointers.with(new: newValue) { values, old in
            object.write(atOffset: storage.offset(in: object), values) { swap(&storage.value, &old.value) }
        }
    }
}

/// A wrapper whose storage begins with the value of the property.
protocol ValueStorage: ObservedStorage { associatedtype Value }

extension ValueStorage {
    static var valueType: Any.Type { Value.self }

    static func reader(of field: FieldLayout.Field) -> (AnyObject) -> Any {
        { object in
            if isRecording { known(object, as: TrackedObject.self).noteRead(atOffset: field.offset) }
            return PropertyStorage<Value>(in: object, offset: field.offset).checkedValue
        }
    }

    static func isDistinct(_ field: FieldLayout.Field, of object: AnyObject) -> Bool {
        PropertyStorage<Value>(in: object, offset: field.offset).isDistinct
    }

    static func stores(_ value: Any, in field: FieldLayout.Field, of object: AnyObject) -> Bool {
        guard let value = value as? Value else { return false }
        return PropertyStorage<Value>(in: object, offset: field.offset).holds(value)
    }

    static func restore(_ value: Any, in field: FieldLayout.Field, of object: TrackedObject) {
        guard let value = heldContent(of: value, as: Value.self) ?? (value as? Value) else { return }
        let property = Property<Value>(object, PropertyStorage(in: object, offset: field.offset))
        func put(in stored: inout Value) { stored = value }
        // An equal value that is another one was changed in place, and that is not compared.
        let isEqual = property.storage.isDistinct && object.holds(value, at: property.storage)
        if isEqual, !property.storage.holds(value) { put(in: &property.value) } else { property.write(value) }
    }

    static func mayHold(_ value: Any, in field: FieldLayout.Field, of object: AnyObject) -> Bool {
        guard let value = value as? Value else { return true }
        // `==` is called only if the bytes differ, as padding may.
        if stores(value, in: field, of: object) { return true }
        let stored = field.value(in: .to(object), as: Value.self)
        return areEqual(value, stored) || !areEqual(stored, stored) || !areEqual(value, value)
    }
}

/// What reads a property, whether a subclass overrides it or not.
@export(implementation) func getter<Owner: TrackedObject, Value>(of property: KeyPath<Owner, Value>) -> PropertyGetter {
    PropertyGetter(property) { known($0, as: Owner.self)[keyPath: property] }
}

extension Observed: Sendable where Value: Sendable {}
