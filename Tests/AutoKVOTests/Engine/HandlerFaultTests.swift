import AutoKVO
import AutoKVOTestSupport
import Testing

/// Handlers that do the worst they may, and sizes that nobody should need.
struct HandlerFaultTests {
    private let tracker = LifetimeTracker()

    private final class Link: Model {
        @Observed var value = 0
        @Observed var next: Link?
        @Observed var first: Link?
        var total: Int { value }

        override class var schema: Schema {
            Schema(Link.self, extending: super.schema) {
                Key("value", \.value)
                Key("next", \.next)
                Key("first", \.first)
                Key("total", \.total, affectedBy: "value", "next.total")
            }
        }
    }

    /// A class with a chain of 10,000 keys, each derived from the one before.
    private final class Ladder: TrackedObject {
        @Observed var k0 = 0
        var derived: Int { k0 }

        override class var schema: Schema {
            Schema(Ladder.self, extending: super.schema) {
                Key("k0", \.k0)
                for number in 1...10_000 { Key("k\(number)", \.derived, affectedBy: "k\(number - 1)") }
            }
        }
    }

    @Test func handlerMayRemoveEverything() throws {
        let target = tracker.track(Person())
        let calls = Counter()
        for _ in 0..<100 {
            try target.observe("age") { [tracker, token = tracker.token()] change in
                token.touch()
                _ = tracker
                calls.add()
                change.target?.removeAllObservers()
            }
        }
        target.age = 1
        expectEqual(calls.count, 1)
        expectEqual(tracker.liveCount, 1)
    }

    @Test func handlerMayRegisterMore() throws {
        let target = tracker.track(Person())
        let calls = Counter()
        try target.observe("age") { change in
            calls.add()
            _ = try! change.target!.observe("age") { _ in calls.add() }
        }
        for round in 1...5 { target.age = round }
        expectEqual(calls.count, 1 + 2 + 3 + 4 + 5)
    }

    @Test func initialHandlerMayRemoveItself() throws {
        let target = tracker.track(Person())
        target.address = tracker.track(Address())
        for path in ["age", "address.city", "fullName", "friends.@count"] {
            let calls = Counter()
            let observation = try target.observe(path, options: [.initial]) { [token = tracker.token()] change in
                token.touch()
                calls.add()
                change.observation.remove()
            }
            expectEqual(calls.count, 1)
            #expect(!observation.isValid)
            expectEqual(tracker.liveCount, 2)
        }
        expectEqual(target.observations(), [])
    }

    @Test func handlerMayKillItsOwnObserver() throws {
        let target = tracker.track(Person())
        let observer = Shared<Person?>(tracker.track(Person()))
        let calls = Counter()
        for path in ["age", "age|lastName"] {
            try target.addObserver(observer.value!, forKeyPath: path) { [token = tracker.token()] (_: Person, _) in
                token.touch()
                calls.add()
                observer.value = nil
            }
        }
        target.age = 1
        expectEqual(calls.count, 1)
        expectEqual(tracker.liveCount, 1)
    }

    @Test func handlerMayKillTheTarget() throws {
        let target = Shared<Person?>(tracker.track(Person()))
        let leaf = tracker.track(Address())
        target.value!.address = leaf
        let calls = Counter()
        for _ in 0..<3 {
            try target.value!.observe("address.city") { [token = tracker.token()] _ in
                token.touch()
                calls.add()
                target.value = nil
            }
        }
        leaf.city = "Bonn"
        expectEqual(calls.count, 1)
        expectEqual(tracker.liveCount, 1)
    }

    @Test(arguments: [ObservingOptions](arrayLiteral: [], [.old, .new, .prior]))
    func handlerMayReenterAThousandDeep(options: ObservingOptions) throws {
        let target = tracker.track(Person())
        let calls = Counter()
        try target.observe("age", options: options) { change in
            if change.isPrior { return }
            calls.add()
            let person = change.target as! Person
            if person.age < 1_000 { person.age += 1 }
        }
        // Where closures are not called directly, each call takes two functions more, and a debug build does not share their stack.
        onAnotherThread(stackSize: ClosureCall.canCallDirectly ? 8 << 20 : 12 << 20) { target.age = 1 }
        expectEqual(calls.count, 1_000)
    }

    /// A registration that fails gives its handler back once.
    @Test func failedRegistrationReleasesItsHandlerOnce() {
        let target = tracker.track(Person())
        for path in ["nope", "address.nope", "nope.city", "", "a..b", "age.x", "age|nope"] {
            for _ in 0..<3 {
                #expect(throws: KeyValueError.self) {
                    try target.observe(path) { [token = tracker.token()] _ in token.touch() }
                }
                #expect(throws: KeyValueError.self) {
                    try target.observe(path, as: [Bool].self) { [token = tracker.token()] _ in token.touch() }
                }
            }
        }
        expectEqual(tracker.liveCount, 1)
    }

    @Test func editThatThrowsEndsItsChange() throws {
        struct Stop: Error {}
        func stop(_ scores: inout [Int]) throws(Stop) {
            scores.append(1)
            throw Stop()
        }
        let target = tracker.track(Person())
        let calls = Counter()
        try target.observe("scores", options: .prior) { if !$0.isPrior { calls.add() } }
        try? stop(&target.scores)
        expectEqual(calls.count, 1)
        target.scores = []
        expectEqual(calls.count, 2)
    }

    @Test func endReasonIsToldAfterTheEndToo() throws {
        let reasons = Shared<[KeyValueObservation.EndReason]>([])
        var target: Person? = tracker.track(Person())
        let observation = try target!.observe("age") { _ in }
        target = nil
        observation.onEnd { reasons.value.append($0) }
        expectEqual(reasons.value, [.targetDeinitialized])
    }

    @Test func firedObservationOfAPathIsFreedWithItsHandle() throws {
        let target = tracker.track(Person())
        target.address = tracker.track(Address())
        try target.observe("address.city", options: .once) { [token = tracker.token()] _ in token.touch() }
        target.address!.city = "Bonn"
        expectEqual(tracker.liveCount, 2)
    }

    // MARK: Sizes

    @Test func manyObservationsOfOneTarget() throws {
        let count = size(400_000)
        let target = tracker.track(Person())
        let calls = Counter()
        var observations: [KeyValueObservation] = []
        for _ in 0..<count { observations.append(try target.observe("age") { _ in calls.add() }) }
        target.age = 1
        expectEqual(calls.count, count)
        for observation in observations.shuffled() { observation.remove() }
        target.age = 2
        expectEqual(calls.count, count)
    }

    @Test func manyTargets() throws {
        let count = size(400_000)
        let calls = Counter()
        let observer = tracker.track(Person())
        do {
            let targets = (0..<count).map { _ in Link() }
            for target in targets {
                try target.addObserver(observer, forKeyPath: "value") { (_: Person, _) in calls.add() }
            }
            for target in targets { target.value = 1 }
            expectEqual(calls.count, count)
        }
        expectEqual(observer.observations(), [])
    }

    /// The time of 100,000 deaths, in processor time of this thread, is near eight times that of an eighth; were it
    /// quadratic, 64 times.
    @Test(arguments: [ObservingOptions](arrayLiteral: [], .unregisterManually), [false, true])
    func targetsOfOneObservationDieInLinearTime(options: ObservingOptions, fromTheEnd: Bool) throws {
        func secondsOfDeaths(_ count: Int) throws -> Double {
            var targets = (0..<count).map { _ in Link() }
            let ends = Counter()
            let calls = Counter()
            let observation = try targets.observe("value", options: options) { _ in calls.add() }
            observation.onEnd { _ in ends.add() }
            targets[count / 2].value = 1
            if fromTheEnd { targets.reverse() }
            let start = processorTime()
            // An array releases its elements one after the other.
            targets.removeFirst(count - 1)
            let seconds = processorTime() - start
            targets[0].value = 1
            #expect((calls.count, ends.count) == (2, 0))
            expectEqual(observation.targets.map(ObjectIdentifier.init), targets.map(ObjectIdentifier.init))
            targets = []
            #expect(ends.count == (options.isEmpty ? 1 : 0))
            observation.remove()
            expectEqual(ends.count, 1)
            return seconds
        }
        let count = size(100_000)
        _ = try secondsOfDeaths(count / 8)
        let few = try secondsOfDeaths(count / 8)
        #expect(try secondsOfDeaths(count) < 24 * few + 0.05)
    }

    /// On a thread with 512 KB of stack: a recursion of a few hundred bytes a level would not get far.
    @Test func chainOfTenThousandKeys() throws {
        onAnotherThread(stackSize: 512 << 10) {
            let ladder = Ladder()
            let calls = Counter()
            _ = try! ladder.observe("k10000") { _ in calls.add() }
            ladder.k0 = 1
            expectEqual(calls.count, 1)
        }
    }

    @Test func chainThroughTenThousandObjects() throws {
        onAnotherThread(stackSize: 512 << 10) {
            // Held one by one, so that they do not die inside each other's deinit, which is Swift's recursion, not ours.
            let links = (0..<10_000).map { _ in Link() }
            for index in 1..<links.count { links[index - 1].next = links[index] }
            let calls = Counter()
            let observation = try! links[0].observe("total") { _ in calls.add() }
            links.last!.value = 1
            expectEqual(calls.count, 1)
            links[5_000].next = nil
            expectEqual(calls.count, 2)
            links.last!.value = 2
            expectEqual(calls.count, 2)
            observation.remove()
            for link in links { link.next = nil }
        }
    }

    @Test func pathOfAThousandComponents() throws {
        onAnotherThread(stackSize: 512 << 10) {
            let links = (0..<1_000).map { _ in Link() }
            for index in 1..<links.count { links[index - 1].next = links[index] }
            let calls = Counter()
            let path = String(repeating: "next.", count: 999) + "value"
            let observation = try! links[0].observe(path, options: [.old, .new]) { _ in calls.add() }
            links.last!.value = 1
            links[500].next = nil
            expectEqual(calls.count, 2)
            observation.remove()
            for link in links { link.next = nil }
        }
    }

    @Test func pathOfManyOperatorsIsRefused() {
        let path = String(repeating: "friends.@unionOfObjects.", count: 100_000) + "age"
        #expect(throws: KeyValueError.self) { try Person().observe(path) { _ in } }
    }
}
