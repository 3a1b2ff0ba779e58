import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private final class Weather: Model {
    @Observed var wind = 0
    @Observed var averageTemperatureOfTheDay = 0
    @Observed var größe = 0
    var plain = 0

    override class var schema: Schema {
        Schema(Weather.self, extending: super.schema) {
            Key("wind", \.wind)
            Key("averageTemperatureOfTheDay", \.averageTemperatureOfTheDay)
            Key("größe", \.größe)
            Key("plain", \.plain, notifiesAutomatically: false)
        }
    }
}

/// Names of keys are found.
struct NameLookupTests {
    private let weather = Weather()

    private func copy(_ text: String) -> String { String(decoding: Array(text.utf8), as: UTF8.self) }

    @Test("a name is found by its characters, whatever its length, its Unicode form and the memory that it is in")
    func slots() throws {
        let schema = try weather.requireSchema()
        for (index, name) in ["wind", "averageTemperatureOfTheDay", "gr\u{F6}\u{DF}e", "plain"].enumerated() {
            expectEqual(schema.slot(of: name), index)
            expectEqual(schema.slot(of: copy(name)), index)
        }
        expectEqual(schema.slot(of: "gro\u{308}\u{DF}e"), 2)
        expectEqual(schema.slot(of: String("xwindx".dropFirst().dropLast())), 0)
    }

    @Test("a name that is not declared is an error with the nearest one") func unknown() throws {
        let schema = try weather.requireSchema()
        #expect(schema.slot(of: "") == nil)
        #expect(schema.slot(of: "averageTemperatureOfTheDay ") == nil)
        let error = #expect(throws: KeyValueError.self) { try schema.requireKey("wnid", in: "x.wnid") }
        expectEqual(error?.reason, .unknownKey(nearest: "wind"))
        expectEqual(error?.keyPath, "x.wnid")
    }

    @Test("an offset leads to the observed property that begins there, and to none elsewhere") func offsets() throws {
        let schema = try weather.requireSchema()
        let slots = (-1..<256).map { schema.slot(atOffset: $0) }
        expectEqual(slots.filter { $0 >= 0 }, [0, 1, 2])
        #expect(slots.prefix(17).allSatisfy { $0 == -1 }, "an object's header is no property")
        expectEqual(schema.slot(atOffset: 1 << 30), -1)
    }

    @Test("a key path leads to the key that is declared with it") func keyPaths() throws {
        let schema = try weather.requireSchema()
        expectEqual(schema.slot(of: \Weather.wind), 0)
        expectEqual(schema.slot(of: \Weather.plain), 3)
        #expect(schema.slot(of: \Person.age) == nil)
    }

    @Test("a subclass has its superclass's keys in the same slots") func inherited() throws {
        let (person, employee) = (try Person().requireSchema(), try Employee("E").requireSchema())
        for name in ["firstName", "age", "cityLine"] { expectEqual(employee.slot(of: name), person.slot(of: name)) }
        #expect(person.slot(of: "salary") == nil)
        #expect(employee.slot(of: "salary") != nil)
    }
}
