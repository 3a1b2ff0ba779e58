/// A class's schema, prepared for use: every key has a slot, refers to the keys that it depends on and those that depend on it,
/// and is found by the offset of its `@Observed` property in an object.
///
/// **The protocol of this folder.** `Schema`, `Key` and `Handler` are what a user writes; each `Key` and `Handler` makes a
/// `Declaration`. `ClassSchema.of(_:)` evaluates a class's schema at the class's first use by name, checks it, resolves the keys
/// against the fields of the object (`ResolvedKey`), and keeps the result or the error in a cache, which its own lock guards. No
/// lock is held while the schema, which is user code, is evaluated. A `ClassSchema` is immutable from then on and never freed, so
/// it is used without counting references; only the transitive dependencies of a key are computed later, once
/// (`DependencyClosure`). Nothing here refers to an object, so nothing can be dead. Read next: ClassSchema+Making.swift, then
/// ClassSchema+Faults.swift; `SlotLayout` is the part that writes read.
///
/// **An example**: the first `person.observe("age") { … }` of the program.
///
///     ClassSchema.of(Person.self)   finds neither a schema nor a fault; `make` makes the schema of the superclass first
///     schema(of:below:)             reads `Person.schema`; throws if that is neither its own nor the inherited one, or drops the superclass's
///     makeDeclarations              if the schema is the class's own: calls the user's closure for the keys and handlers
///     CollectedKeys.add             behind the superclass's keys, which have the same slots: the `@Observed` properties, as `FieldLayout` reports
///                                   them, then what else the schema declares
///     ResolvedKey, problem(of:)     of each key; the first problem is thrown
///     resolveDependencies           throws if a key is affected by an unknown one, or by itself
///     schemas.insert                for good. If another thread was first, its schema stays. What was thrown is kept, too, as the class's fault
final class ClassSchema: @unchecked Sendable {
    let type: AnyClass
    /// The class that declared the schema: `type` or one of its superclasses.
    let owner: AnyClass?
    /// By slot. A subclass has its superclass's keys in the same slots, then its own.
    let keys: [ResolvedKey]
    let handlers: [String: DeclaredHandler]
    /// The slots of the keys that can be named.
    let slots: [String: Int]
    /// The slots of the keys that a schema hides. Only a handle reaches them, and the dependencies of the class's own keys.
    let hidden: [String: Int]
    /// The same by the bits of the names: part of every registration, where hashing a string takes 25 ns and this 3 ns.
    private let slotsByBits: [StringBits: Int]
    /// The key paths that were used with the class last: see `CheckedKeyPath`.
    let paths = Guarded<KeptPaths>(([:], [:]))
    /// How many stored properties the class has, those of its superclasses included.
    let fieldCount: Int
    /// What writes read. Records point to it.
    let layout: InPlace<SlotLayout>

    /// By their texts, which it keeps, so that the bits in the other one remain theirs; and by the bits of those texts.
    typealias KeptPaths = (byText: [String: any AnyObject & Sendable], byBits: [StringBits: any AnyObject & Sendable])

    var className: String { String(describing: type) }

    init(
        type: AnyClass, owner: AnyClass? = nil, keys: [ResolvedKey] = [], handlers: [String: DeclaredHandler] = [:],
        slots: [String: Int] = [:], hidden: [String: Int] = [:], fieldCount: Int = 0
    ) {
        (self.type, self.owner, self.keys, self.handlers) = (type, owner, keys, handlers)
        (self.slots, self.hidden, self.fieldCount) = (slots, hidden, fieldCount)
        slotsByBits = StringBits.index(slots)
        let isManual = (type as? TrackedObject.Type)?.unregistersAutomatically == false
        layout = .allocate(SlotLayout(for: keys, unregistersManually: isManual))
        layout.value.schema = .to(self)
    }

    deinit {
        // Two threads made the schema of one class, and the other one's is in use: see `cached`.
        layout.deallocate()
    }

    /// The keys that can be named, in the order of their declaration.
    var namedKeys: [ResolvedKey] { keys.filter { slots[$0.name] == $0.slot } }

    /// The slot of the observed property that begins `offset` bytes into the object, or -1.
    func slot(atOffset offset: Int) -> Int { layout.value.slot(atOffset: offset) }

    /// The slot of a key.
    ///
    /// - Complexity: O(1).
    func slot(of name: String) -> Int? { slotByBits(of: name) ?? slots[name] }

    /// The same; nil also if the name is not the same string that the schema has, but one of more than 15 bytes that is equal to it.
    func slotByBits(of name: String) -> Int? { slotsByBits[StringBits(name)] }

    /// The slot of a key that the class itself names, which may be hidden from others.
    func requireOwnSlot(of name: String) throws(KeyValueError) -> Int {
        if let slot = slot(of: name) ?? hidden[name] { return slot }
        throw unknownKey(name, in: name)
    }

    func requireKey(_ name: String, in keyPath: String) throws(KeyValueError) -> ResolvedKey {
        if let slot = slot(of: name) { return keys[slot] }
        throw unknownKey(name, in: keyPath)
    }

    func unknownKey(_ name: String, in keyPath: String) -> KeyValueError {
        let text = ClassSchema.textWithoutReflection(FieldLayout(of: type))
        if let text { return .schemaFault("its keys have no names, since \(text)", of: type, key: name) }
        let reason = KeyValueError.Reason.unknownKey(nearest: nearestName(to: name, among: slots.keys))
        return KeyValueError(reason, className: className, key: name, keyPath: keyPath)
    }

    func error(_ reason: KeyValueError.Reason, of key: ResolvedKey, in keyPath: String) -> KeyValueError {
        KeyValueError(reason, className: className, key: key.name, keyPath: keyPath)
    }

    /// Checks that a key can be set by name.
    func requireSetter(of key: ResolvedKey, in keyPath: String) throws(KeyValueError) {
        guard key.declared.write == nil else { return }
        let line =
            "write Key(\"\(key.name)\", \\.\(key.name)) in the schema of \(key.declared.owner) to let it be set by name"
        throw error(.readOnlyKey, of: key, in: keyPath).saying(
            key.storageType?.isDerived == false && !key.declared.hasKeyPath ? line : nil)
    }

    func requireHandler(_ name: String) throws(KeyValueError) -> DeclaredHandler {
        if let handler = handlers[name] { return handler }
        throw KeyValueError(
            .unknownHandler(nearest: nearestName(to: name, among: handlers.keys)), className: className, key: name)
    }

    /// The slot of the key that the class or a superclass declares with a key path, which may begin at either.
    func slot(of keyPath: AnyKeyPath) -> Int? {
        let found = keys.filter { $0.declarations.contains { $0.isOfSameProperty(as: keyPath, in: type) == true } }
        // A subclass may have given it another name, too.
        return (found.first { $0.observed != nil } ?? found.first)?.slot
    }

    /// All dependencies of a key, computed when they are first needed and kept.
    ///
    /// Only keys that are observed, or changed while observed, need them. So a chain of *n* keys takes O(*n*) memory and not
    /// the O(*n*²) of all closures.
    func dependencies(of slot: Int) -> DependencyClosure { unmanagedDependencies(of: slot).object }

    @inline(__always)
    func unmanagedDependencies(of slot: Int) -> Borrowed<DependencyClosure> {
        keys[slot].closure.load() ?? keys[slot].closure.setIfNil(DependencyClosure(of: slot, among: keys))
    }
}
