import AutoKVO
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
}
