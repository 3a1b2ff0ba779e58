import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// Stored properties, and derived ones of three levels that read each other through objects, elements and weak references.
private final class WorldNode: TrackedObject {
    @Observed var n = 0
    @Observed var m = 0
    @Observed var flag = false
    @Observed var next: WorldNode?
    @Observed var items: [WorldNode] = []
    @ObservedWeak var up: WorldNode?

    @Derived({ (node: WorldNode) in node.count("sum", node.n + node.m) }) var sum: Int
    @Derived({ (node: WorldNode) in node.count("chosen", node.flag ? node.n : node.next?.m ?? -1) }) var chosen: Int
    @Derived({ (node: WorldNode) in node.count("total", node.items.reduce(0) { $0 + $1.n }) }) var total: Int
    @Derived({ (node: WorldNode) in node.count("stop", node.sum / 4) }) var stop: Int
    @Derived({ (node: WorldNode) in node.count("above", node.up?.sum ?? -7) }) var above: Int
    @Derived({ (node: WorldNode) in
        node.count("chained", node.stop + (node.next?.stop ?? 0) + node.items.reduce(0) { $0 + $1.stop })
    }) var chained: Int
    /// How often each of these was computed in the step.
    var computations: [String: Int] = [:]

    private func count(_ key: String, _ value: Int) -> Int {
        computations[key, default: 0] += 1
        return value
    }

    var computed: Int { chosen * 2 + (next?.total ?? 0) }

    override class var schema: Schema {
        Schema(WorldNode.self, extending: super.schema) {
            Key("computed", \.computed)
            Key("twice", \.twice, affectedBy: "sum", "next.stop")
        }
    }
    var twice: Int { sum * 2 + (next?.stop ?? 0) }

    static let keys = ["n", "sum", "chosen", "total", "stop", "above", "chained", "computed", "twice"]

    /// What the functions return, computed from what is stored.
    func reference(_ key: String) -> Int {
        switch key {
        case "n": n
        case "sum": n + m
        case "chosen": flag ? n : next?.m ?? -1
        case "total": items.reduce(0) { $0 + $1.n }
        case "stop": reference("sum") / 4
        case "above": up?.reference("sum") ?? -7
        case "chained":
            reference("stop") + (next?.reference("stop") ?? 0) + items.reduce(0) { $0 + $1.reference("stop") }
        case "computed": reference("chosen") * 2 + (next?.reference("total") ?? 0)
        case "twice": reference("sum") * 2 + (next?.reference("stop") ?? 0)
        default: next?.reference(String(key.dropFirst(5))) ?? -99
        }
    }
}

/// Changes objects at random, also in handlers, and compares what observers are told with plain computations.
private final class DerivedWorld: RandomWorld {
    private var nodes: [WorldNode] = []
    private struct Made { weak var node: WorldNode? }
    private var made: [Made] = []
    private var watches: [Watch] = []
    /// How many actions there were in the step, and the last one.
    private var (actionCount, lastKind) = (0, 0)

    /// One observation and what it was told last.
    private final class Watch {
        let key: String
        let isPath: Bool
        weak var node: WorldNode?
        var last: Int?
        /// How often it was called in the step, but for prior calls.
        var calls = 0
        var observation: KeyValueObservation?
        init(_ key: String, _ node: WorldNode, isPath: Bool) {
            (self.key, self.node, self.isPath) = (key, node, isPath)
        }
        var reference: Int? { node?.reference(key) }
    }

    override init(seed: Int) {
        super.init(seed: seed)
        for _ in 0..<6 { nodes.append(WorldNode()) }
        made = nodes.map { Made(node: $0) }
    }

    private var node: WorldNode { nodes[pick(nodes.count)] }
    private func name(_ node: WorldNode?) -> String {
        guard let node else { return "nil" }
        return nodes.firstIndex { $0 === node }.map { "node \($0)" } ?? "a former node"
    }

    func run(_ steps: Int) {
        for step in 0..<steps where fault == nil {
            begin(nodes.map { "\(name($0)): n \($0.n), m \($0.m), flag \($0.flag), next \(name($0.next))" })
            let observed = watches.filter { $0.observation?.isValid ?? false }
            for each in made { each.node?.computations = [:] }
            for watch in observed { watch.calls = 0 }
            actionCount = 0
            act()
            // One change of one property, and no death.
            if fault == nil, actionCount == 1, lastKind <= 12 { count(observed, step) }
            if fault == nil { compare(step) }
            if fault == nil { for each in made { each.node?.record?.checkExpressions() } }
        }
        let observations = watches.compactMap(\.observation)
        for observation in observations { observation.remove() }
        // Those that refer to each other would keep each other alive.
        for each in made { if let node = each.node { (node.next, node.items) = (nil, []) } }
    }

    /// A change calls nobody twice, and computes nothing twice that somebody needs.
    private func count(_ observed: [Watch], _ step: Int) {
        for watch in observed where watch.calls > 1 { fail("step \(step): \(watch.key) was told \(watch.calls) times") }
        for watch in observed where !watch.isPath {
            let computations = watch.node?.computations[watch.key] ?? 0
            if computations > 1 { fail("step \(step): \(watch.key) was computed \(computations) times") }
        }
    }

    private func compare(_ step: Int) {
        for watch in watches where watch.observation?.isValid ?? false {
            if let reference = watch.reference, reference != watch.last {
                fail(
                    "step \(step): \(watch.key) is \(reference), and its observer was told \(watch.last.map(String.init) ?? "nothing")"
                )
            }
        }
        for node in nodes {
            let values = [node.sum, node.chosen, node.total, node.stop, node.above, node.chained]
            let keys = ["sum", "chosen", "total", "stop", "above", "chained"]
            for (key, value) in zip(keys, values) where value != node.reference(key) {
                fail("step \(step): \(key) reads \(value), and is \(node.reference(key))")
            }
        }
    }

    private func act() {
        let node = node
        let kind = pick(depth == 0 ? 22 : 16)
        (actionCount, lastKind) = (actionCount + 1, kind)
        note("\(name(node)): \(kind)")
        switch kind {
        case 0...3: node.n = pick(8)
        case 4, 5: node.m = pick(8)
        case 6: node.flag.toggle()
        case 7: node.next = pick(4) == 0 ? nil : self.node
        case 8: node.items.append(self.node)
        case 9: node.$items.append(self.node)
        case 10: node.$items.edit { if !$0.isEmpty { $0.removeLast() } }
        case 11: node.items = []
        case 12: node.up = pick(4) == 0 ? nil : self.node
        case 13: if watches.count < 40 { observe(node) }
        case 14: if !watches.isEmpty { watches.remove(at: pick(watches.count)).observation?.remove() }
        case 15:
            let node = WorldNode()
            made.append(Made(node: node))
            node.n = pick(8)
            // Released behind the access: its death is a change.
            let place = pick(nodes.count)
            let former = nodes[place]
            nodes[place] = node
            withExtendedLifetime(former) {}
        case 16, 17:
            holding { coalescingChanges { for _ in 0..<3 { act() } } }
        case 18:
            holding {
                node.$n.withMutation {
                    node.n = pick(8)
                    self.node.m = pick(8)
                }
            }
        default: observe(node)
        }
    }

    private func observe(_ node: WorldNode) {
        // One that is added where changes are held back, or in a change that is open, is not told of that change.
        if held > 0 || watches.count >= 40 { return }
        let key = WorldNode.keys[pick(WorldNode.keys.count)]
        let kind = pick(4)
        let watch = Watch(kind == 3 ? "next." + key : key, node, isPath: kind == 3)
        let actions = pick(5) == 0 ? 1 + pick(2) : 0
        watch.last = watch.reference
        var options: ObservingOptions = [.old, .new]
        if pick(5) == 0 { options.insert(.prior) }
        if kind == 0 {
            watch.observation = node.observe(reading: { $0.reading(key) }, options: options) {
                [unowned self] _, change in
                if change.isPrior { return self.toldBefore(watch, change.oldValue, actions) }
                self.told(watch, change.oldValue, change.newValue, actions)
            }
        } else {
            do {
                watch.observation = try node.observe(watch.key, options: options) { [unowned self] change in
                    if change.isPrior {
                        return self.toldBefore(watch, change.oldValue.map { $0 as? Int ?? -99 }, actions)
                    }
                    // Of a path that a handler has moved to what is being changed the old value is not known.
                    let old = change.oldValue.map { $0 as? Int ?? -99 } ?? (watch.isPath ? watch.last : nil)
                    self.told(watch, old, change.newValue as? Int ?? -99, actions)
                }
            } catch { fail("\(error)") }
        }
        watches.append(watch)
    }

    private func toldBefore(_ watch: Watch, _ old: Int?, _ actions: Int) {
        note("\(name(watch.node)).\(watch.key) is to change from \(old as Any)")
        if old != watch.last {
            fail("\(watch.key) was told to be \(old as Any) before a change, and was told \(watch.last as Any)")
        }
        if let node = watch.node, !watch.isPath, node.reading(watch.key) != watch.reference {
            fail("\(watch.key) reads \(node.reading(watch.key)) before a change, and is \(watch.reference as Any)")
        }
        if depth >= 3 { return }
        depth += 1
        holding { for _ in 0..<actions { act() } }
        depth -= 1
    }

    private func told(_ watch: Watch, _ old: Int?, _ new: Int?, _ actions: Int) {
        note("\(name(watch.node)).\(watch.key): \(old as Any) to \(new as Any)")
        // A weak reference is nil from the moment at which its object dies. Who is still to be told of a change from before is told of that first.
        let hasLostReferent = watch.key.hasSuffix("above") && watch.reference == -7
        if new != watch.reference, !hasLostReferent {
            fail("\(watch.key) was told to be \(new as Any), and is \(watch.reference as Any)")
        }
        if old != watch.last {
            fail("\(watch.key) was told to have been \(old as Any), and was told \(watch.last as Any)")
        }
        if old == new, !watch.isPath, !["n", "twice"].contains(watch.key) {
            fail("\(watch.key) was told to be \(new as Any) again")
        }
        (watch.last, watch.calls) = (new, watch.calls + 1)
        if depth >= 3 { return }
        depth += 1
        for _ in 0..<actions { act() }
        depth -= 1
    }
}

extension WorldNode {
    func reading(_ key: String) -> Int {
        switch key {
        case "n": n
        case "sum": sum
        case "chosen": chosen
        case "total": total
        case "stop": stop
        case "above": above
        case "chained": chained
        case "computed": computed
        default: twice
        }
    }
}

/// Derived values at random.
struct DerivedWorldTests {
    @Test("every observer ends on the value that is, and each old value is the last new one", arguments: 0..<8)
    func worlds(part: Int) async {
        await search(96, part: part, DerivedWorld.init) { $0.run(150) }
    }
}
