import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// References that are set once.
struct OnceReferenceTests {
    private final class Cell: Sendable {
        let once = OnceReference<LifetimeToken>()
    }

    @Test("it is nil until it is set, and then keeps the first object") func first() {
        let tracker = LifetimeTracker()
        let cell = Cell()
        #expect(cell.once.load() == nil)
        let winner = cell.once.setIfNil(tracker.token())
        expectEqual(cell.once.setIfNil(tracker.token()), winner)
        expectEqual(cell.once.load(), winner)
        expectEqual(tracker.liveCount, 1, "the second object is released")
        winner.release()
        tracker.expectNoLeaks()
    }

    @Test("threads that set it at once agree on one object, and the others are released") func threads() {
        let tracker = LifetimeTracker()
        for _ in 0..<load(200) {
            let cell = Cell()
            let results = Guarded<Set<Borrowed<LifetimeToken>>>([])
            concurrently(4) { _ in
                let result = cell.once.setIfNil(tracker.token())
                results.withLock { _ = $0.insert(result) }
            }
            expectEqual(results.withLock(\.count), 1)
            expectEqual(tracker.liveCount, 1)
            cell.once.load()?.release()
        }
        tracker.expectNoLeaks()
    }
}
