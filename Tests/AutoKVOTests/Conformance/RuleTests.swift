import AutoKVO
import AutoKVOTestSupport
import Testing

/// Rules that several systems leave open and that no other suite of this directory has as its subject.
struct RuleTests {
    let person = Person()
    let recorder = Recorder<Any>()

    @Test("setting by name is one change, be the property observed storage or computed over it")
    func setByName() throws {
        let form = Form()
        try person.observe("age", options: [.old, .new, .prior], recorder.handler())
        try form.observe("clamped", options: [.old, .new, .prior], recorder.handler())
        try person.setValue(5, forKey: "age")
        expectEqual(recorder.priors, [true, false])
        expectEqual(recorder.last?.new as? Int, 5)
        try form.setValue(6, forKey: "clamped")
        expectEqual(recorder.last?.keyPath, "clamped")
        expectEqual(recorder.last?.new as? Int, 6)
        expectEqual(recorder.count, 4)
    }

    @Test("set mutations: union, minus, intersect and set; what left and what came; nothing moved, no call")
    func setMutations() throws {
        person.tags = ["a", "b"]
        try person.observe("tags", options: [.old, .new], recorder.handler())
        person.$tags.formUnion(["b", "c"])
        person.$tags.formUnion(["c"])
        person.$tags.subtract(["a", "z"])
        person.$tags.subtract(["z"])
        person.$tags.formIntersection(["b"])
        person.$tags.formIntersection(["b"])
        expectEqual(recorder.kinds, [.insertion, .removal, .removal])
        expectEqual(recorder.news(Set<String>.self), [["c"], nil, nil])
        expectEqual(recorder.olds(Set<String>.self), [nil, ["a"], ["c"]])
        #expect(recorder.entries.allSatisfy { $0.indexes == nil })
        recorder.clear()
        try person.mutableSetValue(forKey: "tags").insert("q")
        expectEqual(recorder.kinds, [.insertion])
    }

    @Test("assigning a whole collection is a setting with both whole and no indexes") func wholeAssignment() throws {
        person.scores = [1]
        try person.observe(["scores", "tags"], options: [.old, .new], recorder.handler())
        person.scores = [1, 2]
        person.tags = ["x"]
        expectEqual(recorder.kinds, [.setting, .setting])
        expectEqual(recorder.entries[0].old as? [Int], [1])
        expectEqual(recorder.entries[0].new as? [Int], [1, 2])
        expectEqual(recorder.entries[1].new as? Set<String>, ["x"])
        #expect(recorder.entries.allSatisfy { $0.indexes == nil })
    }

    @Test("edits through the handle: one change each, replaceSubrange at most two") func edits() throws {
        person.scores = [3, 1, 2]
        try person.observe("scores", options: [.old, .new], recorder.handler())
        func changes(_ body: () -> Void) -> Int {
            recorder.clear()
            body()
            return recorder.count
        }
        expectEqual(changes { person.$scores.append(4) }, 1)
        expectEqual(changes { person.$scores.insert(0, at: 0) }, 1)
        expectEqual(changes { _ = person.$scores.remove(at: 1) }, 1)
        expectEqual(changes { person.$scores.removeAll { $0 > 2 } }, 1)
        expectEqual(changes { person.$scores.swapAt(0, 1) }, 1)
        expectEqual(changes { person.$scores.sort() }, 1)
        expectEqual(changes { person.$scores[0] = 9 }, 1)
        #expect((1...2).contains(changes { person.$scores.replaceSubrange(0..<1, with: [5, 6, 7]) }))
        expectEqual(person.scores, [5, 6, 7, 1, 2])
    }

    @Test("the prior of a collection edit has kind, indexes and, if asked, the old elements") func priorOfEdit() throws
    {
        person.scores = [1, 2, 3]
        try person.observe("scores", options: [.prior, .old], recorder.handler())
        try person.observe("scores", options: [.prior], recorder.handler())
        _ = person.$scores.remove(at: 1)
        expectEqual(recorder.priors, [true, true, false, false])
        #expect(recorder.kinds.allSatisfy { $0 == .removal })
        #expect(recorder.entries.allSatisfy { $0.indexes == RangeSet(1..<2) })
        expectEqual(recorder.olds([Int].self), [[2], nil, [2], nil])
    }

    @Test("operators over nil leaves") func nilLeaves() throws {
        let friends = ["x", nil].map { name in
            let friend = Person()
            friend.spouse = name.map { Person($0) }
            friend.spouse?.age = 8
            return friend
        }
        person.friends = friends
        try expectEqual(person.value(forKeyPath: "friends.@count") as? Int, 2)
        try expectEqual(person.value(forKeyPath: "friends.@sum.spouse.age") as? Int, 8)
        try expectEqual(person.value(forKeyPath: "friends.@avg.spouse.age") as? Double, 4)
        try expectEqual(person.value(forKeyPath: "friends.@min.spouse.age") as? Int, 8)
        try expectEqual(person.value(forKeyPath: "friends.@max.spouse.age") as? Int, 8)
        person.friends = [Person()]
        let none = try person.value(forKeyPath: "friends.@max.spouse.age")
        #expect(none as? Int == nil)
    }

    @Test("mutually bound properties stop at the first equal value") func mutual() throws {
        let other = Person("Other")
        try person.bind("age", to: "age", of: other)
        try other.bind("age", to: "age", of: person)
        try person.observe("age", recorder.handler("person"))
        try other.observe("age", recorder.handler("other"))
        person.age = 3
        expectEqual(other.age, 3)
        #expect(recorder.count <= 3)
        recorder.clear()
        other.age = 4
        expectEqual(person.age, 4)
        #expect(recorder.count <= 3)
    }

    @Test("coalesced changes: nothing until the outermost ends, then a call for each path, with first old and last new")
    func coalescing() throws {
        try person.observe(["age", "firstName"], options: [.old, .new], recorder.handler("group"))
        try person.observe("age", options: [.old, .new], recorder.handler("age"))
        coalescingChanges {
            person.age = 1
            coalescingChanges { person.age = 2 }
            person.firstName = "Bob"
            expectEqual(recorder.count, 0)
            _ = try? person.observe("age", options: [.initial], recorder.handler("initial"))
            expectEqual(recorder.labels, ["initial"])
            recorder.clear()
        }
        expectEqual(recorder.labels.filter { $0 == "age" }.count, 1)
        expectEqual(recorder.entries.filter { $0.label == "group" }.map(\.keyPath), ["age", "firstName"])
        let entry = recorder.entries.first { $0.label == "age" }
        expectEqual(entry?.old as? Int, 0)
        expectEqual(entry?.new as? Int, 2)
    }

    @Test("a mutable proxy over a computed, settable key makes indexed edits") func proxyOverComputed() throws {
        final class Shelf: Model {
            @Observed private var stored = [1, 2]
            var books: [Int] {
                get { stored }
                set { stored = newValue }
            }
            override class var schema: Schema {
                Schema(Shelf.self, extending: super.schema) {
                    Key("stored", \.stored)
                    Key("books", \.books, affectedBy: "stored")
                }
            }
        }
        let shelf = Shelf()
        try shelf.observe("books", options: [.old, .new], recorder.handler())
        try shelf.mutableArrayValue(forKey: "books").append(3)
        expectEqual(shelf.books, [1, 2, 3])
        expectEqual(recorder.kinds, [.insertion])
        expectEqual(recorder.last?.indexes, RangeSet(2..<3))
        expectEqual(recorder.last?.new as? [Int], [3])
    }
}
