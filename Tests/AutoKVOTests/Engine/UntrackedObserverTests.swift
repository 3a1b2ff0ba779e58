import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Bare {
    var calls = 0
    let token: LifetimeToken
    init(_ tracker: LifetimeTracker) { token = tracker.token() }
}

/// Observers of any class.
struct UntrackedObserverTests {
    let tracker = LifetimeTracker()
    let person = Person()

    @Test(
        "any class can observe, is not kept alive, and its observation ends by itself",
        arguments: ["age", "age|address.city", "fullName"])
    func endsByItself(path: String) throws {
        var reasons: [KeyValueObservation.EndReason] = []
        let observation: KeyValueObservation
        do {
            let bare = Bare(tracker)
            observation = try person.addObserver(bare, forKeyPath: path) { bare, _ in bare.calls += 1 }
            observation.onEnd { reasons.append($0) }
            person.age += 1
            person.firstName += "x"
            #expect(bare.calls >= 1)
            #expect(observation.isValid)
            #expect(observation.observer === bare)
        }
        tracker.expectNoLeaks()
        #expect(!observation.isValid)
        #expect(observation.observer == nil)
        person.age += 1
        person.firstName += "x"
        expectEqual(reasons, [.observerDeinitialized])
        #expect(person.observations().isEmpty)
    }

    @Test("nobody asks: the next change finds the observer dead and ends the observation") func foundByChange() throws {
        let token: LifetimeTracker = tracker
        do {
            let bare = Bare(tracker)
            let captured = tracker.token()
            try person.addObserver(bare, forKeyPath: "age") { _, _ in captured.touch() }
        }
        expectEqual(messages { person.age = 1 }, [])
        token.expectNoLeaks()
        #expect(person.observations().isEmpty)
    }

    @Test("a manual one of what a closure reads stays until it is removed, and says once that its observer is dead")
    func manualReading() {
        let told = messages {
            let observation: KeyValueObservation
            do {
                observation = PlainObserver().observe(
                    reading: { [person] _ in person.age }, options: .unregisterManually
                ) { _, _ in }
            }
            for age in 1...3 { person.age = age }
            #expect(observation.isValid)
            observation.remove()
            person.age = 4
        }
        expectEqual(told.count, 1)
    }

    @Test("a new object at the address of a dead observer gets nothing of its") func addressReuse() throws {
        for _ in 0..<300 {
            let bare = Bare(tracker)
            expectEqual(person.removeObserver(bare), 0)
            try person.addObserver(bare, forKeyPath: "age") { bare, _ in bare.calls += 1 }
            person.age += 1
            expectEqual(bare.calls, 1)
        }
        tracker.expectNoLeaks()
        person.age += 1
        #expect(person.observations().isEmpty)
    }

    @Test("both deaths in either order", arguments: [true, false]) func bothDeaths(targetFirst: Bool) throws {
        var target: Person? = tracker.track(Person())
        var bare: Bare? = Bare(tracker)
        let observation = try target!.addObserver(bare!, forKeyPath: "age") { _, _ in }
        if targetFirst { target = nil } else { bare = nil }
        #expect(!observation.isValid)
        target = nil
        bare = nil
        tracker.expectNoLeaks()
    }

    @Test("removal by an untracked observer, in every form") func removal() throws {
        let plain = PlainObserver(tracker)
        func add() throws { try person.addObserver(plain, forKeyPath: "age") { $0.log.append($1.keyPath) } }
        try add()
        expectEqual(person.removeObserver(plain, forKeyPath: "age"), 1)
        try add()
        expectEqual(plain.stopObserving("age"), 1)
        try add()
        expectEqual(plain.stopObserving(of: person), 1)
        try add()
        expectEqual(plain.stopObserving(), 1)
        try add()
        try expectEqual(KeyValueObservation.removeAll(observer: plain, keyPath: "age"), 1)
        person.age = 1
        #expect(plain.log.isEmpty)
    }

    @Test("a thousand short-lived observers leave nothing on the target") func manyShort() throws {
        for _ in 0..<1000 { try person.addObserver(Bare(tracker), forKeyPath: "age") { bare, _ in bare.calls += 1 } }
        tracker.expectNoLeaks()
        person.age = 1
        #expect(person.observations().isEmpty)
    }

    @Test("a closure as a class of its own can be the observer of many targets") func manyTargets() throws {
        let people = (0..<3).map { _ in Person() }
        var seen: [ObjectIdentifier] = []
        do {
            let bare = Bare(tracker)
            try people.addObserver(bare, forKeyPath: "age") {
                seen.append(ObjectIdentifier($1.target!))
                $0.calls += 1
            }
            for person in people { person.age = 1 }
            expectEqual(bare.calls, 3)
        }
        expectEqual(seen, people.map(ObjectIdentifier.init))
        for person in people { person.age = 2 }
        expectEqual(seen.count, 3)
        #expect(people.allSatisfy { $0.observations().isEmpty })
    }
}
