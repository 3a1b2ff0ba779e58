import Synchronization

/// What is known of types, found by type without a lock. Entries are only added: the objects, and the words that have become too few,
/// are kept as long as the table, so a reader needs nothing but loads. The library's tables are never freed.
final class TypeTable<Object: AnyObject>: Sendable {
    /// One word for the mask, then two for each place: a type, or zero, and its object.
    private typealias Words = UnsafeMutablePointer<Atomic<UInt>>

    /// The address of the words.
    private let current = Atomic(UInt(bitPattern: makeWords(places: 64)))
    private let additions = Guarded(Additions())

    private struct Additions {
        var count: UInt = 0
        var outgrown: [Words] = []
    }

    deinit {
        for place in 0...Int(words[0].load(ordering: .relaxed)) {
            Borrowed<Object>(bitPattern: words[2 + 2 * place].load(ordering: .relaxed))?.release()
        }
        for words in additions.withLock({ $0.outgrown + [words] }) { words.deallocate() }
    }

    /// The object of a type; nil if there is none yet.
    ///
    /// - Complexity: O(1).
    subscript(type: Any.Type) -> Borrowed<Object>? {
        let (words, key) = (self.words, UInt(bitPattern: ObjectIdentifier(type)))
        let place = words + Int(Self.place(of: key, in: words))
        return place[0].load(ordering: .acquiring) == key
            ? Borrowed(bitPattern: place[1].load(ordering: .relaxed)) : nil
    }

    /// Adds the object of a type.
    ///
    /// - Returns: The object that the type has: this one, or one that was added before.
    func insert(_ object: Object, for type: Any.Type) -> Object {
        let key = UInt(bitPattern: ObjectIdentifier(type))
        let other: Borrowed<Object>? = additions.withLock { additions in
            if let known = self[type] { return known }
            if (additions.count + 1) * 2 > words[0].load(ordering: .relaxed) { additions.outgrown.append(grow()) }
            Self.store(key, Borrowed.retaining(object).bitPattern, in: words)
            additions.count += 1
            return nil
        }
        return other?.object ?? object
    }

    private var words: Words { Words(bitPattern: current.load(ordering: .acquiring))! }

    /// Doubles the places, under the lock. Returns the words from before, which readers may still use.
    private func grow() -> Words {
        let old = words
        let places = old[0].load(ordering: .relaxed) + 1
        let new = Self.makeWords(places: places * 2)
        for index in 0..<Int(places) {
            let key = old[1 + 2 * index].load(ordering: .relaxed)
            if key != 0 { Self.store(key, old[2 + 2 * index].load(ordering: .relaxed), in: new) }
        }
        current.store(UInt(bitPattern: new), ordering: .releasing)
        return old
    }

    private static func makeWords(places: UInt) -> Words {
        let words = Words.allocate(capacity: Int(1 + 2 * places))
        for index in 0..<Int(1 + 2 * places) { (words + index).initialize(to: Atomic(index == 0 ? places - 1 : 0)) }
        return words
    }

    /// The index of the word that holds the type, or of the empty one in which it belongs.
    private static func place(of key: UInt, in words: Words) -> UInt {
        let mask = words[0].load(ordering: .relaxed)
        // Types are aligned to eight bytes, and close together.
        var place = (key >> 3 ^ key >> 12) & mask
        while true {
            let found = words[Int(1 + 2 * place)].load(ordering: .relaxed)
            if found == key || found == 0 { return 1 + 2 * place }
            place = (place + 1) & mask
        }
    }

    private static func store(_ key: UInt, _ object: UInt, in words: Words) {
        let place = words + Int(place(of: key, in: words))
        place[1].store(object, ordering: .relaxed)
        place[0].store(key, ordering: .releasing)
    }
}
