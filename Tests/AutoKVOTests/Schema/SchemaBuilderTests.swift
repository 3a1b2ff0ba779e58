import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Gauge<Value: Equatable & Sendable>: TrackedObject {
    @Observed var value: Value
    @Observed var limit: Value

    init(_ value: Value) { (self.value, limit) = (value, value) }

    override class var schema: Schema {
        Schema(Gauge.self, extending: super.schema) {
            if Value.self == Int.self {
                Key("number", \.value, notifiesAutomatically: false)
            } else {
                Key("text", \.value, notifiesAutomatically: false)
            }
            if #available(macOS 15, *) { Key("limit", \.limit) }
        }
    }
}

/// Conditions in schemas.
struct SchemaBuilderTests {
    @Test("of the two branches of a condition the one that is taken declares its keys") func branches() throws {
        let (number, text) = (Gauge(7), Gauge("seven"))
        try expectEqual(number.value(forKey: "number") as? Int, 7)
        try expectEqual(text.value(forKey: "text") as? String, "seven")
        #expect(throws: KeyValueError.self) { try number.value(forKey: "text") }
        #expect(throws: KeyValueError.self) { try text.value(forKey: "number") }
    }

    @Test("a condition of availability declares its keys where it holds") func availability() throws {
        let gauge = Gauge(7)
        let recorder = Recorder<Any>()
        try gauge.observe("limit", options: .new, recorder.handler())
        gauge.limit = 9
        expectEqual(recorder.news(Int.self), [9])
    }

    @Test("a bare tracked object has no keys, and its observations end by themselves") func bare() {
        #expect(throws: KeyValueError.self) { try TrackedObject().value(forKey: "name") }
        #expect(TrackedObject.unregistersAutomatically)
    }
}
