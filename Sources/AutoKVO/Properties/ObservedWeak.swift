/// A property of a `TrackedObject` that refers weakly to another tracked object.
///
/// The death of that object is a change of the property to nil, for whoever observes it, directly, through a derived key
/// or as part of a path. Reading costs one attempt to retain the object, and if the owner was ever observed a lock
/// besides. The property may be set while the object it refers to dies on another thread.
@propertyWrapper
public struct ObservedWeak<Referent: TrackedObject> {
    // The death is told on the thread on which the object dies, and there the property is read. Nobody can keep that apart
    // from a write, so both are done under the lock of the owner's record once it has one (it may be that the last
    // observation ends in the middle):
    //
    //     the referent dies; its death is told,
    //     which reads `reference`
    //                                            sets the property, releases the reference that was there
    //     retains the reference: freed memory
    private var reference: PinnedReference<Referent>?

    /// Begins with an object, or none.
    public init(wrappedValue: Referent?) {
        reference = wrappedValue.map(PinnedReference.init)
    }

    @available(*, unavailable, message: "@ObservedWeak works only on properties of classes that derive from TrackedObject.")
    public var wrappedValue: Referent? {
        get { preconditionFailure() }
        set { preconditionFailure() }
    }

    @available(*, unavailable, message: "@ObservedWeak works only on properties of classes that derive from TrackedObject.")
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
        set { write(newValue, object, place(of: storage, in: object)) }
    }

    /// Where the storage lies. Taking the address is an access for the thread sanitizer, and so needs the lock as well.
    private static func place<Owner: TrackedObject>(
        of storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>, in object: Owner
    ) -> UnsafeMutableRawPointer {
        func place() -> UnsafeMutableRawPointer {
            withUnsafeMutablePointer(to: &object[keyPath: storage]) { UnsafeMutableRawPointer($0) }
        }
        guard let record = object.record else { return place() }
        return record.lock.withLock(place)
    }

    private static func write(_ newValue: Referent?, _ object: TrackedObject, _ place: UnsafeMutableRawPointer) {
        let storage = place.assumingMemoryBound(to: ObservedWeak<Referent>.self)
        var reference = newValue.map(PinnedReference.init)
        guard let record = object.record else {
            storage.pointee.reference = reference
            return
        }
        let ticket = object.isObserved ? object.ticket(forWriteTo: place) : WriteTicket(.silent, -1)
        // The watch on the object referred to has to follow, so every change that somebody sees is announced.
        if ticket.form != .silent { object.beginWrite(ticket) }
        record.lock.withLock {
            record.makeDetails().weakWrites &+= 1
            swap(&storage.pointee.reference, &reference)
        }
        // The one that was there is released without the lock.
        withExtendedLifetime(reference) {}
        if ticket.form != .silent { object.endWrite(ticket) }
    }

    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, Property<Referent?>>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>
    ) -> Property<Referent?> {
        Property(object, place: place(of: storage, in: object), indirect: Handle.self)
    }

    private final class Handle: IndirectStorage<Referent?> {
        override class func read(_ place: UnsafeMutableRawPointer) -> Referent? {
            place.assumingMemoryBound(to: ObservedWeak<Referent>.self).pointee.referent
        }

        override class func write(_ value: Referent?, _ object: TrackedObject, _ place: UnsafeMutableRawPointer) {
            ObservedWeak<Referent>.write(value, object, place)
        }
    }
}

extension ObservedWeak: ObservedStorage {
    static var isWeak: Bool { true }
    static var valueType: Any.Type { Referent?.self }
    // It is read under the owner's lock, so the types are all that is compared.
    static func mayHold(_ value: Any, in field: FieldLayout.Field, of object: AnyObject) -> Bool { true }
}
