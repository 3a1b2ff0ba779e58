internal import CSwiftRuntime
import Synchronization

/// A place in the observer list of one property of one object. Not for use outside the library: the public class
/// `KeyValueObservation` is a node itself, so that an ordinary observation is one allocation.
///
/// What a walk reads comes first and fills one cache line. What is variable is guarded by the lock of `home`.
public class ObservationNode {
    @exclusivity(unchecked) final var next: Unmanaged<ObservationNode>?
    /// Place in the order of registration. A walk does not go beyond what was the last when it began.
    @exclusivity(unchecked) final var sequence: UInt64 = 0
    /// An observation's handler, as the two words of a closure. Owned until the observation has ended and no call is
    /// using them.
    @exclusivity(unchecked) final var function: UnsafeRawPointer?
    @exclusivity(unchecked) final var closure: UnsafeRawPointer?
    /// An observation's observer, pinned by its record.
    final let observerAddress: UnsafeRawPointer?
    /// Walks that have this node in their hands. While it is not zero the node stays linked, so that they find on.
    @exclusivity(unchecked) final var holds: Int32 = 0
    /// The options, and besides them what else decides how a walk treats the node.
    @usableFromInline final let marks: Marks
    @exclusivity(unchecked) final var membership = Membership.none
    final let state: Atomic<State>
    final let handling: HandlerCall.Shape
    /// It must not be linked (again).
    @exclusivity(unchecked) final var isCancelled = false
    /// The property, as the index of its key in the schema of the object's class; -1 for an observation that only
    /// groups others.
    final let slot: Int32
    @exclusivity(unchecked) final var previous: Unmanaged<ObservationNode>?
    /// The record of the object whose list this is, or, for an observation of several, of the first; retained. Nil for
    /// an observation of nothing.
    final let home: Unmanaged<ObjectRecord>?

    enum Kind {
        /// A `KeyValueObservation` of this very property.
        case observation
        /// A `PathLink`: the property is one component of a path.
        case link
    }

    /// Options in the low bits, so that one test tells a walk whether it may just call.
    @usableFromInline
    struct Marks: OptionSet, Sendable {
        @usableFromInline let rawValue: UInt16
        /// It is a link.
        static let link = Marks(rawValue: 1 << 14)
        /// Every node has it: a set with it is disjoint with none.
        static let node = Marks(rawValue: 1 << 15)

        @inlinable @inline(__always)
        init(rawValue: UInt16) { self.rawValue = rawValue }

        @inline(__always)
        init(_ options: ObservingOptions) { rawValue = options.rawValue }
    }

    enum Membership: UInt8 {
        case none
        case linked
        /// Taken out, but still linked because a walk holds it.
        case leaving
        /// Taken out for good.
        case left
    }

    /// Not an enumeration, which would be checked for being one of its cases each time it is read.
    struct State: RawRepresentable, Equatable, AtomicRepresentable {
        let rawValue: UInt8
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
        home: Unmanaged<ObjectRecord>?, slot: Int, kind: Kind, options: ObservingOptions = [], handler: HandlerCall = .none,
        observerAddress: UnsafeRawPointer? = nil, state: State = .active
    ) {
        self.home = home?.retain()
        self.slot = Int32(slot)
        marks = [.node, kind == .link ? .link : [], Marks(options)]
        self.state = Atomic(state)
        self.observerAddress = observerAddress
        handling = handler.shape
        function = handler.function
        closure = handler.closure
    }

    deinit {
        csr_release(closure)
        home?.release()
    }

    final var kind: Kind { marks.contains(.link) ? .link : .observation }

    /// The options of the registration, with `.unregisterManually` added where the class of a side asks for it.
    @inlinable
    public final var options: ObservingOptions { ObservingOptions(rawValue: marks.rawValue & 0x3FFF) }

    /// Whether changes are to be delivered, as far as the node itself can tell.
    @inline(__always)
    final var isLive: Bool {
        let state = state.load(ordering: .acquiring)
        return state == .active || state == .claimed
    }

    /// Whether it is live, and no change has claimed it.
    @inline(__always)
    final var isActive: Bool { state.load(ordering: .acquiring) == .active }

    /// The record of the object whose list this is. Nil for an observation of nothing.
    final var record: ObjectRecord? { home?.takeUnretainedValue() }

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
