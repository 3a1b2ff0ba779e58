import AutoKVO
import AutoKVOTestSupport
import Testing

private class Home: Model {
    @Observed var city = "Bern"
}
private class Human: Model {
    @Observed var name = "Ann"
    @Observed var age = 1
    @Observed var home: Home?
    @Observed var friends: [Human] = []
    @ObservedWeak var boss: Human?
    @Observed private var note = "base"

    func setNote(_ note: String) { self.note = note }
    func observeNote(_ handler: @escaping (String?) -> Void) {
        $note.observe(options: .new) { handler($0.newValue) }
    }
}
private final class Worker: Human {
    @Observed var wage = 10
    // Another property than the superclass's, which is private there.
    @Observed private var note = "own"

    func setOwnNote(_ note: String) { self.note = note }
}
private final class Box<Content>: Model {
    @Observed var content: Content
    @Observed var copies: [Content] = []
    init(_ content: Content) { self.content = content }
}
private final class Heir: Undeclared {
    @Observed var added = 0
}
private final class OneValued: Model {
    enum Only { case one }
    @Observed var only = Only.one
    @Observed var nothing: Void = ()
    @Observed var other = 0
}

/// An observed property is a key by itself.
struct UndeclaredKeyTests {
    @Test("it is observed by name, with its old and new value, and by the key path of its handle") func observed()
        throws
    {
        let human = Human()
        var seen: [String] = []
        try human.observe("age", options: [.old, .new]) { seen.append("\($0.oldValue!) \($0.newValue!)") }
        try human.observe("age", as: Int.self, options: .new) { seen.append("int \($0.newValue!)") }
        human.observe(\.$age, options: .new) { _, change in seen.append("typed \(change.newValue!)") }
        human.age = 2
        expectEqual(seen, ["1 2", "int 2", "typed 2"])
        #expect(throws: KeyValueError.self) { try human.observe("age", as: [Int].self) { _ in } }
    }

    @Test("it is read by name, and is a part of paths and operators") func read() throws {
        let human = Human()
        try expectEqual(human.value(forKey: "name") as? String, "Ann")
        #expect(try human.value(forKeyPath: "home.city") == nil)
        var seen: [String] = []
        try human.observe("home.city", options: .new) { seen.append("city \($0.newValue ?? "-")") }
        try human.observe("friends.@sum.age", options: .new) { seen.append("sum \($0.newValue ?? "-")") }
        human.home = Home()
        human.home?.city = "Chur"
        human.$friends.append(Human())
        human.friends[0].age = 5
        expectEqual(seen, ["city Bern", "city Chur", "sum 1", "sum 5"])
        try expectEqual(human.value(forKeyPath: "friends.@avg.age") as? Double, 5)
    }

    @Test("it is a key in every subclass, and keeps its name there") func inherited() throws {
        let worker = Worker()
        var seen: [String] = []
        try worker.observe(["name", "wage"], options: .new) { seen.append("\($0.keyPath) \($0.newValue!)") }
        worker.name = "Bob"
        worker.wage = 11
        expectEqual(seen, ["name Bob", "wage 11"])
        #expect(throws: KeyValueError(.unknownKey(nearest: "age"), className: "Human", key: "wage")) {
            try Human().observe("wage") { _ in }
        }
    }

    @Test("it is a key in a generic class, for each of its types") func generic() throws {
        let (number, text) = (Box(1), Box("a"))
        var seen: [String] = []
        try number.observe("content", as: Int.self, options: .new) { seen.append("\($0.newValue!)") }
        try text.observe("content", as: String.self, options: .new) { seen.append($0.newValue!) }
        #expect(throws: KeyValueError.self) { try text.observe("content", as: Int.self) { _ in } }
        number.content = 2
        text.content = "b"
        expectEqual(seen, ["2", "b"])
    }

    @Test("it is a key at any level of access, in another module too") func access() throws {
        let heir = Heir()
        var seen: [String] = []
        for key in ["shared", "inner", "secret", "counted", "added"] {
            try heir.observe(key, options: .new) { seen.append("\($0.keyPath) \($0.newValue!)") }
        }
        heir.shared = 1
        heir.advance()
        heir.added = 2
        expectEqual(seen, ["shared 1", "inner 1", "secret 1", "counted 1", "added 2"])
    }

    @Test("a property that hides a private one of the superclass has the name, and each notifies its own observers")
    func sameName() throws {
        let worker = Worker()
        var seen: [String] = []
        try worker.observe("note", options: .new) { seen.append("own \($0.newValue!)") }
        worker.observeNote { seen.append("base \($0!)") }
        worker.setNote("x")
        worker.setOwnNote("y")
        expectEqual(seen, ["base x", "own y"])
        try expectEqual(worker.value(forKey: "note") as? String, "y")
    }

    @Test("the death of the object that a weak property refers to is a change") func weak() throws {
        let human = Human()
        var seen: [String] = []
        try human.observe("boss.name", options: .new) { seen.append("\($0.newValue ?? "-")") }
        do {
            let boss = Human()
            human.boss = boss
            boss.name = "Cy"
        }
        #expect(seen.count == 3 && seen[0] == "Ann" && seen[1] == "Cy")
        #expect(try human.value(forKey: "boss") == nil)
    }

    @Test("it cannot be set by name, and nothing is changed by trying") func notSettable() throws {
        let human = Human()
        var calls = 0
        try human.observeAll { calls += 1 }
        func reason(_ body: () throws -> Void) -> KeyValueError.Reason? {
            do { try body() } catch { return (error as? KeyValueError)?.reason }
            return nil
        }
        expectEqual(reason { try human.setValue("x", forKey: "name") }, .readOnlyKey)
        expectEqual(reason { try human.setValues(["age": 3]) }, .readOnlyKey)
        expectEqual(reason { try human.setValue("x", forKeyPath: "name") }, .readOnlyKey)
        expectEqual(reason { _ = try human.mutableArrayValue(forKey: "friends") }, .readOnlyKey)
        expectEqual(reason { try human.bind("name", to: "name", of: Human()) }, .readOnlyKey)
        #expect(human.name == "Ann" && human.age == 1 && calls == 0)
    }

    @Test("changes of it are announced by hand, and coalesced, as of any key") func announced() throws {
        let human = Human()
        var seen: [String] = []
        try human.observe("age", options: [.old, .new]) { seen.append("\($0.oldValue!) \($0.newValue!)") }
        human.withMutation(of: "age") {
            human.age = 5
            human.age = 6
        }
        coalescingChanges {
            human.age = 7
            human.age = 8
        }
        expectEqual(seen, ["1 6", "6 8"])
    }

    @Test("a property of a type with one value takes no space, is a key all the same, and never changes")
    func oneValue() throws {
        let object = OneValued()
        var seen: [String] = []
        try object.observe(["only", "nothing", "other"]) { seen.append($0.keyPath) }
        object.$only.observe(options: .initial) { seen.append("handle \($0.keyPath)") }
        object.observe(\.$nothing, options: .initial) { seen.append("typed \($1.keyPath)") }
        object.only = .one
        object.$only.value = .one
        object.nothing = ()
        object.other = 1
        expectEqual(seen, ["handle only", "typed nothing", "other"])
        #expect(object.$only.key == "only" && object.$other.key == "other")
        try expectEqual(object.value(forKey: "only") as? OneValued.Only, .one)
    }

    #if DEBUG
        // In a release build the optimizer leaves out the check of a property that no other module sees.
        @Test(
            "reading a value by name while the property is being changed is a violation of exclusive access",
            .needs(.accessRecord))
        func exclusivityTraps() async {
            await #expect(processExitsWith: .failure) {
                func change(_ age: inout Int, of human: Human) { _ = try? human.value(forKey: "age") }
                let human = Human()
                change(&human.age, of: human)
            }
        }
    #endif

    @Test("many threads may use a class for the first time at once") func firstUse() async throws {
        final class Fresh: Model { @Observed var a = 0 }
        await withTaskGroup(of: Int?.self) { group in
            for value in 0..<8 {
                group.addTask {
                    let fresh = Fresh()
                    fresh.a = value
                    return try? fresh.value(forKey: "a") as? Int
                }
            }
            let sum = await group.reduce(into: 0) { $0 += $1 ?? 0 }
            expectEqual(sum, 28)
        }
    }
}

extension TrackedObject {
    fileprivate func observeAll(_ handler: @escaping () -> Void) throws {
        try observe(Self.keyDescriptions.map(\.name)) { _ in handler() }
    }
}
