import Synchronization

/// The options of an observation in the low bits and its state in the two highest, so that a traversal finds out with one test
/// whether it may call the handler without further checks. All but the state is constant.
///
/// The state is changed by a compare and exchange, without a lock; the thread that changes it to `ended` ends the observation.
@usableFromInline struct ObservationFlags: OptionSet, AtomicRepresentable, Sendable {
    @usableFromInline let rawValue: UInt32
    /// A scheduler delivers its changes, or its handler makes several calls for each: with `.once` it stays in the lists until that is over.
    /// Its details exist from the beginning.
    static let scheduled = ObservationFlags(.scheduled)
    /// It is a part: a member of the list of one key in place of an observation with routes.
    static let part = ObservationFlags(rawValue: 1 << 14)
    /// Every observation has it, so a set with it is disjoint with no observation's flags.
    static let any = ObservationFlags(rawValue: 1 << 15)
    /// It counts the calls of its handler. Its details exist from the beginning.
    static let counted = ObservationFlags(rawValue: 1 << 17)
    /// It comes before all others that are in the list of its key when it is added.
    static let first = ObservationFlags(.first)
    /// Disjoint with the flags of an active observation only.
    static let inactive = ObservationFlags(rawValue: 3 << State.shift)
    static let partCountedOrInactive = ObservationFlags(rawValue: 1 << 14 | 1 << 17 | 3 << State.shift)

    @export(implementation) @inline(__always)
    init(rawValue: UInt32) { self.rawValue = rawValue }

    @inline(__always)
    init(_ options: ObservingOptions) { rawValue = UInt32(options.rawValue) }

    @export(implementation)
    var options: ObservingOptions { ObservingOptions(rawValue: UInt16(truncatingIfNeeded: rawValue & 0x0FFF)) }

    @inline(__always)
    var state: State { State(rawValue: UInt8(truncatingIfNeeded: rawValue &>> State.shift)) }

    @inline(__always)
    func with(_ state: State) -> ObservationFlags {
        Self(rawValue: rawValue & ~Self.inactive.rawValue | UInt32(state.rawValue) &<< State.shift)
    }

    /// Not an enumeration: each read would check that the value is one of its cases.
    struct State: RawRepresentable, Equatable {
        let rawValue: UInt8
        fileprivate static let shift: UInt32 = 30
        static let active = State(rawValue: 0)
        /// With `.once` and `.prior`: one change has made the prior call, and will make the call after the change.
        static let claimed = State(rawValue: 1)
        /// With `.once`: delivered. `rearm()` makes it active again.
        static let fired = State(rawValue: 2)
        static let ended = State(rawValue: 3)

        @inline(__always)
        init(rawValue: UInt8) { self.rawValue = rawValue }
    }
}

extension KeyValueObservation {
    @inline(__always)
    var state: ObservationFlags.State { flags.state }

    /// Changes the state if it is the expected one. Returns whether it was.
    func changeState(from expected: ObservationFlags.State, to desired: ObservationFlags.State) -> Bool {
        let constant = flags
        return atomicFlags.compareExchange(
            expected: constant.with(expected), desired: constant.with(desired), ordering: .acquiringAndReleasing
        ).exchanged
    }

    /// Changes any state to `ended`. False if it was `ended`.
    func changeStateToEnded() -> Bool {
        while case let seen = state, seen != .ended {
            if changeState(from: seen, to: .ended) { return true }
        }
        return false
    }

    /// Whether changes are delivered.
    @inline(__always)
    var isLive: Bool {
        let state = state
        return state == .active || state == .claimed
    }

    /// Whether it stays in the lists: it is live, or it has fired and its change waits at a scheduler, so that removals have to find it.
    var isFindable: Bool {
        isLive || state == .fired && flags.contains(.scheduled) && details!.deliveries.load(ordering: .acquiring) > 0
    }
}
