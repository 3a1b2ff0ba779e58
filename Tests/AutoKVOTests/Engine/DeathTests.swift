import AutoKVO
import AutoKVOTestSupport
import Testing

private class Level0: Model {
    @Observed var a = 0
    var note = ["whole"]
    override class var schema: Schema { Schema(Level0.self, extending: super.schema) { Key("a", \.a) } }
}
private class Level1: Level0 {
    @Observed var b = 0
    override class var schema: Schema { Schema(Level1.self, extending: super.schema) { Key("b", \.b) } }
}
private class Level2: Level1 {}
private class Level3: Level2 {
    @Observed var d = 0
    let payload = Array(repeating: "text", count: 3)
    override class var schema: Schema { Schema(Level3.self, extending: super.schema) { Key("d", \.d) } }
}

/// Writes an observed property of its own in its deinit body.
private final class LastWord: Model {
    @Observed var word = ""
    var onDeinit: ((LastWord) -> Void)?
    override class var schema: Schema { Schema(LastWord.self, extending: super.schema) { Key("word", \.word) } }
    deinit {
        word = "goodbye"
        onDeinit?(self)
    }
}

/// Deaths.
struct DeathTests {
    let tracker = LifetimeTracker()
    let recorder = Recorder<Any>()

    @Test(
        "an observation ends with its target",
        arguments: ["age", "fullName", "address.city", "cityLine", "parent", "age|firstName", "friends.@count"])
    func targetDies(path: String) throws {
        let panel = tracker.track(Person("Panel"))
        var reasons: [KeyValueObservation.EndReason] = []
        var observation: KeyValueObservation?
        do {
            let person = tracker.track(Person())
            person.address = Address()
            observation = try person.addObserver(panel, forKeyPath: path) { _, _ in }
            observation!.onEnd { reasons.append($0) }
            #expect(observation!.isValid)
        }
        expectEqual(tracker.liveCount, 1)
        #expect(!observation!.isValid)
        expectEqual(reasons, [.targetDeinitialized])
        #expect(observation!.target == nil)
        #expect(observation!.targets.isEmpty)
        #expect(observation!.observer === panel)
        #expect(panel.observations().isEmpty)
        observation!.remove()
        expectEqual(reasons.count, 1)
        observation = nil
    }

    @Test(
        "an observation ends with its observer",
        arguments: ["age", "fullName", "address.city", "cityLine", "parent", "age|firstName", "friends.@count"])
    func observerDies(path: String) throws {
        let person = tracker.track(Person())
        person.address = Address()
        var reasons: [KeyValueObservation.EndReason] = []
        var calls = 0
        let observation: KeyValueObservation
        do {
            let panel = tracker.track(Person("Panel"))
            observation = try person.addObserver(panel, forKeyPath: path) { _, _ in calls += 1 }
            observation.onEnd { reasons.append($0) }
        }
        expectEqual(tracker.liveCount, 1)
        #expect(!observation.isValid)
        expectEqual(reasons, [.observerDeinitialized])
        #expect(observation.observer == nil)
        #expect(person.observations().isEmpty)
        person.age = 1
        person.firstName = "x"
        person.address = nil
        person.parent = Person()
        person.friends = [Person()]
        expectEqual(calls, 0)
    }

    @Test(
        "both sides may die in either order, with and without a handle", arguments: [true, false],
        ["age", "address.city", "age|cityLine"])
    func eitherOrder(targetFirst: Bool, path: String) throws {
        var person: Person? = tracker.track(Person())
        var panel: Person? = tracker.track(Person("Panel"))
        let kept = try person!.addObserver(panel!, forKeyPath: path) { _, _ in }
        let token = tracker.token()
        try person!.addObserver(panel!, forKeyPath: path) { _, _ in token.touch() }
        if targetFirst { person = nil } else { panel = nil }
        #expect(!kept.isValid)
        person = nil
        panel = nil
        expectEqual(tracker.liveCount, 1)
        kept.remove()
    }

    @Test("an object that many observe and that observes many dies with all of it ended") func many() throws {
        let others = (0..<50).map { Person("\($0)") }
        var observations: [KeyValueObservation] = []
        do {
            let hub = tracker.track(Person("Hub"))
            for other in others {
                observations.append(try hub.addObserver(other, forKeyPath: "age") { _, _ in })
                observations.append(try other.addObserver(hub, forKeyPath: ["age", "spouse.age"]) { _, _ in })
            }
            expectEqual(hub.observations().count, 100)
        }
        tracker.expectNoLeaks()
        #expect(observations.allSatisfy { !$0.isValid })
        #expect(others.allSatisfy { $0.observations().isEmpty })
    }

    @Test(
        "self-observation ends safely and leaks nothing",
        arguments: ["age", "address.city", "spouse.spouse.age", "cityLine"])
    func selfObservation(path: String) throws {
        var reasons: [KeyValueObservation.EndReason] = []
        do {
            let person = tracker.track(Person())
            person.address = Address()
            let observation = try person.addObserver(person, forKeyPath: path, options: [.initial, .new]) { me, _ in
                me.log.append("x")
            }
            observation.onEnd { reasons.append($0) }
            expectEqual(person.log, ["x"])
            expectEqual(person.observations(), [observation])
        }
        tracker.expectNoLeaks()
        expectEqual(reasons, [.targetDeinitialized])
    }

    @Test("at any depth of subclassing, onEnd sees the stored properties whole") func depth() throws {
        var seen: [String] = []
        do {
            let object = tracker.track(Level3())
            object.a = 1
            object.b = 2
            object.d = 3
            for path in ["a", "b", "d"] {
                let observation = try object.observe(path) { _ in }
                // The object is dying: it may be read, and must not be kept.
                let address = Unmanaged.passUnretained(object)
                observation.onEnd { _ in
                    address._withUnsafeGuaranteedRef {
                        seen.append("\($0.a)\($0.b)\($0.d)\($0.note[0])\($0.payload[2])")
                    }
                }
            }
        }
        tracker.expectNoLeaks()
        expectEqual(seen, Array(repeating: "123wholetext", count: 3))
    }

    @Test("an observer's stored properties are whole in its onEnd") func observerDepth() throws {
        let person = Person()
        var seen: [Int] = []
        do {
            let panel = Level3()
            panel.d = 4
            let address = Unmanaged.passUnretained(panel)
            try person.addObserver(panel, forKeyPath: "age") { _, _ in }
                .onEnd { _ in address._withUnsafeGuaranteedRef { seen.append($0.d) } }
        }
        expectEqual(seen, [4])
    }

    @Test("onEnd closures run in order, once, and at once on an observation that has ended") func onEndOrder() throws {
        let person = Person()
        var order: [String] = []
        let observation = try person.observe("age") { _ in }
        observation.onEnd { _ in order.append("1") }
        observation.onEnd { _ in order.append("2") }
        observation.remove()
        expectEqual(order, ["1", "2"])
        observation.onEnd { order.append("3 \($0 == .removed)") }
        observation.remove()
        expectEqual(order, ["1", "2", "3 true"])
    }

    @Test("onEnd of one observation may add and remove others, on any object") func onEndReenters() throws {
        let other = Person("Other")
        var reasons: [KeyValueObservation.EndReason] = []
        do {
            let person = tracker.track(Person())
            let later = try person.observe("plain") { _ in }
            later.onEnd { reasons.append($0) }
            let address = Unmanaged.passUnretained(person)
            try person.observe("age") { _ in }.onEnd { _ in
                later.remove()
                _ = try? other.observe("age") { _ in }
                address._withUnsafeGuaranteedRef { person in
                    #expect(throws: KeyValueError.self) { try person.observe("age") { _ in } }
                    #expect(throws: KeyValueError.self) { try other.addObserver(person, forKeyPath: "age") { _, _ in } }
                    #expect(throws: KeyValueError.self) {
                        try [other, person].observe("age", options: [.initial]) { _ in }
                    }
                    person.age = 99
                }
            }
        }
        tracker.expectNoLeaks()
        expectEqual(reasons, [.removed])
        expectEqual(other.observations().count, 1)
    }

    // Change made by a dying object; registration on a dying object.
    @Test("a write in a deinit body is not delivered, and registering there throws") func dying() throws {
        var calls = 0
        var errors: [KeyValueError.Reason] = []
        var reasons: [KeyValueObservation.EndReason] = []
        let other = Person("Other")
        do {
            let object = tracker.track(LastWord())
            object.onDeinit = { object in
                func attempt(_ body: () throws -> Void) {
                    do { try body() } catch { errors.append((error as! KeyValueError).reason) }
                }
                attempt { try object.observe("word", options: [.initial]) { _ in calls += 1 } }
                attempt { try object.addObserver(other, forKeyPath: "word") { _, _ in calls += 1 } }
                attempt { try other.addObserver(object, forKeyPath: "age") { _, _ in calls += 1 } }
                attempt { try object.observe(["word", "word"]) { _ in calls += 1 } }
                object.willChangeValue(forKey: "word")
                object.didChangeValue(forKey: "word")
                object.withMutation(of: "word") {}
                object.removeAllObservers()
            }
            try object.observe("word", options: [.old, .new, .prior]) { _ in calls += 1 }.onEnd { reasons.append($0) }
        }
        tracker.expectNoLeaks()
        other.age = 1
        expectEqual(calls, 0)
        expectEqual(errors, Array(repeating: .deinitializingObject, count: 4))
        expectEqual(reasons.count, 1)
        #expect(other.observations().isEmpty)
    }

    @Test("a write in a deinit body of an object that was never observed does nothing") func dyingUnobserved() {
        do { _ = tracker.track(LastWord()) }
        tracker.expectNoLeaks()
    }

    @Test("an object observed and dropped without removal does no harm, a thousand times, at reused addresses")
    func reuse() throws {
        for index in 0..<1000 {
            let person = tracker.track(Person())
            var calls = 0
            try person.observe("age") { _ in calls += 1 }
            person.age = index
            expectEqual(calls, 1)
        }
        tracker.expectNoLeaks()
    }
}
