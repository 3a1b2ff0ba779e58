/// A property of a `TrackedObject` that refers weakly to another tracked object.
///
/// When that object dies, the property changes to nil, for observers of the property, of a key derived from it and of a path
/// through it. There is no old value of the property and of paths then: nobody can have the object any more. It reads nil as soon as the
/// object's deinit begins. A change that this deinit makes on the way has no old value either. If it takes the object off the way, its observers,
/// those with `.distinct` too, are called for it, and not for the death as well. If a handler lets the object die, observers that have not heard of an older change yet are called for that first, with
/// its values, although the property reads nil already.
///
/// Reading costs one attempt to retain the object, and a lock too if the owner was ever observed. The property may be set while the object it
/// refers to dies on another thread.
@propertyWrapper
public struct ObservedWeak<Referent: TrackedObject>: ObservedStorage {
    @usableFromInline var reference: WeakReference

    /// Sets the initial object, or none.
    public init(wrappedValue: Referent?) { reference = WeakReference(wrappedValue) }

    @available(*, unavailable, message: "@ObservedWeak works only in classes that derive from TrackedObject.")
    @export(implementation) public var wrappedValue: Referent? {
        get { preconditionFailure() }
        set { preconditionFailure() }
    }

    @available(*, unavailable, message: "@ObservedWeak works only in classes that derive from TrackedObject.")
    @export(implementation) public var projectedValue: Property<Referent?> { preconditionFailure() }

    // Inlined, as the accessors of `Observed` are.
    @export(implementation)
    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner,
        wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Referent?>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>
    ) -> Referent? {
        @inline(__always) get {
            WeakReference.read(addressing { PropertyStorage(at: &object[keyPath: storage].reference) }, object)
                .map { known($0, as: Referent.self) }
        }
        @inline(__always) set {
            let place = addressing { PropertyStorage(at: &object[keyPath: storage].reference) }
            WeakReference.write(newValue, place, object) { getter(of: wrapped()) }
        }
    }

    @export(implementation)
    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, Property<Referent?>>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>
    ) -> Property<Referent?> {
        let place = addressing { PropertyStorage(at: &object[keyPath: storage].reference) }
        return Property(object, PropertyStorage(place), indirect: Handle.self)
    }

    static var isWeak: Bool { true }
    static var valueType: Any.Type { Referent?.self }

    static func reader(of field: FieldLayout.Field) -> (AnyObject) -> Any {
        { Handle.read(PropertyStorage(in: $0, offset: field.offset), known($0, as: TrackedObject.self)) as Any }
    }

    static func restore(_ value: Any, in field: FieldLayout.Field, of object: TrackedObject) {
        guard let value = value as? Referent? else { return }
        Property(object, PropertyStorage(in: object, offset: field.offset), indirect: Handle.self).write(value)
    }

    @usableFromInline final class Handle: IndirectStorage<Referent?> {
        @usableFromInline
        override class func read(_ storage: PropertyStorage<Referent?>, _ object: TrackedObject) -> Referent? {
            WeakReference.read(PropertyStorage(storage), object).map { known($0, as: Referent.self) }
        }

        @usableFromInline
        override class func write(_ value: Referent?, _ storage: PropertyStorage<Referent?>, _ object: TrackedObject) {
            WeakReference.write(value, PropertyStorage(storage), object) { nil }
        }
    }
}

/// What the property stores. It is not generic, so that reading it needs no type at run time.
@usableFromInline struct WeakReference {
    // The observers of a death are notified on the thread on which the object dies, and that reads the property. A caller
    // cannot serialise that with a write, so both hold the lock of the owner's record once it has one (the last observation
    // may end in the middle):
    //
    //     the referent dies; its observers are
    //     notified, which reads `pinned`
    //                                            sets the property, releases the reference that was there
    //     retains the reference: freed memory
    private var pinned: PinnedReference<TrackedObject>?

    init(_ object: TrackedObject?) { pinned = object.map { PinnedReference($0) } }

    /// Calls a function under the lock of the object's record, if there is one.
    private static func locked<Result>(_ object: TrackedObject, _ body: (ObjectRecord?) -> Result) -> Result {
        object.record.map { record in record.lock.withLock { body(record) } } ?? body(nil)
    }

    @usableFromInline
    static func read(_ storage: PropertyStorage<WeakReference>, _ object: TrackedObject) -> TrackedObject? {
        if isRecording { object.noteRead(atOffset: storage.offset(in: object)) }
        guard let pinned = locked(object, { _ in storage.value.pinned }) else { return nil }
        TestPoint.readingWeak.reach()
        if let referent = pinned.object { return referent }
        object.record?.noteDyingReferent(pinned)
        return nil
    }

    @usableFromInline static func write(
        _ object: TrackedObject?, _ storage: PropertyStorage<WeakReference>, _ owner: TrackedObject,
        getter: () -> PropertyGetter?
    ) {
        var reference = WeakReference(object)
        var (former, slot): (DeathWatch?, Int?)
        // The watch on the object referred to has to be updated, so every change that is observed is announced.
        owner.announcingWrite(atOffset: storage.offset(in: owner), getter: getter) {
            locked(owner) { record in
                // Another thread may have made the record since the change began.
                slot = owner.slot(atOffset: storage.offset(in: owner))
                swap(&storage.value, &reference)
                guard let details = record?.guarded.makeDetails() else { return }
                details.weakWrites &+= 1
                // The death of what is not referred to any more is no change.
                guard let slot, details.watches[slot]?.referent.address != storage.value.pinned?.address else { return }
                former = details.watches.removeValue(forKey: slot)
            }
        }
        former?.cancel()
        // If the change is announced by hand, this has not been done yet.
        if let slot, let record = owner.record, former != nil || record.layout!.value[slot].isSilent {
            Recording.suspended { record.updateWatch(of: slot, didChange: true) }
        }
        // The old reference is released without the lock.
        extendLifetime(reference)
    }
}
