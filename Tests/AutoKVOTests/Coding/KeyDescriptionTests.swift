import AutoKVO
import AutoKVOTestSupport
import Testing

private class Base: Model {
    @Observed var name = ""
    @Observed var tags: Set<String>?
    @ObservedWeak var parent: Base?
    var label: String { name + "!" }
    var plain = 0

    override class var schema: Schema {
        Schema(Base.self, extending: super.schema) {
            Key("label", \.label, affectedBy: "name", "parent.name")
            Key("name", \.name)
            Key("plain", \.plain, notifiesAutomatically: false)
        }
    }
}
private final class Derived: Base {
    @Observed var count: Int? = 1
}
private final class WrongPath: Model {
    @Observed var base: Base?
    var title: String { base?.name ?? "" }
    override class var schema: Schema {
        Schema(WrongPath.self, extending: super.schema) { Key("title", \.title, affectedBy: "base.nme") }
    }
}
private final class Wrong: Model {
    @Observed var name = ""
    @Observed var age = 0
    override class var schema: Schema { Schema(Wrong.self, extending: super.schema) { Key("age", \.name) } }
}
private final class Empty: TrackedObject {}

/// What a class offers by name.
struct KeyDescriptionTests {
    @Test("keys lists inherited ones first, own properties as written, then what the schema adds") func order() {
        expectEqual(Base.keyDescriptions.map(\.name), ["name", "tags", "parent", "label", "plain"])
        expectEqual(Derived.keyDescriptions.map(\.name), ["name", "tags", "parent", "label", "plain", "count"])
        #expect(Empty.keyDescriptions.isEmpty && TrackedObject.keyDescriptions.isEmpty)
    }

    @Test("a description has the type, whether it is settable, derived, weak or a collection, and the class")
    func traits() throws {
        func key(_ name: String) throws -> KeyDescription {
            try #require(Derived.keyDescriptions.first { $0.name == name })
        }
        let name = try key("name")
        #expect(
            name.valueType == String.self && name.isSettable && !name.isDerived && !name.isCollection && !name.isWeak)
        expectEqual(ObjectIdentifier(name.declaringClass), ObjectIdentifier(Base.self))
        let tags = try key("tags")
        #expect(tags.isCollection && !tags.isSettable && tags.valueType == Set<String>?.self)
        #expect(try key("parent").isWeak)
        let label = try key("label")
        #expect(label.isDerived && label.affectedBy == ["name", "parent.name"] && !label.isSettable)
        #expect(try key("plain").isSettable)
        let count = try key("count")
        #expect(
            ObjectIdentifier(count.declaringClass) == ObjectIdentifier(Derived.self) && count.valueType == Int?.self)
        expectEqual("\(label)", "label: String, derived from name, parent.name")
        expectEqual("\(name)", "name: String, settable")
    }

    @Test("validateSchema passes for a right schema, and throws the first fault of a wrong one") func validated() throws
    {
        try Base.validateSchema()
        try Derived.validateSchema()
        try Empty.validateSchema()
        func fault(_ type: TrackedObject.Type) -> KeyValueError? {
            do throws(KeyValueError) { try type.validateSchema() } catch { return error }
            return nil
        }
        expectEqual(fault(Wrong.self)?.key, "age")
        #expect("\(try #require(fault(Wrong.self)))".contains("write Key(\"age\", \\.age)"))
        let path = try #require(fault(WrongPath.self))
        #expect(path.key == "title" && "\(path)".contains("did you mean \"name\"?"))
    }

    @Test("keys of a faulty schema traps with the fault") func keysTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Wrong.keyDescriptions
        }
        expectEqual(missing("Wrong", "age", in: result), [])
    }
}
