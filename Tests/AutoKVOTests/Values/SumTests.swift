import AutoKVO
import AutoKVOTestSupport
import Testing

/// Has a number of each type.
final class Weight: TrackedObject {
    @Observed var whole = 0
    @Observed var real = 0.0
    @Observed var small: Float = 0
    @Observed var maybe: Double?
    @Observed var large: UInt64 = 0
    @Observed var vast: Int128 = 0
    @Observed var huge: UInt128 = 0
    @Observed var next: Weight?
    @Observed var parts: [Weight] = []
    @Observed var later: [Weight]?
    @Observed var numbers: [Double] = []
    @Observed var rows: [[Double]] = []
    @Observed var anything: Any = 0
    @Observed var mixed: [Any] = []
    @Observed var total = -1.0
    @Derived({ (weight: Weight) in weight.real * 2 }) var twice: Double
    @Derived({ (weight: Weight) in weight.parts.map(\.whole) }) var wholes: [Int]
    /// What it reads is found by itself.
    var half: Double { real / 2 }
    #if arch(x86_64)
        @Observed var long: Float80 = 0
    #endif

    init(_ set: (Weight) -> Void = { _ in }) {
        super.init()
        set(self)
    }

    override class var schema: Schema {
        Schema(Weight.self, extending: super.schema) {
            Key("total", \.total)
            Key("half", \.half)
        }
    }
}

/// Sums and extremes of numbers of every type.
struct SumTests {
    let weight = Weight()

    private func value(_ path: String) throws -> Any { try weight.value(forKeyPath: path) ?? "nil" }

    private func parts<Value>(_ key: ReferenceWritableKeyPath<Weight, Value>, _ values: [Value]) {
        weight.parts = values.map { value in Weight { $0[keyPath: key] = value } }
    }

    @Test("a sum is exact if it fits, in whatever order the numbers come") func exact() throws {
        for values in [
            [Int.max, 1, -1], [1, Int.max, -1], [-1, Int.min, 1], [Int.min, Int.min, Int.max, Int.max, 2],
        ] {
            let sum = Int(values.reduce(Int128(0)) { $0 + Int128($1) })
            parts(\.whole, values)
            weight.mixed = values
            try expectEqual(value("parts.@sum.whole") as? Int, sum)
            try expectEqual(value("mixed.@sum") as? Int, sum)
            try expectEqual(value("parts.@avg.whole") as? Double, Double(sum) / Double(values.count))
            try expectEqual(weight.parts.value(forKeyPath: "@sum.whole") as? Int, sum)
        }
        parts(\.whole, [.max, .max])
        try expectEqual(value("parts.@sum.whole") as? Double, 0x1p64)
        try expectEqual(value("parts.@avg.whole") as? Double, 0x1p63)
        weight.mixed = [Int.max, 1, 0.5, -1]
        try expectEqual(value("mixed.@sum") as? Double, 0x1p63)
    }

    @Test("observed as a Double, one of whole numbers is a Double, in every form") func asDouble() async throws {
        parts(\.whole, [2, 3])
        let (changes, handle) = (Recorder<Double>(), try weight.path("parts.@sum.whole", as: Double.self))
        try weight.observe(
            "parts.@sum.whole", as: Double.self, options: [.initial, .old, .new], changes.handler())
        let stream = try weight.values(of: "parts.@sum.whole", as: Double.self, options: .initial)
        var heard: [Double?] = []
        handle.onValue { heard.append($0) }
        expectEqual(handle.value, 5)
        weight.parts[0].whole = 5
        #expect(changes.last?.old == 5 && changes.last?.new == 8 && handle.value == 8)
        weight.parts[0].whole = .max
        #expect(changes.last?.old == 8 && changes.last?.new == 0x1p63 && heard == [5, 8, 0x1p63])
        var (iterator, given) = (stream.makeAsyncIterator(), [Double]())
        while given.count < 3, let next = await iterator.next() { given.append(next) }
        expectEqual(given, [5, 8, 0x1p63])
    }

    @Test("observed as an Int, one that does not fit is reported") func asInt() throws {
        let log = MessageLog()
        parts(\.whole, [2, 3])
        var heard: [Int?] = []
        try weight.path("parts.@sum.whole", as: Int.self).onValue { heard.append($0) }
        Diagnostics.withHandler({ log.add($0) }) { weight.parts[0].whole = .max }
        #expect(heard == [5] && log.messages.count == 1)
        expectEqual(log.messages.first?.contains("\"parts.@sum.whole\" is observed as"), true, "\(log.messages)")
    }

    @Test("so is one of integers that are larger than an Int") func large() throws {
        parts(\.large, [.max, 1])
        try expectEqual(value("parts.@sum.large") as? Double, 0x1p64)
        weight.mixed = [UInt64.max, -Int.max, -Int.max, Int8(-1)]
        try expectEqual(value("mixed.@sum") as? Int, 0)
        parts(\.vast, [.max, .max, .min, .min, 2, 7])
        try expectEqual(value("parts.@sum.vast") as? Int, 7)
        parts(\.huge, [.max, .max])
        try expectEqual(value("parts.@sum.huge") as? Double, 0x1p129)
        weight.mixed = [UInt128.max, Int128.min, Int128.min, 4]
        try expectEqual(value("mixed.@sum") as? Int, 3)
        for mixed in [[UInt128.max, 0.5], [0.5, UInt128.max]] as [[Any]] {
            weight.mixed = mixed
            try expectEqual(value("mixed.@sum") as? Double, 0x1p128)
        }
        // No Double is this number.
        weight.mixed = [0.5, Float80(1) + Float80(0x1p-60)]
        try expectEqual(value("mixed.@sum") as? Double, 1.5)
        weight.mixed = [Int128(1) << 70 + 1, Int128(-1) << 70]
        try expectEqual(value("mixed.@sum") as? Int, 1)
        // Rounded once.
        weight.mixed = [UInt64(1) << 63, UInt64(1) << 63, 2049]
        try expectEqual(value("mixed.@sum") as? Double, Double(Int128(1) << 64 + 2049))
    }

    @Test("random integers of all types have the sum, the least and the greatest that they have", arguments: 1...20)
    func random(seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        for _ in 0..<50 {
            let values = (0..<Int.random(in: 1...12, using: &random)).map { _ -> Int128 in
                let bits = Int.random(in: 1...120, using: &random)
                return Int128.random(in: -(1 << bits)...(1 << bits), using: &random)
            }
            weight.mixed = values.map { value -> Any in
                let forms: [Any?] = [
                    value, Int(exactly: value), UInt64(exactly: value), Int8(exactly: value), UInt128(exactly: value),
                    Int32(exactly: value),
                ]
                return forms.compactMap { $0 }.randomElement(using: &random)!
            }
            let sum = values.reduce(0, +)
            let expected: Any = Int(exactly: sum).map { $0 as Any } ?? Double(sum)
            expectEqual("\(try value("mixed.@sum"))", "\(expected)")
            expectEqual("\(try value("mixed.@min"))", "\(values.min()!)")
            expectEqual("\(try value("mixed.@max"))", "\(values.max()!)")
        }
    }

    @Test("the least and the greatest of large integers are not rounded") func extremes() throws {
        parts(\.large, [.max - 1, .max, .max - 2])
        try expectEqual(value("parts.@max.large") as? UInt64, .max)
        try expectEqual(value("parts.@min.large") as? UInt64, .max - 2)
        parts(\.vast, [.max - 1, .max, .min, .min + 1])
        try expectEqual(value("parts.@max.vast") as? Int128, .max)
        try expectEqual(value("parts.@min.vast") as? Int128, .min)
        parts(\.huge, [.max - 1, .max, 3])
        try expectEqual(value("parts.@max.huge") as? UInt128, .max)
        try expectEqual(value("parts.@min.huge") as? UInt128, 3)
        #if arch(x86_64)
            parts(\.long, [0x1p63, 0x1p63 + 1])
            try expectEqual(value("parts.@max.long") as? Float80, 0x1p63 + 1)
        #endif
    }

    @Test("numbers of different types are compared exactly") func mixedExtremes() throws {
        let real = 9_007_199_254_740_992.0
        for (values, greatest) in [
            ([real, 9_007_199_254_740_993], "9007199254740993"), ([Int.max, 0x1p63], "9.223372036854775808e+18"),
            ([0x1p63, Int.max], "9.223372036854775808e+18"), ([UInt64.max, Int.max, -1.5], "\(UInt64.max)"),
            ([-0.5, -1, UInt8(0)], "0"), ([Double.infinity, UInt128.max], "inf"), ([Float(2.5), 2, 2.25], "2.5"),
            ([UInt128.max, Int128.max, 3.5], "\(UInt128.max)"),
        ] as [([Any], String)] {
            weight.mixed = values
            let found = try value("mixed.@max")
            #expect("\(found)" == greatest || (found as? Double).map { $0 == Double(greatest) } == true, "\(values)")
            weight.mixed = values.map { negated($0) }.filter { !($0 is String) }
            if weight.mixed.count == values.count, let least = try value("mixed.@min") as? Double {
                expectEqual(-least, Double(greatest))
            }
        }
    }

    private func negated(_ value: Any) -> Any {
        switch value {
        case let value as Int: -value
        case let value as Double: -value
        case let value as Float: -value
        default: "none"
        }
    }

    @Test("the sum of nothing has the type that a sum of the key has") func types() throws {
        for path in [
            "parts.@sum.real", "later.@sum.real", "parts.@sum.small", "numbers.@sum", "parts.@sum.maybe",
            "rows.@sum.@sum", "parts.@sum.numbers.@sum", "parts.@sum.numbers.@avg", "next.parts.@sum.real",
            "next.next.numbers.@sum", "parts.@sum.parts.@sum.real", "next.rows.@sum.@avg", "parts.@sum.twice",
            "next.parts.@sum.half", "parts.@sum.next.twice",
        ] {
            try expectEqual(value(path) as? Double, 0, "\(path)")
            #expect(try Weight.valueType(forKeyPath: path) == Double.self, "\(path)")
        }
        for path in [
            "parts.@sum.whole", "later.@sum.whole", "next.parts.@sum.whole", "parts.@sum.large", "mixed.@sum",
            "rows.@sum.@count", "parts.@count", "next.parts.@count", "next.rows.@sum.@count", "wholes.@sum",
            "next.wholes.@sum", "parts.@sum.wholes.@sum",
        ] {
            try expectEqual(value(path) as? Int, 0, "\(path)")
        }
        weight.parts = [Weight()]
        try expectEqual(value("parts.@sum.maybe") as? Double, 0)
        try expectEqual(value("parts.@sum.next.real") as? Double, 0)
        try expectEqual(value("parts.@max.numbers.@sum") as? Double, 0)
        try expectEqual([Weight]().value(forKeyPath: "@sum.real") as? Double, 0)
        try expectEqual([Weight]().value(forKeyPath: "@sum.whole") as? Int, 0)
        // The type of the value says it where the declared type does not.
        weight.anything = [Double]()
        try expectEqual(value("anything.@sum") as? Double, 0)
        weight.anything = [Float?]()
        try expectEqual(value("anything.@sum") as? Double, 0)
        weight.anything = [String]()
        try expectEqual(value("anything.@sum") as? Int, 0)
        weight.numbers = [1, -1]
        try expectEqual(value("numbers.@sum") as? Double, 0)
    }

    @Test("an operator behind a nil object has an empty collection, also inside another one") func nilObject() throws {
        try expectEqual(value("next.parts.@count") as? Int, 0)
        try expectEqual(value("next.parts.@avg.whole") as? Double, 0)
        try expectEqual(value("next.parts.@max.whole") as? String, "nil")
        expectEqual((try value("next.next.parts.@unionOfObjects.whole") as? [Any])?.isEmpty, true)
        expectEqual((try value("next.mixed.@distinctUnionOfSets") as? Set<AnyHashable>)?.isEmpty, true)
        weight.parts = [Weight(), Weight { $0.next = Weight { $0.parts = [Weight()] } }]
        try expectEqual(value("parts.@unionOfObjects.next.parts.@count") as? [Int], [0, 1])
        try expectEqual(value("parts.@avg.next.parts.@count") as? Double, 0.5)
        try expectEqual(weight.parts.value(forKeyPath: "next.parts.@count") as? [Int], [0, 1])
        try expectEqual(
            weight.dictionaryWithValues(forKeys: ["next.parts.@sum.real"])["next.parts.@sum.real"] as? Double, 0)
    }

    @Test("an observer gets the same values as a reader, through nil and back") func observed() throws {
        final class Sum: TrackedObject {
            @Observed var weight: Weight?
            var sum: Double { ((try? value(forKeyPath: "weight.parts.@sum.real")) as? Double) ?? -1 }
            override class var schema: Schema {
                Schema(Sum.self, extending: super.schema) {
                    Key("sum", \.sum, affectedBy: "weight.parts.@sum.real")
                }
            }
        }
        let sum = Sum()
        var log: [(Double?, Double?, Double?)] = []
        try sum.observe("weight.parts.@sum.real", as: Double.self, options: [.old, .new, .initial]) {
            log.append(($0.oldValue, $0.newValue, $0.currentValue))
        }
        var derived: [Double?] = []
        try sum.observe("sum", as: Double.self, options: [.new]) { derived.append($0.newValue) }
        sum.weight = weight
        weight.parts = [Weight { $0.real = 2.5 }]
        weight.parts[0].real = 3
        sum.weight = nil
        expectEqual(log.map(\.0), [nil, 0, 0, 2.5, 3])
        #expect(log.map(\.1) == [0, 0, 2.5, 3, 0] && log.map(\.2) == log.map(\.1))
        expectEqual(derived, [0, 2.5, 3, 0])
    }

    @Test("a stream of sums ends on the sum that is there, and a binding follows to nothing") func followers()
        async throws
    {
        let source = Weight()
        try weight.bind("total", to: "next.parts.@sum.real", of: source)
        expectEqual(weight.total, 0)
        let stream = try source.values(of: "next.parts.@sum.real", as: Double.self)
        let counts = try source.values(of: "next.parts.@count", as: Int.self)
        source.next = Weight { $0.parts = [Weight { $0.real = 1.5 }] }
        expectEqual(weight.total, 1.5)
        source.next!.parts = []
        expectEqual(weight.total, 0)
        source.next!.parts = [Weight { $0.real = 4 }]
        source.next = nil
        expectEqual(weight.total, 0)
        source.removeAllObservers()
        var (sums, numbers) = ([Double](), [Int]())
        for await sum in stream { sums.append(sum) }
        for await number in counts { numbers.append(number) }
        #expect(sums == [1.5, 0, 4, 0] && numbers == [1, 0, 1, 0])
    }

    @Test("operators over derived values have the values of the derived, and their types over nothing") func derived()
        throws
    {
        var told: [String] = []
        for path in ["parts.@sum.twice", "parts.@sum.half", "parts.@avg.twice", "next.parts.@sum.twice"] {
            try weight.observe(path, as: Double.self, options: [.initial, .new]) {
                told.append("\(path) \($0.newValue!)")
            }
        }
        try weight.observe("wholes.@sum", as: Int.self, options: [.initial, .new]) {
            told.append("wholes \($0.newValue!)")
        }
        #expect(told.allSatisfy { $0.hasSuffix(" 0.0") || $0 == "wholes 0" } && told.count == 5)
        told = []
        let part = Weight { ($0.real, $0.whole) = (1.5, 4) }
        weight.parts = [part]
        expectEqual(
            told.sorted(), ["parts.@avg.twice 3.0", "parts.@sum.half 0.75", "parts.@sum.twice 3.0", "wholes 4"])
        told = []
        coalescingChanges { (part.real, part.whole) = (2, 5) }
        expectEqual(told.sorted(), ["parts.@avg.twice 4.0", "parts.@sum.half 1.0", "parts.@sum.twice 4.0", "wholes 5"])
        told = []
        weight.$parts.removeAll()
        expectEqual(told.sorted(), ["parts.@avg.twice 0.0", "parts.@sum.half 0.0", "parts.@sum.twice 0.0", "wholes 0"])
        told = []
        weight.next = Weight { $0.parts = [part] }
        expectEqual(told, ["next.parts.@sum.twice 4.0"])
        weight.next = nil
        expectEqual(told.last, "next.parts.@sum.twice 0.0")
    }

    @Test("a registration as a type that no sum has is refused") func refused() throws {
        func refuses<T>(_ path: String, _ type: T.Type) -> Bool {
            reason { try weight.observe(path, as: type) { _ in }.remove() } != nil
        }
        #expect(refuses("parts.@sum.real", Int.self) && refuses("parts.@sum.whole", String.self))
        #expect(refuses("parts.@sum.large", UInt64.self) && refuses("mixed.@sum", Float.self))
        #expect(!refuses("parts.@sum.whole", Int?.self) && !refuses("parts.@sum.whole", Any.self))
        #expect(!refuses("mixed.@sum", Double?.self) && !refuses("parts.@sum.real", Double.self))
    }
}
