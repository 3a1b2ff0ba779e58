import AutoKVO
import AutoKVOTestSupport
import Testing

private final class OptedOut: Model {
    @Observed var value = 0
    override class var unregistersAutomatically: Bool { false }
    override class var schema: Schema { Schema(OptedOut.self, extending: super.schema) { Key("value", \.value) } }
}

/// Unregistering by hand.
struct ManualUnregistrationTests {
    let tracker = LifetimeTracker()

    @Test(
        "with .unregisterManually, the target dying first leaves the observation valid and remove() safe",
        arguments: ["age", "address.city", "age|firstName", "cityLine"])
    func targetFirst(path: String) throws {
        let panel = Person("Panel")
        var reasons: [KeyValueObservation.EndReason] = []
        let observation: KeyValueObservation
        do {
            let person = tracker.track(Person())
            person.address = Address()
            let token = tracker.token()
            observation = try person.addObserver(panel, forKeyPath: path, options: [.unregisterManually]) { _, _ in
                token.touch()
            }
            observation.onEnd { reasons.append($0) }
        }
        expectEqual(tracker.liveCount, 1)
        #expect(observation.isValid)
        #expect(observation.target == nil)
        #expect(reasons.isEmpty)
        observation.remove()
        observation.remove()
        #expect(!observation.isValid)
        expectEqual(reasons, [.removed])
        tracker.expectNoLeaks()
    }

    @Test("one of the targets' classes that opts out has the whole observation do so", arguments: [false, true])
    func oneOfSeveral(isFirst: Bool) throws {
        final class Plain: Model { @Observed var value = 0 }
        let (other, manual) = (tracker.track(Plain()), tracker.track(OptedOut()))
        let observation = try (isFirst ? [manual, other] : [other, manual]).observe("value") { _ in }
        #expect(observation.options.contains(.unregisterManually))
        observation.remove()
    }

    @Test(
        "with .unregisterManually, the observer dying first leaves it valid; nothing is delivered; one diagnostic",
        arguments: ["age", "age|firstName", "fullName|age"], [[], .once] as [ObservingOptions])
    func observerFirst(path: String, options: ObservingOptions) throws {
        let person = Person()
        var calls = 0
        let observation: KeyValueObservation
        do {
            let panel = tracker.track(Person("Panel"))
            observation = try person.addObserver(panel, forKeyPath: path, options: options.union(.unregisterManually)) {
                _, _ in calls += 1
            }
        }
        tracker.expectNoLeaks()
        #expect(observation.isValid)
        let lines = messages {
            person.age = 1
            person.age = 2
            person.firstName = "x"
        }
        expectEqual(calls, 0)
        expectEqual(lines.count, 1)
        expectEqual(lines.first?.contains("ManualUnregistrationTests.swift"), true)
        expectEqual(lines.first?.contains(" by a dead Person,"), true)
        #expect(observation.isValid)
        expectEqual(person.observations(), [observation])
        observation.remove()
        #expect(!observation.isValid)
        #expect(messages { person.age = 3 }.isEmpty)
        #expect(person.observations().isEmpty)
    }

    @Test("a description names the class of a side that is dead, tracked or not", arguments: [true, false])
    func descriptionOfTheDead(tracked: Bool) throws {
        final class Panel {}
        var person: Person? = Person()
        var panel: AnyObject? = tracked ? Employee() : Panel()
        let observations = try ["age", "age|firstName"].map {
            try person!.addObserver(panel!, forKeyPath: $0, options: [.unregisterManually]) { _, _ in }
        }
        panel = nil
        for observation in observations {
            #expect(observation.debugDescription.contains(" by a dead \(tracked ? "Employee" : "Panel"),"))
            #expect(observation.debugDescription.contains(" on Person(0x"))
        }
        person = nil
        for observation in observations {
            #expect(observation.debugDescription.contains(" on a dead Person by a dead "))
            observation.remove()
            #expect(observation.debugDescription.contains(" on a dead Person by a dead "))
        }
    }

    @Test(
        "both sides may die before remove(), in either order, tracked observer or not", arguments: [true, false],
        [true, false])
    func bothDie(targetFirst: Bool, tracked: Bool) throws {
        var person: Person? = tracker.track(Person())
        var panel: AnyObject? = tracked ? tracker.track(Person("Panel")) : PlainObserver(tracker)
        let token = tracker.token()
        let observation = try person!.addObserver(panel!, forKeyPath: "age", options: [.unregisterManually]) { _, _ in
            token.touch()
        }
        if targetFirst { person = nil } else { panel = nil }
        #expect(observation.isValid)
        person = nil
        panel = nil
        expectEqual(tracker.liveCount, 1)
        #expect(observation.isValid)
        observation.remove()
        #expect(!observation.isValid)
    }

    @Test("by any of its sides a manual observation can be found and removed after the other died")
    func foundAfterDeath() throws {
        let panel = Person("Panel")
        do {
            let person = tracker.track(Person())
            try person.addObserver(panel, forKeyPath: "age", options: [.unregisterManually]) { _, _ in }
            try person.addObserver(panel, forKeyPath: ["age", "address.city"], options: [.unregisterManually]) { _, _ in
            }
        }
        tracker.expectNoLeaks()
        expectEqual(panel.observations().count, 2)
        expectEqual(panel.stopObserving(), 2)
        #expect(panel.observations().isEmpty)
        let person = Person()
        do {
            let panel = tracker.track(Person("Panel"))
            try person.addObserver(panel, forKeyPath: "age", options: [.unregisterManually]) { _, _ in }
        }
        expectEqual(person.observations().count, 1)
        expectEqual(person.removeAllObservers(), 1)
        tracker.expectNoLeaks()
    }

    @Test("manual self-observation survives the death and can be removed") func selfObservation() throws {
        let observation: KeyValueObservation
        do {
            let person = tracker.track(Person())
            observation = try person.addObserver(person, forKeyPath: "age", options: [.unregisterManually]) { _, _ in }
        }
        tracker.expectNoLeaks()
        #expect(observation.isValid)
        observation.remove()
        #expect(!observation.isValid)
    }

    @Test("an object at the address of a dead manual target or observer has nothing to do with it") func addressReuse()
        throws
    {
        var observations: [KeyValueObservation] = []
        var calls = 0
        for _ in 0..<200 {
            let person = Person()
            let panel = Person("Panel")
            observations.append(
                try person.addObserver(panel, forKeyPath: "age", options: [.unregisterManually]) { _, _ in calls += 1 })
        }
        let people = (0..<400).map { _ in Person() }
        for person in people {
            person.age = 1
            #expect(person.observations().isEmpty)
        }
        expectEqual(calls, 0)
        for observation in observations { observation.remove() }
    }

    @Test("a class may opt out as a whole, as target and as observer") func wholeClass() throws {
        let person = Person()
        let a: KeyValueObservation
        let b: KeyValueObservation
        do {
            let object = tracker.track(OptedOut())
            a = try object.addObserver(person, forKeyPath: "value") { _, _ in }
            b = try person.addObserver(object, forKeyPath: "age") { _, _ in Issue.record("called") }
            #expect(a.options.contains(.unregisterManually) && b.options.contains(.unregisterManually))
        }
        tracker.expectNoLeaks()
        #expect(a.isValid && b.isValid)
        expectEqual(messages { person.age = 1 }.count, 1)
        a.remove()
        b.remove()
        #expect(person.observations().isEmpty)
    }

    @Test("dropping the handle of a manual observation whose target is dead leaks nothing") func droppedHandle() throws
    {
        do {
            let token = tracker.token()
            let person = tracker.track(Person())
            _ = try person.observe("age", options: [.unregisterManually]) { _ in token.touch() }
            _ = try person.observe(["age", "address.city"], options: [.unregisterManually]) { _ in token.touch() }
        }
        tracker.expectNoLeaks()
    }

    @Test(
        "dropping the handle when both sides are dead leaks nothing", arguments: [true, false],
        ["age", "age|address.city"])
    func droppedHandleBoth(targetFirst: Bool, path: String) throws {
        do {
            var person: Person? = tracker.track(Person())
            var panel: Person? = tracker.track(Person("Panel"))
            let token = tracker.token()
            try person!.addObserver(panel!, forKeyPath: path, options: [.unregisterManually]) { _, _ in token.touch() }
            if targetFirst { person = nil } else { panel = nil }
            person = nil
            panel = nil
        }
        tracker.expectNoLeaks()
    }

    @Test(
        "when an observer without a hook has died, and then one of its targets, the other observations are what is left",
        .serialized, arguments: ["age", "age|address.city"])
    func untrackedObserver(path: String) throws {
        let other = Person()
        var observations: [KeyValueObservation] = []
        do {
            let person = tracker.track(Person())
            let observer = PlainObserver(tracker)
            for target in [other, person, other] {
                observations.append(
                    try target.addObserver(observer, forKeyPath: path, options: .unregisterManually) { _, _ in })
            }
            observations.remove(at: 1)
        }
        tracker.expectNoLeaks()
        let site = observations[0].registrationSite
        expectEqual(Diagnostics.graph().observations.filter { $0.registeredAt == site }.count, 2)
        for observation in observations { observation.remove() }
        #expect(!Diagnostics.graph().observations.contains { $0.registeredAt == site })
    }
}
