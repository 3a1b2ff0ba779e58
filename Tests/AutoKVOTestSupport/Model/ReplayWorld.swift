import AutoKVO

/// Observed objects whose observers change, remove and drop objects and observations from inside their handlers.
///
/// Which calls that makes is too much to work out beside it. What each observation was called with is replayed instead
/// (`ReplayLog`): the changes must follow from one another, in the order in which they were made, and lead to the value that is
/// there at the end of the step; and observations of the same path must have been called with the same. A handler that ignores the
/// change must have been called after the last change of what it observes, and once for each change.
public final class ReplayWorld: SteppedWorld {
    var held: [Int: ModelNode] = [:]
    var observers: [Int: AnyObject] = [:]
    var observations: [ReplayedObservation] = []
    var lastID = 0
    let tracker = LifetimeTracker()
    /// The properties that are being changed, but for those whose post calls are being made.
    var open: [(Int, String)] = []
    /// Whether objects may die, and others be notified of that, while a change is open.
    var mayDieInStore = false
    /// Whether a handler has dropped a node that lives on: the target of a call under way, say, which dies behind that call. Those who are called
    /// for its death do not know then which changes are open.
    var mayDieBehindCall = false
    var depth = 0
    /// How many more times handlers may do something in this step.
    var budget = 0
    var hasCoalesced = false
    /// How many changes of properties of each name there were in this step, if the world counts them: with an observer of each
    /// property of each node.
    var changeCounts: [String: Int] = [:]
    let countsChanges: Bool
    var problem: String?
    public private(set) var log: [String] = []
    let keepsLog: Bool

    public init(keepsLog: Bool = false, countsChanges: Bool = false) {
        (self.keepsLog, self.countsChanges) = (keepsLog, countsChanges)
        for _ in 0..<3 { makeNode() }
    }

    static let paths = [
        "n", "m", "next", "items", "up", "sum", "far", "deep", "next.n", "next.next.m", "next.far", "next.sum", "up.n",
        "n", "sum",
        "up.next.n", "next.up.n", "up.deep", "items.@count", "items.@sum.n", "items.@max.m", "next.items.@sum.n",
        "next.items",
        "items.@sum.far", "items.@unionOfObjects.next",
    ]
    static let options: [ObservingOptions] = [
        [], [], [], [.prior], [.distinct], [.once], [.initial], [.once, .prior],
    ]
    /// More than two batches of a traversal.
    static let mostObservations = 40

    /// Does a step. Returns what is wrong after it, or nil.
    public func perform(_ step: ModelStep) -> String? {
        budget = 40
        hasCoalesced = false
        mayDieBehindCall = false
        changeCounts = [:]
        for observation in observations { observation.callCount = 0 }
        for observation in observations { observation.logs.forEach { $0.beginStep() } }
        act(step)
        return problem ?? staleLog() ?? unequalLogs() ?? tooManyCalls()
    }

    /// Lets go of everything. Returns what is left of it, or nil.
    public func finish() -> String? {
        budget = 0
        for id in held.keys.sorted() { drop(id) }
        observers = [:]
        for observation in observations { (observation.observation, observation.callee) = (nil, nil) }
        observations = []
        return problem ?? (tracker.liveCount == 0 ? nil : "\(tracker.liveCount) nodes and closures are left at the end")
    }

    func act(_ step: ModelStep) {
        if problem != nil { return }
        // What a handler drops while a step uses it dies with the step, which is not the end of the change that is open then.
        var used = step.kind % 24 == 17 ? [] : [node(step.a), node(step.b)]
        defer {
            unannounced {
                withExtendedLifetime(used) {}
                used = []
            }
        }
        switch step.kind % 24 {
        case 0...5: change(step)
        case 6, 7: swap(step)
        case 8, 9: edit(step)
        case 10: setWeak(step)
        case 11...14: registerSome(step)
        case 15: remove(step)
        case 16: if lastID < 12 { makeNode() }
        // Without a reference, so that the node dies in `drop`.
        case 17: if held.count > 1, let id = node(step.a)?.id { drop(id) }
        case 18: dropObserver(step)
        case 19: rearm(step)
        case 20, 21:
            group(step, "coalescing") { _, body in
                hasCoalesced = true
                unannounced { coalescingChanges(body) }
            }
        case 22:
            group(step, "withMutation(of: n)") { node, body in
                announce(node, "n") { node.withMutation(of: "n", body) }
            }
        default:
            group(step, "will/did n") { node, body in
                announce(node, "n") {
                    node.willChangeValue(forKey: "n")
                    body()
                    node.didChangeValue(forKey: "n")
                }
            }
        }
    }

    func node(_ number: UInt8) -> ModelNode? {
        if held.isEmpty { return nil }
        return held[held.keys.sorted()[Int(number) % held.count]]
    }

    func makeNode() {
        lastID += 1
        let node = ModelNode(id: lastID)
        node.lifetime = tracker.token()
        held[lastID] = node
        note("n\(lastID) = Node()")
        if countsChanges {
            for key in ["n", "m", "next", "items", "up"] {
                _ = try! node.observe(key) { [weak self] _ in self?.changeCounts[key, default: 0] += 1 }
            }
        }
    }

    func announce(_ node: ModelNode, _ key: String, _ change: () -> Void) {
        open.append((node.id, key))
        change()
        open.removeLast()
    }

    /// Does what may call handlers without being a change of a property of this world's: a death, the end of a coalescing.
    func unannounced(_ body: () -> Void) {
        open.append((0, ""))
        body()
        open.removeLast()
    }

    func change(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        let value = Int(step.b % 5)
        let (key, form) = (step.c % 3 == 0 ? "m" : "n", ModelWriteForm(step.c / 3))
        note("n\(node.id).\(key) = \(value)\(form.name)")
        announce(node, key) { form.perform(node, key) { node.set(key, value, inPlace: step.b & 128 != 0) } }
    }

    func swap(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        var next = self.node(step.b)
        // References lead to younger nodes only, so that no cycle keeps them alive.
        if let other = next, other.id <= node.id || step.c % 5 == 0 { next = nil }
        note("n\(node.id).next = \(next.map { "n\($0.id)" } ?? "nil")")
        let wasMayDie = mayDieInStore
        var old = node.next
        if step.c % 2 == 0 {
            mayDieInStore = true
            old = nil
        }
        announce(node, "next") { node.next = next }
        mayDieInStore = wasMayDie
        unannounced {
            withExtendedLifetime(old) {}
            old = nil
        }
    }

    func edit(_ step: ModelStep) {
        // The inner one of two nested edits of one property is not announced, and so cannot be replayed.
        guard let node = node(step.a), !open.contains(where: { $0 == (node.id, "items") }) else { return }
        var old = node.items
        defer {
            unannounced {
                withExtendedLifetime(old) {}
                old = []
            }
        }
        let count = node.items.count
        let other = self.node(step.b).flatMap { $0.id > node.id ? $0 : nil }
        // Before an edit inside a handler, others may be called that edit the same array: an index need not be there any more.
        let index = count == 0 || depth > 0 ? 0 : Int(step.b) % count
        switch step.c % 6 {
        case 0 where other != nil && count < 5:
            note("n\(node.id).items.append(n\(other!.id))")
            announce(node, "items") { node.items.append(other!) }
        case 1 where other != nil && count < 5:
            note("n\(node.id).$items.insert(n\(other!.id), at: \(index))")
            announce(node, "items") { node.$items.insert(other!, at: index) }
        case 2 where count > 0 && depth == 0:
            note("n\(node.id).$items.remove(at: \(index))")
            announce(node, "items") { _ = node.$items.remove(at: index) }
        case 3 where count > 0 && other != nil && depth == 0:
            note("n\(node.id).$items[\(index)] = n\(other!.id)")
            announce(node, "items") { node.$items[index] = other! }
        case 4 where count > 0:
            note("n\(node.id).items = []")
            announce(node, "items") { node.items = [] }
        case 5 where other != nil && count < 5:
            note("n\(node.id).$items.append(n\(other!.id))")
            announce(node, "items") { node.$items.append(other!) }
        default: return
        }
    }

    func setWeak(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        let other = step.c % 4 == 0 ? nil : self.node(step.b)
        note("n\(node.id).up = \(other.map { "n\($0.id)" } ?? "nil")")
        announce(node, "up") { node.up = other }
    }

    func drop(_ id: Int) {
        note("drop n\(id)")
        // Not inside the access to the dictionary: the node's death may call handlers.
        var node = held.removeValue(forKey: id)
        weak let left = node
        unannounced {
            withExtendedLifetime(node) {}
            node = nil
        }
        if depth > 0, left != nil { mayDieBehindCall = true }
    }

    /// Several changes in one.
    func group(_ step: ModelStep, _ name: String, _ perform: (ModelNode, () -> Void) -> Void) {
        guard let node = node(step.a) else { return }
        var random = SplitMix64(seed: UInt64(step.a) << 16 | UInt64(step.b) << 8 | UInt64(step.c))
        note("\(name) n\(node.id) {")
        perform(node) {
            depth += 1
            for _ in 0..<1 + Int(step.b % 4) {
                var inner = ModelStep(using: &random)
                inner.kind = [0, 0, 6, 8, 10][Int(inner.kind) % 5]
                act(inner)
            }
            depth -= 1
        }
        note("}")
    }

    func note(_ line: @autoclosure () -> String) {
        if keepsLog { log.append(String(repeating: "  ", count: depth) + line()) }
    }
}
