import AutoKVO
import AutoKVOTestSupport
import Testing

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
}
