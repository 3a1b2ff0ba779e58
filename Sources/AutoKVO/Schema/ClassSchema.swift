/// A class's schema made ready for use: every key has a slot, its dependencies are closed, and a place in an object
/// leads to the key of the `@Observed` property that lies there.
///
/// Made once for each class, immutable from then on, and never freed.
final class ClassSchema: @unchecked Sendable {
    let type: AnyClass
    /// The class that declared the schema: `type` or one of its superclasses.
    let owner: AnyClass?
    /// By slot. A subclass has its superclass's keys in the same slots, then its own.
    let keys: [ResolvedKey]
    let handlers: [String: DeclaredHandler]
    private let slots: [String: Int]
    /// What writes and registrations look up, as plain memory that records point to.
    let layout: InPlace<SlotLayout>
    /// `slots` for names of up to 15 bytes, which is how nearly all are looked up: open addressing, by their bits.
    private let shortNames: ShortNameTable

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
        let layout = SlotLayout.make(
            for: keys, unregistersManually: !((type as? TrackedObject.Type)?.unregistersAutomatically ?? true))
        self.layout = layout
        shortNames = ShortNameTable(slots)
        layout.value.schema = .to(self)
    }

    deinit {
        // Two threads made the schema of one class, and this is the one that came second: see `cached`.
        SlotLayout.free(layout)
    }

    /// The slot of the observed property that begins `offset` bytes into the object, or -1.
    func slot(atOffset offset: Int) -> Int { layout.value.slot(atOffset: offset) }

    /// The slot of a key.
    ///
    /// - Complexity: O(1).
    func slot(of name: String) -> Int? {
        shortNames[name] ?? slots[name]
    }

    func requireSlot(of name: String, in keyPath: String) throws(KeyValueError) -> Int {
        if let slot = slot(of: name) { return slot }
        throw unknownKey(name, in: keyPath)
    }

    func unknownKey(_ name: String, in keyPath: String) -> KeyValueError {
        KeyValueError(
            .unknownKey(nearest: nearestName(to: name, among: slots.keys)), className: className, key: name, keyPath: keyPath)
    }

    func requireHandler(_ name: String) throws(KeyValueError) -> DeclaredHandler {
        if let handler = handlers[name] { return handler }
        throw KeyValueError(
            .unknownHandler(nearest: nearestName(to: name, among: handlers.keys)), className: className, key: name)
    }

    /// The key whose property is the one a key path names, in any class of this one's line.
    func slot(of keyPath: AnyKeyPath) -> Int? {
        keys.firstIndex { $0.declared.keyPath == keyPath || $0.overridden.contains { $0.keyPath == keyPath } }
    }
}
