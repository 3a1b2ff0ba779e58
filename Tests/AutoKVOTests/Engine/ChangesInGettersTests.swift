import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// A getter or a path is read for the old value of what a plain set changes, too; and meanwhile another thread changes the same property, or
/// another one that the getter reads.
struct ChangesInGettersTests {
    private final class Sum: Model {
        @Observed var a = 0
        @Observed var b = 0
        @Observed var list: [Int] = []
        @Observed var next: Sum?
        @Derived({ (sum: Sum) in sum.a + sum.b }) var total: Int
        @Derived({ (sum: Sum) in sum.list.reduce(sum.b, +) }) var content: Int
        var double: Int { 2 * (a + b) }
        var meanwhile: (() -> Void)?
        /// The first time it is read, another thread acts.
        var far: Int {
            if let meanwhile {
                self.meanwhile = nil
                onAnotherThread(meanwhile)
            }
            return a + b + 100
        }
        var hop: Sum? { far > 0 ? next : nil }

        override class var schema: Schema {
            Schema(Sum.self, extending: super.schema) {
                Key("double", \.double, affectedBy: "a", "b")
                Key("far", \.far, affectedBy: "a", "b", "list")
                Key("hop", \.hop, affectedBy: "next", "a", "b")
            }
        }
    }

    private final class Cell: Model {
        @Observed var x = 0
        @Observed var y = 0
        @Observed var next: Cell?
        @Observed var list: [Cell] = []
        @ObservedWeak var friend: Cell?
        var hook: (() -> Void)?
        /// Calls the hook once, when it is read.
        var seen: Int {
            hook.take()?()
            return x
        }
        var owner: Cell {
            hook.take()?()
            return self
        }
        override class var schema: Schema {
            Schema(Cell.self, extending: super.schema) {
                Key("seen", \.seen, affectedBy: "x", "next")
                Key("owner", \.owner, affectedBy: "y")
            }
        }
    }

    @Test(
        "a getter that moves a path away: its observer is told the value that is there then", arguments: [false, true])
    func movedAway(isNil: Bool) throws {
        let (root, first, second) = (Cell(), Cell(), Cell())
        (root.next, first.x, second.x) = (first, 1, 7)
        var told: [[Int?]] = []
        try root.observe("next.x", as: Int?.self, options: [.old, .new]) { told.append([$0.oldValue!, $0.newValue!]) }
        try first.observe("seen", options: .old) { _ in }
        first.hook = { [unowned root] in root.next = isNil ? nil : second }
        first.x = 10
        expectEqual(told, [[1, isNil ? nil : 7]])
        second.x = 8
        expectEqual(told.count, isNil ? 1 : 2)
    }

    @Test("nor is it told what a write stores there, if another thread moves the path away") func movedAwayElsewhere()
        throws
    {
        final class Cell: Model, @unchecked Sendable {
            @Observed var x = 1
            @Observed var next: Cell?
            var hook: (() -> Void)?
            var double: Int {
                hook.take()?()
                return 2 * x
            }
            override class var schema: Schema {
                Schema(Cell.self, extending: super.schema) {
                    Key("x", \.x)
                    Key("next", \.next)
                    Key("double", \.double, affectedBy: "x")
                }
            }
        }
        let (root, first, second) = (Cell(), Cell(), Cell())
        (second.x, root.next) = (7, first)
        var told: [[Int?]] = []
        try root.observe("next.x", as: Int?.self, options: [.old, .new]) { told.append([$0.oldValue!, $0.newValue!]) }
        try first.observe("double", options: .old) { _ in }
        first.hook = { onAnotherThread { root.next = second } }
        first.x = 2
        // The second one tells no other value.
        expectEqual(told.last, [7, 7])
        expectEqual(told.first, [1, 7])
        // Also if that change is still open.
        (root.next, second.x, told) = (first, 8, [])
        let (hasMoved, isOver) = (Door(), Door())
        var thread: Thread?
        first.hook = {
            thread = Thread {
                coalescingChanges {
                    root.next = second
                    hasMoved.open()
                    isOver.wait()
                }
            }
            hasMoved.wait()
        }
        first.x = 3
        isOver.open()
        thread?.join()
        expectEqual(told.first?.last, 8)
        expectEqual(told.last?.last, 8)
    }

    @Test(
        "an edit inside of the edit that a path of elements follows: the elements are those of the list",
        arguments: 0..<4)
    func editWhileFollowing(form: Int) throws {
        let (root, cells) = (Cell(), (0..<4).map { _ in Cell() })
        root.list = [cells[0], cells[1]]
        var (first, second) = (0, 0)
        try root.observe("list.@sum.owner.x") { _ in first += 1 }
        try root.observe("list.@sum.x") { _ in second += 1 }
        cells[2].hook = { [unowned root] in
            switch form {
            case 0, 2: root.$list.insert(cells[3], at: 0)
            case 1: root.$list.remove(at: 1)
            default: root.$list.swapAt(0, 1)
            }
        }
        if form < 2 { root.$list[0] = cells[2] } else { root.$list.insert(cells[2], at: 1) }
        #expect(root.list.contains { $0 === cells[2] } && cells[2].hook == nil)
        for cell in cells {
            (first, second) = (0, 0)
            cell.x += 1
            let count = root.list.contains { $0 === cell } ? 1 : 0
            #expect(first == count && second == count, "of cell \(cells.firstIndex { $0 === cell }!)")
        }
        root.list = []
    }

    private final class Clamped: Model {
        @Observed var a = 1
        var clampsTo: Int?
        /// Sets the property when it is read for the old value.
        var shown: Int {
            if let value = clampsTo {
                clampsTo = nil
                a = value
            }
            return a
        }
        override class var schema: Schema {
            Schema(Clamped.self, extending: super.schema) { Key("shown", \.shown, affectedBy: "a") }
        }
    }

    @Test(
        "a getter that sets the property before the store does not make the new value the old one",
        arguments: [false, true])
    func setInGetter(isDistinct: Bool) throws {
        let (clamped, told) = (Clamped(), Recorder<Int>())
        clamped.$a.observe(options: isDistinct ? [.old, .new, .distinct] : [.old, .new], told.handler())
        try clamped.observe("shown", options: .old) { _ in }
        clamped.clampsTo = 2
        clamped.a = 10
        #expect(clamped.a == 10 && told.entries.first?.old == 1 && told.last?.new == 10)
        for (entry, next) in zip(told.entries, told.entries.dropFirst()) { expectEqual(entry.new, next.old) }
    }

    @Test(
        "observers are told the last value, also if the other thread sets the same property",
        arguments: ["far", "hop.double"], [true, false])
    func plainSet(read: String, isSame: Bool) throws {
        let (sum, inOrder, derived) = (Sum(), Recorder<Int>(), Recorder<Int>())
        (sum.a, sum.b, sum.next) = (4, 4, Sum())
        var (doubles, totals, values): ([Int], [Int], [Int]) = ([], [], [])
        try sum.observe("double", as: Int.self, options: [.new, .distinct]) { doubles.append($0.newValue!) }
        try sum.observe("double", as: Int.self, options: [.old, .new], inOrder.handler())
        sum.$total.observe(options: [.old, .new], derived.handler())
        sum.$total.onValue { totals.append($0) }
        sum.$a.onValue { values.append($0) }
        try sum.observe(read, as: Int.self, options: .old) { _ in }
        sum.meanwhile = { [unowned sum] in if isSame { sum.a = 2 } else { sum.b = 2 } }
        sum.a = isSame ? 4 : 6
        let last = sum.a + sum.b
        expectEqual(last, 8)
        expectEqual(doubles, [12, 16])
        expectEqual(inOrder.entries.map { [$0.old, $0.new] }, [[16, 12], [12, 16]])
        expectEqual(derived.entries.map { [$0.old, $0.new] }, [[8, 6], [6, 8]])
        expectEqual(totals, [8, 6, 8])
        expectEqual(values, isSame ? [4, 2, 4] : [4, 6])
    }

    @Test("an edit of the collection is followed, too") func edit() throws {
        let (sum, derived) = (Sum(), Recorder<Int>())
        sum.b = 1
        sum.$content.observe(options: [.old, .new], derived.handler())
        try sum.observe("far", as: Int.self, options: .old) { _ in }
        sum.meanwhile = { [unowned sum] in sum.b = 0 }
        sum.$list.append(1)
        expectEqual(derived.entries.map { [$0.old, $0.new] }, [[1, 0], [0, 1]])
    }

    @Test("an overridden getter of what is edited is read, too", arguments: [true, false], 1...6)
    func overridden(isStored: Bool, reads: Int) {
        class Base: Model {
            @Observed var a = 0
            @Observed var list: [Int] = []
            @Derived({ (base: Base) in base.list.reduce(base.a, +) }) var total: Int
        }
        final class Overriding: Base {
            var (isStored, reads, meanwhile): (Bool, Int, (() -> Void)?) = (true, 0, nil)
            override var list: [Int] {
                get {
                    reads -= 1
                    if reads == 0, let meanwhile { onAnotherThread(meanwhile) }
                    return isStored ? super.list : super.list + [0]
                }
                set { super.list = newValue }
            }
        }
        let (base, derived) = (Overriding(), Recorder<Int>())
        (base.isStored, base.a) = (isStored, 1)
        base.$total.observe(options: [.old, .new], derived.handler())
        base.$list.observe(options: [.old, .new]) { _ in }
        base.list = [7]
        _ = derived.take()
        (base.reads, base.meanwhile) = (reads, { [unowned base] in base.a = 0 })
        base.$list[0] = 8
        base.meanwhile = nil
        expectEqual(derived.entries.last?.new ?? 8, base.total)
    }

    @Test("nothing stays where nobody acts in the getter") func nothingStays() throws {
        let sum = Sum()
        var olds: [Int] = []
        try sum.observe("far", as: Int.self, options: .old) { olds.append($0.oldValue!) }
        (sum.a, sum.b) = (1, 1)
        expectEqual(olds, [100, 101])
        sum.meanwhile = { [unowned sum] in sum.b = 5 }
        sum.a = 2
        sum.a = 3
        expectEqual(olds.count, 5)
        expectEqual(olds.last, 107)
        #expect(sum.record!.guarded.details?.told.isEmpty ?? true)
    }
}
