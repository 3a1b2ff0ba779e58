import AutoKVO
import AutoKVOTestSupport
import Testing

/// Delivery elsewhere.
struct SchedulingTests {
    private let person = Person()
    private let scheduler = ManualScheduler()
    private let log = MessageLog()

    @Test("changes arrive when the scheduler runs, in order, with the values of their time") func order() throws {
        let observation = try person.observe(
            "age", as: Int.self, options: [.initial, .old, .new], userInfo: 7, on: scheduler
        ) {
            [log] change in
            log.add(
                "\(change.oldValue as Int?, default: "-")>\(change.newValue!) \(change.keyPath) \(change.userInfo!)")
        }
        person.age = 1
        person.age = 2
        expectEqual(log.messages, [])
        scheduler.runAll()
        expectEqual(log.messages, ["->0 age 7", "0>1 age 7", "1>2 age 7"])
        person.age = 3
        scheduler.runAll()
        expectEqual(log.messages.count, 4)
        #expect(observation.isValid)
    }

    @Test("a change keeps its place among the other work, one that a handler makes too") func place() throws {
        let serial = SerialScheduler()
        let person = Shared(person)
        defer { person.value.removeAllObservers() }
        try person.value.observe("age", as: Int.self, options: [.new], on: serial) { [log] change in
            log.add("\(change.newValue!)")
            if change.newValue == 1 { person.value.age = 7 }
        }
        person.value.age = 1
        serial.schedule { [log] in
            log.add("work")
            person.value.age = 3
        }
        person.value.age = 2
        serial.runFirst()
        expectEqual(log.messages, ["1"])
        serial.schedule { [log] in log.add("more") }
        serial.runAll()
        expectEqual(log.messages, ["1", "work", "2", "7", "more", "3"])
    }

    @Test("an operation that is run a second time delivers nothing") func twice() throws {
        let serial = SerialScheduler()
        try person.observe("age", as: Int.self, options: [.new], on: serial) { [log] in log.add("\($0.newValue!)") }
        person.age = 1
        person.age = 2
        let operations = serial.takeAll()
        operations[0]()
        operations[0]()
        expectEqual(log.messages, ["1"])
        operations[1]()
        expectEqual(log.messages, ["1", "2"])
    }

    @Test("operations that run at once, and inside a handler: the next change comes when the handler is over")
    func inline() throws {
        let person = Shared(person)
        defer { person.value.removeAllObservers() }
        try person.value.observe("age", as: Int.self, options: [.new], on: InlineScheduler()) { [log] change in
            log.add("<\(change.newValue!)")
            if change.newValue! < 3 { person.value.age = change.newValue! + 1 }
            log.add("\(change.newValue!)>")
        }
        person.value.age = 1
        expectEqual(log.messages, ["<1", "1>", "<2", "2>", "<3", "3>"])
    }

    @Test("an operation that runs while another thread is in the handler leaves its change to that thread, and returns")
    func meeting() throws {
        let serial = SerialScheduler()
        let (inside, goOn) = (Door(), Door())
        try person.observe("age", as: Int.self, options: [.new], on: serial) { [log] change in
            if change.newValue == 1 {
                inside.open()
                goOn.wait()
            }
            log.add("\(change.newValue!)")
        }
        person.age = 1
        person.age = 2
        let operations = serial.takeAll()
        let thread = Thread { operations[0]() }
        inside.wait()
        operations[1]()
        expectEqual(log.messages, [])
        goOn.open()
        thread.join()
        expectEqual(log.messages, ["1", "2"])
    }

    @Test("a change that was handed over is delivered in its place though an earlier one of another thread was not yet")
    func overtaking() throws {
        let serial = SerialScheduler()
        let (inside, goOn) = (Door(), Door())
        try person.observe("age|token", as: Int.self, options: [.new], on: serial) { [log] in log.add("\($0.newValue!)")
        }
        serial.delay = {
            inside.open()
            goOn.wait()
        }
        let shared = Shared(person)
        let thread = Thread { shared.value.age = 1 }
        inside.wait()
        serial.delay = nil
        person.withMutation(of: "token") { person.token = 2 }
        serial.runAll()
        expectEqual(log.messages, ["1", "2"])
        goOn.open()
        thread.join()
        person.age = 3
        serial.runFirst()
        expectEqual(log.messages, ["1", "2"])
        serial.runFirst()
        expectEqual(log.messages, ["1", "2", "3"])
    }

    @Test("what is under way when the observation ends is dropped and released") func dropping() throws {
        let tracker = LifetimeTracker()
        do {
            let token = tracker.token()
            let observation = try person.observe("age", as: Int.self, on: scheduler) { _ in token.touch() }
            person.age = 1
            observation.remove()
        }
        tracker.expectNoLeaks()
        scheduler.runAll()
        do {
            let target = tracker.track(Person())
            let token = tracker.token()
            try target.observe("age", as: Int.self, on: scheduler) { _ in
                token.touch()
                Issue.record("the target is dead")
            }
            target.age = 1
        }
        scheduler.runAll()
        tracker.expectNoLeaks()
    }

    @Test("the values of changes that are dropped are released, and those of a change that a handler keeps are not")
    func valuesOfDropped() throws {
        final class Box: TrackedObject { @Observed var content: LifetimeToken? }
        let tracker = LifetimeTracker()
        nonisolated(unsafe) var kept: [Change<LifetimeToken?>] = []
        do {
            let box = Box()
            let observation = try box.observe(
                "content", as: LifetimeToken?.self, options: [.old, .new], on: scheduler
            ) {
                kept.append($0)
            }
            box.content = tracker.token()
            scheduler.runAll()
            for _ in 0..<3 { box.content = tracker.token() }
            expectEqual(tracker.liveCount, 4)
            observation.remove()
            expectEqual(tracker.liveCount, 2)
        }
        expectEqual(tracker.liveCount, 1)
        #expect(kept.count == 1 && kept[0].newValue! != nil && kept[0].oldValue! == nil)
        kept = []
        scheduler.runAll()
        tracker.expectNoLeaks()
    }

    @Test("a removal in the handler drops the rest") func removalInside() throws {
        try person.observe("age", as: Int.self, options: [.new], on: scheduler) { [log] change in
            log.add("\(change.newValue!)")
            change.observation.remove()
        }
        person.age = 1
        person.age = 2
        scheduler.runAll()
        expectEqual(log.messages, ["1"])
    }

    @Test("an observation with .once delivers its one change") func once() throws {
        let observation = try person.observe("age", as: Int.self, options: [.new, .once], on: scheduler) {
            [log] change in
            log.add("\(change.newValue!)")
        }
        person.age = 1
        person.age = 2
        scheduler.runAll()
        try observation.rearm()
        person.age = 3
        scheduler.runAll()
        expectEqual(log.messages, ["1", "3"])
    }

    @Test("a removal drops the change of an observation with .once that is under way") func onceRemoved() throws {
        let tracker = LifetimeTracker()
        for isKept in [true, false] {
            let token = tracker.token()
            let observation = try person.observe("age", as: Int.self, options: [.new, .once], on: scheduler) {
                [log] change in
                token.touch()
                log.add("\(change.newValue!)")
            }
            person.age += 1
            if !isKept { observation.remove() }
        }
        // The handle is gone, and the change is still to come.
        expectEqual(tracker.liveCount, 1)
        scheduler.runAll()
        expectEqual(log.messages, ["1"])
        tracker.expectNoLeaks()
    }

    @Test("a wrong path or type throws") func errors() {
        #expect(throws: KeyValueError.self) { try person.observe("agee", as: Int.self, on: scheduler) { _ in } }
        #expect(throws: KeyValueError.self) { try person.observe("age", as: String.self, on: scheduler) { _ in } }
        #expect(person.observations().isEmpty)
    }

    @Test("handles have the same forms") func handles() throws {
        person.$nickname.observe(options: [.old, .new], on: scheduler) { [log] change in
            log.add(
                "\(change.oldValue as String??, default: "absent") \(change.newValue as String??, default: "absent")")
        }
        person.nickname = "A"
        scheduler.runAll()
        expectEqual(log.messages, [#"nil Optional("A")"#])
        person.observe(\.age, options: [.new], on: scheduler) { [log] in log.add("\($0.newValue!)") }
        person.age = 5
        scheduler.runAll()
        expectEqual(log.messages.last, "5")
    }

    @Test("on the main actor") @MainActor func mainActor() async throws {
        let recorder = Recorder<Int>()
        nonisolated(unsafe) let target = Person()
        try target.observe("age", as: Int.self, options: [.new], on: .mainActor) { recorder.record($0, "string") }
        target.$age.observe(options: [.new], on: .mainActor) { recorder.record($0, "handle") }
        target.observe(\.age, options: [.new], on: .mainActor) { recorder.record($0, "key path") }
        target.age = 1
        expectEqual(recorder.count, 0)
        onAnotherThread { target.age = 2 }
        await eventually("both changes, three times") { recorder.count == 6 }
        expectEqual(recorder.entries.filter { $0.label == "string" }.map(\.new), [1, 2])
        expectEqual(recorder.entries.filter { $0.label == "handle" }.map(\.new), [1, 2])
    }

    @Test("on an actor, which is not kept alive") func actors() async throws {
        let tracker = LifetimeTracker()
        let target = Person()
        var collector: Collector? = Collector(tracker)
        try target.observe("age", as: Int.self, options: [.initial, .new], on: collector!) { collector, change in
            collector.add(change)
        }
        target.$age.observe(options: [.new], on: collector!) { collector, change in collector.add(change) }
        for age in 1...50 { target.age = age }
        await eventually("all changes") { [collector] in await collector!.ages.count == 101 }
        await expectEqual(collector!.ages.filter { $0 == 50 }.count, 2)
        collector = nil
        await eventually("the actor's end") { tracker.liveCount == 0 }
        target.age = 1
        #expect(target.observations().isEmpty)
    }

    @Test("on threads that run one beside the other they arrive in order, one at a time") func concurrent() async throws
    {
        let seen = Shared<[Int]>([])
        let running = Counter()
        let count = Counter()
        let target = Person()
        try target.observe("age", as: Int.self, options: [.new], on: NewThreadScheduler()) { change in
            expectEqual(running.add(), 1)
            seen.value.append(change.newValue!)
            running.add(-1)
            count.add()
        }
        for age in 1...500 { target.age = age }
        await eventually("all changes") { count.count == 500 }
        expectEqual(seen.value, Array(1...500))
    }

    @Test("any type can be a scheduler for several objects' changes, with a path and a conversion") func conversions()
        throws
    {
        person.address = Address("Linz")
        try person.observe(["address.city", "nickname"], as: String?.self, options: [.new], on: scheduler) { [log] in
            log.add("\($0.keyPath):\($0.newValue! ?? "nil") \($0.kind) \($0.isPrior) \($0.target != nil)")
        }
        person.address!.city = "Graz"
        person.address = nil
        person.nickname = "A"
        scheduler.runAll()
        expectEqual(
            log.messages,
            [
                "address.city:Graz setting false true", "address.city:nil setting false true",
                "nickname:A setting false true",
            ])
    }
}
