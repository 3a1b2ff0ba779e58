import AutoKVO
import AutoKVOTestSupport
import Testing

/// Many targets.
struct ManyTargetsTests {
    let tracker = LifetimeTracker()
    let recorder = Recorder<Any>()

    @Test("one observation of many targets: the change's target is the element") func elements() throws {
        let people = (0..<4).map { Person("\($0)") }
        let observation = try people.observe(["age", "fullName"], options: [.initial, .new], recorder.handler())
        expectEqual(recorder.count, 8)
        expectEqual(recorder.entries.map(\.target), people.flatMap { [ObjectIdentifier($0), ObjectIdentifier($0)] })
        recorder.clear()
        people[2].age = 5
        expectEqual(recorder.entries.map(\.target), [ObjectIdentifier(people[2])])
        expectEqual(observation.targets.count, 4)
        #expect(observation.target === people[0])
        #expect(people.allSatisfy { $0.observations() == [observation] })
    }

    @Test("any collection of tracked objects, subclasses included, its members at that moment") func collections()
        throws
    {
        var people: [Person] = [Person("a"), Employee("b")]
        try people[...].observe("age", recorder.handler())
        try CollectionOfOne(people[0]).observe("age", recorder.handler())
        try people.lazy.filter { $0 is Employee }.observe("age", recorder.handler())
        people.append(Person("late"))
        for person in people { person.age = 1 }
        expectEqual(recorder.count, 4)
    }

    @Test("no targets: an observation that has ended, and no call") func none() throws {
        let observation = try [Person]().observe("age", options: [.initial], recorder.handler())
        #expect(!observation.isValid)
        #expect(observation.targets.isEmpty)
        expectEqual(recorder.count, 0)
        expectEqual(observation.keyPaths, ["age"])
        let panel = PlainObserver()
        try expectEqual([Person]().addObserver(panel, forKeyPath: "age") { _, _ in }.isValid, false)
        #expect(throws: KeyValueError.self) { try [Person]().observe("a..b") { _ in } }
    }

    @Test("the same target twice: one call for each change") func sameTwice() throws {
        let person = Person()
        let observation = try [person, person].observe("age", recorder.handler())
        person.age = 1
        expectEqual(recorder.count, 1)
        expectEqual(observation.targets.count, 1)
        expectEqual(person.removeAllObservers(), 1)
        #expect(!observation.isValid)
    }

    @Test("one of many targets dies: it goes on with the rest, and ends with the last") func deaths() throws {
        var people: [Person?] = (0..<3).map { tracker.track(Person("\($0)")) }
        var reasons: [KeyValueObservation.EndReason] = []
        let observation = try people.map { $0! }.observe("age", recorder.handler())
        observation.onEnd { reasons.append($0) }
        people[0] = nil
        expectEqual(tracker.liveCount, 2)
        #expect(observation.isValid)
        expectEqual(observation.targets.count, 2)
        #expect(observation.target === people[1])
        people[2]!.age = 1
        expectEqual(recorder.count, 1)
        people[1] = nil
        #expect(observation.isValid)
        people[2] = nil
        #expect(!observation.isValid)
        expectEqual(reasons, [.targetDeinitialized])
        expectEqual(observation.keyPaths, ["age"])
        tracker.expectNoLeaks()
    }

    @Test("one of many targets is removed: counted once, and it goes on with the rest") func removal() throws {
        let people = (0..<3).map { Person("\($0)") }
        let panel = Person("Panel")
        let observation = try people.addObserver(panel, forKeyPath: ["age", "fullName"]) { [recorder] in
            recorder.record($1)
        }
        expectEqual(people[0].removeAllObservers(), 1)
        #expect(observation.isValid && observation.targets.count == 2)
        people[0].age = 1
        expectEqual(recorder.count, 0)
        expectEqual(panel.stopObserving("age", of: people[1]), 1)
        people[1].age = 1
        people[1].firstName = "x"
        people[2].age = 1
        expectEqual(recorder.paths, ["fullName", "age"])
        expectEqual(people[1].removeObserver(panel), 1)
        expectEqual(people[2].removeObserver(panel), 1)
        #expect(!observation.isValid)
        #expect(panel.observations().isEmpty)
    }

    @Test("removing one path of all targets shortens the observation once") func removePath() throws {
        let people = (0..<3).map { Person("\($0)") }
        let panel = Person("Panel")
        let observation = try people.addObserver(panel, forKeyPath: ["age", "firstName"]) { [recorder] in
            recorder.record($1)
        }
        expectEqual(panel.stopObserving("age"), 1)
        for person in people {
            person.age = 1
            person.firstName = "x"
        }
        expectEqual(recorder.paths, ["firstName", "firstName", "firstName"])
        expectEqual(observation.keyPaths, ["firstName"])
        expectEqual(panel.stopObserving(), 1)
        withExtendedLifetime(people) {}
    }

    @Test("the observer's death ends it for all targets") func observerDies() throws {
        let people = (0..<3).map { Person("\($0)") }
        let observation: KeyValueObservation
        do {
            let panel = tracker.track(Person("Panel"))
            observation = try people.addObserver(panel, forKeyPath: "age") { _, _ in Issue.record("called") }
        }
        #expect(!observation.isValid)
        for person in people {
            person.age = 1
            #expect(person.observations().isEmpty)
        }
        tracker.expectNoLeaks()
    }

    @Test(".retainsTarget keeps all targets until the end") func retains() throws {
        let observation = try (0..<3).map { _ in tracker.track(Person()) }.observe("age", options: [.retainsTarget]) {
            _ in
        }
        expectEqual(tracker.liveCount, 3)
        expectEqual(observation.targets.count, 3)
        observation.remove()
        tracker.expectNoLeaks()
    }

    @Test("a target among its own observers, and all of them dying together") func among() throws {
        do {
            let people = (0..<3).map { _ in tracker.track(Person()) }
            for person in people {
                try people.addObserver(person, forKeyPath: ["age", "address.city"]) { me, _ in me.log.append("x") }
            }
            people[0].age = 1
            expectEqual(people.map(\.log.count), [1, 1, 1])
        }
        tracker.expectNoLeaks()
    }
}
