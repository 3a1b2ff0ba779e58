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
        do {
            let cell = Cell()
            #expect(cell.once.load() == nil)
            let winner = cell.once.setIfNil(tracker.token())
            expectEqual(cell.once.setIfNil(tracker.token()), winner)
            withExtendedLifetime(cell) { expectEqual(tracker.liveCount, 1, "the second object is released") }
            expectEqual(cell.once.load(), winner)
        }
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
            withExtendedLifetime(cell) { expectEqual(tracker.liveCount, 1) }
        }
        tracker.expectNoLeaks()
    }
}
