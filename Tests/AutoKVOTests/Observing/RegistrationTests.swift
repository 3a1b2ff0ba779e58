import AutoKVO
import AutoKVOTestSupport
import Testing

/// A path set of one's own.
private struct NamePaths: KeyPathSet {
    var keyPaths: [String] { ["firstName", "lastName"] }
}

/// A path set that can be changed after the registration.
private final class ShiftingPaths: KeyPathSet {
    var keyPaths = ["age"]
}

/// Registering.
struct RegistrationTests {
    let person = Person()
    let recorder = Recorder<Any>()

    private func setAll() {
        person.firstName = "Bob"
        person.lastName = "Ray"
        person.age = 3
    }

    @Test("several paths: an array, a slice, a set, a type of one's own, a list in one string", arguments: 0..<6)
    func pathSets(form: Int) throws {
        let observation =
            switch form {
            case 0: try person.observe(["firstName", "lastName"], recorder.handler())
            case 1: try person.observe(["x", "firstName", "lastName"].dropFirst(), recorder.handler())
            case 2: try person.observe(Set(["lastName", "firstName"]), recorder.handler())
            case 3: try person.observe(NamePaths(), recorder.handler())
            case 4: try person.observe("firstName|lastName", recorder.handler())
            default: try person.observe(" firstName | lastName ", recorder.handler())
            }
        setAll()
        expectEqual(recorder.paths, ["firstName", "lastName"])
        expectEqual(observation.keyPaths, ["firstName", "lastName"])
        expectEqual(person.observations(), [observation])
    }

    @Test("initial calls of several paths come in the order of the paths, a set's sorted") func initialOrder() throws {
        try person.observe(["lastName", "firstName", "age"], options: [.initial], recorder.handler())
        expectEqual(recorder.paths, ["lastName", "firstName", "age"])
        recorder.clear()
        try person.observe(Set(["lastName", "age", "firstName"]), options: [.initial], recorder.handler())
        expectEqual(recorder.paths, ["age", "firstName", "lastName"])
    }

    @Test("the paths are copied at the registration") func copied() throws {
        let paths = ShiftingPaths()
        try person.observe(paths, recorder.handler())
        paths.keyPaths = ["firstName"]
        setAll()
        expectEqual(recorder.paths, ["age"])
    }

    @Test("a path that stands twice in a set is called for once for each change") func duplicatePath() throws {
        let observation = try person.observe(["age", "age"], recorder.handler())
        person.age = 1
        expectEqual(recorder.count, 1)
        expectEqual(observation.keyPaths, ["age"])
        #expect(observation.remove(keyPath: "age"))
        #expect(!observation.isValid)
        person.age = 2
        expectEqual(recorder.count, 1)
    }

    @Test("one handler over two paths is called for each, and told which") func twoPaths() throws {
        try person.observe(["age", "firstName"], options: [.new], recorder.handler())
        person.age = 1
        person.firstName = "Bob"
        expectEqual(recorder.paths, ["age", "firstName"])
        expectEqual(recorder.entries.map { "\($0.new!)" }, ["1", "Bob"])
    }

    @Test("a handler for each path in one call, in the order written") func handlerPerPath() throws {
        let observation = try person.observe(
            ["lastName": recorder.handler("last"), "firstName|age": recorder.handler("other")], options: [.initial])
        expectEqual(recorder.labels, ["last", "other", "other"])
        recorder.clear()
        setAll()
        expectEqual(recorder.labels, ["other", "last", "other"])
        expectEqual(observation.keyPaths, ["lastName", "firstName", "age"])
        #expect(observation.remove(keyPath: "firstName"))
        recorder.clear()
        setAll()
        expectEqual(recorder.labels, ["last", "other"])
    }

    @Test("every wording reaches the same changes") func wordings() throws {
        let panel = PlainObserver()
        let other = Person("Observer")
        try person.addObserver(panel, forKeyPath: "age") { $0.log.append("target first \($1.keyPath)") }
        try panel.observe("age", of: person) { $0.log.append("observer first \($1.keyPath)") }
        try [person].addObserver(panel, forKeyPath: "age") { $0.log.append("many \($1.keyPath)") }
        try panel.observe("age", of: person, as: Int.self, options: [.new]) { $0.log.append("typed \($1.newValue!)") }
        try person.path("age", as: Int.self).addObserver(panel, options: [.new]) {
            $0.log.append("typed \($1.newValue!)")
        }
        try person.addObserver(other, forKeyPath: "age", handler: "nameDidChange")
        try other.observe("age", of: person, handler: "nameDidChange")
        try person.observe("age") { _ in panel.log.append("no observer") }
        person.observe(\.age) { target, _ in panel.log.append("key path \(target.firstName)") }
        person.$age.observe { _ in panel.log.append("handle") }
        person.age = 2
        expectEqual(
            panel.log,
            [
                "target first age", "observer first age", "many age", "typed 2", "typed 2", "no observer",
                "key path Ann", "handle",
            ])
        expectEqual(other.log, ["name:age", "name:age"])
    }

    @Test("a change knows its target, observer, path, observation and user info") func contents() throws {
        let panel = PlainObserver()
        var fits: [Bool] = []
        var made: KeyValueObservation?
        made = try person.addObserver(panel, forKeyPath: ["age", "fullName"], userInfo: ["k": 1]) { observer, change in
            fits.append(observer === panel && change.observer === panel && change.target === person)
            fits.append(change.observation === made && change.userInfo as? [String: Int] == ["k": 1])
        }
        setAll()
        expectEqual(fits, Array(repeating: true, count: 6))
        let observation = try #require(made)
        #expect(observation.target === person)
        expectEqual(observation.targets.count, 1)
        #expect(observation.observer === panel)
        expectEqual(observation.keyPaths, ["age", "fullName"])
        expectEqual(observation.options, [])
        observation.remove()
    }

    @Test("without an observer and user info a change says so") func noObserver() throws {
        try person.observe("age") { [recorder] change in
            #expect(change.observer == nil)
            #expect(change.userInfo == nil)
            recorder.record(change)
        }
        person.age = 1
        expectEqual(recorder.count, 1)
    }

    @Test("a scoped observation ends when it is released") func scoped() throws {
        var scope: ScopedObservation? = try person.onChange("age", options: [.initial], recorder.handler())
        person.age = 1
        expectEqual(recorder.count, 2)
        expectEqual(scope?.isValid, true)
        let observation = try #require(scope?.observation)
        scope = nil
        person.age = 2
        expectEqual(recorder.count, 2)
        #expect(!observation.isValid)
        scope = try person.observe("age", recorder.handler()).scoped()
        scope?.remove()
        expectEqual(scope?.isValid, false)
        person.age = 3
        expectEqual(recorder.count, 2)
    }

    @Test("a scoped observation of handles and of many targets ends when it is released") func scopedForms() throws {
        var scopes: [ScopedObservation] = [
            person.$age.onChange { [recorder] _ in recorder.clear() },
            [person].map(\.$age).onChange { [recorder] _ in recorder.clear() },
            try person.onChange(["age", "address.city"]) { [recorder] _ in recorder.clear() },
        ]
        // Without a later use of the tokens the optimizer may release them at their last one.
        withExtendedLifetime(scopes) { expectEqual(person.observations().count, 3) }
        scopes.removeAll()
        #expect(person.observations().isEmpty)
    }

    @Test("dropping the result of a registration changes nothing") func dropped() throws {
        weak var weakly: KeyValueObservation?
        do { weakly = try person.observe("age", recorder.handler()) }
        person.age = 1
        expectEqual(recorder.count, 1)
        expectEqual(weakly?.isValid, true)
    }

    @Test("the debug text has both sides, the paths, the options and the place of the registration") func debugText()
        throws
    {
        let panel = PlainObserver()
        let paths = ["age", "address.city"]
        let line = #line + 1
        let observation = try person.addObserver(panel, forKeyPath: paths, options: [.old, .once]) { _, _ in }
        let text = observation.debugDescription
        for part in [
            "Person", "PlainObserver", "\"age\"", "\"address.city\"", ".old", ".once",
            "RegistrationTests.swift:\(line)",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test("observations are equal only to themselves") func identity() throws {
        let a = try person.observe("age", recorder.handler())
        let b = try person.observe("age", recorder.handler())
        #expect(a == a && a != b)
        expectEqual(Set([a, b, a]).count, 2)
    }

    @Test("observations() lists both roles, live ones only, an own one once") func listed() throws {
        let panel = Person("Panel")
        let a = try person.observe("age", recorder.handler())
        let b = try person.addObserver(panel, forKeyPath: ["age", "firstName"]) { _, _ in }
        let c = try person.addObserver(person, forKeyPath: "age") { _, _ in }
        let d = try panel.addObserver(person, forKeyPath: "address.city") { _, _ in }
        expectEqual(Set(person.observations()), [a, b, c, d])
        expectEqual(person.observations().count, 4)
        expectEqual(Set(panel.observations()), [b, d])
        b.remove()
        expectEqual(Set(person.observations()), [a, c, d])
        expectEqual(panel.observations(), [d])
        #expect(Person().observations().isEmpty)
    }
}
