import AutoKVO
import AutoKVOTestSupport
import Testing

/// Order and re-entrancy.
struct OrderTests {
    let person = Person()
    let recorder = Recorder<Any>()

    @Test(
        "observers of one key are called in the order of registration, before and after alike",
        arguments: [3, 16, 17, 40])
    func registrationOrder(count: Int) throws {
        for index in 0..<count { try person.observe("age", options: [.prior], recorder.handler("\(index)")) }
        person.age = 1
        let labels = (0..<count).map(String.init)
        expectEqual(recorder.labels, labels + labels)
        expectEqual(recorder.priors, Array(repeating: true, count: count) + Array(repeating: false, count: count))
    }

    @Test("kinds of observation do not change the order: closures, observers, groups, paths, handles") func mixedOrder()
        throws
    {
        let panel = Person("Panel")
        try person.observe("age", recorder.handler("1"))
        try person.observe(["age", "firstName"], recorder.handler("2"))
        try person.addObserver(panel, forKeyPath: "age") { [recorder] in recorder.record($1, "3") }
        try person.observe("age", options: [.old, .new], recorder.handler("4"))
        try [person, panel].observe("age", recorder.handler("5"))
        var typed = 0
        person.observe(\.age) { [recorder] _, _ in typed = recorder.count }
        person.age = 1
        expectEqual(recorder.labels, ["1", "2", "3", "4", "5"])
        expectEqual(typed, 5)
    }

    @Test("removing and adding again puts an observation at the end") func reAdd() throws {
        try person.observe("age", recorder.handler("a"))
        let b = try person.observe("age", recorder.handler("b"))
        try person.observe("age", recorder.handler("c"))
        b.remove()
        try person.observe("age", recorder.handler("b"))
        person.age = 1
        expectEqual(recorder.labels, ["a", "c", "b"])
    }

    @Test("a handler that sets the same key again: everybody hears every change in the order in which they were made")
    func nestedSet() throws {
        try person.observe("age", options: [.old, .new]) { [recorder] change in
            recorder.record(change, "a")
            let target = change.target as! Person
            if target.age < 3 { target.age += 1 }
        }
        try person.observe("age", options: [.old, .new], recorder.handler("b"))
        person.age = 1
        expectEqual(recorder.labels, ["a", "b", "a", "b", "a", "b"])
        expectEqual(recorder.news(Int.self), [1, 1, 2, 2, 3, 3])
        expectEqual(recorder.olds(Int.self), [0, 0, 1, 1, 2, 2])
    }

    @Test("a nested set has prior calls of its own, and holds for derived keys too") func depthFirstPrior() throws {
        try person.observe("age", options: [.prior]) { [recorder] change in
            recorder.record(change)
            let target = change.target as! Person
            if !change.isPrior, target.age < 2 { target.age += 1 }
        }
        person.age = 1
        expectEqual(recorder.priors, [true, false, true, false])
        recorder.clear()
        try person.observe("fullName", options: [.old, .new]) { [recorder] change in
            recorder.record(change)
            let target = change.target as! Person
            if target.firstName.count < 5 { target.firstName += "!" }
        }
        person.firstName = "Bob"
        expectEqual(recorder.news(String.self), ["Bob Lee", "Bob! Lee", "Bob!! Lee"])
        expectEqual(recorder.olds(String.self), ["Ann Lee", "Bob Lee", "Bob! Lee"])
    }

    @Test("an endless ping-pong is bounded by .distinct") func pingPong() throws {
        let other = Person("Other")
        try person.observe("age", as: Int.self, options: [.new, .distinct]) { other.age = $0.newValue! }
        try other.observe("age", as: Int.self, options: [.new, .distinct]) { [person] in person.age = $0.newValue! }
        person.age = 4
        expectEqual(other.age, 4)
        other.age = 7
        expectEqual(person.age, 7)
        person.removeAllObservers()
        other.removeAllObservers()
    }

    @Test(
        "an observer registered inside a handler, prior or not, gets later changes and not this one",
        arguments: [true, false])
    func registersInside(prior: Bool) throws {
        var isAdded = false
        try person.observe("age", options: [.prior]) { [recorder] change in
            guard change.isPrior == prior, !isAdded else { return }
            isAdded = true
            try! change.target!.observe("age", recorder.handler("age"))
            try! change.target!.observe("firstName", recorder.handler("firstName"))
            try! change.target!.observe(["age", "address.city"], recorder.handler("group"))
        }
        person.age = 1
        expectEqual(recorder.count, 0)
        person.firstName = "x"
        person.age = 2
        person.age = 3
        expectEqual(recorder.labels, ["firstName", "age", "group", "age", "group"])
    }

    @Test("a newcomer registered inside a delivery with .initial is called at once, and not again for it")
    func initialInside() throws {
        try person.observe("age", options: [.once]) { [recorder] change in
            try! change.target!.observe("age", options: [.initial, .new], recorder.handler())
        }
        person.age = 1
        expectEqual(recorder.news(Int.self), [1])
    }

    @Test("a handler may set other keys, whose observers are called inside") func otherKeys() throws {
        try person.observe("age") { [recorder] change in
            recorder.record(change, "begin")
            (change.target as! Person).lastName = "Ray"
            recorder.record(change, "end")
        }
        try person.observe("lastName", recorder.handler("lastName"))
        person.age = 1
        expectEqual(recorder.labels, ["begin", "lastName", "end"])
    }

    // Key and its dependent both observed.
    @Test(
        "a key and its dependent both observed: one call each, the key's own observers first", arguments: [true, false])
    func keyBeforeDependent(keyFirst: Bool) throws {
        if keyFirst { try person.observe("firstName", options: [.prior], recorder.handler("key")) }
        try person.observe("greeting", options: [.prior], recorder.handler("greeting"))
        try person.observe("fullName", options: [.prior], recorder.handler("fullName"))
        if !keyFirst { try person.observe("firstName", options: [.prior], recorder.handler("key")) }
        person.firstName = "Bob"
        expectEqual(recorder.labels.filter { $0 == "key" }.count, 2)
        expectEqual(recorder.count, 6)
        expectEqual(recorder.labels.first, "key")
        expectEqual(recorder.labels[3], "key")
        expectEqual(recorder.priors, [true, true, true, false, false, false])
    }

    // When values are read.
    @Test("new is read before the first handler, once for all") func newIsReadFirst() throws {
        var nested = false
        try person.observe("fullName", options: [.new]) { [recorder] change in
            recorder.record(change, "a")
            if !nested {
                nested = true
                (change.target as! Person).lastName = "Ray"
            }
        }
        try person.observe("fullName", options: [.new], recorder.handler("b"))
        person.firstName = "Bob"
        expectEqual(recorder.labels, ["a", "b", "a", "b"])
        expectEqual(recorder.news(String.self), ["Bob Lee", "Bob Lee", "Bob Ray", "Bob Ray"])
    }

    // Observer removed by an earlier handler of the same delivery.
    @Test("an observer removed by an earlier handler gets nothing more, in either phase", arguments: [true, false])
    func removedByEarlier(prior: Bool) throws {
        var victim: KeyValueObservation?
        var victims: KeyValueObservation?
        try person.observe("age", options: [.prior]) { change in
            if change.isPrior == prior {
                victim?.remove()
                victims?.remove(keyPath: "age")
            }
        }
        victim = try person.observe("age", options: [.prior], recorder.handler("v"))
        victims = try person.observe(["age", "firstName"], options: [.prior], recorder.handler("g"))
        person.age = 1
        #expect(recorder.labels == (prior ? [] : ["v", "g"]))
        expectEqual(victims?.isValid, true)
    }

    @Test("the death of a later observer during a delivery keeps it from being called") func dies() throws {
        final class Owner { var panel: Person? = Person("Panel") }
        let owner = Owner()
        try person.observe("age") { _ in owner.panel = nil }
        try person.addObserver(owner.panel!, forKeyPath: "age") { [recorder] in recorder.record($1) }
        person.age = 1
        expectEqual(recorder.count, 0)
    }

    @Test("very deep nesting of changes is possible") func deep() throws {
        try person.observe("age") { change in
            let target = change.target as! Person
            if target.age < 500 { target.age += 1 }
        }
        person.age = 1
        expectEqual(person.age, 500)
    }

    // A setter that alters its argument.
    @Test("new is the value read back") func alteringSetter() throws {
        let clamp = Clamp()
        try clamp.observe("level", options: [.old, .new], recorder.handler())
        clamp.level = 500
        expectEqual(recorder.news(Int.self), [100])
        expectEqual(recorder.olds(Int.self), [0])
    }
}

private final class Clamp: Model {
    private var stored = 0
    var level: Int {
        get { stored }
        set { withMutation(of: "level") { stored = min(newValue, 100) } }
    }
    override class var schema: Schema {
        Schema(Clamp.self, extending: super.schema) { Key("level", \.level, notifiesAutomatically: false) }
    }
}
