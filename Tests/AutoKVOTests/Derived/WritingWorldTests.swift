import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Depth { var count = 0 }

/// Derived values whose functions write what others read, and what they read themselves; and keys that say what they are affected by.
private final class WritingNode: TrackedObject {
    @Observed var a = 0
    @Observed var b = 0
    @Observed var c = 0
    @Observed var most = 0
    @Observed var kids: [Int] = []
    @Observed var next: WritingNode?
    @ObservedWeak var up: WritingNode?
    @Observed var bound = 0
    /// How deep in functions, on all objects of a world; and how often each function ran.
    var depth = Depth()
    var computations: [String: Int] = [:]

    private func computing(_ key: String, _ body: () -> Int) -> Int {
        computations[key, default: 0] += 1
        depth.count += 1
        defer { depth.count -= 1 }
        return body()
    }

    @Derived({ (x: WritingNode) in
        x.computing("writer") {
            if x.b != x.a % 5 { x.b = x.a % 5 }
            return x.a + x.b
        }
    }) var writer: Int
    @Derived({ (x: WritingNode) in
        x.computing("raiser") {
            if let next = x.next, next.most < x.a { next.most = x.a }
            return x.a - (x.next?.most ?? 0)
        }
    }) var raiser: Int
    @Derived({ (x: WritingNode) in
        x.computing("linker") {
            if x.up !== x.next { x.up = x.next }
            return x.up?.a ?? -1
        }
    }) var linker: Int
    @Derived({ (x: WritingNode) in
        x.computing("trimmer") {
            if x.kids.count > 2 { x.$kids.edit { $0.removeFirst(max(0, $0.count - 2)) } }
            return x.kids.count * 10 + x.c
        }
    }) var trimmer: Int
    @Derived({ (x: WritingNode) in x.b + x.writer }) var after: Int
    @Derived({ (x: WritingNode) in x.writer + x.b + (x.next?.writer ?? 0) }) var before: Int
    @Derived({ (x: WritingNode) in x.a * 100 + x.b }) var beside: Int
    @Derived({ (x: WritingNode) in x.most + x.raiser + x.trimmer }) var all: Int
    var besideSource: Int { writer + a }
    var besideWritten: Int { writer + b }
    var behind: Int { besideSource + c }
    var far: Int { (next?.writer ?? 0) + a }
    var farther: Int { (next?.besideWritten ?? 0) + trimmer }
    var recorded: Int { besideWritten * 2 + raiser }

    override class var schema: Schema {
        Schema(WritingNode.self, extending: super.schema) {
            Key("besideSource", \.besideSource, affectedBy: "a", "writer")
            Key("besideWritten", \.besideWritten, affectedBy: "b", "writer")
            Key("behind", \.behind, affectedBy: "besideSource", "c")
            Key("far", \.far, affectedBy: "next.writer", "a")
            Key("farther", \.farther, affectedBy: "next.besideWritten", "trimmer")
            Key("recorded", \.recorded)
        }
    }

    static let derived = [
        "writer", "raiser", "linker", "trimmer", "after", "before", "beside", "all", "besideSource", "besideWritten",
        "behind", "far", "farther", "recorded",
    ]
    static let stored = ["a", "b", "c", "most"]

    /// What the functions return, where they have nothing to write any more.
    func reference(_ key: String) -> Int {
        switch key {
        case "a": a
        case "b": b
        case "c": c
        case "most": most
        case "writer": a + b
        case "raiser": a - (next?.most ?? 0)
        case "linker": up?.a ?? -1
        case "trimmer": kids.count * 10 + c
        case "after": b + a + b
        case "before": a + b + b + (next?.reference("writer") ?? 0)
        case "beside": a * 100 + b
        case "all": most + reference("raiser") + reference("trimmer")
        case "besideSource": a + b + a
        case "besideWritten": a + b + b
        case "behind": reference("besideSource") + c
        case "far": (next?.reference("writer") ?? 0) + a
        case "farther": (next?.reference("besideWritten") ?? 0) + reference("trimmer")
        case "recorded": reference("besideWritten") * 2 + reference("raiser")
        default: next?.reference(String(key.dropFirst(5))) ?? -99
        }
    }

    func reading(_ key: String) -> Int {
        switch key {
        case "writer": writer
        case "raiser": raiser
        case "linker": linker
        case "trimmer": trimmer
        case "after": after
        case "before": before
        case "beside": beside
        case "all": all
        case "besideSource": besideSource
        case "besideWritten": besideWritten
        case "behind": behind
        case "far": far
        case "farther": farther
        default: recorded
        }
    }
}

/// Changes objects at random, also in handlers, which read what is being computed.
private final class WritingWorld: RandomWorld {
    private let nodes = (0..<3).map { _ in WritingNode() }
    private let functions = Depth()
    private var watches: [Watch] = []
    private var bindings: [WritingNode] = []
    /// Whether handlers only record their changes, and neither read nor write.
    private lazy var isQuiet = pick(3) == 0
    private(set) var computations = 0
    private var isInexact = false

    private final class Watch {
        let (key, node): (String, WritingNode)
        var last: Int?
        var observation: KeyValueObservation?
        init(_ key: String, _ node: WritingNode) { (self.key, self.node) = (key, node) }
        var isStored: Bool { WritingNode.stored.contains(key) }
    }

    private var node: WritingNode { nodes[pick(nodes.count)] }
    private func name(_ node: WritingNode?) -> String {
        nodes.firstIndex { $0 === node }.map { "node \($0)" } ?? "nil"
    }

    func run(_ steps: Int) {
        for node in nodes { node.depth = functions }
        for step in 0..<steps where fault == nil {
            begin(
                nodes.map {
                    "\(name($0)): a \($0.a), b \($0.b), c \($0.c), most \($0.most), kids \($0.kids), next \(name($0.next)), up \(name($0.up))"
                }
                    + watches.map { "watches \(name($0.node)).\($0.key)" })
            for node in nodes { node.computations = [:] }
            let count = watches.count
            isInexact = false
            act()
            if isQuiet, watches.count == count, !isInexact { checkCounts() }
            compare(step)
        }
        for watch in watches { watch.observation?.remove() }
        for node in nodes {
            node.removeAllObservers()
            (node.next, node.up) = (nil, nil)
        }
    }

    /// Each once, and once more if it has written what it reads. Several raise one property.
    private func checkCounts() {
        for node in nodes {
            for (key, count) in node.computations where key != "raiser" {
                computations = max(computations, count)
                if count > 2 { fail("\(name(node)).\(key) was computed \(count) times") }
            }
        }
    }

    private func compare(_ step: Int) {
        for watch in watches where watch.last != watch.node.reference(watch.key) {
            fail(
                "step \(step): \(name(watch.node)).\(watch.key) is \(watch.node.reference(watch.key)), and its observer was told \(watch.last as Any)"
            )
        }
        for node in bindings where node.bound != node.reference("besideWritten") + node.reference("after") {
            fail("step \(step): \(name(node)).bound is \(node.bound)")
        }
        if pick(3) == 0 { read(node) }
    }

    private func read(_ node: WritingNode) {
        let key = WritingNode.derived[pick(WritingNode.derived.count)]
        let isNamed = pick(3) == 0
        note("\(name(node)): read \(key)")
        isInexact = true
        // Of what nobody needs, a first read may read what it then writes.
        _ = node.reading(key)
        let value = isNamed ? (try? node.value(forKey: key)) as? Int : node.reading(key)
        if value != node.reference(key) {
            fail("\(name(node)).\(key) reads \(value as Any), and is \(node.reference(key))")
        }
    }

    private func act() {
        let node = node
        let kind = pick(depth == 0 ? 20 : 13)
        note("\(name(node)): \(kind)")
        switch kind {
        case 0...2: node.a = pick(12)
        case 3, 4: node.b = pick(6)
        case 5: node.c = pick(6)
        case 6: node.most = pick(12)
        case 7:
            // A path that leads elsewhere may need a value at once.
            if held > 0 { isInexact = true }
            node.next = pick(4) == 0 ? nil : self.node
        case 8: node.$kids.append(pick(10))
        case 9: node.kids = (0..<pick(5)).map { $0 }
        case 10: node.$kids.edit { if !$0.isEmpty { $0.remove(at: 0) } }
        case 11: node.up = pick(3) == 0 ? nil : self.node
        case 12: read(node)
        case 13: if !watches.isEmpty, held == 0 { watches.remove(at: pick(watches.count)).observation?.remove() }
        case 14, 15: holding { coalescingChanges { for _ in 0..<3 { act() } } }
        case 16:
            holding {
                node.$a.withMutation {
                    node.a = pick(12)
                    self.node.c = pick(6)
                    self.node.b = pick(6)
                }
            }
        case 17 where held == 0 && bindings.count < 2 && !bindings.contains { $0 === node }:
            bindings.append(node)
            node.$bound.bind { [unowned node] in node.besideWritten + node.after }
        default: observe(node)
        }
    }

    private func observe(_ node: WritingNode) {
        if held > 0 || watches.count >= 12 { return }
        let keys = WritingNode.derived + WritingNode.stored
        let (key, kind) = (keys[pick(keys.count)], pick(5))
        // What only a path to a key with a path needs is computed for each change.
        if isQuiet, kind == 4, key.hasPrefix("far") { return }
        let watch = Watch(kind == 4 ? "next." + key : key, node)
        note("observe \(name(node)).\(watch.key), \(kind)")
        let actions = !isQuiet && pick(3) == 0 ? 1 + pick(2) : 0
        var options: ObservingOptions = [.old, .new]
        if pick(6) == 0 { options.insert(.prior) }
        if kind == 0, !watch.isStored {
            watch.observation = node.observe(reading: { $0.reading(key) }, options: options) {
                [unowned self] _, change in
                if !change.isPrior { told(watch, change.oldValue, change.newValue, actions) }
            }
        } else {
            do {
                watch.observation = try node.observe(watch.key, options: options) { [unowned self] change in
                    func number(_ value: Any?) -> Int? { value.map { $0 as? Int ?? -99 } }
                    if !change.isPrior { return told(watch, number(change.oldValue), number(change.newValue), actions) }
                    if actions > 0, depth < 2 {
                        depth += 1
                        holding { read(self.node) }
                        depth -= 1
                    }
                }
            } catch { fail("\(error)") }
        }
        watches.append(watch)
        for watch in watches where watch.observation === watches.last!.observation || watch.last == nil {
            watch.last = watch.node.reference(watch.key)
        }
    }

    private func told(_ watch: Watch, _ old: Int?, _ new: Int?, _ actions: Int) {
        note("\(name(watch.node)).\(watch.key): \(old as Any) to \(new as Any)")
        if functions.count == 0 || watch.isStored, new != watch.node.reference(watch.key) {
            fail("\(watch.key) was told to be \(new as Any), and is \(watch.node.reference(watch.key))")
        }
        if let last = watch.last, old != last, old != nil || !watch.key.hasPrefix("next") {
            fail("\(watch.key) was told to have been \(old as Any), and was told \(last)")
        }
        watch.last = new
        if depth >= 2 { return }
        depth += 1
        for _ in 0..<actions { if pick(2) == 0 || functions.count > 0 { read(node) } else { act() } }
        depth -= 1
    }
}

/// Derived values whose functions write, at random.
struct WritingWorldTests {
    @Test(
        "every observer ends on the value that is, each old value is the last new one, and reads are right",
        arguments: 0..<8)
    func worlds(part: Int) async {
        await search(100, part: part, WritingWorld.init) { world in
            Diagnostics.withHandler({ _ in }) { world.run(60) }
        }
    }
}
