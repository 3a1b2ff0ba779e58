import Synchronization

/// The lists that a change of a property concerns: its own, those of the keys derived from it, on this and on other objects.
enum AffectedLists {
    /// A list: that of the changed property, of a key derived from it, or of one derived from a path that leads there.
    struct AffectedKey {
        let record: Borrowed<ObjectRecord>
        let slot: Int
        /// Whether the path has been moved there since it was first linked.
        let isMoved: Bool
        /// Whether the value need not change: the key is computed from what it reads, or derived from one that is.
        var isUncertain = false
        /// Of one that is computed: what `MarkLink` has returned.
        var cleanings: UInt32 = 0
    }

    /// Number of observations and links that were added, in the whole program, to lists of keys that are derived from paths. To add one to the
    /// list of a key that is computed from what it reads has that computed.
    static var additions: UInt64 { additionsCounter.load(ordering: .acquiring) }
    private static let additionsCounter = Atomic<UInt64>(0)

    static func noteAddition() { additionsCounter.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// Called with a list that has observers. Under its record's lock.
    typealias Visit = (AffectedKey, InPlace<ObserverList>, ObserverList.Interest) -> Void
    /// Called with a link of a path that leads through a list. Under the lock of the list's record.
    typealias VisitLink = (PathLink, AffectedKey) -> Void
    /// The same, of a link of an expression, which is marked, with how often that had become clean before; else 0.
    typealias MarkLink = (PathLink, AffectedKey) -> UInt32

    /// Visits each list once: the property's own, then those of derived keys, of one object in the order of their declaration;
    /// and the links of the paths that lead through them.
    ///
    /// Inlined with both functions, since every change that is not of one list alone comes here: functions that are passed on would be
    /// made and called for each list (15 ns a change).
    ///
    /// - Complexity: O(*n*) for *n* lists and links. Not recursive, however long the chain of derived keys is.
    @inline(__always)
    static func forEach(
        from record: ObjectRecord, _ slot: Int, isUncertain: Bool = false, _ visit: Visit = { _, _, _ in },
        marking visitLink: MarkLink
    ) {
        var current = AffectedKey(record: .to(record), slot: slot, isMoved: false, isUncertain: isUncertain)
        var further = KeysOfOtherObjects(startingAt: current)
        repeat { visitObject(current, &further, visit, visitLink) } while further.moveOn(&current)
    }

    @inline(__always)
    static func forEach(
        from record: ObjectRecord, _ slot: Int, isUncertain: Bool = false, _ visit: Visit, link visitLink: VisitLink
    ) {
        forEach(from: record, slot, isUncertain: isUncertain, visit) { link, key in
            visitLink(link, key)
            return 0
        }
    }

    /// Visits the list of a property and those of the keys of the same object that are derived from it.
    ///
    /// The dependencies of the base are closed: they contain keys that are derived from derived keys. So only those of the base
    /// are read; reading those of each derived key would take n² steps for a chain of n keys.
    @inline(__always)
    private static func visitObject(
        _ key: AffectedKey, _ further: inout KeysOfOtherObjects, _ visit: Visit, _ visitLink: MarkLink
    ) {
        key.record.use { record in
            guard let list = record.list(key.slot) else { return }
            record.lock.lock()
            visitList(list, key, &further, visit, visitLink)
            if list.value.interest.load(ordering: .relaxed).contains(.derived) {
                record.unmanagedSchema!.use { schema in
                    schema.unmanagedDependencies(of: key.slot).use { dependencies in
                        for slot in dependencies.derived {
                            guard let list = record.list(slot), further.isNewOfSameObject(list) else { continue }
                            let isUncertain = key.isUncertain || dependencies.doubtful.contains(slot)
                            let derived = AffectedKey(
                                record: key.record, slot: slot, isMoved: key.isMoved, isUncertain: isUncertain)
                            visitList(list, derived, &further, visit, visitLink)
                        }
                    }
                }
            }
            record.lock.unlock()
        }
    }

    @inline(__always)
    private static func visitList(
        _ list: InPlace<ObserverList>, _ key: AffectedKey, _ further: inout KeysOfOtherObjects, _ visit: Visit,
        _ visitLink: MarkLink
    ) {
        let interest = list.value.interest.load(ordering: .relaxed)
        if interest.contains(.own) { visit(key, list, interest) }
        if !interest.contains(.ahead) { return }
        list.value.forEachLink { link in
            let cleanings = visitLink(link, key)
            if link.observation == nil { further.add(link, key, cleanings) }
        }
    }

    /// The keys of other objects that are derived from paths, or computed from what they read. Those that are derived from them are
    /// visited with them.
    ///
    /// They are in the thread's queue: one walk is under way on a thread, since it calls no user code. Keys that change for certain come
    /// first: a key that is reached in both ways is one of them.
    struct KeysOfOtherObjects {
        private let first: AffectedKey
        /// Whether all that change for certain have been visited.
        private var isUncertain = false
        /// Set when a link is come to: most changes concern one object.
        private var thread: InPlace<ThreadContext>?
        /// How many of the queue have been visited.
        private var count = 0
        /// Nil if another thread's walk has it.
        private var stamp: UInt?

        struct Element {
            /// A link that leads to the key, retained. It owns the route, and that the record of its object.
            let link: Borrowed<PathLink>
            /// Whether it is an expression that the walk has stamped.
            let isStamped: Bool
            let key: AffectedKey
        }

        /// - Parameter first: What is visited first.
        init(startingAt first: AffectedKey) { self.first = first }

        /// Whether a list of an object whose property is visited is to be visited, too.
        @inline(__always)
        mutating func isNewOfSameObject(_ list: InPlace<ObserverList>) -> Bool { count == 0 || isNew(list) }

        @inline(never)
        private mutating func isNew(_ list: InPlace<ObserverList>) -> Bool {
            if thread!.value.affectedLists.isEmpty {
                let record = first.record.object
                thread!.value.affectedLists.formUnion(
                    (CollectionOfOne(first.slot) + record.schema!.dependencies(of: first.slot).derived)
                        .compactMap { record.list($0) })
            }
            return thread!.value.affectedLists.insert(list).inserted
        }

        /// Adds the key that a link leads to. Under the lock of the link's list.
        @inline(never)
        mutating func add(_ link: PathLink, _ key: AffectedKey, _ cleanings: UInt32) {
            if thread == nil { (thread, stamp) = (ThreadContext.current, WalkStamp.take()) }
            let thread = thread!
            let expression = link.unmanagedExpression
            let (record, slot) = link.unmanagedRoute.use { (Borrowed.to($0.base), $0.derivedSlot!) }
            if link.route.isGivenUp.load(ordering: .relaxed) { return }
            if let expression, let walker = thread.value.coalescing,
                walker.use({ $0.walk != .other && $0.hasWalked(behind: expression.object) })
            {
                return
            }
            let derived = AffectedKey(
                record: record, slot: slot, isMoved: key.isMoved || link.isMoved,
                isUncertain: key.isUncertain || expression != nil, cleanings: cleanings)
            let isStamped = expression != nil && stamp != nil
            if isStamped, !expression!.use({ $0.isNew(to: stamp!) }) { return }
            let element = Element(link: .retaining(link), isStamped: isStamped, key: derived)
            if derived.isUncertain, !isUncertain {
                thread.value.uncertainKeys.append(element)
            } else {
                thread.value.affectedKeys.append(element)
            }
        }

        /// Moves on to the next key that links lead to. False if none is left.
        @inline(__always)
        mutating func moveOn(_ key: inout AffectedKey) -> Bool { thread != nil && moveOnInQueue(&key) }

        @inline(never)
        private mutating func moveOnInQueue(_ key: inout AffectedKey) -> Bool {
            while true {
                if count == thread!.value.affectedKeys.count, isUncertain || !addUncertain(thread!) {
                    end(thread!)
                    return false
                }
                let element = thread!.value.affectedKeys[count]
                count += 1
                key = element.key
                if element.isStamped { return true }
                if let list = key.record.use({ $0.list(key.slot) }), isNew(list) { return true }
            }
        }

        /// All that change for certain have been visited. False if nothing else is affected.
        private mutating func addUncertain(_ thread: InPlace<ThreadContext>) -> Bool {
            isUncertain = true
            if thread.value.uncertainKeys.isEmpty { return false }
            if count == 0 {
                swap(&thread.value.affectedKeys, &thread.value.uncertainKeys)
            } else {
                thread.value.affectedKeys += thread.value.uncertainKeys
                let isSmall = thread.value.uncertainKeys.count <= ThreadContext.poolLimit
                thread.value.uncertainKeys.removeAll(keepingCapacity: isSmall)
            }
            return true
        }

        /// Releasing a link may free what it owns, and so run code of the user, which may begin another walk.
        private func end(_ thread: InPlace<ThreadContext>) {
            WalkStamp.giveBack(stamp)
            if !thread.value.affectedLists.isEmpty { thread.value.affectedLists = [] }
            var visited: [Element] = []
            swap(&visited, &thread.value.affectedKeys)
            for element in visited { element.link.release() }
            visited.removeAll(keepingCapacity: count <= ThreadContext.poolLimit)
            swap(&visited, &thread.value.affectedKeys)
        }
    }
}

/// What marks the expressions that a walk has found. One walk of the process has a stamp at a time: that of another thread, meanwhile,
/// remembers what it has found in a set.
package enum WalkStamp {
    private static let isTaken = Atomic(false)
    private static nonisolated(unsafe) var last: UInt = 0

    /// Whether no walk has it.
    package static var isFree: Bool { !isTaken.load(ordering: .relaxed) }

    static func take() -> UInt? {
        if isTaken.exchange(true, ordering: .acquiring) { return nil }
        last &+= 1
        return last
    }

    static func giveBack(_ stamp: UInt?) { if stamp != nil { isTaken.store(false, ordering: .releasing) } }
}
