import AutoKVO
import AutoKVOTestSupport
import Dispatch
import Testing

/// Rows whose running total is counted from the top or from the bottom, with a value between each two.
private final class Sheet: Model {
    @Observed var ascending = true
    @Observed var opening = 0
    var rows: [Row] = []
}

private final class Row: Model {
    let index: Int
    unowned let sheet: Sheet
    init(_ index: Int, _ sheet: Sheet) { (self.index, self.sheet) = (index, sheet) }
    @Derived({ (row: Row) in
        let next = row.sheet.ascending ? row.index - 1 : row.index + 1
        return (row.sheet.rows.indices.contains(next) ? row.sheet.rows[next].carried : row.sheet.opening) + 1
    }) var balance: Int
    @Derived({ (row: Row) in row.balance }) var carried: Int
}

private final class Restless: Model, @unchecked Sendable {
    @Observed var a = 0
    nonisolated(unsafe) var hook: () -> Void = {}
    @Derived({ (object: Restless) in
        let read = object.a
        object.hook()
        return read
    }) var inner: Int
    @Derived({ (object: Restless) in object.inner }) var outer: Int
}

private final class Entrant: Model, Hashable {
    let id: Int
    init(_ id: Int) { self.id = id }
    static func == (a: Entrant, b: Entrant) -> Bool { a.id == b.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

private final class Squad: Model {
    @Observed var list: [Entrant] = []
    @Derived({ (team: Squad) in Set(team.list) }) var members: Set<Entrant>
    @Derived({ (team: Squad) in Dictionary(team.list.map { ($0.id, $0) }) { first, _ in first } }) var byID:
        [Int: Entrant]
    var computed = 0
    @Derived({ (team: Squad) in
        team.computed += 1
        return team.members.count + team.byID.count
    }) var size: Int
    @Derived({ (team: Squad) in team.byID[3].map { ObjectIdentifier($0) } }) var third: ObjectIdentifier?
}

/// What reads a derived value that is not kept, since it could not be computed where it was to be.
struct GivenUpTests {
    @Test(
        "a long running total that is counted from the other end is right, and stays so", arguments: [3, 70, 100, 200])
    func turnedRound(count: Int) {
        let sheet = Sheet()
        sheet.rows = (0..<count).map { Row($0, sheet) }
        let (first, last) = (sheet.rows[0], sheet.rows[count - 1])
        first.$balance.observe { _ in }
        last.$balance.observe { _ in }
        for turn in 1...3 {
            sheet.ascending.toggle()
            sheet.opening = 50 * turn
            let (near, far) = sheet.ascending ? (first, last) : (last, first)
            #expect((near.balance, far.balance) == (50 * turn + 1, 50 * turn + count))
            sheet.opening += 7
            #expect((near.balance, far.balance) == (50 * turn + 8, 50 * turn + 7 + count))
        }
    }

    @Test("what reads a value that another thread's changes never let be kept is not taken for up to date")
    func restless() {
        for stop in [1, 5, 9, 10, 11, 50, 99, 100, 105, 108, 109, 110, 111, 120, 150] {
            let object = Restless()
            object.$outer.observe { _ in }
            let (ask, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            nonisolated(unsafe) var (calls, isOver) = (0, false)
            object.hook = {
                guard calls < stop else { return }
                calls += 1
                ask.signal()
                done.wait()
            }
            let other = Thread {
                coalescingChanges {
                    object.a = 1
                    done.signal()
                    while true {
                        ask.wait()
                        if isOver { break }
                        object.a = 1 - object.a
                        done.signal()
                    }
                }
            }
            done.wait()
            for _ in 0..<2 { _ = object.outer }
            expectEqual(object.outer, object.inner, "\(stop)")
            (object.hook, isOver) = ({}, true)
            ask.signal()
            other.join()
            expectEqual(object.outer, object.a, "\(stop)")
        }
    }

    @Test("an equal set or dictionary of the same objects is no change, in whatever order it has them") func equalSets()
    {
        let (team, all) = (Squad(), (0..<20).map(Entrant.init))
        team.list = all
        team.$size.observe { _ in }
        team.$third.observe { _ in }
        let computed = team.computed
        team.list = all + all + all + all
        expectEqual(team.computed, computed)
        let other = Entrant(3)
        team.list = all.map { $0.id == 3 ? other : $0 }
        #expect(team.computed == computed + 1 && team.third == ObjectIdentifier(other))
    }
}
