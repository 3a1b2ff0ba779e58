import AutoKVO
import AutoKVOTestSupport
import Testing

/// Collections announced by hand.
struct ManualCollectionTests {
    let crate = Crate()
    let recorder = Recorder<Any>()

    @Test("indexed changes announced by hand tell kind, indexes and elements") func manual() throws {
        try crate.observe("silent", options: [.old, .new], recorder.handler())
        crate.willChange(.insertion, valuesAt: 0..<1, forKey: "silent")
        crate.silent.insert(1, at: 0)
        crate.didChange(.insertion, valuesAt: 0..<1, forKey: "silent")
        crate.willChange(.insertion, valuesAt: 1..<2, forKey: "silent")
        crate.silent.insert(2, at: 1)
        crate.didChange(.insertion, valuesAt: 1..<2, forKey: "silent")
        crate.willChange(.removal, valuesAt: RangeSet(0..<1), forKey: "silent")
        crate.silent.remove(at: 0)
        crate.didChange(.removal, valuesAt: RangeSet(0..<1), forKey: "silent")
        expectEqual(recorder.lines, ["insertion 0..<1 … > [1]", "insertion 1..<2 … > [2]", "removal 0..<1 [1] > …"])
    }

    @Test("a registration with initial and new after edits is told of the whole array") func initial() throws {
        crate.$items.append(contentsOf: [1, 2])
        try crate.observe("items", options: [.initial, .new], recorder.handler())
        expectEqual(recorder.lines, ["setting … > [1, 2]"])
    }

    @Test("an observed count is told of an insertion as a setting without indexes, and without a prior call")
    func count() throws {
        try crate.observe("items.@count", options: [.old, .new], recorder.handler())
        crate.$items.append(7)
        expectEqual(recorder.lines, ["setting 0 > 1"])
    }

    @Test("indexes that are out of range are told as announced, without the elements that are not there")
    func outOfRange() throws {
        crate.silent = [1, 2]
        try crate.observe("silent", options: [.old, .new, .prior], recorder.handler())
        for kind in [ChangeKind.insertion, .removal, .replacement] {
            crate.willChange(kind, valuesAt: RangeSet([-5 ..< -2, 1..<2, 7..<Int.max]), forKey: "silent")
            crate.didChange(kind, valuesAt: RangeSet([-5 ..< -2, 1..<2, 7..<Int.max]), forKey: "silent")
        }
        expectEqual(recorder.entries.map { $0.old as? [Int] }, [nil, nil, [2], [2], [2], [2]])
        expectEqual(recorder.entries.map { $0.new as? [Int] }, [nil, [2], nil, nil, nil, [2]])
        try crate.observe("number", options: [.old, .new, .prior]) { _ in }
        crate.willChange(.removal, valuesAt: 0..<1, forKey: "number")
        crate.didChange(.removal, valuesAt: 0..<1, forKey: "number")
    }

    @Test("a sum over elements follows an element's change and the array's replacement") func sum() throws {
        let people = (0..<3).map { index -> Person in
            let person = Person()
            person.age = 10 + index
            return person
        }
        crate.people = people
        try crate.observe("people.@sum.age", options: [.old, .new], recorder.handler())
        people[0].age = 15
        let other = Person()
        other.age = 40
        crate.people = [other]
        people[1].age = 99
        expectEqual(recorder.lines, ["setting 33 > 38", "setting 38 > 40"])
    }

    @Test("what follows a collection of another object hears of edits by name") func following() throws {
        let copy = Crate()
        try crate.observe("items", options: [.initial, .new]) { [unowned crate] _ in copy.items = crate.items }
        try crate.observe("tags", options: [.initial, .new]) { [unowned crate] _ in copy.tags = crate.tags }
        try crate.mutableArrayValue(forKey: "items").append(contentsOf: [1, 2])
        try crate.mutableArrayValue(forKey: "items").remove(at: 0)
        try crate.mutableSetValue(forKey: "tags").formUnion(["a"])
        #expect(copy.items == [2] && copy.tags == ["a"])
    }

    @Test("the elements of an optional array are told too") func optional() throws {
        crate.maybe = ["a", "b"]
        try crate.observe("maybe", options: [.old, .new], recorder.handler())
        try crate.mutableArrayValue(forKey: "maybe").remove(at: 1)
        expectEqual(recorder.lines, ["removal 1..<2 [\"b\"] > …"])
    }
}
