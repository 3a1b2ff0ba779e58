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

private final class NodePool: Model {
    @Observed var n = 0
    @ObservedWeak var last: NodePool?
    var nodes: [NodePool] = []
    @Derived({ (pool: NodePool) in
        let node = NodePool(isNode: true)
        pool.nodes.append(node)
        pool.last = node
        return pool.n
    }) var value: Int
    init(isNode: Bool = false) {
        if !isNode { nodes = [NodePool(isNode: true)] }
    }
}

private final class UntrackedWriter: Model {
    @Observed var a = 0
    @Observed var n = 0
    @Derived({ (writer: UntrackedWriter) in
        withoutTracking { writer.n += 1 }
        return writer.n + writer.a
    }) var value: Int
    @Derived({ (writer: UntrackedWriter) in writer.value + 1 }) var reader: Int
}

private final class Product: Model {
    @Observed var base = 1
    @Observed var x = 0
    @Derived({ (product: Product) in product.base }) var price: Int
}

private final class PricedRow: Model {
    @Derived({ (row: PricedRow) in row.product.price }) var amount: Int
    let product: Product
    init(_ product: Product) { self.product = product }
}

private final class Hub: Model {
    @Observed var rows: [PricedRow] = []
    @Derived({ (hub: Hub) in hub.rows.reduce(1) { $0 + $1.amount } }) var total: Int
}

private final class HubReader: Model {
    let hub: Hub
    init(_ hub: Hub) { self.hub = hub }
    @Derived({ (reader: HubReader) in 100 / reader.hub.total }) var share: Int
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

    @Test("a long ring whose beginning moves is no circle", arguments: [10, 70, 100, 300], [1, 33, 50, 66, 99])
    func beginningMoves(count: Int, percent: Int) {
        let sheet = Sheet()
        let rows = (0..<count).map { Row($0, sheet) }
        for index in 0..<count { rows[index].previous = rows[(index + count - 1) % count] }
        let observed = [0, count / 3, count / 2, count - 1]
        for index in observed { rows[index].$balance.observe { _ in } }
        for step in 1...3 {
            sheet.first = max(1, count * percent / 100) * step % count
            sheet.opening = step * 10
            for index in observed {
                expectEqual(rows[index].balance, (index - sheet.first + count) % count + 1 + step * 10)
            }
        }
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

    @Test("a function that sets a weak property does not depend on it") func setsAWeakProperty() {
        Diagnostics.withHandler({ _ in }) {
            let pool = NodePool()
            pool.last = pool.nodes[0]
            pool.$last.observe { _ in }
            pool.$value.observe { _ in }
            let before = pool.nodes.count
            pool.n = 1
            #expect(pool.value == 1 && pool.nodes.count == before + 1)
            pool.last = pool.nodes[0]
            expectEqual(pool.nodes.count, before + 1)
        }
    }

    @Test("a function that changes what it reads stops with a sentence, also without tracking") func writesUntracked()
        async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let writer = UntrackedWriter()
            writer.$reader.observe { _ in }
            writer.a = 5
        }
        expectEqual(missing("UntrackedWriter.value writes what it reads", in: result), [])
    }

    @Test("the time that new rows take at a hub of many readers grows like the number of rows") func hub() {
        let ratio = timeRatio(to: 2_000) { count in
            let product = Product()
            let hub = Hub()
            let readers = (0..<count).map { _ in HubReader(hub) }
            for reader in readers { reader.$share.observe { _ in } }
            let rows = (0..<count).map { _ in PricedRow(product) }
            return processorTime { hub.rows = rows }
        }
        #expect(ratio < 9)
    }
}
