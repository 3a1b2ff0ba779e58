/// A property of a `TrackedObject` that a function of the object computes.
///
///     class Person: TrackedObject {
///         @Observed var firstName = "Ann"
///         @Observed var lastName = "Lee"
///         @Derived({ (person: Person) in "\(person.firstName) \(person.lastName)" }) var fullName: String
///     }
///
/// It is a key like an observed property: observed and read by name and by its handle `$fullName`, part of paths and operators, bound,
/// streamed. It cannot be written.
///
/// **What it depends on** is what its function reads: the observed, weak and derived properties of any tracked object, handles,
/// `value(forKey:)`, elements. That may be something else after each evaluation. Plain properties and globals are not heard;
/// a property that announces its changes by hand says `didRead(_:)` in its getter, and what is read inside `withoutTracking(_:)` does not
/// count.
///
/// **When it is computed.** As long as nobody needs it, each time that it is read: nothing is kept or registered. While it has an
/// observer, or something that has one read it, the value is kept, and computed at most once for each change (once more if it has
/// come to read a property with `affectedBy:`, which is followed behind the function), on the thread that makes
/// the change or that reads the value. A value that is equal to the one before is no change: nobody is called, and what reads it is not
/// computed. (Equal is `==`; identity for objects without one; NaN equals NaN; what cannot be compared is different.) A prior
/// call is made when a source is about to change; if the value turns out to be equal, no other call follows.
///
/// A kept value that is a tracked object, or an optional one, is not kept alive by that. Objects in a collection, a tuple or a structure are;
/// and an optional one in a protocol's type to which its class does not conform. (Of one that does, what is kept is not the optional.)
///
/// A function that needs its own value, directly or through others, is a mistake in code and traps with a sentence. So does one that
/// writes what it reads, after 100 evaluations. Any other write in it is done, and reported to `Diagnostics`, unless nobody
/// observes that object.
///
/// A subclass can override it as any property. Then the value is what the override's getter returns, and depends on what that reads, if a
/// `Key` declares the property; otherwise from the first time on that the superclass's getter runs, which takes an
/// override that calls `super`, while something needs it.
///
/// The closure has to name the type of its parameter. A class that synthesizes `Codable` leaves the property out of its `CodingKeys`.
@propertyWrapper
public struct Derived<Value>: ObservedStorage {
    @usableFromInline var function: DerivedFunction

    /// A property computed by a function of its object.
    @export(implementation) public init<Owner: TrackedObject>(_ function: @escaping (Owner) -> Value) {
        self.function = DerivedFunction { function(owner($0, as: Owner.self)) }
    }

    /// A property computed by a computed property of its object, such as `\Person.makeSummary`.
    @export(implementation) public init<Owner: TrackedObject>(_ property: KeyPath<Owner, Value>) {
        self.function = DerivedFunction { owner($0, as: Owner.self)[keyPath: property] }
    }

    /// A property computed by a function that belongs to the main actor, as its class does. A class with a `nonisolated` `init()` needs
    /// this form: `@Derived(isolation: MainActor.self, { (player: Player) in "at \(player.position)" })`. There Swift (6.3.1) takes no key path of
    /// the class.
    ///
    /// - Precondition: The property is read, and what its function reads is changed, on the main actor.
    public init<Owner: TrackedObject>(isolation: MainActor.Type, _ function: @escaping @MainActor (Owner) -> Value) {
        self.init { (object: Owner) in
            nonisolated(unsafe) let object = object
            return withoutIsolation { function(object) }()
        }
    }

    @available(*, unavailable, message: "@Derived works only in classes that derive from TrackedObject.")
    @export(implementation) public var wrappedValue: Value { preconditionFailure() }

    @available(*, unavailable, message: "@Derived works only in classes that derive from TrackedObject.")
    @export(implementation) public var projectedValue: ReadOnlyProperty<Value> { preconditionFailure() }

    @export(implementation)
    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, wrapped wrapped: @autoclosure () -> KeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Derived<Value>>
    ) -> Value {
        let place = addressing { PropertyStorage(at: &object[keyPath: storage]) }
        return read(object, place) { getter(of: wrapped()) }
    }

    @export(implementation)
    public static subscript<Owner: TrackedObject>(
        _enclosingInstance object: Owner, projected projected: KeyPath<Owner, ReadOnlyProperty<Value>>,
        storage storage: ReferenceWritableKeyPath<Owner, Derived<Value>>
    ) -> ReadOnlyProperty<Value> {
        let place = addressing { PropertyStorage(at: &object[keyPath: storage]) }
        return ReadOnlyProperty(Property(object, PropertyStorage(place), indirect: Handle.self))
    }

    /// The kept value, or what the function returns now.
    ///
    /// - Parameter getter: What reads the property, whether a subclass overrides it or not.
    @export(implementation) @inline(never) static func read(
        _ object: TrackedObject, _ storage: PropertyStorage<Derived>, getter: () -> PropertyGetter?
    ) -> Value {
        let offset = storage.offset(in: object)
        if object.isObserved || isRecording, let value = object.readDerived(atOffset: offset, getter) {
            return content(of: value, as: Value.self)
        }
        object.beginComputing(atOffset: offset)
        defer { object.endComputing(atOffset: offset) }
        return content(of: storage.value.function.body(object), as: Value.self)
    }

    static var isDerived: Bool { true }
    static var valueType: Any.Type { Value.self }

    static func reader(of field: FieldLayout.Field) -> (AnyObject) -> Any {
        { read(known($0, as: TrackedObject.self), PropertyStorage(in: $0, offset: field.offset)) { nil } as Any }
    }

    static func computation(in field: FieldLayout.Field) -> ((AnyObject) -> Any)? {
        { object in PropertyStorage<DerivedFunction>(in: object, offset: field.offset).value.body(object) }
    }

    @usableFromInline final class Handle: IndirectStorage<Value> {
        @usableFromInline
        override class func read(_ storage: PropertyStorage<Value>, _ object: TrackedObject) -> Value {
            object.valueOfOverride(atOffset: storage.offset(in: object)).map { content(of: $0, as: Value.self) }
                ?? Derived.read(object, PropertyStorage<Derived>(storage)) { nil }
        }
    }
}

/// The function of a derived property. It is not generic, so that calling it needs no type at run time, and no conversion.
@usableFromInline struct DerivedFunction {
    @usableFromInline let body: (AnyObject) -> Any
    @export(implementation) init(_ body: @escaping (AnyObject) -> Any) { self.body = body }
}

/// The object that has a derived property, as the parameter of its function. The compiler does not compare the two classes.
@export(implementation) func owner<Owner: TrackedObject>(_ object: AnyObject, as type: Owner.Type) -> Owner {
    if Swift.type(of: object) == type || object is Owner { return known(object, as: type) }
    fatalMisuse("\(Swift.type(of: object)) has a @Derived property with a function of \(type), which is another class.")
}
