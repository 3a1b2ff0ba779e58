import Testing

@testable import AutoKVO

/// The flags of an observation.
struct ObservationFlagsTests {
    private static let options: [ObservingOptions] = [
        [], [.old, .new], [.once, .prior], [.unregisterManually, .distinct],
    ]
    private static let states: [ObservationFlags.State] = [.active, .claimed, .fired, .ended]

    @Test("flags keep the options in every state", arguments: options) func optionsAreKept(options: ObservingOptions) {
        let flags = ObservationFlags(options).union([.any, .part, .counted])
        for state in Self.states {
            let changed = flags.with(state)
            expectEqual(changed.state, state)
            expectEqual(changed.options, options)
            #expect(changed.isSuperset(of: [.any, .part, .counted]))
            expectEqual(changed.with(.active), flags)
        }
    }

    @Test(
        "only an active observation's flags are disjoint with `inactive`, only an active whole's with `partCountedOrInactive`"
    )
    func disjointness() {
        let flags = ObservationFlags([.old, .new, .unregisterManually]).union(.any)
        for state in Self.states {
            #expect(flags.with(state).isDisjoint(with: .inactive) == (state == .active))
            #expect(flags.with(state).isDisjoint(with: .partCountedOrInactive) == (state == .active))
            #expect(!flags.union(.part).with(state).isDisjoint(with: .partCountedOrInactive))
            #expect(!flags.union(.counted).with(state).isDisjoint(with: .partCountedOrInactive))
            #expect(!flags.with(state).isDisjoint(with: .any))
        }
    }

    @Test("the state changes only from the expected one, and options stay") func changingState() {
        let observation = KeyValueObservation.unlinked([.once, .prior])
        #expect(observation.state == .active && observation.isLive)
        #expect(observation.changeState(from: .active, to: .claimed))
        #expect(observation.state != .active && observation.isLive)
        #expect(!observation.changeState(from: .active, to: .fired) && observation.state == .claimed)
        #expect(observation.changeState(from: .claimed, to: .fired))
        #expect(!observation.isLive)
        #expect(observation.changeState(from: .fired, to: .active))
        #expect(observation.state == .active)
        expectEqual(observation.options, [.once, .prior])
    }

    @Test("an observation ends once, from any state", arguments: 0..<3) func ending(index: Int) {
        let observation = KeyValueObservation.unlinked([.once])
        if index > 0 { #expect(observation.changeState(from: .active, to: Self.states[index])) }
        #expect(observation.changeStateToEnded())
        #expect(!observation.changeStateToEnded())
        #expect(observation.state == .ended && !observation.isLive && observation.options == [.once])
    }

    @Test("membership and pins do not change each other") func membershipAndPins() {
        let observation = KeyValueObservation.unlinked()
        #expect(observation.membership == .out && observation.pinCount == 0 && !observation.isLinked)
        observation.pinWord += 3
        for membership in [KeyValueObservation.Membership.linked, .leaving, .out] {
            observation.membership = membership
            #expect(observation.membership == membership && observation.pinCount == 3)
            #expect(observation.isLinked == (membership == .linked))
        }
    }
}
