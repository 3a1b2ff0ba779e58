// A class's schema is made at the class's first use by name, and cached.

extension ClassSchema {
    private static let cache = Guarded<[ObjectIdentifier: Result<ClassSchema, KeyValueError>]>([:])

    /// The schema of a tracked class.
    static func of(_ type: TrackedObject.Type, isSuperclass: Bool = false) throws(KeyValueError) -> ClassSchema {
        try cached(type) { () throws(KeyValueError) in try resolve(type, isSuperclass) }
    }

    /// The handlers of an observer's class.
    static func ofObserver(_ observer: AnyObject) throws(KeyValueError) -> ClassSchema {
        if let tracked = observer as? TrackedObject { return try of(Swift.type(of: tracked)) }
        let type: AnyClass = Swift.type(of: observer)
        return try cached(type) { () throws(KeyValueError) in
            let schema = (type as? any SchemaProviding.Type)?.schema ?? .empty
            return try ClassSchema(
                type: type, owner: schema.owner, keys: [], handlers: handlers(of: schema, on: type, adding: [:]), slots: [:])
        }
    }

    private static func cached(
        _ type: AnyClass, _ make: () throws(KeyValueError) -> ClassSchema
    ) throws(KeyValueError) -> ClassSchema {
        let id = ObjectIdentifier(type)
        if let known = cache.withLock({ $0[id] }) { return try known.get() }
        // User code runs here, so no lock is held; should two threads get here at once, the first result stays.
        let made: Result<ClassSchema, KeyValueError>
        do throws(KeyValueError) { made = .success(try make()) } catch { made = .failure(error) }
        return try cache.withLock { cache in
            if let known = cache[id] { return known }
            cache[id] = made
            return made
        }.get()
    }

    private static func resolve(_ type: TrackedObject.Type, _ isSuperclass: Bool) throws(KeyValueError) -> ClassSchema {
        guard type != TrackedObject.self, let superclass = _getSuperclass(type) as? TrackedObject.Type else {
            return ClassSchema(type: type, owner: nil, keys: [], handlers: [:], slots: [:])
        }
        let base = try of(superclass, isSuperclass: true)
        let schema = try schema(of: type, below: base, isSuperclass: isSuperclass)
        let own = schema.owner == type ? schema.makeDeclarations() : []
        func fault(_ key: String, _ text: String) -> KeyValueError {
            KeyValueError(.schemaFault(text), className: String(describing: type), key: key)
        }
        var slots = base.keys.reduce(into: [String: Int]()) { $0[$1.name] = $1.slot }
        var declared = base.keys.map { [$0.declared] + $0.overridden }
        var ownNames: Set<String> = []
        for case .key(let key) in own {
            guard ownNames.insert(key.name).inserted else { throw fault(key.name, "it is declared twice") }
            if let problem = KeyPathText.problem(inKey: key.name) { throw fault(key.name, problem) }
            if let slot = slots[key.name] {
                declared[slot].insert(key, at: 0)
            } else {
                slots[key.name] = declared.count
                declared.append([key])
            }
        }
        demand(declared.count < Int(Int16.max), "A class can declare at most 32,766 keys.")

        let storage = observedStorage(of: type)
        let keys = declared.enumerated().map { slot, declarations in
            ResolvedKey(
                slot: slot, declared: declarations[0], overridden: Array(declarations.dropFirst()),
                storage: storage["_" + declarations[0].name], of: type)
        }
        for key in keys {
            if let problem = problem(of: key, of: type, storage: storage) { throw fault(key.name, problem) }
        }
        try resolveDependencies(of: keys, slots: slots, fault: fault)
        return try ClassSchema(
            type: type, owner: schema.owner, keys: keys, handlers: handlers(ofDeclarations: own, on: type, adding: base.handlers),
            slots: slots)
    }

    private static func handlers(
        of schema: Schema, on type: AnyClass, adding inherited: [String: DeclaredHandler]
    ) throws(KeyValueError) -> [String: DeclaredHandler] {
        var handlers = inherited
        for base in schema.inherited { handlers = try Self.handlers(of: base, on: type, adding: handlers) }
        // Their first argument is an object of that class.
        var ancestor: AnyClass? = type
        while let next = ancestor, next != schema.owner { ancestor = _getSuperclass(next) }
        if let owner = schema.owner, ancestor == nil {
            throw KeyValueError(
                .schemaFault("it is the schema of \(owner), and stands in \(type): write Schema(\(type).self)"),
                className: "\(type)")
        }
        return try Self.handlers(ofDeclarations: schema.makeDeclarations(), on: type, adding: handlers)
    }

    private static func handlers(
        ofDeclarations declarations: [Schema.Declaration], on type: AnyClass, adding inherited: [String: DeclaredHandler]
    ) throws(KeyValueError) -> [String: DeclaredHandler] {
        var own: [String: DeclaredHandler] = [:]
        for case .handler(let handler) in declarations {
            guard !handler.name.isEmpty, own.updateValue(handler, forKey: handler.name) == nil else {
                throw KeyValueError(
                    .schemaFault(handler.name.isEmpty ? "a handler's name is empty" : "the handler is declared twice"),
                    className: String(describing: type), key: handler.name)
            }
        }
        return inherited.merging(own) { $1 }
    }

    /// Closes the dependencies over the keys of one object, and refuses unknown keys and cycles.
    private static func resolveDependencies(
        of keys: [ResolvedKey], slots: [String: Int], fault: (String, String) -> KeyValueError
    ) throws(KeyValueError) {
        var direct = Array(repeating: [Int](), count: keys.count)
        var paths = Array(repeating: [String](), count: keys.count)
        for key in keys {
            for declaration in [key.declared] + key.overridden {
                for base in declaration.affectedBy {
                    if let slot = slots[base] {
                        if !direct[key.slot].contains(slot) { direct[key.slot].append(slot) }
                        continue
                    }
                    let first = KeyPathText.firstKey(of: base)
                    guard let first, first != base, slots[first] != nil else {
                        let near = nearestName(to: first ?? base, among: slots.keys)
                        throw fault(
                            key.name,
                            "it is affected by \"\(base)\", which is unknown" + (near.map { ", did you mean \"\($0)\"?" } ?? ""))
                    }
                    if !paths[key.slot].contains(base) { paths[key.slot].append(base) }
                }
            }
        }
        // A walk without recursion: dependency chains may be as long as the schema.
        enum Mark { case new, open, done }
        var marks = Array(repeating: Mark.new, count: keys.count)
        for start in keys.indices where marks[start] == .new {
            var stack = [(slot: start, next: 0)]
            marks[start] = .open
            while let top = stack.last {
                guard top.next < direct[top.slot].count else {
                    marks[top.slot] = .done
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let base = direct[top.slot][top.next]
                if marks[base] == .open {
                    throw fault(keys[base].name, "it depends on itself, through \"\(keys[top.slot].name)\"")
                }
                if marks[base] == .new {
                    marks[base] = .open
                    stack.append((base, 0))
                }
            }
        }
        for key in keys {
            key.directBases = direct[key.slot]
            key.directPaths = paths[key.slot]
            for base in direct[key.slot] { keys[base].directDerived.append(key.slot) }
        }
    }

    /// Where the storage of `@Observed` properties lies in the objects of a class, by the storage's name.
    private static func observedStorage(of type: AnyClass) -> [String: ObservedField] {
        var found: [String: ObservedField] = [:]
        forEachField(of: type) { name, offset, fieldType in
            if fieldType is any ObservedStorage.Type { found[name] = ObservedField(offset: offset, type: fieldType) }
        }
        return found
    }
}

/// Where in an object the storage of an `@Observed` property begins, and its type.
struct ObservedField {
    let offset: Int
    let type: Any.Type
}

/// What the property wrappers have in common, so that a class's fields can be told apart.
protocol ObservedStorage {
    static var isWeak: Bool { get }
    /// The type of the property.
    static var valueType: Any.Type { get }
    /// Whether a storage may have a value: false only if it is certain that it has another.
    static func holds(_ value: Any, at place: UnsafeRawPointer) -> Bool
}
