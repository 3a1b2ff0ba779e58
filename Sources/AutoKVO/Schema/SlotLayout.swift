/// What a write needs to know of its class's keys. At a fixed address, so that it is read without counting references.
struct SlotLayout {
    /// Whose layout it is.
    var schema: Borrowed<ClassSchema>!
    /// Whether the class has said that its observations do not end by themselves.
    let unregistersManually: Bool
    private let flags: [Flags]
    /// The slot of the observed property that begins at each byte of an object, -1 where none does.
    private let slots: [Int16]
    /// The keys' own declarations, which the schema owns.
    private let declarations: [Borrowed<DeclaredKey>]

    struct Flags: OptionSet {
        let rawValue: UInt8
        /// Observing the key involves no other key and no other object.
        static let isIndependent = Flags(rawValue: 1)
        /// Writes are not announced automatically.
        static let isSilent = Flags(rawValue: 2)
        /// The property refers weakly to an object.
        static let isWeak = Flags(rawValue: 4)
    }

    init(for keys: [ResolvedKey], unregistersManually: Bool) {
        self.unregistersManually = unregistersManually
        declarations = keys.map { .to($0.declared) }
        flags = keys.map { key in
            var flags: Flags = key.isIndependent ? .isIndependent : []
            if !key.declared.notifiesAutomatically { flags.insert(.isSilent) }
            if key.isWeak { flags.insert(.isWeak) }
            return flags
        }
        var slots = Array(repeating: Int16(-1), count: (keys.compactMap(\.offset).max() ?? -1) + 1)
        for key in keys { if let offset = key.offset { slots[offset] = Int16(key.slot) } }
        self.slots = slots
    }

    var count: Int { flags.count }

    /// The slot of the observed property that begins `offset` bytes into the object, or -1.
    @inline(__always)
    func slot(atOffset offset: Int) -> Int {
        slots.indices.contains(offset) ? Int(slots[offset]) : -1
    }

    @inline(__always)
    subscript(slot: Int) -> Flags { flags[slot] }

    @inline(__always)
    func declaration(_ slot: Int) -> Borrowed<DeclaredKey> { declarations[slot] }
}
