/// A property of a `TrackedObject` whose writes its observers are told of.
///
///     class Person: TrackedObject {
///         @Observed var age = 0
///     }
///
/// The key that stands for it in the class's schema has the property's name: no key of another name hears of writes.
/// `private(set)` keeps other files from assigning to the property, and no more: whoever can read it can write it through its
/// handle, `object.$age.value = 1`, and data from outside through `setValue(_:forKey:)`, if the schema has its key.
///
/// Reading costs a plain read. Writing while
/// nobody observes the object costs a plain write, one load and one branch. Changing a collection in place
/// (`person.friends.append(x)`) does not copy it unless an observer asked for `.old`.
///
/// Observers are called on the thread that writes, after the new value is in place and before the write returns.
/// Writes of one property by several threads are the caller's to serialise, as for any property.
@propertyWrapper
public struct Observed<Value> {
    @usableFromInline
    var value: Value

    /// Begins with a value, which is no change: nobody observes an object that is being made.
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
        // Always inlined: a call would have to be given two key paths, made at run time, and go through them (150 ns).
        @inline(__always) get { object[keyPath: storage].value }
        @inline(__always) set {
            if object.isObserved {
                // The place is taken out of the access: observers read the property while `write` is under way.
                let place = withUnsafeMutablePointer(to: &object[keyPath: storage]) { UnsafeMutableRawPointer($0) }
                if write(newValue, to: object, at: place) { return }
            }
            object[keyPath: storage].value = newValue
        }
        @inline(__always) _modify {
            // One yield for both cases: two are not inlined, and cost four times as much.
            var edit: ObservedEdit<Value>?
            if object.isObserved {
                let place = withUnsafeMutablePointer(to: &object[keyPath: storage]) { UnsafeMutableRawPointer($0) }
                edit = ObservedEdit(of: object, at: place)
            }
            // Deferred, since nothing behind a yield runs if the edit throws, and what was begun has to end.
            defer { if let edit { edit.finish(object) } }
            yield &object[keyPath: storage].value
        }
    }

    @inlinable
    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, Property<Value>>,
        storage storage: ReferenceWritableKeyPath<Owner, Observed<Value>>
    ) -> Property<Value> {
        Property(object, place: withUnsafeMutablePointer(to: &object[keyPath: storage]) { UnsafeMutableRawPointer($0) })
    }

    /// Writes a property of an object that somebody observes. False if nobody wants to know, and then nothing was done.
    ///
    /// - Parameter place: The property's storage. It is written to only if the class has a property's storage at that place in
    ///   the object, so it is used as a pointer: it lies there as long as the object lives.
    @inlinable @inline(never)
    static func write(_ newValue: Value, to object: TrackedObject, at place: UnsafeMutableRawPointer) -> Bool {
        let storage = place.assumingMemoryBound(to: Value.self)
        // Takes the value from before, and is released after the access and after the observers were called: its death may be
        // told to somebody who reads this property.
        var old = newValue
        return withUnsafeMutablePointer(to: &old) { old in
            withUnsafePointer(to: newValue) { new in
                object.write(to: place, Value.self, old: old, new: new) { swap(&storage.pointee, &old.pointee) }
            }
        }
    }
}

extension Observed: ObservedStorage {
    static var isWeak: Bool { false }
    static var valueType: Any.Type { Value.self }

    static func mayHold(_ value: Any, in field: FieldLayout.Field, of object: AnyObject) -> Bool {
        guard let value = value as? Value else { return true }
        let stored = field.value(in: object, as: Value.self)
        // A copy has the same bytes. Only where they differ, as padding may, somebody's `==` is asked.
        let isCopy = withUnsafeBytes(of: value) { a in withUnsafeBytes(of: stored) { b in a.elementsEqual(b) } }
        return isCopy || areEqual(value, stored) || !areEqual(stored, stored) || !areEqual(value, value)
    }
}

extension Observed: Sendable where Value: Sendable {}

/// A change in place of an `@Observed` property of an object that somebody observes.
@usableFromInline
struct ObservedEdit<Value> {
    @usableFromInline let ticket: WriteTicket
    /// The value from before, if anybody asked: the copy that the edit then has to make of a collection.
    @usableFromInline let old: Value?

    @usableFromInline let place: UnsafeMutableRawPointer

    @inlinable
    init(of object: borrowing TrackedObject, at place: UnsafeMutableRawPointer) {
        ticket = object.ticket(forWriteTo: place)
        old = ticket.form == .immediateWithOld ? place.assumingMemoryBound(to: Value.self).pointee : nil
        self.place = place
        if ticket.form == .announced { object.beginWrite(ticket) }
    }

    @inlinable
    func finish(_ object: TrackedObject) {
        switch ticket.form {
        case .silent: break
        case .immediate, .immediateWithOld:
            // Handlers may change the property again, so they are told a copy: one that costs nothing where nobody asks.
            let new = ticket.wantsNew ? place.assumingMemoryBound(to: Value.self).pointee : nil
            withOptionalPointer(to: old) { old in
                withOptionalPointer(to: new) { object.didWrite(ticket, Value.self, old: old, new: $0) }
            }
        case .announced: object.endWrite(ticket)
        }
    }
}

@inlinable @inline(__always)
func withOptionalPointer<Value>(to value: Value?, _ body: (UnsafeRawPointer?) -> Void) {
    guard let value else { return body(nil) }
    withUnsafePointer(to: value) { body($0) }
}
