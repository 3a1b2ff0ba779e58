import Synchronization

/// One key of one class. Its variables are set while the schema is made, before any other thread can see it.
final class ResolvedKey: @unchecked Sendable {
    let slot: Int
    /// The declaration that applies: the first of `declarations`.
    let declared: DeclaredKey
    /// The class's own declaration of the key, if there is one, then those of its superclasses. The last one of an `@Observed`
    /// property is the property itself.
    let declarations: [DeclaredKey]
    /// Where in an object the `@Observed` storage of the property is; nil for any other property.
    let field: FieldLayout.Field?
    /// The type of that storage.
    let storageType: (any ObservedStorage.Type)?
    /// Whether the key path is still to be compared with the storage: see `checkKeyPath(of:)`.
    let mayBeCompared: Atomic<Bool>
    /// The keys and paths that the declarations, or the class's functions for ported code, say it is derived from.
    let affectedBy: [String]
    /// Whether writing the property is announced, if something can announce it.
    let notifiesAutomatically: Bool
    /// Slots of the same object that this key is declared to be derived from, and the slots derived from it.
    var directBases: [Int] = []
    var directDerived: [Int] = []
    /// Paths over other objects that this key is declared to be derived from.
    var directPaths: [String] = []
    let closure = OnceReference<DependencyClosure>()

    var name: String { declared.name }
    var offset: Int? { field?.offset }
    var isWeak: Bool { storageType?.isWeak ?? false }
    /// Whether observing the key involves no other key and no other object.
    var isIndependent: Bool { directBases.isEmpty && directPaths.isEmpty && !isWeak }
    /// Whether writing the property announces the change by itself.
    var announcesItself: Bool { offset != nil && notifiesAutomatically }

    init(slot: Int, declarations: [DeclaredKey], field: FieldLayout.Field?, of type: TrackedObject.Type) {
        self.slot = slot
        self.declarations = declarations
        self.field = field
        declared = declarations[0]
        storageType = field?.type as? any ObservedStorage.Type
        affectedBy = withoutRepetitions(
            declarations.flatMap(\.affectedBy)
                + type.keyPathsForValuesAffectingValue(forKey: declared.name).inOrder(by: <))
        notifiesAutomatically =
            declared.notifiesAutomatically && type.automaticallyNotifiesObservers(forKey: declared.name)
        let isOwn = field.map { FieldLayout.ownOffsets(of: type).contains($0.offset) } ?? false
        mayBeCompared = Atomic(isOwn && declared.keyPath != nil)
    }
}

/// What the property wrappers have in common, so that the fields of a class that are observed can be found.
protocol ObservedStorage {
    static var isWeak: Bool { get }
    /// The type of the property.
    static var valueType: Any.Type { get }
    /// Reads the property in its storage.
    static func reader(of field: FieldLayout.Field) -> (AnyObject) -> Any
    /// Whether a field of this type may hold a value: false only if it is certain that it holds another.
    static func mayHold(_ value: Any, in field: FieldLayout.Field, of object: AnyObject) -> Bool
}

/// What one key depends on and what depends on it, through any number of keys of the same object.
final class DependencyClosure: Sendable {
    /// Slots this key is derived from.
    let bases: [Int]
    /// Slots derived from this key, in the order of their declaration.
    let derived: [Int]
    /// Paths over other objects that this key, or one of its bases, is derived from.
    let paths: [String]

    init(of slot: Int, among keys: [ResolvedKey]) {
        func reach(_ edges: KeyPath<ResolvedKey, [Int]>) -> [Int] {
            var found = keys[slot][keyPath: edges]
            var seen = Set(found)
            var next = 0
            while next < found.count {
                for slot in keys[found[next]][keyPath: edges] where seen.insert(slot).inserted { found.append(slot) }
                next += 1
            }
            return found
        }
        bases = reach(\.directBases)
        derived = reach(\.directDerived).inOrder(by: <)
        paths = withoutRepetitions(([slot] + bases).flatMap { keys[$0].directPaths })
    }
}

extension ClassSchema {
    /// All dependencies of a key, computed when they are first needed and kept.
    ///
    /// Only keys that are observed, or changed while observed, need them. So a chain of *n* keys takes O(*n*) memory and not
    /// the O(*n*²) of all closures.
    func dependencies(of slot: Int) -> DependencyClosure { unmanagedDependencies(of: slot).object }

    @inline(__always)
    func unmanagedDependencies(of slot: Int) -> Borrowed<DependencyClosure> {
        keys[slot].closure.load() ?? makeDependencies(of: slot)
    }

    @inline(never)
    private func makeDependencies(of slot: Int) -> Borrowed<DependencyClosure> {
        keys[slot].closure.setIfNil(DependencyClosure(of: slot, among: keys))
    }
}
