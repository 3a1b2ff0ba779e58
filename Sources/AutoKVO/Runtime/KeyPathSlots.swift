import Synchronization

/// The slots of the key paths that were used last, found by the identity of the key path: to compare it with those of a class's keys
/// is much of the work of a registration (counts: `observe-key-path`). A literal is one object for each place in the source, unless
/// it is in a generic function.
///
/// A key path has one slot: that of the key in the class that declares it, and in all its subclasses. Each place of the table is one
/// word, the address of a key path and the slot, so that it is read and replaced without a lock. The table keeps the key path as long
/// as it has its address, so that no other object can have that. Whoever asks holds the key path: if it is found, it was there.
enum KeyPathSlots {
    private static let count = 256
    private nonisolated(unsafe) static let words = {
        let words = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: count)
        for index in 0..<count { (words + index).initialize(to: Atomic(0)) }
        return words
    }()

    static func slot(of keyPath: AnyKeyPath) -> Int? {
        let address = Borrowed.to(keyPath).bitPattern
        let word = place(of: address).pointee.load(ordering: .acquiring)
        return word >> 16 == address ? Int(word & 0xFFFF) : nil
    }

    /// Keeps a slot in place of what the place had. Not under a lock: the key path that was there is released.
    static func keep(_ slot: Int, of keyPath: AnyKeyPath) {
        let address = Borrowed.to(keyPath).bitPattern
        // Every address in use today fits into 48 bits. A slot fits into 15.
        if address >> 48 != 0 { return }
        let word = Borrowed.retaining(keyPath).bitPattern << 16 | UInt(slot)
        let former = place(of: address).pointee.exchange(word, ordering: .acquiringAndReleasing)
        Borrowed<AnyKeyPath>(bitPattern: former >> 16)?.release()
    }

    /// Objects are aligned to 16 bytes.
    private static func place(of address: UInt) -> UnsafeMutablePointer<Atomic<UInt>> {
        words + Int((address >> 4 ^ address >> 12) % UInt(count))
    }
}
