import AutoKVO
import AutoKVOTestSupport
import Testing

/// In which order the observers are called that one change concerns, or all that `coalescingChanges` holds back.
struct CallOrderTests {
    /// What reads others is declared before them.
    private final class Sheet: TrackedObject {
        @Derived({ (sheet: Sheet) in sheet.sum + sheet.double }) var total: Int
        @Observed var a = 0
        @Observed var b = 0
        @Derived({ (sheet: Sheet) in sheet.b * 2 }) var double: Int
        @Derived({ (sheet: Sheet) in sheet.a + sheet.b }) var sum: Int
        @Observed var next: Sheet?
        @Derived({ (sheet: Sheet) in (sheet.next?.total ?? 0) + sheet.b }) var chained: Int
    }

    private let sheet = Sheet()
    private let recorder = Recorder<Any>()

    @Test("observers of a derived value are called after those of the values that it reads, whatever is declared first")
    func sourcesFirst() throws {
        for key in ["total", "sum", "a", "double", "b"] { try sheet.observe(key, recorder.handler()) }
        sheet.b = 1
        expectEqual(recorder.take().map(\.keyPath), ["b", "double", "sum", "total"])
        sheet.a = 1
        expectEqual(recorder.paths, ["a", "sum", "total"])
    }

    @Test(
        "so are those of keys that are affected by others, each once, however often it names them",
        arguments: [false, true])
    func affectedBy(isCoalesced: Bool) throws {
        class Bill: TrackedObject {
            @Observed var price = 1
            @Observed var count = 1
            var text: String { "\(total)" }
            var total: Int { gross * count }
            var gross: Int { price * 2 }
            override class var schema: Schema {
                Schema(Bill.self, extending: super.schema) {
                    Key("text", \.text, affectedBy: "total")
                    Key("total", \.total, affectedBy: "gross", "count", "gross")
                    Key("gross", \.gross, affectedBy: "price", "price")
                }
            }
        }
        final class Invoice: Bill {
            override class var schema: Schema {
                Schema(Invoice.self, extending: super.schema) { Key("gross", \.gross, affectedBy: "price") }
            }
        }
        let bill = Invoice()
        for key in ["text", "total", "gross", "price"] { try bill.observe(key, recorder.handler()) }
        if isCoalesced {
            coalescingChanges { (bill.price, bill.count) = (2, 3) }
        } else {
            bill.price = 2
        }
        expectEqual(recorder.paths, ["price", "gross", "total", "text"])
    }

    @Test("coalesced changes: the properties in the order of their first change, then what is derived from them")
    func coalesced() throws {
        for key in ["total", "sum", "a", "double", "b"] { try sheet.observe(key, recorder.handler()) }
        coalescingChanges {
            sheet.b = 1
            sheet.a = 1
        }
        expectEqual(recorder.take().map(\.keyPath), ["b", "a", "double", "sum", "total"])
        coalescingChanges {
            sheet.a = 2
            sheet.b = 2
            sheet.a = 3
        }
        expectEqual(recorder.paths, ["a", "b", "double", "sum", "total"])
    }

    @Test("coalesced changes of two objects: observers of a value that reads the other one's are called after its")
    func coalescedObjects() throws {
        let other = Sheet()
        sheet.next = other
        try sheet.observe("chained", recorder.handler("chained"))
        try other.observe("total", recorder.handler("total"))
        coalescingChanges {
            sheet.b = 1
            other.a = 1
        }
        expectEqual(recorder.labels, ["total", "chained"])
    }

    /// One reads another from a switch on. What reads that one is not computed then, since its value is the same.
    private final class Switched: TrackedObject {
        @Observed var x = 1
        @Observed var isOn = false
        @Derived({ (object: Switched) in object.x + object.lower }) var upper: Int
        @Derived({ (object: Switched) in object.x + object.upper }) var top: Int
        @Derived({ (object: Switched) in object.x + (object.isOn ? object.lowest * 0 : 0) }) var lower: Int
        @Derived({ (object: Switched) in object.x * 2 }) var lowest: Int
    }

    @Test("a derived value that comes to read another one goes behind it, and all that reads it with it")
    func switched() throws {
        let object = Switched()
        for key in ["upper", "top", "lower", "lowest"] { try object.observe(key, recorder.handler()) }
        object.x = 2
        expectEqual(recorder.take().map(\.keyPath), ["lower", "upper", "top", "lowest"])
        object.isOn = true
        expectEqual(recorder.count, 0)
        object.x = 3
        expectEqual(recorder.take().map(\.keyPath), ["lowest", "lower", "upper", "top"])
    }

    @Test("and already in the change with which it comes to read it", arguments: [false, true])
    func switching(isCoalesced: Bool) throws {
        final class Gauge: TrackedObject {
            @Observed var mode = 0
            @Derived({ (gauge: Gauge) in gauge.first + 1 }) var before: Int
            @Derived({ (gauge: Gauge) in gauge.mode == 0 ? 0 : gauge.last + 1 }) var first: Int
            @Derived({ (gauge: Gauge) in gauge.mode * 10 }) var last: Int
        }
        let gauge = Gauge()
        for key in ["before", "first", "last"] { try gauge.observe(key, recorder.handler()) }
        for mode in [1, 2, 0, 3] {
            if isCoalesced { coalescingChanges { gauge.mode = mode } } else { gauge.mode = mode }
            let keys = recorder.take().map(\.keyPath)
            if mode != 0 { expectEqual(keys, ["last", "first", "before"]) }
        }
    }

    /// What reads others by name is declared before them, and their class has keys of all kinds.
    private final class Reader: TrackedObject {
        @Observed var x = 1
        @Observed var next: Reader?
        @Derived({ (reader: Reader) in reader.named("next.computed") + 1 }) var ofComputed: Int
        @Derived({ (reader: Reader) in reader.named("next.affected") + 1 }) var ofAffected: Int
        @Derived({ (reader: Reader) in reader.named("next.derived") + 1 }) var ofDerived: Int
        @Derived({ (reader: Reader) in reader.x + (reader.next?.x ?? 0) }) var derived: Int
        var computed: Int { x * 10 + (next?.x ?? 0) }
        var affected: Int { x * 100 + (next?.x ?? 0) }

        func named(_ path: String) -> Int { (try! value(forKeyPath: path)) as? Int ?? 0 }

        override class var schema: Schema {
            Schema(Reader.self, extending: super.schema) {
                Key("computed", \.computed)
                Key("affected", \.affected, affectedBy: "x", "next.x")
            }
        }
    }

    @Test(
        "observers of a value that reads another object's key by name are called after those of the key",
        arguments: ["Computed", "Affected", "Derived"])
    func readByName(key: String) throws {
        for isReaderFirst in [true, false] {
            let (reader, other) = (Reader(), Reader())
            (reader.next, other.next) = (other, Reader())
            if isReaderFirst { try reader.observe("of\(key)", recorder.handler("reader")) }
            try other.observe(key.lowercased(), recorder.handler("other"))
            if !isReaderFirst { try reader.observe("of\(key)", recorder.handler("reader")) }
            other.next!.x += 1
            expectEqual(recorder.take().map(\.label), ["other", "reader"])
        }
    }

    @Test("coalesced changes of several paths in one registration are told in its order")
    func group() throws {
        try sheet.observe(["sum", "a", "next.a", "b"], recorder.handler())
        sheet.next = Sheet()
        recorder.clear()
        coalescingChanges {
            sheet.b = 2
            sheet.next!.a = 2
            sheet.a = 2
        }
        expectEqual(recorder.paths, ["sum", "a", "next.a", "b"])
    }

    @Test(
        "an observation of several paths or targets keeps its place if a change touches one of them", arguments: 0..<6)
    func place(form: Int) throws {
        let other = Sheet()
        var told: [String] = []
        func note(_ label: String, _ isPrior: Bool = false) { told.append(isPrior ? "prior " + label : label) }
        switch form {
        case 0: try sheet.observe(["a", "next.a"], options: .prior) { note("first", $0.isPrior) }
        case 1: try [sheet, other].observe("a", options: .prior) { note("first", $0.isPrior) }
        case 2: [sheet, other].map(\.$a).observe(options: .prior) { note("first", $0.isPrior) }
        case 3:
            try sheet.observe(
                ["a": { note("first", $0.isPrior) }, "b": { note("first", $0.isPrior) }], options: .prior)
        case 4: try sheet.observe(["a", "b"], options: .prior) { note("first", $0.isPrior) }
        default:
            try sheet.observe(["a", "total", "next.total"], options: [.prior, .distinct]) { note("first", $0.isPrior) }
        }
        try sheet.observe("a", options: .prior) { note("a", $0.isPrior) }
        try sheet.observe("sum", options: .prior) { note("sum", $0.isPrior) }
        let (prior, after) = (["prior first", "prior a", "prior sum"], ["first", "a", "sum"])
        sheet.a = 1
        // The last one has two paths that the change touches.
        let isBehind = form == 5
        expectEqual(
            told,
            isBehind
                ? ["prior a", "prior sum", "prior first", "prior first", "a", "sum", "first", "first"] : prior + after)
        told = []
        coalescingChanges { sheet.a = 2 }
        expectEqual(told, isBehind ? ["a", "sum", "first", "first"] : after)
    }

    @Test("a handler that ignores the change keeps its place, and is called once") func placeOfDepending() throws {
        let other = Sheet()
        var told: [String] = []
        try other.depend(on: [Dependency(sheet, "a"), Dependency(other, "a")]) { _ in told.append("first") }
        try sheet.observe("a") { _ in told.append("a") }
        try sheet.observe("sum") { _ in told.append("sum") }
        told = []
        sheet.a = 1
        expectEqual(told, ["first", "a", "sum"])
    }

    @Test("a log of several properties hears of a change before a handler behind it that changes another one")
    func log() throws {
        var told: [String] = []
        try sheet.observe(["a", "b"], options: .new) { told.append("\($0.keyPath) \($0.newValue as! Int)") }
        try sheet.observe("a") { [unowned sheet] _ in if sheet.b == 0 { sheet.b = 1 } }
        try sheet.observe("double") { _ in }
        sheet.a = 1
        expectEqual(told, ["a 1", "b 1"])
    }

    @Test("coalesced changes of paths and closures are told in the order of registration, behind those of keys")
    func paths() throws {
        var told: [String] = []
        sheet.next = Sheet()
        try sheet.observe("next.b") { _ in told.append("path") }
        sheet.observe(\.a.magnitude) { _, _ in told.append("closure") }
        try sheet.observe("b") { _ in told.append("key") }
        coalescingChanges {
            sheet.a = 1
            sheet.b = 1
            sheet.next!.b = 1
        }
        expectEqual(told, ["key", "path", "closure"])
    }

    private final class Raised: Model, @unchecked Sendable {
        @Observed var first = "a"
        @Observed var code = "c"
        @Observed var isFirst = true
        @Derived({ (object: Raised) in object.isFirst ? object.first : object.later + "!" }) var early: String
        @Derived({ (object: Raised) in object.isFirst ? object.first : object.code }) var later: String
    }

    @Test("what another thread has computed comes behind what it reads, too") func raisedElsewhere() {
        let object = Raised()
        var log: [String] = []
        object.$early.observe { _ in log.append("early") }
        object.$later.observe { _ in log.append("later") }
        object.willChangeValue(forKey: "first")
        onAnotherThread { object.isFirst = false }
        log = []
        object.code = "d"
        object.didChangeValue(forKey: "first")
        expectEqual(log, ["later", "early"])
    }

    private final class Node: TrackedObject {
        @Observed var a = 0
        @Observed var x = 0
        @Observed var isOn = false
        @Observed var other: Node?
        @Derived({ (node: Node) in node.other?.x ?? 0 }) var others: Int
        @Derived({ (node: Node) in node.a + node.others }) var both: Int
        @Derived({ (node: Node) in node.a + node.later }) var behind: Int
        @Derived({ (node: Node) in node.isOn ? node.a : 0 }) var later: Int
        var shown: Int { a + x }

        override class var schema: Schema {
            Schema(Node.self, extending: super.schema) { Key("shown", \.shown, affectedBy: "a", "x") }
        }
    }

    @Test(
        "what reads comes behind what it reads, also where several objects are changed at once",
        arguments: [1, 20], [false, true])
    func severalObjects(count: Int, isOtherFirst: Bool) {
        let (node, other) = (Node(), Node())
        var calls: [String] = []
        node.other = other
        node.$both.observe { _ in calls.append("both") }
        node.$others.observe { _ in calls.append("others") }
        coalescingChanges {
            if isOtherFirst { other.x = 1 }
            for value in 1...count { node.a = value }
            if !isOtherFirst { other.x = 1 }
        }
        expectEqual(calls, ["others", "both"])
    }

    @Test("also where it comes to concern a change that is open") func joinsOpen() {
        let node = Node()
        var calls: [String] = []
        node.$behind.observe { _ in calls.append("behind") }
        node.$later.observe { _ in calls.append("later") }
        node.$a.withMutation {
            node.isOn = true
            calls = []
            node.a = 7
        }
        expectEqual(calls, ["later", "behind"])
    }

    @Test("a late observer of a key comes before paths", .needs(.blankObject)) func lateBeforePaths() throws {
        let (node, root) = (Node(), Node())
        var calls: [String] = []
        root.other = node
        try node.observe("shown") { _ in calls.append("early") }
        try root.observe("other.shown") { _ in calls.append("path") }
        try node.$a.withMutation {
            node.a = 1
            try node.observe("shown") { _ in calls.append("late") }
            node.x = 1
        }
        expectEqual(calls, ["early", "late", "path"])
    }

    private final class Holder: TrackedObject {
        @Observed var x = 0
        @ObservedWeak var first: Node?
        @ObservedWeak var second: Node?
    }

    private final class Watcher: TrackedObject {
        let holder: Holder
        @Derived({ (watcher: Watcher) in watcher.holder.x }) var middle: Int
        @Derived({ (watcher: Watcher) in
            watcher.middle + (watcher.holder.first == nil ? 0 : 1) + (watcher.holder.second == nil ? 0 : 1)
        }) var sum: Int
        init(_ holder: Holder) { self.holder = holder }
    }

    @Test("also where an object that two properties refer to dies inside") func deathInside() {
        let holder = Holder()
        let watcher = Watcher(holder)
        var node: Node? = Node()
        (holder.first, holder.second) = (node, node)
        var calls: [String] = []
        holder.$first.observe { _ in calls.append("first") }
        watcher.$middle.observe { _ in calls.append("middle") }
        watcher.$sum.observe { _ in calls.append("sum") }
        coalescingChanges {
            holder.x = 1
            node = nil
        }
        _ = node
        expectEqual(calls, ["first", "middle", "sum"])
    }

    @Test("late observers come behind those before them, also of several keys", arguments: [1, 8])
    func manyLate(count: Int) throws {
        final class Wide: TrackedObject {
            @Observed var a = 0
            @Observed var b = 0
            @Observed var c = 0
            var sum: Int { a + b + c }
            override class var schema: Schema {
                Schema(Wide.self, extending: super.schema) {
                    for number in 0..<30 { Key("k\(number)", \.sum, affectedBy: "a", "b", "c") }
                }
            }
        }
        let wide = Wide()
        var calls: [String] = []
        for number in 0..<count { try wide.observe("k\(number)") { _ in if number == 0 { calls.append("early") } } }
        wide.willChangeValue(forKey: "a")
        try wide.observe("k0") { _ in calls.append("late") }
        wide.b = 1
        wide.willChangeValue(forKey: "c")
        wide.didChangeValue(forKey: "a")
        wide.didChangeValue(forKey: "c")
        expectEqual(calls, ["early", "late"])
    }
}
