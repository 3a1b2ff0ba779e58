import AutoKVO
import AutoKVOTestSupport
import Testing

/// Observing each element.
struct ObserveEachTests {
    private let team = Person()
    private let ann = Person("Ann")
    private let bob = Person("Bob")
    private let cat = Person("Cat")

    @Test("members' observations end with the members, whatever the options and however they left") func manual() {
        final class Silent: Model {
            @Observed var members: [Person] = []
            override class var schema: Schema {
                Schema(Silent.self, extending: super.schema) { Key("members", \.members, notifiesAutomatically: false) }
            }
        }
        let silent = Silent()
        var inner: KeyValueObservation?
        silent.members = [Person("Ann")]
        let all = silent.$members.observeEach(\.$age, options: .unregisterManually) { inner = $1.observation }
        silent.members[0].age = 1
        #expect(inner!.isValid && !inner!.options.contains(.unregisterManually))
        silent.members = []
        #expect(!inner!.isValid)
        all.remove()
    }

    @Test("members are observed as long as they are in the list") func members() {
        team.friends = [ann, bob]
        var calls: [String] = []
        let observation = team.$friends.observeEach(\.$age, options: .new) { member, change in
            calls.append("\(member.firstName) \(change.newValue!)")
        }
        ann.age = 1
        team.$friends.append(cat)
        cat.age = 2
        team.$friends.remove(at: 0)
        ann.age = 3
        team.friends = [cat, ann]
        (ann.age, bob.age, cat.age) = (4, 5, 6)
        expectEqual(calls, ["Ann 1", "Cat 2", "Ann 4", "Cat 6"])
        observation.remove()
        cat.age = 7
        #expect(calls.count == 4 && cat.observations().isEmpty && ann.observations().isEmpty)
    }

    @Test("a member whose first value ends it all is not observed") func endedByMember() {
        final class Part: TrackedObject {
            var whole: KeyValueObservation?
            @Derived({ (part: Part) in
                part.whole?.remove()
                return 1
            }) var size: Int
        }
        final class Machine: TrackedObject { @Observed var parts: [Part] = [] }
        let (machine, last) = (Machine(), Part())
        machine.parts = [Part()]
        last.whole = machine.$parts.observeEach(\.$size) { _, _ in }
        machine.$parts.append(last)
        #expect(machine.parts.allSatisfy { $0.observations().isEmpty } && !last.whole!.isValid)
    }

    @Test("a member that is there twice is observed once, until it is out; one that moves stays") func twice() {
        team.friends = [ann, bob, ann]
        var calls = 0
        team.$friends.observeEach(\.$age, options: .initial) { _, _ in calls += 1 }
        expectEqual(calls, 2)
        ann.age = 1
        expectEqual(calls, 3)
        team.$friends.reverse()
        team.$friends.remove(at: 0)
        ann.age = 2
        expectEqual(calls, 4)
        team.$friends.removeAll { $0 === ann }
        ann.age = 3
        expectEqual(calls, 4)
        team.$friends.append(cat)
        expectEqual(calls, 5)
    }

    @Test(
        "members are let go when the object that has the list dies, to which the path leads weakly",
        .needs(.blankObject)) func weakOwner()
    {
        let post = Post()
        var calls: [String] = []
        post.$team.$friends.observeEach(\.$age) { member, _ in calls.append(member.firstName) }
        func team(_ friends: Person...) -> Person {
            let team = Person()
            team.friends = friends
            return team
        }
        var first: Person? = team(ann, bob, ann)
        post.team = first
        (ann.age, bob.age) = (1, 1)
        first = nil
        (ann.age, bob.age) = (2, 2)
        expectEqual(calls, ["Ann", "Bob"])
        let second = team(ann)
        post.team = second
        ann.age = 3
        second.friends = []
        ann.age = 4
        expectEqual(calls, ["Ann", "Bob", "Ann"])
        #expect(ann.observations().isEmpty && bob.observations().isEmpty)
    }

    private final class Post: TrackedObject {
        @ObservedWeak var team: Person?
    }

    @Test("all ends with the team, and neither is kept alive") func lifetime() {
        var owner: Person? = Person()
        weak let gone = owner
        owner!.friends = [ann]
        var calls = 0
        let observation = owner!.$friends.observeEach(\.$age) { _, _ in calls += 1 }
        owner = nil
        #expect(gone == nil && !observation.isValid)
        ann.age = 1
        #expect(calls == 0 && ann.observations().isEmpty)
    }

    @Test("a handler that takes a member out with its first call") func leavingAtOnce() {
        team.friends = [ann, bob]
        let team = team
        var calls: [String] = []
        team.$friends.observeEach(\.$age, options: .initial) { member, _ in
            calls.append(member.firstName)
            team.$friends.removeAll { $0 === member }
        }
        ann.age = 1
        bob.age = 1
        #expect(calls.sorted() == ["Ann", "Bob"] && ann.observations().isEmpty && bob.observations().isEmpty)
        team.stopObservingAllForTest()
    }

    @Test("a handler that ends all of it with its initial call gets no other one, for the same member either")
    func endingInInitialCall() {
        for end in [{ $0.removeAllObservers() }, { $0.removeAllObservers(forKeyPath: "friends") }] as [(Person) -> Void]
        {
            team.friends = [ann, bob]
            var calls = 0
            let observation = team.$friends.observeEach(\.$age, options: .initial) { [team] member, _ in
                calls += 1
                if calls > 1 { return }
                end(team)
                member.age += 1
            }
            #expect(calls == 1 && !observation.isValid)
        }
    }

    @Test("a handler that ends all of it with its first call gets no other one") func endingAtOnce() {
        var observation: KeyValueObservation!
        var calls: [Int] = []
        observation = team.$friends.observeEach(\.$age, options: [.initial, .new]) { member, change in
            calls.append(change.newValue!)
            observation.remove()
            member.age = 5
        }
        team.friends = [ann]
        #expect(calls == [0] && ann.observations().isEmpty)
    }

    @Test(
        "a member that its first call takes out is no member any more, and one that it puts in again is observed once",
        arguments: [false, true])
    func changingAtOnce(isPutIn: Bool) {
        let team = team
        var (isFirst, calls) = (true, [Int]())
        let observation = team.$friends.observeEach(\.$age, options: [.initial, .new]) { member, change in
            calls.append(change.newValue!)
            guard isFirst else { return }
            isFirst = false
            team.friends = []
            if isPutIn { team.friends = [member] }
            member.age = 7
        }
        team.friends = [ann]
        #expect(calls == (isPutIn ? [0, 0, 7] : [0]))
        observation.remove()
        #expect(ann.observations().isEmpty)
    }
}

extension Person {
    fileprivate func stopObservingAllForTest() { for observation in observations() { observation.remove() } }

    private final class Row: Model { @Observed var level = 0 }
    private final class Rows: Model { @Observed var rows: [Row] = [] }

    @Test("if the end of one that has left ends all, nobody is observed any more") func endedByAnEnd() {
        let (list, rows) = (Rows(), [Row(), Row(), Row()])
        list.rows = rows
        var (calls, all) = (0, KeyValueObservation?.none)
        all = list.$rows.observeEach(\.$level) { _, change in
            calls += 1
            change.observation.onEnd { _ in all?.remove() }
        }
        for row in rows { row.level = 1 }
        list.rows = []
        for row in rows { row.level = 2 }
        expectEqual(calls, 3)
        all = nil
    }

    @Test("what the end of one that has left changes in the list is observed as it is then", arguments: [false, true])
    func changedByAnEnd(isSet: Bool) {
        let (list, left, came, substitute) = (Rows(), Row(), Row(), Row())
        list.rows = [left]
        var told: [ObjectIdentifier] = []
        list.$rows.observeEach(\.$level) { [unowned list] row, change in
            told.append(ObjectIdentifier(row))
            guard row === left else { return }
            change.observation.onEnd { _ in
                if isSet { list.rows = [substitute] } else { list.rows.append(substitute) }
            }
        }
        left.level = 1
        list.rows = [came]
        if !isSet { list.$rows.remove(at: 0) }
        told = []
        came.level = 5
        substitute.level = 5
        expectEqual(told, [ObjectIdentifier(substitute)])
    }
}
