// A class's schema is made at the class's first use by name, and cached.

extension ClassSchema {
    private static let schemas = TypeTable<ClassSchema>()
    private static let faults = Guarded<[ObjectIdentifier: KeyValueError]>([:])

    /// The schema of a class, without a reference of the caller's own: it is never freed.
    @inline(__always)
    static func unmanaged(of type: AnyClass) throws(KeyValueError) -> Borrowed<ClassSchema> {
        if let known = schemas[type] { return known }
        return .to(try of(type))
    }

    /// The schema of a tracked class, or the handlers of any other class.
    static func of(_ type: AnyClass, isSuperclass: Bool = false) throws(KeyValueError) -> ClassSchema {
        if let known = schemas[type] { return known.object }
        if let fault = faults.withLock({ $0[ObjectIdentifier(type)] }) { throw fault }
        // User code runs here, so no lock is held. If two threads get here at once, the first schema stays.
        do throws(KeyValueError) {
            return schemas.insert(try make(for: type, isSuperclass), for: type)
        } catch {
            faults.withLock { $0[ObjectIdentifier(type)] = error }
            throw error
        }
    }

    private static func make(for type: AnyClass, _ isSuperclass: Bool) throws(KeyValueError) -> ClassSchema {
        if let type = type as? TrackedObject.Type { return try make(for: type, isSuperclass) }
        let schema = (type as? any SchemaProviding.Type)?.schema ?? .empty
        return try ClassSchema(type: type, owner: schema.owner, handlers: handlers(of: schema, on: type))
    }

    private static func make(for type: TrackedObject.Type, _ isSuperclass: Bool) throws(KeyValueError) -> ClassSchema {
        guard type != TrackedObject.self, let superclass = _getSuperclass(type) as? TrackedObject.Type else {
            return ClassSchema(type: type)
        }
        let base = try of(superclass, isSuperclass: true)
        let schema = try schema(of: type, below: base, isSuperclass: isSuperclass)
        let own = schema.owner == type ? schema.makeDeclarations() : []
        var collected = CollectedKeys(of: base, for: type)
        try collected.add(own)
        requireUsage(collected.declarations.count < Int(Int16.max), "A class can have at most 32,766 keys.")

        let keys = zip(collected.declarations, collected.fields).enumerated().map { slot, key in
            ResolvedKey(slot: slot, declarations: key.0, field: key.1, of: type)
        }
        for key in keys {
            if let problem = problem(of: key, of: type, keys) { throw .schemaFault(problem, of: type, key: key.name) }
        }
        try resolveDependencies(of: keys, collected.slots, hidden: collected.hidden, of: type)
        return try ClassSchema(
            type: type, owner: schema.owner, keys: keys, handlers: adding(handlersOf: own, to: base.handlers, on: type),
            slots: collected.slots, hidden: collected.hidden)
    }

    /// The handlers of a class that is not tracked, and of those it inherits from.
    private static func handlers(
        of schema: Schema, on type: AnyClass
    ) throws(KeyValueError) -> [String: DeclaredHandler] {
        // Their first argument is an object of that class.
        if let owner = schema.owner, !isClass(type, orSubclassOf: owner) {
            throw .schemaFault(
                "it is the schema of \(owner), and stands in \(type): write Schema(\(type).self)", of: type)
        }
        let inherited = try schema.inherited.first.map { base throws(KeyValueError) in try handlers(of: base, on: type)
        }
        return try adding(handlersOf: schema.makeDeclarations(), to: inherited ?? [:], on: type)
    }

    private static func adding(
        handlersOf declarations: [Declaration], to inherited: [String: DeclaredHandler], on type: AnyClass
    ) throws(KeyValueError) -> [String: DeclaredHandler] {
        var own: [String: DeclaredHandler] = [:]
        for case let handler as DeclaredHandler in declarations {
            if handler.name.isEmpty { throw .schemaFault("a handler's name is empty", of: type) }
            if own.updateValue(handler, forKey: handler.name) != nil {
                throw .schemaFault("the handler is declared twice", of: type, key: handler.name)
            }
        }
        return inherited.merging(own) { $1 }
    }

    /// Sets the direct dependencies of each key, and refuses unknown keys and cycles.
    private static func resolveDependencies(
        of keys: [ResolvedKey], _ slots: [String: Int], hidden: [String: Int], of type: AnyClass
    ) throws(KeyValueError) {
        for key in keys {
            for base in key.affectedBy {
                let first = String(base.prefix { $0 != "." })
                if let slot = slots[base] ?? hidden[base] {
                    key.directBases.append(slot)
                    keys[slot].directDerived.append(key.slot)
                } else if slots[first] != nil {
                    key.directPaths.append(base)
                } else if hidden[first] != nil {
                    throw .schemaFault(
                        "it is affected by \"\(base)\", and no path goes through the hidden key \"\(first)\"", of: type,
                        key: key.name)
                } else {
                    let near = nearestName(to: first, among: slots.keys).map { ", did you mean \"\($0)\"?" } ?? ""
                    throw .schemaFault(
                        "it is affected by \"\(base)\", which is unknown\(near)", of: type, key: key.name)
                }
            }
        }
        // A key is settled as soon as all its bases are. If one never is, some keys form a cycle.
        var openBases = keys.map(\.directBases.count)
        var settled = keys.indices.filter { openBases[$0] == 0 }
        var next = 0
        while next < settled.count {
            for derived in keys[settled[next]].directDerived {
                openBases[derived] -= 1
                if openBases[derived] == 0 { settled.append(derived) }
            }
            next += 1
        }
        if settled.count == keys.count { return }
        for key in keys {
            let bases = DependencyClosure(of: key.slot, among: keys).bases
            if let last = bases.first(where: { keys[$0].directBases.contains(key.slot) }) {
                throw .schemaFault("it depends on itself, through \"\(keys[last].name)\"", of: type, key: key.name)
            }
        }
    }
}

/// The keys of a class while its schema is made: those of the superclass in their slots, then the class's own `@Observed`
/// properties, in the order in which they are written, then the other keys that its schema declares.
private struct CollectedKeys {
    let type: TrackedObject.Type
    /// By slot.
    var declarations: [[DeclaredKey]]
    var fields: [FieldLayout.Field?]
    var slots: [String: Int]
    var hidden: [String: Int]

    init(of base: ClassSchema, for type: TrackedObject.Type) {
        self.type = type
        declarations = base.keys.map(\.declarations)
        fields = base.keys.map(\.field)
        slots = base.slots
        hidden = base.hidden
    }

    mutating func add(_ declared: [Declaration]) throws(KeyValueError) {
        var own: [String: DeclaredKey] = [:]
        for case let key as DeclaredKey in declared {
            let isRepeated = own.updateValue(key, forKey: key.name) != nil
            if let problem = isRepeated ? "it is declared twice" : KeyPathText.problem(inKey: key.name) {
                throw .schemaFault(problem, of: type, key: key.name)
            }
        }
        try addObservedProperties()
        for case let key as DeclaredKey in declared {
            if let slot = slots[key.name] ?? hidden[key.name] {
                declarations[slot].insert(key, at: 0)
                // A key that a superclass hides can be named again.
                (slots[key.name], hidden[key.name]) = (slot, nil)
            } else {
                append([key], nil)
            }
        }
        for case let key as HiddenKey in declared { try hide(key.name, isDeclared: own[key.name] != nil) }
    }

    /// A property always gets a slot of its own: one of the superclass that has its name is private there, or is in another module.
    private mutating func addObservedProperties() throws(KeyValueError) {
        if let problem = FieldLayout.problem { throw .schemaFault(problem, of: type) }
        for field in FieldLayout(of: type).ownFields {
            guard let storage = field.type as? any ObservedStorage.Type, field.name.first == "_" else { continue }
            let name = String(field.name.dropFirst())
            hidden[name] = nil
            append([DeclaredKey(observed: name, in: field, storage, owner: type)], field)
        }
    }

    private mutating func append(_ declared: [DeclaredKey], _ field: FieldLayout.Field?) {
        slots[declared[0].name] = declarations.count
        declarations.append(declared)
        fields.append(field)
    }

    private mutating func hide(_ name: String, isDeclared: Bool) throws(KeyValueError) {
        if isDeclared { throw .schemaFault("it is declared by a Key and hidden", of: type, key: name) }
        guard let slot = slots.removeValue(forKey: name) ?? hidden[name] else {
            let near = nearestName(to: name, among: slots.keys).map { ", did you mean \"\($0)\"?" } ?? ""
            throw .schemaFault("it is to be hidden, and the class has no such key\(near)", of: type, key: name)
        }
        hidden[name] = slot
    }
}
