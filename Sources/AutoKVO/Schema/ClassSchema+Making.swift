// A class's schema is made at the class's first use by name, and cached.

extension ClassSchema {
    private static let schemas = TypeTable<ClassSchema>()
    private static let faults = Guarded<[(type: AnyClass, error: KeyValueError)]>([])

    /// The schema of a class, without a reference of the caller's own: it is never freed.
    @inline(__always)
    static func unmanaged(of type: AnyClass) throws(KeyValueError) -> Borrowed<ClassSchema> {
        if let known = schemas[type] { return known }
        return .to(try of(type))
    }

    /// The schema of a tracked class, or the handlers of any other class.
    static func of(_ type: AnyClass, isSuperclass: Bool = false) throws(KeyValueError) -> ClassSchema {
        if let known = schemas[type] { return known.object }
        if let fault = faults.withLock({ $0.first { $0.type == type } }) { throw fault.error }
        // User code runs here, so no lock is held. If two threads get here at once, the first schema stays.
        do throws(KeyValueError) { return schemas.insert(try make(for: type, isSuperclass), for: type) } catch {
            faults.withLock { $0.append((type, error)) }
            throw error
        }
    }

    private static func make(for type: AnyClass, _ isSuperclass: Bool) throws(KeyValueError) -> ClassSchema {
        if let type = type as? TrackedObject.Type { return try make(for: type, isSuperclass) }
        try requireOneCopy(of: type)
        let schema = (type as? any SchemaProviding.Type)?.schema ?? .empty
        return try ClassSchema(type: type, owner: schema.owner, handlers: handlers(of: schema, on: type))
    }

    private static func make(for type: TrackedObject.Type, _ isSuperclass: Bool) throws(KeyValueError) -> ClassSchema {
        guard let superclass = _getSuperclass(type) as? TrackedObject.Type else {
            return ClassSchema(type: type, fieldCount: FieldLayout(of: type).fields.count)
        }
        let base = try of(superclass, isSuperclass: true)
        let schema = try schema(of: type, below: base, isSuperclass: isSuperclass)
        let own = schema.owner == type ? schema.makeDeclarations() : []
        var collected = CollectedKeys(of: base, for: type)
        try collected.add(own)
        requireUsage(collected.keys.count < Int(Int16.max), "A class can have at most 32,766 keys.")

        let keys = collected.keys.enumerated().map { slot, key in
            ResolvedKey(
                slot: slot, declarations: key.declarations, field: key.field,
                mayBeOverridden: collected.isOverridden(slot), of: type,
                isNamed: slot >= base.keys.count || collected.isNamed(slot),
                inherited: slot < base.keys.count ? base.keys[slot] : nil)
        }
        for key in keys {
            guard let problem = problem(of: key, in: collected.layout, keys) else { continue }
            throw .schemaFault(problem, of: type, key: key.name)
        }
        try collected.resolveDependencies(of: keys)
        return try ClassSchema(
            type: type, owner: schema.owner, keys: keys, handlers: adding(handlersOf: own, to: base.handlers, on: type),
            slots: collected.slots, hidden: collected.hidden, fieldCount: collected.layout.fields.count)
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
        let above = try schema.inherited.first.map { base throws(KeyValueError) in try handlers(of: base, on: type) }
        return try adding(handlersOf: schema.makeDeclarations(), to: above ?? [:], on: type)
    }

    private static func adding(
        handlersOf declarations: [Declaration], to inherited: [String: DeclaredHandler], on type: AnyClass
    ) throws(KeyValueError) -> [String: DeclaredHandler] {
        var own: [String: DeclaredHandler] = [:]
        for case let handler as DeclaredHandler in declarations {
            if handler.name.isEmpty { throw .schemaFault("a handler's name is empty", of: type) }
            let isRepeated = own.updateValue(handler, forKey: handler.name) != nil
            if isRepeated { throw .schemaFault("the handler is declared twice", of: type, key: handler.name) }
        }
        return inherited.merging(own) { $1 }
    }
}

/// The keys of a class while its schema is made: those of the superclass in their slots, then the class's own `@Observed`
/// properties, in the order in which they are written, then the other keys that its schema declares.
private struct CollectedKeys {
    let type: TrackedObject.Type
    /// By slot.
    var keys: [(declarations: [DeclaredKey], field: ObservedField?)]
    var slots: [String: Int]
    var hidden: [String: Int]
    /// By the slots of keys that count as others than the inherited property of their name, and may be that: its slot.
    var doubtfulBases: [Int: Int] = [:]
    let layout: FieldLayout
    /// The class's own stored properties.
    private let ownFields: ArraySlice<FieldLayout.Field>
    /// The superclasses of whose getters the class may override one.
    private var overriddenClasses: [AnyClass] = []

    init(of base: ClassSchema, for type: TrackedObject.Type) {
        let above = sequence(first: base.type) { _getSuperclass($0) }.prefix { $0 != TrackedObject.self }
        overriddenClasses = above.filter { ClassCopy.mayOverrideGetter(type, of: $0) }
        keys = base.keys.map { ($0.declarations, $0.observed) }
        (self.type, slots, hidden, layout) = (type, base.slots, base.hidden, FieldLayout(of: type))
        ownFields = layout.fields.dropFirst(base.fieldCount)
    }

    mutating func add(_ declared: [Declaration]) throws(KeyValueError) {
        try addObservedProperties(expecting: declared.count)
        for case let key as DeclaredKey in declared {
            let named = slots[key.name].flatMap { isAnother(key, than: $0) ? nil : $0 }
            let known = named ?? hidden[key.name].flatMap { isAnother(key, than: $0) ? nil : $0 }
            let isRepeated = (known ?? slots[key.name]).map(isDeclaredHere) ?? false
            let problem = isRepeated ? "it is declared twice" : KeyPathText.problem(inKey: key.name)
            if let problem { throw .schemaFault(problem, of: type, key: key.name) }
            if let known { keys[known].declarations.insert(key, at: 0) }
            let other = known == nil ? slots[key.name] ?? hidden[key.name] : nil
            if let other, !isSurelyAnother(key, than: other) { doubtfulBases[keys.count] = other }
            if known == nil { append([key]) }
            // A key that a superclass hides can be named again.
            if named == nil, let known { (slots[key.name], hidden[key.name]) = (known, nil) }
        }
        for case let key as HiddenKey in declared { try hide(key.name) }
    }

    /// Whether a key is the one that its name means.
    func isNamed(_ slot: Int) -> Bool {
        let name = keys[slot].declarations[0].name
        return slots[name] ?? hidden[name] == slot
    }

    /// Whether the getter of the `@Observed` property of a key may be overridden.
    func isOverridden(_ slot: Int) -> Bool {
        keys[slot].field != nil && overriddenClasses.contains { $0 == owner(of: slot) }
    }

    /// The class that has the property of a key.
    private func owner(of slot: Int) -> AnyClass { keys[slot].declarations.last!.owner }

    /// Whether a key that the class's own schema declares counts as one of another property than the inherited `@Observed` one of its name,
    /// which is private in the superclass: it is another one, or it is computed, as far as `affectedBy:` says, does not override the inherited
    /// one, and no superclass offers that by a Key.
    private func isAnother(_ key: DeclaredKey, than slot: Int) -> Bool {
        if isSurelyAnother(key, than: slot) { return true }
        if keys[slot].field == nil || owner(of: slot) == type || key.affectedBy.isEmpty { return false }
        if keys[slot].declarations[0].hasKeyPath { return false }
        return !isOverridden(slot)
            || key.keyPath.map { !(ClassCopy.overrides($0, in: type, of: owner(of: slot)) ?? false) } ?? false
    }

    /// Whether it cannot be that: the types differ, or the class stores it; or both are computed, and the key path is not of the other one; or the
    /// inherited one is `@Derived`, and the key path does not override it.
    private func isSurelyAnother(_ key: DeclaredKey, than slot: Int) -> Bool {
        if owner(of: slot) == type { return false }
        guard let field = keys[slot].field else {
            guard let keyPath = key.keyPath else { return false }
            return keys[slot].declarations.allSatisfy { $0.isOfSameProperty(as: keyPath, in: type) == false }
        }
        // A derived property that the class does not override is private there.
        if field.storage.isDerived, let keyPath = key.keyPath {
            let isKnown = keys[slot].declarations.contains { $0.isOfSameProperty(as: keyPath, in: type) == true }
            if !isKnown, ClassCopy.overrides(keyPath, in: type, of: owner(of: slot)) == nil { return true }
        }
        return field.storage.valueType != key.valueType || ownFields.contains { $0.name == key.name }
    }

    /// Whether the class's own schema declares a key.
    private func isDeclaredHere(_ slot: Int) -> Bool {
        let first = keys[slot].declarations[0]
        return first.hasKeyPath && first.owner == type
    }

    /// Adds to the direct dependencies of each key what the class itself says, and refuses unknown keys and cycles.
    func resolveDependencies(of keys: [ResolvedKey]) throws(KeyValueError) {
        for key in keys {
            if let base = doubtfulBases[key.slot], key.notifiesAutomatically {
                (key.directBases, key.doubtfulBase) = ([base], base)
            }
            for base in key.ownAffectedBy {
                let first = String(base.prefix { $0 != "." })
                if let slot = slots[base] ?? hidden[base] {
                    if !key.directBases.contains(slot) { key.directBases.append(slot) }
                } else if let slot = slots[first] {
                    key.directPaths = withoutRepetitions(key.directPaths + [DerivedPath(text: base, slot: slot)])
                } else {
                    let unknown = "which is unknown" + didYouMean(nearestName(to: first, among: slots.keys))
                    let why = hidden[first] == nil ? unknown : "and no path goes through the hidden key \"\(first)\""
                    throw .schemaFault("it is affected by \"\(base)\", \(why)", of: type, key: key.name)
                }
            }
            for base in key.directBases { keys[base].directDerived.append(key.slot) }
        }
        // A key is settled as soon as all its bases are. If one never is, some keys form a cycle.
        var openBases = keys.map { $0.directBases.count }
        var settled = keys.indices.filter { openBases[$0] == 0 }
        while let base = settled.popLast() {
            for derived in keys[base].directDerived {
                keys[derived].height = max(keys[derived].height, keys[base].height + 1)
                openBases[derived] -= 1
                if openBases[derived] == 0 { settled.append(derived) }
            }
        }
        if openBases.allSatisfy({ $0 == 0 }) { return }
        for key in keys {
            let bases = DependencyClosure(of: key.slot, among: keys).bases
            if let last = bases.first(where: { keys[$0].directBases.contains(key.slot) }) {
                throw .schemaFault("it depends on itself, through \"\(keys[last].name)\"", of: type, key: key.name)
            }
        }
    }

    /// A property always gets a slot of its own: one of the superclass that has its name is private there, or is in another module.
    private mutating func addObservedProperties(expecting declared: Int) throws(KeyValueError) {
        if !RuntimeCheck.holds(.fieldLayout) { throw .schemaFault(RuntimeAssumption.fieldLayout.sentence, of: type) }
        slots.reserveCapacity(slots.count + max(ownFields.count, declared))
        for field in ownFields {
            // The name first: to ask whether a type conforms takes long where the answer is no.
            guard field.name.utf8.first == UInt8(ascii: "_"), let storage = field.type as? any ObservedStorage.Type
            else { continue }
            let name = String(field.name.dropFirst())
            let problem = FieldLayout.problemOfAddresses(in: type) ?? KeyPathText.problem(inKey: name)
            if let problem { throw .schemaFault(problem, of: type, key: name) }
            hidden[name] = nil
            // If no schema declares it, it is read in its storage, and cannot be set by name.
            let key = DeclaredKey(
                name: name, owner: type, valueType: storage.valueType, read: storage.reader(of: field))
            append([key], .init(field: field, storage: storage))
        }
    }

    private mutating func append(_ declared: [DeclaredKey], _ field: ObservedField? = nil) {
        slots[declared[0].name] = keys.count
        keys.append((declared, field))
    }

    private mutating func hide(_ name: String) throws(KeyValueError) {
        let isDeclared = slots[name].map(isDeclaredHere) ?? false
        if isDeclared { throw .schemaFault("it is declared by a Key and hidden", of: type, key: name) }
        guard let slot = slots.removeValue(forKey: name) ?? hidden[name] else {
            let hint = didYouMean(nearestName(to: name, among: slots.keys))
            throw .schemaFault("it is to be hidden, and the class has no such key\(hint)", of: type, key: name)
        }
        hidden[name] = slot
    }
}
