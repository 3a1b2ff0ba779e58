import Synchronization

/// A place in the observer list of one property of one object. Not for use outside the library: the public class
/// `KeyValueObservation` is a node itself, so that an ordinary observation is one allocation.
///
/// What a walk reads comes first, 48 bytes in a row: a long walk waits for memory more than for anything else. What is variable
/// is guarded by the lock of `unmanagedRecord`.
public class ObservationNode {
    @exclusivity(unchecked) final var next: Borrowed<ObservationNode>?
    /// Place in the order of registration. A walk does not go beyond what was the last when it began.
    @exclusivity(unchecked) final var sequence: UInt64 = 0
    /// An observation's handler. Owned until the observation has ended and no call is using it.
    @exclusivity(unchecked) final var closure: ClosureCall
    /// An observation's observer, pinned by its record.
    final let observerAddress: UnsafeRawPointer?
    /// How many walks have this node in their hands, and in the two high bits its membership.
    @exclusivity(unchecked) final var standing = Membership.out.bits
    /// The options, the state, and whatever else decides how a walk treats the node: one word, for one look.
    @usableFromInline final let word: Atomic<Marks>
    final let handling: HandlerCall.Shape
    /// It must not be linked (again).
    @exclusivity(unchecked) final var isCancelled = false
    /// The property, as the index of its key in the schema of the object's class; -1 for an observation that only
    /// groups others.
    final let slot: Int32
    @exclusivity(unchecked) final var previous: Borrowed<ObservationNode>?
    /// The record of the object whose list this is, or, for an observation of several, of the first; retained. Nil for
    /// an observation of nothing.
    final let unmanagedRecord: Borrowed<ObjectRecord>?

    enum Kind {
        /// A `KeyValueObservation` of this very property.
        case observation
        /// A `PathLink`: the property is one component of a path.
        case link
    }

    /// Options in the low bits, the state in two of the high ones, so that one test tells a walk whether it may just call. All
    /// but the state is constant.
    @usableFromInline
    struct Marks: OptionSet, AtomicRepresentable, Sendable {
        @usableFromInline let rawValue: UInt32
        /// It is a link.
        static let link = Marks(rawValue: 1 << 14)
        /// Every node has it: a set with it is disjoint with none.
        static let node = Marks(rawValue: 1 << 15)
        /// There is an observer to be kept alive for the call, or the handler takes more than the change.
        static let notJustChange = Marks(rawValue: 1 << 16)
        /// It is the last link of a path of several components: not one of the property's own observers.
        static let pathEnd = Marks(rawValue: 1 << 17)
        /// It is such a link, or one of several of one component, and a change calls the handler once for all of them.
        static let sharedHandler = Marks(rawValue: 1 << 18)
        /// What is not disjoint with it is not active.
        static let inactive = Marks(rawValue: 3 << State.shift)
        static let linkOrInactive = Marks(rawValue: 1 << 14 | 3 << State.shift)

        @inlinable @inline(__always)
        init(rawValue: UInt32) { self.rawValue = rawValue }

        @inline(__always)
        init(_ options: ObservingOptions) { rawValue = UInt32(options.rawValue) }

        @inlinable
        var options: ObservingOptions { ObservingOptions(rawValue: UInt16(truncatingIfNeeded: rawValue & 0x3FFF)) }

        @inline(__always)
        fileprivate var state: State { State(rawValue: UInt8(truncatingIfNeeded: rawValue &>> State.shift)) }

        @inline(__always)
        fileprivate func with(_ state: State) -> Marks {
            Marks(rawValue: rawValue & ~Marks.inactive.rawValue | UInt32(state.rawValue) &<< State.shift)
        }
    }

    enum Membership: UInt32 {
        case linked
        /// Not in the list, or not any more.
        case out
        /// Taken out, but still linked because a walk holds it. The highest.
        case leaving

        fileprivate static var shift: UInt32 { 30 }
        fileprivate var bits: UInt32 { rawValue &<< Membership.shift }
    }

    /// Not an enumeration, which would be checked for being one of its cases each time it is read.
    struct State: RawRepresentable, Equatable {
        let rawValue: UInt8
        /// Where it stands in the marks, as the last of them.
        fileprivate static let shift: UInt32 = 30
        static let active = State(rawValue: 0)
        /// With `.once` and `.prior`: one change has made its prior call and will make the other.
        static let claimed = State(rawValue: 1)
        /// With `.once`: delivered. `rearm()` makes it active again.
        static let fired = State(rawValue: 2)
        static let ended = State(rawValue: 3)

        @inline(__always)
        init(rawValue: UInt8) { self.rawValue = rawValue }
    }

    init(
        unmanagedRecord: Borrowed<ObjectRecord>?, slot: Int, kind: Kind, options: ObservingOptions = [],
        handler: consuming HandlerCall = .none,
        observerAddress: UnsafeRawPointer? = nil, flags: Marks = []
    ) {
        self.unmanagedRecord = unmanagedRecord?.retain()
        self.slot = Int32(truncatingIfNeeded: slot)
        var marks = Marks(options).union(.node)
        if kind == .link { marks.formUnion(.link) }
        marks.formUnion(flags)
        if observerAddress != nil || handler.shape != .change { marks.formUnion(.notJustChange) }
        word = Atomic(marks)
        self.observerAddress = observerAddress
        handling = handler.shape
        closure = handler.takeClosure()
    }

    deinit {
        closure.release()
        unmanagedRecord?.release()
    }

    @inline(__always)
    final func become(_ membership: Membership) { standing = membership.bits | holds }

    /// Whether it is in the list, and not leaving.
    @inline(__always)
    final var isLinked: Bool { standing < Membership.out.bits }
    @inline(__always)
    final var isLeaving: Bool { standing >= Membership.leaving.bits }

    /// Walks that have this node in their hands. While there are any the node stays linked, so that they find on.
    @inline(__always)
    final var holds: UInt32 { standing & (1 &<< Membership.shift &- 1) }

    /// As they are now.
    @inline(__always)
    final var marks: Marks { word.load(ordering: .acquiring) }

    final var kind: Kind { word.load(ordering: .relaxed).contains(.link) ? .link : .observation }

    /// The options of the registration, with `.unregisterManually` added where the class of a side asks for it.
    @inlinable
    public final var options: ObservingOptions { word.load(ordering: .relaxed).options }

    @inline(__always)
    final var state: State { marks.state }

    /// Changes the state if it is the expected one.
    ///
    /// - Returns: Whether it was, and what it was.
    final func changeState(from expected: State, to desired: State) -> (changed: Bool, before: State) {
        let constant = word.load(ordering: .relaxed)
        let (changed, before) = word.compareExchange(
            expected: constant.with(expected), desired: constant.with(desired), ordering: .acquiringAndReleasing)
        return (changed, before.state)
    }

    /// Whether changes are to be delivered, as far as the node itself can tell.
    @inline(__always)
    final var isLive: Bool {
        let state = state
        return state == .active || state == .claimed
    }

    /// Whether it is live, and no change has claimed it.
    @inline(__always)
    final var isActive: Bool { state == .active }

    /// The record of the object whose list this is. Nil for an observation of nothing.
    final var record: ObjectRecord? { unmanagedRecord?.object }

    /// What this node makes a change of its property do. Constant while the node is in a list.
    @inline(__always)
    final var needs: ObserverList.Needs {
        guard kind == .observation else { return unsafeDowncast(self, to: PathLink.self).linkNeeds }
        return ObserverList.Needs(for: options)
    }

    /// Whether it is a link of a path that led somewhere else before.
    final var isMovedLink: Bool { kind == .link && unsafeDowncast(self, to: PathLink.self).isMoved }

    /// The object whose list the node is in is being deinitialized. The node leaves the list.
    func targetDidDie() { preconditionFailure("A node is an observation or a link.") }
}
