// A class's schema is made at the class's first use by name, and cached.

extension ClassSchema {
    private static let cache = Guarded<[ObjectIdentifier: Result<ClassSchema, KeyValueError>]>([:])

    /// The schema of a tracked class, or the handlers of any other class.
    static func of(_ type: AnyClass, isSuperclass: Bool = false) throws(KeyValueError) -> ClassSchema {
        let id = ObjectIdentifier(type)
        if let known = cache.withLock({ $0[id] }) { return try known.get() }
        // User code runs here, so no lock is held. If two threads get here at once, the first result stays.
        let made = Result { () throws(KeyValueError) in
            if let type = type as? TrackedObject.Type { return try make(for: type, isSuperclass) }
            let schema = (type as? any SchemaProviding.Type)?.schema ?? .empty
            return try ClassSchema(type: type, owner: schema.owner, handlers: handlers(of: schema, on: type))
        }
        return try cache.withLock { cache in
            if let known = cache[id] { return known }
            cache[id] = made
            return made
        }.get()
    }

    private static func make(for type: TrackedObject.Type, _ isSuperclass: Bool) throws(KeyValueError) -> ClassSchema {
        guard type != TrackedObject.self, let superclass = _getSuperclass(type) as? TrackedObject.Type else {
            return ClassSchema(type: type)
        }
        let base = try of(superclass, isSuperclass: true)
        let schema = try schema(of: type, below: base, isSuperclass: isSuperclass)
        let own = schema.owner == type ? schema.makeDeclarations() : []
        var slots = base.slots
        var declarations = base.keys.map(\.declarations)
        for case let key as DeclaredKey in own {
            var problem = KeyPathText.problem(inKey: key.name)
            if let slot = slots[key.name] {
                if declarations[slot][0].owner == type { problem = "it is declared twice" }
                declarations[slot].insert(key, at: 0)
            } else {
                slots[key.name] = declarations.count
                declarations.append([key])
            }
            if let problem { throw .schemaFault(problem, of: type, key: key.name) }
        }
        requireUsage(declarations.count < Int(Int16.max), "A class can declare at most 32,766 keys.")

        let observed = try observedFields(of: type)
        let keys = declarations.enumerated().map { slot, declarations in
            ResolvedKey(slot: slot, declarations: declarations, field: observed["_" + declarations[0].name], of: type)
        }
        for key in keys {
            if let problem = problem(of: key, of: type, observed) {
                throw .schemaFault(problem, of: type, key: key.name)
            }
        }
        try resolveDependencies(of: keys, slots, of: type)
        return try ClassSchema(
            type: type, owner: schema.owner, keys: keys, handlers: adding(handlersOf: own, to: base.handlers, on: type),
            slots: slots)
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
        of keys: [ResolvedKey], _ slots: [String: Int], of type: AnyClass
    ) throws(KeyValueError) {
        for key in keys {
            for base in withoutRepetitions(key.declarations.flatMap(\.affectedBy)) {
                let first = String(base.prefix { $0 != "." })
                if let slot = slots[base] {
                    key.directBases.append(slot)
                    keys[slot].directDerived.append(key.slot)
                } else if slots[first] != nil {
                    key.directPaths.append(base)
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

    /// The storage of the `@Observed` properties of a class and its superclasses, by the storage's name.
    private static func observedFields(of type: AnyClass) throws(KeyValueError) -> [String: FieldLayout.Field] {
        if let problem = FieldLayout.problem { throw .schemaFault(problem, of: type) }
        return FieldLayout(of: type).fields.reduce(into: [:]) { found, field in
            if field.type is any ObservedStorage.Type { found[field.name] = field }
        }
    }
}
