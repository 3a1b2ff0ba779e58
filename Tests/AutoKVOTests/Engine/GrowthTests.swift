import AutoKVO
import AutoKVOTestSupport
import Testing

/// What many objects cost, of which each has its part in one change.
struct GrowthTests {
    private final class Row: TrackedObject {
        @Observed var v = 0
        @ObservedWeak var parent: Row?
        @Derived({ (row: Row) in (row.parent?.v ?? 0) * 2 }) var double: Int
    }

    private func rows(_ count: Int, of parent: Row, observing path: KeyPath<Row, some PropertyHandle>) -> [Row] {
        (0..<count).map { _ in
            let row = Row()
            row.parent = parent
            row.observe(path) { _, _ in }
            return row
        }
    }

    @Test("weak references to one object: its death", arguments: [false, true]) func death(isDerived: Bool) {
        let ratio = timeRatio(to: size(32_000)) { count in
            var parent: Row? = Row()
            let rows =
                isDerived
                ? rows(count, of: parent!, observing: \.$double) : rows(count, of: parent!, observing: \.$parent)
            let time = processorTime { parent = nil }
            #expect(rows.allSatisfy { $0.parent == nil })
            return time
        }
        #expect(ratio < 9)
    }

    @Test("weak references to one object: the deaths of those that have them") func deathsOfHolders() {
        let ratio = timeRatio(to: size(32_000)) { count in
            let parent = Row()
            var rows = rows(count, of: parent, observing: \.$parent)
            return processorTime { rows.removeAll() }
        }
        #expect(ratio < 9)
    }

    @Test("observations of many targets each: their removal from one that many observe", arguments: [false, true])
    func removal(byObserver: Bool) throws {
        // To make them takes many times as long as to remove them.
        let ratio = try timeRatio(to: size(4_000)) { count in
            let rows = (0..<17).map { _ in Row() }
            let observers = (0..<count).map { _ in PlainObserver() }
            for observer in observers { try rows.addObserver(observer, forKeyPath: "v") { (_: PlainObserver, _) in } }
            return processorTime {
                if byObserver {
                    for observer in observers { observer.stopObserving(of: rows[1]) }
                } else {
                    expectEqual(rows[1].removeAllObservers(), count)
                }
            }
        }
        #expect(ratio < 9)
    }

    @Test("the order of the calls at a death is that in which the properties were set") func order() {
        var parent: Row? = Row()
        var calls: [Int] = []
        let rows = (0..<40).map { _ in Row() }
        for (number, row) in rows.enumerated() { row.$parent.observe { _ in calls.append(number) } }
        for row in rows { row.parent = parent }
        for row in rows[10..<20].reversed() { (row.parent, row.parent) = (nil, parent) }
        withExtendedLifetime(parent) { calls = [] }
        parent = nil
        expectEqual(calls, Array(0..<10) + Array(20..<40) + (10..<20).reversed())
        withExtendedLifetime(rows) {}
    }

    @Test("observers with an initial call, added in the block that has changed the objects") func initialInside() {
        let ratio = timeRatio(to: size(32_000)) { count in
            let rows = (0..<count).map { _ in Row() }
            for row in rows { row.$v.observe { _ in } }
            return processorTime {
                coalescingChanges {
                    for row in rows { row.v = 1 }
                    for row in rows { row.$v.observe(options: [.initial, .new]) { _ in } }
                }
            }
        }
        #expect(ratio < 9)
    }

    @Test("derived values of many objects that one change inside of an open one concerns", arguments: 0..<3)
    func manyConcerned(form: Int) {
        let ratio = timeRatio(to: size(32_000)) { count in
            let parent = Row()
            let rows = rows(count, of: parent, observing: \.$double)
            let other = Row()
            if form == 2 { other.$v.observe(options: .prior) { if $0.isPrior { parent.v = 3 } } }
            let time = processorTime {
                switch form {
                case 0: coalescingChanges { parent.v = 3 }
                case 1: other.$v.withMutation { parent.v = 3 }
                default: other.v = 1
                }
            }
            #expect(rows.allSatisfy { $0.double == 6 })
            other.removeAllObservers()
            return time
        }
        #expect(ratio < 9)
    }

    // In a process of its own: paths that other threads move have an open change look for what was moved to it.
    @Test("many writes inside of a change that concerns many") func manyInside() async {
        await #expect(processExitsWith: .success) {
            let ratio = timeRatio(to: size(16_000)) { count in
                let parent = Row()
                parent.$v.observe { _ in }
                let rows = GrowthTests().rows(count, of: parent, observing: \.$double)
                for row in rows { row.$v.observe { _ in } }
                return processorTime { parent.$v.withMutation { for row in rows { row.v += 1 } } }
            }
            #expect(ratio < 9)
        }
    }

    @Test("observations of what closures read, of one object") func closures() {
        let ratio = timeRatio(to: size(16_000)) { count in
            let row = Row()
            return processorTime {
                let observations = (0..<count).map { _ in row.observe(\.v.magnitude) { _, _ in } }
                for observation in observations { observation.remove() }
            }
        }
        #expect(ratio < 9)
    }

    @Test("handlers that write while many others are still to be called", arguments: 0..<3) func manyPending(form: Int)
        throws
    {
        let ratio = try timeRatio(to: size(32_000)) { count in
            let (parent, other) = (Row(), Row())
            other.$v.observe { _ in }
            let rows = (0..<count).map { _ in Row() }
            for row in rows {
                row.parent = parent
                row.$v.observe { _ in }
                switch form {
                case 0: row.$double.observe { [unowned row] _ in row.v += 1 }
                case 1: try row.observe("parent.v") { _ in other.v += 1 }
                default: row.$parent.observe { _ in other.v += 1 }
                }
            }
            let time = processorTime {
                if form < 2 { parent.v = 3 } else { coalescingChanges { for row in rows { row.parent = nil } } }
            }
            expectEqual(form == 0 ? rows.reduce(0) { $0 + $1.v } : other.v, count)
            for row in rows { row.removeAllObservers() }
            return time
        }
        #expect(ratio < 9)
    }

    /// Each write completes the delivery of what it concerns, out of many that are under way.
    @Test("handlers that write what other observers are still to be told of", arguments: 0..<3)
    func pendingOnes(form: Int) {
        let ratio = timeRatio(to: size(32_000)) { count in
            let parent = Row()
            let rows = (0..<count).map { _ in Row() }
            var (written, isWriting) = (0, false)
            for (number, row) in rows.enumerated() {
                let other = rows[(number * 7919 + 1) % count]
                /// Not inside of another one, which would take stack for each row.
                let write = {
                    if isWriting || other.parent == nil { return }
                    (isWriting, written) = (true, written + 1)
                    other.parent = nil
                    isWriting = false
                }
                row.parent = parent
                switch form {
                case 0: row.$parent.observe { _ in write() }
                case 1: row.$double.observe { _ in write() }
                default: row.$parent.$v.observe { _ in write() }
                }
            }
            let time = processorTime {
                if form > 0 { parent.v = 3 } else { coalescingChanges { for row in rows { row.parent = row } } }
            }
            #expect(written > count / 4)
            for row in rows { row.removeAllObservers() }
            return time
        }
        #expect(ratio < 9)
    }

    @Test("a referent that dies while observers of those that had it are still to be called") func deathInside() {
        let ratio = timeRatio(to: size(16_000)) { count in
            var parent: Row? = Row()
            let rows = (0..<count).map { _ in Row() }
            for row in rows { row.$parent.observe { _ in withExtendedLifetime(parent.take()) {} } }
            let time = processorTime { coalescingChanges { for row in rows { row.parent = parent } } }
            #expect(parent == nil && rows.allSatisfy { $0.parent == nil })
            for row in rows { row.removeAllObservers() }
            return time
        }
        #expect(ratio < 9)
    }

    @Test("traced objects that change together") func traces() {
        let ratio = timeRatio(to: size(32_000)) { count in
            let rows = (0..<count).map { _ in Row() }
            let calls = Counter()
            let traces = rows.map { Diagnostics.trace($0) { _ in calls.add() } }
            let time = processorTime { coalescingChanges { for row in rows { row.v = 1 } } }
            expectEqual(calls.count, count)
            return withExtendedLifetime(traces) { time }
        }
        #expect(ratio < 9)
    }

    @Test(
        "observers with .once and .prior of one key, and of derived values and paths that one change concerns",
        arguments: 0..<3)
    func claims(form: Int) {
        let ratio = timeRatio(to: size(32_000)) { count in
            let row = Row()
            let calls = Counter()
            let others = (0..<count).map { _ in Row() }
            for other in others {
                other.parent = row
                switch form {
                case 0: row.$v.observe(options: [.once, .prior]) { _ in calls.add() }
                case 1: other.$double.observe(options: [.once, .prior]) { _ in calls.add() }
                default: other.$parent.$v.observe(options: [.once, .prior]) { _ in calls.add() }
                }
            }
            let time = processorTime { row.v = 1 }
            expectEqual(calls.count, 2 * count)
            return withExtendedLifetime(others) { time }
        }
        #expect(ratio < 9)
    }

    @Test(
        "targets of one observation that are removed one by one, from either end", arguments: 0..<3,
        [[], .unregisterManually] as [ObservingOptions])
    func targets(form: Int, options: ObservingOptions) throws {
        let ratio = try timeRatio(to: size(32_000)) { count in
            let (observer, rows) = (Row(), (0..<count).map { _ in Row() })
            let observation = try rows.addObserver(observer, forKeyPath: "v", options: options) { (_: Row, _) in }
            let time = processorTime {
                switch form {
                case 0: for row in rows { row.removeAllObservers() }
                case 1: for row in rows.reversed() { row.removeObserver(observer) }
                default: for row in rows { observer.stopObserving("v", of: row) }
                }
            }
            #expect(!observation.isValid && observer.observations().isEmpty)
            return time
        }
        #expect(ratio < 9)
    }

    @Test("objects that are twice in an observed collection") func twice() throws {
        let ratio = try timeRatio(to: size(8_000)) { count in
            let rows = (0..<count).map { _ in Row() }
            return try processorTime {
                expectEqual(try (rows + rows).observe("v") { _ in }.targets.count, count)
                (rows + rows).map(\.$v).observe { _ in }
            }
        }
        #expect(ratio < 9)
    }

    private final class Shown: Model {
        @Observed var text = 0
        var title: Int {
            get { text }
            set { text = newValue }
        }
        override class var schema: Schema {
            Schema(Shown.self, extending: super.schema) { Key("title", \.title, affectedBy: "text") }
        }
    }
    private final class Reader: KeyValueObserver {
        let row: Row
        init(_ row: Row) { self.row = row }
    }

    @Test(
        "bindings by name, and what is read by observers without a base class, in the calls of one change",
        arguments: [false, true])
    func calls(isBound: Bool) throws {
        let ratio = try timeRatio(to: size(8_000)) { count in
            let rows = (0..<count).map { _ in Row() }
            let others = (0..<count).map { _ in Row() }
            let (shown, readers) = (rows.map { _ in Shown() }, others.map { Reader($0) })
            for (number, row) in rows.enumerated() {
                if isBound {
                    try shown[number].bind("title", to: "v", of: row)
                } else {
                    let other = others[number]
                    readers[number].observe(reading: { $0.row.v }) { _, _ in }
                    row.$v.observe { _ in other.v += 1 }
                }
            }
            let time = processorTime { coalescingChanges { for row in rows { row.v += 1 } } }
            #expect(isBound ? shown.allSatisfy { $0.text == 1 } : others.allSatisfy { $0.v == 1 })
            return time
        }
        #expect(ratio < 9)
    }

    @Test(
        "objects that an observer without a base class has read, and that die one by one, from either end",
        arguments: [false, true])
    func deathsOfSources(isFromTheEnd: Bool) {
        final class Reader: KeyValueObserver {
            var rows: [Row] = []
        }
        let ratio = timeRatio(to: size(32_000)) { count in
            let reader = Reader()
            reader.rows = (0..<count).map { _ in Row() }
            let observation = reader.observe(reading: { $0.rows.reduce(0) { $0 + $1.v } }) { _, _ in }
            var rows = isFromTheEnd ? reader.rows : reader.rows.reversed()
            reader.rows = []
            let time = processorTime { while rows.popLast() != nil {} }
            #expect(!observation.isValid)
            return time
        }
        #expect(ratio < 9)
    }
}
