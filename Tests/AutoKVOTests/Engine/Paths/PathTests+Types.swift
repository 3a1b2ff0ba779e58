import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Holder: Model {
    @Observed var anything: Any?
    override class var schema: Schema { Schema(Holder.self, extending: super.schema) { Key("anything", \.anything) } }
}

/// Refers to an object of any class, and has a key that is derived from it and whose reading does something.
private final class Drawer: TrackedObject {
    @Observed var thing: AnyObject?
    var whenRead: (() -> Void)?
    var label: String {
        whenRead?()
        return thing.map { "\(type(of: $0))" } ?? "nothing"
    }

    override class var schema: Schema {
        Schema(Drawer.self, extending: super.schema) {
            Key("thing", \.thing)
            Key("label", \.label, affectedBy: "thing")
        }
    }
}

/// Two classes with a key of the same name in different places.
private final class Coin: TrackedObject {
    @Observed var worth = 1
    override class var schema: Schema {
        Schema(Coin.self, extending: super.schema) { Key("worth", \.worth) }
    }
}

/// What it refers to is declared as any tracked object.
private final class Shelf: TrackedObject {
    @Observed var thing: TrackedObject?
    @Observed var things: [TrackedObject] = []
    @Observed var next: Shelf?
}

private final class Stamp: TrackedObject {
    @Observed var isUsed = false
    @Observed var worth = 10
    override class var schema: Schema {
        Schema(Stamp.self, extending: super.schema) {
            Key("isUsed", \.isUsed)
            Key("worth", \.worth)
        }
    }
}

extension PathTests {
    @Test("behind a property declared as TrackedObject a path finds the keys of the object that is there")
    func declaredAsTrackedObject() throws {
        let shelf = Shelf()
        shelf.next = Shelf()
        let coin = Coin()
        try shelf.observe("next.thing.worth", options: [.old, .new], recorder.handler("thing"))
        try shelf.observe("things.@sum.worth", options: [.old, .new], recorder.handler("things"))
        #expect(try shelf.value(forKeyPath: "next.thing.worth") == nil)
        shelf.next!.thing = coin
        shelf.things = [coin, Stamp()]
        coin.worth = 5
        expectEqual(recorder.news(Int.self), [1, 11, 5, 15])
        expectEqual(recorder.labels, ["thing", "things", "thing", "things"])
        try shelf.setValue(7, forKeyPath: "next.thing.worth")
        expectEqual(coin.worth, 7)
        #expect(throws: KeyValueError.self) { try shelf.value(forKeyPath: "next.thing.title") }
        #expect(throws: KeyValueError.self) { try shelf.setValue(7, forKeyPath: "next.thing.title") }
        #expect(throws: KeyValueError.self) { try shelf.observe("next.thnig.worth") { _ in } }
        #expect(throws: KeyValueError.self) { try TrackedObject().observe("thing.worth") { _ in } }
        shelf.next!.thing = nil
        #expect(throws: KeyValueError.self) { try shelf.setValue(7, forKeyPath: "next.thing.worth") }
    }

    @Test("a path finds its keys in objects of whatever classes it leads to, each time another") func classesInTurn()
        throws
    {
        let drawer = Drawer()
        let (coin, stamp) = (Coin(), Stamp())
        try drawer.observe("thing.worth", options: [.old, .new], recorder.handler())
        for thing in [coin, stamp, coin, stamp] as [TrackedObject] { drawer.thing = thing }
        expectEqual(recorder.news(Int.self), [1, 10, 1, 10])
        expectEqual(recorder.olds(Int.self).dropFirst(), [1, 10, 1])
        coin.worth = 2
        stamp.isUsed = true
        expectEqual(recorder.count, 4)
        stamp.worth = 20
        expectEqual(recorder.count, 5)
        expectEqual(recorder.last?.new as? Int, 20)
        try expectEqual(drawer.value(forKeyPath: "thing.worth") as? Int, 20)
    }

    @Test("a path that is observed while a derived key is read for its old value follows the new object")
    func observedWhileTheOldValueIsRead() throws {
        let drawer = Drawer()
        let (coin, stamp) = (Coin(), Stamp())
        drawer.thing = coin
        let labels = Recorder<Any>()
        try drawer.observe("label", options: [.old, .new], labels.handler())
        drawer.whenRead = { [unowned drawer] in
            drawer.whenRead = nil
            try! drawer.observe("thing.worth", options: .new, recorder.handler())
        }
        drawer.thing = stamp
        expectEqual(labels.olds(String.self), ["Coin"])
        expectEqual(labels.news(String.self), ["Stamp"])
        let before = recorder.count
        coin.worth = 2
        expectEqual(recorder.count, before)
        stamp.worth = 20
        expectEqual(recorder.count, before + 1)
        expectEqual(recorder.last?.new as? Int, 20)
        withExtendedLifetime(drawer) {}
    }

    @Test(
        "a plain path through an array, a set or a value is an error at registration",
        arguments: [
            "friends.age", "friends.friends.age", "tags.count", "scores.first", "age.magnitude", "firstName.count",
            "fullName.count", "spouse.friends.age", "friends.x.@count", "age.@sum", "tags.@sum.age", "friends.@nope",
            "@count", "friends.@max.agee",
        ])
    func throughCollection(path: String) throws {
        #expect(throws: KeyValueError.self) { try person.observe(path) { _ in } }
        #expect(person.observations().isEmpty)
    }

    @Test("a path that ends in an operator is accepted, and follows members and elements") func operators() throws {
        let friend = Person("F")
        friend.age = 10
        let observation = try person.observe(
            ["friends.@count", "friends.@sum.age"], options: [.old, .new], recorder.handler())
        person.friends = [friend]
        #expect(recorder.count == 1 || recorder.count == 2)
        recorder.clear()
        friend.age = 15
        expectEqual(recorder.paths, ["friends.@sum.age"])
        expectEqual(recorder.last?.old as? Int, 10)
        expectEqual(recorder.last?.new as? Int, 15)
        observation.remove()
        person.friends = []
        expectEqual(recorder.count, 1)
    }

    @Test(
        "a misspelt later component is an error at once, though the head is nil",
        arguments: [("address.citi", "city"), ("spouse.adress.city", "address"), ("spouse.address.zipp", "zip")])
    func misspeltLater(path: String, nearest: String) throws {
        let error = #expect(throws: KeyValueError.self) { try person.observe(path) { _ in } }
        expectEqual(error?.reason, .unknownKey(nearest: nearest))
        expectEqual(error?.keyPath, path)
    }

    @Test("subclasses as intermediates, and a path that needs the subclass is an error by the declared type")
    func subclasses() throws {
        let employee = Employee("E")
        person.spouse = employee
        try person.observe("spouse.fullName", options: [.new], recorder.handler())
        employee.firstName = "F"
        expectEqual(recorder.last?.new as? String, "F Lee")
        person.spouse = Person("P")
        expectEqual(recorder.last?.new as? String, "P Lee")
        #expect(throws: KeyValueError.self) { try person.observe("spouse.salary") { _ in } }
        let department = Department()
        department.manager = employee
        try employee.observe("department.manager.salary", options: [.new], recorder.handler())
        employee.department = department
        employee.salary = 5
        expectEqual(recorder.last?.new as? Int, 5)
        employee.department = nil
    }

    @Test("a path through Any or a protocol type is followed, and what does not fit is a diagnostic") func opaque()
        throws
    {
        let holder = Holder()
        try holder.observe("anything.city", options: [.new], recorder.handler())
        holder.anything = Address("Ulm")
        expectEqual(recorder.last?.new as? String, "Ulm")
        (holder.anything as! Address).city = "Bonn"
        expectEqual(recorder.last?.new as? String, "Bonn")
        let lines = messages { holder.anything = Person() }
        expectEqual(recorder.count, 3)
        #expect(recorder.last?.new as? String == nil)
        #expect(!lines.isEmpty)
        holder.anything = 7
        holder.anything = nil
        expectEqual(recorder.count, 5)
    }
}
