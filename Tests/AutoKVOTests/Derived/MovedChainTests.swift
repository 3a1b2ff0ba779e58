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

    @Test("computes what is new, and takes no stack for a long chain", arguments: [false, true]) func chain(
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
}

/// A handle of a list, read at random.
struct HandleDistanceTests {
    private final class List: Model { @Observed var songs = Array(0..<100_000) }

    @Test("goes to an element in one step") func random() {
        let list = List()
        let time = processorTime {
            for _ in 0..<2_000 {
                let song = list.$songs.randomElement()!
                #expect(list.$songs.dropFirst(song).first == song)
            }
        }
        // Else 200 million reads.
        #expect(time < 5)
        #expect(list.$songs.index(0, offsetBy: 5, limitedBy: 4) == nil && list.$songs.distance(from: 2, to: 9) == 7)
    }
}
