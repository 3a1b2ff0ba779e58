import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Settings: TrackedObject {
    enum Theme: String, CaseIterable { case dark, light }
    enum Size: UInt8 { case small = 1 }
    enum Step: Int, CaseIterable { case a, b, c, d, e, f, g, h, i, j }

    @Observed var theme = Theme.dark
    @Observed var maybeTheme: Theme?
    @Observed var size = Size.small
    @Observed var step = Step.a
    @Observed var small: Int8 = 0
    @Observed var name = "x"
    @Observed var names = ["x"]
    @Observed var rows = [[1]]
    @Observed var any: Any = 0

    override class var schema: Schema {
        Schema(Settings.self, extending: super.schema) {
            Key("theme", \.theme)
            Key("maybeTheme", \.maybeTheme)
            Key("size", \.size)
            Key("step", \.step)
            Key("small", \.small)
            Key("name", \.name) { _, name in throw KeyValueError(.invalidValue("\(name) is refused"), key: "name") }
            Key("names", \.names)
            Key("any", \.any)
        }
    }
}

/// Passes on to the base class what is not its own.
private final class Passing: TrackedObject {
    override func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [KeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
}

/// What errors and messages say.
struct MessageTests {
    private let settings = Settings()
    /// 200 KB with what acts on a terminal, ends a line or turns text around.
    private static let hostile = String(repeating: "\u{1B}[2J\n\r\u{202E}\"\\\0", count: 20_000)

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch { return "\(error)" }
    }

    private func expectTame(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        let isTame = text.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) }
        #expect(!text.isEmpty && text.unicodeScalars.count < 1_000 && isTame, sourceLocation: sourceLocation)
    }

    @Test("text from outside is escaped and cut, and is whole in the error") func hostileNames() throws {
        let hostile = Self.hostile
        let error = #expect(throws: KeyValueError.self) { try settings.value(forKeyPath: "any.\(hostile)") }
        expectEqual(error?.keyPath, "any.\(hostile)")
        let reasons: [KeyValueError.Reason] = [
            .unknownKey(nearest: nil), .malformedPath, .wrongType(expected: "Int", actual: "String"),
            .unknownHandler(nearest: nil),
            .readOnlyKey, .noObject, .pathThroughCollection, .unsupportedOperator, .indexOutOfRange(index: 1, count: 0),
            .deinitializingObject,
            .endedObservation, .emptyPathSet, .nothingToMatch, .schemaFault("a fault"), .invalidValue(hostile),
        ]
        for reason in reasons { expectTame(KeyValueError(reason, className: "Settings", key: hostile).description) }
        for path in [
            hostile, "any.\(hostile)", "name.\(hostile)", "names.@\(hostile)", "names.@sum.\(hostile)", "\(hostile)..",
        ] {
            expectTame(message { _ = try settings.value(forKeyPath: path) })
            expectTame(message { try settings.setValue(1, forKeyPath: path) })
            // Of the value of an open type a registration knows nothing yet.
            if !path.hasPrefix("any.") { expectTame(message { try settings.observe(path) { _ in } }) }
        }
        expectTame(message { try settings.observe("name", of: settings, handler: hostile) })
        expectTame(message { try settings.setValue(hostile, forKey: "theme") })
        var value: Any? = hostile
        expectTame(message { try settings.validateValue(&value, forKey: "name") })
        for line in messages(during: { settings.didChangeValue(forKey: hostile) }) { expectTame(line) }
        Passing().observeValueQuietly(hostile).forEach { expectTame($0) }
    }

    @Test("a name is shown as it is where it can be") func shown() {
        #expect(
            message { _ = try settings.value(forKey: "straße \"x\"\n") }.hasPrefix(
                "unknown key \"straße \\\"x\\\"\\n\": "))
    }

    @Test("the description of an observation does not grow with its paths and targets") func descriptions() throws {
        let ann = Person()
        ann.spouse = ann
        let long = String(repeating: "spouse.", count: 10_000) + "age"
        expectTame(try ann.observe([long, "age"]) { _ in }.debugDescription)
        expectTame(try ann.observe("friends.@count.\(Self.hostile.filter { $0 != "." })") { _ in }.debugDescription)
        let people = (0..<500).map { Person("\($0)") }
        let many = try people.observe(["age", "firstName"]) { _ in }.debugDescription
        #expect(many.contains("and 492 more") && many.unicodeScalars.count < 1_000)
        withExtendedLifetime(people) {}
        ann.spouse = nil
        ann.removeAllObservers()
    }

    @Test("what a binding reports does not grow with its path") func bindings() throws {
        let (ann, bob) = (Person(), Person())
        ann.spouse = ann
        let long = String(repeating: "spouse.", count: 10_000) + "age"
        try bob.bind("age", to: long, of: ann)
        let lines = messages { ann.spouse = nil }
        #expect(!lines.isEmpty)
        for line in lines { expectTame(line) }
    }

    @Test("nor with that of what is bound") func boundPaths() throws {
        let (ann, bob) = (Person(), Person())
        ann.spouse = ann
        let long = String(repeating: "spouse.", count: 10_000) + "age"
        try ann.bind(long, to: "age", of: bob) { (age: Int) in age + 1 }
        let lines = try messages { try bob.bind("age", to: "age", of: ann) { (age: Int) in age + 1 } }
        #expect(!lines.isEmpty)
        for line in lines { expectTame(line) }
        ann.spouse = nil
    }

    @Test(
        "a path that goes on behind a value says what the value is, and proposes an operator only behind a collection")
    func hints() {
        let string = message { _ = try settings.value(forKeyPath: "name.count") }
        expectEqual(string, "key path \"name.count\" cannot go on behind Settings.name: String has no keys")
        expectEqual(message { try settings.observe("name.count") { _ in } }, string)
        settings.any = "text"
        #expect(
            message { _ = try settings.value(forKeyPath: "any.x") }.hasSuffix("behind Settings.any: String has no keys")
        )
        #expect(
            message { try settings.setValue(1, forKeyPath: "any.x") }.hasSuffix(
                "behind Settings.any: String has no keys"))
        #expect(message { _ = try settings.value(forKeyPath: "names.count") }.contains("such as \"names.@count\""))
        #expect(message { _ = try settings.value(forKeyPath: "name.@count") }.hasSuffix(": String is no collection"))
        #expect(message { try settings.observe("names.@sum") { _ in } }.hasSuffix(": it takes numbers, not String"))
    }

    @Test("a sum holds an Int or a Double, in words that are no type's") func sums() throws {
        expectEqual(
            message { try settings.observe("any.@sum", as: String.self) { _ in } },
            "wrong type for \"any.@sum\": Settings.any holds Int or Double, not String")
        let elements = message { try settings.observeElements("any.@sum", as: Int.self) }
        #expect(elements.hasSuffix("holds Int or Double, not a collection of Int"))
        let nested = message { try settings.observe("rows.@unionOfArrays.@sum") { _ in } }
        #expect(nested.hasSuffix("it takes collections, not Int or Double"))
        let ofSums = message { try settings.observe("rows.@unionOfObjects.@sum", as: String.self) { _ in } }
        #expect(ofSums.hasSuffix("holds Array<Any>, not String"))
        #expect(try Settings.valueType(forKeyPath: "rows.@unionOfObjects.@sum") == [Any].self)
    }

    @Test("what has no class, no path or no key is left out of a sentence") func leftOut() throws {
        expectEqual(
            KeyValueError(.readOnlyKey, key: "@count", keyPath: "names.@count").description,
            "read-only key \"names.@count\": @count cannot be set by name")
        let reading = settings.observe(reading: { _ in 1 }, options: .once) { _, _ in }
        reading.remove()
        expectEqual(message { try reading.rearm() }, "the observation has ended and cannot be armed again")
        expectEqual(message { try settings.observe([String]()) { _ in } }, "no key path was given")
        expectEqual(
            "\(KeyValueError(.indexOutOfRange(index: 1, count: 1), className: "Settings", key: "names"))",
            "index 1 is out of range for Settings.names, which has 1 element")
    }

    @Test("to observe any key of a class without keys is refused, with the class") func anyKeyOfNone() {
        final class Empty: TrackedObject {}
        for text in [
            message { try Empty().observeAnyKey { _ in } },
            message { try settings.observeAnyKey(of: Empty()) { _, _ in } },
        ] { expectEqual(text, "Empty has no keys to observe") }
    }

    @Test(
        "a misspelt operator gets the nearest one",
        arguments: [("@avrg", "@avg"), ("@Count", "@count"), ("@mx", "@max")])
    func operatorHint(wrong: String, right: String) {
        let text = message { _ = try settings.value(forKeyPath: "names.\(wrong)") }
        expectEqual(
            text, "unsupported operator \"\(wrong)\" in key path \"names.\(wrong)\", did you mean \"\(right)\"?")
        #expect(!message { _ = try settings.value(forKeyPath: "names.@median") }.contains("did you mean"))
    }

    @Test("an operator is read-only") func readOnlyOperator() {
        for path in ["names.@count", "names.@max"] {
            expectEqual(reason { try settings.setValue(1, forKeyPath: path) }, .readOnlyKey)
            #expect(
                message { try settings.setValue(1, forKeyPath: path) }.hasPrefix(
                    "read-only key \"\(path)\": what an operator"))
        }
    }

    @Test("a refused value is told what may be given: an enum's raw values, a number that fits") func refusedValues() {
        let theme =
            "wrong type for \"theme\": Settings.theme holds Theme, given by a raw value (String): \"dark\", \"light\"; not "
        expectEqual(message { try settings.setValue("neon", forKey: "theme") }, theme + "\"neon\"")
        expectEqual(message { try settings.setValue(4, forKey: "theme") }, theme + "Int")
        #expect(
            message { try settings.setValue("neon", forKey: "maybeTheme") }.contains(
                "holds Theme, given by a raw value (String): ")
        )
        #expect(
            message { try settings.setValue("x", forKey: "size") }
                .hasSuffix("holds Size, given by a raw value (UInt8); not String"))
        #expect(
            message { try settings.setValue(10, forKey: "step") }.hasSuffix(
                "given by a raw value (Int): 0, 1, 2, 3, 4, 5, 6, 7, …; not 10"))
        #expect(message { try settings.setValue(300, forKey: "small") }.hasSuffix("Settings.small holds Int8, not 300"))
        #expect(message { try settings.setValue(3, forKey: "name") }.hasSuffix("Settings.name holds String, not Int"))
    }

    @Test("a change that an override passes on to the base class is not said to be without an override") func passedOn()
        throws
    {
        let passing = Passing()
        let person = Person()
        try person.addObserver(passing, forKeyPath: "age", context: nil)
        let lines = messages { person.age = 1 }
        #expect(lines.count == 1 && lines[0].contains("Passing observes \"age\" of Person"))
        #expect(!lines[0].contains("does not override"))
    }
}

extension Passing {
    fileprivate func observeValueQuietly(_ keyPath: String) -> [String] {
        messages { observeValue(forKeyPath: keyPath, of: nil, change: nil, context: nil) }
    }
}
