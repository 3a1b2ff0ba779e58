import Observation
import Synchronization

/// What a tracked object has for those who track it through `observable`: the registrar, and one observation for each key that
/// was read.
///
/// **The protocol of this folder.** An `ObservableView` is made at each read of `observable` and holds the object, nothing else. The
/// object's record owns the core from the first read of a member until the object's teardown. The core never refers to the
/// object: its handlers get the object from the change. The observations are the object's own, so they end with it, and then
/// release their handlers. Any thread may read a member; the record's lock guards the reference to the core, and the lock of
/// each `Guarded` its contents. No lock is held while a value is read, an observation is registered or the registrar is called.
final class ObservationCore: Sendable {
    let registrar = ObservationRegistrar()
    private let guarded = Guarded(GuardedState())

    private struct GuardedState {
        /// The observations of keys that are known exactly, by the member of the view that was read.
        var exact: [AnyKeyPath: KeyValueObservation] = [:]
        /// The members whose keys are not known, and the observations that serve them all: one of all keys that can be named, and
        /// one of each other key.
        var inferred: [AnyKeyPath: InferredMember] = [:]
        var ofAllKeys: [KeyValueObservation] = []

        /// Whether each change is seen. Somebody may have removed all observations of the object, these too.
        func watches(_ member: AnyKeyPath) -> Bool {
            exact[member]?.isValid ?? (inferred[member] != nil && watchesAllKeys)
        }

        var watchesAllKeys: Bool { !ofAllKeys.isEmpty && ofAllKeys.allSatisfy(\.isValid) }
    }

    /// The core of an object, made if there is none; nil if the object's deinit has begun.
    static func of(_ object: TrackedObject) -> ObservationCore? {
        do throws(KeyValueError) {
            guard let record = try object.makeRecord() else { return nil }
            return record.observationCore ?? record.insert(ObservationCore())
        } catch {
            fatalMisuse("\(error)")
        }
    }

    /// Sees to it that the registrar is called around each change of a member of a view, from now on.
    ///
    /// - Parameters:
    ///   - member: The member of the view.
    ///   - keyPath: The property that the member reads, if its key may be unknown.
    ///   - slot: The key of the property; nil if it is not known which one that is.
    /// - Complexity: O(1); at the first read of a member O(*n*) for *n* keys of the class.
    func watch<Object: TrackedObject, Value>(
        _ member: KeyPath<ObservableView<Object>, Value>, reading keyPath: KeyPath<Object, Value>?, of object: Object,
        slot: (ClassSchema) -> Int?
    ) {
        if guarded.withLock({ $0.watches(member) }) { return }
        guard let schema = object.record?.schema else { return }
        if let slot = slot(schema) {
            let relay = ExactMember(member, registrar)
            let made = observation { relay.handle($0) }.observe(slot, of: object)
            // If another thread has registered one meanwhile, that one stays: it may have made a prior call.
            let surplus = guarded.withLock { state in
                state.exact[member]?.isValid == true ? made : state.exact.updateValue(made, forKey: member)
            }
            surplus?.remove()
        } else if let keyPath {
            let made = InferredMemberOf(member, reading: keyPath, registrar)
            let isWatched = guarded.withLock { state in
                if state.inferred[member] == nil { state.inferred[member] = made }
                return state.watchesAllKeys
            }
            if !isWatched { watchAllKeys(of: object, schema) }
        }
    }

    private func watchAllKeys(of object: TrackedObject, _ schema: ClassSchema) {
        // Those that no name reaches, because a schema hides them or a subclass has the name, too.
        let unnamed = schema.keys.filter { schema.slot(of: $0.name) != $0.slot }
        var made = unnamed.map { key in observation { Self.change(of: key, $0) }.observe(key.slot, of: object) }
        if unnamed.count < schema.keys.count {
            do throws(KeyValueError) {
                let observation = try object.observeAnyKey(options: [.prior, .unregisterAutomatically]) { change in
                    if let slot = schema.slot(of: change.keyPath) { Self.change(of: schema.keys[slot], change) }
                }
                made.append(observation)
            } catch {
                fatalMisuse("\(error)")
            }
        }
        let surplus = guarded.withLock { state in
            if state.watchesAllKeys { return made }
            defer { state.ofAllKeys = made }
            return state.ofAllKeys
        }
        for observation in surplus { observation.remove() }
    }

    private func observation(_ handler: @escaping (Change<Any>) -> Void) -> Registration {
        Registration([.prior, .unregisterAutomatically], nil, .closure(handler), #fileID, #line)
    }

    /// A call for a key of an object of which the members are inferred.
    private static func change(of key: ResolvedKey, _ change: Change<Any>) {
        guard let target = change.target, let core = target.record?.observationCore else { return }
        for member in core.guarded.withLock({ Array($0.inferred.values) }) {
            if change.isPrior { member.willChange(key, of: target) } else { member.didChange(key.slot, of: target) }
        }
    }
}

extension ObjectRecord {
    fileprivate var observationCore: ObservationCore? {
        lock.withLock { guarded.details?.observationCore } as? ObservationCore
    }

    /// Stores the core of the object, unless another thread has stored one first.
    ///
    /// - Returns: The one that is stored; nil if the object's deinit has begun.
    fileprivate func insert(_ core: ObservationCore) -> ObservationCore? {
        let stored: AnyObject? = lock.withLock {
            if guarded.isDying { return nil }
            let details = guarded.makeDetails()
            let stored = details.observationCore ?? core
            details.observationCore = stored
            return stored
        }
        return stored as? ObservationCore
    }
}

/// Calls the registrar around the changes of one key.
private final class ExactMember<Object: TrackedObject, Value> {
    private let member: KeyPath<ObservableView<Object>, Value>
    private let registrar: ObservationRegistrar
    /// Whether the prior call of a change was made and the other one was not.
    private let isChanging = Atomic(false)

    init(_ member: KeyPath<ObservableView<Object>, Value>, _ registrar: ObservationRegistrar) {
        self.member = member
        self.registrar = registrar
    }

    func handle(_ change: Change<Any>) {
        guard let target = change.target else { return }
        let view = ObservableView(known(target, as: Object.self))
        let wasChanging = isChanging.exchange(change.isPrior, ordering: .acquiringAndReleasing)
        // A change without a prior call: the death of what a weak property refers to, and whatever `coalescingChanges` held back.
        if change.isPrior || !wasChanging { registrar.willSet(view, keyPath: member) }
        if !change.isPrior { registrar.didSet(view, keyPath: member) }
    }
}
