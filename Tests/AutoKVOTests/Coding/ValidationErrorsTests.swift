import AutoKVO
import AutoKVOTestSupport
import Testing

private class SignUp: TrackedObject {
    struct Refused: Error, CustomStringConvertible { let description: String }

    @Observed var name = ""
    @Observed var age = 20
    @Observed var limit = 18
    @Observed var note = ""

    @Derived({ (form: SignUp) in form.validationErrors.isEmpty }) var canSave: Bool

    override class var schema: Schema {
        Schema(SignUp.self, extending: super.schema) {
            Key("name", \.name) { _, name in
                while name.last == " " { name.removeLast() }
                if name.isEmpty { throw Refused(description: "A name is needed.") }
            }
            Key("age", \.age) { form, age in
                if age < form.limit { throw KeyValueError(.invalidValue("You are too young.")) }
            }
            Key("note", \.note)
        }
    }

    override func validate(_ value: inout Any?, forKey key: String) throws {
        if key == "note", value as? String == "no" { throw Refused(description: "Not this.") }
    }
}

/// Validation errors.
struct ValidationErrorsTests {
    private let tracker = LifetimeTracker()
    private let form = SignUp()

    @Test("each key that its validation refuses has the sentence of the validation, and nothing else") func sentences()
    {
        expectEqual(form.validationErrors, ["name": "A name is needed."])
        form.age = 3
        form.note = "no"
        expectEqual(
            form.validationErrors, ["name": "A name is needed.", "age": "You are too young.", "note": "Not this."])
        form.name = "Ann "
        #expect(form.validationErrors["name"] == nil && form.name == "Ann ", "a corrected value passes, and is not set")
        expectEqual(Person().validationErrors, [:])
    }

    @Test("a key that cannot be set may be validated, too") func readOnly() {
        final class Span: TrackedObject {
            @Observed var start = 0
            @Observed var end = 0
            override class var schema: Schema {
                Schema(Span.self, extending: super.schema) {
                    Key("length", \.length) { _, length in
                        if length < 0 { throw SignUp.Refused(description: "The end is before the start.") }
                    }
                }
            }
            var length: Int { end - start }
        }
        let span = Span()
        expectEqual(span.validationErrors, [:])
        span.start = 1
        expectEqual(span.validationErrors, ["length": "The end is before the start."])
    }

    @Test("a validation that asks another object throws the error of that, with its class and key") func ofAnother()
        throws
    {
        final class Family: TrackedObject {
            @Observed var youngest = 20
            let form = SignUp()
            override class var schema: Schema {
                Schema(Family.self, extending: super.schema) {
                    Key("youngest", \.youngest) { family, youngest in
                        var value: Any? = youngest
                        try family.form.validateValue(&value, forKey: "age")
                    }
                }
            }
        }
        let error = #expect(throws: KeyValueError.self) { try Family().setValues(["youngest": 3], validating: true) }
        #expect((error?.className, error?.key) == ("SignUp", "age"))
    }

    @Test("they are observed like a computed property, through what the validations read") func observed() {
        var seen: [[String: String]] = []
        form.name = "Ann"
        form.observe(\.validationErrors, options: [.initial, .new]) { seen.append($1.newValue ?? [:]) }
        form.age = 19
        form.age = 3
        form.limit = 2
        form.note = "x"
        expectEqual(seen, [[:], ["age": "You are too young."], [:]])
    }

    @Test("a derived property of them, and a label bound to one") func derived() {
        var states: [Bool] = []
        let label = Person()
        form.$canSave.observe(options: [.initial, .new]) { states.append($0.newValue!) }
        let binding = label.$firstName.bind { [form] in form.validationErrors["name"] ?? "" }
        #expect(label.firstName == "A name is needed." && !form.canSave)
        form.name = "Ann"
        #expect(label.firstName == "" && form.canSave && states == [false, true])
        binding.invalidate()
    }
}
