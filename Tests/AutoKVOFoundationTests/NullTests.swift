import AutoKVO
import AutoKVOFoundation
import AutoKVOTestSupport
import Foundation
import Testing

private final class Parcel: TrackedObject {
    @Observed var anything: Any? = 1
    @Observed var some: Any = 1
    @Observed var object: AnyObject?
    @Observed var null: NSNull?
    @Observed var plain: NSObject?
    @Observed var set: Set<NSObject?> = []
    @Observed var numbers: [Int?] = []
    @Observed var things: [Any] = []
    @Observed var counts: [NSNumber] = []
    override class var schema: Schema {
        Schema(Parcel.self, extending: super.schema) {
            Key("anything", \.anything)
            Key("some", \.some)
            Key("object", \.object)
            Key("null", \.null)
            Key("plain", \.plain)
            Key("set", \.set)
            Key("numbers", \.numbers)
            Key("things", \.things)
        }
    }
}

/// Values of Foundation that are set by name.
struct NullTests {
    private let person = Person()
    private let parcel = Parcel()

    @Test("undoing the edit of an array brings back an NSNull that was in it") func undone() {
        let things: [Any] = [NSNull(), 1, Int?.none as Any]
        parcel.things = things
        let history = UndoHistory(of: parcel)
        parcel.$things.removeFirst()
        parcel.$things.append(NSNull())
        parcel.$things.swapAt(0, 2)
        while history.undo() {}
        #expect(parcel.things.count == 3 && parcel.things[0] is NSNull && parcel.things[1] as? Int == 1)
        while history.redo() {}
        #expect(parcel.things.count == 3 && parcel.things[0] is NSNull && parcel.things[2] as? Int == 1)
    }

    @Test("a record undoes and makes the edit of an array with an NSNull in it", arguments: [false, true])
    func reverted(isTyped: Bool) throws {
        parcel.things = [NSNull(), 1]
        var (records, typed): ([ChangeRecord<Any>], [ChangeRecord<[Any]>]) = ([], [])
        try parcel.observe("things", options: [.old, .new]) { records.append(ChangeRecord($0)) }
        parcel.$things.observe(options: [.old, .new]) { typed.append(ChangeRecord($0)) }
        parcel.$things.removeFirst()
        let (removal, removalOfAny) = (typed[0], records[0])
        try isTyped ? removal.revert(on: parcel) : removalOfAny.revert(on: parcel)
        #expect(parcel.things.count == 2 && parcel.things[0] is NSNull)
        parcel.things = [1]
        try isTyped ? typed[1].apply(on: parcel) : records[1].apply(on: parcel)
        #expect(parcel.things.count == 2 && parcel.things[0] is NSNull)
    }

    @Test("bound by name, an NSNull is nil, at first and later") func bound() throws {
        let other = Parcel()
        other.plain = NSNull()
        try parcel.bind("plain", to: "plain", of: other)
        #expect(parcel.plain == nil)
        other.plain = NSString("a")
        #expect(parcel.plain == NSString("a"))
        other.plain = NSNull()
        #expect(parcel.plain == nil)
    }

    @Test("undoing that an NSNull came to a set takes it out, and not the nil that is there") func undoneInSet() {
        parcel.set = [nil]
        let history = UndoHistory(of: parcel)
        parcel.$set.insert(NSNull())
        history.undo()
        #expect(parcel.set == [nil])
    }

    @Test("NSNull sets an optional property to nil, also one that accepts any value") func setsNil() throws {
        person.nickname = "x"
        person.spouse = Person()
        try person.setValue(NSNull(), forKey: "nickname")
        try person.setValues(["spouse": NSNull()])
        #expect(person.nickname == nil && person.spouse == nil)
        parcel.object = person
        try parcel.setValues(["anything": NSNull(), "some": NSNull() as Any?, "object": NSNull()], validating: true)
        #expect(parcel.anything == nil && parcel.object == nil)
        #expect(try parcel.value(forKey: "some") == nil)
        try parcel.setValue([NSNull(), 4] as [Any], forKey: "numbers")
        #expect(parcel.numbers == [nil, 4])
        try parcel.setValue(NSNull(), forKey: "null")
        // As elements, where the collection is another one.
        try parcel.setValue(NSArray(array: [NSNull(), 4]), forKey: "things")
        #expect(parcel.things.count == 2 && !(parcel.things[0] is NSNull) && parcel.things[1] as? Int == 4)
    }

    @Test("NSNull for a property that is not optional throws, and a path through it has no object") func refused()
        throws
    {
        let error = #expect(throws: KeyValueError.self) { try person.setValue(NSNull(), forKey: "age") }
        #expect(error?.reason == .wrongType(expected: "Int", actual: "NSNull"))
        #expect(throws: KeyValueError.self) { try person.setValue(NSNull(), forKey: "friends") }
        person.spouse = Person()
        let path = #expect(throws: KeyValueError.self) {
            try person.setValues(["spouse": NSNull(), "spouse.age": 3])
        }
        #expect(path?.reason == .noObject && person.spouse != nil)
    }

    @Test("the error for an NSNumber says what stood in the text") func words() throws {
        func sentence(_ json: String) throws -> String? {
            let values = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
            do {
                try person.setValues(values ?? [:])
                return nil
            } catch { return "\(error)" }
        }
        #expect(try sentence(#"{"age": true}"#)?.hasSuffix("holds Int, not true") == true)
        #expect(try sentence(#"{"age": 1.5}"#)?.hasSuffix("holds Int, not 1.5") == true)
        #expect(try sentence(#"{"firstName": 5}"#)?.hasSuffix("holds String, not 5") == true)
        #expect(
            try sentence(#"{"age": 18446744073709551615}"#)?.hasSuffix("holds Int, not 18446744073709551615") == true)
        let large = try sentence(#"{"age": 99999999999999999999}"#)
        #expect(large?.hasSuffix("holds Int, not 99999999999999999999") == true, "\(large ?? "nil")")
        #expect(try sentence(#"{"scores": ["x"]}"#)?.hasSuffix("elements of type Int, not String") == true)
        func elements(_ json: String) throws -> String? {
            let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
            do {
                try Tag().setValue(value, forKey: "names")
                return nil
            } catch { return "\(error)" }
        }
        #expect(try elements("[1]")?.hasSuffix("holds elements of type String, not 1") == true)
        #expect(try elements("[true]")?.hasSuffix("holds elements of type String, not Bool") == true)
    }

    @Test("a binding sets nil for NSNull") func binding() throws {
        person.nickname = "x"
        parcel.some = "z"
        try person.bind("nickname", to: "some", of: parcel)
        parcel.some = NSNull()
        #expect(person.nickname == nil)
        parcel.some = "y"
        #expect(person.nickname == "y")
    }

    @Test("what JSON is read to can be set, and what is exported as raw values can be written as JSON") func json()
        throws
    {
        person.address = Address()
        let data = Data(
            #"{"age": 40, "nickname": null, "scores": [1, 2.0], "tags": ["a", "a"], "address.city": "Ulm"}"#.utf8)
        let values = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        try person.setValues(values)
        #expect(person.age == 40 && person.scores == [1, 2] && person.tags == ["a"] && person.address?.city == "Ulm")
        let exported = try person.dictionaryWithValues(forKeys: ["age", "scores", "firstName"], asRawValues: true)
        #expect(JSONSerialization.isValidJSONObject(exported))
    }

    @Test("a number that JSON is read to is no Boolean, and a Boolean no number") func numbers() throws {
        func parse(_ text: String) throws -> Any { try JSONSerialization.jsonObject(with: Data("[\(text)]".utf8)) }
        func value(_ text: String) throws -> Any { try #require((try parse(text) as? [Any])?.first) }
        let meter = Meter()
        for (key, text) in [("count", "true"), ("isOn", "1"), ("isOn", "0"), ("level", "false"), ("count", "1.5")] {
            do throws(KeyValueError) {
                try meter.setValue((try? value(text)) as Any, forKey: key)
                Issue.record("\(key) was set to \(text)")
            } catch {
                guard case .wrongType = error.reason else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        try meter.setValue(value("7"), forKey: "count")
        try meter.setValue(value("true"), forKey: "isOn")
        try meter.setValue(value("2"), forKey: "level")
        try meter.setValue(parse("true, false"), forKey: "flags")
        try meter.setValue(value("18446744073709551615"), forKey: "big")
        #expect(
            meter.count == 7 && meter.isOn && meter.level == 2 && meter.flags == [true, false] && meter.big == .max)
        #expect(throws: KeyValueError.self) { try meter.setValue(parse("true, 1"), forKey: "flags") }
        try meter.setValue(NSNumber(value: 3), forKey: "number")
        #expect(meter.number == 3)
    }

    @Test("operators count numbers of Foundation among numbers, and its Booleans not") func operators() throws {
        let parcel = Parcel()
        func value(_ function: String) throws -> Any? { try parcel.value(forKeyPath: "things.@\(function)") }
        parcel.things = [NSNumber(value: 1), 3, NSNumber(value: 2.5), NSDecimalNumber(string: "0.5")]
        #expect(try value("sum") as? Double == 7 && value("avg") as? Double == 1.75)
        #expect(try value("min") as? Double == 0.5 && value("max") as? Int == 3)
        parcel.things = [NSNumber(value: 4), NSNumber(value: 5)]
        #expect(try value("sum") as? Int == 9 && value("max") as? Int == 5)
        #expect(try value("min") is NSNumber)
        parcel.counts = [1, 2.5]
        for path in ["counts.@sum", "counts.@max"] { try parcel.observe(path) { _ in } }
        #expect(try parcel.value(forKeyPath: "counts.@sum") as? Double == 3.5)
        parcel.things = [NSNumber(value: true), 1]
        #expect(throws: KeyValueError.self) { try value("sum") }
        #expect(throws: KeyValueError.self) { try value("max") }
    }

    @Test("a CGFloat is set to numbers that it can hold, by name, from JSON and by a binding") func cgFloat() throws {
        let meter = Meter()
        try meter.setValue(5, forKey: "width")
        #expect(meter.width == 5)
        try meter.setValues(["width": 6.5, "widths": [1, 2.5] as [Any]])
        #expect(meter.width == 6.5 && meter.widths == [1, 2.5])
        let json = try JSONSerialization.jsonObject(with: Data(#"{"width": 7}"#.utf8))
        let values = try #require(json as? [String: Any])
        try meter.setValues(values)
        #expect(meter.width == 7)
        #expect(throws: KeyValueError.self) { try meter.setValue(Int.max, forKey: "width") }
        parcel.some = 8
        try meter.bind("width", to: "some", of: parcel)
        #expect(meter.width == 8)
        parcel.some = NSNumber(value: 9)
        #expect(meter.width == 9)
    }

    @Test("an element is refused where the value alone is") func elements() throws {
        let meter = Meter()
        let (one, decimal, isOn) = (NSNumber(value: 1), NSDecimalNumber(value: 1), NSNumber(value: true))
        let refused: [(key: String, value: Any)] = [
            ("isOn", one), ("isOn", decimal), ("flags", [one]), ("flags", [decimal]), ("flags", NSArray(array: [one])),
            ("flags", [AnyHashable(one)]), ("level", isOn), ("widths", [isOn]), ("widths", Set([isOn])),
        ]
        for (key, value) in refused {
            #expect(throws: KeyValueError.self) { try meter.setValue(value, forKey: key) }
        }
        try meter.setValue([isOn], forKey: "flags")
        try meter.setValue([one, decimal], forKey: "widths")
        #expect(meter.flags == [true] && meter.widths == [1, 1])
    }
}

/// A type of the user's that is kept as a number.
private struct Celsius: KeyValueConvertible, Equatable {
    var degrees: Double
    init(_ degrees: Double) { self.degrees = degrees }
    init?(keyValue: Any) {
        guard let degrees = keyValue as? Double else { return nil }
        self.degrees = degrees
    }
    var keyValue: Any { degrees }
}

private final class Room: TrackedObject {
    @Observed var warmth = Celsius(0)
    @Observed var week: [Celsius] = []
    @Observed var night: Celsius?
    override class var schema: Schema {
        Schema(Room.self, extending: super.schema) {
            Key("warmth", \.warmth)
            Key("week", \.week)
            Key("night", \.night)
        }
    }
}

struct WholeNumberTests {
    @Test("a type that is kept as a Double comes back from JSON also where its value is a whole number") func json()
        throws
    {
        let (room, copy) = (Room(), Room())
        (room.warmth, room.week, room.night) = (Celsius(21), [Celsius(20.5), Celsius(-3)], Celsius(7))
        let values = try room.dictionaryWithValues(forKeys: ["warmth", "week", "night"], asRawValues: true)
        let data = try JSONSerialization.data(withJSONObject: values)
        try copy.setValues(JSONSerialization.jsonObject(with: data) as! [String: Any])
        #expect(copy.warmth == room.warmth && copy.week == room.week && copy.night == room.night)
        // An `Int` of the program's own says that it is one.
        #expect(throws: KeyValueError.self) { try copy.setValue(21, forKey: "warmth") }
        #expect(throws: KeyValueError.self) { try copy.setValue(NSNumber(value: true), forKey: "warmth") }
    }
}

private final class Tag: TrackedObject {
    @Observed var names: [String] = []
    override class var schema: Schema { Schema(Tag.self, extending: super.schema) { Key("names", \.names) } }
}

private final class Meter: TrackedObject {
    @Observed var count = 0
    @Observed var isOn = false
    @Observed var level = 0.5
    @Observed var flags: [Bool] = []
    @Observed var big: UInt64 = 0
    @Observed var number: NSNumber?
    @Observed var width: CGFloat = 0
    @Observed var widths: [CGFloat] = []
    override class var schema: Schema {
        Schema(Meter.self, extending: super.schema) {
            Key("count", \.count)
            Key("isOn", \.isOn)
            Key("level", \.level)
            Key("flags", \.flags)
            Key("big", \.big)
            Key("number", \.number)
            Key("width", \.width)
            Key("widths", \.widths)
        }
    }

    private struct Label: KeyValueConvertible {
        var text: String
        init?(keyValue: Any) { text = "\(keyValue)" }
        var keyValue: Any { text }
    }

    private final class Money: KeyValueConvertible {
        let keyValue: Any
        init?(keyValue: Any) { self.keyValue = keyValue }
    }

    private final class Tag: TrackedObject {
        @Observed var label: Label?
        @Observed var labels: [Label?] = []
        @Observed var price: Money?
        override class var schema: Schema {
            Schema(Tag.self, extending: super.schema) {
                Key("label", \.label)
                Key("labels", \.labels)
                Key("price", \.price)
            }
        }
    }

    @Test("NSNull is nil for a type of one's own that would take it") func ofConvertible() throws {
        let tag = Tag()
        try tag.setValues(["label": "a", "labels": [NSNull(), "b"]])
        #expect(tag.label?.text == "a" && tag.labels.map { $0?.text } == [nil, "b"])
        try tag.setValue(NSNull(), forKey: "label")
        #expect(tag.label == nil)
        try tag.setValue(3, forKey: "price")
        #expect(tag.price?.keyValue as? Int == 3)
        try tag.setValue(NSNull(), forKey: "price")
        #expect(tag.price == nil)
    }
}
