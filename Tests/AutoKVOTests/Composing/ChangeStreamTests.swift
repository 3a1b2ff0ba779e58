import AutoKVO
import AutoKVOTestSupport
import Testing

/// Streams of changes.
struct ChangeStreamTests {
    private func all<Element: Sendable>(_ stream: AsyncStream<Element>) async -> [Element] {
        var elements: [Element] = []
        for await element in stream { elements.append(element) }
        return elements
    }

    @Test("each change is an element with what happened, the edit of a collection with its indexes") func contents()
        async throws
    {
        var person: Person? = Person()
        let typed = person!.$scores.changes()
        let named = try person!.changes(of: ["age", "plain"], as: Int.self, options: [.new, .prior])
        person!.scores = [1, 2]
        person!.$scores.append(3)
        person!.$scores.remove(at: 0)
        person!.age = 7
        person = nil
        let changes = await all(typed)
        expectEqual(changes.map(\.kind), [.setting, .insertion, .removal])
        expectEqual(changes.map(\.oldValue), [[], nil, [1]])
        expectEqual(changes.map(\.newValue), [[1, 2], [3], nil])
        expectEqual(changes.map(\.indexes), [nil, RangeSet(2..<3), RangeSet(0..<1)])
        #expect(changes.allSatisfy { $0.keyPath == "scores" && !$0.isPrior })
        let ages = await all(named)
        #expect(ages.map(\.isPrior) == [true, false] && ages.map(\.newValue) == [nil, 7])
        #expect(ages.allSatisfy { $0.keyPath == "age" && $0.oldValue == nil })
    }

    @Test("of a path, by handle", .needs(.blankObject)) func path() async {
        var person: Person? = Person()
        let changes = person!.$address.$city.changes(options: [.initial, .old, .new])
        let values = person!.$address.$city.values(options: [.initial])
        person!.address = Address("Linz")
        person!.address!.city = "Graz"
        person!.address = nil
        person = nil
        await expectEqual(all(changes).map(\.newValue), [nil, "Linz", "Graz", nil])
        await expectEqual(all(values), [nil, "Linz", "Graz", nil])
    }

    @Test("cancelling, dropping and .once end the observation, and nothing is kept") func endings() async {
        let (person, tracker) = (Person(), LifetimeTracker())
        do { _ = person.$age.changes() }
        #expect(person.observations().isEmpty)
        let once = person.$age.changes(options: [.once, .new])
        person.age = 1
        person.age = 2
        await expectEqual(all(once).map(\.newValue), [1])
        let stream = person.$age.changes()
        let seen = Counter()
        let task = Task { for await _ in stream { seen.add() } }
        person.age = 3
        await eventually("the first change") { seen.count == 1 }
        task.cancel()
        await task.value
        #expect(person.observations().isEmpty)
        do {
            let person = tracker.track(Person())
            let stream = person.$age.changes()
            person.age = 1
            withExtendedLifetime(stream) {}
        }
        tracker.expectNoLeaks()
    }

    @Test("a target that changes and dies on another thread: every change, and the end") func thread() async {
        let target = Shared<Person?>(Person())
        let stream = target.value!.$age.changes()
        let thread = Thread {
            for age in 1...1000 { target.value!.age = age }
            target.value = nil
        }
        var last = 0
        for await change in stream {
            #expect(change.oldValue == last && change.newValue == last + 1)
            last += 1
        }
        expectEqual(last, 1000)
        thread.join()
    }

    @Test("a wrong path or type throws") func errors() {
        let person = Person()
        #expect(throws: KeyValueError.self) { try person.changes(of: "agee", as: Int.self) }
        #expect(throws: KeyValueError.self) { try person.changes(of: "age", as: String.self) }
        #expect(person.observations().isEmpty)
    }
}
