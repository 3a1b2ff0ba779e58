import AutoKVO
import AutoKVOTestSupport
import Testing

/// A path that moves to an object whose derived value reads that of the former one.
struct MovedChainTests {
    private final class Row: Model {
        @Observed var amount = 1
        @Observed var previous: Row?
        let computed: Counter
        @Derived({ (row: Row) in
            row.computed.add()
            return row.amount + (row.previous?.balance ?? 0)
        }) var balance: Int
        init(_ computed: Counter) { self.computed = computed }
    }
    private final class Account: Model {
        @Observed var last: Row?
        @Observed var rows: [Row] = []
    }

    @Test("computes what is new, and takes no stack for a long chain", .needs(.blankObject), arguments: [false, true])
    func chain(
        isByName: Bool
    ) throws {
        let (account, computed, told) = (Account(), Counter(), Shared<[Int]>([]))
        if isByName {
            try account.observe("last.balance", as: Int.self, options: .new) { told.value.append($0.newValue ?? -1) }
        } else {
            account.$last.$balance.observe(options: .new) { told.value.append($0.newValue ?? -1) }
        }
        nonisolated(unsafe) let shared = account
        onAnotherThread(stackSize: 512 * 1024) {
            for _ in 0..<2_000 {
                let row = Row(computed)
                row.previous = shared.last
                shared.last = row
            }
        }
        #expect(told.value.last == 2_000 && told.value.count == 2_000)
        #expect(computed.count <= 3 * 2_000)
        var row = account.last
        account.last = nil
        while let next = row?.previous.take() { row = next }
    }

    @Test("so does one element of a list behind another") func elements() throws {
        let (account, computed) = (Account(), Counter())
        var told: [Int] = []
        try account.observe("rows.@sum.balance", as: Int.self, options: .new) { told.append($0.newValue!) }
        var last: Row?
        for _ in 0..<200 {
            let row = Row(computed)
            row.previous = last
            account.rows = [row]
            last = row
        }
        #expect(told.last == 200 && computed.count <= 3 * 200)
        account.rows = []
        while let next = last?.previous.take() { last = next }
    }

    @Test(
        "a function computed in the move that observes the former value hears of each change once", .needs(.blankObject)
    ) func observedInTheMove() {
        final class Item: Model {
            @Observed var amount = 1
            @Observed var previous: Item?
            var isWatched = false
            var computations = 0
            let log = MessageLog()
            @Derived({ (item: Item) in
                item.computations += 1
                item.watchPrevious()
                return item.amount
            }) var balance: Int

            func watchPrevious() {
                guard let previous, !isWatched else { return }
                isWatched = true
                previous.$balance.observe(options: [.old, .new]) { [log] change in
                    log.add("\(change.oldValue!) \(change.newValue!)")
                }
                previous.amount = 5
            }
        }
        final class Holder: Model { @Observed var last: Item? }
        let (holder, a, b) = (Holder(), Item(), Item())
        holder.$last.$balance.observe { _ in }
        holder.last = a
        b.previous = a
        let before = a.computations
        _ = messages { holder.last = b }
        expectEqual(b.log.messages, ["1 5"])
        // For the observer, and for the change.
        expectEqual(a.computations - before, 2)
    }
}
