/// A property of a `TrackedObject` whose writes its observers are told of.
///
///     class Person: TrackedObject {
///         @Observed var age = 0
///     }
///
/// The key that stands for it in the class's schema has the property's name. Reading costs a plain read. Writing while
/// nobody observes the object costs a plain write, one load and one branch. Changing a collection in place
/// (`person.friends.append(x)`) does not copy it unless an observer asked for `.old`.
///
/// Observers are called on the thread that writes, after the new value is in place and before the write returns.
/// Writes of one property by several threads are the caller's to serialise, as for any property.
@propertyWrapper
public struct Observed<Value> {
    @usableFromInline
    var value: Value

    @inlinable
    public init(wrappedValue: Value) {
        value = wrappedValue
    }

    @available(*, unavailable, message: "@Observed works only on properties of classes that derive from TrackedObject.")
    public var wrappedValue: Value {
        get { preconditionFailure() }
        set { preconditionFailure() }
    }

    @available(*, unavailable, message: "@Observed works only on properties of classes that derive from TrackedObject.")
    public var projectedValue: Property<Value> {
        preconditionFailure()
    }

    @inlinable
    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, wrapped wrapped: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> Value {
        get { object[keyPath: storage].value }
        set {
            if object.isObserved {
                write(newValue, to: object, storage)
            } else {
                object[keyPath: storage].value = newValue
            }
        }
        _modify {
            // One yield for both cases: two are not inlined, and cost four times as much.
            let edit = object.isObserved ? ObservedEdit(of: object, storage) : nil
            yield &object[keyPath: storage].value
            if let edit { edit.finish(object, storage) }
        }
    }

    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, Property<Value>>,
        storage storage: ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> Property<Value> {
        withUnsafeMutablePointer(to: &object[keyPath: storage]) {
            Property(object, place: $0, read: { $0.assumingMemoryBound(to: Observed<Value>.self).pointee.value })
        }
    }

    /// Writes a property of an object that somebody observes.
    @inlinable @inline(never)
    static func write<Owner: TrackedObject>(
        _ newValue: Value, to object: Owner, _ storage: ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) {
        var value = newValue
        let ticket = withUnsafeMutablePointer(to: &object[keyPath: storage]) { place in
            let ticket = object.ticket(forWriteTo: place)
            // The value from before ends up in `value` and is released after the observers were called.
            if ticket.form != .announced { swap(&place.pointee.value, &value) }
            return ticket
        }
        switch ticket.form {
        case .silent: break
        case .immediate, .immediateWithOld:
            withUnsafePointer(to: &value) { old in
                withUnsafePointer(to: newValue) { new in
                    object.didWrite(ticket, Value.self, old: old, new: new)
                }
            }
        case .announced:
            object.beginWrite(ticket)
            swap(&object[keyPath: storage].value, &value)
            object.endWrite(ticket)
        }
    }
}

extension Observed: ObservedStorage {
    static var isWeak: Bool { false }
}

extension Observed: Sendable where Value: Sendable {}

/// A change in place of an `@Observed` property of an object that somebody observes.
@usableFromInline
struct ObservedEdit<Value> {
    @usableFromInline let ticket: WriteTicket
    /// The value from before, if anybody asked: the copy that the edit then has to make of a collection.
    @usableFromInline let old: Value?

    @inlinable
    init<Owner: TrackedObject>(of object: Owner, _ storage: ReferenceWritableKeyPath<Owner, Observed<Value>>) {
        let (ticket, old) = withUnsafeMutablePointer(to: &object[keyPath: storage]) { place in
            let ticket = object.ticket(forWriteTo: place)
            return (ticket, ticket.form == .immediateWithOld ? place.pointee.value : nil)
        }
        self.ticket = ticket
        self.old = old
        if ticket.form == .announced { object.beginWrite(ticket) }
    }

    @inlinable
    func finish<Owner: TrackedObject>(_ object: Owner, _ storage: ReferenceWritableKeyPath<Owner, Observed<Value>>) {
        switch ticket.form {
        case .silent: break
        case .immediate, .immediateWithOld:
            let value = object[keyPath: storage].value
            withUnsafePointer(to: value) { new in
                if let old {
                    withUnsafePointer(to: old) { object.didWrite(ticket, Value.self, old: $0, new: new) }
                } else {
                    object.didWrite(ticket, Value.self, old: nil, new: new)
                }
            }
        case .announced: object.endWrite(ticket)
        }
    }
}
