import AutoKVO
import AutoKVOTestSupport
import Foundation
import Testing

/// Every type that a property may have, set by name to every value that JSON, Foundation and a caller may bring.
struct ConversionSweepTests {
    private static let keys = Everything.keyDescriptions.map(\.name)

    /// What a JSON file can hold, each alone, in an array and in a dictionary.
    private let json: [Any] = {
        let texts = [
            "null", "true", "false", "0", "-0.0", "1", "-1", "2.5", "127", "128", "255", "256", "-129", "65536",
            "4294967296",
            "9007199254740993", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
            "18446744073709551616", "1e39", "1e308", "-1e308", "5e-324", "0.1", #""""#, #""1""#, #""low""#, #""é""#,
            #""👩‍👩‍👧""#, #""2026-01-01T00:00:00Z""#, "[]", "{}", "[[]]", "[null]", #"{"a": null}"#,
            #"[1, "x", null, true]"#,
            "[1, [2, [3]]]",
        ]
        return texts.flatMap { text in
            [text, "[\(text), \(text)]", #"{"a": \#(text)}"#].map {
                try! JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
            }
        }
    }()

    /// Numbers of Foundation and of Swift, of every width, at their limits.
    private let numbers: [Any] = [
        NSNumber(value: true), NSNumber(value: false), NSNumber(value: Int8.min), NSNumber(value: UInt8.max),
        NSNumber(value: Int16.min), NSNumber(value: UInt16.max), NSNumber(value: Int32.min),
        NSNumber(value: UInt32.max),
        NSNumber(value: Int64.min), NSNumber(value: UInt64.max), NSNumber(value: Float.greatestFiniteMagnitude),
        NSNumber(value: Double.greatestFiniteMagnitude), NSNumber(value: Double.nan), NSNumber(value: -Double.infinity),
        NSDecimalNumber(string: "0.1"), NSDecimalNumber(string: "1e30"), NSDecimalNumber.notANumber, NSNull(),
        Decimal(string: "12345678901234567890.5")!, Decimal.nan, Int8.min, UInt8.max, Int.min, Int.max, UInt64.max,
        Int128.min, UInt128.max, Float16.infinity, Float.leastNonzeroMagnitude, -0.0, Double.nan, CGFloat.infinity,
        CGFloat.nan, CGFloat(1e300),
    ]

    private let others: [Any] = [
        "x" as Substring, "x" as Character, "x" as NSString, NSMutableArray(array: [1, "x"]), NSDictionary(),
        NSSet(array: [1]), Set([1]), Set(["a"]), AnyHashable(1), [AnyHashable("a"): AnyHashable(1)], (1, "x"),
        { (_: Int) in } as (Int) -> Void, Int.self, Int?.none as Any, Int??.some(nil) as Any, [Int?.none, 1],
        ArraySlice([1, 2]), ContiguousArray(["a"]), 1..<3, Date.distantFuture, Data([1]), URL(string: "a:b")!, UUID(),
        Everything.Grade.low, Everything.Name.high, CocoaError(.fileNoSuchFile), NSObject(), Everything(),
    ]

    /// As a number of unlimited precision, as far as that can be said.
    private func number(_ value: Any) -> String? {
        switch value {
        case is Bool: nil
        case let value as any BinaryInteger: "\(value)"
        case let value as CGFloat: number(Double(value))
        case let value as Double: Int128(exactly: value).map { "\($0)" } ?? "\(value)"
        case let value as Float: number(Double(value))
        case let value as Float16: number(Double(value))
        default: nil
        }
    }

    @Test("nothing ends the program; what is refused changes nothing; a number that is taken is that number")
    func sweep() throws {
        let (values, everything) = (json + numbers + others, Everything())
        var (taken, refused) = (0, 0)
        for key in Self.keys {
            var changes = 0
            let observation = try everything.observe(key) { _ in changes += 1 }
            defer { observation.remove() }
            for value in values {
                let before = "\(try everything.value(forKey: key) as Any)"
                changes = 0
                do {
                    try everything.setValue(value, forKey: key)
                    taken += 1
                    #expect(changes == 1, "\(key) to \(value)")
                    // An integer is never rounded; a fraction may be, to what the property holds.
                    if let number = number(value), let whole = Int128(number), key != "text",
                        let now = try everything.value(forKey: key),
                        let result = self.number(now)
                    {
                        #expect(
                            value is any BinaryInteger ? Int128(result) == whole : true, "\(key) to \(value) is \(now)")
                    }
                } catch {
                    refused += 1
                    #expect(changes == 0, "\(key) to \(value): \(error)")
                    #expect("\(try everything.value(forKey: key) as Any)" == before, "\(key) to \(value)")
                }
                // The other ways in decide the same.
                let other = Everything()
                let isTaken = (try? other.setValues([key: value])) != nil
                var validated: Any? = value
                let isValid = (try? other.validateValue(&validated, forKey: key)) != nil
                let asElement = (try? [other].setValue(value, forKeyPath: key)) != nil
                let again = (try? everything.setValue(value, forKey: key)) != nil
                #expect(isTaken == again && asElement == again && (isValid || !again), "\(key) to \(value)")
            }
        }
        #expect(taken > 800 && refused > 5_000, "\(taken) taken, \(refused) refused")
    }

    @Test("a property of Foundation's numbers can be bound to by whatever its values can be set for")
    func boundNumbers() throws {
        let (source, bound) = (Everything(), Everything())
        source.number = 1
        for key in ["int8", "uint64", "double", "cgFloat", "maybeInt"] {
            source.number = 1
            try bound.setValue(source.number, forKey: key)
            try bound.bind(key, to: "number", of: source)
            source.number = 2
        }
        #expect(bound.int8 == 2 && bound.double == 2 && bound.maybeInt == 2)
        let flag = Everything()
        flag.number = NSNumber(value: true)
        try bound.bind("bool", to: "number", of: flag)
        #expect(bound.bool)
        #expect(throws: KeyValueError.self) { try bound.bind("date", to: "number", of: source) }
    }

    @Test("a binding sets what is taken, and reports what is refused") func bindings() throws {
        let values = json + numbers + others
        for key in Self.keys where key != "anything" {
            let (source, bound, set) = (Everything(), Everything(), Everything())
            source.anything = try source.value(forKey: key)
            let told = try messages { try bound.bind(key, to: "anything", of: source) }
            #expect(told.isEmpty, "\(key): \(told)")
            for value in values {
                let before = "\(try bound.value(forKey: key) as Any)"
                let isTaken = (try? set.setValue(value, forKey: key)) != nil
                let told = messages { source.anything = value }
                let now = "\(try bound.value(forKey: key) as Any)"
                if isTaken {
                    // A binding does not set what is equal: zero is minus zero.
                    let (one, other) = (try bound.value(forKey: key), try set.value(forKey: key))
                    func isEqual(_ one: Any?, _ other: Any?) -> Bool {
                        if let one = one as? AnyHashable { return one == other as? AnyHashable }
                        guard let one = one as? [Any], let other = other as? [Any] else { return false }
                        return one.elementsEqual(other, by: isEqual)
                    }
                    #expect(
                        (isEqual(one, other) || now == "\(other as Any)") && told.isEmpty, "\(key) to \(value): \(told)"
                    )
                } else {
                    #expect(now == before && told.count <= 1, "\(key) to \(value): \(told)")
                }
            }
            #expect(bound.unbind(key))
        }
    }

    @Test("a proxy takes as an element what an array of it is taken with, and throws for the rest") func proxies()
        throws
    {
        for key in ["ints", "bools", "floats", "maybes", "rows", "things"] {
            let (edited, set) = (Everything(), Everything())
            let proxy = try edited.mutableArrayValue(forKey: key)
            for value in json + numbers + others {
                let isTaken = (try? set.setValue([value], forKey: key)) != nil
                let count = proxy.count
                let isAppended = (try? proxy.append(value)) != nil
                let isInserted = (try? proxy.insert(contentsOf: [value], at: 0)) != nil
                let isReplaced = !proxy.isEmpty && (try? proxy.replace(at: proxy.count - 1, with: value)) != nil
                #expect(isAppended == isTaken && isInserted == isTaken, "\(key) with \(value)")
                #expect(proxy.isEmpty || isReplaced == isTaken, "\(key) with \(value)")
                #expect(proxy.count == count + (isTaken ? 2 : 0), "\(key) with \(value)")
            }
        }
        let (edited, set) = (Everything(), Everything())
        let proxy = try edited.mutableSetValue(forKey: "names")
        for value in json + numbers + others {
            let isTaken = (try? set.setValue([value], forKey: "names")) != nil
            #expect((try? proxy.insert(value)) == nil || isTaken, "\(value)")
            _ = (try? proxy.remove(value), try? proxy.setElements([value]), proxy.contains(value))
        }
    }
}

private final class Everything: TrackedObject {
    enum Grade: Int, Sendable {
        case low = 1
        case high
    }
    enum Name: String, Sendable { case low, high }

    @Observed var int8: Int8 = 0
    @Observed var uint8: UInt8 = 0
    @Observed var int16: Int16 = 0
    @Observed var uint16: UInt16 = 0
    @Observed var int32: Int32 = 0
    @Observed var uint32: UInt32 = 0
    @Observed var int = 0
    @Observed var uint: UInt = 0
    @Observed var uint64: UInt64 = 0
    @Observed var int128: Int128 = 0
    @Observed var uint128: UInt128 = 0
    @Observed var float16: Float16 = 0
    @Observed var float: Float = 0
    @Observed var double = 0.0
    @Observed var cgFloat: CGFloat = 0
    @Observed var decimal: Decimal = 0
    @Observed var number: NSNumber = 0
    @Observed var bool = false
    @Observed var text = ""
    @Observed var character: Character = "a"
    @Observed var date = Date.distantPast
    @Observed var data = Data()
    @Observed var url: URL?
    @Observed var uuid: UUID?
    @Observed var grade = Grade.low
    @Observed var name: Name?
    @Observed var maybeInt: Int?
    @Observed var maybeMaybe: Double??
    @Observed var ints: [Int] = []
    @Observed var bools: [Bool] = []
    @Observed var floats: [CGFloat] = []
    @Observed var maybes: [Int?] = []
    @Observed var rows: [[UInt8]] = []
    @Observed var names: Set<Name> = []
    @Observed var table: [String: Int8] = [:]
    @Observed var byGrade: [Grade: Double?] = [:]
    @Observed var anything: Any?
    @Observed var things: [Any] = []
    @Observed var peer: Everything?

    override class var schema: Schema {
        Schema(Everything.self, extending: super.schema) {
            Key("int8", \.int8)
            Key("uint8", \.uint8)
            Key("int16", \.int16)
            Key("uint16", \.uint16)
            Key("int32", \.int32)
            Key("uint32", \.uint32)
            Key("int", \.int)
            Key("uint", \.uint)
            Key("uint64", \.uint64)
            Key("int128", \.int128)
            Key("uint128", \.uint128)
            Key("float16", \.float16)
            Key("float", \.float)
            Key("double", \.double)
            Key("cgFloat", \.cgFloat)
            Key("decimal", \.decimal)
            Key("number", \.number)
            Key("bool", \.bool)
            Key("text", \.text)
            Key("character", \.character)
            Key("date", \.date)
            Key("data", \.data)
            Key("url", \.url)
            Key("uuid", \.uuid)
            Key("grade", \.grade)
            Key("name", \.name)
            Key("maybeInt", \.maybeInt)
            Key("maybeMaybe", \.maybeMaybe)
            Key("ints", \.ints)
            Key("bools", \.bools)
            Key("floats", \.floats)
            Key("maybes", \.maybes)
            Key("rows", \.rows)
            Key("names", \.names)
            Key("table", \.table)
            Key("byGrade", \.byGrade)
            Key("anything", \.anything)
            Key("things", \.things)
            Key("peer", \.peer)
        }
    }
}
