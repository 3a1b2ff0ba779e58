import AutoKVO

/// Observed objects whose observers change, remove and drop objects and observations from inside their handlers.
///
/// Which calls that makes is too much to work out beside it. What each observation was called with is replayed instead
/// (`ReplayLog`): the changes must follow from one another, in the order in which they were made, and lead to the value that is
/// there at the end of the step; and observations of the same path must have been called with the same.
public final class ReplayWorld: SteppedWorld {
    private var held: [Int: ModelNode] = [:]
    private var observers: [Int: AnyObject] = [:]
    private var observations: [ReplayedObservation] = []
    private var lastID = 0
    private let tracker = LifetimeTracker()
    /// The properties that are being changed, but for those whose post calls are being made.
    private var open: [(Int, String)] = []
    /// Whether objects may die, and others be notified of that, while a change is open.
    private var mayDieInStore = false
    private var depth = 0
    /// How many more times handlers may do something in this step.
    private var budget = 0
    private var hasCoalesced = false
    private var problem: String?
    public private(set) var log: [String] = []
    private let keepsLog: Bool

    public init(keepsLog: Bool = false) {
        self.keepsLog = keepsLog
        for _ in 0..<3 { makeNode() }
    }

    private static let paths = [
        "n", "m", "next", "items", "up", "sum", "far", "deep", "next.n", "next.next.m", "next.far", "next.sum", "up.n",
        "n", "sum",
        "up.next.n", "next.up.n", "up.deep", "items.@count", "items.@sum.n", "items.@max.m", "next.items.@sum.n",
        "next.items",
        "items.@sum.far", "items.@unionOfObjects.next",
    ]
    private static let options: [ObservingOptions] = [
        [], [], [], [.prior], [.distinct], [.once], [.initial], [.once, .prior],
    ]

    // MARK: Steps

    /// Does a step. Returns what is wrong after it, or nil.
    public func perform(_ step: ModelStep) -> String? {
        budget = 40
        hasCoalesced = false
        for observation in observations { observation.logs.forEach { $0.beginStep() } }
        act(step)
        return problem ?? staleLog() ?? unequalLogs()
    }

    /// Lets go of everything. Returns what is left of it, or nil.
    public func finish() -> String? {
        budget = 0
        for id in held.keys.sorted() { drop(id) }
        observers = [:]
        for observation in observations { observation.observation = nil }
        observations = []
        return problem ?? (tracker.liveCount == 0 ? nil : "\(tracker.liveCount) nodes and closures are left at the end")
    }

    private func act(_ step: ModelStep) {
        if problem != nil { return }
        switch step.kind % 24 {
        case 0...5: change(step)
        case 6, 7: swap(step)
        case 8, 9: edit(step)
        case 10: setWeak(step)
        case 11...14: register(step)
        case 15: remove(step)
        case 16: if lastID < 12 { makeNode() }
        case 17: if held.count > 1, let node = node(step.a) { drop(node.id) }
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

    private func node(_ number: UInt8) -> ModelNode? {
        if held.isEmpty { return nil }
        return held[held.keys.sorted()[Int(number) % held.count]]
    }

    private func makeNode() {
        lastID += 1
        let node = ModelNode(id: lastID)
        node.lifetime = tracker.token()
        held[lastID] = node
        note("n\(lastID) = Node()")
    }

    private func announce(_ node: ModelNode, _ key: String, _ change: () -> Void) {
        open.append((node.id, key))
        change()
        open.removeLast()
    }

    /// Does what may call handlers without being a change of a property of this world's: a death, the end of a coalescing.
    private func unannounced(_ body: () -> Void) {
        open.append((0, ""))
        body()
        open.removeLast()
    }

    private func isOpen(_ node: ModelNode, _ key: String) -> Bool { open.contains { $0 == (node.id, key) } }

    private func change(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        let value = Int(step.b % 5)
        let key = step.c % 3 == 0 ? "m" : "n"
        note("n\(node.id).\(key) = \(value)")
        announce(node, key) { if key == "n" { node.n = value } else { node.m = value } }
    }

    private func swap(_ step: ModelStep) {
        guard let node = node(step.a), open.allSatisfy({ $0.0 == 0 }) else { return }
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

    private func edit(_ step: ModelStep) {
        // The inner one of two nested edits is not announced, and so cannot be replayed.
        guard let node = node(step.a), open.allSatisfy({ $0.0 == 0 }) else { return }
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

    private func setWeak(_ step: ModelStep) {
        guard let node = node(step.a), open.allSatisfy({ $0.0 == 0 }) else { return }
        let other = step.c % 4 == 0 ? nil : self.node(step.b)
        note("n\(node.id).up = \(other.map { "n\($0.id)" } ?? "nil")")
        announce(node, "up") { node.up = other }
    }

    private func drop(_ id: Int) {
        note("drop n\(id)")
        // Not inside the access to the dictionary: the node's death may call handlers.
        var node = held.removeValue(forKey: id)
        unannounced {
            withExtendedLifetime(node) {}
            node = nil
        }
    }

    private func dropObserver(_ step: ModelStep) {
        let number = 1 + Int(step.a) % 2
        note("observer \(number) = nil")
        let observer = observers.removeValue(forKey: number)
        withExtendedLifetime(observer) {}
    }

    /// Several changes in one.
    private func group(_ step: ModelStep, _ name: String, _ perform: (ModelNode, () -> Void) -> Void) {
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

    // MARK: Observing

    private func register(_ step: ModelStep) {
        // Who is added between a change's will and its did does not hear of it.
        guard open.isEmpty, !mayDieInStore, observations.count(where: { $0.isActive }) < 14, let target = node(step.a)
        else { return }
        var random = SplitMix64(
            seed: UInt64(step.kind) << 24 | UInt64(step.a) << 16 | UInt64(step.b) << 8 | UInt64(step.c))
        var paths = [Self.paths[Int(step.b) % Self.paths.count]]
        let second = Self.paths[Int(step.b &+ step.a) % Self.paths.count]
        if step.c % 7 == 0, second != paths[0] { paths.append(second) }
        let options = Self.options[Int(step.c / 3) % Self.options.count].union([.old, .new])
        let number = observations.count
        let record = ReplayedObservation(
            logs: paths.map { ReplayLog(target, $0) },
            actions: (0..<Int(step.c) % 3).map { _ in ModelStep(using: &random) })
        observations.append(record)
        let observer = Int(step.c / 2) % 3
        note(
            "o\(number) = n\(target.id).observe(\(paths), \(options)), observer \(observer), \(record.actions.count) actions"
        )
        let handle = { [weak self, token = tracker.token()] (change: Change<Any>) in
            token.touch()
            self?.didCall(number, record, change)
        }
        do {
            switch observer {
            case 0: record.observation = try target.observe(paths, options: options, handle)
            case 1:
                if observers[1] == nil { observers[1] = ModelTrackedObserver() }
                let object = observers[1] as! ModelTrackedObserver
                record.observation = try target.addObserver(object, forKeyPath: paths, options: options) {
                    (_: ModelTrackedObserver, change) in handle(change)
                }
            default:
                if observers[2] == nil { observers[2] = ModelPlainObserver() }
                let object = observers[2] as! ModelPlainObserver
                record.observation = try target.addObserver(object, forKeyPath: paths, options: options) {
                    (_: ModelPlainObserver, change) in handle(change)
                }
            }
        } catch {
            note("threw \(error)")
        }
    }

    private func didCall(_ number: Int, _ record: ReplayedObservation, _ change: Change<Any>) {
        guard problem == nil else { return }
        guard let log = record.logs.first(where: { $0.path == change.keyPath }) else {
            problem = "o\(number) was called for \(change.keyPath)"
            return
        }
        // Of several paths, what is coalesced calls for the one that changed last.
        if let wrong = log.add(change, isOldChecked: record.logs.count == 1 || !hasCoalesced) {
            problem = "o\(number): \(wrong)"
        }
        note("-> o\(number) \(change.isPrior ? "prior " : "")\(log.calls.last ?? log.path)")
        guard budget > 0, depth < 6 else { return }
        let outer = open
        if !change.isPrior, !open.isEmpty { open.removeLast() }
        depth += 1
        for action in record.actions where budget > 0 {
            budget -= 1
            act(action)
        }
        depth -= 1
        open = outer
    }

    private func remove(_ step: ModelStep) {
        guard !observations.isEmpty else { return }
        let number = Int(step.a) % observations.count
        note("o\(number).remove()")
        observations[number].observation?.remove()
    }

    private func rearm(_ step: ModelStep) {
        guard open.isEmpty, !mayDieInStore, !observations.isEmpty else { return }
        let number = Int(step.a) % observations.count
        let record = observations[number]
        guard let observation = record.observation, !observation.isValid, (try? observation.rearm()) != nil else {
            return
        }
        note("o\(number).rearm()")
        for log in record.logs {
            log.isComplete = false
            log.value = log.currentValue
        }
    }

    // MARK: Checking

    private func staleLog() -> String? {
        for (number, record) in observations.enumerated() where record.isActive {
            for log in record.logs {
                guard let current = log.currentValue else { continue }
                if record.logs.count > 1, hasCoalesced || log.value == nil {
                    log.value = current
                } else if log.value != current {
                    return
                        "o\(number) ends on \(log.value?.description ?? "nothing") for \(log.path) of n\(log.target), which is \(current)"
                }
            }
        }
        return nil
    }

    private func unequalLogs() -> String? {
        if hasCoalesced { return nil }
        var first: [String: (Int, ReplayLog)] = [:]
        for (number, record) in observations.enumerated() where record.isActive && record.hearsAll {
            for log in record.logs where log.isComplete && log.root != nil {
                let key = "\(log.target) \(log.path)"
                guard let (other, known) = first[key] else {
                    first[key] = (number, log)
                    continue
                }
                if known.calls != log.calls {
                    return "o\(other) was called with \(known.calls), o\(number) with \(log.calls)"
                }
            }
        }
        return nil
    }

    private func note(_ line: @autoclosure () -> String) {
        if keepsLog { log.append(String(repeating: "  ", count: depth) + line()) }
    }
}

/// An observation, its logs, and what its handler does.
private final class ReplayedObservation {
    /// One for each path.
    let logs: [ReplayLog]
    let actions: [ModelStep]
    var observation: KeyValueObservation?

    init(logs: [ReplayLog], actions: [ModelStep]) { (self.logs, self.actions) = (logs, actions) }

    var isActive: Bool { observation?.isValid ?? false }
    var hearsAll: Bool { observation?.options.isDisjoint(with: [.once, .distinct]) ?? false }
}
