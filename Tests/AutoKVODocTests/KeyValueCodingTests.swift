// snippet: coding.import
import AutoKVO
// end
import Testing

/// The code of `Key-Value-Coding.md`.
struct KeyValueCodingTests {
    // snippet: coding.model
    enum Status: String, CaseIterable {
        case active, away
    }

    class Address: TrackedObject {
        @Observed var city = "Ulm"

        override class var schema: Schema {
            Schema(Address.self, extending: super.schema) { Key("city", \.city) }
        }
    }

    class Member: TrackedObject {
        @Observed var name = "Ann"
        @Observed var age = 30
        @Observed var status = Status.active
        @Observed var address: Address?
        @Observed var visits = 4
        @Observed var password = "secret"

        override class var schema: Schema {
            Schema(Member.self, extending: super.schema) {
                Key("name", \.name)
                Key("age", \.age) { _, age in
                    if age < 0 { throw KeyValueError(.invalidValue("an age is not negative")) }
                    age = min(age, 150)
                }
                Key("status", \.status)
                Key("address", \.address)
                Hidden("password")
            }
        }
    }
    // end

    @Test("read by name") func read() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: coding.read
        let member = Member()
        let age = try member.value(forKey: "age") as? Int
        print(age ?? 0)  // prints: 30
        print(try member.value(forKeyPath: "address.city") ?? "no city")  // prints: no city
        member.address = Address()
        print(try member.value(forKeyPath: "address.city") ?? "no city")  // prints: Ulm
        // end
        try output.expect("coding.read")
    }

    @Test("write by name") func write() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: coding.write
        let member = Member()
        try member.observe("age", options: [.old, .new]) { change in
            print(change.oldValue ?? "-", "to", change.newValue ?? "-")
        }
        try member.setValue(31, forKey: "age")  // prints: 30 to 31
        try member.setValue(32.0, forKey: "age")  // prints: 31 to 32
        try member.setValue("away", forKey: "status")
        print(member.status)  // prints: away
        // end
        try output.expect("coding.write")
    }

    @Test("write through a path") func path() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: coding.path
        let member = Member()
        do {
            try member.setValue("Linz", forKeyPath: "address.city")
        } catch {
            print(error)  // prints: no object for "address.city": Member.address is nil
        }
        try member.setValue(Address(), forKey: "address")
        try member.setValue("Linz", forKeyPath: "address.city")
        print(member.address?.city ?? "-")  // prints: Linz
        // end
        try output.expect("coding.path")
    }

    @Test("several at once") func bulk() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: coding.bulk
        let member = Member()
        try member.setValues(["name": "Bea", "age": 41, "address": Address(), "address.city": "Linz"])
        print(member.name, member.age, member.address?.city ?? "-")  // prints: Bea 41 Linz

        let stored = try member.dictionaryWithValues(forKeys: ["name", "status", "address.city"], asRawValues: true)
        print(stored["status"] as? String ?? "-", stored["address.city"] as? String ?? "-")  // prints: active Linz

        let copy = Member()
        copy.address = Address()
        try copy.setValues(stored)
        print(copy.name, copy.status, copy.address?.city ?? "-")  // prints: Bea active Linz
        // end
        try output.expect("coding.bulk")
    }

    @Test("all or none") func allOrNone() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: coding.all-or-none
        let member = Member()
        do {
            try member.setValues(["age": "forty", "name": "Bea", "status": "asleep"])
        } catch {
            for entry in error.errors { print(entry.keyPath, entry.reason) }
        }
        // prints: age wrongType(expected: "Int", actual: "String")
        // prints: status wrongType(expected: "Status", actual: "String")
        print(member.name)  // prints: Ann
        // end
        try output.expect("coding.all-or-none")
    }

    @Test("validation") func validate() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: coding.validate
        let member = Member()
        var candidate: Any? = 200
        try member.validateValue(&candidate, forKey: "age")
        print(candidate ?? "-")  // prints: 150

        try member.setValues(["age": 200], validating: true)
        print(member.age)  // prints: 150
        do {
            try member.setValues(["age": -1], validating: true)
        } catch {
            print(error)  // prints: invalid value for "age": an age is not negative
        }
        // end
        try output.expect("coding.validate")
    }

    @Test("many objects") func collection() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: coding.collection
        let members = [Member(), Member()]
        members[1].age = 40
        let ages = try members.value(forKey: "age").map { $0 as? Int }
        print(ages.compactMap(\.self))  // prints: [30, 40]
        try members.setValue("away", forKey: "status")
        print(members.map(\.status.rawValue))  // prints: ["away", "away"]
        // end
        try output.expect("coding.collection")
    }

    @Test("what a class offers") func keys() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: coding.keys
        for key in Member.keyDescriptions { print(key) }
        // prints: name: String, settable
        // prints: age: Int, settable
        // prints: status: Status, settable
        // prints: address: Optional<Address>, settable
        // prints: visits: Int
        // end
        try output.expect("coding.keys")
    }

    @Test("what data from outside can reach") func reach() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: coding.reach
        let member = Member()
        print(try member.value(forKey: "visits") ?? "-")  // prints: 4
        do {
            try member.setValue(5, forKey: "visits")
        } catch {
            print(error.reason)  // prints: readOnlyKey
        }
        do {
            _ = try member.value(forKey: "password")
        } catch {
            print(error.reason)  // prints: unknownKey(nearest: nil)
        }
        member.$password.onValue { print("length", $0.count) }  // prints: length 6
        // end
        try output.expect("coding.reach")
    }

    @Test("names without a key") func undefined() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: coding.undefined
        final class Record: TrackedObject {
            private var extra: [String: Any] = [:]

            override func value(forUndefinedKey key: String) throws(KeyValueError) -> Any? { extra[key] }

            override func setValue(_ value: Any?, forUndefinedKey key: String) throws(KeyValueError) {
                extra[key] = value
            }
        }
        let record = Record()
        try record.setValue("blue", forKey: "color")
        print(try record.value(forKey: "color") ?? "-")  // prints: blue
        // end
        try output.expect("coding.undefined")
    }
}
