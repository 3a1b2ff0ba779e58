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
            return processorTime { rows = [] }
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
        calls = []
        parent = nil
        expectEqual(calls, Array(0..<10) + Array(20..<40) + (10..<20).reversed())
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

    @Test("many writes inside of a change that concerns many") func manyInside() {
        let ratio = timeRatio(to: size(16_000)) { count in
            let parent = Row()
            parent.$v.observe { _ in }
            let rows = rows(count, of: parent, observing: \.$double)
            for row in rows { row.$v.observe { _ in } }
            return processorTime { parent.$v.withMutation { for row in rows { row.v += 1 } } }
        }
        #expect(ratio < 9)
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
}
