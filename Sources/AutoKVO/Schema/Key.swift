import Synchronization

/// A property that can be reached and observed by name.
///
/// The name is usually the property's own, and has to be if the property is `@Observed`: that is how a write finds its key.
/// Something has to announce its changes: the property is `@Observed`, or computed from what is, or the key is `affectedBy` others, or it
/// says `notifiesAutomatically: false`. Any other key is a fault of the schema, since no observer of it would ever be called: of a
/// stored property at the first use of the class, of a computed one that reads nothing observed when it is first read or observed by name.
/// So is one whose key path reads another property than the `@Observed` one of its name, as far as that shows: by the type,
/// or by the first value that is read by name (of a property that the object's own class declares, and if the values can be
/// compared; two properties that are equal at that moment cannot be distinguished). A key that reads and writes nothing but one
/// `@Observed` property of nearly the same name is taken for a misspelt one, unless the
/// names are the same but for capitals and underscores, or one is the beginning or the end of the other by more than a letter; with any other name it is a second name of it.
public struct Key<Class: AnyObject, Value>: SchemaElement {
    /// The declaration with its class erased: an object of the library, which the schema reads.
    @_documentation(visibility: internal) public let declaration: AnyObject

    /// Declares a key.
    ///
    /// - Parameters:
    ///   - name: Not empty, without dots and `|`, not beginning with `@`.
    ///   - keyPath: The property. One that can be written makes the key settable by name.
    ///   - affectedBy: Keys, or paths from this object, whose change is a change of this key too: it is derived from
    ///     exactly them. Without it a computed property is derived from what its getter reads, as with `@Derived`. A key that a subclass
    ///     declares again, with the same property or an override of it, is also affected by what its superclass declares. If either of them says what the key is affected by, both lists
    ///     together are all of it, and what the getter reads is not found out: so a subclass whose getter reads more says what.
    ///     To add or remove an observer takes O(*n*) for the *n* keys of this object that it is derived from, directly or not.
    ///   - notifiesAutomatically: Whether writing the property is announced. If not, only manual announcements are. A
    ///     constant says false, too. What a superclass says false of stays so.
    ///   - validate: Looks at a value for `validateValue(_:forKey:)`, may replace it, and throws to refuse it. Setting the
    ///     property does not call it. It runs on the thread that validates, after that of a superclass that declares the key.
    // Each use of the key path is an evaluation of its own, in the caller: so the compiler sees the literal where it is
    // captured, and reads the property directly. Captured from one variable that is used twice, a read takes 140 ns more. The key
    // path itself is made only when it is asked for: that takes a third of the time of a class's first use. (Forced inlining crashes
    // the compiler, 6.3.1, where a class that is not final says `Schema(Self.self)`.)
    @_disfavoredOverload @inlinable public init(
        _ name: String, _ keyPath: @autoclosure () -> KeyPath<Class, Value>, affectedBy: String...,
        notifiesAutomatically: Bool = true, validate: ((Class, inout Value) throws -> Void)? = nil
    ) {
        let settable = keyPath() as? ReferenceWritableKeyPath<Class, Value>
        let (itself, read) = (keyPath(), keyPath())
        self.init(
            name, { itself }, affectedBy, notifiesAutomatically, validate,
            read: { object in known(object, as: Class.self)[keyPath: read] },
            write: settable.map { settable in
                { object, value in
                    known(object, as: Class.self)[keyPath: settable] = content(of: value, as: Value.self)
                }
            })
    }

    /// Declares a key of a property that can be written, and so be set by name. See the other initializer for the parameters; here the
    /// compiler sees that the key path is writable, and a set by name is a direct call of the property's setter.
    @export(implementation) public init(
        _ name: String, _ keyPath: @autoclosure () -> ReferenceWritableKeyPath<Class, Value>, affectedBy: String...,
        notifiesAutomatically: Bool = true, validate: ((Class, inout Value) throws -> Void)? = nil
    ) {
        let (itself, read, write) = (keyPath(), keyPath(), keyPath())
        self.init(
            name, { itself }, affectedBy, notifiesAutomatically, validate,
            read: { object in known(object, as: Class.self)[keyPath: read] },
            write: { object, value in known(object, as: Class.self)[keyPath: write] = content(of: value, as: Value.self)
            })
    }

    @inlinable init(
        _ name: String, _ keyPath: @escaping () -> AnyKeyPath, _ affectedBy: [String], _ notifiesAutomatically: Bool,
        _ validate: ((Class, inout Value) throws -> Void)?, read: @escaping (AnyObject) -> Any,
        write: ((AnyObject, Any) -> Void)?
    ) {
        declaration = DeclaredKey(
            name: name, keyPath: keyPath, owner: Class.self, valueType: Value.self, affectedBy: affectedBy,
            notifiesAutomatically: notifiesAutomatically, read: read, write: write,
            validate: validate.map { validate in
                { object, value in
                    var typed = value as! Value
                    try validate(known(object, as: Class.self), &typed)
                    value = typed
                }
            })
    }
}

/// A key with its class and type erased. Constant, as every `Declaration`.
@usableFromInline final class DeclaredKey: Declaration, @unchecked Sendable {
    /// Makes the key path. Nil for an `@Observed` property that no schema declares.
    private let makeKeyPath: (() -> AnyKeyPath)?
    /// The key path, once it has been asked for.
    private let madeKeyPath = OnceReference<AnyKeyPath>()
    let valueType: Any.Type
    let affectedBy: [String]
    let notifiesAutomatically: Bool
    let read: ObjectReader
    /// Whether what is read is always a tracked object or an optional one: one reference, or none.
    private let holdsReference: Bool
    /// Whether it is always an array of tracked objects: found out when it is first asked for.
    private let holdsObjects = Atomic<Answer>(.unknown)

    private enum Answer: UInt8, AtomicRepresentable { case unknown, yes, no }
    /// Sets the property to a value of its type. Nil for a key without a setter.
    let write: ((AnyObject, Any) -> Void)?
    /// Runs the key's validation of a value of the property's type. Nil if there is none.
    let validate: ((AnyObject, inout Any) throws -> Void)?
    /// The class of the objects the key holds, if it holds tracked objects (or optional ones).
    let objectClass: TrackedObject.Type?
    /// Where the getter is kept that no schema names: see `init(throughGetterOf:in:)`.
    private(set) var getter: FoundGetter?

    @usableFromInline init(
        name: String, keyPath: (() -> AnyKeyPath)? = nil, owner: AnyClass, valueType: Any.Type,
        affectedBy: [String] = [], notifiesAutomatically: Bool = true, read: @escaping (AnyObject) -> Any,
        write: ((AnyObject, Any) -> Void)? = nil, validate: ((AnyObject, inout Any) throws -> Void)? = nil
    ) {
        (makeKeyPath, self.valueType, self.affectedBy) = (keyPath, valueType, affectedBy)
        (self.notifiesAutomatically, self.read) = (notifiesAutomatically, ObjectReader(read))
        (self.write, self.validate) = (write, validate)
        objectClass = unwrappedType(valueType) as? TrackedObject.Type
        let wrappedType = isOptional(valueType) ? (valueType as? any OptionalValue.Type)?.wrappedType : valueType
        holdsReference = wrappedType is TrackedObject.Type
        super.init(name: name, owner: owner)
    }

    /// The key of an `@Observed` property that no schema declares, in a class that may override its getter. Nothing but the property's own
    /// setter can name the getter, so it is found with the first write in an object that is observed; until then the property is read in its
    /// storage.
    convenience init(throughGetterOf key: DeclaredKey, in observed: ObservedField) {
        let (getter, stored) = (FoundGetter(), observed.storage.reader(of: observed.field))
        self.init(name: key.name, owner: key.owner, valueType: key.valueType, read: { getter.read?($0) ?? stored($0) })
        self.getter = getter
    }

    /// Whether a schema declares it, and not only the `@Observed` property itself.
    var hasKeyPath: Bool { makeKeyPath != nil }

    /// The key path; nil for an `@Observed` property that no schema declares.
    var keyPath: AnyKeyPath? { madeKeyPath.load()?.object ?? makeKeyPath.map { madeKeyPath.setIfNil($0()).object } }

    /// Whether a key path of a class, or of one between it and the declaring one, is of the key's property; nil if that is not certain.
    func isOfSameProperty(as other: AnyKeyPath, in type: AnyClass) -> Bool? {
        guard let keyPath else { return nil }
        // One may begin at a superclass of the class that declares the key of an inherited property.
        if let root = Swift.type(of: other).rootType as? AnyClass, root != owner, isClass(owner, orSubclassOf: root) {
            return ClassCopy.isSameProperty(other, keyPath, in: type, of: root)
        }
        return keyPath == other ? true : ClassCopy.isSameProperty(keyPath, other, in: type, of: owner)
    }

    /// The object the key holds now, if it holds a tracked one.
    func readObject(_ object: TrackedObject) -> TrackedObject? {
        holdsReference ? read.reference(in: object, as: TrackedObject.self) : unwrapped(read(object)) as? TrackedObject
    }

    /// The objects the key holds now; nil if it is not of a type of arrays of tracked ones.
    func readObjects(_ object: TrackedObject) -> [TrackedObject]? {
        if holdsObjects.load(ordering: .relaxed) == .unknown {
            let element = (valueType as? any KeyValueCollection.Type)?.elementType ?? Any.self
            let isArray = element is TrackedObject.Type && arrayType(of: element) == valueType
            holdsObjects.store(isArray ? .yes : .no, ordering: .relaxed)
        }
        return holdsObjects.load(ordering: .relaxed) == .yes ? read.objects(in: object, as: TrackedObject.self) : nil
    }
}

/// What a value may have of tracked objects: none; some, as a collection; or it may be one.
enum HeldObjects { case noObject, elements, itself }

/// What values of a type may have of them.
func heldObjects(_ type: Any.Type) -> HeldObjects {
    let bare = unwrappedType(type)
    if bare is TrackedObject.Type || isOpen(bare) { return .itself }
    guard let collection = bare as? any KeyValueCollection.Type else { return .noObject }
    let parts: [Any.Type] = [collection.elementType, collection.keyType ?? Void.self]
    return parts.contains { heldObjects($0) != .noObject } ? .elements : .noObject
}

/// The getter of a property, named by the property's own accessors.
@usableFromInline final class PropertyGetter {
    let keyPath: AnyKeyPath
    /// Reads the property, whether a subclass overrides it or not.
    let read: (AnyObject) -> Any

    @usableFromInline init(_ keyPath: AnyKeyPath, _ read: @escaping (AnyObject) -> Any) {
        (self.keyPath, self.read) = (keyPath, read)
    }
}

/// Where the getter of a property is kept once it has been found.
final class FoundGetter {
    private let getter = OnceReference<PropertyGetter>()

    var read: ((AnyObject) -> Any)? { getter.load()?.use { $0.read } }

    /// The first one stays, as each is the same.
    func keep(_ found: PropertyGetter) { _ = getter.setIfNil(found) }
}
