import AutoKVO
import AutoKVOTestSupport
import Testing

private class Base: Model {
    var log: [String] = []
    func note() { log.append("Base.note") }
    override class var schema: Schema {
        Schema(Base.self, extending: super.schema) {
            Handler("note", Base.note)
            Handler("stamp") { $0.log.append("Base.stamp") }
            Handler("twice") {
                $0.note()
                $0.note()
            }
            Handler("unlessEmpty") { base in if !base.log.isEmpty { base.note() } }
            Handler("both") { $0.log.append("Base.both") }
        }
    }
}

private final class Derived: Base {
    override func note() { log.append("Derived.note") }
    override class var schema: Schema {
        Schema(Derived.self, extending: super.schema) {
            Handler("both") { $0.log.append("Derived.both") }
        }
    }
}

private actor Desk: KeyValueObserver {
    func observeAge(of person: Person) throws {
        try person.addObserver(self, forKeyPath: "age") { _, _ in }
    }
}

/// Handlers by name.
struct HandlerTests {
    let person = Person()
    let panel = Person("Panel")

    @Test(
        "a named handler takes nothing, the change, or the change and the user info",
        arguments: [
            ("reload", "reload"), ("reloadClosure", "reloadClosure"), ("nameDidChange", "name:age"),
            ("nameClosure", "nameClosure:age"),
            ("valueDidChange", "value:age:7"), ("valueClosure", "valueClosure:age:7"),
        ])
    func arities(handler: String, entry: String) throws {
        try person.addObserver(panel, forKeyPath: "age", handler: handler, userInfo: 7)
        try panel.observe("age", of: person, handler: handler, userInfo: 7)
        try person.addObserver(panel, forKeyPath: "age", handler: handler, userInfo: 7)
        person.age = 1
        expectEqual(panel.log, [entry, entry, entry])
    }

    @Test("user info left out is nil to the handler") func noUserInfo() throws {
        try person.addObserver(panel, forKeyPath: "age", handler: "valueDidChange")
        person.age = 1
        expectEqual(panel.log, ["value:age:nil"])
    }

    @Test("a handler without parameters makes one initial call for several paths, others one for each")
    func sharedInitial() throws {
        try person.addObserver(
            panel, forKeyPath: ["age", "firstName", "address.city"], options: [.initial], handler: "reload")
        expectEqual(panel.log, ["reload"])
        try person.addObserver(panel, forKeyPath: ["age", "firstName"], options: [.initial], handler: "nameDidChange")
        expectEqual(panel.log, ["reload", "name:age", "name:firstName"])
        try [person, Person()].addObserver(panel, forKeyPath: "age", options: [.initial], handler: "reload")
        expectEqual(panel.log.count, 4)
    }

    @Test("an unknown handler is an error with the nearest name, and nothing is registered") func unknown() throws {
        let error = #expect(throws: KeyValueError.self) {
            try person.addObserver(panel, forKeyPath: "age", options: [.initial], handler: "relaod")
        }
        expectEqual(error?.reason, .unknownHandler(nearest: "reload"))
        expectEqual(error?.className, "Person")
        expectEqual(error?.description.contains("did you mean \"reload\"?"), true)
        #expect(throws: KeyValueError.self) { try panel.observe("age", of: person, handler: "") }
        #expect(throws: KeyValueError.self) { try [person].addObserver(panel, forKeyPath: "age", handler: "age") }
        #expect(throws: KeyValueError.self) {
            try person.addObserver(PlainObserver(), forKeyPath: "age", handler: "reload")
        }
        #expect(person.observations().isEmpty && panel.observations().isEmpty && panel.log.isEmpty)
    }

    @Test("a wrong path with a right handler is an error too") func wrongPath() throws {
        #expect(throws: KeyValueError.self) { try person.addObserver(panel, forKeyPath: "agee", handler: "reload") }
        #expect(panel.observations().isEmpty)
    }

    @Test("a class that is not tracked can have named handlers") func plainPanel() throws {
        let plain = PlainPanel()
        try person.addObserver(plain, forKeyPath: "age", handler: "refresh")
        try plain.observe("age", of: person, handler: "show")
        try plain.observe("age", of: person, handler: "tell", userInfo: "u")
        person.age = 1
        expectEqual(plain.log, ["refresh", "show:age", "tell:age:u"])
        let error = #expect(throws: KeyValueError.self) { try plain.observe("age", of: person, handler: "refrsh") }
        expectEqual(error?.reason, .unknownHandler(nearest: "refresh"))
    }

    @Test("a subclass inherits handlers, overrides methods, and may declare a handler again") func inherited() throws {
        let observer = Derived()
        for handler in ["note", "stamp", "both"] {
            try person.addObserver(observer, forKeyPath: "age", handler: handler)
        }
        person.age = 1
        expectEqual(observer.log, ["Derived.note", "Base.stamp", "Derived.both"])
        let base = Base()
        try person.addObserver(base, forKeyPath: "age", handler: "both")
        person.age = 2
        expectEqual(base.log, ["Base.both"])
    }

    @Test("a subclass of a SchemaProviding class uses its handlers") func plainSubclass() throws {
        final class Special: PlainPanel {}
        let special = Special()
        try person.addObserver(special, forKeyPath: "age", handler: "refresh")
        person.age = 1
        expectEqual(special.log, ["refresh"])
    }

    @Test("an actor may be an observer") func actorObserver() async throws {
        let desk = Desk()
        let person = Person()
        try await desk.observeAge(of: person)
    }

    @Test("a named handler may end its own observation and others") func removesItself() throws {
        var observation: KeyValueObservation?
        try person.addObserver(panel, forKeyPath: "age", handler: "reload")
        try person.addObserver(panel, forKeyPath: "age") { panel, _ in
            panel.log.append("closure")
            panel.stopObserving()
        }
        observation = try person.addObserver(panel, forKeyPath: "age", handler: "nameDidChange")
        person.age = 1
        person.age = 2
        expectEqual(panel.log, ["reload", "closure"])
        expectEqual(observation?.isValid, false)
    }
}
