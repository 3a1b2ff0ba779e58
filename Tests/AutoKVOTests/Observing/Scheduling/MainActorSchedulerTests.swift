import AutoKVO
import AutoKVOTestSupport
import Testing

/// The scheduler of the main actor.
struct MainActorSchedulerTests {
    @Test("it runs an operation on the main actor, later") func schedules() async {
        await withCheckedContinuation { continuation in
            MainActorScheduler().schedule {
                MainActor.assertIsolated()
                continuation.resume()
            }
        }
    }

    /// Runs operations wherever the change is made.
    private struct Elsewhere: MainActorChangeScheduler {
        func schedule(_ operation: @escaping @Sendable () -> Void) { operation() }
    }

    private final class Gauge: TrackedObject, @unchecked Sendable { @Observed var level = 0 }
    private final class Panel: Sendable {}

    @Test("one that runs an operation on another thread traps with its name", arguments: [false, true])
    func elsewhere(hasObserver: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [hasObserver] in
            let (gauge, panel) = (Gauge(), Panel())
            if hasObserver {
                gauge.$level.observe(for: panel, on: Elsewhere()) { _ in }
            } else {
                gauge.$level.observe(on: Elsewhere()) { _ in }
            }
            await Task.detached { gauge.level = 1 }.value
        }
        expectEqual(missing("Elsewhere, a MainActorChangeScheduler, has run an operation", in: result), [])
    }
}
