import AutoKVO
import AutoKVOTestSupport
import Synchronization
import Testing

/// Runs two closures at the same time, as nearly as two threads can be brought to it.
private func race(_ a: () -> Void, _ b: () -> Void) {
    let start = StartLine()
    concurrently(2) { number in
        start.pass()
        if number == 0 { a() } else { b() }
    }
}

private final class StartLine: Sendable {
    private let waiting = Atomic<Int>(0)
    /// Returns when both are here, or when the other does not come.
    func pass() {
        waiting.add(1, ordering: .acquiringAndReleasing)
        for _ in 0..<20_000 where waiting.load(ordering: .acquiring) < 2 {}
    }
}

/// Deaths on two threads.
struct ThreadDeathTests {
    @Test(
        "target and observer die at the same time: one end, nothing left",
        arguments: ["age", "address.city", "age|firstName"])
    func bothAtOnce(path: String) throws {
        let tracker = LifetimeTracker()
        for _ in 0..<300 {
            var person: Person? = tracker.track(Person())
            var panel: Person? = tracker.track(Person("Panel"))

            let token = tracker.token()
            let observation = try person!.addObserver(panel!, forKeyPath: path) { _, _ in token.touch() }
            let counter = EndCounter()
            observation.onEnd { _ in counter.count.withLock { $0 += 1 } }
            let a = Box(person!)
            let b = Box(panel!)
            person = nil
            panel = nil
            race({ a.drop() }, { b.drop() })
            #expect(!observation.isValid)
            expectEqual(counter.count.withLock { $0 }, 1)
        }
        tracker.expectNoLeaks()
    }

    @Test("a target dies while its observation is removed: one end") func deathAgainstRemoval() throws {
        let tracker = LifetimeTracker()
        for _ in 0..<300 {
            var person: Person? = tracker.track(Person())
            let observation = try person!.observe("age") { _ in }
            let counter = EndCounter()
            observation.onEnd { _ in counter.count.withLock { $0 += 1 } }
            let a = Box(person!)
            person = nil
            race({ a.drop() }, { observation.remove() })
            expectEqual(counter.count.withLock { $0 }, 1)
            #expect(!observation.isValid)
        }
        tracker.expectNoLeaks()
    }

    @Test("an observer dies while changes are delivered to it: no call after its death", arguments: [true, false])
    func observerAgainstChanges(tracked: Bool) throws {
        let tracker = LifetimeTracker()
        for _ in 0..<200 {
            let person = Person()
            var panel: AnyObject? = tracked ? tracker.track(Person("Panel")) : PlainObserver(tracker)
            try person.addObserver(panel!, forKeyPath: "age") { panel, _ in withExtendedLifetime(panel) {} }
            let box = Box(panel!)
            panel = nil
            race({ for index in 0..<20 { person.age = index } }, { box.drop() })
            person.age = -1
            #expect(person.observations().isEmpty)
        }
        tracker.expectNoLeaks()
    }

    @Test("a value set on another thread just before the target dies there is delivered") func setThenDrop()
        throws
    {
        let values = Guarded<[Int]>([])
        var person: Person? = Person()
        try person!.observe("age", as: Int.self, options: [.new]) { change in
            let value = change.newValue!
            values.withLock { $0.append(value) }
        }
        let box = Box(person!)
        person = nil
        onAnotherThread {
            box.withObject { ($0 as! Person).age = 2 }
            box.drop()
        }
        expectEqual(values.withLock { $0 }, [2])
    }

    @Test("two threads remove the same observation: both return, one end") func twoRemovals() throws {
        let person = Person()
        for _ in 0..<300 {
            let observation = try person.observe(["age", "address.city"]) { _ in }
            let counter = EndCounter()
            observation.onEnd { _ in counter.count.withLock { $0 += 1 } }
            race({ observation.remove() }, { observation.remove() })
            expectEqual(counter.count.withLock { $0 }, 1)
        }
        #expect(person.observations().isEmpty)
    }
}

private final class EndCounter: Sendable {
    let count = Guarded(0)
}

/// Holds the last reference to an object, to be dropped on another thread.
private final class Box: @unchecked Sendable {
    private var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
    func drop() { object = nil }
    func withObject(_ body: (AnyObject) -> Void) { if let object { body(object) } }
}
