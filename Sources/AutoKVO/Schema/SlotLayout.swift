/// What a write needs to know of its class's keys, as plain memory that is freed with the class's schema: never, once that
/// is in use.
struct SlotLayout {
    let count: Int
    /// Whose layout it is.
    var schema: Borrowed<ClassSchema>!
    /// Whether the class has said that its observations do not end by themselves.
    let unregistersManually: Bool
    private let flags: UnsafeMutablePointer<Flags>
    /// The slot of the observed property that begins at each byte of an object, -1 where none does.
    private let slots: UnsafeMutablePointer<Int16>
    private let offsetCount: Int
    /// The keys' own declarations, which the schema owns: to read a value without counting references on the way.
    private let declarations: UnsafeMutablePointer<Borrowed<DeclaredKey>>

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// Observing the key involves no other key and no other object.
        static let isIndependent = Flags(rawValue: 1)
        /// Writes are not announced by themselves.
        static let isSilent = Flags(rawValue: 2)
        /// The property refers weakly to an object.
        static let isWeak = Flags(rawValue: 4)
    }

    static func make(for keys: [ResolvedKey], unregistersManually: Bool) -> InPlace<SlotLayout> {
        .allocate(SlotLayout(for: keys, unregistersManually))
    }

    /// Frees a layout that `make` made, for a schema that another thread made sooner.
    static func free(_ layout: InPlace<SlotLayout>) {
        layout.value.flags.deallocate()
        layout.value.slots.deallocate()
        layout.value.declarations.deallocate()
        layout.deallocate()
    }

    private init(for keys: [ResolvedKey], _ unregistersManually: Bool) {
        self.unregistersManually = unregistersManually
        count = keys.count
        flags = .allocate(capacity: max(count, 1))
        offsetCount = (keys.compactMap(\.offset).max() ?? -1) + 1
        slots = .allocate(capacity: max(offsetCount, 1))
        slots.initialize(repeating: -1, count: max(offsetCount, 1))
        declarations = .allocate(capacity: max(count, 1))
        for key in keys {
            (declarations + key.slot).initialize(to: .to(key.declared))
            var flags: Flags = []
            if key.isIndependent { flags.insert(.isIndependent) }
            if !key.declared.notifiesAutomatically { flags.insert(.isSilent) }
            if key.isWeak { flags.insert(.isWeak) }
            (self.flags + key.slot).initialize(to: flags)
            if let offset = key.offset { slots[offset] = Int16(key.slot) }
        }
    }

    /// The slot of the observed property that begins `offset` bytes into the object, or -1.
    @inline(__always)
    func slot(atOffset offset: Int) -> Int {
        offset >= 0 && offset < offsetCount ? Int(slots[offset]) : -1
    }

    @inline(__always)
    subscript(slot: Int) -> Flags { flags[slot] }

    @inline(__always)
    func declaration(_ slot: Int) -> Borrowed<DeclaredKey> { declarations[slot] }
}
