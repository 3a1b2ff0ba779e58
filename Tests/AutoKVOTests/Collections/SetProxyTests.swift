import AutoKVO
import AutoKVOTestSupport
import Testing

/// Sets by name.
struct SetProxyTests {
    let crate = Crate()
    let recorder = Recorder<Any>()

    @Test("edits through a proxy tell what moved, and nothing if nothing did") func edits() throws {
        crate.tags = ["a"]
        try crate.observe("tags", options: [.old, .new], recorder.handler())
        let tags = try crate.mutableSetValue(forKey: "tags")
        #expect(try tags.insert("b"))
        #expect(try !tags.insert("b"))
        try tags.formUnion(["b", "c"])
        try tags.formUnion(["b", "c"])
        try tags.subtract(["c", "x"])
        try tags.formIntersection(["a"])
        try tags.formSymmetricDifference(["a", "d"])
        try tags.setElements(["d", "e"])
        try tags.setElements(["e", "d"])
        try tags.removeAll { $0 as? String == "e" }
        #expect(try tags.remove("d"))
        #expect(try !tags.remove("d"))
        try tags.removeAll()
        expectEqual(
            recorder.lines,
            [
                "insertion … > [\"b\"]", "insertion … > [\"c\"]", "removal [\"c\"] > …", "removal [\"b\"] > …",
                "replacement [\"a\"] > [\"d\"]", "replacement [] > [\"e\"]", "removal [\"e\"] > …",
                "removal [\"d\"] > …",
            ])
        #expect(recorder.entries.allSatisfy { $0.indexes == nil })
        crate.tags = ["q"]
        #expect(tags.contains("q") && !tags.contains(1) && tags.count == 1 && !tags.isEmpty)
        expectEqual(tags.map { $0 as? String }, ["q"])
        #expect(tags.object === crate && tags.key == "tags")
    }

    @Test("computed sets, optional sets and silent sets are edited as arrays are") func kinds() throws {
        try crate.observe(["computedTags", "maybeTags", "silentTags"], options: [.new], recorder.handler())
        try crate.mutableSetValue(forKey: "computedTags").insert(1)
        let maybe = try crate.mutableSetValue(forKey: "maybeTags")
        try maybe.subtract([1])
        #expect(crate.maybeTags == nil)
        try maybe.insert(2)
        try crate.mutableSetValue(forKey: "silentTags").insert("x")
        expectEqual(recorder.paths, ["computedTags", "maybeTags"])
        expectEqual(recorder.kinds, [.insertion, .insertion])
        #expect(crate.hiddenTags == [1] && crate.maybeTags == [2] && crate.silentTags == ["x"])
    }

    @Test("what the set cannot hold is refused, or not found, and changes nothing") func wrongType() throws {
        let tags = try crate.mutableSetValue(forKey: "tags")
        crate.tags = ["a"]
        #expect(throws: KeyValueError.self) { try tags.insert(1) }
        #expect(throws: KeyValueError.self) { try tags.formUnion(["b", 1] as [Any]) }
        #expect(throws: KeyValueError.self) { try tags.setElements([1]) }
        #expect(throws: KeyValueError.self) { try tags.formSymmetricDifference([1]) }
        #expect(try !tags.remove(1))
        try tags.subtract([1])
        expectEqual(crate.tags, ["a"])
    }

    @Test("a key that cannot be written or is no set gives no proxy") func refused() {
        for key in ["readOnlyTags", "items", "number", "", "tag"] {
            #expect(throws: KeyValueError.self) { _ = try crate.mutableSetValue(forKey: key) }
        }
    }

    @Test("a proxy by path is that of the object there now") func byPath() throws {
        #expect(throws: KeyValueError.self) { _ = try crate.mutableSetValue(forKeyPath: "inner.tags") }
        crate.inner = Crate()
        try crate.mutableSetValue(forKeyPath: "inner.tags").insert("a")
        expectEqual(crate.inner?.tags, ["a"])
    }
}
