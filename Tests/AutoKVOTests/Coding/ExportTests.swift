import AutoKVO
import AutoKVOTestSupport
import Testing

/// Values as a dictionary.
struct ExportTests {
    private final class Shades: TrackedObject {
        enum Shade: String { case dark }
        @Observed var table: [AnyHashable: Int] = [Shade.dark: 1, "dark": 2, "light": 3]
        override class var schema: Schema { Schema(Shades.self, extending: super.schema) { Key("table", \.table) } }
    }

    @Test("a dictionary of which two keys would become one is exported as it is") func equalKeys() throws {
        let table = try Shades().dictionaryWithValues(asRawValues: true)["table"]
        expectEqual((table as? [AnyHashable: Any])?.count, 3)
    }

    private let palette = Palette()
    private let person = Person()

    @Test("all keys that can be set, and no others, are in one dictionary") func settable() throws {
        person.age = 4
        let values = try person.dictionaryWithValues()
        expectEqual(
            values.keys.sorted(),
            [
                "address", "age", "firstName", "friends", "lastName", "nickname", "parent", "plain", "scores", "spouse",
                "tags",
                "token",
            ])
        #expect(values["age"] as? Int == 4 && values["nickname"] as? String == nil)
        #expect(try TrackedObject().dictionaryWithValues().isEmpty)
    }

    @Test("a name may be a path, and the entry has the path as its name; behind nil the value is nil") func paths()
        throws
    {
        person.address = Address("Ulm")
        person.friends = [Person(), Person()]
        let names = ["address.city", "spouse.address.city", "friends.@count", "age"]
        let values = try person.dictionaryWithValues(forKeys: names)
        expectEqual(values.keys.sorted(), names.sorted())
        #expect(values["address.city"] as? String == "Ulm" && values["friends.@count"] as? Int == 2)
        #expect(values["spouse.address.city"] as? String == nil)
        expectEqual(
            reason { _ = try person.dictionaryWithValues(forKeys: ["age", "address.citty"]) },
            .unknownKey(nearest: "city"))
        let other = Person()
        other.address = Address("Rom")
        try other.setValues(values.filter { ["age", "address.city"].contains($0.key) })
        expectEqual(other.address?.city, "Ulm")
    }

    @Test("as raw values, enums go out as their raw values, also in optionals and collections") func rawValues() throws
    {
        palette.maybeShade = .light
        palette.shades = [.dark, .pale]
        palette.shadeSet = [.pale]
        palette.maybeShades = [nil, .dark]
        palette.rows = [[.dark], []]
        palette.table = ["a": .dark]
        palette.byShade = [.pale: 3]
        palette.percents = [.init(points: 50)]
        palette.percent = .init(points: 25)
        palette.anything = Palette.Grade.high
        palette.numbers = [1]
        let values = try palette.dictionaryWithValues(asRawValues: true)
        #expect(values["shade"] as? String == "dark" && values["maybeShade"] as? String == "light")
        #expect(values["shades"] as? [String] == ["dark", "pale"] && values["shadeSet"] as? Set<String> == ["pale"])
        #expect(
            values["maybeShades"] as? [String?] == [nil, "dark"] && values["rows"] as? [[String]] == [["dark"], []])
        #expect(
            values["table"] as? [String: String] == ["a": "dark"] && values["byShade"] as? [String: Int] == ["pale": 3])
        #expect(values["percents"] as? [Double] == [0.5] && values["percent"] as? Double == 0.25)
        #expect(values["anything"] as? UInt8 == 2 && values["numbers"] is [Int])
        struct Wrapper: RawRepresentable { var rawValue: [Palette.Shade] }
        palette.anything = Wrapper(rawValue: [.light])
        #expect(try palette.dictionaryWithValues(asRawValues: true)["anything"] as? [String] == ["light"])
        struct Endless: RawRepresentable {
            var rawValue: Endless { self }
            init(rawValue: Endless) {}
            init() {}
        }
        palette.anything = Endless()
        #expect(try palette.dictionaryWithValues(asRawValues: true)["anything"] is Endless)
        let plain = try palette.dictionaryWithValues()
        #expect(plain["shade"] as? Palette.Shade == .dark && plain["shades"] is [Palette.Shade])
    }

    @Test("collections in each other to a depth of 2,000 are exported on a small stack") func deep() {
        onAnotherThread(stackSize: 512 * 1024) {
            let palette = Palette()
            var nested: [Any] = [Palette.Shade.dark]
            for _ in 0..<2_000 { nested = [nested] }
            palette.anything = nested
            let values = try? palette.dictionaryWithValues(asRawValues: true)
            #expect((values?["anything"] as? [Any])?.count == 1)
        }
    }

    @Test("what is exported can be set again, as raw values and as they are", arguments: [false, true])
    func roundTrip(asRawValues: Bool) throws {
        palette.maybeShade = .light
        palette.shades = [.dark, .pale]
        palette.shadeSet = [.pale, .dark]
        palette.maybeShades = [nil, .dark]
        palette.rows = [[.dark], []]
        palette.slice = [1, 2]
        palette.dense = [3]
        palette.numberSet = [4]
        palette.grades = [.high]
        palette.table = ["a": .dark]
        palette.byShade = [.pale: 3]
        palette.percents = [.init(points: 50)]
        palette.people = [person]
        let copy = Palette()
        let recorder = Recorder<Any>()
        let values = try palette.dictionaryWithValues(asRawValues: asRawValues)
        try copy.observe(values.keys.sorted(), recorder.handler())
        try copy.setValues(values, validating: true)
        expectEqual(recorder.paths, values.keys.sorted())
        #expect(copy.maybeShade == .light && copy.shades == [.dark, .pale] && copy.shadeSet == [.pale, .dark])
        #expect(
            copy.maybeShades == [nil, .dark] && copy.rows == [[.dark], []] && copy.slice == [1, 2] && copy.dense == [3])
        #expect(
            copy.numberSet == [4] && copy.grades == [.high] && copy.table == ["a": .dark] && copy.byShade == [.pale: 3])
        #expect(copy.percents == palette.percents && copy.people.first === person && copy.anything == nil)
        try expectEqual(Form().dictionaryWithValues(asRawValues: asRawValues)["any"] as? Int, 0)
    }

    @Test("data that is nested very deeply is exported and does not exhaust the stack") func deepData() throws {
        var deep: Any = Palette.Shade.dark
        for _ in 0..<2_000 { deep = [deep] }
        palette.anything = deep
        #expect(try palette.dictionaryWithValues(asRawValues: true)["anything"] is [Any])
    }

    @Test("reading and setting in bulk find a key path that leads to another property, as single reads do")
    func wrongKeyPath() {
        final class Swapped: TrackedObject {
            @Observed var a = 1
            @Observed var b = 2
            override class var schema: Schema {
                Schema(Swapped.self, extending: super.schema) {
                    Key("a", \.b)
                    Key("b", \.b)
                }
            }
        }
        final class AlsoSwapped: TrackedObject {
            @Observed var a = 1
            @Observed var b = 2
            override class var schema: Schema {
                Schema(AlsoSwapped.self, extending: super.schema) {
                    Key("a", \.b)
                    Key("b", \.b)
                }
            }
        }
        func isFault(_ reason: KeyValueError.Reason?) -> Bool {
            if case .schemaFault = reason { true } else { false }
        }
        #expect(isFault(reason { _ = try Swapped().dictionaryWithValues() }))
        #expect(isFault(reason { try AlsoSwapped().setValues(["a": 3]) }))
    }

    @Test("a key that a subclass hides, or that has no Key, is not in the dictionary of all settable keys")
    func hidden() throws {
        class Open: TrackedObject {
            @Observed var code = 1
            @Observed var pin = 2
            @Observed var seen = 3
            override class var schema: Schema {
                Schema(Open.self, extending: super.schema) {
                    Key("code", \.code)
                    Key("pin", \.pin)
                }
            }
        }
        final class Closed: Open {
            override class var schema: Schema { Schema(Closed.self, extending: super.schema) { Hidden("pin") } }
        }
        try expectEqual(Closed().dictionaryWithValues().keys.sorted(), ["code"])
        try expectEqual(Open().dictionaryWithValues().keys.sorted(), ["code", "pin"])
        try expectEqual(Open().dictionaryWithValues(forKeys: ["seen"])["seen"] as? Int, 3)
        expectEqual(reason { try Closed().setValues(["pin": 3, "code": 4]) }, .unknownKey(nearest: nil))
    }
}
