import AutoKVO
import AutoKVOTestSupport
import Testing

/// A number that a lock guards.
private final class Counted: @unchecked Sendable {
    let lock = ShortLock()
    var count = 0  // guarded by `lock`

    func add(_ times: Int) {
        for _ in 0..<times { lock.withLock { count += 1 } }
    }
}

/// The lock of a record by itself. What is checked with one observer and one target is checked elsewhere.
struct LockTests {
    @Test("keeps several threads apart")
    func severalThreads() {
        for _ in 0..<150 {
            let one = Counted()
            let others = (0..<3).map { _ in Thread { one.add(100) } }
            one.add(200)
            for other in others { other.join() }
            expectEqual(one.lock.withLock { one.count }, 500)
        }
    }

    @Test("who comes while it is taken waits, whoever has it")
    func waiting() {
        let one = Counted()
        let (isWanted, isTaken, otherIsIn) = (Door(), Door(), Guarded(false))
        one.lock.lock()
        let other = Thread {
            isWanted.open()
            one.lock.withLock {
                otherIsIn.withLock { $0 = true }
                isTaken.open()
                for _ in 0..<1000 { one.count += 1 }
            }
        }
        isWanted.wait()
        for _ in 0..<10_000 where otherIsIn.withLock({ $0 }) { break }
        let cameTooSoon = otherIsIn.withLock { $0 }
        one.count = 1
        one.lock.unlock()
        isTaken.wait()
        let count = one.lock.withLock { one.count }
        other.join()
        #expect(!cameTooSoon)
        expectEqual(count, 1001)
    }

    @Test("objects that were observed on one thread change, are removed and die on another", arguments: [1, 600])
    func objectsChangeHands(count: Int) throws {
        let tracker = LifetimeTracker()
        let calls = Guarded(0)
        let made = try Made(
            (0..<count).map { _ in
                let (person, panel) = (tracker.track(Person()), tracker.track(Person("Panel")))
                let observation = try person.addObserver(panel, forKeyPath: "age", options: [.old, .new]) { _, _ in
                    calls.withLock { $0 += 1 }
                }
                person.age += 1
                return (person, panel, observation)
            })
        onAnotherThread {
            for (number, one) in made.all.enumerated() {
                one.person.age += 1
                if number % 2 == 0 { one.observation.remove() }
                one.person.age += 1
            }
            made.all = []
        }
        expectEqual(calls.withLock { $0 }, 2 * count + count / 2)
        tracker.expectNoLeaks()
    }
}

/// What one thread makes and another uses up, one after the other.
private final class Made: @unchecked Sendable {
    var all: [(person: Person, panel: Person, observation: KeyValueObservation)]
    init(_ all: [(Person, Person, KeyValueObservation)]) { self.all = all }
}
