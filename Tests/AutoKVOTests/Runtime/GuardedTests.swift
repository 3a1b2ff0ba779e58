import AutoKVO
import AutoKVOTestSupport
import Testing

/// Values behind a lock.
struct GuardedTests {
    private struct Refused: Error {}

    @Test("threads that change the value at once change it one after the other") func threads() {
        let pair = Guarded((first: 0, second: 0))
        let rounds = load(20_000)
        concurrently(4) { _ in
            for _ in 0..<rounds {
                pair.withLock {
                    $0.first += 1
                    $0.second += 1
                }
            }
        }
        let (first, second) = pair.withLock { $0 }
        #expect(first == 4 * rounds && second == 4 * rounds)
    }

    @Test("a closure that throws gives the lock back") func throwing() {
        let value = Guarded(1)
        #expect(throws: Refused.self) {
            try value.withLock {
                $0 = 2
                throw Refused()
            }
        }
        expectEqual(value.withLock { $0 }, 2)
    }
}
