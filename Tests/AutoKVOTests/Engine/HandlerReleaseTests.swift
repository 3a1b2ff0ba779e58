import AutoKVO
import AutoKVOTestSupport
import Testing

/// Handlers are released.
struct HandlerReleaseTests {
    let tracker = LifetimeTracker()
    let person = Person()

    @Test(
        "a handler is released when remove() returns, though the handle is kept",
        arguments: ["age", "address.city", "age|firstName", "fullName", "friends.@avg.age"])
    func atOnce(path: String) throws {
        let observation: KeyValueObservation
        do {
            let token = tracker.token()
            observation = try person.observe(path) { _ in token.touch() }
        }
        expectEqual(tracker.liveCount, 1)
        observation.remove()
        tracker.expectNoLeaks()
        #expect(!observation.isValid)
    }

    @Test("every way of ending releases the handler", arguments: 0..<8) func everyEnd(way: Int) throws {
        var target: Person? = Person()
        var panel: Person? = Person("Panel")
        let observation: KeyValueObservation
        do {
            let token = tracker.token()
            observation = try target!.addObserver(panel!, forKeyPath: "age", userInfo: tracker.token()) { _, _ in
                token.touch()
            }
        }
        switch way {
        case 0: observation.remove()
        case 1: target!.removeObserver(panel!, forKeyPath: "age")
        case 2: panel!.stopObserving()
        case 3: target!.removeAllObservers()
        case 4: try KeyValueObservation.removeAll(observer: panel!)
        case 5: observation.remove(keyPath: "age")
        case 6: target = nil
        default: panel = nil
        }
        #expect(!observation.isValid)
        #expect(tracker.liveCount <= 1)
        withExtendedLifetime((target, panel)) {}
    }

    @Test("a handler removed inside its own call lives to the end of the delivery, not longer") func insideOwnCall()
        throws
    {
        var live: [Int] = []
        do {
            let token = tracker.token()
            try person.observe("age") { [tracker] change in
                change.observation.remove()
                token.touch()
                live.append(tracker.liveCount)
            }
        }
        person.age = 1
        expectEqual(live, [1])
        tracker.expectNoLeaks()
    }

    @Test(
        "a handler removed by another of the same delivery is released at the latest when that is over",
        arguments: [0, 20, 40])
    func byAnother(place: Int) throws {
        var observations: [KeyValueObservation] = []
        func observe(_ count: Int) throws {
            for _ in 0..<count {
                let token = tracker.token()
                observations.append(try person.observe("age") { _ in token.touch() })
            }
        }
        try observe(place)
        let remover = try person.observe("age") { _ in for observation in observations { observation.remove() } }
        try observe(40 - place)
        person.age = 1
        tracker.expectNoLeaks()
        remover.remove()
    }

    @Test("a handler that captures its own observation leaks nothing once removed", arguments: [false, true])
    func capturesItself(group: Bool) throws {
        do {
            let token = tracker.token()
            var observation: KeyValueObservation?
            observation = try person.observe(group ? ["age", "address.city"] : ["age"]) { _ in
                token.touch()
                observation?.remove()
            }
            person.age = 1
        }
        tracker.expectNoLeaks()
    }

    @Test("a handler that captures its own observation leaks nothing when the target dies") func capturesItselfDeath()
        throws
    {
        do {
            let target = tracker.track(Person())
            let token = tracker.token()
            var observation: KeyValueObservation?
            observation = try target.observe("age") { _ in
                token.touch()
                _ = observation
            }
            observation!.onEnd { _ in
                token.touch()
                _ = observation
            }
        }
        tracker.expectNoLeaks()
    }

    @Test("onEnd closures are released when they have run") func onEndReleased() throws {
        let observation = try person.observe("age") { _ in }
        do {
            let token = tracker.token()
            observation.onEnd { _ in token.touch() }
        }
        expectEqual(tracker.liveCount, 1)
        observation.remove()
        tracker.expectNoLeaks()
    }

    @Test("a handler whose release runs user code may remove and add observations") func releaseReenters() throws {
        final class Bomb {
            let action: () -> Void
            init(_ action: @escaping () -> Void) { self.action = action }
            deinit { action() }
        }
        let recorder = Recorder<Any>()
        let other = try person.observe("age", recorder.handler("other"))
        do {
            let bomb = Bomb { [person] in
                other.remove()
                _ = try? person.observe("age", recorder.handler("new"))
            }
            try person.observe("age") { _ in _ = bomb }
            try person.observe("age") { change in change.target?.removeAllObservers(forKeyPath: "age") }
        }
        person.age = 1
        person.age = 2
        expectEqual(recorder.labels, ["other", "new"])
        person.removeAllObservers()
    }

    @Test("a fired .once keeps its handler for rearm(), and gives it up on removal") func onceKeeps() throws {
        let observation: KeyValueObservation
        do {
            let token = tracker.token()
            observation = try person.observe("age", options: [.once]) { _ in token.touch() }
        }
        person.age = 1
        expectEqual(tracker.liveCount, 1)
        observation.remove()
        tracker.expectNoLeaks()
    }

    @Test("a fired .once whose handle was dropped leaks nothing") func onceDropped() throws {
        do {
            let token = tracker.token()
            try person.observe("age", options: [.once]) { _ in token.touch() }
            try person.observe(["age", "address.city"], options: [.once]) { _ in token.touch() }
            try person.observe("address.city", options: [.once, .initial]) { _ in token.touch() }
        }
        person.age = 1
        tracker.expectNoLeaks()
    }

    @Test("a registration that throws releases handler and user info") func throwing() throws {
        do {
            let token = tracker.token()
            #expect(throws: KeyValueError.self) {
                try person.observe("nothing", userInfo: tracker.token()) { _ in token.touch() }
            }
            #expect(throws: KeyValueError.self) { try person.observe("age|nothing") { _ in token.touch() } }
            #expect(throws: KeyValueError.self) { try person.observe("age", as: String.self) { _ in token.touch() } }
            #expect(throws: KeyValueError.self) {
                try person.addObserver(PlainObserver(tracker), forKeyPath: "") { _, _ in token.touch() }
            }
            #expect(throws: KeyValueError.self) { try [person].observe("x.y") { _ in token.touch() } }
        }
        tracker.expectNoLeaks()
    }

    @Test("an observation of no targets keeps nothing") func noTargets() throws {
        let observation: KeyValueObservation
        do {
            let token = tracker.token()
            observation = try [Person]().observe("age", options: [.initial]) { _ in token.touch() }
        }
        #expect(!observation.isValid)
        tracker.expectNoLeaks()
    }
}
