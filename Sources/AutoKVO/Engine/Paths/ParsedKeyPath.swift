import Synchronization

/// A key path, parsed.
@usableFromInline final class ParsedKeyPath: Sendable {
    /// As it was registered; behind an operator the text of the whole path.
    let text: String
    /// Keys from the root to the end, or to the collection that an operator follows. There is none where one operator
    /// follows another: the elements are collections themselves.
    let keys: [String]
    /// The operator behind `keys`, and what is evaluated on each element: nothing, keys, another operator, or keys and
    /// another operator.
    let tail: Tail?
    /// What is evaluated on each tracked object that is an element of the collection at the end of `keys`.
    let elementPath: ParsedKeyPath?
    /// The first of the keys, as far as they are known by more than their names: all of a path of handles. A superclass may have a
    /// private property with the name of one that a subclass has.
    let properties: [Property]
    /// For each key, the class and slot where it was last found: see `slot(of:in:)`.
    private nonisolated(unsafe) let lookups: UnsafeMutablePointer<Atomic<UInt>>

    /// Whether it is more than one key.
    var isLong: Bool { keys.count > 1 || tail != nil }

    struct Tail: Sendable {
        let function: CollectionOperator
        let element: ParsedKeyPath?
    }

    /// A key of a class. Its subclasses have it in the same slot, whatever they have of the same name.
    struct Property: Sendable {
        let schema: ClassSchema
        let slot: Int
    }

    private init(text: String, keys: [String], tail: Tail?, properties: [Property] = []) {
        (self.text, self.keys, self.tail, self.properties) = (text, keys, tail, properties)
        elementPath = tail?.objectPath
        lookups = .allocate(capacity: keys.count)
        for level in keys.indices { (lookups + level).initialize(to: Atomic(0)) }
    }

    deinit { lookups.deallocate() }

    /// The slot of the key at a level in a class; nil if the class has no such key.
    ///
    /// The result is stored as one integer: the address of the class's layout, which is never freed, and the slot. So a path
    /// whose objects have the same classes each time looks up no name.
    @inline(__always)
    func slot(of level: Int, in schema: Borrowed<ClassSchema>) -> Int? {
        let layout = UInt(bitPattern: schema.use { $0.layout.address })
        let known = lookups[level].load(ordering: .relaxed)
        if known >> 16 == layout { return Int(known & 0xFFFF) }
        return lookUp(level, schema, layout)
    }

    @inline(never)
    private func lookUp(_ level: Int, _ schema: Borrowed<ClassSchema>, _ layout: UInt) -> Int? {
        let isKnown =
            level < properties.count && isClass(schema.object.type, orSubclassOf: properties[level].schema.type)
        guard let slot = isKnown ? properties[level].slot : schema.use({ $0.slot(of: keys[level]) }) else { return nil }
        // Every address in use today fits into 48 bits; one that does not is not stored. A slot fits into 15.
        if layout >> 48 == 0 { lookups[level].store(layout << 16 | UInt(slot), ordering: .relaxed) }
        return slot
    }

    /// The same.
    ///
    /// - Throws: A `KeyValueError` if the class has no such key.
    @inline(__always)
    func requireSlot(of level: Int, in schema: Borrowed<ClassSchema>) throws(KeyValueError) -> Int {
        if let slot = slot(of: level, in: schema) { return slot }
        throw schema.object.unknownKey(keys[level], in: text)
    }

    /// Of what is no path: an expression.
    static let none = ParsedKeyPath(text: "", keys: [], tail: nil)

    /// A path of handles.
    convenience init(_ properties: [Property]) {
        let keys = properties.map { $0.schema.keys[$0.slot].name }
        self.init(text: keys.joined(separator: "."), keys: keys, tail: nil, properties: properties)
    }

    /// The same path beginning with a property, which another one of its name may hide.
    func beginning(with property: Property) -> ParsedKeyPath {
        ParsedKeyPath(text: text, keys: keys, tail: tail, properties: [property])
    }

    /// Whether both are the same path. One that was given as a string has no properties that could differ.
    func isSame(as other: ParsedKeyPath) -> Bool {
        text == other.text && zip(properties, other.properties).allSatisfy { $0.slot == $1.slot }
    }

    /// Parses a path.
    ///
    /// - Throws: A `KeyValueError` for empty components, unknown operators, and operators without a collection before
    ///   them.
    ///
    /// - Parameter isOfElements: Whether the path begins at a collection, so that it may begin with an operator.
    static func parse(_ text: String, isOfElements: Bool = false) throws(KeyValueError) -> ParsedKeyPath {
        let parts = try KeyPathText.parts(of: text)
        // Each operator is a level of recursion, here and in the evaluation; a path may come from a hostile file.
        let operators = parts.filter { $0.hasPrefix("@") }
        guard operators.count <= maximumOperatorCount else {
            throw KeyValueError(.unsupportedOperator, key: operators.last!, keyPath: text)
                .saying("a path has at most \(maximumOperatorCount) operators")
        }
        if !isOfElements, parts[0].hasPrefix("@"), CollectionOperator(rawValue: String(parts[0].dropFirst())) != nil {
            throw KeyValueError(.unsupportedOperator, key: parts[0], keyPath: text)
                .saying("it needs a collection before it")
        }
        return try parse(parts[...], text: text)
    }

    /// How many operators a path may have, and how many nested collections one operator reads.
    static var maximumOperatorCount: Int { 16 }

    private static func parse(_ parts: ArraySlice<String>, text: String) throws(KeyValueError) -> ParsedKeyPath {
        guard let at = parts.firstIndex(where: { $0.hasPrefix("@") }) else {
            return ParsedKeyPath(text: text, keys: Array(parts), tail: nil)
        }
        guard let function = CollectionOperator(rawValue: String(parts[at].dropFirst())) else {
            throw KeyValueError(.unsupportedOperator, key: parts[at], keyPath: text)
        }
        let rest = parts[(at + 1)...]
        // "numbers.@sum.self" is the sum of the elements themselves, as "numbers.@sum" is. What follows @count does not change the
        // result, and is not checked.
        let element = rest.isEmpty || rest == ["self"] || function == .count ? nil : try parse(rest, text: text)
        return ParsedKeyPath(text: text, keys: Array(parts[..<at]), tail: Tail(function: function, element: element))
    }

    /// While a path is checked: the key that the value reached so far was read from.
    typealias Holder = (schema: ClassSchema, key: String)

    /// Checks every component whose class is known from declarations, so that a misspelt one is found even if an object
    /// on the way is nil now. Behind a key whose declared type leaves the class open, `TrackedObject` among them, components are checked
    /// when the path is evaluated.
    ///
    /// - Parameters:
    ///   - type: The type of the value that the path begins at.
    ///   - holder: What that value is read from, or the collection that it is an element of.
    /// - Returns: The type of the values at the end, `Any` if it is not declared.
    func valueType(from type: Any.Type, in holder: Holder? = nil) throws(KeyValueError) -> Any.Type {
        var (type, holder, objectClass) = (type, holder, unwrappedType(type) as? TrackedObject.Type)
        for name in keys {
            guard let known = objectClass, known != TrackedObject.self || holder == nil else {
                let bare = unwrappedType(type)
                if objectClass != nil || isOpen(bare) { return Any.self }
                if let type = bare as? AnyClass { try requireOneCopy(of: type) }
                throw cannotGoOn(at: bare, holder?.key ?? "", of: holder?.schema.className ?? "")
            }
            let schema = try ClassSchema.of(known)
            let key = try schema.requireKey(name, in: text).declared
            (type, holder, objectClass) = (key.valueType, (schema, name), key.objectClass)
        }
        return try tail?.resultType(on: type, in: holder, text) ?? type
    }

    /// The same for the elements of a collection. If they are collections themselves, keys are looked up in their
    /// elements.
    func valueType(fromElement type: Any.Type, in holder: Holder?) throws(KeyValueError) -> Any.Type {
        let inner = keys.isEmpty ? nil : unwrappedType(type) as? any KeyValueCollection.Type
        guard let inner else { return try valueType(from: type, in: holder) }
        return arrayType(of: try valueType(fromElement: inner.elementType, in: holder))
    }

    /// The error for values of a type at the end, with the class that has the last key, as far as it is declared.
    func wrongType(from start: TrackedObject.Type, _ type: Any.Type, _ actual: String) -> KeyValueError {
        let holder = keys.dropLast().reduce(start as TrackedObject.Type?) { holder, key in
            // No error: the path has been checked.
            holder.flatMap { try? ClassSchema.of($0).requireKey(key, in: text).declared.objectClass }
        }
        return KeyValueError(
            .wrongType(expected: declaredName(of: type), actual: actual), className: holder.map { "\($0)" } ?? "",
            key: keys.last!, keyPath: text)
    }

    /// The error for a path that goes on behind a value of a type without keys.
    func cannotGoOn(at type: Any.Type, _ key: String, of className: String) -> KeyValueError {
        KeyValueError(.pathThroughCollection, className: className, key: key, keyPath: text).saying(
            type is any KeyValueCollection.Type
                ? ", which is a collection; an operator can follow, such as \(quoted(key + ".@count"))"
                : ": \(type) has no keys")
    }
}

extension ParsedKeyPath.Tail {
    /// What is evaluated on each tracked object that is among the elements, also where those are collections.
    fileprivate var objectPath: ParsedKeyPath? { element?.keys.isEmpty ?? true ? element?.elementPath : element }

    func unsupported(in path: String, _ detail: String, className: String = "") -> KeyValueError {
        KeyValueError(.unsupportedOperator, className: className, key: "@" + function.rawValue, keyPath: path).saying(
            detail)
    }

    /// Checks that the operator works on values of a type. Returns the type of its result.
    func resultType(
        on type: Any.Type, in holder: ParsedKeyPath.Holder?, _ path: String
    ) throws(KeyValueError) -> Any.Type {
        func unsupported(_ detail: String) -> KeyValueError {
            self.unsupported(in: path, detail, className: holder?.schema.className ?? "")
        }
        let type = unwrappedType(type)
        let collection = type as? any KeyValueCollection.Type
        if collection == nil, !isOpen(type) { throw unsupported("\(type) is no collection") }
        var values: Any.Type = collection?.elementType ?? Any.self
        if let element, collection != nil { values = try element.valueType(fromElement: values, in: holder) }
        if let result = function.resultType(of: values) { return result }
        throw unsupported("it takes \(function.operands), not \(declaredName(of: unwrappedType(values)))")
    }
}
