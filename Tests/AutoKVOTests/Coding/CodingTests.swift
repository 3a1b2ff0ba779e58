import AutoKVO
import AutoKVOTestSupport
import Testing

/// Values by key.
struct CodingTests {
    let form = Form()
    let person = Person()
    let recorder = Recorder<Any>()

    @Test("a declared key is read and written, whatever the property is stored as") func readAndWrite() throws {
        try person.setValue("Bob", forKey: "firstName")
        try expectEqual(person.value(forKey: "firstName") as? String, "Bob")
        try form.setValue(4, forKey: "plain")
        try expectEqual(form.value(forKey: "plain") as? Int, 4)
        try expectEqual(form.value(forKey: "constant") as? Int, 7)
        try expectEqual(form.value(forKey: "computed") as? Int, 3)
        try expectEqual(person.value(forKey: "fullName") as? String, "Bob Lee")
        try expectEqual(Employee("Eve").value(forKey: "badge") as? String, "Eve Lee #0")
    }

    @Test("what a setter makes of its argument is seen on reading, and told") func altering() throws {
        try form.observe("clamped", options: [.new], recorder.handler())
        try form.setValue(99, forKey: "clamped")
        try expectEqual(form.value(forKey: "clamped") as? Int, 10)
        expectEqual(recorder.news(Int.self), [10])
    }

    @Test("objects are kept by identity") func identity() throws {
        try person.setValue(person, forKey: "spouse")
        #expect(person.spouse === person)
        #expect(try person.value(forKey: "spouse") as? Person === person)
        person.spouse = nil
        try form.setValue(person, forKey: "owner")
        #expect(form.owner === person)
        try form.setValue(person, forKey: "object")
        #expect(form.object === person)
        form.object = nil
    }

    @Test(
        "setting by name is one call, with or without a setter of its own",
        arguments: ["text", "plain", "pair", "clamped", "owner", "any"])
    func once(key: String) throws {
        try form.observe(key, options: [.old, .new, .prior], recorder.handler())
        let value: Any? = ["text": "x", "plain": 3, "pair": "a|5", "clamped": 4, "owner": person, "any": "y"][key]
        try form.setValue(value, forKey: key)
        expectEqual(recorder.priors, [true, false])
        #expect(recorder.last?.kind == .setting && recorder.last?.indexes == nil)
        #expect(recorder.last?.old != nil && recorder.last?.new != nil)
        form.plainReference = nil
    }

    @Test("what a computed key is derived from is told once each too") func derivedOnce() throws {
        try form.observe(["pair", "text", "int64"], options: [.new], recorder.handler())
        try form.setValue("q|9", forKey: "pair")
        expectEqual(recorder.paths.sorted(), ["int64", "pair", "text"])
        expectEqual(recorder.paths.last, "pair")
    }

    @Test("a key whose automatic notification is off is set silently") func silent() throws {
        try form.observe("silent", recorder.handler())
        try form.setValue(5, forKey: "silent")
        #expect(form.silent == 5 && recorder.count == 0)
    }

    @Test("an unknown key throws, with the nearest name, also at the end of a path") func unknown() {
        expectEqual(reason { _ = try person.value(forKey: "agee") }, .unknownKey(nearest: "age"))
        expectEqual(reason { try person.setValue(1, forKey: "agee") }, .unknownKey(nearest: "age"))
        expectEqual(reason { _ = try person.value(forKeyPath: "address.citty") }, .unknownKey(nearest: "city"))
        expectEqual(reason { try person.setValue("x", forKeyPath: "address.citty") }, .unknownKey(nearest: "city"))
        expectEqual(reason { _ = try person.value(forKey: "lifetime") }, .unknownKey(nearest: nil))
        #expect(reason { _ = try person.value(forKey: "_age") } != nil)
        #expect(reason { _ = try person.value(forKey: "address.city") } != nil)
        #expect(reason { _ = try person.value(forKey: "") } != nil)
        #expect(reason { _ = try person.value(forKey: "friends.@count") } != nil)
    }

    @Test("a class may answer for names that it does not declare") func undefinedKeys() throws {
        final class Bag: TrackedObject {
            var extras: [String: Any] = [:]
            override func value(forUndefinedKey key: String) throws(KeyValueError) -> Any? {
                if let extra = extras[key] { return extra }
                return try super.value(forUndefinedKey: key)
            }
            override func setValue(_ value: Any?, forUndefinedKey key: String) throws(KeyValueError) {
                if key.hasPrefix("x") { extras[key] = value } else { try super.setValue(value, forUndefinedKey: key) }
            }
        }
        let bag = Bag()
        try bag.setValue(4, forKey: "xs")
        try expectEqual(bag.value(forKey: "xs") as? Int, 4)
        expectEqual(reason { try bag.setValue(4, forKey: "ys") }, .unknownKey(nearest: nil))
        expectEqual(reason { _ = try bag.value(forKey: "ys") }, .unknownKey(nearest: nil))
        expectEqual(reason { _ = try bag.value(forKeyPath: "xs") }, .unknownKey(nearest: nil))
    }

    @Test("nil for a property that is not optional throws; for an optional it is set") func settingNil() throws {
        form.int8 = 4
        expectEqual(reason { try form.setValue(nil, forKey: "int8") }, .wrongType(expected: "Int8", actual: "nil"))
        expectEqual(
            reason { try form.setValue(Int?.none as Any, forKey: "text") },
            .wrongType(expected: "String", actual: "nil"))
        expectEqual(form.int8, 4)
        form.maybeInt = 3
        try form.setValue(nil, forKey: "maybeInt")
        #expect(form.maybeInt == nil)
        #expect(try form.value(forKey: "maybeInt") == nil)
        form.owner = person
        try form.setValue(nil, forKey: "owner")
        #expect(form.owner == nil)
        #expect(reason { try person.setValue(nil, forKey: "friends") } != nil)
    }

    @Test("a value of the wrong type throws with both types, and changes nothing") func wrongType() throws {
        try form.observe("text", recorder.handler())
        expectEqual(reason { try form.setValue(5, forKey: "text") }, .wrongType(expected: "String", actual: "Int"))
        expectEqual(reason { try form.setValue("5", forKey: "int64") }, .wrongType(expected: "Int64", actual: "String"))
        #expect(reason { try person.setValue(Address(), forKey: "spouse") } != nil)
        #expect(reason { try person.setValue([1], forKey: "friends") } != nil)
        expectEqual(
            reason { try form.setValue("furious", forKey: "mood") }, .wrongType(expected: "Mood", actual: "String"))
        #expect(form.text == "" && form.mood == .calm && recorder.count == 0)
        do {
            try form.setValue(5, forKey: "text")
        } catch {
            expectEqual("\(error)", "wrong type for \"text\": Form.text holds String, not Int")
        }
    }

    @Test("a key without a setter throws") func readOnly() {
        expectEqual(reason { try form.setValue(1, forKey: "constant") }, .readOnlyKey)
        expectEqual(reason { try form.setValue(1, forKey: "computed") }, .readOnlyKey)
        expectEqual(reason { try person.setValue("A B", forKey: "fullName") }, .readOnlyKey)
    }

    @Test("enums are set as themselves or by their raw value") func enums() throws {
        try form.setValue(Form.Mood.cross, forKey: "mood")
        expectEqual(form.mood, .cross)
        try form.setValue("calm", forKey: "mood")
        expectEqual(form.mood, .calm)
        try form.setValue("cross", forKey: "maybeMood")
        expectEqual(form.maybeMood, .cross)
        try form.setValue(nil, forKey: "maybeMood")
        #expect(form.maybeMood == nil)
        try form.setValue(200, forKey: "level")
        expectEqual(form.level, .high)
        #expect(reason { try form.setValue(201, forKey: "level") } != nil)
        try expectEqual(form.value(forKey: "mood") as? Form.Mood, .calm)
    }

    @Test("every integer width takes its smallest and largest value, and nothing beyond") func widths() throws {
        func check<N: FixedWidthInteger>(_ key: String, _ type: N.Type) throws {
            for value in [N.min, N.max] {
                try form.setValue(value, forKey: key)
                try expectEqual(form.value(forKey: key) as? N, value)
                try form.setValue("\(value)".contains("-") ? Int64(value) as Any : UInt64(value) as Any, forKey: key)
                try expectEqual(form.value(forKey: key) as? N, value)
            }
            #expect(reason { try form.setValue(1e30, forKey: key) } != nil)
            #expect(reason { try form.setValue(0.5, forKey: key) } != nil)
            #expect(reason { try form.setValue(Double.nan, forKey: key) } != nil)
        }
        try check("int8", Int8.self)
        try check("int64", Int64.self)
        try check("uint16", UInt16.self)
        try check("uint64", UInt64.self)
        expectEqual(reason { try form.setValue(128, forKey: "int8") }, .wrongType(expected: "Int8", actual: "Int"))
        #expect(reason { try form.setValue(-1, forKey: "uint16") } != nil)
    }

    @Test("numbers of one type are taken for another that can hold them; truth values and strings are no numbers")
    func numbers() throws {
        try form.setValue(3.0, forKey: "int64")
        try form.setValue(7, forKey: "double")
        try form.setValue(0.1, forKey: "float")
        try form.setValue(UInt8(9), forKey: "maybeInt")
        #expect(form.int64 == 3 && form.double == 7 && form.float == 0.1 && form.maybeInt == 9)
        #expect(reason { try form.setValue(1e300, forKey: "float") } != nil)
        try form.setValue(Double.infinity, forKey: "float")
        expectEqual(form.float, .infinity)
        #expect(reason { try form.setValue(1, forKey: "flag") } != nil)
        #expect(reason { try form.setValue(true, forKey: "int64") } != nil)
        #expect(reason { try form.setValue("1", forKey: "double") } != nil)
        try form.setValue(true, forKey: "flag")
        #expect(form.flag)
    }

    @Test("collections are taken if every element is of the type") func collections() throws {
        try form.setValue(Set<AnyHashable>(["a"]), forKey: "tags")
        expectEqual(form.tags, ["a"])
        #expect(reason { try form.setValue(Set<AnyHashable>([1]), forKey: "tags") } != nil)
        try person.setValue([person] as [Any], forKey: "friends")
        #expect(person.friends.first === person)
        try person.setValue([Employee()], forKey: "friends")
        #expect(person.friends.count == 1 && person.friends.first !== person)
        #expect(reason { try person.setValue([person, 1] as [Any], forKey: "friends") } != nil)
        try person.setValue([Person](), forKey: "friends")
        #expect(person.friends.isEmpty)
    }

    @Test("a property that is nil reads as nil") func readingNil() throws {
        #expect(try person.value(forKey: "nickname") == nil)
        #expect(try person.value(forKeyPath: "spouse.nickname") == nil)
        #expect(try person.value(forKeyPath: "nickname") == nil)
    }

    @Test("a property of any type takes anything, and nil") func anything() throws {
        try form.setValue(nil, forKey: "any")
        #expect(try form.value(forKey: "any") == nil)
        try form.setValue([1, 2], forKey: "any")
        try expectEqual(form.value(forKey: "any") as? [Int], [1, 2])
        form.any = form.text
    }

    @Test("an object can use its own keys in its deinit, and nobody is told") func dying() throws {
        final class Mortal: TrackedObject {
            @Observed var total = 1
            @Observed var list: [Int] = []
            var report: (([Any?]) -> Void)?
            override class var schema: Schema {
                Schema(Mortal.self, extending: super.schema) {
                    Key("total", \.total)
                    Key("list", \.list)
                }
            }
            deinit {
                try? setValue(2, forKey: "total")
                try? setValues(["list": [4]])
                try? mutableArrayValue(forKey: "list").append(5)
                report?([try? value(forKey: "total"), try? value(forKeyPath: "list.@sum")])
            }
        }
        var seen: [Any?] = []
        do {
            let mortal = Mortal()
            mortal.report = { seen = $0 }
            try mortal.observe(["total", "list"], recorder.handler())
        }
        #expect(seen.map { $0 as? Int } == [2, 9] && recorder.count == 0)
    }
}

extension CodingTests {
    private final class Scale: TrackedObject {
        @Observed var number = 0
        var double: Int {
            get { number * 2 }
            set { number = newValue / 2 }
        }

        override class var schema: Schema {
            Schema(Scale.self, extending: super.schema) { Key("double", \.double) }
        }
    }

    @Test("a computed property is set by name as it is in Swift: one change, and none if the value is equal")
    func computed() throws {
        let (scale, owner) = (Scale(), TrackedObject())
        var (calls, told) = (0, [String]())
        try owner.depend(on: [Dependency(scale, ["number", "double"])]) { _ in calls += 1 }
        try scale.observe("double", as: Int.self, options: [.old, .new, .prior]) {
            told.append($0.isPrior ? "prior" : "\($0.oldValue!) > \($0.newValue!)")
        }
        calls = 0
        try scale.setValue(8, forKey: "double")
        #expect(calls == 1 && told == ["prior", "0 > 8"])
        told = []
        try scale.setValue(9, forKey: "double")
        try scale.setValues(["double": 9])
        expectEqual(told.filter { $0 != "prior" }, [])
        expectEqual(scale.number, 4)
    }

    @Test("an array and a set take each other's elements, and a dictionary neither, set or bound")
    func kindsOfCollections() throws {
        let (crate, other) = (Crate(), Crate())
        try crate.setValue(["a", "b"], forKey: "tags")
        try crate.setValue(Set([1]), forKey: "items")
        #expect(crate.tags == ["a", "b"] && crate.items == [1])
        for (key, value) in [("tags", ["a": "b"] as Any), ("items", [1: 2]), ("table", [1]), ("tags", [1])] {
            #expect(throws: KeyValueError.self) { try crate.setValue(value, forKey: key) }
        }
        #expect(crate.tags == ["a", "b"] && crate.items == [1])
        try other.bind("maybe", to: "tags", of: crate)
        crate.$tags.remove("a")
        expectEqual(other.maybe, ["b"])
        #expect(throws: KeyValueError.self) { try other.bind("items", to: "table", of: crate) }
        #expect(throws: KeyValueError.self) { try other.bind("items", to: "maybe", of: crate) }
        #expect(throws: KeyValueError.self) { try other.bind("table", to: "items", of: crate) }
    }
}
