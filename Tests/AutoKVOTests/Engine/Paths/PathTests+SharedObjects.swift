import AutoKVO
import AutoKVOTestSupport
import Testing

extension PathTests {
    @Test("three paths that share a head: one initial call each, with the path's own value", arguments: [false, true])
    func sharedHead(asOne: Bool) throws {
        person.spouse = Person("S")
        let paths = ["spouse.nickname", "spouse.age", "spouse.address.city"]
        if asOne {
            try person.observe(paths, options: [.initial, .new], recorder.handler())
        } else {
            for path in paths { try person.observe(path, options: [.initial, .new], recorder.handler()) }
        }
        expectEqual(recorder.paths, paths)
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
        expectEqual(recorder.paths.sorted(), expected)
    }

    @Test("a path through objects that refer to themselves reports the path as registered, once for each change")
    func selfReference() throws {
        person.spouse = person
        try person.observe("spouse.spouse.spouse.age", options: [.old, .new], recorder.handler())
        person.age = 1
        expectEqual(recorder.paths, ["spouse.spouse.spouse.age"])
        expectEqual(recorder.last?.new as? Int, 1)
        person.spouse = nil
        expectEqual(recorder.count, 2)
        person.age = 2
        expectEqual(recorder.count, 2)
    }

    @Test("an object that stands at several places of a path: one call for each change") func sharedObject() throws {
        let a = Person("A")
        let b = Person("B")
        person.spouse = a
        a.spouse = b
        b.spouse = a
        try person.observe("spouse.spouse.spouse.spouse.age", options: [.old, .new, .prior], recorder.handler())
        b.age = 3
        expectEqual(recorder.priors, [true, false])
        recorder.clear()
        a.age = 3
        expectEqual(recorder.count, 0)
        a.spouse = person
        expectEqual(recorder.priors, [true, false])
        expectEqual(recorder.last?.old as? Int, 3)
        // person → a → person → a → person
        expectEqual(recorder.last?.new as? Int, 0)
        recorder.clear()
        person.age = 8
        expectEqual(recorder.entries.map { $0.new as? Int }, [nil, 8])
        person.spouse = nil
    }

    @Test("the same path observed by many is told to each, in order") func manyOnOnePath() throws {
        person.address = Address()
        for index in 0..<20 { try person.observe("address.city", recorder.handler("\(index)")) }
        person.address!.city = "x"
        person.address = Address()
        let labels = (0..<20).map(String.init)
        expectEqual(recorder.labels, labels + labels)
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
        expectEqual(recorder.entries.map(\.target), people.map { ObjectIdentifier($0) })
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
        expectEqual(recorder.entries.map(\.target), people.map { ObjectIdentifier($0) })
        withExtendedLifetime(people) {}
    }
}
