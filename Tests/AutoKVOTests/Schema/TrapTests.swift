import AutoKVO
import AutoKVOTestSupport
import Testing

class SelfSchemaFinals: TrackedObject {
    @Observed final var a = 0
    override class var schema: Schema { Schema(Self.self, extending: super.schema) { Key("a", \.a) } }
}
class SelfSchemaFinalsHeir: SelfSchemaFinals {}
class SelfSchemaBase: TrackedObject {
    @Observed var a = 0
    override class var schema: Schema { Schema(Self.self, extending: super.schema) { Key("a", \.a) } }
}
final class SelfSchemaSub: SelfSchemaBase {
    @Observed var b = 0
    override class var schema: Schema { Schema(SelfSchemaSub.self, extending: super.schema) { Key("b", \.b) } }
}
final class SelfSchemaHeir: SelfSchemaBase {
    @Observed var b = 0
}

private final class FaultyKeyless: TrackedObject {
    @Observed var lonely = 0
    @Observed var text = ""
    override class var schema: Schema {
        Schema(FaultyKeyless.self, extending: super.schema) { Key("lonely", \.text) }
    }
}

private final class Stranger: TrackedObject {
    @Derived({ (person: Person) in person.firstName }) var byFunction: String
    @Derived(\Person.firstName) var byKeyPath: String
}

/// Mistakes in code trap with a sentence.
struct TrapTests {
    @Test("Schema(Self.self) in a class that is subclassed, asked of the class itself", .needs(.classMetadata))
    func selfSchemaItselfTraps()
        async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try SelfSchemaBase().observe("a") { _ in }
        }
        expectEqual(missing("Self.self", "Schema(SelfSchemaBase.self", in: result), [])
    }

    @Test("Schema(Self.self) in a class whose members are final, asked of a subclass", .needs(.classMetadata))
    func selfSchemaFinalsTraps()
        async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try SelfSchemaFinalsHeir().value(forKey: "a")
        }
        expectEqual(missing("Self.self", "Schema(SelfSchemaFinals.self", in: result), [])
    }

    @Test("Schema(Self.self) in a class that is subclassed", .needs(.classMetadata)) func selfSchemaTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try SelfSchemaSub().observe("a") { _ in }
        }
        expectEqual(missing("Self.self", in: result), [])
    }

    @Test("Schema(Self.self) in a class whose subclass declares nothing", .needs(.classMetadata))
    func selfSchemaHeirTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try SelfSchemaHeir().observe("a") { _ in }
        }
        expectEqual(missing("Self.self", in: result), [])
    }

    @Test("a derived property whose function is one of another class", arguments: ["byFunction", "byKeyPath"])
    func strangersFunctionTraps(key: String) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [key] in
            try Stranger().observe(key) { _ in }
        }
        let sentence = "Stranger has a @Derived property with a function of Person"
        expectEqual(missing(sentence, in: result), [])
        let read = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let stranger = Stranger()
            print(stranger.byFunction, stranger.byKeyPath)
        }
        expectEqual(missing(sentence, in: read), [])
    }

    @Test("a key path of a class that the object is not of") func strangerTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Person().observe(\Address.city) { _, _ in }
        }
        expectEqual(missing("Person", "Address", "AutoKVOTests/TrapTests.swift:", in: result), [])
    }

    @Test("a key path or a handle of a class with a faulty schema") func faultySchemaTraps() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            FaultyKeyless().observe(\.lonely) { _, _ in }
        }
        expectEqual(missing("FaultyKeyless", "AutoKVOTests/TrapTests.swift:", in: result), [])
    }
}
