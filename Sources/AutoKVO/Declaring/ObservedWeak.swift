/// A property of a `TrackedObject` that refers weakly to another tracked object.
///
/// The death of that object is a change of the property to nil, for whoever observes it, directly, through a derived key
/// or as part of a path. Reading costs one attempt to retain the object.
@propertyWrapper
public struct ObservedWeak<Referent: TrackedObject> {
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
        get { object[keyPath: storage].referent }
        set {
            let place = withUnsafeMutablePointer(to: &object[keyPath: storage]) { UnsafeMutableRawPointer($0) }
            write(newValue, object, place)
        }
    }

    private static func write(_ newValue: Referent?, _ object: TrackedObject, _ place: UnsafeMutableRawPointer) {
        let storage = place.assumingMemoryBound(to: ObservedWeak<Referent>.self)
        let reference = newValue.map(PinnedReference.init)
        guard object.isObserved else {
            storage.pointee.reference = reference
            return
        }
        let ticket = object.ticket(forWriteTo: place)
        // The watch on the object referred to has to follow, so every change that somebody sees is announced.
        if ticket.form != .silent { object.beginWrite(ticket) }
        storage.pointee.reference = reference
        if ticket.form != .silent { object.endWrite(ticket) }
    }

    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, Property<Referent?>>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>
    ) -> Property<Referent?> {
        let place = withUnsafeMutablePointer(to: &object[keyPath: storage]) { UnsafeMutableRawPointer($0) }
        return Property(object, place: place, indirect: Handle.self)
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
}
