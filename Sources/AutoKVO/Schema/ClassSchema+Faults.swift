internal import CSwiftRuntime
@_spi(Reflection) import Swift

// What a schema may not say: found at the class's first use by name, before anything is registered.

extension ClassSchema {
    /// The copies that `schema(of:below:)` made. The runtime may remember them, so they stay.
    private static let copies = Guarded<[UnsafeRawPointer]>([])

    /// What a class returns as its schema, once it is known to be the schema of this class or the inherited one.
    static func schema(
        of type: TrackedObject.Type, below base: ClassSchema, isSuperclass: Bool
    ) throws(KeyValueError) -> Schema {
        // A key path formed in `Schema(Self.self)` traps in the runtime (6.3.1), without a word about the schema. So the
        // question is first put to a copy of the class, which is `Self` then, and no content is made. In a final class the
        // compiler takes the class itself for `Self`, so there the two cannot be told apart.
        let pointer = unsafeBitCast(type, to: UnsafeRawPointer.self)
        if isSuperclass || csr_is_surely_not_final(pointer), let address = csr_copy_class(pointer) {
            copies.withLock { $0.append(address) }
            let copy = unsafeBitCast(address, to: TrackedObject.Type.self)
            demand(
                copy.schema.owner != copy,
                "The schema of \(type) is written as Schema(Self.self, …), in which no key path can be formed: name the class "
                    + "itself, Schema(\(type).self, extending: super.schema).")
        }
        let schema = type.schema
        let extended: AnyClass? = schema.inherited.first?.owner
        func fault(_ text: String) -> KeyValueError {
            KeyValueError(
                .schemaFault("\(text), and stands in \(type): write Schema(\(type).self, extending: super.schema)"),
                className: "\(type)")
        }
        if schema.owner == type {
            guard extended == base.owner else { throw fault("it extends the schema of \(name(extended))") }
        } else {
            let above = base.owner.flatMap(_getSuperclass) as? TrackedObject.Type
            let expected: AnyClass? = if let above { try of(above).owner } else { nil }
            guard schema.owner == base.owner, extended == expected else {
                throw fault("it is the schema of \(name(schema.owner))")
            }
        }
        return schema
    }

    private static func name(_ type: AnyClass?) -> String { type.map { "\($0)" } ?? "no class" }

    /// Why nobody would be called when a key's property changes, or would be given another property's value.
    static func problem(of key: ResolvedKey, of type: AnyClass, storage: [String: ObservedField]) -> String? {
        let (name, valueType) = (key.name, key.declared.valueType)
        if let observed = key.storageType as? any ObservedStorage.Type {
            if observed.valueType == valueType { return nil }
            return "its key path reads a value of type \(valueType), and the @Observed property \"\(name)\" holds "
                + "\(observed.valueType): write Key(\"\(name)\", \\.\(name)), or give this key another name"
        }
        if ([key.declared] + key.overridden).contains(where: { !$0.affectedBy.isEmpty || !$0.notifiesAutomatically }) {
            return nil
        }
        if let module = moduleWithoutReflection(type) { return reflectionText(module) }
        let similar = storage.filter { ($0.value.type as? any ObservedStorage.Type)?.valueType == valueType }
            .map { String($0.key.dropFirst()) }
        let near = similar.count == 1 ? similar[0] : nearestName(to: name, among: similar)
        return "nobody would be called when it changes. An @Observed property's key has the property's own name"
            + (near.map { ": write Key(\"\($0)\", \\.\($0))" } ?? "")
            + ". For any other property make it @Observed, write affectedBy: with the keys it is computed from, or write "
            + "notifiesAutomatically: false if it is announced by hand or never changes"
    }

    /// What to say when a property of this class is used by its handle and no key stands for it.
    func complaint(aboutPropertyAt offset: Int) -> String {
        var name: String?
        ClassSchema.forEachField(of: type) { field, start, _ in
            if start == offset { name = String(field.dropFirst()) }
        }
        guard let name else {
            return "A property of \(className) is used by its $ handle: "
                + (ClassSchema.moduleWithoutReflection(type).map(ClassSchema.reflectionText) ?? "it has no name") + "."
        }
        return
            "\(className).$\(name) is used, but no key stands for the property: write Key(\"\(name)\", \\.\(name)) in the "
            + "schema of \(className)."
    }

    private static func reflectionText(_ module: String) -> String {
        "the module \(module) was built without reflection metadata (-disable-reflection-metadata or "
            + "-disable-reflection-names), which tells the names of @Observed properties: build it with reflection metadata"
    }

    /// The module of the class, or of a superclass, whose properties have no names at run time.
    private static func moduleWithoutReflection(_ type: AnyClass) -> String? {
        var named: [Int] = []
        forEachField(of: type) { name, offset, _ in if !name.isEmpty { named.append(offset) } }
        var next: AnyClass = type
        while next != TrackedObject.self, let superclass = _getSuperclass(next) {
            // The properties that a class adds lie behind those that it inherits.
            let own = instanceSize(of: superclass)..<instanceSize(of: next)
            if !own.isEmpty, !named.contains(where: own.contains) {
                return String(_typeName(next, qualified: true).prefix { $0 != "." })
            }
            next = superclass
        }
        return nil
    }

    /// How many bytes an object of a class has before those that a subclass adds.
    static func instanceSize(of type: AnyClass) -> Int {
        csr_instance_size(unsafeBitCast(type, to: UnsafeRawPointer.self))
    }

    /// The stored properties of a class and its superclasses, by the names of their storage.
    static func forEachField(of type: AnyClass, _ body: (String, Int, Any.Type) -> Void) {
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { name, offset, fieldType, _ in
            body(String(cString: name), offset, fieldType)
            return true
        }
    }
}

extension ResolvedKey {
    /// Finds out, when a value is first read or set by name, whether the key path leads to the `@Observed` property of that
    /// name. Only where the object's own class declares the property: the getter is the wrapper's then, unless the key path
    /// is wrong, and no subclass overrides it.
    func checkKeyPath(of object: TrackedObject) throws(KeyValueError) {
        guard mayBeCompared.load(ordering: .relaxed), let offset, let storage = storageType as? any ObservedStorage.Type
        else { return }
        mayBeCompared.store(false, ordering: .relaxed)
        let place = UnsafeRawPointer(Borrowed.to(object).address) + offset
        guard !storage.holds(declared.read(object), at: place) else { return }
        throw KeyValueError(
            .schemaFault(
                "its key path reads another value than the @Observed property \"\(name)\" holds: write "
                    + "Key(\"\(name)\", \\.\(name)), or give this key another name"), className: "\(type(of: object))",
            key: name)
    }
}
