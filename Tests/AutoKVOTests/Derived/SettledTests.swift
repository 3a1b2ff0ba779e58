import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private final class Point: TrackedObject {
    @Observed var n = 0
    @Observed var list: [Int] = []
    @Observed var next: Point?
    @ObservedWeak var friend: Point?
    @Derived({ (point: Point) in point.n + point.list.count }) var sum: Int
    @Derived({ (point: Point) in point.friend?.sum ?? point.next?.sum ?? -1 }) var other: Int

    override class var schema: Schema { Schema(Point.self, extending: super.schema) { Key("list", \.list) } }
}

private final class Leaf: TrackedObject {
    @Observed var p = 0
    // So `v` has a greater number than any key of `Node`: observers of what reads it are called after those.
    @Observed var others = (0, 0)
    @Observed var second = 0
    @Observed var third = 0
    @Observed var fourth = 0
    @Observed var fifth = 0
    @Observed var sixth = 0
    @Observed var seventh = 0
    @Derived({ (leaf: Leaf) in leaf.p + 1 }) var v: Int
}

private final class Node: TrackedObject {
    @Observed var a = 0
    @Observed var readsLeaf = false
    @Observed var leaf: Leaf?
    @Derived({ (node: Node) in node.a }) var low: Int
    @Derived({ (node: Node) in node.a + (node.readsLeaf ? node.leaf!.v : 0) }) var high: Int
    var both: Int { low + high }
    var twice: Int { both * 2 }

    override class var schema: Schema {
        Schema(Node.self, extending: super.schema) {
            Key("both", \.both, affectedBy: "low", "high")
            Key("twice", \.twice, affectedBy: "both")
        }
    }
}

/// What a derived value reads from the middle of another object's change on is part of that change.
struct SettledTests {
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

    @Test(
        "observers of a key are called after those of all derived values that affect it, whatever these have come to read",
        arguments: [false, true], [["low", "high", "both", "twice"], ["twice", "both", "high", "low"]])
    func affectedByDerived(isRead: Bool, names: [String]) throws {
        let node = Node()
        node.leaf = Leaf()
        node.readsLeaf = isRead
        var told: [String] = []
        for name in names { try node.observe(name) { told.append($0.keyPath) } }
        node.readsLeaf = true
        if !isRead { expectEqual(told, ["high", "both", "twice"]) }
        for _ in 0..<2 {
            told = []
            node.a += 1
            expectEqual(told, ["low", "high", "both", "twice"])
        }
        told = []
        node.leaf!.p = 5
        expectEqual(told, ["high", "both", "twice"])
    }

    private final class Both: TrackedObject {
        @Observed var base = 0
        @Observed var value = 1
        @Derived({ (both: Both) in both.base / 10 }) var tenth: Int

        override class var schema: Schema {
            Schema(Both.self, extending: super.schema) { Key("value", \.value, affectedBy: "tenth") }
        }
    }

    @Test(
        "a stored key that a derived value affects is told if it was set, whichever changed first",
        arguments: [false, true])
    func setAndAffected(isSetFirst: Bool) {
        let both = Both()
        var calls = 0
        both.$value.observe { _ in calls += 1 }
        coalescingChanges {
            if !isSetFirst { both.base = 1 }
            (both.value, both.value) = (2, 1)
            if isSetFirst { both.base = 2 }
        }
        expectEqual(calls, 1)
    }

    @Test("when coalescingChanges ends: its observers get each value once") func coalesced() {
        expectEqual(observe { coalescingChanges { point.friend = open } }, [[-1, 0], [0, 6]])
        expectEqual(point.other, 6)
    }

    @Test("when what it read before dies: its observers get each value once") func death() {
        var former: Point? = Point()
        former!.n = 3
        point.next = open
        point.friend = former
        expectEqual(observe { former = nil }, [[3, 0], [0, 6]])
        expectEqual(point.other, 6)
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
        expectEqual(told, ["friend true false", "friend.n true true"])
    }

    private class Player: TrackedObject {
        @Observed var v = 0
        @Observed var partner: Player?
        @Derived({ (player: Player) in player.v }) var score: Int
        @Derived({ (player: Player) in player.score }) var shown: Int
    }

    private final class Captain: Player {
        override var score: Int { super.score + (partner?.v ?? 0) }
    }

    @Test("through a getter that a subclass overrides and one that it calls: its observers get each value once")
    func overridden() {
        let (first, second, captain) = (Player(), Player(), Captain())
        (first.v, second.v) = (1, 3)
        var told: [[Int?]] = []
        captain.$shown.observe(options: [.old, .new]) { [unowned captain] change in
            told.append([change.oldValue, change.newValue])
            if told.count == 1 { captain.partner = second }
        }
        first.$v.withMutation {
            captain.partner = first
            first.v = 5
        }
        expectEqual(told, [[0, 1], [1, 3]])
    }

    private final class Team: TrackedObject {
        @Observed var players: [Player] = []
        @Derived({ (team: Team) in team.players.reduce(0) { $0 + $1.v } }) var sum: Int
    }

    @Test("of very many sources those that go are no sources any more, and those that come are, each once")
    func manySources() {
        let team = Team()
        var told: [Int?] = []
        team.$sum.observe(options: .new) { told.append($0.newValue) }
        let players = (0..<100).map { _ in Player() }
        team.players = players + players
        #expect(players.allSatisfy { $0.isObserved })
        players[99].v = 1
        team.players = Array(players.reversed().dropLast(30))
        expectEqual(players.map(\.isObserved), (0..<100).map { $0 >= 30 })
        (players[0].v, players[50].v) = (5, 7)
        team.players = []
        #expect(told == [2, 1, 8, 0] && !players.contains { $0.isObserved })
    }
}
