import Synchronization

/// The slots of the key paths that were used last, found by the identity of the key path: to compare it with those of a class's keys
/// is much of the work of a registration (counts: `observe-key-path`). A literal is one object for each place in the source, unless
/// it is in a generic function.
///
/// A key path that begins at the class that declares the key, or at a subclass of that, has one slot, and only such are kept. One that begins
/// at a superclass may be of different keys in different subclasses. Each place of the table is one
/// word, the address of a key path and the slot, so that it is read without a lock. The key path is kept as long as its address is in
/// the table, so that no other object can have that. Whoever asks holds the key path: if it is found, it was there.
enum KeyPathSlots {
    private static let words = InlineArray<256, Atomic<UInt>> { _ in Atomic(0) }
    /// The key paths in the words, by place. Its lock is held while a word is written.
    private static let kept = Guarded([AnyKeyPath?](repeating: nil, count: 256))

    static func slot(of keyPath: AnyKeyPath) -> Int? {
        let address = Borrowed.to(keyPath).bitPattern
        let word = words[place(of: address)].load(ordering: .acquiring)
        return word >> 16 == address ? Int(word & 0xFFFF) : nil
    }

    /// Keeps a slot in place of what the place had.
    static func keep(_ slot: Int, of keyPath: AnyKeyPath) {
        let address = Borrowed.to(keyPath).bitPattern
        // Every address in use today fits into 48 bits. A slot fits into 15.
        if address >> 48 != 0 { return }
        let place = place(of: address)
        var former: AnyKeyPath? = keyPath
        kept.withLock {
            swap(&$0[place], &former)
            words[place].store(address << 16 | UInt(slot), ordering: .releasing)
        }
        // Released without the lock.
        extendLifetime(former)
    }

    /// Objects are aligned to 16 bytes.
    private static func place(of address: UInt) -> Int { Int((address >> 4 ^ address >> 12) & 255) }
}
