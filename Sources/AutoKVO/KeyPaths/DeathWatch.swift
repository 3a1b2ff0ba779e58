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
                Unmanaged<DeathWatch>.fromOpaque(context!).takeUnretainedValue().referentDidDie()
            },
            Unmanaged.passRetained(self).toOpaque(),
            { context in Unmanaged<DeathWatch>.fromOpaque(context!).release() }, &token)
        guard result == CDH_OK else {
            Unmanaged.passUnretained(self).release()
            return false
        }
        holder.lock.withLock { self.token = token }
        return true
    }

    func cancel() {
        let token = holder.lock.withLock { self.token }
        if token != 0 { _ = cdh_cancel(referent.address, token) }
    }

    private func referentDidDie() {
        let isCurrent = holder.lock.withLock {
            guard holder.watches[slot] === self else { return false }
            holder.watches[slot] = nil
            return true
        }
        guard isCurrent, let object = holder.trackedObject else { return }
        Delivery.weakReferentDidDie(holder, slot)
        withExtendedLifetime(object) {}
    }
}

extension ObjectRecord {
    /// Makes the watch of a weak property be on the object it refers to now, if anybody observes the property.
    func fitWatch(of slot: Int) {
        guard let object = trackedObject else { return }
        let isObserved = list(slot).map { $0.pointee.shape.load(ordering: .acquiring) != .idle } ?? false
        let referent = isObserved ? schema!.keys[slot].declared.readObject(object) : nil
        let record = referent.flatMap { try? $0.makeRecord() }
        let old = lock.withLock { watches[slot] }
        if old?.referent === record { return }
        let new = record.map { DeathWatch(holder: self, slot: slot, referent: $0) }
        lock.withLock { watches[slot] = isDying ? nil : new }
        old?.cancel()
        if let new, !new.start() { lock.withLock { if watches[slot] === new { watches[slot] = nil } } }
        withExtendedLifetime(referent) {}
    }
}
