/// A property of a `TrackedObject` that refers weakly to another tracked object.
///
/// When that object dies, the property changes to nil, for observers of the property, of a key derived from it and of a path
/// through it. Reading costs one attempt to retain the object, and a lock too if the owner was ever observed. The property may be set while the object it refers to dies on another thread.
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
    public var wrappedValue: Referent? {
        get { preconditionFailure() }
        set { preconditionFailure() }
    }

    @available(
        *, unavailable, message: "@ObservedWeak works only on properties of classes that derive from TrackedObject."
    )
    public var projectedValue: Property<Referent?> {
        preconditionFailure()
    }

    private var referent: Referent? { reference?.object }

    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Referent?>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>
    ) -> Referent? {
        get {
            guard let record = object.record else { return object[keyPath: storage].referent }
            let reference = record.lock.withLock { object[keyPath: storage].reference }
            TestPoint.readingWeak.reach()
            return reference?.object
        }
        set { write(newValue, object, storageAddress(of: storage, in: object)) }
    }

    /// The address of the storage. The thread sanitizer takes this for an access, so it needs the lock too.
    private static func storageAddress<Owner: TrackedObject>(
        of storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>, in object: Owner
    ) -> UnsafeMutableRawPointer {
        func storageAddress() -> UnsafeMutableRawPointer {
            withUnsafeMutablePointer(to: &object[keyPath: storage]) { UnsafeMutableRawPointer($0) }
        }
        guard let record = object.record else { return storageAddress() }
        return record.lock.withLock(storageAddress)
    }

    private static func write(_ newValue: Referent?, _ object: TrackedObject, _ storageAddress: UnsafeMutableRawPointer)
    {
        let storage = storageAddress.assumingMemoryBound(to: ObservedWeak<Referent>.self)
        var reference = newValue.map(PinnedReference.init)
        guard let record = object.record else {
            storage.pointee.reference = reference
            return
        }
        let ticket = object.isObserved ? object.ticket(forWriteTo: storageAddress) : WriteTicket(.silent, -1)
        // The watch on the object referred to has to be updated, so every change that is observed is announced.
        if ticket.form != .silent { object.beginWrite(ticket) }
        record.lock.withLock {
            record.guarded.makeDetails().weakWrites &+= 1
            swap(&storage.pointee.reference, &reference)
        }
        // The old reference is released without the lock.
        withExtendedLifetime(reference) {}
        if ticket.form != .silent { object.endWrite(ticket) }
    }

    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, Property<Referent?>>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>
    ) -> Property<Referent?> {
        Property(object, storageAddress: storageAddress(of: storage, in: object), indirect: Handle.self)
    }

    private final class Handle: IndirectStorage<Referent?> {
        override class func read(_ storageAddress: UnsafeMutableRawPointer) -> Referent? {
            storageAddress.assumingMemoryBound(to: ObservedWeak<Referent>.self).pointee.referent
        }

        override class func write(
            _ value: Referent?, _ object: TrackedObject, _ storageAddress: UnsafeMutableRawPointer
        ) {
            ObservedWeak<Referent>.write(value, object, storageAddress)
        }
    }
}

extension ObservedWeak: ObservedStorage {
    static var isWeak: Bool { true }
    static var valueType: Any.Type { Referent?.self }
    // The value is read under the owner's lock, so only the types are compared.
    static func mayHold(_ value: Any, in field: FieldLayout.Field, of object: AnyObject) -> Bool { true }
}
