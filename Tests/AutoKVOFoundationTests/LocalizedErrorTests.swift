import AutoKVO
import AutoKVOFoundation
import AutoKVOTestSupport
import Foundation
import Testing

private struct TooCheap: LocalizedError {
    var errorDescription: String? { "A ticket costs something,\u{200D} always." }
}

private struct TooDear: Error, CustomStringConvertible {
    let description = "nobody pays that"
}

private final class Ticket: TrackedObject {
    @Observed var price = 1
    @Observed var seat = "A 1"  // without a Key: not to be set by name
    override class var schema: Schema {
        Schema(Ticket.self, extending: super.schema) {
            Key("price", \.price) { _, price in
                if price < 1 { throw TooCheap() }
                if price > 100 { throw TooDear() }
            }
        }
    }
}

/// Errors as localized errors.
struct LocalizedErrorTests {
    @Test("what Foundation says of an error is its sentence") func sentence() {
        let error = #expect(throws: KeyValueError.self) { try Person().value(forKey: "agee") }
        #expect(error?.localizedDescription == error?.description)
        #expect(error?.localizedDescription.contains("did you mean \"age\"?") == true)
    }

    @Test("the sentence of a validation's own error is shown, be it localized or described") func ownSentence() {
        let ticket = Ticket()
        var value: Any? = 0
        let cheap = #expect(throws: KeyValueError.self) { try ticket.validateValue(&value, forKey: "price") }
        #expect(cheap?.localizedDescription == "invalid value for \"price\": A ticket costs something,\u{200D} always.")
        #expect(cheap?.underlyingError is TooCheap)
        value = 101
        let dear = #expect(throws: KeyValueError.self) { try ticket.validateValue(&value, forKey: "price") }
        #expect(dear?.reason == .invalidValue("nobody pays that"))
        #expect(dear?.localizedDescription == "invalid value for \"price\": nobody pays that")
    }

    @Test("an error of several entries has the own sentence of each") func several() {
        let ticket = Ticket()
        let error = #expect(throws: KeyValueError.self) {
            try ticket.setValues(["price": 0, "prize": 1], validating: true)
        }
        #expect(
            error?.localizedDescription == """
                invalid value for "price": A ticket costs something,\u{200D} always.
                unknown key "prize": Ticket has no key "prize", did you mean "price"?
                """)
        #expect(error?.description.contains("A ticket costs something,\u{200D} always.") == false)
    }

    @Test("what only a programmer can do about an error is not shown to the user") func withoutAdvice() {
        let ticket = Ticket()
        let error = #expect(throws: KeyValueError.self) { try ticket.setValue("B 2", forKey: "seat") }
        #expect(error?.description.contains("in the schema of Ticket") == true)
        #expect(error?.localizedDescription == "read-only key \"seat\": Ticket.seat cannot be set by name")
        let count = #expect(throws: KeyValueError.self) { try Person().setValue(1, forKeyPath: "friends.@count") }
        #expect(count?.localizedDescription == count?.description)
    }
}
