/// The part of a class's schema that a write reads. At a fixed address, so that it is read without counting references.
struct SlotLayout {
    /// Whose layout it is.
    var schema: Borrowed<ClassSchema>!
    /// Whether the class has said that its observations do not end by themselves.
    let unregistersManually: Bool
    private let keys: [Key]
    /// The slot of the observed property that begins at each byte of an object, `none` where none does. Inverted for a property whose
    /// getter a subclass may override, and for a derived one: they are not read in their storage.
    private let slots: [Int16]
    private static var none: Int16 { .min }

    struct Key {
        /// The key's own declaration, which the schema owns.
        let declaration: Borrowed<DeclaredKey>
        /// Observing the key involves no other key and no other object.
        let isIndependent: Bool
        /// Whether its first use by name may show a fault.
        let needsCheck: Bool
        /// Writes are not announced automatically.
        let isSilent: Bool
        /// The value is computed, from what the computation reads.
        let isRecorded: Bool
        /// The property refers weakly to an object.
        let isWeak: Bool
        /// A subclass may override the getter.
        let isOverridden: Bool
        /// See `ResolvedKey`.
        let height: Int
    }

    init(for keys: [ResolvedKey], unregistersManually: Bool) {
        self.unregistersManually = unregistersManually
        self.keys = keys.map { key in
            Key(
                declaration: .to(key.declared), isIndependent: key.isIndependent,
                needsCheck: !key.isIndependent || key.mayBeOfAnother, isSilent: !key.notifiesAutomatically,
                isRecorded: key.isRecorded, isWeak: key.isWeak, isOverridden: key.isOverridden, height: key.height)
        }
        var slots = Array(repeating: Self.none, count: (keys.compactMap(\.offset).max() ?? -1) + 1)
        for key in keys {
            if let offset = key.offset {
                slots[offset] = Int16(key.isOverridden || key.isRecorded ? ~key.slot : key.slot)
            }
        }
        self.slots = slots
    }

    var count: Int { keys.count }

    /// The slot of the observed property that begins `offset` bytes into the object, or -1.
    @inline(__always)
    func slot(atOffset offset: Int) -> Int {
        let slot = storedSlot(atOffset: offset)
        return slot >= 0 ? slot : slot == Int(Self.none) ? -1 : ~slot
    }

    /// The same if the value of the property is what the storage holds; negative also if a subclass may override the getter.
    @inline(__always)
    func storedSlot(atOffset offset: Int) -> Int { Int(slots.indices.contains(offset) ? slots[offset] : Self.none) }

    @inline(__always)
    subscript(slot: Int) -> Key { keys[slot] }
}
