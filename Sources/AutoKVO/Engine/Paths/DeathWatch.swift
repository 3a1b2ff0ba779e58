internal import CDeallocHook

/// Turns the death of the object that an observed weak property refers to into a change of the property.
///
/// One exists for each weak property that somebody observes, directly or through a derived key or a path, while it
/// refers to an object. It is a teardown callback of that object.
final class DeathWatch: @unchecked Sendable {
    private let holder: ObjectRecord
    private let slot: Int
    /// The object watched, by the address its record pins.
    let referent: ObjectRecord
    /// Guarded by the holder's lock.
    private var token: UInt64 = 0

    init(holder: ObjectRecord, slot: Int, referent: ObjectRecord) {
        self.holder = holder
        self.slot = slot
        self.referent = referent
    }

    /// Begins to watch. False if the object is dying already.
    func start() -> Bool {
        var token: UInt64 = 0
        let result = cdh_on_teardown(
            referent.address,
            { _, context in
                Borrowed<DeathWatch>.at(context!).object.referentDidDie()
            },
            Borrowed.retaining(self).address,
            { context in Borrowed<DeathWatch>.at(context!).release() }, &token)
        guard result == CDH_OK else {
            Borrowed.to(self).release()
            return false
        }
        let isCurrent = holder.lock.withLock {
            self.token = token
            return holder.details?.watches[slot] === self
        }
        // Whoever took its place before it had its token could not cancel it.
        if !isCurrent { cancel() }
        return true
    }

    func cancel() {
        let token = holder.lock.withLock { self.token }
        if token != 0 { _ = cdh_cancel(referent.address, token) }
    }

    private func referentDidDie() {
        TestPoint.referentDying.reach()
        let isCurrent = holder.lock.withLock {
            guard let details = holder.details, details.watches[slot] === self else { return false }
            details.watches[slot] = nil
            return true
        }
        guard isCurrent, let object = holder.trackedObject else { return }
        Transaction.didChange(holder, slot)
        withExtendedLifetime(object) {}
    }
}

extension ObjectRecord {
    /// Makes the watch of a weak property be on the object it refers to now, if anybody observes the property.
    ///
    /// - Parameter didChange: Whether the property was set. If not, and it refers to nothing because its object is dying,
    ///   that object's watch stays: it is about to tell of the death.
    func updateWatch(of slot: Int, didChange: Bool = false) {
        guard let object = trackedObject else { return }
        while true {
            let (isObserved, writes) = lock.withLock { (self.isObserved(slot), details?.weakWrites ?? 0) }
            let referent = isObserved ? schema!.keys[slot].declared.readObject(object) : nil
            let record = referent.flatMap { try? $0.makeRecord() }
            let new = record.map { DeathWatch(holder: self, slot: slot, referent: $0) }
            TestPoint.updatingWatch.reach()
            // Reading takes the lock itself, so whether the property is observed, and was set meanwhile, is asked under it
            // again. Else:
            //
            //     the last observer goes                 another comes
            //     sees that nobody observes it
            //                                            sees that somebody does, puts a watch in place
            //     takes the watch away
            //
            //     its object has died: reads nil
            //                                            sets it, puts a watch on the new object
            //     takes the watch away
            let (isSettled, replaced, isPlaced): (Bool, DeathWatch?, Bool) = lock.withLock {
                guard self.isObserved(slot) == isObserved, details?.weakWrites ?? 0 == writes else {
                    return (false, nil, false)
                }
                let old = details?.watches[slot]
                if isDying || old?.referent === record { return (true, nil, false) }
                if !didChange, isObserved, record == nil, old!.referent.isDeinitializing { return (true, nil, false) }
                if new != nil || old != nil { makeDetails().watches[slot] = new }
                return (true, old, true)
            }
            guard isSettled else { continue }
            replaced?.cancel()
            if isPlaced, let new, !new.start() {
                lock.withLock { if let details, details.watches[slot] === new { details.watches[slot] = nil } }
            }
            return withExtendedLifetime(referent) {}
        }
    }

    private func isObserved(_ slot: Int) -> Bool {
        list(slot).map { !$0.value.interest.load(ordering: .acquiring).isEmpty } ?? false
    }
}
