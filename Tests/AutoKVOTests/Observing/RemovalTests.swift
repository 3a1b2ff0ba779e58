import AutoKVO
import AutoKVOTestSupport
import Testing

/// Removing.
struct RemovalTests {
    let person = Person()
    let other = Person("Other")
    let panel = Person("Panel")
    let recorder = Recorder<Any>()

    @Test("removing what was never registered returns 0 and is no error") func unknown() throws {
        expectEqual(person.removeObserver(panel, forKeyPath: "age"), 0)
        expectEqual(person.removeObserver(panel, forKeyPath: "no such key"), 0)
        expectEqual(person.removeObserver(panel, forKeyPath: ""), 0)
        let observation = person.observe(\.age.magnitude) { _, _ in }
        panel.observe(reading: { [person] _ in person.age }) { _, _ in }
        expectEqual(person.removeAllObservers(forKeyPath: "") + panel.stopObserving(""), 0)
        #expect(!observation.remove(keyPath: ""))
        expectEqual(person.removeAllObservers() + panel.stopObserving(), 2)
        expectEqual(person.removeObserver(panel), 0)
        expectEqual(person.removeAllObservers(), 0)
        expectEqual(panel.stopObserving("age", of: person), 0)
        expectEqual(panel.stopObserving(), 0)
        expectEqual(panel.stopObserving(), 0)
        expectEqual(PlainObserver().stopObserving(), 0)
        try expectEqual(KeyValueObservation.removeAll(observer: panel), 0)
        expectEqual(person.removeObserver(panel, forKeyPath: "age", context: nil), 0)
    }

    @Test("removing twice is harmless, and the second time returns 0") func twice() throws {
        let observation = try person.addObserver(panel, forKeyPath: "age") { _, _ in }
        expectEqual(person.removeObserver(panel, forKeyPath: "age"), 1)
        expectEqual(person.removeObserver(panel, forKeyPath: "age"), 0)
        observation.remove()
        observation.remove()
        #expect(!observation.remove(keyPath: "age"))
        #expect(!observation.isValid)
    }

    @Test("an observer added later gets later changes only") func later() throws {
        try person.observe("age", recorder.handler("a"))
        person.age = 1
        try person.observe("age", recorder.handler("b"))
        person.age = 2
        expectEqual(recorder.labels, ["a", "a", "b"])
    }

    @Test("removal by observer and path takes that path of that target only") func byPath() throws {
        for target in [person, other] {
            try target.addObserver(panel, forKeyPath: "age") { [recorder] _, change in recorder.record(change) }
            try target.addObserver(panel, forKeyPath: "firstName") { [recorder] _, change in recorder.record(change) }
        }
        expectEqual(person.removeObserver(panel, forKeyPath: "age"), 1)
        for target in [person, other] {
            target.age = 1
            target.firstName = "x"
        }
        expectEqual(recorder.paths, ["firstName", "age", "firstName"])
        expectEqual(other.removeObserver(panel), 2)
        expectEqual(panel.observations().count, 1)
    }

    @Test("a path that is one of a group is taken from it, and the rest goes on") func oneOfGroup() throws {
        let observation = try person.addObserver(panel, forKeyPath: ["age", "firstName", "address.city"]) {
            [recorder] _, change in
            recorder.record(change)
        }
        expectEqual(person.removeObserver(panel, forKeyPath: "age"), 1)
        expectEqual(person.removeObserver(panel, forKeyPath: "age"), 0)
        #expect(observation.isValid)
        expectEqual(observation.keyPaths, ["firstName", "address.city"])
        person.age = 1
        person.firstName = "x"
        expectEqual(recorder.paths, ["firstName"])
        #expect(observation.remove(keyPath: "address.city"))
        person.address = Address()
        expectEqual(recorder.count, 1)
        expectEqual(panel.stopObserving("firstName"), 1)
        #expect(!observation.isValid)
        #expect(person.observations().isEmpty)
    }

    @Test(
        "removal takes any set of paths: each observation that has one of them loses those, and counts once",
        arguments: 0..<4)
    func byPaths(form: Int) throws {
        let group = try person.addObserver(panel, forKeyPath: "age|firstName|address.city") { [recorder] _, change in
            recorder.record(change)
        }
        let single = try person.addObserver(panel, forKeyPath: "age") { _, _ in }
        let elsewhere = try other.addObserver(panel, forKeyPath: ["age", "lastName"]) { _, _ in }
        let untouched = try person.addObserver(panel, forKeyPath: "lastName") { _, _ in }
        let removed =
            switch form {
            case 0: person.removeObserver(panel, forKeyPath: "age|firstName|nothing")
            case 1: person.removeObserver(panel, forKeyPath: ["age", "firstName"])
            case 2: panel.stopObserving(Set(["age", "firstName"]), of: person)
            default: try KeyValueObservation.removeAll(target: person, keyPath: ["age", "firstName"][...])
            }
        expectEqual(removed, 2)
        #expect(group.keyPaths == ["address.city"] && group.isValid && !single.isValid)
        #expect(elsewhere.keyPaths == ["age", "lastName"] && untouched.isValid)
        person.age = 1
        person.firstName = "x"
        person.address = Address()
        expectEqual(recorder.paths, ["address.city"])
        expectEqual(panel.stopObserving(["age", "lastName"]), 2)
        #expect(!elsewhere.isValid && !untouched.isValid)
        #expect(group.remove(keyPath: "nothing|address.city") && !group.isValid)
        #expect(!group.remove(keyPath: ["address.city"]))
        expectEqual(person.removeObserver(panel, forKeyPath: [String]()), 0)
    }

    @Test("removal can be narrowed by handler") func byHandler() throws {
        try person.addObserver(panel, forKeyPath: "age", handler: "reload")
        try person.addObserver(panel, forKeyPath: "age", handler: "nameDidChange")
        try person.addObserver(panel, forKeyPath: ["age", "firstName"], handler: "reload")
        try person.addObserver(panel, forKeyPath: "age") { panel, _ in panel.log.append("closure") }
        expectEqual(person.removeObserver(panel, forKeyPath: "age", handler: "reloa"), 0)
        expectEqual(person.removeObserver(panel, forKeyPath: "age", handler: "reload"), 2)
        person.age = 1
        expectEqual(panel.log, ["name:age", "closure"])
        expectEqual(panel.stopObserving(handler: "nameDidChange"), 1)
        expectEqual(panel.stopObserving(of: person, handler: "reload"), 1)
        expectEqual(person.observations().count, 1)
    }

    @Test("all observers of a target, all targets of an observer") func all() throws {
        let plain = PlainObserver()
        for target in [person, other] {
            try target.addObserver(panel, forKeyPath: "age") { [recorder] _, change in recorder.record(change) }
            try target.addObserver(plain, forKeyPath: ["age", "address.city"]) { [recorder] _, change in
                recorder.record(change)
            }
            try target.observe("fullName", recorder.handler())
        }
        expectEqual(person.removeAllObservers(), 3)
        person.age = 1
        person.firstName = "x"
        expectEqual(recorder.count, 0)
        other.age = 1
        expectEqual(recorder.count, 2)
        expectEqual(plain.stopObserving(), 1)
        expectEqual(panel.stopObserving(), 1)
        expectEqual(other.observations().count, 1)
    }

    @Test("removal with wildcards", arguments: 0..<16) func wildcards(bits: Int) throws {
        let plain = PlainPanel()
        for target in [person, other] {
            for observer in [panel as AnyObject, plain] {
                for path in ["age", "firstName"] {
                    try target.addObserver(
                        observer, forKeyPath: path, handler: observer === panel ? "reload" : "refresh")
                }
            }
        }
        let observer = bits & 1 != 0 ? panel : nil
        let target = bits & 2 != 0 ? person : nil
        let path = bits & 4 != 0 ? "age" : nil
        let handler = bits & 8 != 0 ? "reload" : nil
        guard observer != nil || target != nil else {
            #expect {
                try KeyValueObservation.removeAll(observer: observer, target: target, keyPath: path, handler: handler)
            } throws: {
                ($0 as? KeyValueError)?.reason == .nothingToMatch
            }
            expectEqual(person.observations().count, 4)
            return
        }
        let expected = (bits & 1 != 0 || handler != nil ? 1 : 2) * (target != nil ? 1 : 2) * (path != nil ? 1 : 2)
        try expectEqual(
            KeyValueObservation.removeAll(observer: observer, target: target, keyPath: path, handler: handler), expected
        )
        expectEqual(person.observations().count + other.observations().count, 8 - expected)
        try expectEqual(
            KeyValueObservation.removeAll(observer: observer, target: target, keyPath: path, handler: handler), 0)
        plain.stopObserving()
    }

    @Test("each form of a target's removal ends what it names, of every observer where none is named", arguments: 0..<8)
    func formsOfTarget(bits: Int) throws {
        let plain = PlainPanel()
        for path in ["age", "firstName"] {
            try person.addObserver(panel, forKeyPath: path, handler: "reload")
            try person.addObserver(plain, forKeyPath: path, handler: "refresh")
            try panel.addObserver(panel, forKeyPath: path, handler: "reload")
        }
        let removed =
            switch bits {
            case 0: person.removeAllObservers()
            case 1: person.removeObserver(panel)
            case 2: person.removeAllObservers(forKeyPath: "age")
            case 3: person.removeObserver(panel, forKeyPath: "age")
            case 4: person.removeAllObservers(handler: "reload")
            case 5: person.removeObserver(panel, handler: "reload")
            case 6: person.removeAllObservers(forKeyPath: "age", handler: "reload")
            default: person.removeObserver(panel, forKeyPath: "age", handler: "reload")
            }
        expectEqual(removed, [4, 2, 2, 1, 2, 2, 1, 1][bits])
        expectEqual(person.observations().count, 4 - removed)
        expectEqual(panel.observations().filter { $0.target === panel }.count, 2)
        panel.removeAllObservers()
    }

    @Test(
        "each form of an observer's removal ends what it names, of every target where none is named", arguments: 0..<9)
    func formsOfObserver(bits: Int) throws {
        let plain = PlainPanel()
        for target in [person, other] {
            for path in ["age", "firstName"] {
                try target.addObserver(panel, forKeyPath: path, handler: "reload")
                try target.addObserver(plain, forKeyPath: path, handler: "refresh")
            }
        }
        let removed =
            switch bits {
            case 0: panel.stopObserving()
            case 1: panel.stopObserving(of: person)
            case 2: panel.stopObserving("age")
            case 3: panel.stopObserving("age", of: person)
            case 4: panel.stopObserving(handler: "reload")
            case 5: panel.stopObserving(of: person, handler: "reload")
            case 6: panel.stopObserving("age", handler: "reload")
            case 7: panel.stopObserving("age", of: person, handler: "reload")
            default: panel.stopObserving(person.$age)
            }
        expectEqual(removed, [4, 2, 2, 1, 4, 2, 2, 1, 1][bits])
        expectEqual(KeyValueObservation.all(observer: panel).count, 4 - removed)
        expectEqual(KeyValueObservation.all(observer: plain).count, 4)
    }

    @Test("by handle: a key, a path, a path of a group; whether it was observed by handle or by name") func byHandle()
        throws
    {
        person.address = Address("Bern")
        person.$age.addObserver(panel) { _, _ in }
        try panel.observe("age", of: person) { _, _ in }
        try panel.observe("age", of: other) { _, _ in }
        let group = try panel.observe(["age", "firstName"], of: person) { _, _ in }
        expectEqual(panel.stopObserving(person.$age), 3)
        #expect(group.keyPaths == ["firstName"] && panel.stopObserving(person.$age) == 0)
        person.$address.$city.addObserver(panel) { _, _ in }
        try panel.observe("address.city", of: person) { _, _ in }
        expectEqual(panel.stopObserving(person.$address.$city), 2)
        expectEqual(KeyValueObservation.all(observer: panel).count, 2)
        expectEqual(PlainObserver().stopObserving(person.$age), 0)
    }

    @Test("the same path on two targets by one observer is two registrations") func samePathTwoTargets() throws {
        try panel.observe("age", of: person) { [recorder] _, change in recorder.record(change, "person") }
        try panel.observe("age", of: other) { [recorder] _, change in recorder.record(change, "other") }
        expectEqual(panel.stopObserving("age", of: person), 1)
        person.age = 1
        other.age = 1
        expectEqual(recorder.labels, ["other"])
    }

    @Test("removal with a context takes the one with that context; among equals the last") func contexts() throws {
        let a = UnsafeMutableRawPointer.allocate(byteCount: 2, alignment: 1)
        defer { a.deallocate() }
        let first = try person.addObserver(panel, forKeyPath: "age", context: a)
        let second = try person.addObserver(panel, forKeyPath: "age", context: a)
        let third = try person.addObserver(panel, forKeyPath: "age", context: a + 1)
        expectEqual(person.removeObserver(panel, forKeyPath: "age", context: a), 1)
        #expect(first.isValid && !second.isValid && third.isValid)
        expectEqual(person.removeObserver(panel, forKeyPath: "age", context: nil), 0)
        expectEqual(person.removeObserver(panel, forKeyPath: "age"), 2)
    }

    @Test("removal with a context, nil too, takes only what was registered with one", arguments: [nil, 8])
    func contextsOnly(bits: Int?) throws {
        let context = bits.flatMap { UnsafeMutableRawPointer(bitPattern: $0) }
        let classic = try person.addObserver(panel, forKeyPath: "age", context: context)
        let others = [
            try person.addObserver(panel, forKeyPath: "age") { _, _ in },
            try person.addObserver(panel, forKeyPath: ["age", "firstName"], userInfo: 7) { _, _ in },
            person.$age.addObserver(panel) { _, _ in },
        ]
        expectEqual(person.removeObserver(panel, forKeyPath: "age", context: context), 1)
        #expect(!classic.isValid && others.allSatisfy { $0.isValid } && others[1].keyPaths.count == 2)
        expectEqual(person.removeObserver(panel, forKeyPath: "age", context: context), 0)
        expectEqual(person.removeObserver(panel, forKeyPath: "age"), 3)
    }

    @Test("removal with a context takes of each of several paths the last; an observation of both counts once")
    func contextPaths() throws {
        let first = try person.addObserver(panel, forKeyPath: "age", context: nil)
        let last = try person.addObserver(panel, forKeyPath: "age", context: nil)
        let name = try person.addObserver(panel, forKeyPath: "firstName", context: nil)
        expectEqual(person.removeObserver(panel, forKeyPath: "age|firstName", context: nil), 2)
        #expect(first.isValid && !last.isValid && !name.isValid)
        let both = try person.addObserver(panel, forKeyPath: ["age", "firstName"], context: nil)
        expectEqual(person.removeObserver(panel, forKeyPath: ["age", "firstName"], context: nil), 1)
        #expect(!both.isValid && first.isValid)
    }

    @Test("the same observer and path twice is two observations and two calls") func duplicates() throws {
        let a = try person.addObserver(panel, forKeyPath: "age", handler: "reload")
        let b = try person.addObserver(panel, forKeyPath: "age", handler: "reload")
        #expect(a != b)
        person.age = 1
        expectEqual(panel.log, ["reload", "reload"])
        a.remove()
        person.age = 2
        expectEqual(panel.log.count, 3)
        expectEqual(person.removeObserver(panel, forKeyPath: "age"), 1)
    }
}
