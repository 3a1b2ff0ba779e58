import AutoKVO
import AutoKVOTestSupport
import Testing

/// Values by path, in bulk, and validation.
struct PathCodingTests {
    let person = Person()
    let recorder = Recorder<Any>()

    @Test("paths are read and written at any depth, also with names that are not ASCII") func depth() throws {
        let spouse = Person("Bea")
        let address = Address("Bern")
        person.spouse = spouse
        spouse.address = address
        try expectEqual(person.value(forKeyPath: "spouse.address.city") as? String, "Bern")
        try person.setValue("Basel", forKeyPath: "spouse.address.city")
        try person.setValue(30, forKeyPath: "spouse.age")
        try person.setValue(31, forKeyPath: "age")
        #expect(address.city == "Basel" && spouse.age == 30 && person.age == 31)
        let form = Form()
        form.owner = person
        try form.setValue("Weg", forKey: "straße")
        try expectEqual(form.value(forKeyPath: "straße") as? String, "Weg")
        try expectEqual(form.value(forKeyPath: "owner.spouse.address.city") as? String, "Basel")
        // The other Unicode form of a name is the same name.
        try expectEqual(Accents().value(forKey: "cafe\u{301}") as? Int, 1)
        try expectEqual(Accents().value(forKeyPath: "caf\u{e9}") as? Int, 1)
    }

    private final class Accents: TrackedObject {
        let number = 1
        override class var schema: Schema {
            Schema(Accents.self, extending: super.schema) { Key("café", \.number, notifiesAutomatically: false) }
        }
    }

    @Test("a path behind a property of an open type is followed as it is walked") func openType() throws {
        let form = Form()
        form.any = person
        form.object = Address("Rom")
        try expectEqual(form.value(forKeyPath: "any.firstName") as? String, "Ann")
        try form.setValue("Zoe", forKeyPath: "any.firstName")
        expectEqual(person.firstName, "Zoe")
        try expectEqual(form.value(forKeyPath: "object.city") as? String, "Rom")
        expectEqual(reason { _ = try form.value(forKeyPath: "any.nothing") }, .unknownKey(nearest: nil))
        expectEqual(reason { try form.setValue(1, forKeyPath: "any.nothing") }, .unknownKey(nearest: nil))
        form.any = 5
        expectEqual(reason { _ = try form.value(forKeyPath: "any.x") }, .pathThroughCollection)
        expectEqual(reason { try form.setValue(1, forKeyPath: "any.x") }, .pathThroughCollection)
    }

    @Test(
        "behind an object that is nil a value reads as nil and cannot be set, and the path and the type are checked first"
    )
    func nilIntermediate() throws {
        #expect(try person.value(forKeyPath: "spouse.address.city") == nil)
        expectEqual(reason { try person.setValue("Bonn", forKeyPath: "spouse.address.city") }, .noObject)
        expectEqual(
            reason { try person.setValue(5, forKeyPath: "spouse.address.city") },
            .wrongType(expected: "String", actual: "Int"))
        expectEqual(reason { try person.setValue("x", forKeyPath: "spouse.fullName") }, .readOnlyKey)
        expectEqual(reason { _ = try person.value(forKeyPath: "spouse.adress.city") }, .unknownKey(nearest: "address"))
    }

    @Test("an error behind a path names the class, the key and the whole path") func errorContents() {
        do {
            try person.setValue(5, forKeyPath: "address.city")
            Issue.record("no error")
        } catch {
            #expect(error.className == "Address" && error.key == "city" && error.keyPath == "address.city")
        }
    }

    @Test(
        "a malformed path throws",
        arguments: [
            "", ".", "age.", ".age", "address..city", "@", "@count", "friends.@", "friends.@nothing", "age.x",
            "friends.age",
        ])
    func malformed(path: String) {
        #expect(reason { _ = try person.value(forKeyPath: path) } != nil)
        #expect(reason { try person.setValue(1, forKeyPath: path) } != nil)
    }

    @Test("an operator cannot be set") func settingOperator() {
        expectEqual(reason { try person.setValue(1, forKeyPath: "friends.@count") }, .readOnlyKey)
    }

    @Test("in bulk nil is read as a present value that is nil, and can be set again") func bulk() throws {
        person.age = 5
        let values = try person.dictionaryWithValues(forKeys: ["age", "nickname", "fullName"])
        expectEqual(values.keys.sorted(), ["age", "fullName", "nickname"])
        #expect(values["age"] as? Int == 5 && values["nickname"] as? String == nil)
        let other = Person()
        other.nickname = "x"
        try other.setValues(["age": values["age"], "nickname": values["nickname"]])
        #expect(other.age == 5 && other.nickname == nil)
        other.nickname = "x"
        try other.setValues(try person.dictionaryWithValues(forKeys: ["age", "nickname"]))
        #expect(other.nickname == nil)
        try other.setValues(["nickname": "y", "spouse": nil])
        expectEqual(other.nickname, "y")
        try other.setValues([:])
        #expect(try other.dictionaryWithValues(forKeys: []).isEmpty)
        expectEqual(
            reason { _ = try person.dictionaryWithValues(forKeys: ["age", "agee"]) }, .unknownKey(nearest: "age"))
    }

    @Test("setting in bulk is all or nothing") func allOrNothing() throws {
        try person.observe(["age", "firstName", "lastName"], recorder.handler())
        let faults: [[String: Any?]] = [
            ["age": 1, "firstName": "x", "no": 1], ["age": 1, "firstName": 2], ["age": nil, "firstName": "x"],
            ["age": 1, "fullName": "x"], ["age": 1, "lastName": nil, "firstName": "x"],
        ]
        for fault in faults { #expect(reason { try person.setValues(fault) } != nil) }
        #expect(person.age == 0 && person.firstName == "Ann" && recorder.count == 0)
        try person.setValues(["lastName": "b", "age": 2, "firstName": "a"])
        expectEqual(recorder.paths, ["age", "firstName", "lastName"])
    }

    // MARK: Validation

    private final class Ticket: TrackedObject {
        struct Refusal: Error, CustomStringConvertible { let description: String }
        @Observed var price = 0
        @Observed var name = ""
        @Observed var next: Ticket?

        override func validate(_ value: inout Any?, forKey key: String) throws {
            guard key == "name" else { return try super.validate(&value, forKey: key) }
            guard let text = value as? String else { throw KeyValueError(.invalidValue("no text"), key: key) }
            if text.isEmpty { throw Refusal(description: "a name is not empty") }
            value = text.lowercased()
        }

        override class var schema: Schema {
            Schema(Ticket.self, extending: super.schema) {
                Key("price", \.price) { ticket, price in
                    if price < 0 { throw Refusal(description: "too cheap for \(ticket.name)") }
                    price = min(price, 100)
                }
                Key("name", \.name)
                Key("next", \.next)
            }
        }
    }

    @Test("without a validation every value passes as it is") func noValidation() throws {
        var value: Any? = "not a number"
        try person.validateValue(&value, forKey: "age")
        expectEqual(value as? String, "not a number")
        expectEqual(reason { try person.validateValue(&value, forKeyPath: "spouse.age") }, .noObject)
        person.spouse = Person()
        try person.validateValue(&value, forKeyPath: "spouse.age")
        expectEqual(value as? String, "not a number")
    }

    @Test("a validation may replace the value or refuse it, also by path") func validation() throws {
        let ticket = Ticket()
        ticket.next = Ticket()
        try ticket.observe(["price", "name"], recorder.handler())
        for path in ["price", "next.price"] {
            var value: Any? = 300
            try ticket.validateValue(&value, forKeyPath: path)
            expectEqual(value as? Int, 100)
            value = -1
            expectEqual(reason { try ticket.validateValue(&value, forKeyPath: path) }, .invalidValue("too cheap for "))
            expectEqual(value as? Int, -1)
            value = "x"
            expectEqual(
                reason { try ticket.validateValue(&value, forKeyPath: path) },
                .wrongType(expected: "Int", actual: "String"))
            expectEqual(value as? String, "x")
        }
        var name: Any? = "ANN"
        try ticket.validateValue(&name, forKey: "name")
        expectEqual(name as? String, "ann")
        name = ""
        expectEqual(reason { try ticket.validateValue(&name, forKey: "name") }, .invalidValue("a name is not empty"))
        name = 4
        expectEqual(reason { try ticket.validateValue(&name, forKey: "name") }, .invalidValue("no text"))
        #expect(recorder.count == 0 && ticket.price == 0 && ticket.name == "")
    }

    @Test("validating an unknown key, or through an unknown object, throws") func validatingUnknown() {
        var value: Any? = 1
        expectEqual(reason { try person.validateValue(&value, forKey: "agee") }, .unknownKey(nearest: "age"))
        expectEqual(reason { try person.validateValue(&value, forKeyPath: "nobody.age") }, .unknownKey(nearest: nil))
        expectEqual(reason { try person.validateValue(&value, forKeyPath: "friends.@count") }, .readOnlyKey)
    }

    @Test("setting does not validate") func settingDoesNotValidate() throws {
        let ticket = Ticket()
        try ticket.setValue(-5, forKey: "price")
        expectEqual(ticket.price, -5)
    }
}
