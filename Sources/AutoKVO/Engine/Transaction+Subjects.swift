/// Finding what a change concerns.
extension Transaction {
    /// All that a change concerns; what has been moved to the property since the first search.
    enum Search { case all, moved }

    /// Finds the subjects of a change: lists in the order of `AffectedLists`, then paths and functions in the order of registration, each
    /// once. Counts the transaction, and the `coalescingChanges` under way, into those that are open, and opens the others.
    ///
    /// - Parameters:
    ///   - edit: How a collection is edited.
    ///   - excluded: Observers with one of these options are not called.
    ///   - hasValues: Whether the caller has the values of the property.
    ///   - search: What is to be found.
    @inline(never)
    func findSubjects(
        of record: ObjectRecord, _ changed: Int, _ edit: CollectionChange? = nil,
        excluding excluded: ObservingOptions = [],
        hasValues: Bool = false, only search: Search = .all, _ thread: InPlace<ThreadContext>
    ) {
        let start = subjects.count
        let coalescing = thread.value.coalescing
        let walk = thread.value.makeToken()
        let isInside = !thread.value.settling.isEmpty || !thread.value.starting.isEmpty
        let mayBeOpen = start > 0 || thread.value.holdsChanges || isInside
        moves = PathLink.moves
        coalescing?.use { $0.startWalk(search == .all ? .finding : .other, from: record) }
        let isOwnLeft = equal == .toOthers
        let isAll = search == .all && !isOwnLeft
        AffectedLists.forEach(from: record, changed, isUncertain: equal != nil) { key, list, interest in
            let isOfObject = key.record == .to(record)
            let isOwn = isOfObject && key.slot == changed
            if !isAll, isOwnLeft && isOwn || search == .moved && !key.isMoved { return }
            var rank = isOwn ? -1 : (isOfObject ? 0 : 1 << 48) + key.record.use { $0.height(of: key.slot) }
            var covered: UInt64 = 0
            if mayBeOpen {
                // The observation that this thread is adding to the list as the first one has no value yet.
                covered = thread.value.starting.last { $0.list == list }?.sequence ?? 0
                forEachShared(list.address, before: start, walk, thread) { subject in
                    covered = max(covered, subject.upperBound)
                    // Late observers come behind those that they stand behind.
                    rank = max(subject.rank, rank)
                    subject.rank = rank
                    join(subject, walk, isCertain: !key.isUncertain)
                }
                if covered >= list.value.lastSequence || covered != 0 && search == .moved { return }
            }
            let subject = thread.value.takeSubject()
            subject.use {
                $0.setTopic(key.record, key.slot, list)
                ($0.lowerBound, $0.upperBound) = (covered == 0 ? 0 : covered + 1, list.value.lastSequence)
                $0.prepare(
                    interest, isOwn: isOwn, edit, isUncertain: key.isUncertain, rank: rank, excluding: excluded, thread)
            }
            if key.isUncertain, !subject.object.isComputed {
                subject.object.noteSources(of: key.record.object, key.slot)
            }
            if covered != 0 { joinOwners(subject.object, thread) }
            open(subject, walk)
        } link: { link, key in
            guard link.observation != nil else { return }
            let isReading = link.unmanagedExpression != nil
            let isUncertain = key.isUncertain || isReading
            let isOwn = link.isLeaf && key.slot == changed && key.record == .to(record)
            if !isAll, isOwnLeft && isOwn || search == .moved && !link.isMoved && !key.isMoved { return }
            // An expression counts what it becomes itself.
            let isNoted = isUncertain && !isReading
            var isOpen = false
            if mayBeOpen {
                if thread.value.starting.contains(where: { $0.link == ObjectIdentifier(link) }) { return }
                forEachShared(link.unmanagedRoute.rawAddress, before: start, walk, thread) { subject in
                    isOpen = true
                    if !link.isLeaf { subject.isReachedOnTheWay = true }
                    if !isUncertain || link.isLeaf && !key.isUncertain { subject.isLinkSet = true }
                    if isNoted { subject.noteSources(of: link.record, link.slot) }
                    join(subject, walk, isCertain: !isUncertain)
                }
                if isOpen { return }
            }
            let subject = thread.value.takeSubject()
            subject.use {
                $0.setTopic(link.unmanagedRoute, leaf: link.isLeaf && !(isOwn && hasValues) ? link : nil)
                if !link.isLeaf { $0.head = link.record.list(link.slot)?.value.expression?.object }
                $0.prepare(link.route.needs, isOwn: isOwn, edit, isUncertain: isUncertain, thread)
            }
            if isNoted, !link.record.layout!.value[link.slot].isRecorded {
                subject.object.noteSources(of: link.record, link.slot)
            }
            open(subject, walk)
        }
        if subjects.count > start + 1 { sort(from: start, thread) }
        coalescing?.use { coalescing in
            for subject in subjects[start...] where subject.use({ isOpener(of: $0) }) { coalescing.add(subject) }
        }
        // User code runs before the change ends in which this one is made, and which may share the subjects.
        if mayBeOpen { for subject in subjects[start...] { subject.use { $0.becomeKnown() } } }
        TestPoint.subjectsFound.reach()
    }

    /// Counts this transaction into a subject, once. Of a path that may lead elsewhere since a derived value on the way is not computed
    /// yet, nothing is certain.
    private func join(_ subject: Subject, _ walk: UInt, isCertain: Bool) {
        if isCertain, subject.route == nil || subject.leaf != nil { subject.isChangedForCertain() }
        if subject.walk == walk { return }
        (subject.walk, subject.openCount) = (walk, subject.openCount + 1)
        subjects.append(.to(subject))
    }

    private func open(_ subject: Borrowed<Subject>, _ walk: UInt) {
        subject.use {
            $0.opener = ObjectIdentifier(self)
            join($0, walk, isCertain: false)
        }
    }

    /// Observers were added to a key since the change began that concerns it: they are told of what is stored after that, when that
    /// change ends, or has computed its derived values.
    @inline(never)
    private func joinOwners(_ subject: Subject, _ thread: InPlace<ThreadContext>) {
        let owners = thread.value.openTransactions.members + thread.value.settling
        for owner in owners where owner.use({ $0.has(subject.identity) }) {
            subject.openCount += 1
            owner.object.subjects.append(.to(subject))
            owner.object.raisedHeights = -1
        }
    }

    /// Calls a function with the subjects that open transactions have of a topic. It may get one several times. Of this
    /// transaction it gets those that it had before the search; if there are any, no others: what is computing its derived values now has
    /// subjects of its own then, and tells of them at its own end.
    @inline(__always)
    private func forEachShared(
        _ identity: Subject.Identity, before start: Int, _ walk: UInt, _ thread: InPlace<ThreadContext>,
        _ body: (Subject) -> Void
    ) {
        var isKnown = false
        forEach(of: identity, before: start) {
            ($0.walk, isKnown) = (walk, true)
            body($0)
        }
        if isKnown { return }
        thread.value.openTransactions.forEach { if $0 !== self { $0.forEach(of: identity, body) } }
        for transaction in thread.value.settling {
            transaction.object.forEach(of: identity) { if $0.isUncertain || !$0.isOwn { body($0) } }
        }
        thread.value.coalescing?.use { $0.forEach(of: identity, body) }
    }

    /// Adds what has been moved to the property since its subjects were found, by a handler or by another thread: paths whose observers
    /// were told of the value from before the store, or not at all.
    func addMovedSubjects(_ thread: InPlace<ThreadContext>) {
        let token = token
        // Looking for the record may be the last use of the object, whose death drops this.
        guard moves != PathLink.moves, !isSilent, let record = currentRecord, self.token == token else { return }
        let count = subjects.count
        findSubjects(of: record, slot, only: .moved, thread)
        // They are sorted at the end.
        if subjects.count > count { (mayOvertake, raisedHeights) = (true, -1) }
    }

    /// The same for all open transactions, which have old values: those of now.
    static func addMovedSubjects(_ thread: InPlace<ThreadContext>) {
        if !thread.value.openTransactions.isEmpty { readOld(of: findMovedSubjects(thread)) }
    }

    /// The first part of that. While derived values are still to be computed, a path of two of them may lead to a mixture of old and new.
    static func findMovedSubjects(_ thread: InPlace<ThreadContext>) -> [Transaction] {
        let moved = thread.value.openTransactions.members.filter { $0.object.moves != PathLink.moves }.map(\.object)
        for transaction in moved { transaction.addMovedSubjects(thread) }
        return moved
    }

    /// The second part. Reading is user code, which may end a transaction. While a task changes the property in place, that is not read.
    static func readOld(of transactions: [Transaction]) {
        for transaction in transactions {
            let read: (Subject) -> Void = transaction.visit == 0 ? { $0.readOld() } : { $0.missOld(isMarked: true) }
            transaction.forEachSubject { if $0.openCount > 0, $0.needs.contains(.old) { read($0) } }
        }
    }

    // MARK: - Subjects by their topic

    /// How many subjects are looked through. If there are more, a table has their places.
    static let searchedCount = 16

    /// Calls a function with the subjects of a topic that are before a place.
    @inline(__always)
    func forEach(of identity: Subject.Identity, before end: Int = .max, _ body: (Subject) -> Void) {
        if subjects.count <= Transaction.searchedCount {
            for index in 0..<min(end, subjects.count) {
                subjects[index].use { if $0.identity == identity { body($0) } }
            }
            return
        }
        var place = lastPlace(of: identity, before: end)
        while place >= 0 {
            subjects[place].use(body)
            place = formerPlaces[place]
        }
    }

    func has(_ identity: Subject.Identity) -> Bool {
        if subjects.count > Transaction.searchedCount { return lastPlace(of: identity) >= 0 }
        return subjects.contains { $0.use { $0.identity == identity } }
    }

    /// Where the last subject of a topic is; -1 if there is none. There are several if observers were added while the first was open.
    ///
    /// - Parameter end: A search of this transaction still moves those that it has found.
    @inline(never)
    private func lastPlace(of identity: Subject.Identity, before end: Int = .max) -> Int {
        while formerPlaces.count < min(end, subjects.count) {
            let place = formerPlaces.count
            formerPlaces.append(places.updateValue(place, forKey: subjects[place].object.identity) ?? -1)
        }
        return places[identity] ?? -1
    }

    /// Subjects have left.
    func forgetPlaces() { if !formerPlaces.isEmpty { (places, formerPlaces) = ([:], []) } }

    // MARK: - Coalescing

    /// Counts this transaction, which is a `coalescingChanges`, into a subject.
    fileprivate func add(_ subject: Borrowed<Subject>) {
        subjects.append(subject)
        subject.use { ($0.openCount, $0.isCoalesced) = ($0.openCount + 1, true) }
    }

    /// Whether all observers of a list are told of a write when this `coalescingChanges` ends, since an earlier change has opened it: then
    /// a write that concerns the list alone has nothing to begin. Reading whole values is user code.
    func holdsAllObservers(of list: InPlace<ObserverList>, _ record: Borrowed<ObjectRecord>) -> Bool {
        var covered: UInt64 = 0
        forEach(of: list.address) {
            covered = max(covered, $0.upperBound)
            $0.isChangedForCertain()
            $0.includeFurtherChange()
        }
        return covered != 0 && record.use { record in record.lock.withLock { covered >= list.value.lastSequence } }
    }
}

/// Makes changes without calling observers until the outermost of these calls ends on this thread; then every observation
/// concerned is called once for each of its paths that changed, with the path's first old value and its last new one, in the order of one
/// change: observers of the properties in the order in which these were first changed, then those of what is derived from them, then paths
/// and closures in the order of registration. A handler that ignores the change (`depend`, a named one without parameters) is called once
/// in all.
///
/// Several edits of a collection arrive as one `.setting` with the whole values. `.distinct` compares the first old value with the
/// last new one. Prior calls are left out; initial calls are not delayed. An observer that is removed, or dies, before the end is
/// not called.
///
/// If a change was announced before this call and ends inside of it, its observers are called when it ends. Other threads are not affected. The
/// closure runs at once, on this thread; if it throws, observers are called for what was
/// changed until then before the error goes on. For what handlers change at the end, observers are called as usual, inside
/// the handler's call.
///
/// - Returns: What the closure returns.
/// - Throws: What the closure throws.
/// - Complexity: O(1) for each change and path of an observation, and the values kept until the end, about 1 KB for a property and what is
///   derived from it, also of an object that dies meanwhile. If an observation of a collection has `.old` or `.distinct`, the collection is
///   copied once when it is edited, and again after another observer was added. A change takes O(*n*) if the property has got new observers
///   *n* times between its changes inside of this call.
@discardableResult
public func coalescingChanges<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let thread = ThreadContext.current
    guard thread.value.coalescing == nil else { return try body() }
    let transaction = thread.value.takeTransaction()
    transaction.object.isCoalescing = true
    thread.value.coalescing = transaction
    defer { Transaction.endCoalescing(thread) }
    return try body()
}
