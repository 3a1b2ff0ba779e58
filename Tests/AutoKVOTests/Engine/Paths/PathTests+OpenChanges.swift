import AutoKVO
import AutoKVOTestSupport
import Testing

/// A path is moved onto an object between `willChangeValue` and `didChangeValue` of a property on the path: its observer is
/// called for both changes. `token` is announced by hand only, the others by their writes too.
extension PathTests {
    private func person(token: Int) -> Person {
        let person = Person()
        person.token = token
        return person
    }

    /// The values of the calls, each as "old → new".
    private var values: [String] {
        recorder.entries.map {
            "\($0.old.map(String.init(describing:)) ?? "-") → \($0.new.map(String.init(describing:)) ?? "-")"
        }
    }

    @Test("moved onto an object whose change is open: called for the move and for the change") func openLeaf() throws {
        person.spouse = person(token: 1)
        let next = person(token: 2)
        try person.observe("spouse.token", options: [.old, .new], recorder.handler())
        next.willChangeValue(forKey: "token")
        person.spouse = next
        next.token = 3
        next.didChangeValue(forKey: "token")
        expectEqual(values, ["1 → 2", "2 → 3"])
    }

    @Test("the same where the write announces itself inside the open change") func openLeafWithWrite() throws {
        person.address = Address("a")
        let next = Address("b")
        try person.observe("address.city", options: [.old, .new], recorder.handler())
        next.willChangeValue(forKey: "city")
        person.address = next
        next.city = "c"
        next.didChangeValue(forKey: "city")
        expectEqual(values, ["a → b", "b → c"])
    }

    @Test("the same where the open change is of an object in the middle of the path") func openMiddle() throws {
        let next = Person()
        next.address = Address("a")
        try person.observe("spouse.address.city", options: [.new], recorder.handler())
        next.willChangeValue(forKey: "address")
        person.spouse = next
        next.address = Address("b")
        next.didChangeValue(forKey: "address")
        expectEqual(recorder.news(String.self), ["a", "b"])
        next.address?.city = "c"
        expectEqual(recorder.last?.new as? String, "c")
        expectEqual(recorder.count, 3)
    }

    @Test("the same for a weak head") func openBehindWeakHead() throws {
        let (first, next) = (person(token: 1), person(token: 2))
        person.parent = first
        try person.observe("parent.token", options: [.old, .new], recorder.handler())
        next.willChangeValue(forKey: "token")
        person.parent = next
        next.token = 3
        next.didChangeValue(forKey: "token")
        expectEqual(values, ["1 → 2", "2 → 3"])
        withExtendedLifetime(first) {}
    }

    @Test("the same for an element behind an operator") func openElement() throws {
        person.friends = [person(token: 1)]
        let next = person(token: 2)
        try person.observe("friends.@sum.token", options: [.old, .new], recorder.handler())
        next.willChangeValue(forKey: "token")
        person.friends.append(next)
        next.token = 10
        next.didChangeValue(forKey: "token")
        expectEqual(values, ["1 → 3", "3 → 11"])
    }

    @Test("the same for a collection behind the head, with an operator") func openCollection() throws {
        let next = Person()
        next.scores = [1]
        try person.observe("spouse.scores.@count", options: [.new], recorder.handler())
        next.willChangeValue(forKey: "scores")
        person.spouse = next
        next.scores = [1, 2]
        next.didChangeValue(forKey: "scores")
        expectEqual(recorder.news(Int.self), [1, 2])
    }

    @Test("the same for a derived key at the end of the path") func openBaseOfDerivedLeaf() throws {
        let (box, next) = (DerivedBox(), DerivedBox())
        box.inner = DerivedBox()
        next.a = 5
        try box.observe("inner.sum", options: [.old, .new], recorder.handler())
        next.willChangeValue(forKey: "a")
        box.inner = next
        next.a = 8
        next.didChangeValue(forKey: "a")
        expectEqual(values, ["3 → 7", "7 → 10"])
    }

    @Test("the same for a key that is derived from the path") func openEndOfDerivedKey() throws {
        let (box, next) = (DerivedBox(), DerivedBox())
        box.inner = DerivedBox()
        next.a = 5
        try box.observe("innerSum", options: [.old, .new], recorder.handler())
        next.willChangeValue(forKey: "a")
        box.inner = next
        next.a = 8
        next.didChangeValue(forKey: "a")
        expectEqual(values, ["3 → 7", "7 → 10"])
    }

    @Test("the same for each of two paths that are moved inside two open changes") func twoOpenChanges() throws {
        person.spouse = person(token: 1)
        let next = person(token: 2)
        next.age = 20
        try person.observe("spouse.token", options: [.new], recorder.handler())
        try person.observe("spouse.age", options: [.new], recorder.handler())
        next.willChangeValue(forKey: "token")
        next.willChangeValue(forKey: "age")
        person.spouse = next
        (next.token, next.age) = (3, 30)
        next.didChangeValue(forKey: "age")
        next.didChangeValue(forKey: "token")
        expectEqual(recorder.news(Int.self), [2, 20, 30, 3])
    }
}
