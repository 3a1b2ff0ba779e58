import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Point: TrackedObject {
    @Observed var n = 0
    @Observed var list: [Int] = []
    @Observed var next: Point?
    @ObservedWeak var friend: Point?
    @Derived({ (point: Point) in point.n + point.list.count }) var sum: Int
    @Derived({ (point: Point) in point.friend?.sum ?? point.next?.sum ?? -1 }) var other: Int

    override class var schema: Schema { Schema(Point.self, extending: super.schema) { Key("list", \.list) } }
}

/// What a derived value reads from the middle of another object's change on is part of that change.
@Suite("A derived value that comes to read what is being changed") struct SettledTests {
    private let point = Point()
    private let open = Point()

    /// Observes with a handler that changes once more what is open.
    private func observe(_ body: () -> Void) -> [[Int?]] {
        var told: [[Int?]] = []
        point.$other.observe(options: [.old, .new]) { [unowned open] change in
            told.append([change.oldValue, change.newValue])
            if open.n == 0 { open.n = 5 }
        }
        open.withMutation(of: "list") {
            body()
            open.list.append(1)
        }
        return told
    }

    @Test("when coalescingChanges ends: its observers get each value once") func coalesced() {
        #expect(observe { coalescingChanges { point.friend = open } } == [[-1, 0], [0, 6]])
        #expect(point.other == 6)
    }

    @Test("when what it read before dies: its observers get each value once") func death() {
        var former: Point? = Point()
        former!.n = 3
        point.next = open
        point.friend = former
        #expect(observe { former = nil } == [[3, 0], [0, 6]])
        #expect(point.other == 6)
    }

    @Test("a weak property whose object dies in a block and that is set then has no old value")
    func deadInBlock() throws {
        var told: [String] = []
        point.next = Point()
        point.friend = point.next
        for path in ["friend", "friend.n"] {
            try point.observe(path, options: [.old, .new]) { change in
                told.append("\(path) \(change.oldValue == nil) \(change.newValue is Int)")
            }
        }
        coalescingChanges {
            point.next = nil
            point.friend = open
        }
        #expect(told == ["friend true false", "friend.n true true"])
    }
}
