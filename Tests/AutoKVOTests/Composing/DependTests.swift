import AutoKVO
import AutoKVOTestSupport
import Testing

/// Dependencies.
struct DependTests {
    let person = Person()
    let other = Person("Bob")
    let panel = Person("Panel")
    let log = MessageLog()

    @Test("a handler over several objects and paths is called once at the start and once for each change")
    func oneInitialCall() throws {
        person.friends = [other]
        let observation = try panel.depend(
            on: [Dependency(person, ["firstName", "friends.@avg.age"]), Dependency(other, "lastName|nickname")]
        ) { [log] panel in log.add(panel.firstName) }
        expectEqual(log.messages, ["Panel"])
        person.firstName = "Eve"
        other.age = 4
        other.lastName = "Ray"
        other.nickname = "B"
        expectEqual(log.messages.count, 5)
        person.age = 1
        expectEqual(log.messages.count, 5)
        observation.remove()
        other.age = 5
        expectEqual(log.messages.count, 5)
        #expect(!observation.isValid)
    }

    @Test("two keys, a call at once, two sets: three calls") func twoKeys() throws {
        try panel.depend(on: [Dependency(person, "firstName|age")]) { [log] _ in log.add("call") }
        person.firstName = "Eve"
        person.age = 1
        expectEqual(log.messages.count, 3)
    }

    @Test("one that has been replaced while it replaced another is not called") func replacedAtTheEnd() throws {
        let dependency = Dependency(person, "age")
        try panel.depend(on: [dependency], named: "draw") { _ in }.onEnd { [panel, log] _ in
            _ = try! panel.depend(on: [dependency], named: "draw") { _ in log.add("inner") }
        }
        try panel.depend(on: [dependency], named: "draw") { [log] _ in log.add("outer") }
        person.age = 1
        #expect(Set(log.messages).count == 1 && panel.endDependency(named: "draw"))
        panel.stopObserving()
    }

    @Test("a change that reaches several of the paths is one call") func oneCall() throws {
        try panel.depend(on: [Dependency(person, ["firstName", "fullName", "greeting"])]) { [log] _ in log.add("call") }
        person.firstName = "Eve"
        expectEqual(log.messages.count, 2)
        coalescingChanges {
            person.firstName = "Ida"
            person.lastName = "Ray"
        }
        expectEqual(log.messages.count, 3)
    }

    @Test("the same name on the same owner replaces, another name and another owner do not") func named() throws {
        let first = try panel.depend(on: [Dependency(person, "age")], named: "draw") { [log] _ in log.add("first") }
        try panel.depend(on: [Dependency(person, "age")], named: "write") { [log] _ in log.add("write") }
        try other.depend(on: [Dependency(person, "age")], named: "draw") { [log] _ in log.add("other") }
        try panel.depend(on: [Dependency(person, "lastName"), Dependency(person, "age")], named: "draw") { [log] _ in
            log.add("second")
        }
        expectEqual(log.messages, ["first", "write", "other", "second"])
        #expect(!first.isValid)
        person.age = 1
        expectEqual(log.messages.suffix(3).sorted(), ["other", "second", "write"])
        expectEqual(log.messages.count, 7)
        #expect(panel.endDependency(named: "draw"))
        #expect(!panel.endDependency(named: "draw"))
        person.age = 2
        expectEqual(log.messages.count, 9)
    }

    @Test("an owner without a base class has names too, and its death ends them") func plainOwner() throws {
        let tracker = LifetimeTracker()
        var owner: PlainObserver? = PlainObserver(tracker)
        try owner!.depend(on: [Dependency(person, "age")], named: "draw") { $0.log.append("first") }
        try owner!.depend(on: [Dependency(person, "age")], named: "draw") { $0.log.append("second") }
        person.age = 1
        expectEqual(owner!.log, ["first", "second", "second"])
        owner = nil
        tracker.expectNoLeaks()
        person.age = 2
    }

    @Test("any object can depend") func anyObject() throws {
        final class Anything: KeyValueObserver { var calls = 0 }
        let anything = Anything()
        try anything.depend(on: [Dependency(person, "age")], named: "x") { $0.calls += 1 }
        try anything.depend(on: [Dependency(person, "age")], named: "x") { $0.calls += 10 }
        person.age = 1
        expectEqual(anything.calls, 21)
    }

    @Test("a dependency that throws registers nothing, makes no call, and leaves what had the name") func throwing()
        throws
    {
        try panel.depend(on: [Dependency(person, "age")], named: "draw") { [log] _ in log.add("first") }
        #expect(throws: KeyValueError.self) {
            try panel.depend(on: [Dependency(person, "age"), Dependency(other, "agee")], named: "draw") { [log] _ in
                log.add("second")
            }
        }
        #expect(throws: KeyValueError.self) { try panel.depend(on: [], named: "draw") { [log] _ in log.add("none") } }
        #expect(throws: KeyValueError.self) {
            try panel.depend(on: [Dependency(person, [String]())]) { [log] _ in log.add("none") }
        }
        person.age = 1
        expectEqual(log.messages, ["first", "first"])
        #expect(other.observations().isEmpty)
    }

    @Test("the owner may be one of the objects, and may end it inside the first call") func oneself() throws {
        try panel.depend(on: [Dependency(panel, "age"), Dependency(person, "age")], named: "self") { [log] panel in
            log.add("\(panel.age)")
            if panel.age == 2 { panel.endDependency(named: "self") }
        }
        panel.age = 1
        panel.age = 2
        panel.age = 3
        person.age = 3
        expectEqual(log.messages, ["0", "1", "2"])
        try panel.depend(on: [Dependency(person, "age")], named: "first call") { [log] panel in
            panel.endDependency(named: "first call")
            log.add("ended")
        }
        person.age = 4
        #expect(log.messages.last == "ended" && log.messages.count == 4)
    }

    @Test("it goes on when one of the objects dies and keeps nobody alive") func deaths() throws {
        let tracker = LifetimeTracker()
        var target: Person? = tracker.track(Person())
        var owner: Person? = tracker.track(Person())
        let token = tracker.token()
        let observation = try owner!.depend(on: [Dependency(target!, "age"), Dependency(person, "age")]) {
            [log] _ in
            token.touch()
            log.add("call")
        }
        target = nil
        #expect(observation.isValid)
        person.age = 1
        expectEqual(log.messages.count, 2)
        owner = nil
        #expect(!observation.isValid)
        person.age = 2
        expectEqual(log.messages.count, 2)
        _ = consume token
        tracker.expectNoLeaks()
    }
}
