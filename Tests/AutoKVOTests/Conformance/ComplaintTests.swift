import AutoKVO
import AutoKVOTestSupport
import Testing

/// What users of other systems complain of most, one test each.
struct ComplaintTests {
    let tracker = LifetimeTracker()
    let recorder = Recorder<Any>()

    @Test("1: a target that dies while observed neither crashes nor is cleaned up too late") func targetDies() throws {
        var inventory: [String] = []
        do {
            let person = tracker.track(Person("Ann"))
            person.log = ["kept"]
            let address = Unmanaged.passUnretained(person)
            try person.observe("fullName") { _ in }.onEnd { _ in
                inventory = address._withUnsafeGuaranteedRef { $0.log + [$0.firstName] }
            }
        }
        expectEqual(inventory, ["kept", "Ann"])
        tracker.expectNoLeaks()
    }

    @Test("2: observing oneself neither leaks nor crashes") func oneself() throws {
        do {
            let person = tracker.track(Person())
            person.spouse = tracker.track(Person())
            for path in ["age", "fullName", "spouse.age", "cityLine", "parent.age"] {
                try person.addObserver(person, forKeyPath: path, options: [.initial, .old, .new, .prior]) { _, _ in }
                try person.observe(path, of: person) { _, _ in }
            }
            person.age = 1
        }
        tracker.expectNoLeaks()
    }

    @Test("3: in a deep path the leaf may be freed before the root is cleaned up") func deepPath() throws {
        var observation: KeyValueObservation?
        do {
            let root = tracker.track(Person("0"))
            var last = root
            for index in 1...4 {
                last.spouse = tracker.track(Person("\(index)"))
                last = last.spouse!
            }
            observation = try root.observe("spouse.spouse.spouse.spouse.age", recorder.handler())
            root.spouse!.spouse!.spouse!.spouse = nil
            expectEqual(recorder.count, 1)
        }
        tracker.expectNoLeaks()
        expectEqual(observation?.isValid, false)
    }

    @Test("4: the closure is not kept after removal, so that a token captured in it does not leak") func closure()
        throws
    {
        let person = Person()
        do {
            let token = tracker.token()
            var kept: KeyValueObservation?
            kept = try person.observe("age") { _ in
                token.touch()
                _ = kept
            }
            kept!.remove()
        }
        tracker.expectNoLeaks()
    }

    @Test("5: removal neither raises when unregistered nor inside the initial call") func removal() throws {
        let person = Person()
        expectEqual(person.removeObserver(person, forKeyPath: "age"), 0)
        let observation = try person.observe("age", options: [.initial]) { $0.observation.remove() }
        #expect(!observation.isValid)
        #expect(person.observations().isEmpty)
    }

    @Test("6: a duplicate registration drops nobody's handler") func duplicate() throws {
        let person = Person()
        let panel = Person("Panel")
        try person.addObserver(panel, forKeyPath: "age") { [recorder] in recorder.record($1, "first") }
        try person.addObserver(panel, forKeyPath: "age") { [recorder] in recorder.record($1, "second") }
        person.age = 1
        expectEqual(recorder.labels, ["first", "second"])
    }

    @Test("7: a handler can tell which path fired, and reach its own handle") func whichPath() throws {
        let person = Person()
        var paths: [String] = []
        let observation = try person.observe(["age", "address.city"]) { change in
            paths.append(change.keyPath)
            change.observation.remove(keyPath: change.keyPath)
        }
        person.age = 1
        person.age = 2
        person.address = Address()
        expectEqual(paths, ["age", "address.city"])
        #expect(!observation.isValid)
    }

    @Test("8: threads may meet: removal racing a notification, and a death racing both") func threads() throws {
        for _ in 0..<50 {
            let person = tracker.track(Person())
            let observations = try (0..<20).map { _ in
                let token = tracker.token()
                return try person.observe("age") { _ in token.touch() }
            }
            concurrently(2) { number in
                if number == 0 {
                    for value in 0..<50 { person.age = value }
                } else {
                    for observation in observations { observation.remove() }
                }
            }
            #expect(person.observations().isEmpty)
        }
        tracker.expectNoLeaks()
    }

    @Test("9: the same path on two targets by one observer does not confuse removal") func twoTargets() throws {
        let (a, b, panel) = (Person("a"), Person("b"), Person("Panel"))
        for target in [a, b] { try panel.observe("age", of: target) { [recorder] in recorder.record($1) } }
        expectEqual(a.removeObserver(panel, forKeyPath: "age"), 1)
        a.age = 1
        b.age = 1
        expectEqual(recorder.entries.map(\.target), [ObjectIdentifier(b)])
        expectEqual(panel.observations().count, 1)
    }

    @Test("10: a misspelt key is found at the registration, with the name that was meant") func misspelt() throws {
        let error = #expect(throws: KeyValueError.self) { try Person().observe("frstName") { _ in } }
        expectEqual(error?.reason, .unknownKey(nearest: "firstName"))
        let handler = #expect(throws: KeyValueError.self) {
            try Person().addObserver(Person(), forKeyPath: "age", handler: "nameDidChagne")
        }
        expectEqual(handler?.reason, .unknownHandler(nearest: "nameDidChange"))
    }
}
