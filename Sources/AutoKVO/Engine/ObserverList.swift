import Synchronization

/// The observers of one key of one object, in the order of registration, and the links of paths that lead through the key.
///
/// Adding and removing cost the same at any size and copy nothing, also while the list is traversed. Guarded by the record's lock. The
/// list owns its observations, and refers to links.
struct ObserverList: ~Copyable {
    private var observations = MemberList<KeyValueObservation>()
    private(set) var lastSequence: UInt64 = 0
    /// In the order in which they were added.
    private var links = MemberList<PathLink>()
    /// Number of observations that are linked, and of those that need the old value, the new value, a prior call.
    private(set) var count: Int32 = 0
    private var old: Int32 = 0
    private var new: Int32 = 0
    private var prior: Int32 = 0
    /// Number of observations and links in the lists of keys that are derived from this one, and of those that need more than a
    /// call after the change.
    private var derived: Int32 = 0
    private var derivedAhead: Int32 = 0
    /// Number of links, of this list and of those, that are not the end of an observed path.
    private var inner: Int32 = 0
    /// Number of observations that are parts.
    private var parts: Int32 = 0
    /// The route of the expression of a derived key, as long as the key is needed. Retained.
    private(set) var expressionRoute: Borrowed<Route>?
    var expression: Borrowed<Expression>? { expressionRoute?.use { .toOptional($0.expression) } }
    /// Summary of what the observers need; written under the lock, read without it. Not the first variable: the thread sanitizer
    /// treats a change of the list, which has the same address, as a write of its first variable.
    let interest = Atomic<Interest>([])
    /// Whether an observation or a link was added while a change of the property was open, and may have read what was there before. The next
    /// edit tells of the whole collection. Written and read without the lock.
    let hasLateObserver = Atomic(false)
    /// Whether an edit that begins has to tell of the whole collection. As long as a thread has a change open, so have those that follow: that
    /// change may still store what such an observer has not read.
    func takeLateness() -> Bool {
        hasLateObserver.load(ordering: .relaxed) && hasLateObserver.exchange(isOpen, ordering: .relaxed)
    }
    /// Number of open subjects of the list, on all threads, that other threads have to know of: see `ToldElsewhere`. Changed under the lock,
    /// read without it.
    let openSubjects = Atomic<Int32>(0)
    var isOpen: Bool { openSubjects.load(ordering: .relaxed) != 0 }

    /// What a change of the property needs.
    struct Interest: OptionSet, AtomicRepresentable {
        let rawValue: UInt8
        /// The list has an observer that needs the old value.
        static let old = Interest(rawValue: 1)
        static let new = Interest(rawValue: 2)
        /// An observer of the list needs a prior call.
        static let prior = Interest(rawValue: 4)
        /// The list has observers; or its key is computed, and keys that are `affectedBy` it need its value.
        static let own = Interest(rawValue: 8)
        /// The list of a derived key has observers or links.
        static let derived = Interest(rawValue: 16)
        /// An observer of the list or of a derived key needs a prior call, or a path leads through one of them.
        static let ahead = Interest(rawValue: 32)
        /// Links behind a link, of the list or of a derived key, have to be moved when the property changes.
        static let inner = Interest(rawValue: 64)
        /// Parts of observations of several paths are among the observers of the list.
        static let parts = Interest(rawValue: 128)
        /// A change has other subjects than the list, or needs prior calls. Not written as a set of the others: in a long function
        /// the compiler makes an array for each use.
        static let beyondOwnList = Interest(rawValue: 16 | 32)
        /// The old and the new value.
        static let values = Interest(rawValue: 1 | 2)
        /// What the observers of the list need.
        static let needs = Interest(rawValue: 7)

        @inline(__always)
        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// What an observation with these options needs. The bits of `.old` and `.new` are the same in both.
        @inline(__always)
        init(for options: ObservingOptions) {
            rawValue =
                UInt8(truncatingIfNeeded: options.rawValue) & 3 | (options.contains(.prior) ? 4 : 0)
                | (options.contains(.distinct) ? 3 : 0)
        }

        /// The interest if the number of those that have it is not zero.
        @inline(__always)
        fileprivate init(_ interest: Interest, if count: Int32) { rawValue = count != 0 ? interest.rawValue : 0 }

        @inline(__always)
        fileprivate static func | (a: Interest, b: Interest) -> Interest { Interest(rawValue: a.rawValue | b.rawValue) }
    }

    var first: Borrowed<KeyValueObservation>? { observations.first }
    var firstLink: Borrowed<PathLink>? { links.first }

    /// Whether parts are among the observations. Read without the lock.
    var hasParts: Bool { interest.load(ordering: .acquiring).contains(.parts) }

    /// Whether it has neither an observation nor a link.
    var isEmpty: Bool { count == 0 && firstLink == nil }

    /// Whether something needs the value of the key, or of one that is derived from it.
    var isNeeded: Bool { !isEmpty || derived != 0 }

    private func updateInterest() {
        // Without a branch, since every registration and removal does it.
        interest.store(
            Interest(.old, if: old) | Interest(.new, if: new) | Interest(.prior, if: prior) | Interest(.own, if: count)
                | Interest(.own, if: expressionRoute == nil ? 0 : derived) | Interest(.derived, if: derived)
                | Interest(.ahead, if: prior | derivedAhead) | Interest(.inner, if: inner) | Interest(.parts, if: parts)
                | Interest(.ahead, if: firstLink == nil ? 0 : 1),
            ordering: .releasing)
    }

    // MARK: Observations

    @inline(__always)
    private mutating func account(for observation: KeyValueObservation, by one: Int32) {
        let needs = Interest(for: observation.options)
        count += one
        if needs.contains(.old) { old += one }
        if needs.contains(.new) { new += one }
        if needs.contains(.prior) { prior += one }
        let isPart = observation.flags.contains(.part)
        if isPart { parts += one }
        if one > 0, prior == 0, !isPart {
            // One more takes nothing away. Part of every registration.
            interest.store(interest.load(ordering: .relaxed) | .own | needs, ordering: .releasing)
        } else {
            updateInterest()
        }
    }

    /// Makes an observation a member that is notified of changes from now on, and is owned by the list. One that was leaving is a member
    /// again at its old position, but with a new number: of changes from before it is not notified.
    @inline(__always)
    mutating func append(_ observation: KeyValueObservation) {
        if observation.membership == .out {
            if observation.flags.contains(.first) {
                observations.prepend(.retaining(observation))
            } else {
                observations.append(.retaining(observation))
            }
        }
        number(observation)
        observation.membership = .linked
        account(for: observation, by: 1)
    }

    /// Gives an observation a new number: it is not notified of changes that have begun.
    mutating func number(_ observation: KeyValueObservation) {
        lastSequence += 1
        observation.sequence = lastSequence
    }

    /// Takes an observation out. Returns whether it was unlinked: the caller takes over the list's ownership then. Otherwise
    /// traversals pin it, and the last one to unpin it unlinks it.
    mutating func remove(_ observation: KeyValueObservation) -> Bool {
        assert(observation.membership == .linked)
        account(for: observation, by: -1)
        if observation.pinCount > 0 {
            observation.membership = .leaving
            return false
        }
        unlink(observation)
        return true
    }

    private mutating func unlink(_ observation: KeyValueObservation) {
        observation.membership = .out
        observations.remove(observation)
    }

    /// Unlinks an observation that is leaving and that no traversal pins. If it returns true, the caller takes over the list's
    /// ownership.
    mutating func unlinkIfUnpinned(_ observation: KeyValueObservation) -> Bool {
        guard observation.pinCount == 0, observation.membership == .leaving else { return false }
        unlink(observation)
        return true
    }

    /// The same for a batch. Returns the unlinked ones, nil if there are none; the caller takes over the list's ownership.
    @inline(never)
    mutating func unlinkUnpinned(_ batch: [Borrowed<KeyValueObservation>]) -> [Borrowed<KeyValueObservation>]? {
        let gone = batch.filter { unlinkIfUnpinned($0.object) }
        return gone.isEmpty ? nil : gone
    }

    /// The first observation that is not leaving.
    func firstLinked() -> KeyValueObservation? { observations.members.first { $0.object.isLinked }?.object }

    /// Calls a function with each observation that is not leaving, in order.
    func forEachLinked(_ body: (KeyValueObservation) -> Void) { observations.forEach { if $0.isLinked { body($0) } } }

    // MARK: Links and derived keys

    /// The caller has a reference to the former route, so none is freed here, under the lock.
    mutating func setExpressionRoute(_ route: Route?) {
        expressionRoute?.release()
        expressionRoute = route.map { .retaining($0) }
        // A change of a list without observers has a subject with bounds, too: see `Interest.own`.
        lastSequence = max(lastSequence, 1)
        updateInterest()
    }

    /// Adds a link, which its chain keeps as long as it is in the list.
    mutating func append(_ link: Borrowed<PathLink>) {
        link.use {
            $0.isLinked = true
            if $0.isInner { inner += 1 }
        }
        links.append(link)
        updateInterest()
    }

    /// Takes a link out.
    mutating func remove(_ link: PathLink) {
        link.isLinked = false
        links.remove(link)
        if link.isInner { inner -= 1 }
        updateInterest()
    }

    /// Calls a function with each link, in order.
    @inline(__always)
    func forEachLink(_ body: (PathLink) -> Void) { links.forEach(body) }

    /// An observation or a link was added to the list of a key that is derived from this one, or removed from it.
    mutating func derivedInterestDidChange(by one: Int32, isAhead: Bool, isInner: Bool) {
        derived += one
        if isAhead { derivedAhead += one }
        if isInner { inner += one }
        updateInterest()
    }
}

#if DEBUG
    extension ObserverList {
        /// Traps if what the list says of itself is not so.
        ///
        /// - Parameter derivedLists: The lists of the keys of the object that are derived from this one.
        func checkInvariants(_ derivedLists: [InPlace<ObserverList>] = []) {
            var found = ObserverList()
            (found.links, found.expressionRoute) = (links, expressionRoute)
            observations.forEach {
                precondition($0.sequence <= lastSequence, "An observation has a number that was not given.")
                let isMember = $0.membership == .linked || $0.membership == .leaving && $0.pinCount > 0
                precondition(isMember, "An observation is in a list and says that it is not.")
                if $0.isLinked { found.account(for: $0, by: 1) }
            }
            links.forEach { precondition($0.isLinked, "A link is in a list and says that it is not.") }
            links.forEach { if $0.isInner { found.inner += 1 } }
            for list in derivedLists {
                list.value.forEachLinked {
                    found.derivedInterestDidChange(by: 1, isAhead: $0.options.contains(.prior), isInner: false)
                }
                list.value.forEachLink { found.derivedInterestDidChange(by: 1, isAhead: true, isInner: $0.isInner) }
            }
            precondition(
                counts == found.counts,
                "A list miscounts what is in it and in those of derived keys: \(counts), not \(found.counts).")
            found.updateInterest()
            let isTrue = interest.load(ordering: .relaxed) == found.interest.load(ordering: .relaxed)
            precondition(isTrue, "A list says that a change needs something else than it does.")
        }

        fileprivate var isLong: Bool { observations.isLonger(than: 40) || links.isLonger(than: 40) }
        private var counts: [Int32] { [count, old, new, prior, parts, derived, derivedAhead, inner] }
    }

    extension ObjectRecord {
        /// Checks the list of a key, and those of the keys that it is derived from. Under the lock. Where there are more than 40 of
        /// anything they are left out: checking them at each change would take most of the time of the tests.
        func checkInvariants(of slot: Int) {
            let bases = schema!.dependencies(of: slot).bases
            if bases.count > 40 { return }
            for slot in [slot] + bases {
                let slots = schema!.dependencies(of: slot).derived
                guard let list = list(slot), slots.count <= 40 else { continue }
                let derived = slots.compactMap { self.list($0) }
                if ([list] + derived).allSatisfy({ !$0.value.isLong }) { list.value.checkInvariants(derived) }
            }
        }
    }
#endif
