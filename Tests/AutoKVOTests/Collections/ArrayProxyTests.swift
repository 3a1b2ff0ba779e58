import AutoKVO
import AutoKVOTestSupport
import Testing

/// Arrays by name.
struct ArrayProxyTests {
    let crate = Crate()
    let recorder = Recorder<Any>()

    private func reason(_ body: () throws -> Void) -> KeyValueError.Reason? {
        do {
            try body()
            return nil
        } catch { return (error as? KeyValueError)?.reason }
    }

    @Test(
        "edits through a proxy are indexed changes, each told once, however the key is stored",
        arguments: ["items", "plain", "computed", "view", "picky"])
    func indexed(key: String) throws {
        try crate.observe(key, options: [.old, .new], recorder.handler())
        let proxy = try crate.mutableArrayValue(forKey: key)
        try proxy.insert(1, at: 0)
        try proxy.insert(2, at: 1)
        try proxy.remove(at: 0)
        expectEqual(recorder.lines, ["insertion 0..<1 … > [1]", "insertion 1..<2 … > [2]", "removal 0..<1 [1] > …"])
        recorder.clear()
        try proxy.append(contentsOf: [5, 4, 3])
        try proxy.replace(at: 0, with: 9)
        try proxy.swapAt(0, 3)
        try proxy.sort { ($0 as! Int) > ($1 as! Int) }
        try proxy.sort { ($0 as! Int) > ($1 as! Int) }
        try proxy.removeAll { ($0 as! Int) % 2 == 1 }
        try proxy.replaceSubrange(0..<1, with: [7, 8])
        try proxy.removeAll()
        try proxy.removeAll()
        expectEqual(
            recorder.lines,
            [
                "insertion 1..<4 … > [5, 4, 3]", "replacement 0..<1 [2] > [9]",
                "replacement 0..<1,3..<4 [9, 3] > [3, 9]",
                "replacement 0..<1,3..<4 [3, 9] > [9, 3]", "removal 0..<2,3..<4 [9, 5, 3] > …",
                "replacement 0..<1 [4] > [7]",
                "insertion 1..<2 … > [8]", "removal 0..<2 [7, 8] > …",
            ])
        try expectEqual(crate.value(forKey: key) as? [Int], [])
    }

    @Test("a plain set carries no indexes; adding, replacing and removing through the proxy do") func indexes() throws {
        try crate.observe("items", recorder.handler())
        crate.items = [1]
        let proxy = try crate.mutableArrayValue(forKey: "items")
        try proxy.append(2)
        try proxy.replace(at: 1, with: 3)
        try proxy.removeLast()
        expectEqual(recorder.entries.map { $0.indexes != nil }, [false, true, true, true])
        expectEqual(recorder.kinds, [.setting, .insertion, .replacement, .removal])
    }

    @Test("a key derived from an observed array is told of the edit, and the array's own observers too") func view()
        throws
    {
        let items = Recorder<Any>()
        try crate.observe("view", options: [.new], recorder.handler())
        try crate.observe("items", options: [.new], items.handler())
        try crate.mutableArrayValue(forKey: "view").append(1)
        expectEqual(recorder.lines, ["insertion 0..<1 … > [1]"])
        expectEqual(items.lines, ["setting … > [1]"])
    }

    @Test("a proxy reads through: an array that was replaced is seen through an old proxy") func readsThrough() throws {
        let proxy = try crate.mutableArrayValue(forKey: "items")
        #expect(proxy.isEmpty)
        crate.items = [1, 2, 3]
        expectEqual(proxy.count, 3)
        expectEqual(proxy[1] as? Int, 2)
        expectEqual(proxy.elements.map { $0 as? Int }, [1, 2, 3])
        expectEqual(proxy.map { $0 as! Int }, [1, 2, 3])
        expectEqual(proxy.last as? Int, 3)
        crate.items = [9]
        expectEqual(proxy.first as? Int, 9)
        #expect(proxy[5] as? Int == nil)
        try proxy.append(10)
        expectEqual(crate.items, [9, 10])
        #expect(proxy.key == "items" && proxy.object === crate)
    }

    @Test("a proxy on a nil property is empty, and the first add creates the array") func nilProperty() throws {
        try crate.observe("maybe", options: [.old, .new], recorder.handler())
        let proxy = try crate.mutableArrayValue(forKey: "maybe")
        #expect(proxy.isEmpty && crate.maybe == nil)
        try proxy.removeAll()
        try proxy.append(contentsOf: [String]())
        #expect(crate.maybe == nil && recorder.count == 0)
        expectEqual(reason { try proxy.remove(at: 0) }, .indexOutOfRange(index: 0, count: 0))
        try proxy.append("a")
        expectEqual(crate.maybe, ["a"])
        try proxy.insert("b", at: 0)
        expectEqual(recorder.lines, ["insertion 0..<1 … > [\"a\"]", "insertion 0..<1 … > [\"b\"]"])
    }

    @Test("a key that cannot be written or is no array gives no proxy") func refused() throws {
        expectEqual(reason { _ = try crate.mutableArrayValue(forKey: "readOnly") }, .readOnlyKey)
        expectEqual(
            reason { _ = try crate.mutableArrayValue(forKey: "number") },
            .wrongType(expected: "Int", actual: "an array"))
        expectEqual(
            reason { _ = try crate.mutableArrayValue(forKey: "tags") },
            .wrongType(expected: "Set<String>", actual: "an array"))
        expectEqual(reason { _ = try crate.mutableArrayValue(forKey: "item") }, .unknownKey(nearest: "items"))
    }

    @Test("a proxy over a computed key replaces the value through the setter") func setter() throws {
        let proxy = try crate.mutableArrayValue(forKey: "picky")
        try proxy.append(contentsOf: [1, 200, 3])
        expectEqual(crate.hidden, [1, 3])
    }

    @Test("a setter that refuses what was inserted tells of what is there, and does not trap") func refusing() throws {
        try crate.observe("picky", options: [.new], recorder.handler())
        try crate.mutableArrayValue(forKey: "picky").append(200)
        expectEqual(recorder.lines, ["setting … > []"])
    }

    @Test("proxies stay silent where the key's automatic notification is off") func silent() throws {
        try crate.observe("silent", recorder.handler())
        let proxy = try crate.mutableArrayValue(forKey: "silent")
        try proxy.append(1)
        try proxy.replace(at: 0, with: 2)
        try proxy.removeAll()
        #expect(recorder.count == 0 && crate.silent == [])
        crate.withMutation(of: "silent") { #expect(throws: Never.self) { try proxy.append(3) } }
        expectEqual(recorder.kinds, [.setting])
    }

    @Test("an element of the wrong type throws with both types, and nothing changes") func wrongType() throws {
        crate.items = [1]
        try crate.observe("items", recorder.handler())
        let proxy = try crate.mutableArrayValue(forKey: "items")
        let expected = KeyValueError.Reason.wrongType(expected: "elements of type Int", actual: "String")
        expectEqual(reason { try proxy.append("x") }, expected)
        expectEqual(reason { try proxy.append(contentsOf: [1, "x"] as [Any]) }, expected)
        expectEqual(reason { try proxy.replace(at: 0, with: "x") }, expected)
        expectEqual(reason { try proxy.replaceSubrange(0..<1, with: [2, "x"] as [Any]) }, expected)
        expectEqual(reason { try proxy.append(nil) }, .wrongType(expected: "elements of type Int", actual: "nil"))
        #expect(crate.items == [1] && recorder.count == 0)
        try proxy.append(2.0)
        expectEqual(crate.items, [1, 2])
        let holes = try crate.mutableArrayValue(forKey: "holes")
        try holes.append(nil)
        try holes.append(3)
        expectEqual(crate.holes, [nil, 3])
        #expect(holes.count == 2 && holes[0] as? Int == nil)
    }

    @Test(
        "the indexes and the old value of an edit take it back in one edit",
        arguments: ["items", "plain", "computed", "view", "picky"])
    func takenBack(key: String) throws {
        let proxy = try crate.mutableArrayValue(forKey: key)
        try proxy.append(contentsOf: [1, 2, 3, 4, 5])
        try crate.observe(key, options: [.old, .new], recorder.handler())
        let scattered = RangeSet([0..<2, 4..<5])
        try proxy.removeSubranges(scattered)
        try proxy.insert(contentsOf: [1, 2, 5], at: scattered)
        try proxy.replaceSubranges(scattered, with: [7, 8, 9])
        try proxy.insert(contentsOf: [6], at: RangeSet(5..<6))
        try proxy.insert(contentsOf: [Int](), at: RangeSet())
        try proxy.replaceSubranges(RangeSet(), with: [Int]())
        expectEqual(
            recorder.lines,
            [
                "removal 0..<2,4..<5 [1, 2, 5] > …", "insertion 0..<2,4..<5 … > [1, 2, 5]",
                "replacement 0..<2,4..<5 [1, 2, 5] > [7, 8, 9]", "insertion 5..<6 … > [6]",
            ])
        expectEqual(proxy.elements as? [Int], [7, 8, 3, 4, 9, 6])
    }

    @Test("another number of elements than of indexes, or one of another type, throws, and nothing changes")
    func notAsMany() throws {
        crate.items = [1, 2]
        let proxy = try crate.mutableArrayValue(forKey: "items")
        try crate.observe("items") { _ in Issue.record("changed") }
        let two = RangeSet(0..<2)
        expectEqual(reason { try proxy.insert(contentsOf: [1], at: two) }, .invalidValue("1 elements for 2 indexes"))
        expectEqual(
            reason { try proxy.replaceSubranges(two, with: [1, 2, 3]) }, .invalidValue("3 elements for 2 indexes"))
        #expect(reason { try proxy.replaceSubranges(two, with: ["a", "b"]) } != nil)
        #expect(reason { try proxy.insert(contentsOf: ["a", "b"], at: two) } != nil)
        expectEqual(crate.items, [1, 2])
    }

    @Test("an index that is out of range throws, and nothing changes") func outOfRange() throws {
        crate.items = [1, 2]
        let proxy = try crate.mutableArrayValue(forKey: "items")
        for index in [-1, 3, .max, .min] {
            expectEqual(reason { try proxy.insert(0, at: index) }, .indexOutOfRange(index: index, count: 2))
            expectEqual(
                reason { try proxy.insert(contentsOf: [0], at: index) }, .indexOutOfRange(index: index, count: 2))
        }
        for index in [-1, 2, .max, .min] {
            expectEqual(reason { try proxy.remove(at: index) }, .indexOutOfRange(index: index, count: 2))
            expectEqual(reason { try proxy.replace(at: index, with: 0) }, .indexOutOfRange(index: index, count: 2))
            expectEqual(reason { _ = try proxy.element(at: index) }, .indexOutOfRange(index: index, count: 2))
            expectEqual(reason { try proxy.swapAt(0, index) }, .indexOutOfRange(index: index, count: 2))
        }
        expectEqual(reason { try proxy.removeSubrange(1..<3) }, .indexOutOfRange(index: 2, count: 2))
        expectEqual(reason { try proxy.removeSubrange(-4 ..< -1) }, .indexOutOfRange(index: -4, count: 2))
        expectEqual(
            reason { try proxy.removeSubranges(RangeSet([0..<1, 7..<9])) }, .indexOutOfRange(index: 8, count: 2))
        expectEqual(reason { try proxy.replaceSubrange(2..<5, with: [1]) }, .indexOutOfRange(index: 4, count: 2))
        expectEqual(
            reason { try proxy.replaceSubranges(RangeSet([0..<1, 7..<9]), with: [1, 2, 3]) },
            .indexOutOfRange(index: 8, count: 2))
        expectEqual(
            reason { try proxy.insert(contentsOf: [1, 2], at: RangeSet([0..<1, 4..<5])) },
            .indexOutOfRange(index: 4, count: 2))
        let all = RangeSet(Int.min..<Int.max)
        expectEqual(reason { try proxy.insert(contentsOf: [1], at: all) }, .indexOutOfRange(index: .min, count: 2))
        expectEqual(reason { try proxy.replaceSubranges(all, with: [1]) }, .indexOutOfRange(index: .min, count: 2))
        try crate.mutableArrayValue(forKey: "maybe").removeSubrange(0..<0)
        expectEqual(crate.items, [1, 2])
    }

    @Test("an index that a prior call has made invalid throws, and changes nothing") func meddling() throws {
        crate.items = [1, 2, 3]
        var isMeddling = false
        try crate.observe("items", options: [.prior]) { [unowned crate] change in
            guard change.isPrior, !isMeddling else { return }
            isMeddling = true
            crate.items = []
            isMeddling = false
        }
        let proxy = try crate.mutableArrayValue(forKey: "items")
        let edits: [(index: Int, count: Int, edit: () throws -> Void)] = [
            (2, 0, { try proxy.remove(at: 2) }), (3, 0, { try proxy.insert(7, at: 3) }),
            (1, 0, { try proxy.replace(at: 1, with: 7) }), (2, 0, { try proxy.swapAt(0, 2) }),
            (4, 0, { try proxy.insert(contentsOf: [7, 8], at: RangeSet([1..<2, 4..<5])) }),
            (2, 0, { try proxy.replaceSubranges(RangeSet([0..<1, 2..<3]), with: [7, 8]) }),
        ]
        for (index, count, edit) in edits {
            crate.items = [1, 2, 3]
            let reason = reason(edit)
            #expect(
                reason == .indexOutOfRange(index: index, count: count)
                    || index == 2 && reason == .indexOutOfRange(index: 0, count: 0))
            expectEqual(crate.items, [])
        }
        try proxy.append(contentsOf: [3, 2, 1])
        try proxy.sort { ($0 as! Int) < ($1 as! Int) }
        expectEqual(crate.items, [])
    }

    @Test("a proxy by path is that of the object there now") func byPath() throws {
        let inner = Crate()
        expectEqual(reason { _ = try crate.mutableArrayValue(forKeyPath: "inner.items") }, .noObject)
        expectEqual(reason { _ = try crate.mutableSetValue(forKeyPath: "inner.tags") }, .noObject)
        expectEqual(
            reason { _ = try crate.mutableArrayValue(forKeyPath: "inner.tags") },
            .wrongType(expected: "Set<String>", actual: "an array"))
        expectEqual(
            reason { _ = try crate.mutableArrayValue(forKeyPath: "inner.itemz") }, .unknownKey(nearest: "items"))
        crate.inner = inner
        try crate.observe("inner.items", options: [.new], recorder.handler())
        try crate.mutableArrayValue(forKeyPath: "inner.items").append(4)
        try crate.mutableArrayValue(forKeyPath: "items").append(5)
        expectEqual(recorder.lines, ["insertion 0..<1 … > [4]"])
        #expect(inner.items == [4] && crate.items == [5])
        expectEqual(reason { _ = try crate.mutableArrayValue(forKeyPath: "inner.") }, .malformedPath)
        expectEqual(reason { _ = try crate.mutableArrayValue(forKeyPath: "items.@count") }, .readOnlyKey)
    }

    @Test("other arrays and arrays of objects have proxies too") func others() throws {
        try crate.mutableArrayValue(forKey: "dense").append(contentsOf: [1, 2])
        expectEqual(crate.dense, [1, 2])
        let people = try crate.mutableArrayValue(forKey: "people")
        let employee = Employee()
        try people.append(Person())
        try people.append(employee)
        #expect(crate.people.last === employee)
        #expect(throws: KeyValueError.self) { try people.append(Crate()) }
        expectEqual(crate.people.count, 2)
    }

    @Test("elements that an override's setter puts elsewhere are followed") func sortingSetter() throws {
        class Team: Model {
            @Observed var people: [Person] = []
            override class var schema: Schema {
                Schema(Team.self, extending: super.schema) { Key("people", \.people) }
            }
        }
        final class Sorted: Team {
            override var people: [Person] {
                get { super.people }
                set { super.people = newValue.sorted { $0.age < $1.age } }
            }
        }
        let (team, old, young) = (Sorted(), Person(), Person())
        (old.age, young.age) = (50, 20)
        var sums: [Int?] = []
        team.people = [old]
        try team.observe("people.@sum.age", as: Int.self, options: .new) { sums.append($0.newValue) }
        try team.mutableArrayValue(forKey: "people").append(young)
        #expect(team.people.first === young)
        young.age = 30
        old.age = 60
        expectEqual(sums, [70, 80, 90])
    }
}
