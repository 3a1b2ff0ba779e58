/// A property of a `TrackedObject` that refers weakly to another tracked object.
///
/// When that object dies, the property changes to nil, for observers of the property, of a key derived from it and of a path
/// through it. There is no old value of the property and of paths then: nobody can have the object any more. It reads nil as soon as the
/// object's deinit begins. If a handler lets the object die, observers that have not heard of an older change yet are called for that first, with
/// its values, although the property reads nil already.
///
/// Reading costs one attempt to retain the object, and a lock too if the owner was ever observed. The property may be set while the object it
/// refers to dies on another thread.
@propertyWrapper
public struct ObservedWeak<Referent: TrackedObject> {
    // The observers of a death are notified on the thread on which the object dies, and that reads the property. A caller
    // cannot serialise that with a write, so both hold the lock of the owner's record once it has one (the last observation
    // may end in the middle):
    //
    //     the referent dies; its observers are
    //     notified, which reads `reference`
    //                                            sets the property, releases the reference that was there
    //     retains the reference: freed memory
    private var reference: PinnedReference<Referent>?

    /// Sets the initial object, or none.
    public init(wrappedValue: Referent?) {
        reference = wrappedValue.map(PinnedReference.init)
    }

    @available(
        *, unavailable, message: "@ObservedWeak works only on properties of classes that derive from TrackedObject."
    )
    @export(implementation) public var wrappedValue: Referent? {
        get { preconditionFailure() }
        set { preconditionFailure() }
    }

    @available(
        *, unavailable, message: "@ObservedWeak works only on properties of classes that derive from TrackedObject."
    )
    @export(implementation) public var projectedValue: Property<Referent?> {
        preconditionFailure()
    }

    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner,
        wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Referent?>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>
    ) -> Referent? {
        get { Handle.read(PropertyStorage(find(storage, in: object)), object) }
        set { write(newValue, object, find(storage, in: object)) { getter(of: wrapped()) } }
    }

    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, Property<Referent?>>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>
    ) -> Property<Referent?> {
        Property(object, PropertyStorage(find(storage, in: object)), indirect: Handle.self)
    }

    /// Calls a function under the lock of the object's record, if there is one.
    private static func locked<Result>(_ object: TrackedObject, _ body: (ObjectRecord?) -> Result) -> Result {
        guard let record = object.record else { return body(nil) }
        return record.lock.withLock { body(record) }
    }

    /// The property's storage. The thread sanitizer takes this for an access, so it needs the lock too.
    private static func find<Owner: TrackedObject>(
        _ storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>, in object: Owner
    ) -> PropertyStorage<ObservedWeak<Referent>> {
        locked(object) { _ in PropertyStorage(at: &object[keyPath: storage]) }
    }

    private static func write(
        _ newValue: Referent?, _ object: TrackedObject, _ storage: PropertyStorage<ObservedWeak<Referent>>,
        getter: () -> PropertyGetter?
    ) {
        var reference = newValue.map(PinnedReference.init)
        // The watch on the object referred to has to be updated, so every change that is observed is announced.
        object.announcingWrite(atOffset: storage.offset(in: object), getter: getter) {
            locked(object) { record in
                record?.guarded.makeDetails().weakWrites &+= 1
                swap(&storage.value.reference, &reference)
            }
        }
        // The old reference is released without the lock.
        withExtendedLifetime(reference) {}
    }

    final class Handle: IndirectStorage<Referent?> {
        override class func read(_ storage: PropertyStorage<Referent?>, _ object: TrackedObject) -> Referent? {
            if isRecording { object.noteRead(atOffset: storage.offset(in: object)) }
            let reference = locked(object) { _ in PropertyStorage<ObservedWeak>(storage).value.reference }
            TestPoint.readingWeak.reach()
            return reference?.object
        }

        override class func write(_ value: Referent?, _ storage: PropertyStorage<Referent?>, _ object: TrackedObject) {
            ObservedWeak.write(value, object, PropertyStorage(storage)) { nil }
        }
    }
}

extension ObservedWeak: ObservedStorage {
    static var isWeak: Bool { true }
    static var valueType: Any.Type { Referent?.self }

    static func reader(of field: FieldLayout.Field) -> (AnyObject) -> Any {
        { object in
            Handle.read(PropertyStorage(in: object, offset: field.offset), known(object, as: TrackedObject.self)) as Any
        }
    }

    static func restore(_ value: Any, in field: FieldLayout.Field, of object: TrackedObject) {
        guard let value = value as? Referent? else { return }
        Property(object, PropertyStorage(in: object, offset: field.offset), indirect: Handle.self).write(value)
    }
}
