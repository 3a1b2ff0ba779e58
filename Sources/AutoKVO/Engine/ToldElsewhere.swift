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

    /// Other threads need not leave anything for it any more. Under the lock of `root`.
    ///
    /// - Returns: What is to be released.
    func becomeUnknown() -> ToldElsewhere? {
        if toldBefore.take() == nil || addOpen(-1) > 0 { return nil }
        return root.guarded.details?.told.removeValue(forKey: identity)
    }

    /// The events of a change are complete, and observers are about to be told the value: leaves it for changes that are open elsewhere.
    @inline(__always)
    func tellElsewhere(_ transaction: Transaction?) {
        if toldBefore != nil || openSubjects > 0 || isWhole { settleEvent(transaction) }
        releaseVainClaims()
    }

    /// What another thread has told since `becomeKnown` becomes the old value, and the new one is read again. Reading is user code, during which
    /// another thread may tell the value once more: so this is done a few times.
    @inline(never)
    private func settleEvent(_ transaction: Transaction?) {
        // Of a list of which late observers are a subject of their own.
        var known: Int32 = 1
        if lowerBound > 0 { transaction?.forEach(of: identity) { if $0 !== self, $0.toldBefore != nil { known += 1 } } }
        var turns = 3
        while leaveValue(known, isStaying: turns > 0) || edit != nil && isWhole {
            turns -= 1
            makeEventAgain()
        }
    }

    /// Finds out what was told, leaves what will be, and becomes unknown, in one section of the lock: another thread that ends its change either
    /// has told its value, or finds this one.
    ///
    ///     thread 1                                      thread 2
    ///     has begun a change of p.a                     has begun a change of p.b
    ///     reads p.sum, finds nothing told
    ///                                                   tells that p.sum has changed from 0 to 11
    ///     tells that it has changed from 0 to 1
    ///
    /// Where no observer asks for values none is read: then it is only known that they have been told one. A subject of late observers
    /// (`lowerBound`) leaves nothing: the observers before them do not know the value yet.
    ///
    /// - Parameters:
    ///   - known: How many subjects of the topic the change has.
    ///   - isStaying: Whether it is to stay known if there was anything told.
    /// - Returns: Whether the event has to be made again.
    private func leaveValue(_ known: Int32, isStaying: Bool) -> Bool {
        // Where it is equal, those who are not called know it if they have been told the old one.
        let isLeft = openSubjects > (toldBefore == nil ? 0 : 1) && lowerBound == 0 && (isOldTold || !isDropped)
        let value =
            !isLeft
            ? nil
            : (edit == nil ? event.newValue?.box() : nil) ?? (needs.isDisjoint(with: .values) ? nil : readWhole())
        let isToldToSome = isLeft && (value == nil || !isOldTold && event.isUnchanged)
        let (root, changes, computed) = (root, changes?.all ?? 0, computed.map { ObjectIdentifier($0) })
        var (told, former): (ToldElsewhere?, ToldElsewhere?)
        let isAgain: Bool = root.lock.withLock {
            if let before = toldBefore {
                told = root.guarded.details?.told[identity]
                if told?.number ?? 0 <= before { told = nil }
                // What another open change has edited is in the collection, and has not been told.
                if openSubjects > known, wholeOld != nil || !needs.contains(.old) { reportAsSetting() }
                if isStaying, let told {
                    toldBefore = told.number
                    return true
                }
                if edit != nil, isWhole { return true }
                former = becomeUnknown()
                if told != nil { return true }
            }
            if !isLeft || openSubjects == 0 { return false }
            let details = root.guarded.makeDetails()
            let number = 1 + (details.told[identity]?.number ?? 0)
            let new = ToldElsewhere(
                number: number, value: value, changes: changes, computed: computed, isToldToSome: isToldToSome)
            former = details.told.updateValue(new, forKey: identity)
            return false
        }
        if let told {
            event.isAmbiguous = told.isToldToSome
            extendLifetime(replaceOld(told.value, told.computed == computed ? told.changes : formerChanges))
        }
        extendLifetime((told, former))
        return isAgain
    }
}
