import AutoKVO
import AutoKVOTestSupport
import Testing

/// Whose closures contain closures.
private final class Worker: Model {
    @Observed var tags: [String] = []
    @Observed var seen: [Int] = []
    override class var schema: Schema {
        Schema(Worker.self, extending: super.schema) {
            Key("tags", \.tags, validate: { _, tags in tags = tags.filter { !$0.isEmpty } })
            Key("seen", \.seen)
            Handler("nothing") { worker in worker.seen += [1, 2].map { $0 * 10 } }
            Handler("change") { worker, change in worker.seen += [change.newValue as! Int].map { $0 * 10 } }
            Handler("all") { worker, change, info in worker.seen += [info as! Int].map { $0 * 10 } }
        }
    }
}

private final class PlainWorker: SchemaProviding {
    var seen: [Int] = []
    static var schema: Schema {
        Schema(PlainWorker.self) { Handler("go") { worker in worker.seen += [1, 2].map { $0 * 10 } } }
    }
}

private actor Elsewhere {
    func tags() throws -> [String]? {
        var value: Any? = ["", "a"]
        try Worker().validateValue(&value, forKey: "tags")
        return value as? [String]
    }
}

/// Closures in a schema run on whatever thread makes the change.
struct SchemaThreadTests {
    @Test("a validation with a closure inside") func validation() throws {
        nonisolated(unsafe) var (value, error): (Any?, (any Error)?) = (["", "a", ""], nil)
        onAnotherThread {
            do { try Worker().validateValue(&value, forKey: "tags") } catch let thrown { error = thrown }
        }
        #expect(error == nil)
        expectEqual(value as? [String], ["a"])
    }

    @Test("a validation on an actor that is not the main one") func actorValidation() async throws {
        try await expectEqual(Elsewhere().tags(), ["a"])
    }

    @Test("handlers with a closure inside") func handlers() throws {
        let (worker, plain, person) = (Worker(), PlainWorker(), Person())
        for name in ["nothing", "change", "all"] {
            try person.addObserver(worker, forKeyPath: "age", options: .new, handler: name, userInfo: 7)
        }
        try person.addObserver(plain, forKeyPath: "age", handler: "go")
        onAnotherThread { person.age = 4 }
        expectEqual(worker.seen, [10, 20, 40, 70])
        expectEqual(plain.seen, [10, 20])
    }

    @Test("the schema itself may be made on any thread") func making() throws {
        final class Fresh: Model {
            @Observed var number = 1
            override class var schema: Schema {
                Schema(Fresh.self, extending: super.schema) {
                    for name in ["a", "b"].map({ $0 + "lias" }) { Key(name, \.number, affectedBy: "number") }
                    Key("number", \.number)
                }
            }
        }
        nonisolated(unsafe) var value: Any?
        onAnotherThread { value = try? Fresh().value(forKey: "alias") }
        expectEqual(value as? Int, 1)
    }
}
