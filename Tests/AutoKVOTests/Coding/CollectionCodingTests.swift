import AutoKVO
import AutoKVOTestSupport
import Testing

/// Values of all objects of a collection.
struct CollectionCodingTests {
    private let ann = Person("Ann")
    private let bob = Person("Bob")
    private let eve = Employee("Eve")
    private let recorder = Recorder<Any>()
    private var people: [Person] { [ann, bob, eve] }

    @Test("the value of a key is one value for each object, nil where a property is nil") func values() throws {
        ann.age = 3
        bob.nickname = "B"
        try expectEqual(people.value(forKey: "age").map { $0 as? Int }, [3, 0, 0])
        let nicknames = try people.value(forKey: "nickname")
        #expect(nicknames.map { $0 as? String } == [nil, "B", nil] && nicknames[0] == nil)
        try expectEqual(people.dropFirst().value(forKey: "firstName").map { $0 as? String }, ["Bob", "Eve"])
        #expect(try [Person]().value(forKey: "age").isEmpty)
        expectEqual(reason { _ = try people.value(forKey: "salary") }, .unknownKey(nearest: nil))
        try expectEqual([eve].value(forKey: "salary").count, 1)
    }

    @Test("a path gives an array of the values at its end, with nil behind an object that is nil") func paths() throws {
        ann.address = Address("Ulm")
        bob.friends = [ann, eve]
        try expectEqual(people.value(forKeyPath: "address.city") as? [String?], ["Ulm", nil, nil])
        try expectEqual(people.value(forKeyPath: "friends.@count") as? [Int], [0, 2, 0])
        try expectEqual(people.value(forKeyPath: "age") as? [Int], [0, 0, 0])
        try expectEqual([Person]().value(forKeyPath: "friends.@count") as? [Int], [])
        bob.friends = []
    }

    @Test("a path may begin with an operator over the objects") func operators() throws {
        (ann.age, bob.age, eve.age) = (10, 20, 60)
        ann.scores = [1, 2]
        eve.scores = [9]
        try expectEqual(people.value(forKeyPath: "@count") as? Int, 3)
        try expectEqual(people.value(forKeyPath: "@count.no.such.key") as? Int, 3)
        try expectEqual(people.value(forKeyPath: "@avg.age") as? Double, 30)
        try expectEqual(people.value(forKeyPath: "@max.firstName") as? String, "Eve")
        try expectEqual(people.value(forKeyPath: "@sum.scores.@sum") as? Int, 12)
        try expectEqual(people.value(forKeyPath: "@unionOfArrays.scores") as? [Int], [1, 2, 9])
        try expectEqual([Person]().value(forKeyPath: "@avg.age") as? Double, 0)
        #expect(try [Person]().value(forKeyPath: "@max.age") == nil)
        try expectEqual(Set([Chip(1), Chip(2)]).value(forKeyPath: "@sum.amount") as? Int, 3)
    }

    @Test(
        "a path that is wrong for one of the objects throws",
        arguments: [
            "", ".", "@", "age.", "agee", "address.citty", "@avg.agee", "@avg.firstName", "@sum", "@nothing",
            "@nothing.age",
            "salary", "@sum.salary", "friends.age", "@max.address", "@sum.@sum.age",
        ])
    func refused(path: String) {
        #expect(reason { _ = try people.value(forKeyPath: path) } != nil)
        #expect(reason { try people.setValue(1, forKeyPath: path) } != nil)
        #expect(reason { try people.setValue(1, forKey: path) } != nil)
    }

    @Test("setting sets all objects, one change each") func setting() throws {
        try people.observe(["age", "address.city"], options: [.new], recorder.handler())
        try people.setValue(7.0, forKey: "age")
        #expect(people.map(\.age) == [7, 7, 7] && recorder.news(Int.self) == [7, 7, 7])
        for person in people { person.address = Address() }
        recorder.clear()
        try people.setValue("Rom", forKeyPath: "address.city")
        #expect(people.allSatisfy { $0.address?.city == "Rom" } && recorder.count == 3)
        try [Person]().setValue("x", forKey: "age")
        #expect(reason { try people.setValue(1, forKeyPath: "@count") } != nil)
        expectEqual(reason { try people.setValue(1, forKeyPath: "friends.@count") }, .readOnlyKey)
    }

    @Test("if one object cannot be set, none is, and no observer is called") func allOrNone() throws {
        ann.address = Address("Ulm")
        eve.address = Address("Bern")
        try people.observe(["age", "address.city"], recorder.handler())
        let error = #expect(throws: KeyValueError.self) { try people.setValue("Rom", forKeyPath: "address.city") }
        #expect(error?.reason == .noObject && error?.key == "address")
        expectEqual(reason { try [eve, ann].setValue(1, forKey: "salary") }, .unknownKey(nearest: nil))
        expectEqual(reason { try people.setValue("x", forKey: "age") }, .wrongType(expected: "Int", actual: "String"))
        expectEqual(reason { try people.setValue("x", forKey: "fullName") }, .readOnlyKey)
        #expect(recorder.count == 0 && ann.address?.city == "Ulm" && eve.salary == 0)
    }

    @Test("objects are not kept alive by a call, be it one that throws") func lifetimes() throws {
        let tracker = LifetimeTracker()
        do {
            let people = [tracker.track(Person()), tracker.track(Person())]
            try people.setValue(tracker.track(Address()), forKey: "address")
            _ = try people.value(forKeyPath: "address.city")
            #expect(reason { try people.setValue(tracker.track(Person()), forKey: "age") } != nil)
            #expect(reason { try people.setValue(1, forKeyPath: "spouse.age") } != nil)
        }
        tracker.expectNoLeaks()
    }
}
