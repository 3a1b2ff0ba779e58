import AutoKVO
import AutoKVOTestSupport
import Testing

/// A class whose values are validated, with objects on the way to others.
final class Ticket: Model {
    struct Refusal: Error, CustomStringConvertible { let description: String }

    @Observed var price = 0
    @Observed var name = ""
    @Observed var next: Ticket?
    @Observed var holder: Person?
    @ObservedWeak var last: Ticket?
    @Observed var anything: Any = 0

    override func validate(_ value: inout Any?, forKey key: String) throws {
        guard key == "name", let text = value as? String else { return try super.validate(&value, forKey: key) }
        if text.isEmpty { throw Refusal(description: "a name is not empty") }
        value = text.lowercased()
    }

    override class var schema: Schema {
        Schema(Ticket.self, extending: super.schema) {
            Key("price", \.price) { _, price in
                if price < 0 { throw Refusal(description: "too cheap") }
                price = min(price, 100)
            }
            Key("name", \.name)
            Key("next", \.next)
            Key("holder", \.holder)
            Key("last", \.last)
            Key("anything", \.anything)
        }
    }
}

/// Setting several values by path.
struct BulkCodingTests {
    private let person = Person()
    private let ticket = Ticket()
    private let recorder = Recorder<Any>()

    @Test("an entry's name may be a path, and each entry that is set is one change") func paths() throws {
        person.address = Address("Ulm")
        person.spouse = Person("Bea")
        person.spouse!.address = Address("Bonn")
        let all = ["age", "address.city", "spouse.address.city", "spouse.age"]
        try person.observe(all, options: [.new], recorder.handler())
        try person.setValues(["spouse.address.city": "Bern", "age": 4, "spouse.age": 5, "address.city": "Rom"])
        expectEqual(recorder.paths, ["age", "address.city", "spouse.age", "spouse.address.city"])
        expectEqual(recorder.entries.map { "\($0.new!)" }, ["4", "Rom", "5", "Bern"])
        #expect(person.address?.city == "Rom" && person.spouse?.address?.city == "Bern")
    }

    @Test("an entry that goes through an object that another entry sets goes to the new object") func newObject() throws
    {
        let (old, new, inner) = (Ticket(), Ticket(), Ticket())
        ticket.next = old
        try ticket.setValues(["next": new, "next.price": 3, "next.next": inner, "next.next.price": 4, "anything": new])
        #expect(ticket.next === new && new.price == 3 && new.next === inner && inner.price == 4)
        #expect(old.price == 0 && old.next == nil)
        // The head was nil, the object is held weakly, or by a property of an open type.
        let other = Ticket()
        try ticket.setValues(["last": other, "last.price": 8, "anything": other, "anything.name": "x"])
        #expect(other.price == 8 && other.name == "x")
        // The same object by another path.
        ticket.next = ticket
        try ticket.setValues(["next.anything": new, "holder": Person("Zoe"), "next.holder.age": 7])
        #expect(ticket.holder?.firstName == "Zoe" && ticket.holder?.age == 7)
        ticket.next = nil
        ticket.anything = 0
    }

    @Test("a path through an object that the same call sets to nil, or that is nil, has no object") func noObject()
        throws
    {
        ticket.next = Ticket()
        try ticket.observe(["next", "price", "next.price"], recorder.handler())
        let error = #expect(throws: KeyValueError.self) {
            try ticket.setValues(["next": nil, "price": 1, "next.price": 3])
        }
        #expect(error?.reason == .noObject && error?.className == "Ticket")
        #expect(error?.key == "next" && error?.keyPath == "next.price")
        expectEqual(error?.description, "no object for \"next.price\": Ticket.next is nil")
        expectEqual(reason { try ticket.setValues(["next.next.price": 1]) }, .noObject)
        #expect(reason { try ticket.setValues(["next": 5, "next.price": 3]) } != nil)
        #expect(ticket.next != nil && ticket.price == 0 && recorder.count == 0)
    }

    @Test("a path over nil is checked as far as types are declared before the nil is found") func checkedBeforeNil() {
        expectEqual(reason { try ticket.setValue(1, forKeyPath: "next.prize") }, .unknownKey(nearest: "price"))
        expectEqual(
            reason { try ticket.setValue("x", forKeyPath: "next.price") }, .wrongType(expected: "Int", actual: "String")
        )
        expectEqual(reason { try ticket.setValue("x", forKeyPath: "holder.fullName") }, .readOnlyKey)
        expectEqual(reason { try ticket.setValue(1, forKeyPath: "next.price") }, .noObject)
        var value: Any? = "x"
        expectEqual(
            reason { try ticket.validateValue(&value, forKeyPath: "next.price") },
            .wrongType(expected: "Int", actual: "String"))
        value = 1
        expectEqual(reason { try ticket.validateValue(&value, forKeyPath: "next.price") }, .noObject)
        ticket.anything = Ticket?.none as Any
        expectEqual(reason { try ticket.setValue(1, forKeyPath: "anything.any.name") }, .noObject)
    }

    @Test("validating sets what the validations correct, also at the end of a path") func validating() throws {
        ticket.next = Ticket()
        try ticket.observe(["price", "name", "next.price"], options: [.new], recorder.handler())
        try ticket.setValues(["price": 300, "name": "ANN", "next.price": 7.0], validating: true)
        #expect(ticket.price == 100 && ticket.name == "ann" && ticket.next?.price == 7)
        expectEqual(recorder.count, 3)
        try ticket.setValues(["price": 300, "name": "ANN"])
        #expect(ticket.price == 300 && ticket.name == "ANN")
        // The object that is validated is the new one.
        let new = Ticket()
        try ticket.setValues(["next": new, "next.name": "BOB"], validating: true)
        expectEqual(new.name, "bob")
        try ticket.setValues(["next": new, "next.name": "EVE"])
        expectEqual(new.name, "EVE")
    }

    @Test("one refused value among several sets none of them, and each error has its entry") func refused() throws {
        ticket.next = Ticket()
        try ticket.observe(["price", "name", "next.price"], recorder.handler())
        let error = #expect(throws: KeyValueError.self) {
            try ticket.setValues(
                ["price": -1, "name": "", "next.price": -2, "anything": 4, "nme": 1, "holder": 1], validating: true)
        }
        expectEqual(error?.errors.map(\.keyPath), ["holder", "name", "next.price", "nme", "price"])
        expectEqual(
            error?.errors.map(\.reason),
            [
                .wrongType(expected: "Optional<Person>", actual: "Int"), .invalidValue("a name is not empty"),
                .invalidValue("too cheap"), .unknownKey(nearest: "name"), .invalidValue("too cheap"),
            ])
        expectEqual(error?.errors.allSatisfy { $0.errors == [$0] }, true)
        expectEqual(error, error?.errors.first)
        #expect(error?.errors[1].underlyingError is Ticket.Refusal)
        #expect(recorder.count == 0 && ticket.price == 0 && ticket.anything as? Int == 0)
    }

    @Test("what is behind a refused value is checked by its declared class") func behind() {
        let error = #expect(throws: KeyValueError.self) {
            try ticket.setValues(["holder": 1, "holder.age": 2, "holder.price": 3])
        }
        expectEqual(error?.errors.map(\.keyPath), ["holder", "holder.price"])
        expectEqual(error?.errors.last?.className, "Person")
    }

    @Test("the error of a call has a line for each entry, at most eight, and says how many more there are") func lines()
    {
        func lines(_ values: [String: Any?]) -> [Substring] {
            do {
                try ticket.setValues(values)
                return []
            } catch { return error.description.split(separator: "\n") }
        }
        expectEqual(lines(["price": "x"]), ["wrong type for \"price\": Ticket.price holds Int, not String"])
        expectEqual(
            lines(["price": "x", "nme": 1]),
            [
                "unknown key \"nme\": Ticket has no key \"nme\", did you mean \"name\"?",
                "wrong type for \"price\": Ticket.price holds Int, not String",
            ])
        let many = lines(Dictionary(uniqueKeysWithValues: (10..<30).map { ("zz\($0)", 1) }))
        #expect(many.count == 9 && many.last == "and 12 more" && many[7].contains("zz17"))
    }

    @Test("an error that stands alone is its only one, also at a path") func alone() {
        let error = #expect(throws: KeyValueError.self) { try ticket.setValue(1, forKeyPath: "next.price") }
        expectEqual(error.map { [$0] }, error?.errors)
    }

    @Test("the error for an observed property without a Key is the line that makes it settable by name, no other is")
    func readOnly() {
        class Account: TrackedObject {
            @Observed var balance = 0
            @Observed var entries: [Int] = []
            @Observed var next: Account?
            var double: Int { balance * 2 }
            override class var schema: Schema {
                Schema(Account.self, extending: super.schema) { Key("double", \.double, affectedBy: "balance") }
            }
        }
        final class Savings: Account {}
        func sentence(_ body: () throws -> Void) -> String {
            do {
                try body()
                return ""
            } catch { return "\(error)" }
        }
        let line = "write Key(\"balance\", \\.balance) in the schema of Account to let it be set by name"
        let account = Savings()
        expectEqual(sentence { try account.setValue(1, forKey: "balance") }, "read-only key \"balance\": " + line)
        #expect(sentence { try account.setValues(["balance": 1]) }.hasSuffix(line))
        #expect(sentence { try account.setValue(1, forKeyPath: "next.balance") }.hasSuffix(line))
        #expect(
            sentence { _ = try account.mutableArrayValue(forKey: "entries") }.contains(
                "Key(\"entries\", \\.entries) in the"))
        expectEqual(
            sentence { try account.setValue(1, forKey: "double") },
            "read-only key \"double\": Savings.double cannot be set by name")
        expectEqual((try? account.dictionaryWithValues())?.isEmpty, true)
    }

    @Test("a call that throws keeps nothing alive, nor does one that returns") func lifetimes() throws {
        let tracker = LifetimeTracker()
        var errors: [KeyValueError] = []
        do {
            let (root, next) = (tracker.track(Ticket()), tracker.track(Ticket()))
            root.next = next
            let values: [String: Any?] = [
                "next": tracker.track(Ticket()), "next.price": 4, "next.holder": tracker.track(Person()),
            ]
            do { try root.setValues(values.merging(["nobody": 1]) { $1 }) } catch { errors.append(error) }
            #expect(root.next === next)
            try root.setValues(values)
            #expect(root.next !== next && root.next?.price == 4)
        }
        expectEqual(errors.count, 1)
        tracker.expectNoLeaks()
    }
}
