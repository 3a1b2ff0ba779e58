/// What is known of types, found by type without a lock. Entries are only added, each at the end of one of many short lists, so a
/// reader needs nothing but loads.
final class TypeTable<Object: AnyObject & Sendable>: Sendable {
    private final class Entry: Sendable {
        let type: ObjectIdentifier
        let object: Object
        let next = OnceReference<Entry>()

        init(_ type: ObjectIdentifier, _ object: Object) { (self.type, self.object) = (type, object) }
    }

    private let lists = InlineArray<256, OnceReference<Entry>> { _ in OnceReference() }

    /// The object of a type; nil if there is none yet. No reference is counted.
    ///
    /// - Complexity: O(1) for up to some hundred types.
    subscript(type: Any.Type) -> Borrowed<Object>? {
        let type = ObjectIdentifier(type)
        var next = lists[Self.list(at: UInt(bitPattern: type))].load()
        while let entry = next {
            if entry.use({ $0.type == type }) { return entry.use { .to($0.object) } }
            next = entry.use { $0.next.load() }
        }
        return nil
    }

    /// Adds the object of a type.
    ///
    /// - Returns: The object that the type has: this one, or one that was added before.
    func insert(_ object: Object, for type: Any.Type) -> Object {
        let own = Entry(ObjectIdentifier(type), object)
        func insert(in place: borrowing OnceReference<Entry>) -> Object {
            let entry = place.setIfNil(own).object
            return entry.type == own.type ? entry.object : insert(in: entry.next)
        }
        return insert(in: lists[Self.list(at: UInt(bitPattern: own.type))])
    }

    /// Types are aligned to eight bytes, and close together.
    private static func list(at address: UInt) -> Int { Int((address >> 3 ^ address >> 12) & 255) }
}
