import AutoKVO
import AutoKVOTestSupport
import Testing

/// Properties whose names are raw identifiers.
struct RawNameTests {
    private final class Form: TrackedObject {
        @Observed var `first name` = "Ann"
        @Observed var `42` = 0
        @Observed var `class` = 1
        @Observed var `lines-of-text`: [String] = []
        @Observed var next: Form?
        @Derived({ (form: Form) in form.`first name`.count }) var `letters of it`: Int
    }

    private final class Dotted: TrackedObject {
        @Observed var `x.y` = 1
        @Observed var plain = 1
    }

    private let form = Form()

    @Test("a name with spaces is a key: by name, by handle, on a path, in order, undone") func spaces() throws {
        expectEqual(
            Form.keyDescriptions.map(\.name), ["first name", "42", "class", "lines-of-text", "next", "letters of it"])
        let recorder = Recorder<Any>()
        form.next = Form()
        try form.observe("first name", options: [.old, .new], recorder.handler("name"))
        try form.observe("letters of it", options: [.old, .new], recorder.handler("derived"))
        try form.observe("next.first name", options: .new, recorder.handler("path"))
        try form.observe("lines-of-text.@count", options: .new, recorder.handler("operator"))
        var typed: [String] = []
        form.`$first name`.observe(options: .new) { typed.append($0.newValue!) }
        let history = UndoHistory(of: form)
        form.`first name` = "Beate"
        form.next!.`first name` = "Cleo"
        form.`$lines-of-text`.append("line")
        expectEqual(recorder.labels, ["name", "derived", "path", "operator"])
        expectEqual(typed, ["Beate"])
        #expect(history.undo())
        #expect(history.undo())
        expectEqual(form.`first name`, "Ann")
    }

    @Test("a name that cannot be part of a path is a fault of the schema") func dotted() async {
        let error = #expect(throws: KeyValueError.self) { try Dotted.validateSchema() }
        #expect(["Dotted", "x.y", "dot"].allSatisfy("\(error!)".contains))
        #expect(throws: KeyValueError.self) { try Dotted().observe("plain") { _ in } }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Dotted().`$x.y`.observe { _ in }
        }
        expectEqual(missing("Dotted", "x.y", "dot", in: result), [])
    }
}
