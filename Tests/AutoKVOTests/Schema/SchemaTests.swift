import AutoKVO
import AutoKVOTestSupport
import Testing

private class Faulty: Model {
    @Observed final var a = 0
    @Observed final var b = 0
}

private final class Twice: Faulty {
    override class var schema: Schema {
        Schema(Twice.self, extending: super.schema) {
            Key("a", \.a)
            Key("a", \.b)
        }
    }
}
private final class Dotted: Faulty {
    override class var schema: Schema { Schema(Dotted.self, extending: super.schema) { Key("a.b", \.a) } }
}
private final class Barred: Faulty {
    override class var schema: Schema { Schema(Barred.self, extending: super.schema) { Key("a|b", \.a) } }
}
private final class Nameless: Faulty {
    override class var schema: Schema { Schema(Nameless.self, extending: super.schema) { Key("", \.a) } }
}
private final class Operatorlike: Faulty {
    override class var schema: Schema { Schema(Operatorlike.self, extending: super.schema) { Key("@count", \.a) } }
}
private final class UnknownBase: Faulty {
    override class var schema: Schema {
        Schema(UnknownBase.self, extending: super.schema) {
            Key("a", \.a)
            Key("b", \.b, affectedBy: "aa")
        }
    }
}
private final class UnknownPath: Faulty {
    override class var schema: Schema {
        Schema(UnknownPath.self, extending: super.schema) { Key("b", \.b, affectedBy: "x.y") }
    }
}
private final class Itself: Faulty {
    override class var schema: Schema {
        Schema(Itself.self, extending: super.schema) { Key("a", \.a, affectedBy: "a") }
    }
}
private final class Cycle: Faulty {
    override class var schema: Schema {
        Schema(Cycle.self, extending: super.schema) {
            Key("a", \.a, affectedBy: "b")
            Key("b", \.b, affectedBy: "a")
        }
    }
}
private final class LongCycle: Faulty {
    override class var schema: Schema {
        Schema(LongCycle.self, extending: super.schema) {
            Key("x", \.a, affectedBy: "z")
            Key("y", \.a, affectedBy: "x")
            Key("z", \.a, affectedBy: "y")
            Key("leaf", \.b, affectedBy: "x")
        }
    }
}
private final class TwoHandlers: Faulty {
    override class var schema: Schema {
        Schema(TwoHandlers.self, extending: super.schema) {
            Handler("h") { _ in }
            Handler("h") { _ in }
        }
    }
}

private final class NamelessHandler: Faulty {
    override class var schema: Schema {
        Schema(NamelessHandler.self, extending: super.schema) { Handler("") { _ in } }
    }
}

private class Acyclic: Faulty {
    override class var schema: Schema {
        Schema(Acyclic.self, extending: super.schema) {
            Key("a", \.a)
            Key("b", \.b, affectedBy: "a")
        }
    }
}
private final class ClosesCycle: Acyclic {
    override class var schema: Schema {
        Schema(ClosesCycle.self, extending: super.schema) { Key("a", \.a, affectedBy: "b") }
    }
}
private final class SaysNothing: Acyclic {}

private class Generic<Value: Equatable>: Model {
    @Observed var value: Value
    var pair: [Value] { [value, value] }
    init(_ value: Value) { self.value = value }
    override class var schema: Schema {
        Schema(Generic.self, extending: super.schema) {
            Key("value", \.value)
            Key("pair", \.pair, affectedBy: "value")
            Handler("note") { _ = $0.value }
        }
    }
}
private final class IntGeneric: Generic<Int> {
    @Observed var extra = 0
    override class var schema: Schema { Schema(IntGeneric.self, extending: super.schema) { Key("extra", \.extra) } }
}

private final class Conditional: Model {
    @Observed var a = 0
    @Observed var b = 0
    nonisolated(unsafe) static var withB = true
    override class var schema: Schema {
        Schema(Conditional.self, extending: super.schema) {
            Key("a", \.a)
            if withB { Key("b", \.b) }
            for name in ["alias1", "alias2"] { Key(name, \.a, affectedBy: "a") }
        }
    }
}

private final class CountsSchema: Model {
    nonisolated(unsafe) static var asked = 0
    @Observed var a = 0
    override class var schema: Schema {
        asked += 1
        return Schema(CountsSchema.self, extending: super.schema) { Key("a", \.a) }
    }
}

private final class CountsFaults: Model {
    nonisolated(unsafe) static var asked = 0
    @Observed var a = 0
    override class var schema: Schema {
        asked += 1
        return Schema(CountsFaults.self, extending: super.schema) { Key("a|b", \.a) }
    }
}

/// What affects the key of an observed property.
private final class Gauge: Model {
    @Observed var unit = 1
    @Observed var count = 0
    override class var schema: Schema {
        Schema(Gauge.self, extending: super.schema) { Key("count", \.count, affectedBy: "unit") }
    }
}

private final class Wide: Model {
    @Observed var a = 0
    @Observed var 名前 = 0
    @Observed var aVeryLongPropertyNameIndeedLongerThanFifteen = 0
    @Observed var fifteenLettersX = 0
    @Observed var sixteenLettersXY = 0
    override class var schema: Schema {
        Schema(Wide.self, extending: super.schema) {
            Key("名前", \.名前)
            Key("aVeryLongPropertyNameIndeedLongerThanFifteen", \.aVeryLongPropertyNameIndeedLongerThanFifteen)
            Key("fifteenLettersX", \.fifteenLettersX)
            Key("sixteenLettersXY", \.sixteenLettersXY)
            for index in 0..<300 { Key("k\(index)", \.a, affectedBy: index == 0 ? "名前" : "k\(index - 1)") }
        }
    }
}

/// Schemas.
struct SchemaTests {
    let recorder = Recorder<Any>()

    @Test("a schema that contradicts itself is an error at first use, with class and key", arguments: 0..<13)
    func faults(index: Int) throws {
        let cases: [(TrackedObject, String, String)] = [
            (Twice(), "a", "twice"), (Dotted(), "a.b", "dot"), (Barred(), "a|b", "|"), (Nameless(), "", "empty"),
            (Operatorlike(), "@count", "@"), (UnknownBase(), "b", "did you mean \"a\""),
            (UnknownPath(), "b", "x.y"),
            (Itself(), "a", "itself"), (Cycle(), "", "itself"), (LongCycle(), "", "itself"),
            (TwoHandlers(), "h", "twice"), (NamelessHandler(), "", "empty"), (ClosesCycle(), "", "itself"),
        ]
        let (object, key, text) = cases[index]
        let name = "\(type(of: object))"
        for attempt in 0..<2 {
            let error = #expect(throws: KeyValueError.self) { try object.observe(attempt == 0 ? "a" : "zzz") { _ in } }
            guard case .schemaFault? = error?.reason else { throw error! }
            expectEqual(error?.className, name)
            if !key.isEmpty { expectEqual(error?.key, key) }
            expectEqual(error?.description.contains(text), true, "\(error!)")
            expectEqual(error?.description.contains(name), true)
        }
        #expect(object.observations().isEmpty)
        let error = #expect(throws: KeyValueError.self) { try object.setValues(["a": 1, "b": 2]) }
        #expect(error?.className == name && error?.errors.count == 1, "said once, not of each entry")
    }

    @Test("writing properties of a class with a faulty schema works all the same") func faultyStillWorks() {
        let object = Cycle()
        object.a = 4
        expectEqual(object.a, 4)
        object.withMutation(of: "a") { object.a = 5 }
        expectEqual(object.a, 5)
    }

    @Test("the subclass whose schema closes a cycle is refused, its superclass works") func superclassWorks() throws {
        let object = Acyclic()
        try object.observe("b", recorder.handler())
        object.a = 1
        expectEqual(recorder.count, 1)
    }

    @Test("a subclass without a schema of its own has its superclass's keys") func inheritsAll() throws {
        let object = SaysNothing()
        try object.observe(["a", "b"], recorder.handler())
        object.a = 1
        expectEqual(recorder.paths.sorted(), ["a", "b"])
        let error = #expect(throws: KeyValueError.self) { try object.observe("c") { _ in } }
        expectEqual(error?.className, "SaysNothing")
    }

    @Test("inherited keys, handlers and own ones all work in a subclass") func inherited() throws {
        let employee = Employee("E")
        for path in ["firstName", "fullName", "badge", "salary", "department.manager.address.city"] {
            try employee.observe(path, options: [.new], recorder.handler())
        }
        employee.firstName = "F"
        expectEqual(recorder.paths.sorted(), ["badge", "firstName", "fullName"])
        recorder.clear()
        employee.salary = 3
        expectEqual(recorder.entries.first { $0.keyPath == "badge" }?.new as? String, "F Lee #3")
        #expect(throws: KeyValueError.self) { try Person().observe("salary") { _ in } }
    }

    @Test("schemas of generic classes, one for each argument, and of their subclasses") func generics() throws {
        let ints = Generic(1)
        let strings = Generic("a")
        let sub = IntGeneric(5)
        try ints.observe("pair", options: [.new], recorder.handler())
        try strings.observe("value", options: [.old, .new], recorder.handler())
        try sub.observe(["value", "extra"], options: [.new], recorder.handler())
        ints.observe(\.value, options: [.new]) { expectEqual($1.newValue, $0.value) }
        try ints.addObserver(strings, forKeyPath: "value", handler: "note")
        ints.value = 2
        strings.value = "b"
        sub.value = 6
        sub.extra = 7
        expectEqual(recorder.entries.map { "\($0.new!)" }, ["[2, 2]", "b", "6", "7"])
        #expect(throws: KeyValueError.self) { try strings.observe("value", as: Int.self) { _ in } }
    }

    @Test("conditions and loops in a schema") func builder() throws {
        let object = Conditional()
        try object.observe(["a", "b", "alias1", "alias2"], recorder.handler())
        object.b = 1
        expectEqual(recorder.paths, ["b"])
        try object.observe("alias2", recorder.handler("single"))
        object.a = 1
        expectEqual(recorder.paths.dropFirst().sorted(), ["a", "alias1", "alias2", "alias2"])
    }

    @Test("a property that a Key says to be affected by another is told when it is set") func affected() throws {
        let gauge = Gauge()
        try gauge.observe("count", options: [.old, .new], recorder.handler())
        gauge.count = 2
        gauge.unit = 3
        expectEqual(recorder.entries.map { "\($0.old!) \($0.new!)" }, ["0 2", "2 2"])
        expectEqual(Gauge.keyDescriptions.map(\.name), ["unit", "count"])
    }

    @Test("a class is asked for its schema once, however many objects it has") func askedOnce() throws {
        for _ in 0..<20 { try CountsSchema().observe("a") { _ in } }
        #expect(CountsSchema.asked <= 2)
        for _ in 0..<20 { #expect(throws: KeyValueError.self) { try CountsFaults().observe("a") { _ in } } }
        #expect(CountsFaults.asked <= 2, "a schema with a fault, too")
    }

    @Test("names of any length and script, and a chain of 300 keys") func wide() throws {
        let object = Wide()
        for path in [
            "名前", "aVeryLongPropertyNameIndeedLongerThanFifteen", "fifteenLettersX", "sixteenLettersXY", "k299",
        ] {
            try object.observe(path, recorder.handler())
        }
        object.aVeryLongPropertyNameIndeedLongerThanFifteen = 1
        object.fifteenLettersX = 1
        object.sixteenLettersXY = 1
        object.名前 = 1
        expectEqual(
            recorder.paths,
            [
                "aVeryLongPropertyNameIndeedLongerThanFifteen", "fifteenLettersX", "sixteenLettersXY", "名前", "k299",
            ])
    }

    @Test("errors are equal by content and say everything in one line") func errors() throws {
        let error = #expect(throws: KeyValueError.self) { try Person().observe("address.citty") { _ in } }
        expectEqual(
            error,
            KeyValueError(
                .unknownKey(nearest: "city"), className: "Address", key: "citty", keyPath: "address.citty"))
        #expect(error?.key == "citty" && error?.keyPath == "address.citty")
        expectEqual(error?.description.contains("\n"), false)
        let far = #expect(throws: KeyValueError.self) { try Person().observe("qqqqqqqqqq") { _ in } }
        expectEqual(far?.reason, .unknownKey(nearest: nil))
        expectEqual(far?.description.contains("did you mean"), false)
    }
}
