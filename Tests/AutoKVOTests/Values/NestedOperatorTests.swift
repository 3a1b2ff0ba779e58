import AutoKVO
import AutoKVOTestSupport
import Testing

/// Operators inside operators, and over nested collections.
struct NestedOperatorTests {
    private let tray = Tray()
    private let tracker = LifetimeTracker()
    private let recorder = Recorder<Any>()

    private func chips(_ amounts: some Sequence<Int>) -> [Chip] { amounts.map { tracker.track(Chip($0)) } }

    private func value<T>(_ path: String, as type: T.Type) throws -> T? { try tray.value(forKeyPath: path) as? T }

    @Test("unions over arrays of arrays and sets of sets keep repeated values, distinct unions do not") func unions()
        throws
    {
        let (five, ten) = (chips(0..<5), chips(0..<10))
        tray.items = five + chips(0..<10)
        try expectEqual(value("items.@unionOfObjects.amount", as: [Int].self)?.count, 15)
        try expectEqual(value("items.@distinctUnionOfObjects.amount", as: [Int].self)?.count, 10)
        tray.rows = [ten, five, chips(0..<10)]
        try expectEqual(value("rows.@unionOfArrays.amount", as: [Int].self)?.count, 25)
        try expectEqual(value("rows.@distinctUnionOfArrays.amount", as: [Int].self), Array(0..<10))
        tray.bags = [Set(ten), Set(five), Set(chips(0..<10))]
        try expectEqual(value("bags.@distinctUnionOfSets.amount", as: Set<Int>.self), Set(0..<10))
        tray.bagRow = [Set(five), Set(ten)]
        try expectEqual(value("bagRow.@distinctUnionOfSets.amount", as: Set<Int>.self), Set(0..<10))
        try expectEqual(
            value("bagRow.@unionOfArrays.amount", as: [Int].self)?.sorted(), (Array(0..<5) + Array(0..<10)).sorted())
        try expectEqual(value("rows.@unionOfArrays", as: [Chip].self)?.count, 25)
        try expectEqual(value("bags.@distinctUnionOfSets", as: Set<Chip>.self)?.count, 25)
        tray.table = ["a": five, "b": five]
        try expectEqual(value("table.@distinctUnionOfArrays.amount", as: [Int].self)?.sorted(), Array(0..<5))
        try expectEqual(value("rows.@unionOfObjects.amount", as: [[Int]].self)?.map(\.count), [10, 5, 10])
        tray.cubes = [[five, five], [ten]]
        try expectEqual(value("cubes.@unionOfArrays.@unionOfArrays.amount", as: [Int].self)?.count, 20)
        try expectEqual(value("cubes.@unionOfArrays.amount", as: [[Int]].self)?.map(\.count), [5, 5, 10])
    }

    @Test(
        "over leaves that are all nil: count 10, average 0, sum 0, no maximum, no minimum; @count ignores its right side"
    )
    func nilLeaves() throws {
        tray.items = chips(0..<10)
        try expectEqual(value("items.@count.price", as: Int.self), 10)
        try expectEqual(value("items.@count.no.such.key", as: Int.self), 10)
        try expectEqual(value("items.@count.@nothing", as: Int.self), 10)
        try expectEqual(value("items.@avg.price", as: Double.self), 0)
        try expectEqual(value("items.@sum.price", as: Int.self), 0)
        #expect(try tray.value(forKeyPath: "items.@max.price") == nil)
        #expect(try tray.value(forKeyPath: "items.@min.price") == nil)
        try tray.observe("items.@count.price", options: [.new], recorder.handler())
        tray.items[0].price = 3
        expectEqual(recorder.count, 0)
        tray.$items.append(Chip(1))
        expectEqual(recorder.news(Int.self), [11])
    }

    @Test("the sum of averages, the sum of counts, an operator behind a property; a key is never an operator")
    func nesting() throws {
        tray.rows = [chips([3, 5]), chips([6, 10])]
        try expectEqual(value("rows.@sum.@avg.amount", as: Double.self), 12)
        try expectEqual(value("rows.@sum.@count", as: Int.self), 4)
        try expectEqual(value("rows.@max.@sum.amount", as: Int.self), 16)
        try expectEqual(value("rows.@avg.@count.amount", as: Double.self), 2)
        tray.tray = Tray()
        tray.tray!.items = chips([1, 2])
        try expectEqual(value("tray.items.@sum.amount", as: Int.self), 3)
        tray.trays = [tray.tray!, Tray()]
        try expectEqual(value("trays.@sum.items.@count", as: Int.self), 2)
        tray.trays[1].rows = [chips([7])]
        try expectEqual(value("trays.@max.rows.@sum.@avg.amount", as: Double.self), 7)
        tray.numbers = [[1, 2], [3]]
        try expectEqual(value("numbers.@max.@sum", as: Int.self), 3)
        try expectEqual(value("numbers.@sum.@avg.self", as: Double.self), 4.5)
        tray.anything = [chips([4]), chips([5, 6])]
        try expectEqual(value("anything.@sum.@count", as: Int.self), 3)
        try expectEqual(value("anything.@sum.@sum.amount", as: Int.self), 15)
        expectEqual(reason { _ = try tray.value(forKey: "@count") }, .unknownKey(nearest: nil))
        expectEqual(reason { _ = try tray.value(forKeyPath: "@count") }, .unsupportedOperator)
        tray.trays = []
    }

    @Test("what is nil on any level counts as nothing") func nilLevels() throws {
        try expectEqual(value("holes.@sum.@count", as: Int.self), 0)
        tray.holes = [nil, [nil, Chip(4)], []]
        try expectEqual(value("holes.@sum.@count", as: Int.self), 2)
        try expectEqual(value("holes.@sum.@sum.amount", as: Int.self), 4)
        try expectEqual(value("holes.@unionOfArrays.amount", as: [Int].self), [4])
    }

    @Test(
        "an observed operator over nested collections follows the objects in them",
        arguments: ["rows.@sum.@sum.amount", "rows.@unionOfArrays.amount", "rows.@max.@avg.amount"])
    func observed(path: String) throws {
        let all = chips([1, 2, 3])
        tray.rows = [[all[0], all[1]], [all[2], all[0]]]
        let observation = try tray.observe(path, options: [.old, .new], recorder.handler())
        all[1].amount = 20
        all[2].amount = 30
        all[0].amount = 10
        expectEqual(recorder.count, 3)
        let extra = tracker.track(Chip(5))
        tray.rows[1][0] = extra
        all[2].amount = 0
        expectEqual(recorder.count, 4)
        extra.amount = 6
        tray.$rows.remove(at: 0)
        all[1].amount = 0
        expectEqual(recorder.count, 6)
        all[0].amount = 11
        expectEqual(recorder.count, 7)
        if path == "rows.@sum.@sum.amount" {
            expectEqual(recorder.news(Int.self), [25, 52, 70, 45, 46, 16, 17])
            expectEqual(recorder.olds(Int.self), [7, 25, 52, 70, 45, 46, 16])
        }
        observation.remove()
        for chip in all + [extra] { chip.amount = -1 }
        expectEqual(recorder.count, 7)
    }

    @Test("sets of sets, deeper arrays, dictionaries of arrays and values of any type are followed too")
    func observedShapes() throws {
        let (a, b, c, d, e) = (Chip(1), Chip(2), Chip(3), Chip(4), Chip(5))
        tray.bags = [[a]]
        tray.cubes = [[[b]]]
        tray.table = ["x": [c]]
        tray.anything = [[d, 7] as [Any]]
        tray.holes = [nil, [nil, e]]
        for path in [
            "bags.@distinctUnionOfSets.amount", "cubes.@sum.@sum.@sum.amount", "table.@sum.@max.amount",
            "anything.@unionOfArrays.amount", "holes.@sum.@sum.amount",
        ] {
            try tray.observe(path, options: [.new], recorder.handler())
        }
        for chip in [a, b, c, d, e] { chip.amount += 10 }
        expectEqual(
            recorder.paths,
            [
                "bags.@distinctUnionOfSets.amount", "cubes.@sum.@sum.@sum.amount", "table.@sum.@max.amount",
                "anything.@unionOfArrays.amount", "holes.@sum.@sum.amount",
            ])
        expectEqual(recorder.entries[0].new as? Set<Int>, [11])
        expectEqual(recorder.entries[1].new as? Int, 12)
        expectEqual(recorder.entries[2].new as? Int, 13)
        tray.bags = []
        tray.cubes[0][0] = []
        for chip in [a, b] { chip.amount = 0 }
        expectEqual(recorder.count, 7)
    }

    @Test("operators behind collections of objects with collections of collections are followed on every level")
    func observedLevels()
        throws
    {
        let (inner, chip) = (Tray(), Chip(1))
        tray.trays = [inner]
        try tray.observe("trays.@sum.rows.@sum.@sum.amount", options: [.new], recorder.handler())
        inner.rows = [[chip]]
        chip.amount = 2
        inner.rows[0].append(chip)
        tray.trays = []
        chip.amount = 3
        expectEqual(recorder.news(Int.self), [1, 2, 4, 0])
    }

    @Test("objects of nested collections are not kept alive") func notKept() throws {
        try tray.observe("rows.@sum.@sum.amount", options: [.old, .new], recorder.handler())
        tray.rows = [chips([1, 2]), chips([3])]
        recorder.clear()
        tray.rows = []
        recorder.clear()
        tracker.expectNoLeaks()
    }

    @Test(
        "a registration throws as the reading does if the values can never serve the operator",
        arguments: [
            "items.@sum.label", "items.@avg.label", "items.@sum", "items.@max", "items.@unionOfArrays.amount",
            "items.@distinctUnionOfSets.label", "rows.@sum.amount", "rows.@max.amount", "rows.@sum",
            "rows.@sum.@unionOfObjects.amount",
            "rows.@unionOfArrays.@sum.amount", "rows.@sum.@sum.label", "items.@sum.@count", "cubes.@sum.@sum.amount",
            "lamp.level", "lamp.@count", "lamps.@sum.level", "lamps.@sum", "numbers.@sum.x", "tray.@count",
            "tray.lamp.level",
            "rows.@avg.amonut", "rows.@sum.@avg.amonut", "some.@sum.x.@nope",
        ])
    func refused(path: String) {
        tray.items = [Chip(1)]
        tray.rows = [[Chip(1)]]
        tray.cubes = [[[Chip(1)]]]
        tray.numbers = [[1]]
        tray.lamp = PlainLamp()
        tray.lamps = [PlainLamp()]
        tray.tray = Tray()
        tray.tray!.lamp = PlainLamp()
        #expect(throws: KeyValueError.self) { try tray.value(forKeyPath: path) }
        #expect(throws: KeyValueError.self) { try tray.observe(path) { _ in } }
        #expect(throws: KeyValueError.self) { try tray.bind("anything", to: path, of: Tray()) }
        #expect(tray.observations().isEmpty)
    }

    @Test(
        "what the static types leave open is allowed",
        arguments: [
            "object.level", "shining.level", "anything.level", "anything.@sum.@max.level", "mixed.@sum",
            "mixed.@sum.amount",
            "mixed.@max.@avg.amount", "hashed.@sum.amount", "hashed.@count", "some.@sum", "items.@max.label",
            "items.@sum.price",
            "rows.@unionOfObjects.label", "mixed.@unionOfArrays.label",
        ])
    func allowed(path: String) throws {
        try tray.observe(path) { _ in }.remove()
    }

    @Test("a registration as a type throws if what the operator makes can never be of it") func types() throws {
        func refuses<T>(_ path: String, _ type: T.Type) -> Bool {
            reason { try tray.observe(path, as: type) { _ in }.remove() } != nil
        }
        #expect(refuses("items.@count", String.self) && refuses("items.@avg.amount", Int.self))
        #expect(refuses("items.@max.label", Int.self) && refuses("rows.@unionOfArrays.amount", [String].self))
        #expect(!refuses("items.@sum.amount", Int.self) && !refuses("items.@sum.amount", Double.self))
        #expect(!refuses("rows.@max.@sum.amount", Int.self) && !refuses("items.@avg.price", Double.self))
        #expect(!refuses("bags.@distinctUnionOfSets.amount", Set<Int>.self))
        var union: [Int]?
        try tray.observe("rows.@unionOfArrays.amount", as: [Int].self, options: [.new]) { union = $0.newValue }
        tray.rows = [[Chip(1)], [Chip(2)]]
        expectEqual(union, [1, 2])
    }

    @Test("collections that are nested deeper than operators are throw and do not exhaust the stack") func deepData() {
        var deep: Any = [Chip(1)]
        for _ in 0..<2_000 { deep = [deep] }
        tray.anything = deep
        expectEqual(reason { _ = try tray.value(forKeyPath: "anything.@unionOfObjects.amount") }, .unsupportedOperator)
        expectEqual(reason { _ = try tray.value(forKeyPath: "anything.@sum.amount") }, .unsupportedOperator)
    }

    private final class Silent: TrackedObject {
        var plain = 0
        var silent: Int { plain }
        override class var schema: Schema { Schema(Silent.self, extending: super.schema) { Key("silent", \.silent) } }
    }

    private final class Table: TrackedObject {
        @Observed var nested: [[Silent]] = [[], [Silent()]]
        @Observed var optional: [Silent?] = [nil, Silent()]
        @Observed var any: [Any] = [[Silent()]]
        override class var schema: Schema {
            Schema(Table.self, extending: super.schema) {
                Key("nested", \.nested)
                Key("optional", \.optional)
                Key("any", \.any)
            }
        }
    }

    @Test(
        "a fault of a key of elements shows whatever they are in",
        arguments: ["nested.@unionOfArrays.silent", "optional.@unionOfObjects.silent", "any.@unionOfArrays.silent"])
    func faultOfElements(path: String) throws {
        let table = Table()
        for _ in 0..<2 {
            #expect(throws: KeyValueError.self) { try table.value(forKeyPath: path) }
            #expect(throws: KeyValueError.self) { try table.observe(path) { _ in } }
        }
        #expect(throws: KeyValueError.self) { try [Silent(), Silent()].value(forKeyPath: "silent") }
    }

    @Test("a fault of a key of objects shows behind an operator, too") func faultBehindAnOperator() {
        #expect(throws: KeyValueError.self) { try [Silent()].value(forKeyPath: "@sum.silent") }
        #expect(throws: KeyValueError.self) { try [[Silent()]][0].value(forKeyPath: "@unionOfObjects.silent") }
    }
}
