import AutoKVO
import AutoKVOTestSupport
import Testing

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

@Suite("Paths through objects") struct PathTests {
    let tracker = LifetimeTracker()
    let person = Person()
    let recorder = Recorder<Any>()

    @Test("from a nil head: setting it is one call, old empty, new the leaf") func nilHead() throws {
        try person.observe("address.city", options: [.old, .new], recorder.handler())
        person.address = Address("Bonn")
        #expect(recorder.count == 1)
        #expect(recorder.last?.old != nil)
        #expect(recorder.last?.old as? String == nil)
        #expect(recorder.last?.new as? String == "Bonn")
        #expect(recorder.last?.kind == .setting)
    }

    @Test("initial with a nil head is one call with an empty value") func initialNil() throws {
        try person.observe("spouse.address.city", options: [.initial, .new], recorder.handler())
        #expect(recorder.count == 1)
        #expect(recorder.last?.new != nil)
        #expect(recorder.last?.new as? String == nil)
    }

    @Test("a path finds its keys in objects of whatever classes it leads to, each time another") func classesInTurn()
        throws
    {
        let drawer = Drawer()
        let (coin, stamp) = (Coin(), Stamp())
        try drawer.observe("thing.worth", options: [.old, .new], recorder.handler())
        for thing in [coin, stamp, coin, stamp] as [TrackedObject] { drawer.thing = thing }
        #expect(recorder.news(Int.self) == [1, 10, 1, 10])
        #expect(recorder.olds(Int.self).dropFirst() == [1, 10, 1])
        coin.worth = 2
        stamp.isUsed = true
        #expect(recorder.count == 4)
        stamp.worth = 20
        #expect(recorder.count == 5)
        #expect(recorder.last?.new as? Int == 20)
        #expect(try drawer.value(forKeyPath: "thing.worth") as? Int == 20)
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
        #expect(labels.olds(String.self) == ["Coin"])
        #expect(labels.news(String.self) == ["Stamp"])
        let before = recorder.count
        coin.worth = 2
        #expect(recorder.count == before)
        stamp.worth = 20
        #expect(recorder.count == before + 1)
        #expect(recorder.last?.new as? Int == 20)
        withExtendedLifetime(drawer) {}
    }

    @Test("a change at any level reports the root and the whole path", arguments: 0..<3) func anyLevel(level: Int)
        throws
    {
        let spouse = Person("S")
        spouse.address = Address("Ulm")
        person.spouse = spouse
        try person.observe("spouse.address.city", options: [.old, .new], recorder.handler())
        switch level {
        case 0:
            let other = Person("O")
            other.address = Address("Bonn")
            person.spouse = other
        case 1: spouse.address = Address("Bonn")
        default: spouse.address!.city = "Bonn"
        }
        #expect(recorder.paths == ["spouse.address.city"])
        #expect(recorder.last?.target == ObjectIdentifier(person))
        #expect(recorder.last?.old as? String == "Ulm")
        #expect(recorder.last?.new as? String == "Bonn")
        #expect(recorder.last?.indexes == nil)
    }

    @Test("a path to an array, its head swapped: a setting with both arrays whole") func swappedHeadArray() throws {
        person.spouse = Person("S")
        person.spouse!.scores = [1, 2]
        try person.observe("spouse.scores", options: [.old, .new], recorder.handler())
        let other = Person("O")
        other.scores = [3]
        person.spouse = other
        #expect(recorder.kinds == [.setting])
        #expect(recorder.olds([Int].self) == [[1, 2]])
        #expect(recorder.news([Int].self) == [[3]])
    }

    @Test("a.a without options: child set, child nil: two calls") func subpath1() throws {
        try person.observe("spouse.spouse", recorder.handler())
        person.spouse = Person()
        person.spouse = nil
        #expect(recorder.count == 2)
    }

    @Test("a.a.a: child set, grandchild set, grandchild nil, child nil: four calls") func subpathSubpath() throws {
        try person.observe("spouse.spouse.spouse", recorder.handler())
        person.spouse = Person()
        person.spouse!.spouse = Person()
        person.spouse!.spouse = nil
        person.spouse = nil
        #expect(recorder.count == 4)
    }

    @Test("heads replaced: one call each, and nothing from those that left") func heads() throws {
        let first = Person("1")
        let second = Person("2")
        person.spouse = first
        try person.observe("spouse.age", recorder.handler())
        person.spouse = nil
        #expect(recorder.count == 1)
        person.spouse = first
        person.spouse = second
        #expect(recorder.count == 3)
        first.age = 1
        #expect(recorder.count == 3)
        #expect(first.observations().isEmpty)
        second.age = 1
        #expect(recorder.count == 4)
    }

    @Test("setting the same head again is one call") func sameHead() throws {
        let address = Address()
        person.address = address
        try person.observe("address.city", options: [.old, .new], recorder.handler())
        person.address = address
        #expect(recorder.count == 1)
        address.city = "Bonn"
        #expect(recorder.count == 2)
    }

    @Test("three paths that share a head: one initial call each, with the path's own value", arguments: [false, true])
    func sharedHead(asOne: Bool) throws {
        person.spouse = Person("S")
        let paths = ["spouse.nickname", "spouse.age", "spouse.address.city"]
        if asOne {
            try person.observe(paths, options: [.initial, .new], recorder.handler())
        } else {
            for path in paths { try person.observe(path, options: [.initial, .new], recorder.handler()) }
        }
        #expect(recorder.paths == paths)
        #expect(recorder.entries.allSatisfy { $0.new != nil && $0.old == nil })
        #expect(recorder.news(String.self) == [nil, nil, nil] && recorder.news(Int.self) == [nil, 0, nil])
    }

    @Test("many keys and paths of one object, each told as often as it changes") func allProperties() throws {
        for path in ["age", "fullName", "address", "address.city", "spouse.address.city", "cityLine"] {
            try person.observe(path, recorder.handler())
        }
        person.age = 1
        person.firstName = "x"
        person.address = Address("Bonn")
        person.address!.city = "Kiel"
        let expected = ["address", "address.city", "address.city", "age", "cityLine", "cityLine", "fullName"]
        #expect(recorder.paths.sorted() == expected)
    }

    @Test("a path through objects that refer to themselves reports the path as registered, once for each change")
    func selfReference() throws {
        person.spouse = person
        try person.observe("spouse.spouse.spouse.age", options: [.old, .new], recorder.handler())
        person.age = 1
        #expect(recorder.paths == ["spouse.spouse.spouse.age"])
        #expect(recorder.last?.new as? Int == 1)
        person.spouse = nil
        #expect(recorder.count == 2)
        person.age = 2
        #expect(recorder.count == 2)
    }

    @Test("an object that stands at several places of a path: one call for each change") func sharedObject() throws {
        let a = Person("A")
        let b = Person("B")
        person.spouse = a
        a.spouse = b
        b.spouse = a
        try person.observe("spouse.spouse.spouse.spouse.age", options: [.old, .new, .prior], recorder.handler())
        b.age = 3
        #expect(recorder.priors == [true, false])
        recorder.clear()
        a.age = 3
        #expect(recorder.count == 0)
        a.spouse = person
        #expect(recorder.priors == [true, false])
        #expect(recorder.last?.old as? Int == 3)
        // person → a → person → a → person
        #expect(recorder.last?.new as? Int == 0)
        recorder.clear()
        person.age = 8
        #expect(recorder.entries.map { $0.new as? Int } == [nil, 8])
        person.spouse = nil
    }

    @Test("removal with a nil on the way is no error") func removalWithNil() throws {
        person.address = Address()
        let observation = try person.observe("address.city", recorder.handler())
        person.address = nil
        observation.remove()
        person.address = Address()
        #expect(recorder.count == 1)
        #expect(person.observations().isEmpty)
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
        #expect(recorder.paths == ["friends.@sum.age"])
        #expect(recorder.last?.old as? Int == 10)
        #expect(recorder.last?.new as? Int == 15)
        observation.remove()
        person.friends = []
        #expect(recorder.count == 1)
    }

    @Test("a replaced intermediate is not kept alive") func replacedIsFreed() throws {
        try person.observe("spouse.address.city", options: [.old, .new], recorder.handler())
        do {
            let spouse = tracker.track(Person())
            spouse.address = tracker.track(Address())
            person.spouse = spouse
        }
        #expect(tracker.liveCount == 2)
        recorder.clear()
        person.spouse = nil
        recorder.clear()
        tracker.expectNoLeaks()
    }

    @Test("an intermediate that is replaced without a word: no trap, and removal takes all links")
    func silentIntermediate() throws {
        let (first, second) = (Address("a"), Address("b"))
        let holder = Silent()
        holder.address = first
        let observation = try holder.observe("address.city", options: [.old, .new], recorder.handler())
        holder.address = second
        #expect(recorder.count == 0)
        holder.withMutation(of: "address") {}
        second.city = "c"
        #expect(recorder.last?.new as? String == "c")
        holder.address = nil
        observation.remove()
        #expect(first.observations().isEmpty && second.observations().isEmpty)
        first.city = "x"
        second.city = "x"
        #expect(recorder.count == 2)
    }

    @Test("two sets of the leaf and the holder set to nil are three changes") func threeChanges() throws {
        person.address = Address()
        try person.observe("address.city", options: [.new], recorder.handler())
        person.address!.city = "a"
        person.address!.city = "b"
        person.address = nil
        #expect(recorder.news(String.self) == ["a", "b", nil])
    }

    @Test("a change tells whether the last component changed or one before it, prior and post alike")
    func lastComponent() throws {
        person.address = Address()
        var last: [Bool] = []
        try person.observe("address.city", options: [.prior]) { last.append($0.isLastComponent) }
        person.address!.city = "Bonn"
        #expect(last == [true, true])
        person.address = Address()
        #expect(last == [true, true, false, false])
    }

    @Test("a path that ends in an array of another object keeps kind and indexes") func arrayBehindObject() throws {
        person.spouse = Person()
        person.spouse!.scores = [1, 2, 3]
        try person.observe("spouse.scores", options: [.old, .new], recorder.handler())
        let spouse = person.spouse!
        spouse.willChange(.insertion, valuesAt: 1..<2, forKey: "scores")
        spouse.scores.insert(9, at: 1)
        spouse.didChange(.insertion, valuesAt: 1..<2, forKey: "scores")
        #expect(recorder.paths == ["spouse.scores"])
        #expect(recorder.kinds == [.insertion])
        #expect(recorder.last?.indexes == RangeSet(1..<2))
        #expect(recorder.last?.new as? [Int] == [9])
        #expect(recorder.last?.old == nil)
    }

    @Test(
        "a misspelt later component is an error at once, though the head is nil",
        arguments: [("address.citi", "city"), ("spouse.adress.city", "address"), ("spouse.address.zipp", "zip")])
    func misspeltLater(path: String, nearest: String) throws {
        let error = #expect(throws: KeyValueError.self) { try person.observe(path) { _ in } }
        #expect(error?.reason == .unknownKey(nearest: nearest))
        #expect(error?.keyPath == path)
    }

    @Test("subclasses as intermediates, and a path that needs the subclass is an error by the declared type")
    func subclasses() throws {
        let employee = Employee("E")
        person.spouse = employee
        try person.observe("spouse.fullName", options: [.new], recorder.handler())
        employee.firstName = "F"
        #expect(recorder.last?.new as? String == "F Lee")
        person.spouse = Person("P")
        #expect(recorder.last?.new as? String == "P Lee")
        #expect(throws: KeyValueError.self) { try person.observe("spouse.salary") { _ in } }
        let department = Department()
        department.manager = employee
        try employee.observe("department.manager.salary", options: [.new], recorder.handler())
        employee.department = department
        employee.salary = 5
        #expect(recorder.last?.new as? Int == 5)
        employee.department = nil
    }

    @Test("thousands of swaps leave every link where it belongs") func thousandsOfSwaps() throws {
        var random = SplitMix64(seed: 2)
        let people = (0..<6).map { tracker.track(Person("\($0)")) }
        let addresses = (0..<4).map { tracker.track(Address("\($0)")) }
        let path = "spouse.spouse.address.city"
        var heard: [String?] = []
        try person.observe(path, options: [.new]) { heard.append($0.newValue as? String) }
        func current() -> String? { person.spouse?.spouse?.address?.city }
        for step in 0..<4000 {
            let subject = Bool.random(using: &random) ? person : people.randomElement(using: &random)!
            let before = current()
            heard = []
            switch Int.random(in: 0..<4, using: &random) {
            case 0: subject.spouse = nil
            case 1: subject.spouse = people.randomElement(using: &random)
            case 2: subject.address = addresses.randomElement(using: &random)
            default: addresses.randomElement(using: &random)!.city = "\(step)"
            }
            #expect(heard.count <= 1)
            if current() != before { #expect(heard == [current()], "step \(step)") }
        }
        for subject in people + [person] { subject.spouse = nil }
        #expect(people.allSatisfy { $0.observations().isEmpty })
        #expect(person.observations().count == 1)
    }

    @Test("intermediates that die while the path is observed elsewhere leave nothing behind") func chainDies() throws {
        var head: Person? = tracker.track(Person("0"))
        var last = head!
        for index in 1..<5 {
            let next = tracker.track(Person("\(index)"))
            last.spouse = next
            last = next
        }
        let observation = try head!.observe("spouse.spouse.spouse.spouse.age", recorder.handler())
        last.age = 1
        #expect(recorder.count == 1)
        last = Person()
        head = nil
        #expect(!observation.isValid)
        tracker.expectNoLeaks()
    }

    @Test("the leaf may outlive the root, and the root the leaf") func leafAndRoot() throws {
        let address = tracker.track(Address())
        do {
            let root = tracker.track(Person())
            root.address = address
            try root.observe("address.city", recorder.handler())
            address.city = "a"
        }
        address.city = "b"
        #expect(recorder.count == 1)
        #expect(tracker.liveCount == 1)
    }

    @Test("a path through Any or a protocol type is followed, and what does not fit is a diagnostic") func opaque()
        throws
    {
        let holder = Holder()
        try holder.observe("anything.city", options: [.new], recorder.handler())
        holder.anything = Address("Ulm")
        #expect(recorder.last?.new as? String == "Ulm")
        (holder.anything as! Address).city = "Bonn"
        #expect(recorder.last?.new as? String == "Bonn")
        let lines = messages { holder.anything = Person() }
        #expect(recorder.count == 3)
        #expect(recorder.last?.new as? String == nil)
        #expect(!lines.isEmpty)
        holder.anything = 7
        holder.anything = nil
        #expect(recorder.count == 5)
    }

    @Test("the same path observed by many is told to each, in order") func manyOnOnePath() throws {
        person.address = Address()
        for index in 0..<20 { try person.observe("address.city", recorder.handler("\(index)")) }
        person.address!.city = "x"
        person.address = Address()
        let labels = (0..<20).map(String.init)
        #expect(recorder.labels == labels + labels)
    }

    @Test("paths of several roots through one shared object are each told with their own root") func sharedLeaf() throws
    {
        let address = Address()
        let people = (0..<3).map { _ in Person() }
        for person in people {
            person.address = address
            try person.observe("address.city", recorder.handler())
        }
        address.city = "x"
        #expect(recorder.entries.map(\.target) == people.map { ObjectIdentifier($0) })
    }

    @Test(
        "one observation of several targets through one shared object is called for each of them, as the change's target"
    )
    func sharedLeafGroup() throws {
        let address = Address()
        let people = (0..<3).map { _ in Person() }
        for person in people { person.address = address }
        try people.observe("address.city", recorder.handler())
        address.city = "x"
        #expect(recorder.entries.map(\.target) == people.map { ObjectIdentifier($0) })
        withExtendedLifetime(people) {}
    }

    @Test("a handler that swaps the path's head while a leaf change is delivered") func swapInHandler() throws {
        person.address = Address("a")
        var isSwapped = false
        try person.observe("address.city", options: [.new]) { [recorder] change in
            recorder.record(change, "1")
            if !isSwapped {
                isSwapped = true
                (change.target as! Person).address = Address("c")
            }
        }
        try person.observe("address.city", options: [.new], recorder.handler("2"))
        person.address!.city = "b"
        #expect(recorder.labels.filter { $0 == "1" }.count == 2)
        #expect(recorder.entries.filter { $0.label == "2" }.contains { $0.new as? String == "c" })
        recorder.clear()
        person.address!.city = "d"
        #expect(recorder.news(String.self) == ["d", "d"])
    }

    @Test("nothing is left when the suite is over") func nothingIsLeft() async {
        await #expect(processExitsWith: .success) { await expectNothingLeft(by: "PathTests") }
    }
}

private final class Holder: Model {
    @Observed var anything: Any?
    override class var schema: Schema { Schema(Holder.self, extending: super.schema) { Key("anything", \.anything) } }
}

/// Holds an address that it does not announce.
private final class Silent: Model {
    var address: Address?
    override class var schema: Schema {
        Schema(Silent.self, extending: super.schema) { Key("address", \.address, notifiesAutomatically: false) }
    }
}
