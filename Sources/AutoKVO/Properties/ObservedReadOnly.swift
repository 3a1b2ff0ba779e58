/// A property of a `TrackedObject` whose writes notify its observers, and that its `$` handle cannot write.
///
///     class Account: TrackedObject {
///         @ObservedReadOnly private(set) var owner = "nobody"
///         @ObservedReadOnly private(set) var entries: [Entry] = []
///
///         func add(_ entry: Entry) { editable(\._entries).append(entry) }
///     }
///
/// It is `@Observed` in everything else. The class sets the property, and edits its collection through `editable(_:)`, which
/// takes the key path of the wrapper: that is private to the class.
///
/// Observers are called on the thread that writes, before the write returns. The costs are those of `@Observed`.
@propertyWrapper
public struct ObservedReadOnly<Value>: ValueStorage {
    // It contains the other wrapper and nothing else, so a field of one is a field of the other.
    @usableFromInline var observed: Observed<Value>

    /// Sets the initial value, which is no change: an object that is being initialised has no observer.
    @export(implementation) public init(wrappedValue: Value) { observed = Observed(wrappedValue: wrappedValue) }

    /// Sets the initial value of a property that has a policy.
    @export(implementation) public init(wrappedValue: Value, _ policy: ObservedPolicy) where Value: Equatable {
        observed = Observed(wrappedValue: wrappedValue, policy)
    }

    /// Sets an optional property that has a policy to nil.
    @export(implementation) public init(_ policy: ObservedPolicy) where Value: Equatable & ExpressibleByNilLiteral {
        observed = Observed(policy)
    }

    @available(*, unavailable, message: "@ObservedReadOnly works only in classes that derive from TrackedObject.")
    @export(implementation) public var wrappedValue: Value {
        get { preconditionFailure() }
        set { preconditionFailure() }
    }

    @available(*, unavailable, message: "@ObservedReadOnly works only in classes that derive from TrackedObject.")
    @export(implementation) public var projectedValue: ReadOnlyProperty<Value> { preconditionFailure() }

    // The accessors are those of `Observed`, written for the key path of this wrapper: a key path that is passed on or appended
    // to would be created and followed at run time.
    @export(implementation)
    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, wrapped wrapped: @autoclosure () -> ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedReadOnly<Value>>
    ) -> Value {
        @inline(__always) get {
            if isRecording {
                let place = addressing { PropertyStorage(at: &object[keyPath: storage].observed.value) }
                object.noteRead(atOffset: place.offset(in: object))
            }
            return object[keyPath: storage].observed.value
        }
        @inline(__always) set {
            if object.isObserved {
                let storage = PropertyStorage(at: &object[keyPath: storage].observed.value)
                if Observed.write(newValue, to: object, at: storage) { return }
                return Observed.writeOverridden(newValue, to: object, at: storage) { getter(of: wrapped()) }
            }
            var value = newValue
            swap(&object[keyPath: storage].observed.value, &value)
        }
        @inline(__always) _modify {
            let edit =
                object.isObserved
                ? InPlaceEdit.begin(object, PropertyStorage(at: &object[keyPath: storage].observed.value)) {
                    getter(of: wrapped())
                } : nil
            defer { edit?.finish(object) }
            yield &object[keyPath: storage].observed.value
        }
    }

    @export(implementation)
    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, ReadOnlyProperty<Value>>,
        storage storage: ReferenceWritableKeyPath<Owner, ObservedReadOnly<Value>>
    ) -> ReadOnlyProperty<Value> {
        ReadOnlyProperty(Property(object, addressing { PropertyStorage(at: &object[keyPath: storage].observed.value) }))
    }
}

extension ObservedReadOnly: Sendable where Value: Sendable {}

extension KeyValueObserver where Self: TrackedObject {
    /// The handle of an `@ObservedReadOnly` property that writes and edits it: for the class itself, which alone can form the
    /// key path.
    ///
    ///     editable(\._entries).append(entry)
    ///
    /// - Parameter storage: The property's wrapper: its name with an underscore.
    /// - Returns: A handle with the edits of `Property`, which is used by one thread at a time.
    /// - Complexity: O(1).
    @export(implementation)
    public func editable<Value>(_ storage: ReferenceWritableKeyPath<Self, ObservedReadOnly<Value>>) -> Property<Value> {
        Property(self, PropertyStorage(at: &self[keyPath: storage].observed.value))
    }
}
