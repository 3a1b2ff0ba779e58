import AutoKVO
import AutoKVOTestSupport
import Testing

/// Paths through objects.
struct PathTests {
    let tracker = LifetimeTracker()
    let person = Person()
    let recorder = Recorder<Any>()

    @Test("from a nil head: setting it is one call, old empty, new the leaf") func nilHead() throws {
        try person.observe("address.city", options: [.old, .new], recorder.handler())
        person.address = Address("Bonn")
        expectEqual(recorder.count, 1)
        #expect(recorder.last?.old != nil)
        #expect(recorder.last?.old as? String == nil)
        expectEqual(recorder.last?.new as? String, "Bonn")
        expectEqual(recorder.last?.kind, .setting)
    }

    @Test("initial with a nil head is one call with an empty value") func initialNil() throws {
        try person.observe("spouse.address.city", options: [.initial, .new], recorder.handler())
        expectEqual(recorder.count, 1)
        #expect(recorder.last?.new != nil)
        #expect(recorder.last?.new as? String == nil)
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
        expectEqual(recorder.paths, ["spouse.address.city"])
        expectEqual(recorder.last?.target, ObjectIdentifier(person))
        expectEqual(recorder.last?.old as? String, "Ulm")
        expectEqual(recorder.last?.new as? String, "Bonn")
        #expect(recorder.last?.indexes == nil)
    }

    @Test("a path to an array, its head swapped: a setting with both arrays whole") func swappedHeadArray() throws {
        person.spouse = Person("S")
        person.spouse!.scores = [1, 2]
        try person.observe("spouse.scores", options: [.old, .new], recorder.handler())
        let other = Person("O")
        other.scores = [3]
        person.spouse = other
        expectEqual(recorder.kinds, [.setting])
        expectEqual(recorder.olds([Int].self), [[1, 2]])
        expectEqual(recorder.news([Int].self), [[3]])
    }

    @Test("a.a without options: child set, child nil: two calls") func subpath1() throws {
        try person.observe("spouse.spouse", recorder.handler())
        person.spouse = Person()
        person.spouse = nil
        expectEqual(recorder.count, 2)
    }

    @Test("a.a.a: child set, grandchild set, grandchild nil, child nil: four calls") func subpathSubpath() throws {
        try person.observe("spouse.spouse.spouse", recorder.handler())
        person.spouse = Person()
        person.spouse!.spouse = Person()
        person.spouse!.spouse = nil
        person.spouse = nil
        expectEqual(recorder.count, 4)
    }

    @Test("heads replaced: one call each, and nothing from those that left") func heads() throws {
        let first = Person("1")
        let second = Person("2")
        person.spouse = first
        try person.observe("spouse.age", recorder.handler())
        person.spouse = nil
        expectEqual(recorder.count, 1)
        person.spouse = first
        person.spouse = second
        expectEqual(recorder.count, 3)
        first.age = 1
        expectEqual(recorder.count, 3)
        #expect(first.observations().isEmpty)
        second.age = 1
        expectEqual(recorder.count, 4)
    }

    @Test("setting the same head again is one call") func sameHead() throws {
        let address = Address()
        person.address = address
        try person.observe("address.city", options: [.old, .new], recorder.handler())
        person.address = address
        expectEqual(recorder.count, 1)
        address.city = "Bonn"
        expectEqual(recorder.count, 2)
    }

    @Test("removal with a nil on the way is no error") func removalWithNil() throws {
        person.address = Address()
        let observation = try person.observe("address.city", recorder.handler())
        person.address = nil
        observation.remove()
        person.address = Address()
        expectEqual(recorder.count, 1)
        #expect(person.observations().isEmpty)
    }

    @Test("two sets of the leaf and the holder set to nil are three changes") func threeChanges() throws {
        person.address = Address()
        try person.observe("address.city", options: [.new], recorder.handler())
        person.address!.city = "a"
        person.address!.city = "b"
        person.address = nil
        expectEqual(recorder.news(String.self), ["a", "b", nil])
    }

    @Test("a change tells whether the last component changed or one before it, prior and post alike")
    func lastComponent() throws {
        person.address = Address()
        var last: [Bool] = []
        try person.observe("address.city", options: [.prior]) { last.append($0.isLastComponent) }
        person.address!.city = "Bonn"
        expectEqual(last, [true, true])
        person.address = Address()
        expectEqual(last, [true, true, false, false])
    }

    @Test("a path that ends in an array of another object keeps kind and indexes") func arrayBehindObject() throws {
        person.spouse = Person()
        person.spouse!.scores = [1, 2, 3]
        try person.observe("spouse.scores", options: [.old, .new], recorder.handler())
        let spouse = person.spouse!
        spouse.willChange(.insertion, valuesAt: 1..<2, forKey: "scores")
        spouse.scores.insert(9, at: 1)
        spouse.didChange(.insertion, valuesAt: 1..<2, forKey: "scores")
        expectEqual(recorder.paths, ["spouse.scores"])
        expectEqual(recorder.kinds, [.insertion])
        expectEqual(recorder.last?.indexes, RangeSet(1..<2))
        expectEqual(recorder.last?.new as? [Int], [9])
        #expect(recorder.last?.old == nil)
    }
}
