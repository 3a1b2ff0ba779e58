import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Meter: Model {
    @Observed var n = 0
    @Derived({ (meter: Meter) in meter.n / 10 }) var tens: Int
}

private final class Relay: Model {
    @Observed var meter: Meter
    /// So that what follows is declared late.
    @Observed var a = 0
    @Observed var b = 0
    @Observed var c = 0
    @Derived({ (relay: Relay) in relay.meter.n + relay.a }) var total: Int
    var m: Int { meter.n }
    init(_ meter: Meter) { self.meter = meter }

    override class var schema: Schema {
        Schema(Relay.self, extending: super.schema) { Key("m", \.m, affectedBy: "meter.n") }
    }
}

private final class Panel: Model {
    @Observed var meter: Meter
    @Observed var relay: Relay
    init(_ relay: Relay) { (meter, self.relay) = (relay.meter, relay) }
    var uncertainFirst: String { "\(meter.tens) \(relay.m)" }
    var certainFirst: String { "\(meter.tens) \(relay.m)" }
    var late: Int { meter.n + relay.m }
    var behindValues: Int { meter.tens + relay.total }
    var behindLate: Int { late + 1 }

    override class var schema: Schema {
        Schema(Panel.self, extending: super.schema) {
            Key("uncertainFirst", \.uncertainFirst, affectedBy: "meter.tens", "relay.m")
            Key("certainFirst", \.certainFirst, affectedBy: "relay.m", "meter.tens")
            Key("late", \.late, affectedBy: "meter.n", "relay.m")
            Key("behindValues", \.behindValues, affectedBy: "meter.tens", "relay.total")
            Key("behindLate", \.behindLate, affectedBy: "late")
        }
    }
}

/// Reads a key of a panel that is behind paths.
private final class Reader: Model {
    @Observed var panel: Panel
    @Derived({ (reader: Reader) in reader.panel.valueOf("late") + 1 }) var value: Int
    init(_ panel: Panel) { self.panel = panel }
}

extension Panel {
    fileprivate func valueOf(_ key: String) -> Int { try! value(forKey: key) as! Int }
}

private final class Partner: Model {
    @Observed var wish = 0
    @Observed var friends: [Partner] = []
    var shared: Int { wish }

    override class var schema: Schema {
        Schema(Partner.self, extending: super.schema) {
            Key("shared", \.shared, affectedBy: "wish", "friends.@sum.shared")
        }
    }
}

private final class StoredRelay: Model {
    @Observed var meter: Meter?
    @Observed var z = 0
    @Observed var x = 0

    override class var schema: Schema {
        Schema(StoredRelay.self, extending: super.schema) { Key("x", \.x, affectedBy: "meter.n") }
    }
}

private final class StoredReader: Model {
    @Observed var relay: StoredRelay?
    @Derived({ (reader: StoredReader) in reader.relay?.x ?? 0 }) var value: Int
}

private final class FirstSlot: Model {
    @Observed var total = 0
    @Observed var left: FirstSlot?
    @Observed var right: FirstSlot?

    override class var schema: Schema {
        Schema(FirstSlot.self, extending: super.schema) {
            Key("total", \.total, affectedBy: "left.total", "right.total")
        }
    }
}

private final class ChainedMeter: Model {
    @Observed var value = 0
    @Observed var next: ChainedMeter?
    var total: Int { value }

    override class var schema: Schema {
        Schema(ChainedMeter.self, extending: super.schema) { Key("total", \.total, affectedBy: "value", "next.total") }
    }
}

private struct Row: Hashable {
    var id: Int
    var name: String
    static func == (a: Row, b: Row) -> Bool { a.id == b.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

private final class Club: Model {
    @Observed var rows = [Row(id: 1, name: "A")]
    @Observed var next: Club?
    @Derived({ (club: Club) in club.rows.first?.name ?? "" }) var first: String
    var label: String { "<\(first)>" }

    override class var schema: Schema {
        Schema(Club.self, extending: super.schema) { Key("label", \.label, affectedBy: "rows", "first") }
    }
}

/// A chain of derived keys of one class, declared late: the heights of keys are greater the later these are declared.
private final class Late: Model {
    @Observed var next: Late?
    @Observed var isLinked = false
    @Observed var v1 = 1
    @Observed var v2 = 1
    @Observed var v3 = 1
    @Observed var v4 = 1
    @Observed var v5 = 1
    @Observed var v6 = 1
    @Observed var v7 = 1
    @Observed var v8 = 1
    @Observed var v9 = 1
    @Observed var v10 = 1
    @Observed var v11 = 1
    @Observed var v12 = 1
    @Observed var v13 = 1
    @Observed var v14 = 1
    @Observed var v15 = 1
    @Derived({ (late: Late) in late.middle + 1 }) var first: Int
    @Derived({ (late: Late) in (late.isLinked ? late.next?.last ?? 0 : 0) + late.v1 }) var middle: Int
    @Derived({ (late: Late) in late.v1 + (late.next?.v1 ?? 0) }) var last: Int
}

/// A change may come to a key in several ways. It counts as the one that says most, and the key's observers are called behind those of all that it
/// depends on.
struct TwoRoadsTests {
    @Test(
        "a key affected by a value that turns out equal, and by a key that changes, is told in any case",
        arguments: ["uncertainFirst", "certainFirst"])
    func changesForCertain(key: String) throws {
        let panel = Panel(Relay(Meter()))
        var calls = 0
        try panel.observe(key) { _ in calls += 1 }
        panel.meter.n = 1
        expectEqual(calls, 1)
        coalescingChanges { panel.meter.n = 2 }
        expectEqual(calls, 2)
        withoutTracking { panel.meter.n = 30 }
        expectEqual(calls, 3)
    }

    @Test("where an equal value is stored, a key affected by it and by what is computed of it changes if that does")
    func equalValueIsStored() throws {
        let (club, root) = (Club(), Club())
        root.next = club
        var log: [String] = []
        club.$first.observe { _ in log.append("first") }
        try club.observe("label", options: .new) { log.append("label \($0.newValue!)") }
        try root.observe("next.label", options: .new) { log.append("path \($0.newValue!)") }
        club.$rows.update(to: [Row(id: 1, name: "B")])
        expectEqual(log, ["first", "label <B>", "path <B>"])
        log = []
        // Nothing is computed of what differs.
        club.$rows.update(to: [Row(id: 1, name: "B")])
        expectEqual(log, [])
    }

    @Test("a key affected by keys of other objects is told behind the last of them") func order() throws {
        let panel = Panel(Relay(Meter()))
        var log: [String] = []
        try panel.relay.observe("m") { _ in log.append("m") }
        try panel.observe("late") { _ in log.append("late") }
        try panel.observe("behindLate") { _ in log.append("behindLate") }
        panel.meter.n = 1
        expectEqual(log, ["m", "late", "behindLate"])
    }

    @Test("a key affected by derived values of other objects is told behind the last of them") func orderBehindValues()
        throws
    {
        let panel = Panel(Relay(Meter()))
        var log: [String] = []
        panel.meter.$tens.observe { _ in log.append("tens") }
        panel.relay.$total.observe { _ in log.append("total") }
        try panel.observe("behindValues") { _ in log.append("behind") }
        panel.meter.n = 10
        expectEqual(log, ["tens", "total", "behind"])
    }

    @Test("a derived value that reads a key behind paths is told behind it") func readsAKeyBehindPaths() throws {
        let panel = Panel(Relay(Meter()))
        let reader = Reader(panel)
        var log: [String] = []
        reader.$value.observe { _ in log.append("value") }
        try panel.observe("late") { _ in log.append("late") }
        try panel.relay.observe("m") { _ in log.append("m") }
        panel.meter.n = 1
        expectEqual(log, ["m", "late", "value"])
    }

    @Test("values that come to depend on a higher one are told behind it, also keys that are declared late")
    func raised() {
        let (late, other) = (Late(), Late())
        late.next = other
        var log: [String] = []
        late.$first.observe { _ in log.append("first") }
        late.$middle.observe { _ in log.append("middle") }
        other.$last.observe { _ in log.append("last") }
        coalescingChanges { (late.isLinked, other.v1) = (true, 5) }
        expectEqual(log, ["last", "middle", "first"])
        log = []
        other.v1 = 6
        expectEqual(log, ["last", "middle", "first"])
    }

    @Test("a key that is led to a higher one by the same change is told behind that") func ledToAHigherOne() throws {
        let (relay, panel) = (Relay(Meter()), Panel(Relay(Meter())))
        var log: [String] = []
        relay.$total.observe { _ in log.append("total") }
        try panel.observe("behindValues") { _ in log.append("behind") }
        coalescingChanges {
            relay.a = 1
            panel.relay = relay
        }
        expectEqual(log, ["total", "behind"])
    }

    @Test("the time to link a chain, or a ring, of keys that depend on each other grows like their number")
    func linking() throws {
        for isRing in [false, true] {
            let ratio = try timeRatio(to: 4_000) { count in
                let meters = (0..<count).map { _ in ChainedMeter() }
                for index in 1..<count { meters[index - 1].next = meters[index] }
                if isRing { meters.last!.next = meters[0] }
                let time = try processorTime { try meters[0].observe("total") { _ in } }
                for meter in meters { meter.next = nil }
                return time
            }
            #expect(ratio < 9)
        }
    }

    @Test("keys of one another in a dense graph are linked in no time, though they depend on each other in circles")
    func circles() throws {
        let people = (0..<30).map { _ in Partner() }
        for person in people { person.friends = people }
        let time = try processorTime { try people[0].observe("shared") { _ in } }
        #expect(time < 20)
        for person in people { person.friends = [] }
    }

    @Test(
        "a value that reads a stored key which others affect, and a key in the first slot, are told behind what they depend on"
    )
    func storedAndFirst() throws {
        let (relay, reader) = (StoredRelay(), StoredReader())
        (relay.meter, reader.relay) = (Meter(), relay)
        var log: [String] = []
        relay.$x.observe { _ in log.append("x") }
        reader.$value.observe { _ in log.append("value") }
        coalescingChanges { (relay.meter!.n, relay.x) = (1, 5) }
        expectEqual(log, ["x", "value"])
        let (a, b, c) = (FirstSlot(), FirstSlot(), FirstSlot())
        (b.left, a.left, a.right) = (c, c, b)
        log = []
        try a.observe("total") { _ in log.append("a") }
        try b.observe("total") { _ in log.append("b") }
        c.total = 1
        expectEqual(log, ["b", "a"])
    }
}
