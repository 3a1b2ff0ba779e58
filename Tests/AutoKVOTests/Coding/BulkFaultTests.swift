import AutoKVO
import AutoKVOTestSupport
import Testing

/// Dictionaries from outside.
struct BulkFaultTests {
    private let person = Person()

    private func error(_ values: [String: Any?], validating: Bool = false) -> KeyValueError? {
        do {
            try person.setValues(values, validating: validating)
            return nil
        } catch { return error }
    }

    @Test(
        "names that are no keys throw, and none of the other entries is set",
        arguments: [
            "", ".", "..", "@count", "@", "friends.@count", "friends.@nothing", "friends.age", "age.x", ".age", "age.",
            "\0", "a|b",
            "spouse..age", "address.\u{202E}", "self", "friends.0",
        ])
    func names(name: String) {
        #expect(error([name: 1, "age": 5]) != nil)
        #expect(error([name: 1, "age": 5], validating: true) != nil)
        expectEqual(person.age, 0)
    }

    @Test("very long names, deep paths and control characters make messages that are cut and escaped") func messages()
        throws
    {
        let hostile = String(repeating: "\u{1B}[2J\n\r\u{202E}\"\\\0", count: 20_000)
        person.spouse = person
        let deep = String(repeating: "spouse.", count: 5_000)
        let found = try #require(
            error([
                hostile: 1, "\(hostile).\(hostile)": 1, deep + "age": "x", deep + hostile: 1, "address.\(hostile)": 1,
                deep + "address.city": "x",
            ]))
        expectEqual(found.errors.count, 6)
        for line in found.description.split(separator: "\n", omittingEmptySubsequences: false) {
            let isTame = line.unicodeScalars.allSatisfy {
                ![.control, .format].contains($0.properties.generalCategory)
            }
            #expect(isTame && line.unicodeScalars.count < 1_000)
        }
        try person.setValues([deep + "age": 3])
        expectEqual(person.age, 3)
        person.spouse = nil
    }

    @Test("a dictionary of very many wrong entries throws an error for each and a message of nine lines") func huge()
        throws
    {
        var values: [String: Any?] = ["age": 1]
        for number in 0..<5_000 { values["unknown\(number)"] = number }
        let found = try #require(error(values))
        #expect(found.errors.count == 5_000 && found.errors.map(\.key) == found.errors.map(\.key).sorted())
        #expect(found.description.split(separator: "\n").count == 9 && found.description.utf8.count < 4_000)
        expectEqual(person.age, 0)
    }

    @Test("a validation that throws an error without a name refuses the value of its entry") func unnamed() throws {
        final class Outer: TrackedObject {
            @Observed var number = 0
            @Observed var next: Outer?
            override class var schema: Schema {
                Schema(Outer.self, extending: super.schema) {
                    Key("number", \.number) { _, _ in throw KeyValueError(.invalidValue("odd")) }
                    Key("next", \.next)
                }
            }
        }
        let outer = Outer()
        outer.next = Outer()
        let found = #expect(throws: KeyValueError.self) {
            try outer.setValues(["number": 1, "next.number": 2], validating: true)
        }
        expectEqual(found?.errors.map(\.keyPath), ["next.number", "number"])
        expectEqual(found?.errors.map(\.key), ["number", "number"])
        expectEqual(found?.description.hasPrefix("invalid value for \"next.number\": odd\n"), true)
    }

    @Test("a validation that sets several values itself and fails is one error of its entry") func nested() throws {
        final class Outer: TrackedObject {
            @Observed var number = 0
            @Observed var text = ""
            override class var schema: Schema {
                Schema(Outer.self, extending: super.schema) {
                    Key("number", \.number) { _, _ in try Person().setValues(["a": 1, "b": 2]) }
                    Key("text", \.text)
                }
            }
        }
        let found = #expect(throws: KeyValueError.self) {
            try Outer().setValues(["number": 1, "text": 2], validating: true)
        }
        expectEqual(found?.errors.map(\.className), ["Person", "Outer"])
    }
}
