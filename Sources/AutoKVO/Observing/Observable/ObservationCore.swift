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
    /// The observations of keys that are known exactly, by the member of the view that was read.
    private let exact = Guarded<[AnyKeyPath: KeyValueObservation]>([:])
    /// The members whose keys are not known, and the one observation of all keys that serves them.
    private let inferred = Guarded<(members: [AnyKeyPath: InferredMember], observation: KeyValueObservation?)>(
        ([:], nil))

    /// The core of an object, made if there is none; nil if the object's deinit has begun.
    static func of(_ object: TrackedObject) -> ObservationCore? {
        do throws(KeyValueError) {
            guard let record = try object.makeRecord() else { return nil }
            let known = record.lock.withLock { record.guarded.details?.observationCore }
            return (known ?? record.insert(ObservationCore())) as? ObservationCore
        } catch {
            fatalMisuse("\(error)")
        }
    }

    /// Sees to it that the registrar is called around each change of a member of a view, from now on.
    ///
    /// - Parameters:
    ///   - member: The member of the view.
    ///   - keyPath: The property that the member reads.
    ///   - slot: The key of the property; nil if it is not known which one that is.
    /// - Complexity: O(1); at the first read of a member, of which the key is not known, O(*n*) for *n* keys of the class.
    func watch<Object: TrackedObject, Value>(
        _ member: KeyPath<ObservableView<Object>, Value>, reading keyPath: KeyPath<Object, Value>?, slot: Int?,
        of object: Object, _ schema: ClassSchema
    ) {
        // Somebody may have removed all observations of the object, this one too.
        if let slot {
            if exact.withLock({ $0[member] })?.isValid == true { return }
            let relay = ExactMember(member, registrar)
            guard let made = observe(schema.keys[slot].name, of: object, { relay.handle($0) }) else { return }
            // If another thread has registered one meanwhile, that one stays: it may have made a prior call.
            let surplus = exact.withLock { known in
                known[member]?.isValid == true ? made : known.updateValue(made, forKey: member)
            }
            surplus?.remove()
        } else if let keyPath {
            let (isKnown, isObserved) = inferred.withLock {
                ($0.members[member] != nil, $0.observation?.isValid == true)
            }
            if !isKnown {
                let made = InferredMemberOf(member, reading: keyPath, registrar)
                // Two threads may get here at once; either one's member serves both.
                _ = inferred.withLock { $0.members.updateValue(made, forKey: member) }
            }
            if isObserved || schema.keys.isEmpty { return }
            let names = schema.keys.map(\.name)
            let inferred = inferred
            let made = observe(names, of: object) { change in
                guard let target = change.target, let slot = schema.slot(of: change.keyPath) else { return }
                for member in inferred.withLock({ Array($0.members.values) }) {
                    if change.isPrior {
                        member.willChange(schema.keys[slot], of: target)
                    } else {
                        member.didChange(slot, of: target)
                    }
                }
            }
            let surplus = inferred.withLock { state in
                if state.observation?.isValid == true { return made }
                defer { state.observation = made }
                return state.observation
            }
            surplus?.remove()
        }
    }

    private func observe(
        _ keyPaths: some KeyPathSet, of object: TrackedObject, _ handler: @escaping (Change<Any>) -> Void
    ) -> KeyValueObservation? {
        do throws(KeyValueError) {
            return try object.observe(keyPaths, options: .prior, handler)
        } catch {
            // The object's deinit has begun on this thread.
            if case .deinitializingObject = error.reason { return nil }
            fatalMisuse("\(error)")
        }
    }
}

extension ObjectRecord {
    /// Stores the core of the object, unless another thread has stored one first.
    ///
    /// - Returns: The one that is stored; nil if the object's deinit has begun.
    fileprivate func insert(_ core: ObservationCore) -> AnyObject? {
        lock.withLock {
            if guarded.isDying { return nil }
            let details = guarded.makeDetails()
            let stored = details.observationCore ?? core
            details.observationCore = stored
            return stored
        }
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
