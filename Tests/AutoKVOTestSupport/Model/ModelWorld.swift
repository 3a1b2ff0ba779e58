import AutoKVO

/// Observed objects and, beside them, the reference: plain records from which every observed value is worked out anew.
///
/// A step is done to the objects and to the records. Then each observation must have been called exactly as often as the
/// records say, with the values they say.
public final class ModelWorld: SteppedWorld {
    var held: [Int: ModelNode] = [:]
    var nodes: [Int: ReferenceNode] = [:]
    var observations: [ReferenceObservation] = []
    var observers: [Int: AnyObject] = [:]
    var lastID = 0
    var calls: [ModelCall] = []
    var expected: [ModelCall] = []
    /// What a coalescing under way has to tell, by observation.
    var heldBack: [(observation: ReferenceObservation, route: (Int, String), call: ModelCall)]?
    /// References that an assignment or a death has taken away and that are yet to be let go of.
    var leaving: [Int] = []
    let tracker = LifetimeTracker()
    /// What each step did, in words.
    public private(set) var log: [String] = []
    let keepsLog: Bool

    public init(keepsLog: Bool = false) {
        self.keepsLog = keepsLog
        for _ in 0..<3 { makeNode() }
    }

    static let paths = [
        "n", "m", "next", "items", "up", "sum", "far", "deep", "next.n", "next.next.m", "next.far", "next.sum", "up.n",
        "up.next.n", "next.up.n", "up.deep", "items.@count", "items.@sum.n", "items.@max.m", "next.items.@sum.n",
        "items.@sum.far", "items.@unionOfObjects.next",
    ]
    static let options: [ObservingOptions] = [
        [], [.new], [.old, .new], [.old, .new], [.old, .new, .prior], [.old, .new, .distinct], [.once, .new],
        [.initial, .new], [.once, .prior], [.once, .distinct, .new], [.old, .new, .prior, .distinct],
    ]
    /// More than two batches of a traversal.
    static let mostObservations = 40

    /// Does a step. Returns what is wrong after it, or nil.
    public func perform(_ step: ModelStep) -> String? {
        calls = []
        expected = []
        switch step.kind % 24 {
        case 0...3: change(step)
        case 4: changeTwo(step)
        case 5, 6: swap(step)
        case 7, 8: edit(step)
        case 9: setWeak(step)
        case 10...13: registerSome(step)
        case 14: remove(step)
        case 15: removePath(step)
        case 16: if nodes.count < 10 { makeNode() }
        case 17, 18: drop(step)
        case 19: dropObserver(step)
        case 20: rearm(step)
        case 21, 22: coalesce(step)
        default: removeByTarget(step)
        }
        return problem()
    }

    /// Lets go of everything. Returns what is left of it, or nil.
    public func finish() -> String? {
        calls = []
        expected = []
        for id in held.keys.sorted() { kill(heldBy: id) }
        observers = [:]
        for observation in observations where observation.observer != nil { observation.isLive = false }
        observations = []
        calls = []
        return tracker.liveCount == 0 ? nil : "\(tracker.liveCount) nodes and closures are left at the end"
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
        nodes[lastID] = ReferenceNode(id: lastID)
        note("n\(lastID) = Node()")
    }

    func change(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        let (key, value, form) = (step.c % 2 == 0 ? "n" : "m", Int(step.b % 5), ModelWriteForm(step.c / 2))
        note("n\(node.id).\(key) = \(value)\(form.name)")
        announce(node.id, key) { nodes[node.id]!.set(key, value) }
        form.perform(node, key) { node.set(key, value, inPlace: step.c & 64 != 0) }
    }

    /// Two changes of one object, one inside the other, or the one that began first ending first.
    func changeTwo(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        let record = nodes[node.id]!
        let (first, second) = step.c % 2 == 0 ? ("n", "m") : ("m", "n")
        let (value, other, endsFirst) = (Int(step.b % 5), Int(step.b / 5 % 5), step.c & 2 != 0)
        note("n\(node.id): \(first) = \(value) \(endsFirst ? "and" : "around") \(second) = \(other)")
        let outer = begin(node.id, first)
        node.willChangeValue(forKey: first)
        if step.c & 4 != 0 {
            record.set(first, value)
            node.set(first, value, inPlace: step.c & 16 != 0)
        }
        let inner = begin(node.id, second, inside: outer)
        node.willChangeValue(forKey: second)
        record.set(second, other)
        node.set(second, other, inPlace: step.c & 32 != 0)
        if endsFirst {
            let shared = concernedByBoth(outer, node.id, second)
            end(outer, leavingOut: shared)
            node.didChangeValue(forKey: first)
            record.set(second, value)
            node.set(second, value, inPlace: false)
            end(ModelChange(concerned: shared.concerned + inner.concerned))
            node.didChangeValue(forKey: second)
        } else {
            end(inner)
            node.didChangeValue(forKey: second)
            record.set(first, other)
            node.set(first, other, inPlace: false)
            end(outer)
            node.didChangeValue(forKey: first)
        }
    }

    private func concernedByBoth(_ change: ModelChange, _ id: Int, _ key: String) -> ModelChange {
        ModelChange(concerned: change.concerned.filter { touches($0.route.0, $0.route.1[...], id, key) })
    }

    func swap(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        var next = self.node(step.b)
        // References lead to younger nodes only, so that no cycle keeps them alive.
        if let other = next, other.id <= node.id || step.c % 5 == 0 { next = nil }
        let record = nodes[node.id]!
        if heldBack != nil, let old = record.next, held[old] == nil { return }
        let replaced = record.next
        // What dies inside another form of a change dies while the change is open, which the reference does not know.
        let form = replaced.map { held[$0] == nil } ?? false ? .plain : ModelWriteForm(step.c / 5)
        note("n\(node.id).next = \(next.map { "n\($0.id)" } ?? "nil")\(form.name)")
        announce(node.id, "next") { record.next = next?.id }
        form.perform(node, "next") { node.next = next }
        next = nil
        if let replaced { release([replaced]) }
    }

    func edit(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        let record = nodes[node.id]!
        let count = record.items.count
        let other = self.node(step.b).flatMap { $0.id > node.id ? $0 : nil }
        let form = ModelWriteForm(step.c / 5)
        switch step.c % 5 {
        case 0 where other != nil && count < 5:
            note("n\(node.id).items.append(n\(other!.id))\(form.name)")
            announce(node.id, "items") { record.items.append(other!.id) }
            form.perform(node, "items") { node.items.append(other!) }
        case 1 where other != nil && count < 5:
            note("n\(node.id).$items.insert(n\(other!.id), at: 0)\(form.name)")
            announce(node.id, "items", kind: form == .plain ? .insertion : .setting) {
                record.items.insert(other!.id, at: 0)
            }
            form.perform(node, "items") { node.$items.insert(other!, at: 0) }
        case 2 where count > 0:
            let index = Int(step.b) % count
            if heldBack != nil, held[record.items[index]] == nil { return }
            note("n\(node.id).$items.remove(at: \(index))")
            let removed = record.items[index]
            announce(node.id, "items", kind: .removal) { record.items.remove(at: index) }
            node.$items.remove(at: index)
            release([removed])
        case 3 where count > 0:
            if heldBack != nil, record.items.contains(where: { held[$0] == nil }) { return }
            note("n\(node.id).items = []")
            let removed = record.items
            announce(node.id, "items") { record.items = [] }
            node.items = []
            release(removed)
        default: return
        }
    }

    func setWeak(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        let other = step.c % 4 == 0 ? nil : self.node(step.b)
        let form = ModelWriteForm(step.c / 4)
        note("n\(node.id).up = \(other.map { "n\($0.id)" } ?? "nil")\(form.name)")
        announce(node.id, "up") { self.nodes[node.id]!.up = other?.id }
        form.perform(node, "up") { node.up = other }
    }

    func note(_ line: @autoclosure () -> String) {
        if keepsLog { log.append(line()) }
    }
}
