import AutoKVO
import AutoKVOTestSupport
import Testing

/// Elements that come and leave.
struct ElementTests {
    let person = Person()
    let log = MessageLog()

    @discardableResult
    private func observeFriends(_ options: ObservingOptions = []) throws -> KeyValueObservation {
        try person.observeElements(
            "friends", as: Person.self, options: options, added: { [log] in log.add("+\($0.firstName)") },
            removed: { [log] in log.add("-\($0.firstName)") })
    }

    @Test("elements that are there are added at first if asked for") func initial() throws {
        person.friends = [Person("A"), Person("B")]
        try observeFriends()
        expectEqual(log.messages, [])
        try observeFriends([.initial])
        expectEqual(log.messages, ["+A", "+B"])
    }

    @Test("edits tell the elements they concern") func edits() throws {
        let (a, b, c) = (Person("A"), Person("B"), Person("C"))
        try observeFriends()
        person.$friends.append(a)
        person.$friends.insert(b, at: 0)
        person.$friends[0] = c
        person.$friends.remove(at: 1)
        expectEqual(log.messages, ["+A", "+B", "-B", "+C", "-A"])
        person.friends.append(a)
        expectEqual(log.messages.last, "+A")
        person.$friends.swapAt(0, 1)
        person.$friends.sort { $0.firstName < $1.firstName }
        expectEqual(log.messages.count, 6)
    }

    @Test("an assignment tells the difference, equal elements as often as they are there") func assignments() throws {
        try person.observeElements(
            "scores", as: Int.self, added: { [log] in log.add("+\($0)") }, removed: { [log] in log.add("-\($0)") })
        person.scores = [1, 1, 2]
        person.scores = [2, 1, 3]
        expectEqual(log.messages, ["+1", "+1", "+2", "-1", "+3"])
        try person.observeElements(
            "tags", as: String.self, added: { [log] in log.add("+\($0)") }, removed: { [log] in log.add("-\($0)") })
        person.tags = ["a"]
        person.$tags.insert("b")
        person.$tags.remove("a")
        expectEqual(log.messages.suffix(3), ["+a", "+b", "-a"])
    }

    @Test("those of a property of any type, if it holds a collection; not those of what is a number") func open() throws
    {
        final class Box: TrackedObject { @Observed var content: Any = [1] }
        let box = Box()
        try box.observeElements("content", as: Int.self, added: { [log] in log.add("+\($0)") })
        box.content = [1, 2]
        box.content = 3
        box.content = Set([4])
        expectEqual(log.messages, ["+2", "+4"])
        #expect(throws: KeyValueError.self) { try person.observeElements("friends.@sum.age", as: Int.self) }
    }

    @Test("several edits that are coalesced tell what came of them") func coalesced() throws {
        person.scores = [1, 2]
        try person.observeElements(
            "scores", as: Int.self, added: { [log] in log.add("+\($0)") }, removed: { [log] in log.add("-\($0)") })
        coalescingChanges {
            person.$scores.append(3)
            person.$scores.remove(at: 0)
            person.$scores.append(4)
            person.$scores.remove(at: 2)
        }
        expectEqual(log.messages, ["-1", "+3"])
    }

    @Test("a path to a collection of another object follows the object") func paths() throws {
        let (first, second) = (Person("First"), Person("Second"))
        let shared = Person("Shared")
        first.friends = [shared, Person("A")]
        second.friends = [Person("B"), shared]
        try person.observeElements(
            "spouse.friends", as: Person.self, added: { [log] in log.add("+\($0.firstName)") },
            removed: { [log] in log.add("-\($0.firstName)") })
        person.spouse = first
        person.spouse = second
        person.spouse = nil
        expectEqual(log.messages, ["+Shared", "+A", "-A", "+B", "-B", "-Shared"])
    }

    @Test("elements convert, and ones that never can are refused") func types() throws {
        try person.observeElements("friends", as: Employee.self, added: { [log] _ in log.add("employee") })
        person.friends = [Person(), Employee()]
        expectEqual(log.messages, ["employee"])
        #expect(throws: KeyValueError.self) { try person.observeElements("friends", as: Int.self) }
        #expect(throws: KeyValueError.self) { try person.observeElements("age", as: Int.self) }
        #expect(throws: KeyValueError.self) { try person.observeElements("friends.@sum.age", as: Int.self) }
        #expect(throws: KeyValueError.self) { try person.observeElements("friend", as: Person.self) }
        expectEqual(person.observations().count, 1)
    }

    @Test("with an observer the closures get it, and its death ends the observation") func observer() throws {
        let tracker = LifetimeTracker()
        var panel: PlainObserver? = PlainObserver(tracker)
        do {
            let token = tracker.token()
            try person.path("scores", as: [Int].self).observeElements(
                for: panel!,
                added: {
                    token.touch()
                    $0.log.append("+\($1)")
                }, removed: { $0.log.append("-\($1)") })
        }
        person.scores = [1]
        person.$scores.removeAll()
        expectEqual(panel!.log, ["+1", "-1"])
        panel = nil
        person.scores = [2]
        tracker.expectNoLeaks()
    }

    @Test("the elements, their owner and the closures are freed") func leaks() throws {
        let tracker = LifetimeTracker()
        do {
            let owner = tracker.track(Person())
            let token = tracker.token()
            try owner.observeElements(
                "friends", as: Person.self, options: [.initial], added: { _ in token.touch() },
                removed: { _ in token.touch() })
            owner.$friends.append(tracker.track(Person()))
            owner.friends = [tracker.track(Person())]
        }
        tracker.expectNoLeaks()
    }
}
