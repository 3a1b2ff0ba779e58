import AutoKVO
import AutoKVOTestSupport
import Testing

private class Named: Model {
    @Observed var name = "Ann"
    @Observed var age = 0
}
private final class Misnamed: Named {
    override class var schema: Schema { Schema(Misnamed.self, extending: super.schema) { Key("nmae", \.name) } }
}
private final class Stored: Named {
    var plain = [0]
    override class var schema: Schema { Schema(Stored.self, extending: super.schema) { Key("plain", \.plain) } }
}
private final class Lazily: Named {
    lazy var late = [0]
    override class var schema: Schema { Schema(Lazily.self, extending: super.schema) { Key("late", \.late) } }
}
private class LazyBase: Named {
    lazy var late = name.utf8.count
}
private final class BelowLazy: LazyBase {
    override class var schema: Schema { Schema(BelowLazy.self, extending: super.schema) { Key("late", \.late) } }
}
private final class Shortened: Named {
    override class var schema: Schema { Schema(Shortened.self, extending: super.schema) { Key("nam", \.name) } }
}
private final class Constant: Named {
    let fixed = [0]
    override class var schema: Schema { Schema(Constant.self, extending: super.schema) { Key("fixed", \.fixed) } }
}
private final class OtherType: Named {
    override class var schema: Schema { Schema(OtherType.self, extending: super.schema) { Key("age", \.name) } }
}

/// Its remedies are those that a fault names.
private class Remedied: Named {
    var plain = 0
    let fixed = 0
    var upper: String { name.uppercased() }
    override class var schema: Schema {
        Schema(Remedied.self, extending: super.schema) {
            Key("name", \.name)
            Key("plain", \.plain, notifiesAutomatically: false)
            Key("fixed", \.fixed, notifiesAutomatically: false)
            Key("upper", \.upper, affectedBy: "name")
            Key("alias", \.name, affectedBy: "name")
        }
    }
}
/// Declares keys of its superclass once more, without saying again what the superclass said.
private final class Redeclares: Remedied {
    override class var schema: Schema {
        Schema(Redeclares.self, extending: super.schema) {
            Key("name", \.name)
            Key("plain", \.plain)
            Key("upper", \.upper)
        }
    }
}

private final class Swapped: Model {
    @Observed var a = "a"
    @Observed var b = "b"
    @Observed var c = [1]
    @Observed var d = [1]
    override class var schema: Schema {
        Schema(Swapped.self, extending: super.schema) {
            Key("a", \.b)
            Key("b", \.a)
            Key("c", \.d)
        }
    }
}

private final class Home: Model {
    @Observed var city = "Ulm"
    @Observed var town = "Ulm"
    @Observed var rows = [1]
    override class var schema: Schema {
        Schema(Home.self, extending: super.schema) {
            Key("city", \.city)
            Key("rows", \.rows)
        }
    }
}
private final class Moved: Model {
    @Observed var home: Home? = Home()
    @Observed var work: Home? = Home()
    @Observed var later: Swapped?
    override class var schema: Schema {
        Schema(Moved.self, extending: super.schema) {
            Key("home", \.work)
            Key("work", \.work)
            Key("later", \.later)
        }
    }
}

/// Types whose copies or whose comparison a careless check would mistake.
private class Delicate: Model {
    struct Padded: Equatable {
        var small: UInt8 = 1
        var large: UInt64 = 2
    }
    struct Unequal: Equatable {
        static func == (a: Unequal, b: Unequal) -> Bool { false }
        var small: UInt8 = 1
        var large: UInt64 = 2
    }
    @Observed var padded = Padded()
    @Observed var unequal = Unequal()
    @Observed var notANumber = Double.nan
    @Observed var action: (Int) -> Int = { $0 }
    @Observed var sendable: @Sendable (Int) throws -> Void = { _ in }
    @Observed var isolated: (@MainActor () async -> Void)?
    @Observed var any: Any = Padded()
    @Observed var some: (any Sendable & Equatable)?
    @Observed var pair: (x: Int, y: String?) = (1, nil)
    @Observed var implicit: String!
    @Observed var metatype: Any.Type = Int.self
    @Observed var object: AnyObject?
    @ObservedWeak var parent: Delicate?
    override class var schema: Schema {
        Schema(Delicate.self, extending: super.schema) {
            Key("padded", \.padded)
            Key("unequal", \.unequal)
            Key("notANumber", \.notANumber)
            Key("action", \.action)
            Key("sendable", \.sendable)
            Key("isolated", \.isolated)
            Key("any", \.any)
            Key("some", \.some)
            Key("pair", \.pair)
            Key("implicit", \.implicit)
            Key("metatype", \.metatype)
            Key("object", \.object)
            Key("parent", \.parent)
        }
    }
    static let names = [
        "padded", "unequal", "notANumber", "action", "sendable", "isolated", "any", "some", "pair", "implicit",
        "metatype",
        "object", "parent",
    ]
}

/// Overrides an observed property, so that the key path of its superclass reads another value than the storage holds.
private class Base: Model {
    @Observed var level = 1
    override class var schema: Schema { Schema(Base.self, extending: super.schema) { Key("level", \.level) } }
}
private final class Doubling: Base {
    override var level: Int {
        get { super.level * 2 }
        set { super.level = newValue }
    }
}

/// Schemas whose keys would never be told.
struct SchemaFaultTests {
    let recorder = Recorder<Any>()

    func fault(_ body: () throws -> Void) -> KeyValueError? {
        do { try body() } catch let error as KeyValueError {
            if case .schemaFault = error.reason { return error }
        } catch {}
        return nil
    }

    @Test(
        "a key in the middle of a path that reads another property is a fault, however the path's end is set",
        arguments: 0..<5)
    func inTheMiddle(way: Int) throws {
        let moved = Moved()
        let uses: [() throws -> Void] = [
            { try moved.setValue("Linz", forKeyPath: "home.city") },
            { try moved.setValues(["home.city": "Linz"]) },
            {
                var value: Any? = "Linz"
                try moved.validateValue(&value, forKeyPath: "home.city")
            },
            { try moved.mutableArrayValue(forKeyPath: "home.rows").append(2) },
            { _ = try moved.value(forKeyPath: "home.city") },
        ]
        let error = fault(uses[way])
        #expect(error?.key == "home")
        if way < 4 { expectEqual(error?.keyPath, way == 3 ? "home.rows" : "home.city") }
        #expect(moved.home!.city == "Ulm" && moved.work!.city == "Ulm" && moved.work!.rows == [1])
    }

    @Test("so is the last key of a path that is bound, where the object comes later: it is reported") func boundLater()
        throws
    {
        let (moved, source) = (Moved(), Home())
        try moved.bind("later.a", to: "city", of: source)
        moved.later = Swapped()
        let lines = messages { source.city = "Linz" }
        expectEqual(moved.later?.a, "a")
        expectEqual(moved.later?.b, "b")
        #expect(lines.contains { $0.contains("faulty") })
    }

    private final class Player: TrackedObject {
        @Observed private var _volume = 5
        @Observed var enabled = true
        @Observed var firstName = "Ann"
        var volume: Int {
            get { _volume }
            set { _volume = min(max(newValue, 0), 10) }
        }
        var isEnabled: Bool {
            get { enabled }
            set { enabled = newValue }
        }
        override class var schema: Schema {
            Schema(Player.self, extending: super.schema) {
                Key("volume", \.volume)
                Key("isEnabled", \.isEnabled)
                Key("first_name", \.firstName)
            }
        }
    }

    @Test("a key whose name is the beginning or the end of that of the property behind it, or the reverse, is meant")
    func backing() throws {
        let player = Player()
        try Player.validateSchema()
        var told: [String] = []
        for key in ["volume", "isEnabled", "first_name"] {
            try player.observe(key, options: .new) { told.append("\($0.newValue!)") }
        }
        try player.setValue(20, forKey: "volume")
        try player.setValue(false, forKey: "isEnabled")
        try player.setValue("Bea", forKey: "first_name")
        expectEqual(told, ["10", "false", "Bea"])
        _ = try player.dictionaryWithValues()
    }

    @Test("a key that nothing announces is a fault that says what to write", arguments: 0..<7)
    func neverTold(index: Int) {
        let cases: [(TrackedObject, String, [String])] = [
            (Shortened(), "nam", ["Key(\"name\", \\.name)", "own name"]),
            (Misnamed(), "nmae", ["Key(\"name\", \\.name)", "own name"]),
            (Stored(), "plain", ["@Observed", "affectedBy:", "notifiesAutomatically: false"]),
            (Lazily(), "late", ["@Observed", "affectedBy:", "notifiesAutomatically: false"]),
            (BelowLazy(), "late", ["@Observed", "affectedBy:", "notifiesAutomatically: false"]),
            (Constant(), "fixed", ["notifiesAutomatically: false"]),
            (OtherType(), "age", ["String", "Int", "Key(\"age\", \\.age)"]),
        ]
        let (object, key, parts) = cases[index]
        let uses: [() throws -> Void] = [
            { try object.observe(key) { _ in } }, { _ = try object.value(forKey: key) },
            { _ = try object.dictionaryWithValues(forKeys: [key]) },
        ]
        for use in uses {
            let error = fault(use)
            #expect(error?.className == "\(type(of: object))" && error?.key == key)
            for part in parts {
                expectEqual(error?.description.contains(part), true, "\(error.map { "\($0)" } ?? "no error")")
            }
        }
        #expect(object.observations().isEmpty)
    }

    @Test("a settable computed property with a short name is no misspelt one") func shortNames() throws {
        final class Short: Model {
            @Observed var l: [Int] = []
            @Observed var w = 1
            var ls: [Int] {
                get { l.map { -$0 } }
                set { l = newValue.map { -$0 } }
            }
            var x: Int {
                get { w }
                set { w = newValue }
            }
            override class var schema: Schema {
                Schema(Short.self, extending: super.schema) {
                    Key("ls", \.ls)
                    Key("x", \.x)
                }
            }
        }
        let (object, log) = (Short(), Recorder<Any>())
        for key in ["ls", "x"] { try object.observe(key, options: .new, log.handler()) }
        object.l = [1]
        try object.setValue(7, forKey: "x")
        #expect(log.paths == ["ls", "x"] && log.entries[0].new as? [Int] == [-1] && object.w == 7)
    }

    @Test("each remedy that the fault names is one") func remedies() throws {
        let object = Remedied()
        for key in ["name", "plain", "fixed", "upper", "alias"] { try object.observe(key, recorder.handler()) }
        object.name = "Bea"
        expectEqual(recorder.paths, ["name", "upper", "alias"])
        object.withMutation(of: "plain") { object.plain = 1 }
        expectEqual(recorder.last?.keyPath, "plain")
    }

    @Test("a subclass that declares a key once more need not say again what its superclass said") func redeclared()
        throws
    {
        let object = Redeclares()
        for key in ["name", "plain", "upper"] { try object.observe(key, recorder.handler()) }
        object.name = "Bea"
        expectEqual(recorder.paths, ["name", "upper"])
    }

    @Test("a key path that reads another property is found when the value is first used") func swapped() {
        let first = fault { _ = try Swapped().value(forKey: "a") }
        #expect(first?.className == "Swapped" && first?.key == "a")
        expectEqual(first?.description.contains("Key(\"a\", \\.a)"), true)
        let second = fault { try Swapped().setValue("new", forKey: "b") }
        expectEqual(second?.key, "b")
        expectEqual(fault { _ = try Swapped().value(forKey: "a") }?.key, "a", "it stays wrong")
        // Equal values cannot be told apart.
        #expect(fault { _ = try Swapped().value(forKey: "c") } == nil)
    }

    private final class Silent: Model, Hashable {
        static func == (a: Silent, b: Silent) -> Bool { a === b }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        @Observed var next: Silent?
        @Observed var all: [Silent] = []
        @Observed var set: Set<Silent> = []
        @Observed var maybe: [Silent]?
        @Observed var age = 1
        @Observed var year = 2
        var (stored, cost) = (0, 1)
        var plain: Int { stored }
        override class var schema: Schema {
            Schema(Silent.self, extending: super.schema) {
                Key("plain", \.plain)
                Key("cost", \.cost, affectedBy: "next.ag")
                Key("age", \.year)
                Key("year", \.age)
            }
        }
    }

    /// How a key is used by name.
    private enum Use: CaseIterable {
        case initial, several, targets, path, value, handle, element, setElement, optional
    }

    @Test(
        "a fault that shows with the first use is found in every form, whatever was said of the key before",
        arguments: Use.allCases, ["plain", "cost", "age"])
    private func firstUse(_ use: Use, _ key: String) throws {
        let (silent, end) = (Silent(), Silent())
        (silent.next, silent.all, silent.set, silent.maybe) = (end, [end], [end], [end])
        let said = messages { if key == "plain" { end.observe(\.plain) { _, _ in } } }
        #expect(said.count <= 1)
        for _ in 0..<2 {
            let found = fault {
                switch use {
                case .initial: try end.observe(key, options: .initial) { (_: Change<Any>) in }
                case .several: try end.observe([key, "next"]) { (_: Change<Any>) in }
                case .targets: try [end, silent].observe(key) { (_: Change<Any>) in }
                case .path: try silent.observe("next." + key) { (_: Change<Any>) in }
                case .value: _ = try silent.value(forKeyPath: "next." + key)
                case .handle: _ = try silent.path("next." + key)
                case .element: _ = try silent.value(forKeyPath: "all.@max." + key)
                case .setElement: _ = try silent.value(forKeyPath: "set.@max." + key)
                case .optional: _ = try silent.value(forKeyPath: "maybe.@max." + key)
                }
            }
            #expect(found?.key == key && found?.className == "Silent")
        }
        #expect(silent.observations().isEmpty && end.observations().count <= 1)
        end.removeAllObservers()
        // Where no object is yet, it is found later.
        let alone = Silent()
        #expect(try alone.value(forKeyPath: "next." + key) == nil)
        alone.next = end
        #expect(fault { _ = try alone.value(forKeyPath: "next." + key) }?.key == key)
        (alone.next, silent.next) = (nil, nil)
    }

    @Test("nothing is set, or registered, when it is found") func swappedChangesNothing() throws {
        final class Turned: Model {
            @Observed var a = 1
            @Observed var b = 2
            override class var schema: Schema {
                Schema(Turned.self, extending: super.schema) {
                    Key("a", \.b)
                    Key("b", \.a)
                }
            }
        }
        let object = Turned()
        #expect(fault { try object.setValue(3, forKeyPath: "a") } != nil)
        #expect(object.a == 1 && object.b == 2)
        #expect(fault { try object.observe("b", options: [.initial, .new], recorder.handler()) } != nil)
        #expect(object.observations().isEmpty && recorder.count == 0)
    }

    @Test("a right key is never taken for a wrong one, whatever its type", arguments: Delicate.names)
    func delicate(key: String) throws {
        let object = Delicate()
        for _ in 0..<2 { _ = try object.value(forKey: key) }
        try object.observe(key, options: [.initial, .new], recorder.handler())
        expectEqual(recorder.count, 1)
    }

    @Test("nor is one whose property a subclass overrides") func overridden() throws {
        try expectEqual(Doubling().value(forKey: "level") as? Int, 2)
        try expectEqual(Base().value(forKey: "level") as? Int, 1)
    }

    @Test("a Key says nothing of what a derived property depends on, also not one of a subclass") func ofDerived()
        throws
    {
        class Area: Model {
            @Observed var side = 1
            @Observed var unit = 1
            @Derived({ (area: Area) in area.side * area.side }) var size: Int
            override class var schema: Schema {
                Schema(Area.self, extending: super.schema) { Key("size", \.size) }
            }
        }
        final class Depending: Area {
            override class var schema: Schema {
                Schema(Depending.self, extending: super.schema) { Key("size", \.size, affectedBy: "unit") }
            }
        }
        final class ByHand: Area {
            override class var schema: Schema {
                Schema(ByHand.self, extending: super.schema) { Key("size", \.size, notifiesAutomatically: false) }
            }
        }
        for object in [Depending(), ByHand()] {
            let error = fault { try object.observe("size") { _ in } }
            #expect(error?.key == "size" && error?.description.contains("@Derived") == true)
        }
        try Area().observe("size", options: .initial, recorder.handler())
        expectEqual(recorder.count, 1)
    }

    @Test("a computed property that can be written, and at first has the value of what it reads, is no misspelt name")
    func computedWithEqualValue() throws {
        final class Lamp: Model {
            @Observed var level = 0
            @Observed var history: [Int] = []
            var percent: Int {
                get { level * 100 }
                set { level = newValue / 100 }
            }
            var list: [Int] {
                get { history }
                set { history = newValue }
            }
            override class var schema: Schema {
                Schema(Lamp.self, extending: super.schema) {
                    Key("percent", \.percent)
                    Key("list", \.list)
                    Key("brightness", \.level)
                }
            }
        }
        let lamp = Lamp()
        try expectEqual(lamp.value(forKey: "percent") as? Int, 0)
        try expectEqual(lamp.value(forKey: "list") as? [Int], [])
        try expectEqual(lamp.value(forKey: "brightness") as? Int, 0)
        try lamp.observe(["percent", "list", "brightness"], recorder.handler())
        try lamp.setValue(300, forKey: "percent")
        expectEqual(recorder.paths.sorted(), ["brightness", "percent"])
        recorder.clear()
        lamp.level = 5
        expectEqual(recorder.paths, ["percent", "brightness"])
        try lamp.mutableArrayValue(forKey: "list").append(1)
        #expect(recorder.paths.last == "list" && lamp.history == [1])
        try lamp.setValue(4, forKey: "brightness")
        expectEqual(lamp.percent, 400)
    }
}
