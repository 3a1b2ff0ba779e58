import AutoKVO
import AutoKVOTestSupport
import Testing

/// A derived value that reads a computed key by name, and another derived value that comes to what it was before.
struct RecordedKeyTests {
    private final class Sheet: TrackedObject {
        @Observed var a = 0
        @Observed var b = 0
        @Derived({ (sheet: Sheet) in sheet.a % 2 }) var odd: Int
        @Derived({ (sheet: Sheet) in sheet.odd + sheet.named("tripled") }) var behind: Int
        @Derived({ (sheet: Sheet) in sheet.named("tripled") + sheet.odd }) var before: Int
        @Derived({ (sheet: Sheet) in sheet.odd + sheet.named("both") }) var nested: Int
        @Derived({ (sheet: Sheet) in sheet.odd + sheet.pathed("tripled") }) var byPath: Int
        var tripled: Int { a * 3 }
        var both: Int { odd + a * 10 }

        func named(_ key: String) -> Int { (try! value(forKey: key)) as! Int }
        func pathed(_ key: String) -> Int { (try! value(forKeyPath: key)) as! Int }

        override class var schema: Schema {
            Schema(Sheet.self, extending: super.schema) {
                Key("tripled", \.tripled)
                Key("both", \.both)
            }
        }
    }

    @Test("it follows every change", arguments: ["behind", "before", "nested", "byPath"], [false, true])
    func followed(key: String, isOddObserved: Bool) throws {
        let (sheet, unobserved) = (Sheet(), Sheet())
        if isOddObserved { sheet.$odd.observe { _ in } }
        var told = try sheet.value(forKey: key) as! Int
        try sheet.observe(key, options: [.old, .new]) { change in
            expectEqual(change.oldValue as? Int, told)
            told = change.newValue as! Int
        }
        var random = SplitMix64(seed: 7)
        for value in [3, 2, 0, 4, 0, 1, 3, 0] + (0..<100).map({ _ in Int.random(in: 0..<6, using: &random) }) {
            (sheet.a, unobserved.a) = (value, value)
            let expected = try unobserved.value(forKey: key) as! Int
            expectEqual(told, expected)
            expectEqual(try sheet.value(forKey: key) as! Int, expected)
        }
    }

    @Test("so does a closure that is observed, and a binding to one") func closures() {
        let (sheet, target) = (Sheet(), Sheet())
        var told = 0
        target.observe(reading: { [unowned sheet] _ in sheet.odd + sheet.named("tripled") }) { _, change in
            told = change.currentValue!
        }
        target.$b.bind { [unowned sheet] in sheet.odd + sheet.named("tripled") }
        for value in [3, 2, 0, 5, 4, 0] {
            sheet.a = value
            expectEqual([told, target.b], [value % 2 + value * 3, value % 2 + value * 3])
        }
    }

    private final class Mixed: TrackedObject {
        @Observed var a = 0
        @Observed var plain = 0
        @Derived({ (mixed: Mixed) in mixed.a % 2 }) var odd: Int
        var always: Int { 7 }

        override class var schema: Schema {
            Schema(Mixed.self, extending: super.schema) { Key("always", \.always, affectedBy: "odd", "plain") }
        }
    }

    @Test(
        "a key computed equal is told if a stored base has changed, and not if only a derived base has, in either order",
        arguments: 0..<4)
    func certain(form: Int) throws {
        let mixed = Mixed()
        var calls = 0
        try mixed.observe("always") { _ in calls += 1 }
        mixed.$odd.observe { _ in }
        coalescingChanges {
            if form < 2 { mixed.a = 1 }
            if form > 0 { mixed.plain = 1 }
            if form == 3 { mixed.a = 1 }
        }
        expectEqual(calls, form == 0 ? 0 : 1)
    }

    private final class Item: TrackedObject { @Observed var price = 1 }

    private final class Box: TrackedObject {
        @Observed var items: [Item] = []
        @Derived({ (box: Box) in (try! box.value(forKey: "sum") as! Int) + 100 }) var more: Int
        var sum: Int { items.reduce(0) { $0 + $1.price } }

        override class var schema: Schema {
            Schema(Box.self, extending: super.schema) { Key("sum", \.sum, affectedBy: "items.@sum.price") }
        }
    }

    /// By the key, the value concerns a change that is open already of what has just been added.
    @Test(
        "observers told of a value during an open change do not hear of the same change when that ends",
        arguments: 0..<4)
    func open(form: Int) {
        let (box, item, reader) = (Box(), Item(), Box())
        let told = Recorder<Int>()
        if form % 2 == 0 {
            box.$more.observe(options: [.old, .new], told.handler())
        } else {
            reader.observe(reading: { [unowned box] _ in box.more }, options: [.old, .new]) { told.record($1) }
        }
        item.$price.withMutation {
            if form < 2 { box.$items.append(item) } else { box.items = [item] }
        }
        expectEqual(told.take().map { [$0.old, $0.new] }, [[100, 101]])
        item.$price.withMutation { box.$items.append(Item()) }
        expectEqual(told.take().map { [$0.old, $0.new] }, [[101, 102]])
        item.price = 3
        expectEqual(told.take().map { [$0.old, $0.new] }, [[102, 104]])
    }

    private final class Priced: TrackedObject {
        @Observed var x = 10
        @Observed var tax = 1
        @Observed var next: Priced?
        @Observed var all: [Priced] = []
        var computations = 0
        var tens: Int { x / 10 }
        var cost: Int { x * tax }
        var other: Priced? { next }
        @Derived({ (priced: Priced) in priced.read("tens") }) var ofTens: Int
        @Derived({ (priced: Priced) in priced.read("next.tens") }) var ofNextTens: Int
        @Derived({ (priced: Priced) in priced.read("other.tens") }) var ofOtherTens: Int
        @Derived({ (priced: Priced) in priced.read("all.@sum.tens") }) var ofAllTens: Int
        @Derived({ (priced: Priced) in priced.read("cost") }) var ofCost: Int
        @Derived({ (priced: Priced) in priced.read("all.@sum.cost") }) var ofAllCost: Int

        func read(_ path: String) -> Int {
            computations += 1
            return (try! value(forKeyPath: path)) as? Int ?? 0
        }

        override class var schema: Schema {
            Schema(Priced.self, extending: super.schema) {
                Key("tens", \.tens)
                Key("other", \.other)
                Key("cost", \.cost, affectedBy: "x")
            }
        }
    }

    private final class Reader: TrackedObject {
        @Observed var n = 2
        @Observed var first: Reader?
        @Observed var second: Reader?
        @Observed var all: [Reader] = []
        @ObservedWeak var weak: Reader?
        var number: Int { weak?.n ?? 0 }
        var chosen: Reader? { weak == nil ? first : second }

        override class var schema: Schema {
            Schema(Reader.self, extending: super.schema) {
                Key("number", \.number)
                Key("chosen", \.chosen)
            }
        }
    }

    /// The old value is read when the object is dead, and the key's getter reads what there is then.
    @Test(
        "in a path, what it reads weakly dies: a change with the value from before",
        arguments: ["all.@sum.number", "all.@max.number", "first.chosen.n", "all.@sum.chosen.n"], [false, true])
    func death(path: String, isInsideOthers: Bool) throws {
        let (root, reader) = (Reader(), Reader())
        (root.first, root.all) = (reader, [reader])
        (reader.first, reader.second) = (Reader(), Reader())
        reader.first?.n = 1
        var read: Reader? = Reader()
        reader.weak = read
        var told: [[Int?]] = []
        try root.observe(path, as: Int.self, options: [.old, .new]) { told.append([$0.oldValue, $0.newValue]) }
        func end() { read = nil }
        if isInsideOthers {
            coalescingChanges {
                root.n += 1
                end()
            }
        } else {
            end()
        }
        let after = path.contains("number") ? 0 : 1
        expectEqual(told, [[2, after]])
        expectEqual(try root.value(forKeyPath: path) as? Int, after)
        withExtendedLifetime((root, reader)) {}
    }

    /// `observe` of several paths makes one of a single key, too, which is kept.
    @Test("a path reads a key, and not what its getter reads", arguments: [false, true]) func pathsReadKeys(
        isKept: Bool
    ) throws {
        if isKept { try Priced().observe(["tens", "cost"]) { _ in }.remove() }
        let (priced, next) = (Priced(), Priced())
        (priced.next, priced.all) = (next, [next])
        for (key, source) in [("ofTens", priced), ("ofNextTens", next), ("ofOtherTens", next), ("ofAllTens", next)] {
            let told = Recorder<Any>()
            try priced.observe(key, options: .new, told.handler())
            priced.computations = 0
            source.x += 1
            expectEqual(priced.computations, 0, "\(key): the key's value is the same")
            source.x += 9
            #expect(priced.computations == 1 && told.count == 1)
            priced.removeAllObservers()
        }
        for (key, source) in [("ofCost", priced), ("ofAllCost", next)] {
            let told = Recorder<Any>()
            try priced.observe(key, options: .new, told.handler())
            source.tax += 1
            expectEqual(told.count, 0)
            source.x += 10
            expectEqual(told.count, 1)
        }
    }

    private final class Session: TrackedObject {
        @Observed var user = "ann"
        private var stored = "t1"
        private var rows = [1]
        var token: String {
            get { "\(user)-\(stored)" }
            set { withMutation(of: "token") { stored = newValue } }
        }
        var list: [Int] { user.isEmpty ? [] : rows }
        @Derived({ (session: Session) in (try! session.value(forKey: "token") as! String).count }) var length: Int
        var editable: [Int] {
            get { user.isEmpty ? [] : rows }
            set { rows = newValue }
        }

        func append(_ row: Int) {
            willChange(.insertion, valuesAt: rows.count..<rows.count + 1, forKey: "list")
            rows.append(row)
            didChange(.insertion, valuesAt: rows.count - 1..<rows.count, forKey: "list")
        }

        override class var schema: Schema {
            Schema(Session.self, extending: super.schema) {
                Key("token", \.token)
                Key("list", \.list)
                Key("editable", \.editable)
            }
        }
    }

    @Test("one whose change is announced by hand is computed again: it may read what tells of nothing")
    func announced() throws {
        let session = Session()
        var (told, distinct, lengths, values): ([String], [String], [Int], [String]) = ([], [], [], [])
        try session.observe("token", options: [.old, .new]) { told.append("\($0.oldValue!) \($0.newValue!)") }
        try session.observe("token", as: String.self, options: [.new, .distinct]) { distinct.append($0.newValue!) }
        session.$length.observe(options: .new) { lengths.append($0.newValue!) }
        session.observe(\.token, options: .new) { values.append($1.newValue!) }
        session.token = "t2"
        session.token = "t34"
        session.user = "eve"
        coalescingChanges { (session.token, session.user) = ("t5", "bob") }
        expectEqual(told, ["ann-t1 ann-t2", "ann-t2 ann-t34", "ann-t34 eve-t34", "eve-t34 bob-t5"])
        expectEqual(distinct, ["ann-t2", "ann-t34", "eve-t34", "bob-t5"])
        expectEqual(values, distinct)
        expectEqual(lengths, [7, 6])
    }

    private final class SessionHolder: TrackedObject { @Observed var session = Session() }

    @Test("also if nobody asks for its value when it is announced", arguments: [false, true], [false, true])
    func announcedToSome(isNewWanted: Bool, isBehindPath: Bool) throws {
        let (session, holder) = (Session(), SessionHolder())
        holder.session = session
        let (root, keyPath) = isBehindPath ? (holder as TrackedObject, "session.token") : (session, "token")
        var (read, olds): ([String], [String]) = ([], [])
        try root.observe(keyPath) { [unowned session] _ in read.append(session.token) }
        try root.observe(keyPath, options: isNewWanted ? [.old, .new] : .old) { olds.append("\($0.oldValue!)") }
        session.token = "t2"
        session.user = "bob"
        session.token = "t3"
        session.user = "eve"
        expectEqual(read, ["ann-t2", "bob-t2", "bob-t3", "eve-t3"])
        expectEqual(olds, ["ann-t1", "ann-t2", "bob-t2", "bob-t3"])
    }

    @Test("so is one that is edited by name") func edited() throws {
        let session = Session()
        var (copy, told): ([Int], [[Int]]) = ([1], [])
        try session.observe("editable", as: [Int].self, options: .new) {
            $0.apply(to: &copy)
            told.append($0.newValue!)
        }
        try session.mutableArrayValue(forKey: "editable").append(2)
        try session.mutableArrayValue(forKey: "editable").insert(3, at: 0)
        expectEqual(told, [[2], [3]])
        expectEqual(copy, [3, 1, 2])
    }

    @Test("so is an array whose edit is announced") func announcedEdit() throws {
        let session = Session()
        var copy = [1]
        try session.observe("list", as: [Int].self, options: .new) { $0.apply(to: &copy) }
        session.append(2)
        session.append(3)
        expectEqual(copy, [1, 2, 3])
    }

    private final class Table: TrackedObject {
        private(set) var rows = ["a", "b"]
        @Observed var index = 1
        @Observed var count = 2
        var computations = 0
        var row: String {
            computations += 1
            return rows[index]
        }
        @Derived({ (table: Table) in table.count == 0 ? "none" : try! table.value(forKey: "row") as! String })
        var current: String

        func set(_ rows: [String]) {
            withMutation(of: "row") {
                self.rows = rows
                count = rows.count
            }
        }

        override class var schema: Schema { Schema(Table.self, extending: super.schema) { Key("row", \.row) } }
    }

    private final class TableHolder: TrackedObject { @Observed var table = Table() }

    @Test("it is not computed before what else changes has been changed, nor where nobody needs it any more")
    func announcedInOrder() throws {
        let holder = TableHolder()
        let table = holder.table
        var (told, current): ([String], [String]) = ([], [])
        try holder.observe("table.row", as: String.self, options: .new) { told.append($0.newValue!) }
        coalescingChanges {
            table.set(["x"])
            table.index = 0
        }
        table.$index.withMutation {
            table.set(["y", "z"])
            table.index = 1
        }
        expectEqual(told, ["x", "z"])
        holder.removeAllObservers()
        table.$current.observe(options: .new) { current.append($0.newValue!) }
        table.set([])
        expectEqual(current, ["none"])
        table.index = 0
        table.set(["w"])
        table.computations = 0
        coalescingChanges { for number in 1...100 { table.set(["\(number)"]) } }
        expectEqual(current, ["none", "w", "100"])
        expectEqual(table.computations, 1)
    }

    private final class ChartItem: TrackedObject {
        @Observed var name: String
        init(_ name: String) { self.name = name }
    }

    private final class Chart: TrackedObject, @unchecked Sendable {
        var text = "a"
        let items = ["a": ChartItem("A"), "b": ChartItem("B")]
        @Observed var suffix = ""
        var row: String { text + suffix }
        @Derived({ (chart: Chart) in try! chart.value(forKey: "row") as! String }) var current: String
        @Derived({ (chart: Chart) in chart.items[try! chart.value(forKey: "row") as! String]! }) var lead: ChartItem
        var label: String { "<\(current)>" }

        override class var schema: Schema {
            Schema(Chart.self, extending: super.schema) {
                Key("row", \.row)
                Key("label", \.label, affectedBy: "current")
            }
        }
    }

    private final class ChartHolder: TrackedObject, @unchecked Sendable { @Observed var chart = Chart() }

    @Test("a path that another thread moves to it meanwhile has its old value", arguments: ["label", "lead.name"])
    func movedMeanwhile(key: String) throws {
        let (holder, chart) = (ChartHolder(), Chart())
        var told: [[String]] = []
        try holder.observe("chart." + key, as: String.self, options: [.old, .new]) {
            told.append([$0.oldValue ?? "none", $0.newValue!])
        }
        chart.withMutation(of: "row") {
            onAnotherThread { holder.chart = chart }
            chart.text = "b"
        }
        expectEqual(told.last, key == "label" ? ["<a>", "<b>"] : ["A", "B"])
    }
}
