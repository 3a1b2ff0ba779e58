import Synchronization

/// What one thread or task has told observers of a subject while a change of the same subject was open on another. When the open change ends,
/// this is its old value: the one from before it is not what its observers were told last. It also happens on one thread: an open change of
/// `p.a`, and inside of it a change that moves a path to `p.a`. Observers of the path are called for the inner change first.
///
///     thread 1                                      thread 2
///     begins a change of p.a, while p.sum is 0
///                                                   p.b = 1: tells that p.sum is 2
///     p.a = -1, and ends its change: p.sum is 0,
///     as before it, but has changed from 2
///
/// So the subjects of a change inside of which user code runs are counted in the list of their key, or in the route of their path, until their
/// observers have been called. A write during which no user code runs is not counted: nobody can make another change in between.
final class ToldElsewhere {
    /// Counts what has been told while a subject of the topic was open.
    let number: Int
    /// Nil if it is not known.
    let value: Any?
    /// How often an expression had changed then, and which: each counts its own changes, and the open change may read behind another one.
    let changes: Int
    let computed: ObjectIdentifier?
    /// Whether only those were told that are called for an equal value, too: others know what was told before; or whether the value is not known.
    /// So the open change has to tell all of them, whatever it comes to.
    let isToldToSome: Bool

    init(number: Int, value: Any?, changes: Int, computed: ObjectIdentifier?, isToldToSome: Bool) {
        (self.number, self.value, self.isToldToSome) = (number, value, isToldToSome)
        (self.changes, self.computed) = (changes, computed)
    }
}

extension InPlace where Value == ThreadContext {
    /// Whether other threads have some of a topic's `count` known open subjects.
    func isOpenElsewhere(_ identity: Subject.Identity, _ count: Int32) -> Bool {
        var own: Set<ObjectIdentifier> = []
        forEachOpen(identity) { if $0.toldBefore != nil { own.insert(ObjectIdentifier($0)) } }
        return count > own.count
    }
}

extension Subject {
    /// Adds to the number of subjects with this topic that are open on any thread. Under the lock of `root`.
    private func addOpen(_ one: Int32) -> Int32 {
        route?.object.openSubjects.wrappingAdd(one, ordering: .relaxed).newValue
            ?? list!.value.openSubjects.wrappingAdd(one, ordering: .relaxed).newValue
    }

    /// Whether a subject of the topic is open on another thread, of whose changes nobody has been told yet: then an edit is not all that its
    /// observers have to be told of.
    func isOpenElsewhere(_ thread: InPlace<ThreadContext>) -> Bool {
        openSubjects > (toldBefore == nil ? 0 : 1) && thread.isOpenElsewhere(identity, openSubjects)
    }

    var openSubjects: Int32 {
        route?.use { $0.openSubjects.load(ordering: .relaxed) } ?? list!.value.openSubjects.load(ordering: .relaxed)
    }

    /// Lets other threads find out that the subject is open.
    func becomeKnown() {
        if toldBefore != nil { return }
        let root = root
        toldBefore = root.lock.withLock {
            isOldTold = addOpen(1) == 1
            return isOldTold ? 0 : root.guarded.details?.told[identity]?.number ?? 0
        }
    }

    /// The subject is not open any more. If it was known, what another thread has told since `becomeKnown` becomes its old value.
    ///
    /// - Parameter isStaying: Whether it is to stay known if there was any.
    /// - Returns: Whether there was any. Then the new value is to be read again.
    @inline(__always) @discardableResult
    func takeTold(isStaying: Bool = false) -> Bool { toldBefore != nil && takeToldValue(isStaying) }

    @inline(never)
    private func takeToldValue(_ isStaying: Bool) -> Bool {
        let (before, root) = (toldBefore.take()!, self.root)
        let told: ToldElsewhere? = root.lock.withLock {
            let told = root.guarded.details?.told[identity]
            if isStaying, let told, told.number > before {
                toldBefore = told.number
                return told
            }
            let isLast = addOpen(-1) == 0
            // What another open change has edited is in the collection, and has not been told.
            if !isLast, wholeOld != nil || !needs.contains(.old) { reportAsSetting() }
            if isLast, told != nil { root.guarded.details!.told[identity] = nil }
            return told
        }
        guard let told else { return false }
        defer { extendLifetime(told) }
        if told.number <= before { return false }
        event.isAmbiguous = told.isToldToSome
        let isSame = told.computed == computed.map { ObjectIdentifier($0) }
        extendLifetime(replaceOld(told.value, isSame ? told.changes : formerChanges))
        return true
    }

    /// Observers are about to be told the value: leaves it for changes that are open elsewhere. Where no observer asks for values it is not read:
    /// then it is only known that they have been told one. A subject of late observers (`lowerBound`) leaves nothing: the observers before them
    /// do not know the value yet.
    @inline(__always)
    func tellElsewhere() { if openSubjects > 0, lowerBound == 0 { leaveValue() } }

    @inline(never)
    private func leaveValue() {
        // Where it is equal, those who are not called know it if they have been told the old one.
        if !isOldTold && isDropped { return }
        let value = (edit == nil ? event.newValue?.box() : nil) ?? (needs.isDisjoint(with: .values) ? nil : readWhole())
        let isToldToSome = value == nil || !isOldTold && event.isUnchanged
        let (root, changes, computed) = (root, changes?.all ?? 0, computed.map { ObjectIdentifier($0) })
        let former: ToldElsewhere? = root.lock.withLock {
            if openSubjects == 0 { return nil }
            let details = root.guarded.makeDetails()
            let number = 1 + (details.told[identity]?.number ?? 0)
            let new = ToldElsewhere(
                number: number, value: value, changes: changes, computed: computed, isToldToSome: isToldToSome)
            return details.told.updateValue(new, forKey: identity)
        }
        extendLifetime(former)
    }
}
