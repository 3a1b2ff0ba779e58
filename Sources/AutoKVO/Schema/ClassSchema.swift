/// A class's schema made ready for use: every key has a slot, and knows the keys that it depends on and those that depend on it;
/// an offset in an object leads to the key of the `@Observed` property there.
///
/// Made once for each class, immutable from then on, and never freed.
final class ClassSchema: @unchecked Sendable {
    let type: AnyClass
    /// The class that declared the schema: `type` or one of its superclasses.
    let owner: AnyClass?
    /// By slot. A subclass has its superclass's keys in the same slots, then its own.
    let keys: [ResolvedKey]
    let handlers: [String: DeclaredHandler]
    let slots: [String: Int]
    /// The same by the bits of the names: part of every registration, where hashing a string takes 25 ns and this 3 ns.
    private let slotsByBits: [StringBits: Int]
    /// What writes look up. Records point to it.
    let layout: InPlace<SlotLayout>

    var className: String { String(describing: type) }

    init(
        type: AnyClass, owner: AnyClass?, keys: [ResolvedKey], handlers: [String: DeclaredHandler],
        slots: [String: Int]
    ) {
        self.type = type
        self.owner = owner
        self.keys = keys
        self.handlers = handlers
        self.slots = slots
        slotsByBits = StringBits.index(slots)
        layout = .allocate(
            SlotLayout(for: keys, unregistersManually: (type as? TrackedObject.Type)?.unregistersAutomatically == false)
        )
        layout.value.schema = .to(self)
    }

    deinit {
        // Two threads made the schema of one class, and the other one's is in use: see `cached`.
        layout.deallocate()
    }

    /// The slot of the observed property that begins `offset` bytes into the object, or -1.
    func slot(atOffset offset: Int) -> Int { layout.value.slot(atOffset: offset) }

    /// The slot of a key.
    ///
    /// - Complexity: O(1).
    func slot(of name: String) -> Int? { slotsByBits[StringBits(name)] ?? slots[name] }

    func requireSlot(of name: String, in keyPath: String) throws(KeyValueError) -> Int {
        if let slot = slot(of: name) { return slot }
        throw unknownKey(name, in: keyPath)
    }

    func unknownKey(_ name: String, in keyPath: String) -> KeyValueError {
        KeyValueError(
            .unknownKey(nearest: nearestName(to: name, among: slots.keys)), className: className, key: name,
            keyPath: keyPath)
    }

    func requireHandler(_ name: String) throws(KeyValueError) -> DeclaredHandler {
        if let handler = handlers[name] { return handler }
        throw KeyValueError(
            .unknownHandler(nearest: nearestName(to: name, among: handlers.keys)), className: className, key: name)
    }

    /// The slot of the key that the class or a superclass declares with a key path.
    func slot(of keyPath: AnyKeyPath) -> Int? {
        keys.firstIndex { $0.declarations.contains { $0.keyPath == keyPath } }
    }
}
