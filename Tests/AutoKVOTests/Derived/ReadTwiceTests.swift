import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// What a function has read or added before something else happens to it.
struct ReadTwiceTests {
    private final class Hub: TrackedObject, @unchecked Sendable {
        @Observed var x = 0
        @Observed var y = 0
    }

    private final class Leaf: TrackedObject, @unchecked Sendable {
        let hub: Hub
        @Derived({ (leaf: Leaf) in leaf.hub.x }) var value: Int
        init(_ hub: Hub) { self.hub = hub }
    }

    private final class Reader: TrackedObject, @unchecked Sendable {
        let (hub, leaf): (Hub, Leaf)
        let between = Guarded<(@Sendable () -> Void)?>(nil)
        @Derived({ (reader: Reader) in
            let (y, first) = (reader.hub.y, reader.leaf.value)
            reader.between.withLock { $0.take() }?()
            return [y, first, reader.leaf.value]
        }) var values: [Int]
        init(_ hub: Hub, _ leaf: Leaf) { (self.hub, self.leaf) = (hub, leaf) }
    }

    /// The walk of the other thread has marked the source, and comes to what reads it behind all other lists:
    ///
    ///     computes the reader, reads the source
    ///                                                stores, marks the source
    ///     reads it again: computes it
    ///     keeps both, of which one is the former value
    ///                                                marks the reader: the source is clean
    @Test("a source that another thread changes between two reads of one function is not told as a mixture")
    func twoThreads() {
        let hub = Hub()
        let others = (0..<2_000).map { _ in Leaf(hub) }
        for other in others { other.$value.observe { _ in } }
        let leaf = Leaf(hub)
        let reader = Reader(hub, leaf)
        let told = Recorder<[Int]>()
        reader.$values.observe(options: [.old, .new], told.handler())
        let (door, over) = (Door(), Counter())
        let thread = Thread {
            door.wait()
            hub.x = 1
            over.add()
        }
        let slot = leaf.record!.schema!.slot(of: "value") ?? Int(leaf.$value.keySlot!)
        let expression = leaf.record!.expression(slot)!
        reader.between.withLock {
            $0 = {
                door.open()
                // The other thread may be over before this one has seen the mark.
                while expression.isClean, over.count == 0 {}
            }
        }
        hub.y = 1
        thread.join()
        expectEqual(reader.values, [1, 1, 1])
        expectEqual(told.entries.last?.new, [1, 1, 1])
        withExtendedLifetime(others) {}
    }

    @Test("an overridden derived value that is read through one that nobody observes counts as read") func overridden()
    {
        class Sum: Model {
            @Observed var a = 1
            @Observed var b = 2
            @Derived({ (sum: Sum) in sum.a + sum.b }) var total: Int
            @Derived({ (sum: Sum) in "\(sum.total)" }) var label: String
            override class var schema: Schema { Schema(Sum.self, extending: super.schema) { Key("total", \.total) } }
        }
        final class Doubled: Sum { override var total: Int { super.total * 2 } }
        let sum = Doubled()
        var shown = sum.label
        sum.$total.observe { [unowned sum] _ in shown = sum.label }
        coalescingChanges {
            sum.a = 5
            shown = sum.label
            sum.a = 1
        }
        expectEqual(shown, "6")
    }

    @Test(
        "an observer that a function adds is called for what the function changes next, also where it has read the key")
    func addedInside() {
        final class Part: Model { @Observed var c = 0 }
        final class Node: Model {
            @Observed var b = Part()
            @Observed var k = 0
            var (isDone, told) = (false, 0)
            @Derived({ (node: Node) in
                let k = node.k
                if !node.isDone {
                    node.isDone = true
                    try! node.observe("k") { [unowned node] _ in node.told += 1 }
                    node.b.c = 5
                }
                return k
            }) var value: Int
            override class var schema: Schema {
                Schema(Node.self, extending: super.schema) {
                    Key("b", \.b)
                    Key("k", \.k, affectedBy: "b.c")
                }
            }
        }
        let node = Node()
        _ = messages { node.$value.observe { _ in } }
        expectEqual(node.told, 1)
        node.b.c = 6
        expectEqual(node.told, 2)
    }

    @Test("a function that removes its own observation is not evaluated any more") func removesItself() throws {
        final class Panel: Model {}
        final class Source: Model { @Observed var x = 0 }
        let (panel, source) = (Panel(), Source())
        var token: KeyValueObservation?
        var kept: Change<Int>?
        token = panel.observe(reading: { _ in
            if source.x == 2 { token?.remove() }
            return source.x
        }) { _, change in kept = change }
        source.x = 1
        let expression = token!.routes!.first { _ in true }!.expression!
        source.x = 2
        _ = kept!.currentValue
        #expect(!expression.isEvaluatingHere && !token!.isValid)
    }

    @Test(
        "a change of a closure that reads nothing any more has no key's name, until it reads again",
        arguments: [false, true])
    func readsNothing(isOnce: Bool) throws {
        final class Panel: Model { var source: Source? = Source() }
        final class Source: Model { @Observed var x = 0 }
        let (panel, source) = (Panel(), Source())
        var (names, kept): ([String], [Change<Int>]) = ([], [])
        panel.source = source
        panel.observe(reading: { $0.source?.x ?? -1 }, options: isOnce ? .once : []) { _, change in
            names.append(change.keyPath)
            kept.append(change)
        }
        if !isOnce { source.x = 1 }
        panel.source = nil
        source.x = 2
        expectEqual(names, isOnce ? [""] : ["x", ""])
        expectEqual(kept.map(\.keyPath), names)
        // The handler keeps the changes, and these the observation.
        kept = []
    }

    @Test("a getter on the path of a key may add an observer of that key the first time it is called")
    func addedByGetter() {
        final class Part: Model { @Observed var c = 0 }
        final class Node: Model {
            @Observed var stored = Part()
            @Observed var k = 0
            var (isDone, told) = (false, 0)
            var b: Part {
                if !isDone {
                    let token = try! observe("k") { [unowned self] _ in told += 1 }
                    isDone = token.isValid
                }
                return stored
            }
            override class var schema: Schema {
                Schema(Node.self, extending: super.schema) {
                    Key("b", \.b, affectedBy: "stored")
                    Key("k", \.k, affectedBy: "b.c")
                }
            }
        }
        let (node, calls) = (Node(), Counter())
        node.$k.observe { _ in calls.add() }
        node.stored.c = 1
        #expect(node.told == 1 && calls.count == 1)
    }

    @Test(
        "an observer that a function adds is called for what a key at the end of its path is affected by",
        arguments: [false, true])
    func addedInsideOfPath(isRead: Bool) {
        final class Leaf: Model { @Observed var y = 0 }
        final class Part: Model {
            @Observed var x = Leaf()
            @Observed var m = 0
            override class var schema: Schema {
                Schema(Part.self, extending: super.schema) {
                    Key("x", \.x)
                    Key("m", \.m, affectedBy: "x.y")
                }
            }
        }
        final class Node: Model {
            @Observed var b = Part()
            @Observed var k = 0
            var (isRead, isDone, told) = (false, false, 0)
            @Derived({ (node: Node) in
                let k = node.k + (node.isRead ? node.b.m : 0)
                if !node.isDone {
                    node.isDone = true
                    try! node.observe("k") { [unowned node] _ in node.told += 1 }
                    node.b.x.y = 5
                }
                return k
            }) var value: Int
            override class var schema: Schema {
                Schema(Node.self, extending: super.schema) {
                    Key("b", \.b)
                    Key("k", \.k, affectedBy: "b.m")
                }
            }
        }
        let node = Node()
        node.isRead = isRead
        _ = messages { node.$value.observe { _ in } }
        expectEqual(node.told, 1)
        node.b.x.y = 6
        expectEqual(node.told, 2)
    }
}
