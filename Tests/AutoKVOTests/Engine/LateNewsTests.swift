import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// Observers that were added while a change was open, and what other threads tell meanwhile.
struct LateNewsTests {
    private final class Sum: Model, @unchecked Sendable {
        @Observed var a = 0
        @Observed var b = 0
        @Observed var c = 0
        @Observed var d = 0
        @Derived({ (sum: Sum) in sum.a + sum.b + sum.c + sum.d }) var total: Int
        var double: Int { 2 * (a + b + c + d) }

        override class var schema: Schema {
            Schema(Sum.self, extending: super.schema) { Key("double", \.double, affectedBy: "a", "b", "c", "d") }
        }
    }

    @Test(
        "late observers are told what has changed since, also while a third thread has a change of it open",
        arguments: ["total", "double"], [false, true])
    func threeThreads(key: String, isHeldOpen: Bool) throws {
        let (sum, early, late) = (Sum(), Recorder<Int>(), Recorder<Int>())
        let factor = key == "total" ? 1 : 2
        try sum.observe(key, as: Int.self, options: [.old, .new], early.handler())
        let (begun, over) = (Door(), Door())
        var third: Thread?
        try sum.$a.withMutation {
            sum.a = 1
            try sum.observe(key, as: Int.self, options: [.old, .new], late.handler())
            sum.b = 1
            onAnotherThread { sum.c = 10 }
            guard isHeldOpen else { return }
            third = Thread {
                sum.$d.withMutation {
                    sum.d = 1
                    begun.open()
                    over.wait()
                    sum.d = 2
                }
            }
            begun.wait()
            sum.b = 2
        }
        over.open()
        third?.join()
        for recorder in [early, late] {
            let entries = recorder.entries
            // Each begins where the one before it has ended.
            expectEqual(entries.dropFirst().map { $0.old! }, entries.dropLast().map { $0.new! })
            expectEqual(entries.last!.new, factor * (isHeldOpen ? 15 : 12))
        }
    }

    private final class Box: Model {
        @Observed var items: [Int] = []
        @Observed var trigger = 0
        @Derived({ (box: Box) in
            if box.trigger > 0, withoutTracking({ box.items.count < 4 }) { box.$items.append(4) }
            return box.trigger
        }) var appending: Int
    }

    @Test("where a function edits the list while late observers wait, each is told each of its states once")
    func editedInside() {
        let box = Box()
        var (early, late): ([[Int]], [[Int]]) = ([], [])
        _ = messages {
            box.$appending.observe { _ in }
            box.$items.observe { [unowned box] _ in early.append(box.items) }
            coalescingChanges {
                box.items = [1, 2]
                box.$items.observe { [unowned box] _ in late.append(box.items) }
                box.$items.append(3)
                box.trigger = 1
            }
        }
        expectEqual(box.items, [1, 2, 3, 4])
        expectEqual(early, [[1, 2, 3], [1, 2, 3, 4]])
        expectEqual(late, early)
    }

    @Test(
        "what another thread has told only those before them is not what they know",
        arguments: ["total", "double"], [false, true])
    func toldBefore(key: String, isLateInside: Bool) throws {
        let (sum, begun, mayEnd) = (Sum(), Door(), Door())
        let factor = key == "total" ? 1 : 2
        var (values, changes): ([Int], [[Int]]) = ([], [])
        try sum.observe(key) { _ in }
        let other = Thread {
            sum.$b.withMutation {
                begun.open()
                mayEnd.wait()
                sum.b = 10
            }
        }
        begun.wait()
        func observe() throws {
            try sum.path(key, as: Int.self).onValue(options: .distinct) { values.append($0!) }
            try sum.observe(key, as: Int.self, options: [.old, .new]) { changes.append([$0.oldValue!, $0.newValue!]) }
        }
        if !isLateInside { try observe() }
        try sum.$a.withMutation {
            sum.a = 1
            if isLateInside { try observe() }
            sum.b = 0
            mayEnd.open()
            other.join()
        }
        expectEqual(values.last, 11 * factor)
        expectEqual(changes.last?.last, 11 * factor)
        if isLateInside { expectEqual(changes.last?.first, factor) }
    }

    @Test("what a third thread tells fewer of them does not hide what they were told") func toldToFewer() {
        let (sum, begun, mayEnd) = (Sum(), Door(), Door())
        var (early, late): ([Int], [Int]) = ([], [])
        sum.$total.observe(options: .new) { early.append($0.newValue!) }
        sum.$a.withMutation {
            let third = Thread {
                sum.$c.withMutation {
                    begun.open()
                    mayEnd.wait()
                    sum.c = 1
                }
            }
            begun.wait()
            sum.a = 1
            sum.$total.observe(options: .new) { late.append($0.newValue!) }
            sum.b = 0
            onAnotherThread { sum.d = 10 }
            mayEnd.open()
            third.join()
            sum.b = -11
        }
        expectEqual(early, [11, 12, 1])
        expectEqual(late, [11, 1])
    }
}
