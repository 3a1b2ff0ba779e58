import Synchronization

/// Who observes one property of one object, in the order of registration: a doubly linked list threaded through the
/// nodes, so that adding and removing cost the same at any size and copy nothing, also while it is being walked.
///
/// Guarded by the record's lock. The list owns its nodes.
struct ObserverList: ~Copyable {
    private(set) var first: Borrowed<ObservationNode>?
    private var last: Borrowed<ObservationNode>?
    private(set) var lastSequence: UInt64 = 0
    /// Nodes that are linked and not leaving.
    private(set) var count: Int32 = 0
    /// Those of them that want the old value, the new value, a call before the change, or more than a call after it.
    private var old: Int32 = 0
    private var new: Int32 = 0
    private var prior: Int32 = 0
    private var inner: Int32 = 0
    /// Those of them that are ends of paths of several components.
    private var pathEnds: Int32 = 0
    /// Whether the end of a path was ever in the list, and one whose handler is to be called once for several paths.
    private var hasHadEnd = false
    private var hasHadSharedHandler = false
    /// Nodes in the lists of keys that are derived from this one, and those of them that want a call before the change or more
    /// than a call after it.
    private var derivedInterest: Int32 = 0
    private var derivedLookAhead: Int32 = 0
    /// What a write has to mind, kept up to date under the lock and read without it. Not the first of the variables: the
    /// thread sanitizer takes a change of the list, at its address, for a write of what lies there.
    let interest = Atomic<Interest>([])

    /// What a write of the property has to mind.
    struct Interest: OptionSet, AtomicRepresentable {
        let rawValue: UInt8
        /// Somebody in the list wants the old value, the new value.
        static let old = Interest(rawValue: 1)
        static let new = Interest(rawValue: 2)
        /// Somebody is in the list.
        static let own = Interest(rawValue: 4)
        /// Somebody is in the list of a derived key.
        static let derived = Interest(rawValue: 8)
        /// Ends of paths are in the list.
        static let links = Interest(rawValue: 16)
        /// Somebody wants to be called before the change, or a path goes on from here, or from a derived key.
        static let ahead = Interest(rawValue: 32)
        /// Some nodes of the list are not called together with the others: see `separateLinks`.
        static let separate = Interest(rawValue: 64)
        /// A change is more than calling the nodes of the list one after the other. Not written as a set of the others: in a long
        /// function the compiler makes an array of those for each use.
        static let beyondOwnList = Interest(rawValue: 8 | 32 | 64)

        @inline(__always)
        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The interest if there are any of those who have it.
        @inline(__always)
        fileprivate init(_ interest: Interest, if count: Int32) { rawValue = count != 0 ? interest.rawValue : 0 }

        /// What somebody who is in the list wants. The bits of `.old` and `.new` are the same in both.
        @inline(__always)
        fileprivate init(_ needs: Needs) {
            rawValue =
                needs.rawValue & 3
                | (needs.rawValue & (Needs.prior.rawValue | Needs.inner.rawValue) != 0 ? Interest.ahead.rawValue : 0)
        }

        @inline(__always)
        fileprivate static func | (a: Interest, b: Interest) -> Interest { Interest(rawValue: a.rawValue | b.rawValue) }
    }

    private func updateInterest() {
        // Without a branch, since it is part of every registration and removal.
        let now =
            Interest(.old, if: old) | Interest(.new, if: new) | Interest(.own, if: count)
            | Interest(.derived, if: derivedInterest)
            | Interest(.ahead, if: prior | inner | derivedLookAhead)
            | Interest(.separate, if: separateLinks(isAlone: true).isEmpty ? 0 : 1)
            | Interest(.links, if: hasHadEnd ? 1 : 0)
        interest.store(now, ordering: .releasing)
    }

    /// What the nodes of a list want of a change.
    struct Needs: OptionSet {
        let rawValue: UInt8
        /// The value before the change.
        static let old = Needs(rawValue: 1)
        /// The value after the change.
        static let new = Needs(rawValue: 2)
        /// A call before the change.
        static let prior = Needs(rawValue: 4)
        /// More than a call with this property's values: a path goes on from here.
        static let inner = Needs(rawValue: 8)

        @inline(__always)
        init(rawValue: UInt8) { self.rawValue = rawValue }

        /// What an observation with these options wants. The bits of `.old` and `.new` are the same in both.
        @inline(__always)
        init(for options: ObservingOptions) {
            var bits = UInt8(truncatingIfNeeded: options.rawValue) & 3
            if options.contains(.prior) { bits |= 4 }
            if options.contains(.distinct) { bits |= 3 }
            rawValue = bits
        }
    }

    var needs: Needs {
        var needs: Needs = []
        if old > 0 { needs.insert(.old) }
        if new > 0 { needs.insert(.new) }
        if prior > 0 { needs.insert(.prior) }
        if inner > 0 { needs.insert(.inner) }
        return needs
    }

    var wantsOld: Bool { old != 0 }
    var wantsNew: Bool { new != 0 }
    /// Whether a change calls anybody in this list.
    var hasObservers: Bool { count > inner }
    var hasInnerLinks: Bool { inner != 0 }
    var hasDerivedInterest: Bool { derivedInterest != 0 }

    /// The nodes that a change does not call together with the others of the list, but behind them, in the order of their paths'
    /// registration, and each path or shared handler once.
    ///
    /// - Parameter isAlone: Whether the change concerns this list alone.
    func separateLinks(isAlone: Bool) -> ObservationNode.Marks {
        if !isAlone || hasHadSharedHandler && pathEnds > 1 { return .link }
        return pathEnds > 0 && count - inner > pathEnds ? .pathEnd : []
    }

    /// A node was added to the list of a key that is derived from this one, or taken out of it.
    mutating func derivedInterestDidChange(by one: Int32, needing needs: Needs) {
        derivedInterest += one
        if !needs.isDisjoint(with: [.prior, .inner]) { derivedLookAhead += one }
        updateInterest()
    }

    /// Links a node that was leaving again, in its old place.
    mutating func rejoin(_ node: ObservationNode) {
        assert(node.isLeaving)
        node.become(.linked)
        account(for: node, by: 1)
    }

    @inline(__always)
    private mutating func account(for node: ObservationNode, by one: Int32) {
        let needs = node.needs
        count += one
        if needs.contains(.old) { old += one }
        if needs.contains(.new) { new += one }
        if needs.contains(.prior) { prior += one }
        if needs.contains(.inner) { inner += one }
        let marks = node.marks
        if marks.contains(.link) {
            if !needs.contains(.inner) { hasHadEnd = true }
            if marks.contains(.pathEnd) { pathEnds += one }
            if marks.contains(.sharedHandler) { hasHadSharedHandler = true }
            updateInterest()
        } else if one > 0, !hasHadEnd {
            // One more takes nobody's interest away.
            interest.store(interest.load(ordering: .relaxed) | .own | Interest(needs), ordering: .releasing)
        } else {
            updateInterest()
        }
    }

    /// Adds a node behind all others and takes the given ownership of it.
    mutating func append(_ node: Borrowed<ObservationNode>) {
        lastSequence += 1
        node.use {
            $0.sequence = lastSequence
            $0.become(.linked)
            $0.previous = last
            $0.next = nil
            account(for: $0, by: 1)
        }
        if let last { last.use { $0.next = node } } else { first = node }
        last = node
    }

    /// Takes a linked node out. Returns whether it was unlinked, in which case the list's ownership of it goes to the
    /// caller; otherwise a walk holds it, and the last one to let go unlinks it.
    mutating func remove(_ node: ObservationNode) -> Bool {
        assert(node.isLinked)
        account(for: node, by: -1)
        if node.holds > 0 {
            node.become(.leaving)
            return false
        }
        unlink(node)
        return true
    }

    /// Unlinks a node that no walk holds.
    mutating func unlink(_ node: ObservationNode) {
        assert(node.holds == 0)
        node.become(.out)
        if let previous = node.previous {
            previous.use { $0.next = node.next }
        } else {
            first = node.next
        }
        if let next = node.next {
            next.use { $0.previous = node.previous }
        } else {
            last = node.previous
        }
        node.next = nil
        node.previous = nil
    }
}

extension ObserverList {
    /// The first node that is not leaving.
    func firstLinked() -> ObservationNode? {
        var cursor = first
        while let node = cursor {
            let (isLinked, next) = node.use { ($0.isLinked, $0.next) }
            if isLinked { return node.object }
            cursor = next
        }
        return nil
    }

    /// Calls a function with each node that is not leaving, in order.
    func forEachLinked(_ body: (ObservationNode) -> Void) {
        var cursor = first
        while let node = cursor {
            node.use { if $0.isLinked { body($0) } }
            cursor = node.use { $0.next }
        }
    }
}
