import Synchronization

/// Makes the death of the object that an observed weak property refers to a change of the property.
///
/// One exists for each weak property that is observed, directly or through a derived key or a path, while it refers to an object. Both
/// the record of its holder and that of the object own it.
final class DeathWatch: Sendable {
    private let holder: ObjectRecord
    private let slot: Int
    /// The object watched, by the address its record pins.
    let referent: ObjectRecord
    /// Of two watches the one that was made later has the greater number.
    private let number: UInt64
    private static let lastNumber = Atomic<UInt64>(0)

    init(holder: ObjectRecord, slot: Int, referent: ObjectRecord) {
        (self.holder, self.slot, self.referent) = (holder, slot, referent)
        number = DeathWatch.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Begins to watch the object, which the caller keeps alive.
    func start() {
        referent.lock.withLock { referent.guarded.makeDetails().watchers[number] = self }
        // A watch that replaced this one before that could not cancel it.
        if holder.lock.withLock({ holder.guarded.details?.watches[slot] !== self }) { cancel() }
    }

    func cancel() { referent.lock.withLock { referent.guarded.details?.watchers[number] = nil } }

    /// Removes the watch from its holder. False if the holder has another one, or none.
    private func leaveHolder() -> Bool {
        holder.lock.withLock {
            guard let details = holder.guarded.details, details.watches[slot] === self else { return false }
            return details.watches.removeValue(forKey: slot) != nil
        }
    }

    /// All weak properties that refer to an object read nil from one moment on, so its death is one change of all of them.
    static func referentDidDie(_ watches: [UInt64: DeathWatch]) {
        if watches.isEmpty { return }
        TestPoint.referentDying.reach()
        let changed = watches.sorted { $0.key < $1.key }.map(\.value).filter { $0.leaveHolder() }
        let holders = changed.map { $0.holder.trackedObject }
        Transaction.didChange(zip(changed, holders).compactMap { $1 == nil ? nil : ($0.holder, $0.slot) })
        extendLifetime(holders)
    }
}

extension ObjectRecord {
    /// Moves the watch of a weak property to the object it refers to now, if the property is observed.
    ///
    /// - Parameter didChange: Whether the property was set. If not, and the property reads nil because its object is dying, that
    ///   object's watch stays: it is about to notify of the death.
    func updateWatch(of slot: Int, didChange: Bool = false) {
        guard let object = trackedObject else { return }
        while true {
            let (isObserved, writes) = lock.withLock { (self.isObserved(slot), guarded.details?.weakWrites ?? 0) }
            // The property itself, whatever the getter of a subclass makes of it.
            let referent = isObserved ? schema!.keys[slot].declarations.last!.readObject(object) : nil
            // Nil also if the object is dying, or the schema of its class has a fault.
            let record = orReport(
                "The death of the object that \(objectClass).\(schema!.keys[slot].name) refers to will be no change "
                    + "of it", try referent?.makeRecord())
            let new = record.map { DeathWatch(holder: self, slot: slot, referent: $0) }
            TestPoint.updatingWatch.reach()
            // Reading the property takes the lock, so afterwards, under the lock, this checks again whether the property is
            // observed, and whether it was set. Otherwise:
            //
            //     the last observer is removed           another is added
            //     finds no observer
            //                                            finds an observer, adds a watch
            //     removes the watch
            //
            //     its object has died: reads nil
            //                                            sets it, adds a watch of the new object
            //     removes the watch
            let watches: (old: DeathWatch?, new: DeathWatch?)? = lock.withLock {
                guard self.isObserved(slot) == isObserved, guarded.details?.weakWrites ?? 0 == writes else {
                    return nil
                }
                let old = guarded.details?.watches[slot]
                if guarded.isDying || old?.referent === record { return (nil, nil) }
                if !didChange, isObserved, record == nil, old!.referent.isDeinitializing { return (nil, nil) }
                guarded.makeDetails().watches[slot] = new
                return (old, new)
            }
            guard let watches else { continue }
            watches.old?.cancel()
            watches.new?.start()
            return extendLifetime(referent)
        }
    }

    /// A weak property reads nil. What its observers know is another value if its object is dying, and that is still to be told.
    func noteDyingReferent(_ object: PinnedReference<TrackedObject>) {
        let isDue = lock.withLock {
            guarded.details?.watches.values.contains { $0.referent.address == object.address } ?? false
        }
        if isDue { ThreadContext.current.value.dyingReferents &+= 1 }
    }

    private func isObserved(_ slot: Int) -> Bool {
        list(slot).map { !$0.value.interest.load(ordering: .acquiring).isEmpty } ?? false
    }
}
