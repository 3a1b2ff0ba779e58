import AutoKVO
import AutoKVOTestSupport
import Testing

/// Five keys derived from one property that refers to an object.
private final class Hub: Model {
    @Observed var source: Hub?
    @Observed var value = 0
    var first: Hub? { source }
    var second: Hub? { source }
    var third: Hub? { source }
    var fourth: Hub? { source }
    var fifth: Hub? { source }
    var sourceValue: Int { source?.value ?? -1 }

    static let names = ["first", "second", "third", "fourth", "fifth"]

    override class var schema: Schema {
        Schema(Hub.self, extending: super.schema) {
            Key("source", \.source)
            Key("value", \.value)
            Key("first", \.first, affectedBy: "source")
            Key("second", \.second, affectedBy: "source")
            Key("third", \.third, affectedBy: "source")
            Key("fourth", \.fourth, affectedBy: "source")
            Key("fifth", \.fifth, affectedBy: "source")
            Key("sourceValue", \.sourceValue, affectedBy: "source")
        }
    }

    /// A chain of hubs, of which each is the source of the one before.
    static func chain(_ count: Int) -> [Hub] {
        let hubs = (0..<count).map { _ in Hub() }
        for index in 1..<count { hubs[index - 1].source = hubs[index] }
        return hubs
    }
}

/// A node whose total is that of all below it.
private final class Tree: Model {
    @Observed var weight = 1
    @Observed var left: Tree?
    @Observed var middle: Tree?
    @Observed var right: Tree?
    var total: Int { weight + (left?.total ?? 0) + (middle?.total ?? 0) + (right?.total ?? 0) }

    override class var schema: Schema {
        Schema(Tree.self, extending: super.schema) {
            Key("weight", \.weight)
            Key("left", \.left)
            Key("middle", \.middle)
            Key("right", \.right)
            Key("total", \.total, affectedBy: "weight", "left.total", "middle.total", "right.total")
        }
    }

    init(depth: Int) {
        super.init()
        guard depth > 0 else { return }
        left = Tree(depth: depth - 1)
        middle = Tree(depth: depth - 1)
        right = Tree(depth: depth - 1)
    }

    var all: [Tree] { [self] + [left, middle, right].flatMap { $0?.all ?? [] } }
}

/// A root that two ways lead from, perhaps to the same node.
private final class Fork: Model {
    @Observed var value = 0
    @Observed var left: Fork?
    @Observed var right: Fork?
    var line: String { "\(left?.value ?? -1) \(right?.value ?? -1)" }
    var label: String { "<\(line)>" }

    override class var schema: Schema {
        Schema(Fork.self, extending: super.schema) {
            Key("value", \.value)
            Key("left", \.left)
            Key("right", \.right)
            Key("line", \.line, affectedBy: "left.value", "right.value")
            Key("label", \.label, affectedBy: "line")
        }
    }
}

/// More of everything that one change concerns than the structures behind it have room for at first.
struct ManyPathsTests {
    /// Counts the calls by path.
    private final class Calls {
        private var counts: [String: Int] = [:]
        func add(_ path: String) { counts[path, default: 0] += 1 }

        /// How often each path was called since the last time.
        func take() -> [String: Int] {
            defer { counts = [:] }
            return counts
        }
    }

    private func once(_ paths: some Sequence<String>) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: paths.map { ($0, 1) })
    }

    @Test(
        "paths behind several keys derived from one property, and behind each of them again, all move",
        arguments: 1...5,
        [ObservingOptions](arrayLiteral: [], [.old, .new]))
    func derivedHeads(count: Int, options: ObservingOptions) throws {
        let names = Hub.names.prefix(count)
        let one = names.map { "\($0).value" }
        let two = names.flatMap { head in names.map { "\(head).\($0).value" } }
        let three = names.map { "\(names[0]).\($0).\(names[count - 1]).value" }
        let (old, new) = (Hub.chain(4), Hub.chain(4))
        let root = Hub()
        root.source = old[0]
        let calls = Calls()
        for path in one + two + three { try root.observe(path, options: options) { calls.add($0.keyPath) } }
        for (come, gone) in [(new, old), (old, new), (new, old)] {
            root.source = come[0]
            expectEqual(calls.take(), once(one + two + three))
            for hub in gone { hub.value += 1 }
            expectEqual(calls.take(), [:])
            come[0].value += 1
            expectEqual(calls.take(), once(one))
            come[1].value += 1
            expectEqual(calls.take(), once(two))
            come[2].value += 1
            expectEqual(calls.take(), once(three))
            // Behind the first of them.
            let last = come[1].source
            come[1].source = Hub()
            expectEqual(calls.take(), once(three))
            last!.value += 1
            expectEqual(calls.take(), [:])
            come[1].source = last
            expectEqual(calls.take(), once(three))
        }
    }

    @Test("several paths through one property all move", arguments: 1...5) func headsInCommon(count: Int) throws {
        let root = Hub()
        let calls = Calls()
        let paths = ["source.value"] + Hub.names.prefix(count).map { "source.\($0).value" } + ["source.sourceValue"]
        for path in paths { try root.observe(path) { calls.add($0.keyPath) } }
        for hubs in [Hub.chain(2), Hub.chain(2)] {
            root.source = hubs[0]
            expectEqual(calls.take(), once(paths))
            hubs[1].value += 1
            expectEqual(calls.take(), once(paths.dropFirst().dropLast()))
            hubs[0].source = nil
            expectEqual(calls.take(), once(paths.dropFirst()))
        }
    }

    @Test("a change below any node of a tree of derived keys is one call at its top") func tree() throws {
        let root = Tree(depth: 4)
        let recorder = Recorder<Any>()
        let observation = try root.observe("total", options: [.new], recorder.handler())
        var total = root.all.count
        for tree in root.all {
            tree.weight += 1
            total += 1
            expectEqual(recorder.take().map { $0.new as? Int }, [total])
        }
        let (gone, come) = (root.middle!, Tree(depth: 3))
        total += come.total - gone.total
        root.middle = come
        expectEqual(recorder.take().map { $0.new as? Int }, [total])
        for tree in gone.all { tree.weight += 1 }
        expectEqual(recorder.count, 0)
        for tree in come.all { tree.weight += 1 }
        expectEqual(recorder.take().map { $0.new as? Int }, come.all.indices.map { total + $0 + 1 })
        observation.remove()
        for tree in root.all { tree.weight += 1 }
        expectEqual(recorder.count, 0)
        // Everything is there again when it is observed again.
        try root.observe("total", options: [.new], recorder.handler())
        for tree in root.all { tree.weight += 1 }
        expectEqual(recorder.count, root.all.count)
    }

    @Test(
        "an object that many others depend on in two ways each: one call each",
        arguments: [1, 2, 3, 9, 17, 18, 19, 20, 60])
    func shared(count: Int) throws {
        let leaf = Fork()
        let forks = (0..<count).map { _ in Fork() }
        var calls: [Int] = []
        for (index, fork) in forks.enumerated() {
            try fork.observe("line") { _ in calls.append(2 * index) }
            try fork.observe("label") { _ in calls.append(2 * index + 1) }
            fork.left = leaf
        }
        // Each second way comes long after its first.
        for fork in forks.reversed() { fork.right = leaf }
        for _ in 0..<2 {
            calls = []
            leaf.value += 1
            expectEqual(calls.sorted(), Array(0..<2 * count))
        }
        calls = []
        forks.last!.left = nil
        forks.last!.right = nil
        expectEqual(calls.count, 4)
        calls = []
        leaf.value += 1
        expectEqual(calls.sorted(), Array(0..<2 * (count - 1)))
        withExtendedLifetime(forks) {}
    }

    /// The node's own property is on the way of each path, and what the path ends in is derived from it.
    @Test(
        "observations that one change reaches in two ways are called once each",
        arguments: [1, 2, 15, 16, 17, 18, 33, 70])
    func twoWays(count: Int) throws {
        let hubs = (0..<3).map { _ in Hub() }
        for hub in hubs { hub.source = hub }
        defer { for hub in hubs { hub.source = nil } }
        var calls: [[Int]] = [[], [], []]
        for index in 0..<count {
            for (which, hub) in hubs.enumerated() {
                try hub.observe("source.source.sourceValue") { _ in
                    calls[which].append(index)
                    // A delivery inside a delivery, and one inside that.
                    if index == [min(16, count - 1), count / 2, -1][which] { hubs[which + 1].source = hubs[which + 1] }
                }
            }
        }
        for _ in 0..<2 {
            calls = [[], [], []]
            hubs[0].source = hubs[0]
            expectEqual(calls, Array(repeating: Array(0..<count), count: 3))
        }
        for hub in hubs { hub.removeAllObservers() }
    }
}
