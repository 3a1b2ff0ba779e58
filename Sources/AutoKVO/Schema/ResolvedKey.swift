import Synchronization

/// One key of one class. Its variables are set while the schema is made, before any other thread can see it; what is found out later is atomic.
final class ResolvedKey: @unchecked Sendable {
    let slot: Int
    /// The declaration that applies: the first of `declarations`.
    let declared: DeclaredKey
    /// The class's own declaration of the key, if there is one, then those of its superclasses. The last one of an `@Observed`
    /// property is the property itself.
    let declarations: [DeclaredKey]
    /// The `@Observed` storage of the property in an object; nil for any other property.
    let observed: ObservedField?
    /// Whether the key path leads to the storage: see `checkKeyPath(of:)`.
    let keyPathCheck: Atomic<KeyPathCheck>

    enum KeyPathCheck: UInt8, AtomicRepresentable {
        /// It is not known, and is to be found out with the first value.
        case pending
        case passed
        case failed
        /// There is no storage, or a subclass may override the getter.
        case none
    }
    /// Whether the class may override the getter of the `@Observed` property, so that its value need not be what the storage holds: it
    /// is read through the getter then, before and after each change.
    var isOverridden: Bool { overriding.load(ordering: .acquiring) != .no }
    private let overriding: Atomic<Overriding>

    /// Whether it does: known as soon as a key path of the property is, which the property's own accessors have.
    private enum Overriding: UInt8, AtomicRepresentable { case no, perhaps, yes }
    /// The keys and paths that the declarations, or the class's functions for ported code, say it is derived from.
    let affectedBy: [String]
    /// Those that the functions for ported code say.
    private let namedAffectedBy: [String]
    /// Those of them that the superclass does not know of.
    let ownAffectedBy: [String]
    /// Whether writing the property is announced, if something can announce it.
    let notifiesAutomatically: Bool
    /// Slots of the same object that this key is declared to be derived from, and the slots derived from it.
    var directBases: [Int]
    var directDerived: [Int] = []
    /// The one of `directBases` that it may have nothing to do with: so its observers are called only if its value is another one.
    var doubtfulBase: Int?
    /// Paths over other objects that this key is declared to be derived from.
    var directPaths: [DerivedPath]
    /// Whether a class stores a property of this name, so that the key may be of that: a `lazy var` reads something at its first use only.
    var mayBeStored = false
    let closure = OnceReference<DependencyClosure>()
    /// The order in which observers of derived keys are called: as declared, but after the keys they are derived from. 0 for any other key.
    lazy var height = isRecorded || !affectedBy.isEmpty ? (slot + 1) << 16 : 0

    var name: String { declared.name }
    /// The declarations that validate, the superclasses' first.
    var validating: [DeclaredKey] { declarations.reversed().filter { $0.validate != nil } }
    var field: FieldLayout.Field? { observed?.field }
    var storageType: (any ObservedStorage.Type)? { observed?.storage }
    var offset: Int? { field?.offset }
    var isWeak: Bool { storageType?.isWeak ?? false }
    /// Whether observing the key involves no other key and no other object.
    var isIndependent: Bool { directBases.isEmpty && directPaths.isEmpty && !isWeak && !isRecorded }
    /// Whether a subclass declares the key of an inherited `@Observed` property, which may be private there: then the subclass may mean another
    /// one that it computes. The first use shows which of them its key path reads; and which weak property, whose value is not compared. A
    /// read of what has one value only is not noted.
    var mayBeOfAnother: Bool {
        keyPathCheck.load(ordering: .relaxed) == .pending && (isWeak || declared.owner != declarations.last!.owner)
            && typeSize(declared.valueType) > 0
    }
    /// Whether the value is computed from what the computation reads: it is `@Derived`, or a `Key` names a computed property and does
    /// not say what it depends on.
    var isRecorded: Bool { isDerivedProperty || observed == nil && affectedBy.isEmpty && notifiesAutomatically }
    /// Whether it is `@Derived`.
    var isDerivedProperty: Bool { storageType?.isDerived ?? false }
    /// What computes the value of such a key; nil of any other.
    let computation: ((AnyObject) -> Any)?
    /// What that may have of tracked objects.
    let computedObjects: HeldObjects
    /// Whether the key has been checked (`checkFirstUse`), which is done with its first use by name.
    let isChecked = Atomic(false)
    /// Whether it has been said that its function reads nothing that is observed, which the first kept evaluation shows.
    let isReported = Atomic(false)
    /// Whether writing the property announces the change by itself.
    var announcesItself: Bool { offset != nil && notifiesAutomatically || isRecorded }

    /// - Parameters:
    ///   - isNamed: Whether its name means it in the class: whose functions for ported code, which are asked by name, are about it then.
    ///   - inherited: The same key of the superclass.
    init(
        slot: Int, declarations: [DeclaredKey], field: ObservedField?, mayBeOverridden: Bool,
        of type: TrackedObject.Type, isNamed: Bool, inherited: ResolvedKey?
    ) {
        (self.slot, self.declarations, observed) = (slot, declarations, field)
        // What a superclass declares is about its own properties, also if this class has others of the same names.
        (directBases, directPaths) = (inherited?.directBases ?? [], inherited?.directPaths ?? [])
        doubtfulBase = inherited?.doubtfulBase
        let first = declarations[0]
        let property = mayBeOverridden ? first.keyPath : nil
        let isOverridden =
            property.map { ClassCopy.overrides($0, in: type, of: declarations.last!.owner) ?? false } ?? mayBeOverridden
        overriding = Atomic(!isOverridden ? .no : property == nil ? .perhaps : .yes)
        declared = isOverridden && property == nil ? DeclaredKey(throughGetterOf: first, in: field!) : first
        let unnamed = isNamed ? nil : inherited
        let named = unnamed?.affectedBy ?? type.keyPathsForValuesAffectingValue(forKey: declared.name).inOrder(by: <)
        let namedHere = unnamed?.namedAffectedBy ?? named
        namedAffectedBy = namedHere
        affectedBy = withoutRepetitions(declarations.flatMap(\.affectedBy) + named)
        ownAffectedBy =
            inherited.map { inherited in
                let own = declarations.dropLast(inherited.declarations.count).flatMap(\.affectedBy)
                return withoutRepetitions(own + namedHere.filter { !inherited.namedAffectedBy.contains($0) })
            } ?? affectedBy
        notifiesAutomatically =
            declarations.allSatisfy(\.notifiesAutomatically)
            && unnamed?.notifiesAutomatically ?? type.automaticallyNotifiesObservers(forKey: declared.name)
        let ownFunction = field.flatMap { $0.storage.computation(in: $0.field) }
        if let ownFunction, let getter = declared.getter {
            computation = { (getter.read ?? ownFunction)($0) }
        } else {
            computation = field == nil || isOverridden ? declared.read.body : ownFunction
        }
        computedObjects = computation == nil ? .noObject : heldObjects(declared.valueType)
        let isOfSameType = field?.storage.isDerived == false && field?.storage.valueType == declared.valueType
        // A key that no schema declares is read in the storage.
        keyPathCheck = Atomic(!isOfSameType || isOverridden ? .none : declared.hasKeyPath ? .pending : .passed)
    }

    /// Finds out whether the class overrides the property, if that is not known, and keeps the getter if it does.
    func findGetter(in type: AnyClass, _ getter: () -> PropertyGetter?) {
        guard overriding.load(ordering: .acquiring) == .perhaps, let getter = getter() else { return }
        let isOverridden = ClassCopy.overrides(getter.keyPath, in: type, of: declarations.last!.owner) ?? false
        if isOverridden { declared.getter!.keep(getter) }
        overriding.store(isOverridden ? .yes : .no, ordering: .releasing)
    }

    /// Whether a value may have been read there.
    func isReadInStorage(of object: TrackedObject) -> Bool {
        guard let field, let storageType else { return true }
        return storageType.mayHold(declared.read(object), in: field, of: object)
    }

    /// Whether the property of an object is, as far as its getter says now, the collection that is stored: an edit of that is an edit of
    /// what the getter returns. Asked again behind the edit, since another getter returns what is stored only now and then.
    func readsStoredCollection(of object: TrackedObject) -> Bool {
        observed?.stores(declared.read(object), in: object) ?? false
    }

    /// The storage, if reading it is what the getter does in an object of exactly this class.
    func storage(in object: TrackedObject) -> FieldLayout.Field? {
        if keyPathCheck.load(ordering: .relaxed) == .pending, !mayBeOfAnother, isReadInStorage(of: object) {
            keyPathCheck.store(.passed, ordering: .relaxed)
        }
        return keyPathCheck.load(ordering: .relaxed) == .passed ? field : nil
    }
}

/// A path over other objects that a key is derived from. Its first name is that of a key in the class that declares it; a subclass may
/// have another one of that name.
struct DerivedPath: Hashable {
    let text: String
    let slot: Int
}

/// A stored property that is `@Observed`, and the type of its storage.
struct ObservedField {
    let field: FieldLayout.Field
    let storage: any ObservedStorage.Type

    /// Whether a value is a copy of what the property of an object stores.
    func stores(_ value: Any, in object: AnyObject) -> Bool { storage.stores(value, in: field, of: object) }
}

/// What the property wrappers have in common, so that the fields of a class that are observed can be found.
protocol ObservedStorage {
    static var isWeak: Bool { get }
    /// Whether there is no value, but a function that computes it.
    static var isDerived: Bool { get }
    static func computation(in field: FieldLayout.Field) -> ((AnyObject) -> Any)?
    /// The type of the property.
    static var valueType: Any.Type { get }
    /// Whether a field of an object was declared with `.distinct`.
    static func isDistinct(_ field: FieldLayout.Field, of object: AnyObject) -> Bool
    /// Reads the property in its storage.
    static func reader(of field: FieldLayout.Field) -> (AnyObject) -> Any
    /// Whether a value is a copy of what a field of this type holds: it has the same bytes.
    static func stores(_ value: Any, in field: FieldLayout.Field, of object: AnyObject) -> Bool
    /// Whether a field of this type may hold a value: false only if it is certain that it holds another. The value of a weak property is read
    /// under its owner's lock, so it is not looked at.
    static func mayHold(_ value: Any, in field: FieldLayout.Field, of object: AnyObject) -> Bool
    /// Sets the property through its handle. No effect for a value of another type, nor where nothing is stored.
    static func restore(_ value: Any, in field: FieldLayout.Field, of object: TrackedObject)
}

extension ObservedStorage {
    static var isWeak: Bool { false }
    static var isDerived: Bool { false }
    static func isDistinct(_ field: FieldLayout.Field, of object: AnyObject) -> Bool { false }
    static func stores(_ value: Any, in field: FieldLayout.Field, of object: AnyObject) -> Bool { false }
    static func mayHold(_ value: Any, in field: FieldLayout.Field, of object: AnyObject) -> Bool { true }
    static func computation(in field: FieldLayout.Field) -> ((AnyObject) -> Any)? { nil }
    static func restore(_ value: Any, in field: FieldLayout.Field, of object: TrackedObject) {}
}

/// What one key depends on and what depends on it, through any number of keys of the same object.
final class DependencyClosure: Sendable {
    /// Slots this key is derived from.
    let bases: [Int]
    /// Those of them that are computed from what they read.
    let recordedBases: [Int]
    /// Slots derived from this key, in the order of their declaration.
    let derived: [Int]
    /// Those of them that need not be derived from it: see `ResolvedKey.doubtfulBase`.
    let doubtful: [Int]
    /// Paths over other objects that this key, or one of its bases, is derived from.
    let paths: [DerivedPath]

    init(of slot: Int, among keys: [ResolvedKey]) {
        func reach(_ edges: (ResolvedKey) -> [Int]) -> [Int] {
            var (found, next) = (edges(keys[slot]), 0)
            var seen = Set(found)
            while next < found.count {
                for slot in edges(keys[found[next]]) where seen.insert(slot).inserted { found.append(slot) }
                next += 1
            }
            return found
        }
        bases = reach { $0.directBases }
        recordedBases = bases.filter { keys[$0].isRecorded }
        derived = reach { $0.directDerived }.sorted()
        let certain = reach { key in key.directDerived.filter { keys[$0].doubtfulBase != key.slot } }
        doubtful = certain.count == derived.count ? [] : derived.filter { !certain.contains($0) }
        paths = withoutRepetitions(([slot] + bases).flatMap { keys[$0].directPaths })
    }
}
