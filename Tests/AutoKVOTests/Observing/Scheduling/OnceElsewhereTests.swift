import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// Runs what it was given, or drops it.
private final class DroppingScheduler: ChangeScheduler, @unchecked Sendable {
    private var operations: [@Sendable () -> Void] = []
    func schedule(_ operation: @escaping @Sendable () -> Void) { operations.append(operation) }
    func dropAll() { operations = [] }
    func runAll() {
        for operation in operations { operation() }
        operations = []
    }
}

/// Observations with `.once` that are delivered by a scheduler: they end with the delivery.
struct OnceElsewhereTests {
    private let scheduler = SerialScheduler()
    private let log = MessageLog()
    private let tracker = LifetimeTracker()

    private final class Board: TrackedObject, @unchecked Sendable {}

    private final class Leaving: TrackedObject, @unchecked Sendable {
        var person: Person?
        deinit { person?.age = 7 }
    }

    @Test("armed again, a waiting change of a path that is removed is dropped") func removedBehindRearm() throws {
        let person = tracker.track(Person())
        let observation = try person.observe(
            ["age", "address.zip"], as: Int?.self, options: [.new, .once], on: scheduler
        ) { [log] in log.add($0.keyPath) }
        person.age = 1
        scheduler.runAll()
        try observation.rearm()
        person.age = 2
        expectEqual(person.removeAllObservers(forKeyPath: "age"), 1)
        scheduler.runAll()
        expectEqual(log.messages, ["age"])
    }

    @Test("one whose observer changes the target in its deinit ends with the observer", arguments: [false, true])
    func observerLeaves(isScheduled: Bool) {
        let person = Person()
        var (board, reasons): (Leaving?, [KeyValueObservation.EndReason]) = (Leaving(), [])
        board!.person = person
        let called = { [log] (_: Leaving) in log.add("called") }
        let observation =
            isScheduled
            ? person.$age.observe(for: board!, options: .once, on: scheduler) { [log] (_: Leaving, _) in
                log.add("called")
            }
            : person.$age.observe(for: board!, options: .once) { board, _ in called(board) }
        observation.onEnd { reasons.append($0) }
        board = nil
        scheduler.runAll()
        expectEqual(log.messages, [])
        expectEqual(reasons, [.observerDeinitialized])
    }

    private static let removals: [@Sendable (Person, Board) -> Int] = [
        { $1.stopObserving(of: $0) },
        { $1.stopObserving() },
        { $1.stopObserving($0.$age) },
        { $1.stopObserving("age", of: $0) },
        { person, _ in person.removeAllObservers() },
        { person, board in person.removeObserver(board) },
        { person, _ in person.$age.removeAllObservers() },
        { person, _ in person.removeAllObservers(forKeyPath: "age") },
    ]

    @Test(
        "a change that waits is dropped by each way of removing, as without .once", arguments: removals.indices,
        [[.new], [.new, .once], [.new, .once, .prior], [.new, .once, .initial]] as [ObservingOptions])
    func removed(way: Int, options: ObservingOptions) {
        let (person, board) = (tracker.track(Person()), Board())
        var reasons: [KeyValueObservation.EndReason] = []
        let observation = person.$age.observe(for: board, options: options, on: scheduler) { [log] _, _ in
            log.add("called")
        }
        observation.onEnd { reasons.append($0) }
        if !options.contains(.initial) { person.age = 1 }
        expectEqual(Self.removals[way](person, board), 1)
        scheduler.runAll()
        expectEqual(log.messages, [])
        expectEqual(reasons, [.removed])
        #expect(!observation.isValid)
    }

    @Test("a path is removed from one of several that waits, and the others are delivered", arguments: [false, true])
    func path(isOnlyOne: Bool) throws {
        let person = tracker.track(Person())
        person.address = Address()
        let other = isOnlyOne ? "token" : "address.zip"
        let observation = try person.observe(["age", other], as: Int?.self, options: .once, on: scheduler) { [log] in
            log.add($0.keyPath)
        }
        person.age = 1
        expectEqual(person.removeAllObservers(forKeyPath: "age"), 1)
        scheduler.runAll()
        expectEqual(log.messages, [])
        expectEqual(observation.keyPaths, [other])
        try observation.rearm()
        person.age = 2
        if isOnlyOne { person.withMutation(of: "token") {} } else { person.address!.zip = 3 }
        scheduler.runAll()
        expectEqual(log.messages, [other])
    }

    @Test("onEnd runs behind the call, with the reason", arguments: 0..<4) func end(ending: Int) {
        let scheduler = DroppingScheduler()
        var person: Person? = tracker.track(Person())
        let observation = person!.$age.observe(options: [.new, .once], on: scheduler) { [log] in
            log.add("called with \($0.newValue!)")
        }
        observation.onEnd { [log] in log.add("\($0)") }
        person!.age = 1
        person!.age = 2
        expectEqual(log.messages, [])
        #expect(!observation.isValid)
        switch ending {
        case 0: break
        case 1: person = nil
        case 2: observation.remove()
        default: scheduler.dropAll()
        }
        scheduler.runAll()
        expectEqual(
            log.messages,
            [["called with 1", "fired"], ["targetDeinitialized"], ["removed"], ["fired"]][ending])
        expectEqual(person?.observations() ?? [], [])
    }

    @Test(
        "a change that is dropped by the removal is dropped once, whatever the scheduler does with it then",
        arguments: [false, true])
    func droppedTwice(isRun: Bool) throws {
        let scheduler = DroppingScheduler()
        let person = tracker.track(Person())
        var reasons: [KeyValueObservation.EndReason] = []
        do {
            let observation = person.$age.observe(options: [.new, .once], on: scheduler) { [log] _ in log.add("called")
            }
            observation.onEnd { reasons.append($0) }
            person.age = 1
            observation.remove()
        }
        if isRun { scheduler.runAll() } else { scheduler.dropAll() }
        expectEqual(log.messages, [])
        expectEqual(reasons, [.removed])
    }

    @Test("a target that is removed while it is armed again is not kept") func removedWhileArming() throws {
        let panel = Panel()
        let observation: KeyValueObservation
        do {
            let people = (0..<2).map { _ in tracker.track(Person()) }
            observation = people.map(\.$age).observe(
                for: panel, options: [.once, .retainsTarget], on: scheduler
            ) { _, _ in }
            observation.onEnd { [weak removed = people[1]] in
                if $0 == .fired { expectEqual(removed?.removeAllObservers(), 1) }
            }
            people[0].age = 1
            // It ends the delivery under way, and so runs what is above.
            try observation.rearm()
            expectEqual(observation.targets.count, 1)
        }
        scheduler.runAll()
        expectEqual(tracker.liveCount, 1)
        observation.remove()
        tracker.expectNoLeaks()
    }

    @Test(
        "armed again while the change of another thread waits, it is not told of one from before that",
        arguments: ["age", "age|token", "spouse.age"])
    func rearmBeforeAnOlderChange(path: String) throws {
        let (person, spouse) = (tracker.track(Person()), tracker.track(Person()))
        let (shared, isElsewhere) = (Shared(path == "spouse.age" ? spouse : person), Shared(false))
        person.spouse = spouse
        var observation: KeyValueObservation?
        let first = try person.observe(path) { _ in
            if isElsewhere.value { return }
            isElsewhere.value = true
            onAnotherThread { shared.value.age = 2 }
            #expect(throws: Never.self) { try observation!.rearm() }
        }
        observation = try person.observe(path, as: Int?.self, options: [.new, .once], on: scheduler) { [log] in
            log.add("\($0.newValue!!)")
        }
        shared.value.age = 1
        scheduler.runAll()
        expectEqual(log.messages, ["2"])
        #expect(observation!.isValid)
        shared.value.age = 3
        scheduler.runAll()
        expectEqual(log.messages, ["2", "3"])
        first.remove()
    }

    @Test("ends behind the call before the change, if the scheduler drops the one behind it") func droppedBehindPrior()
    {
        let person = tracker.track(Person())
        let observation = person.$age.observe(options: [.prior, .once], on: scheduler) { [log] in
            log.add("called, prior: \($0.isPrior)")
        }
        observation.onEnd { [log] in log.add("\($0)") }
        person.age = 1
        let prior = scheduler.takeFirst()
        _ = scheduler.takeAll()
        expectEqual(log.messages, [])
        prior()
        expectEqual(log.messages, ["called, prior: true", "fired"])
    }

    @Test("armed again while its change waits, it is delivered both times") func rearm() throws {
        let person = tracker.track(Person())
        let observation = try person.observe(
            ["age", "address.zip"], as: Int?.self, options: [.new, .once], on: scheduler
        ) {
            [log] in log.add("\($0.newValue!!)")
        }
        person.age = 1
        try observation.rearm()
        person.age = 2
        person.age = 3
        #expect(!observation.isValid)
        scheduler.runAll()
        expectEqual(log.messages, ["1", "2"])
        expectEqual(person.observations(), [])
        try observation.rearm()
        #expect(observation.isValid)
        person.age = 4
        scheduler.runAll()
        expectEqual(log.messages, ["1", "2", "4"])
    }

    @Test("the observer's death drops it, and tells the reason") func observerDies() {
        let person = tracker.track(Person())
        var board: Board? = Board()
        let observation = person.$age.observe(for: board!, options: .once, on: scheduler) { [log] _ in log.add("called")
        }
        observation.onEnd { [log] in log.add("\($0)") }
        person.age = 1
        board = nil
        scheduler.runAll()
        expectEqual(log.messages, ["observerDeinitialized"])
    }

    private final class Panel: Sendable {}

    @Test(
        "the death of an observer that is not tracked drops the change, and is the reason of the end",
        arguments: [ObservingOptions.once, []], [true, false])
    func untrackedDies(options: ObservingOptions, isRead: Bool) throws {
        let person = tracker.track(Person())
        var panel: Panel? = Panel()
        let observation = person.$age.observe(for: panel!, options: options, on: scheduler) { [log] _ in
            log.add("called")
        }
        observation.onEnd { [log] in log.add("\($0)") }
        person.age = 1
        panel = nil
        if isRead { #expect(!observation.isValid) }
        scheduler.runAll()
        expectEqual(log.messages, ["observerDeinitialized"])
        #expect(throws: KeyValueError.self) { try observation.rearm() }
        expectEqual(person.observations(), [])
    }

    @Test(
        "a manual observation whose observer is dead stays armed, and reports the change that it missed",
        arguments: [ObservingOptions.once, []])
    func manual(options: ObservingOptions) throws {
        let person = tracker.track(Person())
        var panel: Panel? = Panel()
        let observation = person.$age.observe(for: panel!, options: options.union(.unregisterManually), on: scheduler) {
            [log] _ in log.add("called")
        }
        observation.onEnd { [log] in log.add("\($0)") }
        person.age = 1
        panel = nil
        Diagnostics.withHandler({ [log] in log.add($0.contains("missed because the observer is dead") ? "missed" : $0) }
        ) {
            scheduler.runAll()
            person.age = 2
            scheduler.runAll()
        }
        expectEqual(log.messages, ["missed"])
        observation.remove()
        expectEqual(log.messages, ["missed", "removed"])
    }

    #if DEBUG
        @Test(
            "the delivery of its prior call does not end it while it fires",
            arguments: [[], .retainsTarget] as [ObservingOptions])
        func priorWhileFiring(options: ObservingOptions) {
            var person: Person? = tracker.track(Person())
            let observation = person!.$age.observe(options: options.union([.new, .once, .prior]), on: scheduler) {
                [log] in
                log.add($0.isPrior ? "prior" : "\($0.newValue!)")
            }
            observation.onEnd { [log] in log.add("\($0)") }
            TestPoint.firing.whenReached { [scheduler] in scheduler.runAll() }
            person!.age = 1
            expectEqual(log.messages, ["prior"])
            expectEqual(person!.observations().count, 0)
            if options.isEmpty {
                expectEqual(person!.removeAllObservers(), 1)
            } else {
                person = nil
            }
            scheduler.runAll()
            expectEqual(log.messages.dropFirst(), options.isEmpty ? ["removed"] : ["1", "fired"])
        }

        @Test("the delivery of the change before does not end it while it fires again") func firesAgainMeanwhile()
            throws
        {
            let person = tracker.track(Person())
            person.address = Address()
            let observation = try person.observe(
                ["age", "address.zip"], as: Int?.self, options: [.new, .once], on: scheduler
            ) {
                [log] in log.add("\($0.newValue!!)")
            }
            person.age = 1
            try observation.rearm()
            TestPoint.firing.whenReached { [scheduler] in scheduler.runAll() }
            person.age = 2
            expectEqual(log.messages, ["1"])
            expectEqual(person.removeAllObservers(), 1)
            scheduler.runAll()
            expectEqual(log.messages, ["1"])
        }
    #endif

    @Test("many threads write, arm and remove: each arming ends once, and no call comes behind a removal") func storm()
    {
        for round in 0..<load(2_000) {
            let person = tracker.track(Person())
            let (calls, ends) = (Counter(), Counter())
            let observation = person.$age.observe(
                options: [.new, .once, .prior],
                on: round % 2 == 0 ? AnyScheduler(InlineScheduler()) : AnyScheduler(scheduler)
            ) { if !$0.isPrior { calls.add() } }
            observation.onEnd { _ in ends.add() }
            concurrently(3) { thread in
                switch thread {
                case 0: person.age = 1
                case 1: if round % 3 == 0 { person.removeAllObservers() } else { observation.remove() }
                default: try? observation.rearm()  // It has been removed, perhaps.
                }
            }
            observation.remove()
            let before = calls.count
            scheduler.runAll()
            expectEqual(calls.count, before)
            expectEqual(ends.count, observation.underLock { observation.armings } + 1)
            #expect(person.observations().isEmpty)
        }
    }
}

/// A scheduler that is one of several.
private struct AnyScheduler: ChangeScheduler {
    private let scheduler: any ChangeScheduler
    init(_ scheduler: some ChangeScheduler) { self.scheduler = scheduler }
    func schedule(_ operation: @escaping @Sendable () -> Void) { scheduler.schedule(operation) }
}
