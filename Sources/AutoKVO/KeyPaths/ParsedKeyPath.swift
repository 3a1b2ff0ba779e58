import Synchronization

/// A key path taken apart and checked against the class it begins at, as far as types are declared.
final class ParsedKeyPath: Sendable {
    /// As it was registered.
    let text: String
    /// Keys from the root to the end, or to the collection that an operator follows.
    let keys: [String]
    /// The operator behind `keys`, and what is evaluated on each element: nothing, keys, or keys and another operator.
    let tail: Tail?
    /// For each key, where it was found last: see `slot(of:in:)`.
    private nonisolated(unsafe) let lookups: UnsafeMutablePointer<Atomic<UInt>>

    struct Tail: Sendable {
        let function: CollectionOperator
        let element: ParsedKeyPath?
    }

    private init(text: String, keys: [String], tail: Tail?) {
        self.text = text
        self.keys = keys
        self.tail = tail
        lookups = .allocate(capacity: keys.count)
        for level in keys.indices { (lookups + level).initialize(to: Atomic(0)) }
    }

    deinit {
        lookups.deallocate()
    }

    /// The slot of the key at a level in a class; nil if the class has no such key.
    ///
    /// What was found last is remembered, as one word: the address of the class's layout, which is never freed, and the slot.
    /// So a path that goes through objects of the same classes each time looks no name up.
    @inline(__always)
    func slot(of level: Int, in schema: Unmanaged<ClassSchema>) -> Int? {
        let layout = UInt(bitPattern: schema._withUnsafeGuaranteedRef { $0.layout })
        let known = lookups[level].load(ordering: .relaxed)
        if known >> 16 == layout { return Int(known & 0xFFFF) }
        return lookUp(level, schema, layout)
    }

    @inline(never)
    private func lookUp(_ level: Int, _ schema: Unmanaged<ClassSchema>, _ layout: UInt) -> Int? {
        guard let slot = schema._withUnsafeGuaranteedRef({ $0.slot(of: keys[level]) }) else { return nil }
        // Every address in use today fits into 48 bits; one that does not is not remembered. A slot fits into 15.
        if layout >> 48 == 0 { lookups[level].store(layout << 16 | UInt(slot), ordering: .relaxed) }
        return slot
    }

    /// Takes a path apart.
    ///
    /// - Throws: A `KeyValueError` for empty components, unknown operators, and operators without a collection before them.
    static func parse(_ text: String) throws(KeyValueError) -> ParsedKeyPath {
        let parts = try KeyPathText.parts(of: text)
        // Each operator is a level of recursion, here and in the evaluation; a path may come from a hostile file.
        guard parts.count(where: { $0.hasPrefix("@") }) <= maximumOperatorCount else {
            throw KeyValueError(.unsupportedOperator, key: parts.last { $0.hasPrefix("@") }!, keyPath: String(text.prefix(80)) + "…")
        }
        return try parse(parts[...], text: text, whole: text)
    }

    /// How many operators a path may have, one inside the other.
    private static var maximumOperatorCount: Int { 16 }

    private static func parse(
        _ parts: ArraySlice<String>, text: String, whole: String
    ) throws(KeyValueError) -> ParsedKeyPath {
        guard let at = parts.firstIndex(where: { $0.hasPrefix("@") }) else {
            return ParsedKeyPath(text: text, keys: Array(parts), tail: nil)
        }
        guard let function = CollectionOperator(rawValue: String(parts[at].dropFirst())), at > parts.startIndex else {
            throw KeyValueError(.unsupportedOperator, key: parts[at], keyPath: whole)
        }
        var rest = parts[(at + 1)...]
        // "numbers.@sum.self" is the sum of the elements themselves, as "numbers.@sum" is.
        if rest.count == 1, rest.first == "self" { rest = [] }
        if function == .count, !rest.isEmpty {
            throw KeyValueError(.unsupportedOperator, key: parts[at], keyPath: whole)
        }
        let element = rest.isEmpty ? nil : try parse(rest, text: rest.joined(separator: "."), whole: whole)
        return ParsedKeyPath(text: text, keys: Array(parts[..<at]), tail: Tail(function: function, element: element))
    }

    /// Takes a path apart and checks it against a class.
    static func parse(_ text: String, for type: TrackedObject.Type) throws(KeyValueError) -> ParsedKeyPath {
        let path = try parse(text)
        try path.check(from: type, whole: text)
        return path
    }

    /// Checks every component whose class is known from declarations, so that a misspelt one is found even if an object
    /// on the way is nil now. What is declared as a type that says nothing is checked as the path is walked.
    func check(from type: TrackedObject.Type, whole: String) throws(KeyValueError) {
        var type = type
        for (index, name) in keys.enumerated() {
            let schema = try ClassSchema.of(type)
            let key = schema.keys[try schema.requireSlot(of: name, in: whole)].declared
            let isLast = index == keys.count - 1
            if isLast {
                if let tail { try tail.check(on: key, of: schema, whole: whole) }
                return
            }
            if let next = key.objectClass {
                type = next
            } else if key.isOpaque {
                return
            } else {
                throw KeyValueError(.pathThroughCollection, className: schema.className, key: name, keyPath: whole)
            }
        }
    }

    /// The type of the values at the end of the path, as far as it is declared.
    func valueType(from type: TrackedObject.Type) throws(KeyValueError) -> Any.Type {
        if tail != nil { return Any.self }
        var type = type
        for (index, name) in keys.enumerated() {
            let schema = try ClassSchema.of(type)
            let key = schema.keys[try schema.requireSlot(of: name, in: text)].declared
            if index == keys.count - 1 { return key.valueType }
            guard let next = key.objectClass else { break }
            type = next
        }
        return Any.self
    }
}

extension ParsedKeyPath.Tail {
    fileprivate func check(on key: DeclaredKey, of schema: ClassSchema, whole: String) throws(KeyValueError) {
        if key.isOpaque { return }
        guard let collection = unwrappedType(key.valueType) as? any KeyValueCollection.Type else {
            throw KeyValueError(.unsupportedOperator, className: schema.className, key: "@" + function.rawValue, keyPath: whole)
        }
        let elementType = unwrappedType(collection.elementType)
        guard let element else {
            // Objects are no numbers and have no order: what is meant is a key of theirs.
            let isOfNumbers = [.sum, .avg, .min, .max].contains(function)
            guard isOfNumbers, elementType is TrackedObject.Type, !(elementType is any Comparable.Type) else { return }
            throw KeyValueError(.unsupportedOperator, className: schema.className, key: "@" + function.rawValue, keyPath: whole)
        }
        if let next = elementType as? TrackedObject.Type {
            try element.check(from: next, whole: whole)
        } else if !(isExistential(elementType) || elementType is AnyClass) {
            throw KeyValueError(.pathThroughCollection, className: schema.className, key: key.name, keyPath: whole)
        }
    }
}
