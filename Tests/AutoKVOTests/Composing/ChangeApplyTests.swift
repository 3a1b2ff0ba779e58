import AutoKVO
import AutoKVOTestSupport
import Foundation
import Testing

/// Makes an edit of the arrays and sets of a crate.
private func edit(_ crate: Crate, _ random: inout SplitMix64) {
    func number(_ below: Int) -> Int { Int(random.next() % UInt64(max(below, 1))) }
    let (items, tags) = (crate.$items, crate.$tags)
    let value = number(10)
    switch number(18) {
    case 0, 1: items.append(value)
    case 2: items.insert(contentsOf: [value, 1, 2], at: number(items.count + 1))
    case 3: items.removeAll { $0 % 3 == value % 3 }
    case 4: items.sort()
    case 5: crate.items = [value, 3, 1, value]
    case 6: if items.count > 1 { items.swapAt(0, items.count - 1) }
    case 7: items.replaceSubrange(min(1, items.count)..., with: [value, 7, value])
    case 8: items.edit { if $0.count > 6 { $0.removeSubrange(2...) } else { $0 += [value, 0] } }
    case 9: items.update(to: items.value.filter { $0 != value } + [value, 5])
    case 10: items.reverse()
    case 11: crate.items.append(value)
    case 12: tags.insert("\(value)")
    case 13: tags.formSymmetricDifference(["\(value)", "1", "2"])
    case 14: crate.tags = ["\(value)"]
    case 15: tags.update(to: ["\(value)", "3"])
    case 16: tags.subtract(["1", "3", "\(value)"])
    default: tags.value = ["\(value)", "9"]
    }
}

private final class OpenDoubt: TrackedObject {
    @Observed var payload: Any? = NSNull()
    override class var schema: Schema {
        Schema(OpenDoubt.self, extending: super.schema) { Key("payload", \.payload) }
    }
}

private final class Thermometer: TrackedObject {
    @Observed var celsius = -5.0
    override class var schema: Schema {
        Schema(Thermometer.self, extending: super.schema) { Key("celsius", \.celsius) }
    }
}

private final class Doubt: TrackedObject {
    @Observed var answer: Int?? = 5
    override class var schema: Schema { Schema(Doubt.self, extending: super.schema) { Key("answer", \.answer) } }
}

/// What a change does to a copy.
struct ChangeApplyTests {
    @Test("a value that is optional twice is made again, and undone, as it was") func optionalTwice() throws {
        let (doubt, other) = (Doubt(), Doubt())
        let values: [Int??] = [.some(nil), 3, nil, .some(nil), 4]
        var log: [ChangeRecord<Any>] = []
        try doubt.observe("answer", options: [.old, .new]) { log.append(ChangeRecord($0)) }
        for value in values {
            doubt.answer = value
            try log.last!.apply(on: other)
            expectEqual(other.answer, value)
        }
        for value in ([5] + values.dropLast()).reversed() {
            try log.removeLast().revert(on: other)
            expectEqual(other.answer, value)
        }
    }

    @Test("a copy that each change is applied to is the collection; undone from the last to the first it is as it was")
    func walk() throws {
        for seed in 0..<200 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let (crate, options) = (Crate(), [.old, .new] as ObservingOptions)
            crate.items = [3, 1, 2]
            let first = (crate.items, crate.tags)
            var (items, spliced, tags) = (crate.items, crate.items, crate.tags)
            var (anyItems, anyTags) = (crate.items, crate.tags)
            var log: [ChangeRecord<Any>] = []
            crate.$items.observe(options: options) { [unowned crate] change in
                var rest = Array(change.newValue ?? [])
                for splice in change.splices {
                    let coming = rest.prefix(splice.inserted)
                    spliced.replaceSubrange(splice.position..<splice.position + splice.removed, with: coming)
                    rest.removeFirst(splice.inserted)
                }
                for move in change.moves where items[move.from] != crate.items[move.to] { Issue.record("seed \(seed)") }
                change.apply(to: &items)
                if items != crate.items || spliced != items { Issue.record("seed \(seed): \(items) \(spliced)") }
            }
            crate.$tags.observe(options: options) { [unowned crate] change in
                change.apply(to: &tags)
                if tags != crate.tags { Issue.record("seed \(seed): \(tags)") }
            }
            try crate.observe("items", options: options) { change in
                change.apply(to: &anyItems)
                log.append(ChangeRecord(change))
            }
            try crate.observe("tags", options: options) { change in
                change.apply(to: &anyTags)
                log.append(ChangeRecord(change))
            }
            for _ in 0..<40 { edit(crate, &random) }
            #expect(items == crate.items && tags == crate.tags, "seed \(seed)")
            #expect(anyItems == items && anyTags == tags, "seed \(seed)")
            for record in log.reversed() { try record.revert(on: crate) }
            #expect(crate.items == first.0 && crate.tags == first.1, "seed \(seed)")
            #expect(items == crate.items && tags == crate.tags, "seed \(seed)")
        }
    }

    @Test("an object on which each change is made by name is as the one that was observed, through JSON too")
    func madeOnAnother() throws {
        for seed in 0..<100 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            let (crate, other) = (Crate(), Crate())
            crate.items = [3, 1, 2]
            other.items = crate.items
            try crate.observe("items", as: [Int].self, options: [.old, .new]) { change in
                let data = try! JSONEncoder().encode(ChangeRecord(change))
                try! JSONDecoder().decode(ChangeRecord<[Int]>.self, from: data).apply(on: other)
            }
            try crate.observe("tags", options: [.old, .new]) { try! ChangeRecord($0).apply(on: other) }
            for _ in 0..<40 {
                edit(crate, &random)
                #expect(crate.items == other.items && crate.tags == other.tags, "seed \(seed)")
            }
        }
    }

    @Test("a change that cannot be made on an object is refused, and leaves it as it was") func refusedOnAnother()
        throws
    {
        let (crate, other) = (Crate(), Crate())
        crate.items = [1, 2, 3]
        var records: [ChangeRecord<Any>] = []
        try crate.observe("items", options: [.old, .new, .prior]) { records.append(ChangeRecord($0)) }
        try crate.observe("items", options: []) { records.append(ChangeRecord($0)) }
        crate.$items.remove(at: 2)
        crate.items = [4]
        other.items = [9]
        // The removal and the set without its value are refused, and so are prior calls. The set with its value is made last.
        let refused = records.filter { $0.isPrior || $0.kind == .removal || $0.newValue == nil }
        #expect(refused.count == 5 && records.count == 6)
        for record in refused {
            #expect(throws: KeyValueError.self) { try record.apply(on: other) }
            expectEqual(other.items, [9])
        }
        for record in records where !record.isPrior && record.kind == .setting && record.newValue != nil {
            try record.apply(on: other)
        }
        expectEqual(other.items, [4])
    }

    @Test("a set that has an element already gets it once; one that lacks it loses nothing") func setsThatDiffer()
        throws
    {
        let (crate, other) = (Crate(), Crate())
        other.tags = ["b"]
        crate.tags = ["a"]
        var records: [ChangeRecord<Any>] = []
        try crate.observe("tags", options: [.old, .new]) { records.append(ChangeRecord($0)) }
        crate.$tags.insert("b")
        crate.$tags.remove("a")
        for record in records { try record.apply(on: other) }
        expectEqual(other.tags, ["b"])
        for record in records.reversed() { try record.revert(on: other) }
        expectEqual(other.tags, ["a"])
    }

    @Test("a copy is empty when the path leads nowhere any more") func gone() throws {
        let crate = Crate()
        crate.inner = Crate()
        (crate.inner!.tags, crate.inner!.items) = (["a"], [1])
        var (tags, items) = (Set<String>(), [Int]())
        let options: ObservingOptions = [.initial, .old, .new]
        crate.$inner.$tags.observe(options: options) { $0.apply(to: &tags) }
        crate.$inner.$items.observe(options: options) { $0.apply(to: &items) }
        #expect(tags == ["a"] && items == [1])
        crate.inner = nil
        #expect(tags.isEmpty && items.isEmpty)
        crate.inner = Crate()
        crate.inner!.$tags.insert("b")
        expectEqual(tags, ["b"])
    }

    @Test("so is one to which the records are applied behind JSON") func goneThroughJSON() throws {
        let crate = Crate()
        crate.inner = Crate()
        crate.inner!.items = [1]
        var items: [Int] = []
        crate.$inner.$items.observe(options: [.initial, .old, .new]) { change in
            let data = try! JSONEncoder().encode(ChangeRecord(change))
            try! JSONDecoder().decode(ChangeRecord<[Int]>.self, from: data).apply(validating: &items)
        }
        expectEqual(items, [1])
        crate.inner = nil
        expectEqual(items, [])
    }

    @Test("the call made at the registration fills a copy") func initial() {
        let crate = Crate()
        crate.items = [1, 2]
        var rows: [Int] = []
        var splices: [CollectionSplice] = []
        crate.$items.observe(options: [.initial, .old, .new]) { change in
            splices += change.splices
            change.apply(to: &rows)
        }
        expectEqual(rows, [1, 2])
        expectEqual(splices.map { [$0.position, $0.removed, $0.inserted] }, [[0, 0, 2]])
    }

    @Test("splices of a removal hold one after the other") func splices() {
        let crate = Crate()
        crate.items = [0, 1, 2, 3, 4, 5]
        var splices: [[Int]] = []
        crate.$items.observe(options: [.old, .new]) {
            splices += $0.splices.map { [$0.position, $0.removed, $0.inserted] }
        }
        crate.$items.removeAll { [1, 2, 4].contains($0) }
        expectEqual(splices, [[4, 1, 0], [1, 2, 0]])
        splices = []
        crate.items = [7]
        expectEqual(splices, [[0, 3, 1]])
    }

    @Test("what was sorted, swapped and reversed moved; what was replaced did not") func moves() {
        let crate = Crate()
        crate.items = [3, 1, 2]
        var moves: [[Int]] = []
        crate.$items.observe(options: [.old, .new]) { moves = $0.moves.map { [$0.from, $0.to] } }
        crate.$items.sort()
        expectEqual(moves, [[1, 0], [2, 1], [0, 2]])
        crate.$items.swapAt(0, 2)
        expectEqual(moves, [[2, 0], [0, 2]])
        crate.$items[1] = 9
        expectEqual(moves, [])
        crate.$items.append(1)
        expectEqual(moves, [])
        let (a, b) = (Person(), Person())
        crate.people = [a, b]
        crate.$people.observe(options: [.old, .new]) { moves = $0.moves.map { [$0.from, $0.to] } }
        crate.$people.reverse()
        expectEqual(moves, [[1, 0], [0, 1]])
    }

    @Test("a change without what it needs cannot be applied") func missing() async {
        await #expect(processExitsWith: .failure) {
            let crate = Crate()
            var rows: [Int] = []
            crate.$items.observe { $0.apply(to: &rows) }
            crate.$items.append(1)
        }
        await #expect(processExitsWith: .failure) {
            let crate = Crate()
            var rows: [Int] = []
            crate.$items.observe(options: [.new, .prior]) { $0.apply(to: &rows) }
            crate.$items.append(1)
        }
        await #expect(processExitsWith: .failure) {
            let crate = Crate()
            var rows = [1, 2, 3]
            crate.items = [1]
            crate.$items.observe(options: [.old, .new]) { $0.apply(to: &rows) }
            crate.$items[0] = 2
            rows = []
            crate.$items[0] = 3
        }
    }

    @Test("undoing throws without the old value, and what setValue throws") func revertErrors() throws {
        let crate = Crate()
        var log: [ChangeRecord<Int>] = []
        crate.$number.observe { log.append(ChangeRecord($0)) }
        crate.$still.observe(options: .old) { log.append(ChangeRecord($0)) }
        crate.number = 1
        #expect(throws: KeyValueError.self) { try log[0].revert(on: crate) }
        crate.still = 1
        try log[1].revert(on: crate)
        expectEqual(crate.still, 0)
        #expect(throws: KeyValueError.self) { try log[1].revert(on: Person()) }
    }

    @Test("a record is coded with nil apart from what is missing, and what is no record is refused") func codable()
        throws
    {
        let crate = Crate()
        crate.maybe = ["a"]
        var records: [ChangeRecord<[String]?>] = []
        crate.$maybe.observe(options: [.old, .new]) { records.append(ChangeRecord($0)) }
        crate.maybe = nil
        try crate.mutableArrayValue(forKey: "maybe").append("b")
        let data = try JSONEncoder().encode(records)
        let decoded = try JSONDecoder().decode([ChangeRecord<[String]?>].self, from: data)
        expectEqual(decoded[0].newValue, .some(nil))
        #expect(decoded[1].oldValue == nil)
        #expect(decoded[1].kind == .insertion && decoded[1].indexes == RangeSet(0..<1))
        for record in decoded.reversed() { try record.revert(on: crate) }
        expectEqual(crate.maybe, ["a"])
        let text = #"{"keyPath":"a","kind":2,"indexes":[[-1,2]],"isPrior":false,"isFirst":false}"#
        for wrong in [text, text.replacingOccurrences(of: #""kind":2"#, with: #""kind":9"#)] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(ChangeRecord<Int>.self, from: Data(wrong.utf8))
            }
        }
    }

    @Test("an NSNull comes back as what it was") func null() throws {
        let (doubt, copy) = (OpenDoubt(), OpenDoubt())
        var log: [ChangeRecord<Any>] = []
        try doubt.observe("payload", options: [.old, .new]) { log.append(ChangeRecord($0)) }
        doubt.payload = 5
        try log[0].revert(on: doubt)
        #expect(doubt.payload is NSNull)
        (doubt.payload, copy.payload) = (nil, 5)
        doubt.payload = NSNull()
        try log.last!.apply(on: copy)
        #expect(copy.payload is NSNull)
    }

    @Test("what a closure or a key path computes can neither be undone nor made elsewhere", arguments: [true, false])
    func computed(isDecoded: Bool) throws {
        let (thermo, copy) = (Thermometer(), Thermometer())
        var records: [ChangeRecord<Double>] = []
        thermo.observe(\.celsius.magnitude, options: [.old, .new]) { records.append(ChangeRecord($1)) }
        thermo.observe(reading: { $0.celsius * 2 }, options: [.old, .new]) { records.append(ChangeRecord($1)) }
        thermo.celsius = -7
        expectEqual(records.map(\.newValue), [7, -14])
        for record in records {
            let coded = try JSONEncoder().encode(record)
            let made = isDecoded ? try JSONDecoder().decode(ChangeRecord<Double>.self, from: coded) : record
            for act in [made.apply(on:), made.revert(on:)] {
                let error = #expect(throws: KeyValueError.self) { try act(copy) }
                #expect(error.map { "\($0)".contains("computes cannot be set") } ?? false)
            }
        }
        expectEqual(copy.celsius, -5)
    }
}

/// Assigning by differences.
struct UpdateTests {
    @Test("removals and insertions, each with indexes") func array() {
        let crate = Crate()
        crate.items = [1, 2, 3, 4]
        let recorder = Recorder<[Int]>()
        crate.$items.observe(options: [.old, .new]) { recorder.record($0) }
        crate.$items.update(to: [1, 3, 4, 5])
        crate.$items.update(to: [1, 3, 4, 5])
        crate.$items.update(to: [1, 9, 4, 5])
        expectEqual(
            recorder.lines,
            [
                "removal 1..<2 [2] > …", "insertion 3..<4 … > [5]", "removal 1..<2 [3] > …", "insertion 1..<2 … > [9]",
            ])
        expectEqual(crate.items, [1, 9, 4, 5])
    }

    @Test("an element that has another place leaves and comes again, and no other does") func moved() {
        let crate = Crate()
        crate.items = [1, 2, 3, 4, 5]
        let recorder = Recorder<[Int]>()
        crate.$items.observe(options: [.old, .new]) { recorder.record($0) }
        crate.$items.update(to: [4, 1, 2, 3, 5])
        expectEqual(recorder.lines, ["removal 3..<4 [4] > …", "insertion 0..<1 … > [4]"])
    }

    @Test("objects are compared by identity, and sets by what left and came") func objectsAndSets() {
        let crate = Crate()
        let (a, b, c) = (Person(), Person(), Person())
        (crate.people, crate.tags) = ([a, b], ["x"])
        var kinds: [ChangeKind] = []
        crate.$people.observe(options: [.old, .new]) { kinds.append($0.kind) }
        crate.$tags.observe(options: [.old, .new]) { kinds.append($0.kind) }
        crate.$people.update(to: [a, b, c])
        crate.$people.update(to: [b, c])
        crate.$tags.update(to: ["x", "y"])
        crate.$tags.update(to: ["x", "y"])
        crate.$tags.update(to: ["x"])
        expectEqual(kinds, [.insertion, .removal, .insertion, .removal])
        expectEqual(crate.people.map(ObjectIdentifier.init), [b, c].map(ObjectIdentifier.init))
    }
}

/// Which elements an update takes for the same, in arrays of all kinds of elements.
struct UpdatedElementTests {
    private struct Plain: Equatable { var name = "" }
    private struct Incomparable { var name = "" }
    private final class Equal: TrackedObject, Equatable {
        static func == (a: Equal, b: Equal) -> Bool { true }
    }
    private final class List<Element>: TrackedObject { @Observed var elements: [Element] = [] }

    /// Which elements of three left and came when they were set to three others.
    private func update<Element>(_ old: [Element], to new: [Element]) -> [Range<Int>] {
        let list = List<Element>()
        list.elements = old
        var told: [Range<Int>] = []
        list.$elements.observe { told += Array($0.indexes!.ranges) }
        list.$elements.update(to: new)
        return told
    }

    /// Updates three elements to equal ones with another one in the middle.
    private func expectMiddle<Element>(
        _ old: [Element], _ equal: [Element], _ other: Element, _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(update(old, to: equal) == [], sourceLocation: location)
        let told = update(old, to: [equal[0], other, equal[2]])
        #expect(told == [1..<2, 1..<2], sourceLocation: location)
    }

    @Test("values that are equal, nil and nil among them, and numbers that are none") func equal() {
        expectMiddle([1, 2, 3], [1, 2, 3], 4)
        expectMiddle(["e\u{301}", "b", "c"], ["\u{e9}", "b", "c"], "d")
        expectMiddle([.nan, 0, 1], [Double.nan, -0.0, 1], 2)
        expectEqual(update([0, .nan, 0], to: [1, .nan, 2]), [0..<1, 2..<3, 0..<1, 2..<3])
        expectMiddle([nil, 2, nil], [nil, 2, nil] as [Int?], nil)
        expectMiddle([nil, .some(nil), 3], [nil, .some(nil), 3] as [Int??], 4)
        expectMiddle([Plain(), Plain(name: "a"), Plain()], [Plain(), Plain(name: "a"), Plain()], Plain(name: "b"))
        expectMiddle([1, "a", 2.5], [1, "a", 2.5] as [Any], 1)
        expectMiddle([1, 1, 2.5], [1, 1.0, 2.5] as [AnyHashable], "1")
        expectMiddle([[1], [2], []], [[1], [2], []], [3])
    }

    @Test("an object only itself, whatever it equals, also behind an optional or a protocol") func objects() {
        let (a, b, c, d) = (Equal(), Equal(), Equal(), Equal())
        expectMiddle([a, b, c], [a, b, c], d)
        expectMiddle([a, b, nil], [a, b, nil], d)
        expectMiddle([a, b, 1], [a, b, 1] as [Any], d)
        expectMiddle([a, b, c], [a, b, c] as [TrackedObject], d)
    }

    @Test(
        "an edit that changes places tells of those that have another element, however many they are",
        arguments: [5, 5000])
    func places(count: Int) {
        let list = List<Int>()
        list.elements = Array(0..<count)
        var (kinds, places) = ([ChangeKind](), [RangeSet<Int>]())
        list.$elements.observe { change in
            kinds.append(change.kind)
            places.append(change.indexes!)
        }
        list.$elements.edit { $0.swapAt(1, 3) }
        list.$elements.edit { ($0[0], $0[count - 1]) = (-1, -2) }
        list.$elements.edit {
            $0.remove(at: 3)
            $0.remove(at: 1)
        }
        #expect(kinds == [.replacement, .replacement, .removal])
        #expect(places[..<2] == [RangeSet([1..<2, 3..<4]), RangeSet([0..<1, count - 1..<count])])
        #expect(places[2] == RangeSet([1..<2, 3..<4]))
    }

    @Test("values that cannot be compared are never the same") func incomparable() {
        let values = [Incomparable(), Incomparable(), Incomparable()]
        expectEqual(update(values, to: values), [0..<3, 0..<3])
    }

    private final class Paper: TrackedObject { @Observed var rows: [String] = [] }
    private final class Reader: TrackedObject { @ObservedWeak var paper: Paper? }

    @Test(
        "a change whose old value is lost with an object is no step: the whole list is read again",
        .needs(.blankObject),
        arguments: [false, true])
    func lostOldValue(isScheduled: Bool) {
        let (reader, other) = (Reader(), Paper())
        var rows: [String] = []
        var paper: Paper? = Paper()
        paper!.rows = ["a", "b"]
        reader.paper = paper
        var records: [ChangeRecord<[String]>] = []
        let handler = { (change: Change<[String]>) in
            let record = ChangeRecord(change)
            records.append(record)
            if change.splices.isEmpty { rows = change.newValue ?? [] }
            for step in change.splices {
                rows.replaceSubrange(
                    step.position..<step.position + step.removed, with: (change.newValue ?? []).prefix(step.inserted))
            }
        }
        if isScheduled {
            nonisolated(unsafe) let handler = handler
            reader.$paper.$rows.observe(options: [.initial, .old, .new], on: InlineScheduler()) { handler($0) }
        } else {
            reader.$paper.$rows.observe(options: [.initial, .old, .new], handler)
        }
        expectEqual(rows, ["a", "b"])
        other.rows = ["x"]
        coalescingChanges {
            paper = nil
            reader.paper = other
        }
        expectEqual(rows, ["x"])
        reader.paper = nil
        expectEqual(rows, [])
        reader.paper = other
        expectEqual(rows, ["x"])
        expectEqual(records.map(\.splices.count), [1, 0, 1, 1])
    }
}
