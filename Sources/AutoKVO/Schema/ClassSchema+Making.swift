// A class's schema is made at the class's first use by name, and cached.

extension ClassSchema {
    private static let cache = Guarded<[ObjectIdentifier: Result<ClassSchema, KeyValueError>]>([:])

    /// The schema of a tracked class.
    static func of(_ type: TrackedObject.Type, isSuperclass: Bool = false) throws(KeyValueError) -> ClassSchema {
        try cached(type) { () throws(KeyValueError) in try make(for: type, isSuperclass) }
    }

    /// The handlers of an observer's class.
    static func ofObserver(_ observer: AnyObject) throws(KeyValueError) -> ClassSchema {
        if let tracked = observer as? TrackedObject { return try of(Swift.type(of: tracked)) }
        let type: AnyClass = Swift.type(of: observer)
        return try cached(type) { () throws(KeyValueError) in
            let schema = (type as? any SchemaProviding.Type)?.schema ?? .empty
            return try ClassSchema(
                type: type, owner: schema.owner, keys: [], handlers: handlers(of: schema, on: type, adding: [:]),
                slots: [:])
        }
    }

    private static func cached(
        _ type: AnyClass, _ make: () throws(KeyValueError) -> ClassSchema
    ) throws(KeyValueError) -> ClassSchema {
        let id = ObjectIdentifier(type)
        if let known = cache.withLock({ $0[id] }) { return try known.get() }
        // User code runs here, so no lock is held. If two threads get here at once, the first result stays.
        let made: Result<ClassSchema, KeyValueError>
        do throws(KeyValueError) { made = .success(try make()) } catch { made = .failure(error) }
        return try cache.withLock { cache in
            if let known = cache[id] { return known }
            cache[id] = made
            return made
        }.get()
    }

    private static func make(for type: TrackedObject.Type, _ isSuperclass: Bool) throws(KeyValueError) -> ClassSchema {
        guard type != TrackedObject.self, let superclass = _getSuperclass(type) as? TrackedObject.Type else {
            return ClassSchema(type: type, owner: nil, keys: [], handlers: [:], slots: [:])
        }
        let base = try of(superclass, isSuperclass: true)
        let schema = try schema(of: type, below: base, isSuperclass: isSuperclass)
        let own = schema.owner == type ? schema.makeDeclarations() : []
        var slots = base.slots
        var declarations = base.keys.map(\.declarations)
        for case .key(let key) in own {
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
        of schema: Schema, on type: AnyClass, adding inherited: [String: DeclaredHandler]
    ) throws(KeyValueError) -> [String: DeclaredHandler] {
        var handlers = inherited
        for base in schema.inherited { handlers = try Self.handlers(of: base, on: type, adding: handlers) }
        // Their first argument is an object of that class.
        var ancestor: AnyClass? = type
        while let next = ancestor, next != schema.owner { ancestor = _getSuperclass(next) }
        if let owner = schema.owner, ancestor == nil {
            throw .schemaFault(
                "it is the schema of \(owner), and stands in \(type): write Schema(\(type).self)", of: type)
        }
        return try adding(handlersOf: schema.makeDeclarations(), to: handlers, on: type)
    }

    private static func adding(
        handlersOf declarations: [Schema.Declaration], to inherited: [String: DeclaredHandler], on type: AnyClass
    ) throws(KeyValueError) -> [String: DeclaredHandler] {
        var own: [String: DeclaredHandler] = [:]
        for case .handler(let handler) in declarations {
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
            for base in key.declarations.flatMap(\.affectedBy) {
                let first = KeyPathText.firstKey(of: base)
                if let slot = slots[base] {
                    if !key.directBases.contains(slot) {
                        key.directBases.append(slot)
                        keys[slot].directDerived.append(key.slot)
                    }
                } else if let first, first != base, slots[first] != nil {
                    if !key.directPaths.contains(base) { key.directPaths.append(base) }
                } else {
                    let near =
                        nearestName(to: first ?? base, among: slots.keys).map { ", did you mean \"\($0)\"?" } ?? ""
                    throw .schemaFault(
                        "it is affected by \"\(base)\", which is unknown\(near)", of: type, key: key.name)
                }
            }
        }
        // A key is settled as soon as all its bases are. A key that never is leads into a cycle.
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
        guard var slot = openBases.firstIndex(where: { $0 > 0 }) else { return }
        var passed: Set<Int> = []
        var before = slot
        while passed.insert(slot).inserted {
            before = slot
            slot = keys[slot].directBases.first { openBases[$0] > 0 } ?? slot
        }
        throw .schemaFault("it depends on itself, through \"\(keys[before].name)\"", of: type, key: keys[slot].name)
    }

    /// The storage of the `@Observed` properties of a class and its superclasses, by the storage's name.
    private static func observedFields(of type: AnyClass) throws(KeyValueError) -> [String: FieldLayout.Field] {
        if let problem = FieldLayout.problem { throw .schemaFault(problem, of: type) }
        return FieldLayout(of: type).fields.reduce(into: [:]) { found, field in
            if field.type is any ObservedStorage.Type { found[field.name] = field }
        }
    }
}
