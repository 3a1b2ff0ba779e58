import AutoKVO
import AutoKVOTestSupport
import Synchronization
import Testing

private final class Sheet: Model {
    @Observed var first = 0
    @Observed var opening = 0
}

private final class Row: Model {
    let index: Int
    let sheet: Sheet
    unowned(unsafe) var previous: Row!
    init(_ index: Int, _ sheet: Sheet) { (self.index, self.sheet) = (index, sheet) }
    @Derived({ (row: Row) in
        (row.index == row.sheet.first ? row.sheet.opening : row.previous.balance) + 1
    }) var balance: Int
}

private final class Group: Model, Equatable {
    let id: Int
    @Observed var price: Int
    init(_ id: Int, _ price: Int) { (self.id, self.price) = (id, price) }
    static func == (a: Group, b: Group) -> Bool { a.id == b.id }
}

private final class Table: Model {
    @Observed var rows: [Group] = []
    @Derived({ (table: Table) in Dictionary(grouping: table.rows) { $0.id % 2 } }) var groups: [Int: [Group]]
    @Derived({ (table: Table) in table.groups[1, default: []].reduce(0) { $0 + $1.price } }) var odd: Int
}

/// A property that any thread may change.
private final class Source: TrackedObject, @unchecked Sendable {
    private let stored = Atomic(0)
    var value: Int {
        get {
            didRead("value")
            return stored.load(ordering: .sequentiallyConsistent)
        }
        set { withMutation(of: "value") { stored.store(newValue, ordering: .sequentiallyConsistent) } }
    }

    override class var schema: Schema {
        Schema(Source.self, extending: super.schema) { Key("value", \.value, notifiesAutomatically: false) }
    }
}

private final class Sum: TrackedObject, @unchecked Sendable {
    let a = Source()
    let b = Source()
    @Derived({ (sum: Sum) in (0..<400).reduce(sum.a.value + sum.b.value) { ($0 &* 31) ^ $1 } }) var slow: Int
}

/// Derived values whose sources come to be others, far up, in collections of collections, or all the time.
struct RingOfRowsTests {
    @Test("a value whose former source is being computed far up is computed, and followed", arguments: [10, 100, 300])
    func formerSource(count: Int) {
        let sheet = Sheet()
        let rows = (0..<count).map { Row($0, sheet) }
        for index in 0..<count { rows[index].previous = rows[(index + count - 1) % count] }
        var told: [Int] = []
        rows[0].$balance.observe(options: .new) { told.append($0.newValue!) }
        rows[count - 1].$balance.observe { _ in }
        sheet.first = 1
        expectEqual(rows[0].balance, count)
        sheet.opening = 50
        #expect(rows[0].balance == count + 50 && rows[1].balance == 51)
        expectEqual(told, [count, count + 50])
    }

    @Test(
        "equal objects in collections of collections take the place of the former ones, and what reads them is computed"
    )
    func nestedEqualObjects() {
        let table = Table()
        table.rows = [Group(1, 10)]
        var values: [Int] = []
        table.$odd.onValue { values.append($0) }
        let new = Group(1, 20)
        table.rows = [new]
        new.price = 30
        #expect(table.groups[1]![0] === new && table.odd == 30)
        expectEqual(values, [10, 20, 30])
    }

    @Test("a value is had though another thread changes what it reads again and again") func restlessSource() {
        let sum = Sum()
        sum.$slow.observe { _ in }
        let isOver = Atomic(false)
        concurrently(2) { number in
            if number == 0 {
                coalescingChanges { while !isOver.load(ordering: .relaxed) { sum.b.value += 1 } }
            } else {
                for _ in 0..<200 { _ = sum.slow }
                isOver.store(true, ordering: .relaxed)
            }
        }
        sum.a.value = 1
        expectEqual(sum.slow, (0..<400).reduce(1 + sum.b.value) { ($0 &* 31) ^ $1 })
    }
}
