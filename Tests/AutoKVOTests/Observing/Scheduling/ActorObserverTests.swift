import AutoKVO
import AutoKVOTestSupport
import Testing

private actor Panel: KeyValueObserver {
    fileprivate(set) var log: [String] = []
    private let person = Person()
    private let token: LifetimeToken?

    init(_ tracker: LifetimeTracker? = nil) { token = tracker?.token() }

    func add(_ line: String) { log.append(line) }

    /// Observes an object of its own and changes it.
    func observeOwn() throws {
        try observe("age", of: person, options: [.new]) { panel in panel.log.append("changed") }
        try observe("age", of: person, as: Int.self, options: [.initial, .new]) { panel, change in
            panel.log.append("int \(change.newValue!)")
        }
        person.age = 1
        log.append("set")
    }

    func setOwnAge(_ age: Int) { person.age = age }

    /// Observes an object that others change too.
    @discardableResult
    nonisolated func observe(age target: Person) throws -> KeyValueObservation {
        try observe("age", of: target, as: Int.self, options: [.new]) { panel, change in
            panel.log.append("\(change.newValue!)")
        }
    }

    /// Keeps the changes of an object in a list that lives longer.
    nonisolated func keepChanges(of target: Person, in kept: Shared<Guarded<[Change<Int>]>>) throws {
        try observe("age", of: target, as: Int.self, options: [.new]) { panel, change in
            panel.log.append("\(change.newValue!)")
            kept.value.withLock { $0.append(change) }
        }
    }

    /// Changes an object while a change that was made elsewhere is under way.
    func setBusy(_ target: Shared<Person>) {
        onAnotherThread { target.value.age = 1 }
        set(2, of: target)
    }

    func perform(_ body: @Sendable () -> Void) { body() }

    /// Observes an object, and changes it when it is told of an age of 1.
    nonisolated func observeAndSet(_ target: Shared<Person>) throws {
        try observe("age", of: target.value, as: Int.self, options: [.old, .new]) { panel, change in
            panel.log.append("\(change.oldValue!) \(change.newValue!)")
            if change.newValue == 1 { target.value.age = 3 }
        }
    }

    func set(_ age: Int, of target: Shared<Person>) {
        target.value.age = age
        log.append("set")
    }
}

/// Actors as observers.
struct ActorObserverTests {
    @Test("what a handler changes that is called for a change made elsewhere comes behind what was made meanwhile")
    func order() async throws {
        let (panel, target) = (Panel(), Shared(Person()))
        try panel.observeAndSet(target)
        await panel.setBusy(target)
        expectEqual(await panel.log.filter { $0 != "set" }, ["0 1", "1 2", "2 3"])
        target.value.removeAllObservers()
    }

    @Test("a change made on the actor is delivered before the write returns") func synchronous() async throws {
        let panel = Panel()
        try await panel.observeOwn()
        await expectEqual(panel.log, ["int 0", "changed", "int 1", "set"])
    }

    @Test("a change made elsewhere is delivered on the actor, in order") func elsewhere() async throws {
        let panel = Panel()
        let target = Shared(Person())
        let observation = try panel.observe(age: target.value)
        for age in 1...100 { target.value.age = age }
        await eventually("all changes") { await panel.log.count == 100 }
        await expectEqual(panel.log, (1...100).map(String.init))
        await panel.set(101, of: target)
        await expectEqual(panel.log.suffix(2), ["101", "set"])
        observation.remove()
        target.value.age = 102
        await expectEqual(panel.log.count, 102)
    }

    @Test("a change on the actor comes after those that are under way to it") func mixed() async throws {
        let panel = Panel()
        let target = Shared(Person())
        try panel.observe(age: target.value)
        for round in 0..<20 {
            target.value.age = 3 * round
            target.value.age = 3 * round + 1
            await panel.set(3 * round + 2, of: target)
        }
        let ages = await panel.log.compactMap { Int($0) }
        expectEqual(ages, Array(0..<60))
    }

    @Test("a change keeps its place among the other work of the actor, and of the main actor") func place() async throws
    {
        for _ in 0..<200 {
            let panel = Panel()
            let target = Shared(Person())
            try panel.observe(age: target.value)
            target.value.$age.observe(options: [.new], on: panel) { panel, change in
                panel.add("on \(change.newValue!)")
            }
            target.value.age = 1
            await panel.add("work")
            target.value.age = 2
            await expectEqual(panel.log, ["1", "on 1", "work", "2", "on 2"])
        }
        let log = MessageLog()
        let person = Person()
        person.$age.observe(options: [.new], on: .mainActor) { log.add("\($0.newValue!)") }
        for age in 0..<100 {
            person.age = age
            await MainActor.run { expectEqual(log.messages.count, age + 1) }
        }
    }

    @Test("neither side is kept alive, and either death ends it") func deaths() async throws {
        let tracker = LifetimeTracker()
        do {
            let panel = Panel(tracker)
            try await panel.observeOwn()
            var target: Person? = tracker.track(Person())
            let observation = try panel.observe(age: target!)
            target = nil
            #expect(!observation.isValid)
        }
        await eventually("the actor's end") { tracker.liveCount == 0 }
        let target = Person()
        do {
            let panel = Panel(tracker)
            try panel.observe(age: target)
            target.age = 1
        }
        await eventually("the actor's end") { tracker.liveCount == 0 }
        #expect(target.observations().isEmpty)
    }

    @Test("a change that its handler keeps does not keep the actor") func keptChange() async throws {
        let tracker = LifetimeTracker()
        let kept = Shared(Guarded<[Change<Int>]>([]))
        let target = Person()
        do {
            let panel = Panel(tracker)
            try panel.keepChanges(of: target, in: kept)
            target.age = 1
            await eventually("the change") { await panel.log == ["1"] }
        }
        await eventually("the actor's end") { tracker.liveCount == 0 }
        expectEqual(kept.value.withLock { $0.map(\.newValue) }, [1])
    }

    @Test("without a type, the handler is called at each change, on the actor and elsewhere, and gets no change")
    func untyped() async throws {
        let panel = Panel()
        let target = Shared(Person())
        let observation = try panel.observe("age|nickname", of: target.value, options: [.initial, .old, .new]) {
            panel in
            panel.log.append("changed")
        }
        #expect(!observation.options.contains(.old) && !observation.options.contains(.new))
        await eventually("the initial call") { await panel.log == ["changed"] }
        target.value.age = 1
        target.value.nickname = "A"
        await eventually("both changes") { await panel.log.count == 3 }
        await panel.set(2, of: target)
        await expectEqual(panel.log, ["changed", "changed", "changed", "changed", "set"])
        observation.remove()
        target.value.age = 3
        await panel.add("removed")
        await expectEqual(panel.log.count, 6)
    }

    @Test("without a type, values that are not Sendable are not kept for the actor") func untypedValues() async throws {
        let tracker = LifetimeTracker()
        let panel = Panel()
        let person = Person()
        try panel.observe("spouse", of: person, options: [.old, .new, .distinct]) { panel in panel.log.append("changed")
        }
        person.spouse = tracker.track(Person())
        person.spouse = person.spouse
        person.spouse = nil
        tracker.expectNoLeaks()
        await eventually("both changes") { await panel.log == ["changed", "changed"] }
    }

    @Test("without a type, one change that concerns several of the paths is one call") func untypedPaths() async throws
    {
        let panel = Panel()
        let person = Person()
        try panel.observe(["firstName", "fullName", "greeting"], of: person) { panel in panel.log.append("changed") }
        person.firstName = "Bea"
        await panel.add("work")
        await expectEqual(panel.log, ["changed", "work"])
    }

    /// A removal in a handler that is called before a change that is made on the actor, since its own change was under way.
    @Test(
        "a handler that removes the observation is not called with the change that is being made on the actor",
        arguments: [true, false])
    func removedBeforeOwn(isTyped: Bool) async throws {
        let panel = Panel()
        let target = Shared(Person())
        let observation = Shared<KeyValueObservation?>(nil)
        observation.value =
            if isTyped {
                try panel.observe("age", of: target.value, as: Int.self, options: .new) { panel, change in
                    panel.log.append("\(change.newValue!)")
                    change.observation.remove()
                }
            } else {
                try panel.observe("age", of: target.value) { panel in
                    panel.log.append("called")
                    observation.value?.remove()
                }
            }
        await panel.setBusy(target)
        await expectEqual(panel.log, [isTyped ? "1" : "called", "set"])
    }

    #if DEBUG
        @Test("no call starts after remove() has returned on another thread, though a change is about to be delivered")
        func removedBeforeWaiting() async throws {
            let panel = Panel()
            let target = Shared(Person())
            let observation = try panel.observe(age: target.value)
            await panel.perform {
                onAnotherThread { target.value.age = 1 }
                TestPoint.taken.whenReached { onAnotherThread { observation.remove() } }
                target.value.age = 2
            }
            await panel.add("work")
            await expectEqual(panel.log, ["work"])
        }
    #endif
}
