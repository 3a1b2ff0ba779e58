import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Lamp: Model {
    enum State: String { case on, off, broken }
    @Observed var state = State.off
    @Observed var maybe: State?
    @Observed var text = "on"
    @Observed var small: Int8 = 1
    @Observed var big = UInt64.max
    @Observed var ratio = 0.5
    @Observed var pair = (1, "one")
    @Observed var anything: Any = 1
    @Observed var shade: any CustomStringConvertible = "dim"
    @Observed var nested: Int?? = .some(nil)
    @Observed var action: () -> Int = { 1 }
    @Observed var wires: [String: Int] = [:]

    override class var schema: Schema {
        Schema(Lamp.self, extending: super.schema) {
            Key("state", \.state)
            Key("maybe", \.maybe)
            Key("text", \.text)
            Key("small", \.small)
            Key("big", \.big)
            Key("ratio", \.ratio)
            Key("pair", \.pair)
            Key("anything", \.anything)
            Key("shade", \.shade)
            Key("nested", \.nested)
            Key("action", \.action)
            Key("wires", \.wires)
        }
    }
}

private struct Percent: KeyValueConvertible, Equatable {
    var points: Double
    init(points: Double) { self.points = points }
    init?(keyValue: Any) {
        guard let ratio = keyValue as? Double, ratio >= 0 else { return nil }
        points = ratio * 100
    }
    var keyValue: Any { points / 100 }
    static func canConvert(from type: Any.Type) -> Bool { type == Double.self }
}

/// Values.
struct ValueTests {
    private let lamp = Lamp()

    @Test("an enum arrives as itself, old and new, through changes that are not told too") func enums() throws {
        var seen: [(Lamp.State?, Lamp.State?)] = []
        let observation = lamp.observe(\.state, options: [.old, .new]) { seen.append(($1.oldValue, $1.newValue)) }
        lamp.state = .on
        lamp.state = .broken
        observation.remove()
        lamp.state = .off
        expectEqual(seen.map(\.0), [.off, .on])
        expectEqual(seen.map(\.1), [.on, .broken])
    }

    @Test("an enum is delivered as its raw value, and a raw value as an enum") func rawValues() throws {
        var raw: [String?] = []
        var states: [Lamp.State?] = []
        try lamp.observe("state", as: String.self, options: [.old, .new]) { raw += [$0.oldValue, $0.newValue] }
        try lamp.observe("text", as: Lamp.State.self, options: [.old, .new]) { states += [$0.oldValue, $0.newValue] }
        lamp.state = .on
        lamp.text = "broken"
        lamp.text = "no such state"
        expectEqual(raw, ["off", "on"])
        expectEqual(states, [.on, .broken, .broken, nil])
    }

    @Test("present but nil is not the same as not asked for") func optionals() throws {
        var both: [(Lamp.State??, Lamp.State??)] = []
        lamp.observe(\.maybe, options: [.new]) { both.append(($1.oldValue, $1.newValue)) }
        lamp.maybe = nil
        lamp.maybe = .on
        expectEqual(both[0].0, .none)
        expectEqual(both[0].1, .some(nil))
        expectEqual(both[1].1, .some(.some(.on)))
    }

    @Test("an optional property can be taken as what is in it, and the other way round") func optionalForms() throws {
        var bare: [Lamp.State?] = []
        var wrapped: [Lamp.State??] = []
        try lamp.observe("maybe", as: Lamp.State.self, options: [.new]) { bare.append($0.newValue) }
        try lamp.observe("state", as: Lamp.State?.self, options: [.new]) { wrapped.append($0.newValue) }
        lamp.maybe = .on
        lamp.maybe = nil
        lamp.state = .on
        expectEqual(bare, [.on, nil])
        expectEqual(wrapped, [.some(.some(.on))])
    }

    @Test("an optional taken as Any? has its nil as .some(nil)") func optionalAny() throws {
        var seen: [Any??] = []
        try lamp.observe("maybe", as: Any?.self, options: [.new]) { seen.append($0.newValue) }
        lamp.maybe = .on
        lamp.maybe = nil
        try #require(seen.count == 2)
        #expect((seen[0] as? Lamp.State) == .on)
        #expect(seen[1] != nil)
        #expect(seen[1]! == nil)
    }

    @Test("a value that turns out to be of another type is nil and traps nowhere") func wrongAtRunTime() throws {
        var seen: [Int?] = []
        try lamp.observe("anything", as: Int.self, options: [.new]) { seen.append($0.newValue) }
        lamp.anything = 2
        lamp.anything = "two"
        lamp.anything = 3
        expectEqual(seen, [2, nil, 3])
    }

    @Test("a type that values of the key can never have is an error, with nothing registered") func wrongType() throws {
        let error = #expect(throws: KeyValueError.self) {
            try lamp.observe("state", as: Int.self, options: [.initial]) { _ in Issue.record("called") }
        }
        guard case .wrongType(let expected, let actual)? = error?.reason else { throw error! }
        #expect(expected.contains("State"))
        #expect(actual.contains("Int"))
        expectEqual(error?.key, "state")
        expectEqual(error?.className, "Lamp")
        #expect(lamp.observations().isEmpty)
        #expect(throws: KeyValueError.self) { try lamp.observe("small", as: Int.self) { _ in } }
        #expect(throws: KeyValueError.self) { try lamp.observe("wires", as: [Int].self) { _ in } }
        #expect(throws: KeyValueError.self) { try lamp.observe("text", of: lamp, as: Int.self) { _, _ in } }
        #expect(throws: KeyValueError.self) { try [lamp].map { try $0.path("text", as: Int.self) } }
        #expect(lamp.observations().isEmpty)
    }

    @Test("a conversion protocol of one's own is used, and refuses at registration") func conversion() throws {
        var seen: [Percent?] = []
        try lamp.observe("ratio", as: Percent.self, options: [.old, .new]) { seen += [$0.oldValue, $0.newValue] }
        lamp.ratio = 0.25
        lamp.ratio = -1
        expectEqual(seen, [Percent(points: 50), Percent(points: 25), Percent(points: 25), nil])
        #expect(throws: KeyValueError.self) { try lamp.observe("text", as: Percent.self) { _ in } }
    }

    @Test("values of every kind arrive by name and by handle") func everyKind() throws {
        var named: [String] = []
        for path in ["small", "big", "ratio", "pair", "anything", "shade", "nested", "wires"] {
            try lamp.observe(path, options: [.old, .new]) {
                named.append("\($0.keyPath) \($0.oldValue!) \($0.newValue!)")
            }
        }
        var typed: [(Int, String)] = []
        lamp.observe(\.pair, options: [.new]) { typed.append($1.newValue!) }
        var results: [Int] = []
        lamp.$action.observe(options: [.old, .new]) { results = [$0.oldValue!(), $0.newValue!()] }
        lamp.small = -128
        lamp.big = 0
        lamp.ratio = .infinity
        lamp.pair = (2, "two")
        lamp.anything = "x"
        lamp.shade = 4
        lamp.wires["a"] = 1
        lamp.action = { 2 }
        lamp.nested = nil
        expectEqual(named.count, 8)
        expectEqual(named.prefix(3), ["small 1 -128", "big 18446744073709551615 0", "ratio 0.5 inf"])
        expectEqual(typed.map(\.1), ["two"])
        expectEqual(results, [1, 2])
    }

    @Test("a nested optional keeps its layers in a typed change") func nestedOptional() throws {
        var seen: [Int???] = []
        lamp.observe(\.nested, options: [.old, .new]) { seen += [$1.oldValue, $1.newValue] }
        lamp.nested = .none
        lamp.nested = 4
        expectEqual(seen, [.some(.some(.none)), .some(.none), .some(.none), .some(.some(.some(4)))])
    }

    @Test("a kept change still has its values after later changes, and the deaths of both sides") func keptChange()
        throws
    {
        var changes: [Change<String>] = []
        do {
            let person = Person("Ann")
            person.observe(\.firstName, options: [.old, .new]) { changes.append($1) }
            person.firstName = "Bob"
            person.firstName = "Cid"
            #expect(changes[0].target === person)
        }
        expectEqual(changes.map(\.oldValue), ["Ann", "Bob"])
        expectEqual(changes.map(\.newValue), ["Bob", "Cid"])
        #expect(changes[0].target == nil)
        expectEqual(changes[0].keyPath, "firstName")
        expectEqual(changes[0].kind, .setting)
        #expect(!changes[0].observation.isValid)
    }

    @Test("a kept change has its values if they are larger than an Any's own room") func keptLargeValue() {
        final class Frame: TrackedObject { @Observed var bounds = Bounds(1) }
        struct Bounds: Equatable {
            var (x, y, width, height, depth): (Int, Int, Int, Int, String)
            init(_ n: Int) { (x, y, width, height, depth) = (n, n + 1, n + 2, n + 3, "\(n)") }
        }
        let frame = Frame()
        var changes: [Change<Bounds>] = []
        frame.$bounds.observe(options: [.old, .new]) { changes.append($0) }
        frame.bounds = Bounds(10)
        frame.bounds = Bounds(20)
        expectEqual(changes.map(\.oldValue), [Bounds(1), Bounds(10)])
        expectEqual(changes.map(\.newValue), [Bounds(10), Bounds(20)])
    }

    @Test("kept changes of several observers of one change are independent") func keptChanges() throws {
        var changes: [Change<Any>] = []
        try lamp.observe("text", options: [.old, .new], userInfo: 1) { changes.append($0) }
        try lamp.observe("text", options: [.new, .prior], userInfo: 2) { changes.append($0) }
        try lamp.observe("text", userInfo: 3) { changes.append($0) }
        lamp.text = "off"
        lamp.text = "broken"
        expectEqual(changes.map { $0.userInfo as? Int }, [2, 1, 2, 3, 2, 1, 2, 3])
        expectEqual(changes.map(\.isPrior), [true, false, false, false, true, false, false, false])
        expectEqual(changes.map { $0.newValue as? String }, [nil, "off", "off", nil, nil, "broken", "broken", nil])
        expectEqual(changes.map { $0.oldValue as? String }, [nil, "on", nil, nil, nil, "off", nil, nil])
    }

    @Test("nil is nil for AnyObject, too, in all that asks for it") func anyObject() throws {
        let person = Person()
        var news: [AnyObject?] = []
        try person.observe("spouse", as: AnyObject.self, options: [.initial, .new]) { news.append($0.newValue) }
        let spouse = Person()
        person.spouse = spouse
        person.spouse = nil
        #expect(news.count == 3 && news[0] == nil && news[1] === spouse && news[2] == nil)
        #expect(try person.path("spouse", as: AnyObject.self).value == nil)
        #expect(try person.path("spouse.parent", as: AnyObject.self).value == nil)
    }

    @Test("a whole number is delivered as a Double if it is one exactly") func exactDouble() throws {
        var news: [Double?] = []
        try lamp.observe("anything", as: Double.self, options: .new) { news.append($0.newValue) }
        Diagnostics.withHandler({ _ in }) { for value in [3, 1 << 53, (1 << 53) + 1] { lamp.anything = value } }
        expectEqual(news, [3, 9_007_199_254_740_992, nil])
    }
}
