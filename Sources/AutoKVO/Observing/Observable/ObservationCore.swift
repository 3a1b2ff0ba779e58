import Observation

/// What a tracked object has for those who track it through `observable`: the registrar, and one observation for each member
/// that was read.
///
/// **The protocol of this folder.** An `ObservableView` is made at each read of `observable` and holds the object, nothing else. The
/// object's record owns the core from the first read of a member until the object's teardown. The core never refers to the
/// object: its handlers get the object from the change. The observations are the object's own, so they end with it, and then
/// release their handlers. Any thread may read a member; the record's lock guards the reference to the core, and the lock of
/// each `Guarded` its contents. No lock is held while a value is read, an observation is registered or the registrar is called.
final class ObservationCore: Sendable {
    let registrar = ObservationRegistrar()
    private struct Member {
        let (keyPath, type): (AnyKeyPath, ObjectIdentifier)
        /// That of the view, which takes long to make.
        let path: AnyKeyPath
        let observation: KeyValueObservation
        /// The token of the change whose prior call the registrar has got.
        let announced: Guarded<UInt>
    }
    /// The members that were read through a view, by the hash of the key path. Key paths are hashed and compared without the lock, since what a
    /// subscript was called with is part of them.
    private let members = Guarded<[Int: [Member]]>([:])

    /// The core of an object, made if there is none; nil if the object's deinit has begun.
    static func of(_ object: TrackedObject) -> ObservationCore? {
        guard let record = orTrap(try object.makeRecord()) else { return nil }
        let core: AnyObject? = record.lock.withLock {
            if record.guarded.isDying { return nil }
            let details = record.guarded.makeDetails()
            if details.observationCore == nil { details.observationCore = ObservationCore() }
            return details.observationCore
        }
        return core as? ObservationCore
    }

    /// Sees to it that the registrar is called around each change of a member of a view, from now on.
    ///
    /// - Parameters:
    ///   - keyPath: What the member reads.
    ///   - member: Makes the member of the view.
    ///   - register: Observes what the member reads.
    /// - Returns: The member; and the token of the change whose prior call the registrar has got, to be reset when the read is known to it.
    /// - Complexity: O(1); at the first read of a member a registration.
    func watch<Object: TrackedObject, Value>(
        _ keyPath: AnyKeyPath, _ member: () -> KeyPath<ObservableView<Object>, Value>, of object: Object,
        _ register: (consuming Registration) -> KeyValueObservation
    ) -> (KeyPath<ObservableView<Object>, Value>, announced: Guarded<UInt>) {
        let (hash, type) = (keyPath.hashValue, ObjectIdentifier(Value.self))
        func isRead(_ member: Member) -> Bool { member.type == type && member.keyPath == keyPath }
        // Somebody may have removed all observations of the object, these too.
        if let member = members.withLock({ $0[hash] })?.first(where: isRead), member.observation.isValid {
            member.observation.noteRead()
            return (known(member.path, as: KeyPath<ObservableView<Object>, Value>.self), member.announced)
        }
        let (member, registrar, announced) = (member(), registrar, Guarded<UInt>(0))
        let relay = { (change: Change<Any>) in
            guard let target = change.target else { return }
            let view = ObservableView(known(target, as: Object.self))
            // Both calls of a change have its token, and no other change has it.
            let token = change.context.event.value.token
            let isAnnounced = announced.withLock { known in
                defer { known = change.isPrior ? token : 0 }
                return known == token
            }
            // Some changes have no prior call: the death of what a weak property refers to, and whatever `coalescingChanges` held back. Some
            // have no other call: what the member reads was computed, and is equal.
            if !isAnnounced {
                let thread = ThreadContext.current
                let outer = thread.value.announcing
                // In a prior call: those of all that the change which makes it has found.
                let change = change.isPrior ? thread.value.openTransactions.last { $0.isPreparing } : nil
                thread.value.announcing =
                    change.map { min($0.object.token, token)...thread.value.lastToken } ?? token...token
                registrar.willSet(view, keyPath: member)
                thread.value.announcing = outer
            }
            if !change.isPrior { registrar.didSet(view, keyPath: member) }
        }
        let made = register(Registration([.prior, .unregisterAutomatically], nil, .closure(relay), #fileID, #line))
        while true {
            let found = members.withLock { $0[hash] } ?? []
            // If another thread has registered one meanwhile, that one stays: it may have made a prior call.
            if let other = found.first(where: isRead), other.observation.isValid {
                made.remove()
                return (member, other.announced)
            }
            let own = Member(keyPath: keyPath, type: type, path: member, observation: made, announced: announced)
            var new = found.filter { !isRead($0) } + [own]
            let isKept = members.withLock { members in
                guard members[hash]?.last?.observation === found.last?.observation else { return false }
                swap(&members[hash, default: []], &new)
                return true
            }
            if isKept { return (member, announced) }
        }
    }
}
