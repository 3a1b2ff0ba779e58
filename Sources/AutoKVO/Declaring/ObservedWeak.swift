internal import CSwiftRuntime

/// A property of a `TrackedObject` that refers weakly to another tracked object.
///
/// The death of that object is a change of the property to nil, for whoever observes it, directly, through a derived key
/// or as part of a path. Reading costs one attempt to retain the object.
@propertyWrapper
public struct ObservedWeak<Referent: TrackedObject> {
    private var reference: PinnedReference?

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

    private var referent: Referent? { reference?.object.map { unsafeDowncast($0, to: Referent.self) } }

    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Referent?>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>
    ) -> Referent? {
        get { object[keyPath: storage].referent }
        set {
            let reference = newValue.map(PinnedReference.init)
            guard object.isObserved else {
                object[keyPath: storage].reference = reference
                return
            }
            let ticket = withUnsafeMutablePointer(to: &object[keyPath: storage]) { object.ticket(forWriteTo: $0) }
            // The watch on the object referred to has to follow, so every change that somebody sees is announced.
            if ticket.form != .silent { object.beginWrite(ticket) }
            object[keyPath: storage].reference = reference
            if ticket.form != .silent { object.endWrite(ticket) }
        }
    }

    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, Property<Referent?>>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedWeak<Referent>>
    ) -> Property<Referent?> {
        withUnsafeMutablePointer(to: &object[keyPath: storage]) {
            Property(object, place: $0, read: { $0.assumingMemoryBound(to: ObservedWeak<Referent>.self).pointee.referent })
        }
    }
}

extension ObservedWeak: ObservedStorage {
    static var isWeak: Bool { true }
}

/// A reference that keeps the memory of an object but not the object: see `ObjectRecord` for why it is not `weak`.
private final class PinnedReference {
    private let address: UnsafeRawPointer

    init(_ object: TrackedObject) {
        address = UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
        csr_pin(address)
    }

    deinit {
        csr_unpin(address)
    }

    var object: TrackedObject? {
        csr_try_retain(address) ? Unmanaged<TrackedObject>.fromOpaque(address).takeRetainedValue() : nil
    }
}
