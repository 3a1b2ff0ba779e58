import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// Blank objects.
struct BlankObjectTests {
    @Test("their class is the one asked for, and neither init nor deinit runs", .needs(.blankObject)) func classOnly() {
        let counted = BlankObject.with(Noisy.self) { object in
            (type(of: object) == Noisy.self, object.words.0, object.isObserved)
        }
        #expect(counted! == (true, 0, false))
        expectEqual(Noisy.deinits, 0)
    }

    @Test("many, on several threads", .needs(.blankObject)) func many() {
        concurrently(4) { _ in
            for _ in 0..<500 { expectEqual(Person().$address.$city.keyPath, "address.city") }
        }
    }
}

private final class Noisy: TrackedObject {
    let words = (1, 2, 3, 4)
    nonisolated(unsafe) static var deinits = 0
    deinit { Noisy.deinits += 1 }
}
