import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// Changes that begin and do not end.
struct OpenTransactionTests {
    private var openCount: Int { ThreadContext.current.value.openTransactions.members.count { _ in true } }

    /// With a record, because it is observed, or without.
    private func changing(_ isObserved: Bool, _ tracker: LifetimeTracker? = nil) throws -> Person {
        let person = tracker?.track(Person()) ?? Person()
        if isObserved { try person.observe("age", options: [.old, .prior]) { _ in } }
        person.willChangeValue(forKey: "age")
        return person
    }

    private final class Computing: Model {
        @Observed var n = 1
        @Derived({ (object: Computing) in object.n * 2 }) var double: Int
    }

    @Test("nothing of a dead object's open change is left of its derived values") func derived() {
        let tracker = LifetimeTracker()
        do {
            let object = tracker.track(Computing())
            object.$double.observe(options: .new) { _ in }
            object.willChangeValue(forKey: "n")
        }
        Person().willChangeValue(forKey: "age")
        tracker.expectNoLeaks()
        #expect(ThreadContext.current.value.marked.isEmpty)
    }

    @Test("nor of an observation of another object that has read it and was removed in it") func endedInside() {
        let (tracker, reader) = (LifetimeTracker(), Person())
        do {
            let object = tracker.track(Computing())
            let token = tracker.token()
            let observation = reader.observe(reading: { [weak object] _ in
                token.touch()
                return object?.n
            }) { _, _ in }
            object.willChangeValue(forKey: "n")
            observation.remove()
        }
        tracker.expectNoLeaks()
        #expect(ThreadContext.current.value.marked.isEmpty)
    }

    private final class Holder: Model {
        @ObservedWeak var held: Leaving?
        @Derived({ (holder: Holder) in holder.held?.n }) var heldValue: Int?
    }
    private final class Leaving: Model {
        @Observed var n = 1
        var leave: (() -> Void)?
        deinit { leave?() }
    }

    @Test(
        "observers of what others compute from an object are called when it dies in its open change, also if its deinit changes something else",
        arguments: 0..<3)
    func computedElsewhere(way: Int) {
        let (holder, other, stays) = (Holder(), Holder(), Leaving())
        other.held = stays
        other.$heldValue.observe { _ in }
        var held: Leaving? = Leaving()
        holder.held = held
        var (told, own): ([Int?], Int) = ([], 0)
        switch way {
        case 0: holder.observe(\.held?.n, options: .new) { told.append($1.newValue!) }
        case 1: holder.observe(reading: { $0.held?.n }, options: .new) { told.append($1.newValue!) }
        default: holder.$heldValue.observe(options: .new) { told.append($0.newValue!) }
        }
        held!.observe(reading: \.n) { _, _ in own += 1 }
        held!.leave = { stays.n += 1 }
        held!.willChangeValue(forKey: "n")
        held!.n = 2
        held = nil
        #expect(told == [nil] && own == 0)
    }

    /// Four times as many take four times as long; were each to search all that died before, it would be sixteen times.
    @Test("of 100,000 objects that die in the middle of a change none is searched later", arguments: [false, true])
    func linear(isObserved: Bool) throws {
        let tracker = LifetimeTracker()
        func time(_ count: Int) throws -> Double {
            try processorTime { for _ in 0..<count { _ = try changing(isObserved, tracker) } }
        }
        #expect(try timeRatio(to: size(100_000), time) < 9)
        tracker.expectNoLeaks()
        #expect(openCount <= 1)
        Person().withMutation(of: "age") {}
        expectEqual(openCount, 0)
    }

    @Test("the death on another thread ends a change, too", arguments: [false, true]) func otherThread(isObserved: Bool)
        throws
    {
        let tracker = LifetimeTracker()
        let people = Shared<[Person]?>(try (0..<100).map { _ in try changing(isObserved, tracker) })
        expectEqual(openCount, 100)
        onAnotherThread { people.value = nil }
        tracker.expectNoLeaks()
        let person = Person()
        let recorder = Recorder<Int>()
        person.$age.observe(options: [.old, .new], recorder.handler())
        person.age = 1
        expectEqual(openCount, 0)
        #expect(recorder.entries.map(\.old) == [0] && recorder.entries.map(\.new) == [1])
    }

    @Test("changes of what a dead object shared with others are told again") func shared() throws {
        let owner = Person()
        let recorder = Recorder<Any>()
        let spouse = Shared<Person?>(Person())
        owner.parent = spouse.value
        try owner.observe("parent.age", recorder.handler())
        spouse.value!.willChangeValue(forKey: "age")
        onAnotherThread { spouse.value = nil }
        recorder.clear()
        let other = Person()
        owner.parent = other
        expectEqual(recorder.count, 1)
        other.age = 3
        expectEqual(recorder.count, 2)
        expectEqual(openCount, 0)
    }

    private final class Reader: Model {
        @ObservedWeak var person: Person?
        @Observed var number = 0
        @Derived({ (reader: Reader) in
            let person = reader.person
            return "\(person?.age ?? -1) \(person?.scores ?? []) \(person?.tags ?? []) \(person?.fullName ?? "-")"
        }) var text: String
    }

    @Test(
        "an announced union that adds nothing calls no observer, also none of a path that was moved to the set earlier")
    func silent() throws {
        let reader = Reader()
        let (first, second) = (Person(), Person())
        second.tags = ["a"]
        reader.person = first
        let calls = Counter()
        try reader.observe("person.tags") { _ in calls.add() }
        // Moves the path while a change is open.
        try reader.observe("number") { [unowned reader] _ in reader.person = second }
        reader.willChangeValue(forKey: "number")
        reader.didChangeValue(forKey: "number")
        expectEqual(calls.count, 1)
        second.willChangeValue(forKey: "tags", withSetMutation: .union, using: ["a"])
        second.didChangeValue(forKey: "tags", withSetMutation: .union, using: ["a"])
        expectEqual(calls.count, 1)
        second.tags.insert("b")
        expectEqual(calls.count, 2)
    }

    @Test(
        "whatever way a change was announced in, a death ends it, and what reads the object is told again",
        arguments: 0..<6)
    func ways(which: Int) throws {
        let reader = Reader()
        let told = Recorder<String>()
        reader.$text.observe(options: .new, told.handler())
        let paths = Recorder<Any>()
        try reader.observe(["person.age", "person.scores", "person.fullName"], paths.handler())
        var person: Person? = Person()
        reader.person = person
        switch which {
        case 0: person!.willChangeValue(forKey: "age")
        case 1: person!.willChange(.insertion, valuesAt: 0..<1, forKey: "scores")
        case 2: person!.willChangeValue(forKey: "tags", withSetMutation: .union, using: ["a"])
        case 3: person!.willChangeValue(forKey: "fullName")
        case 4: person!.willChangeValue(forKey: "parent")
        default: for key in ["age", "scores", "firstName", "lastName"] { person!.willChangeValue(forKey: key) }
        }
        // Not observed, and open as well.
        Person().willChange(.removal, valuesAt: 0..<1, forKey: "scores")
        withExtendedLifetime(person) {}
        person = nil
        #expect(reader.person == nil)
        told.clear()
        paths.clear()
        let other = Person("Bea")
        reader.person = other
        #expect(told.entries.map(\.new) == ["0 [] [] Bea Lee"] && paths.count == 3)
        other.age = 4
        other.$scores.append(1)
        other.lastName = "Ray"
        #expect(told.entries.last?.new == "4 [1] [] Bea Ray" && told.count == 4 && paths.count == 6)
        expectEqual(openCount, 0)
    }

    @Test("changes of living objects stay open, however many others die") func living() throws {
        let person = Person()
        let recorder = Recorder<Any>()
        try person.observe("age", options: [.old, .new], recorder.handler())
        person.willChangeValue(forKey: "age")
        for _ in 0..<50 { _ = try changing(false) }
        person.age = 1
        for _ in 0..<50 { _ = try changing(true) }
        person.age = 2
        expectEqual(recorder.count, 0)
        person.didChangeValue(forKey: "age")
        #expect(recorder.olds(Int.self) == [0] && recorder.news(Int.self) == [2])
        person.willChangeValue(forKey: "age")
        person.didChangeValue(forKey: "age")
        expectEqual(openCount, 0)
    }

    private final class Sum: Model {
        @ObservedWeak var first: Person?
        @ObservedWeak var second: Person?
        @Observed var rest = 0
        @Derived({ (sum: Sum) in (sum.first?.age ?? 0) + (sum.second?.age ?? 0) + sum.rest }) var total: Int
    }

    @Test("a derived value that two open changes concern waits for the one that is left when an object dies")
    func waitingForTheDead() {
        for isFirst in [true, false] {
            let (sum, told) = (Sum(), Recorder<Int>())
            var people: [Person] = [Person(), Person()]
            (people[0].age, people[1].age) = (10, 20)
            (sum.first, sum.second) = (people[0], people[1])
            sum.$total.observe(options: [.old, .new], told.handler())
            for person in people { person.willChangeValue(forKey: "age") }
            sum.rest = 1
            people.remove(at: isFirst ? 0 : 1)
            sum.rest = 2
            expectEqual(told.count, 0)
            people[0].didChangeValue(forKey: "age")
            #expect(told.entries.last?.new == sum.total && ThreadContext.current.value.waitingCount == 0)
            expectEqual(openCount, 0)
        }
    }
}
