@_spi(Reflection) import Swift
import Synchronization

/// A class's schema made ready for use: every key has a slot, its dependencies are closed, and a place in an object
/// leads to the key of the `@Observed` property that lies there.
///
/// Made once for each class, immutable from then on, and never freed.
final class ClassSchema: @unchecked Sendable {
    let type: AnyClass
    /// The class that declared the schema: `type` or one of its superclasses.
    let owner: AnyClass?
    /// By slot. A subclass has its superclass's keys in the same slots, then its own.
    let keys: [ResolvedKey]
    let handlers: [String: DeclaredHandler]
    private let slots: [String: Int]
    /// What writes and registrations look up, as plain memory that records point to.
    let layout: UnsafePointer<SlotLayout>
    /// `slots` for names of up to 15 bytes, which is how nearly all are looked up: open addressing, by their bits.
    private let shortNames: ShortNameTable

    var className: String { String(describing: type) }

    init(
        type: AnyClass, owner: AnyClass?, keys: [ResolvedKey], handlers: [String: DeclaredHandler],
        slots: [String: Int]
    ) {
        self.type = type
        self.owner = owner
        self.keys = keys
        self.handlers = handlers
        self.slots = slots
        layout = SlotLayout.make(
            for: keys, unregistersManually: !((type as? TrackedObject.Type)?.unregistersAutomatically ?? true))
        shortNames = ShortNameTable(slots)
    }

    /// The slot of the observed property that begins `offset` bytes into the object, or -1.
    func slot(atOffset offset: Int) -> Int { layout.pointee.slot(atOffset: offset) }

    /// The slot of a key.
    ///
    /// - Complexity: O(1).
    func slot(of name: String) -> Int? {
        shortNames[name] ?? slots[name]
    }

    func requireSlot(of name: String, in keyPath: String) throws(KeyValueError) -> Int {
        if let slot = slot(of: name) { return slot }
        throw unknownKey(name, in: keyPath)
    }

    func unknownKey(_ name: String, in keyPath: String) -> KeyValueError {
        KeyValueError(
            .unknownKey(nearest: nearestName(to: name, among: slots.keys)), className: className, key: name, keyPath: keyPath)
    }

    func requireHandler(_ name: String) throws(KeyValueError) -> DeclaredHandler {
        if let handler = handlers[name] { return handler }
        throw KeyValueError(
            .unknownHandler(nearest: nearestName(to: name, among: handlers.keys)), className: className, key: name)
    }

    /// The key whose property is the one a key path names, in any class of this one's line.
    func slot(of keyPath: AnyKeyPath) -> Int? {
        keys.firstIndex { $0.declared.keyPath == keyPath || $0.overridden.contains { $0.keyPath == keyPath } }
    }
}

/// One key of one class.
final class ResolvedKey: @unchecked Sendable {
    let slot: Int
    let declared: DeclaredKey
    /// Declarations of the same key in superclasses.
    let overridden: [DeclaredKey]
    /// Where in an object the `@Observed` storage of the property begins; nil for any other property.
    let offset: Int?
    /// The type of that storage.
    let storageType: Any.Type?
    let isWeak: Bool
    /// Slots of the same object that this key is declared to be derived from, and the slots derived from it.
    fileprivate(set) var directBases: [Int] = []
    fileprivate(set) var directDerived: [Int] = []
    /// Paths over other objects that this key is declared to be derived from.
    fileprivate(set) var directPaths: [String] = []
    fileprivate let closure = AtomicLazyReference<DependencyClosure>()

    var name: String { declared.name }
    /// Whether observing the key involves no other key and no other object.
    var isIndependent: Bool { directBases.isEmpty && directPaths.isEmpty && !isWeak }
    /// Whether writing the property announces the change by itself.
    var announcesItself: Bool { offset != nil && declared.notifiesAutomatically }

    fileprivate init(slot: Int, declared: DeclaredKey, overridden: [DeclaredKey], storage: ObservedField?) {
        self.slot = slot
        self.declared = declared
        self.overridden = overridden
        offset = storage?.offset
        storageType = storage?.type
        isWeak = (storage?.type as? any ObservedStorage.Type)?.isWeak ?? false
    }
}

/// What one key depends on and what depends on it, through any number of keys of the same object.
final class DependencyClosure: Sendable {
    /// Slots this key is derived from.
    let bases: [Int]
    /// Slots derived from this key, nearest first.
    let derived: [Int]
    /// Paths over other objects that this key, or one of its bases, is derived from.
    let paths: [String]

    init(bases: [Int], derived: [Int], paths: [String]) {
        self.bases = bases
        self.derived = derived
        self.paths = paths
    }
}

extension ClassSchema {
    /// The closed dependencies of a key: found when they are first asked for and kept.
    ///
    /// Only keys that are observed or changed while observed are asked for, so that a chain of *n* keys costs O(*n*)
    /// memory and not the O(*n*²) of all closures.
    func dependencies(of slot: Int) -> DependencyClosure {
        if let known = keys[slot].closure.load() { return known }
        let bases = reach(from: slot, \.directBases)
        var paths = keys[slot].directPaths
        for base in bases { for path in keys[base].directPaths where !paths.contains(path) { paths.append(path) } }
        return keys[slot].closure.storeIfNil(
            DependencyClosure(bases: bases, derived: reach(from: slot, \.directDerived), paths: paths))
    }

    private func reach(from slot: Int, _ edges: KeyPath<ResolvedKey, [Int]>) -> [Int] {
        var found = keys[slot][keyPath: edges]
        if found.isEmpty { return [] }
        var seen = Set(found)
        var next = 0
        while next < found.count {
            for slot in keys[found[next]][keyPath: edges] where seen.insert(slot).inserted { found.append(slot) }
            next += 1
        }
        return found
    }
}

// MARK: - Making and caching

extension ClassSchema {
    private static let cache = Mutex<[ObjectIdentifier: Result<ClassSchema, KeyValueError>]>([:])

    /// The schema of a tracked class.
    static func of(_ type: TrackedObject.Type) throws(KeyValueError) -> ClassSchema {
        try cached(type) { () throws(KeyValueError) in try resolve(type) }
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

    private static func resolve(_ type: TrackedObject.Type) throws(KeyValueError) -> ClassSchema {
        guard type != TrackedObject.self, let superclass = _getSuperclass(type) as? TrackedObject.Type else {
            return ClassSchema(type: type, owner: nil, keys: [], handlers: [:], slots: [:])
        }
        let base = try of(superclass)
        let schema = type.schema
        let own = schema.owner == type ? schema.declarations : []
        func fault(_ key: String, _ text: String) -> KeyValueError {
            KeyValueError(.schemaFault(text), className: String(describing: type), key: key)
        }
        if schema.owner != type, schema.owner != base.owner {
            throw fault("", "it is the schema of \(schema.owner.map { "\($0)" } ?? "no class")")
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
        precondition(declared.count < Int(Int16.max), "A class can declare at most 32,766 keys.")

        let storage = observedStorage(of: type)
        let keys = declared.enumerated().map { slot, declarations in
            ResolvedKey(
                slot: slot, declared: declarations[0], overridden: Array(declarations.dropFirst()),
                storage: storage["_" + declarations[0].name])
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
        return try Self.handlers(ofDeclarations: schema.declarations, on: type, adding: handlers)
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
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { name, offset, fieldType, _ in
            if fieldType is any ObservedStorage.Type { found[String(cString: name)] = ObservedField(offset: offset, type: fieldType) }
            return true
        }
        return found
    }
}

/// Where in an object the storage of an `@Observed` property begins, and its type.
private struct ObservedField {
    let offset: Int
    let type: Any.Type
}

/// What the property wrappers have in common, so that a class's fields can be told apart.
protocol ObservedStorage {
    static var isWeak: Bool { get }
}
