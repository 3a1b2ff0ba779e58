import AutoKVO
import AutoKVOTestSupport
import Testing

/// Random graphs of objects, changed, swapped, observed and dropped in every way, against a reference that works out each
/// value by itself. `AUTOKVO_MODEL_STEPS` says how many steps; `AUTOKVO_MODEL_SEED` where to begin.
struct ModelTests {
    /// In a release build it is seven times as fast.
    private static var steps: Int {
        #if DEBUG
            let usual = load(100_000)
        #else
            let usual = isSanitized ? load(100_000) : 1_000_000
        #endif
        return ModelSearch.environment("AUTOKVO_MODEL_STEPS") ?? usual
    }

    @Test func everyObservationIsCalledExactlyAsTheReferenceSays() {
        ModelSearch { ModelWorld(keepsLog: $0) }.search(steps: Self.steps)
    }

    /// Here handlers write again, so that there is no reference: see `ReplayWorld`.
    @Test func replayedLogsOfHandlersThatWriteAgainAreInOrderAndEndOnTheCurrentValue() {
        // Its steps nest others, and take several times as long.
        ModelSearch { ReplayWorld(keepsLog: $0) }.search(steps: Self.steps / 8)
    }

    /// The same with an observer in front of all others, of each property: so there is no property without.
    @Test func aChangeCallsAHandlerThatIgnoresItOnce() {
        ModelSearch { ReplayWorld(keepsLog: $0, countsChanges: true) }.search(steps: Self.steps / 8)
    }
}
