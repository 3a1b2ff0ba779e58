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
    var number = 0
    /// The sequence number of the last observation that hears of it.
    var end = UInt64.max
    /// What was told before this, if observations with greater numbers were told that.
    var former: ToldElsewhere?
    /// Nil if it is not known.
    let value: Any?
    /// How often an expression had changed then, and which: each counts its own changes, and the open change may read behind another one.
    let changes: Int
    let computed: ObjectIdentifier?
    /// Whether only those were told that are called for an equal value, too: others know what was told before; or whether the value is not known.
    /// So the open change has to tell all of them, whatever it comes to.
    let isToldToSome: Bool

    /// What a subject is about to tell; what its observers know if they are not called. Where none asks for values none is read: then it is only
    /// known that they have been told one.
    init(by subject: Subject) {
        let event = subject.event
        let known: Any? = subject.isDropped ? subject.old.value : subject.edit == nil ? event.newValue?.box() : nil
        let isRead = known == nil && !subject.isDropped && !subject.needs.isDisjoint(with: .values)
        value = isRead ? subject.readWhole() : known
        (changes, computed) = (subject.changes?.all ?? 0, subject.computed.map { ObjectIdentifier($0) })
        isToldToSome = value == nil || !subject.isOldTold && event.isUnchanged
    }

    /// The last one that observations from a number on were told, if it is newer than a number says.
    func news(since before: Int, for first: UInt64) -> ToldElsewhere? {
        var last: ToldElsewhere? = self
        while let told = last, told.end < first { last = told.former }
        return last.flatMap { $0.number > before ? $0 : nil }
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

    /// Its observers have been told something newer than what has been told elsewhere.
    func noteTold() {
        if toldBefore == nil { return }
        toldBefore = root.lock.withLock { root.guarded.details?.told[identity]?.number ?? toldBefore }
    }

    /// Other threads need not leave anything for it any more. Under the lock of `root`.
    ///
    /// - Returns: What is to be released without it.
    @inline(__always) @discardableResult func becomeUnknown(_ root: ObjectRecord) -> ToldElsewhere? {
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
        let count = openSubjects > 1 ? siblings(in: transaction).count : 0
        var turns = 3
        while leaveValue(count, transaction, isStaying: turns > 0) || isWhole && edit != nil {
            turns -= 1
            makeEventAgain()
        }
    }

    /// The other subjects of the list that this thread has made known for the change: of late observers, or of the others.
    @inline(never)
    private func siblings(in transaction: Transaction?) -> [Subject] {
        var found: [Subject] = []
        func add(_ other: Subject) { if other !== self, other.toldBefore != nil { found.append(other) } }
        if route != nil { return [] }
        if let transaction {
            transaction.forEach(of: identity, add)
        } else {
            ThreadContext.current.forEachOpen(identity, add)
        }
        return found
    }

    /// What the subject leaves, if anybody is to find it.
    private func makeTold(_ siblings: Int) -> ToldElsewhere? {
        // Where it is equal, those who are not called know it if they have been told the old one.
        if lowerBound != 0 || isDropped && !isOldTold { return nil }
        return Int(openSubjects) > siblings + (toldBefore == nil ? 0 : 1) ? ToldElsewhere(by: self) : nil
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
    /// A subject of late observers (`lowerBound`) leaves nothing: the observers before them do not know the value yet.
    ///
    /// - Parameters:
    ///   - siblings: How many `siblings(in:)` the transaction there are.
    ///   - isStaying: Whether it is to stay known if there was anything told.
    /// - Returns: Whether the event has to be made again.
    @inline(__always)
    private func leaveValue(_ siblings: Int, _ transaction: Transaction?, isStaying: Bool) -> Bool {
        let left = openSubjects == 1 && toldBefore != nil ? nil : makeTold(siblings)
        var (told, found, replaced): (ToldElsewhere?, ToldElsewhere?, ToldElsewhere?) = (nil, nil, nil)
        let isAgain: Bool = unmanagedRoot.use { root in
            root.lock.lock()
            defer { root.lock.unlock() }
            told = root.guarded.details?.told[identity]
            if let before = toldBefore {
                found = told?.news(since: before, for: lowerBound) ?? missedTold
                // What another open change has edited is in the collection, and has not been told.
                if Int(openSubjects) > siblings + 1, wholeOld != nil || !needs.contains(.old) { reportAsSetting() }
                if isStaying, let found {
                    toldBefore = max(before, found.number)
                    return true
                }
                if isWhole, edit != nil { return true }
                becomeUnknown(root)
                if found != nil { return true }
            }
            guard let left, openSubjects > 0 else { return false }
            left.number = 1 + (told?.number ?? 0)
            root.guarded.makeDetails().told[identity] = left
            left.end = upperBound
            // It is no news for those that are about to tell the same. What it replaces may be.
            for sibling in self.siblings(in: transaction) where sibling.toldBefore! < left.number {
                left.end = max(left.end, sibling.upperBound)
                if let news = told?.news(since: sibling.toldBefore!, for: sibling.lowerBound) {
                    (replaced, sibling.missedTold) = (sibling.missedTold, news)
                }
                sibling.toldBefore = left.number
            }
            left.former = told
            while let former = left.former, former.end <= left.end { left.former = former.former }
            return false
        }
        if let found {
            missedTold = nil
            event.isAmbiguous = found.isToldToSome || found.end < upperBound
            let isSame = found.computed == computed.map { ObjectIdentifier($0) }
            extendLifetime(replaceOld(found.value, isSame ? found.changes : formerChanges))
        }
        extendLifetime((told, found, replaced))
        return isAgain
    }
}
