import AutoKVO

/// Observed objects and, beside them, the reference: plain records from which every observed value is worked out anew.
///
/// A step is done to the objects and to the records. Then each observation must have been called exactly as often as the
/// records say, with the values they say.
public final class ModelWorld: SteppedWorld {
    private var held: [Int: ModelNode] = [:]
    var nodes: [Int: ReferenceNode] = [:]
    private var observations: [ReferenceObservation] = []
    private var observers: [Int: AnyObject] = [:]
    private var lastID = 0
    private var calls: [ModelCall] = []
    private var expected: [ModelCall] = []
    /// What a coalescing under way has to tell, by observation.
    private var heldBack: [(observation: ReferenceObservation, call: ModelCall)]?
    /// References that an assignment or a death has taken away and that are yet to be let go of.
    private var leaving: [Int] = []
    private let tracker = LifetimeTracker()
    /// What each step did, in words.
    public private(set) var log: [String] = []
    private let keepsLog: Bool

    public init(keepsLog: Bool = false) {
        self.keepsLog = keepsLog
        for _ in 0..<3 { makeNode() }
    }

    private static let paths = [
        "n", "m", "next", "items", "up", "sum", "far", "deep", "next.n", "next.next.m", "next.far", "next.sum", "up.n",
        "up.next.n", "next.up.n", "up.deep", "items.@count", "items.@sum.n", "items.@max.m", "next.items.@sum.n",
        "items.@sum.far", "items.@unionOfObjects.next",
    ]
    private static let options: [ObservingOptions] = [
        [], [.new], [.old, .new], [.old, .new], [.old, .new, .prior], [.old, .new, .distinct], [.once, .new],
        [.initial, .new],
    ]

    // MARK: Steps

    /// Does a step. Returns what is wrong after it, or nil.
    public func perform(_ step: ModelStep) -> String? {
        calls = []
        expected = []
        switch step.kind % 24 {
        case 0...4: change(step)
        case 5, 6: swap(step)
        case 7, 8: edit(step)
        case 9: setWeak(step)
        case 10...13: register(step)
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

    private func node(_ number: UInt8) -> ModelNode? {
        if held.isEmpty { return nil }
        return held[held.keys.sorted()[Int(number) % held.count]]
    }

    private func makeNode() {
        lastID += 1
        let node = ModelNode(id: lastID)
        node.lifetime = tracker.token()
        held[lastID] = node
        nodes[lastID] = ReferenceNode(id: lastID)
        note("n\(lastID) = Node()")
    }

    private func change(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        let value = Int(step.b % 5)
        let key = step.c % 2 == 0 ? "n" : "m"
        note("n\(node.id).\(key) = \(value)")
        let record = nodes[node.id]!
        announce(node.id, key) { if key == "n" { record.n = value } else { record.m = value } }
        if key == "n" { node.n = value } else { node.m = value }
    }

    private func swap(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        var next = self.node(step.b)
        // References lead to younger nodes only, so that no cycle keeps them alive.
        if let other = next, other.id <= node.id || step.c % 5 == 0 { next = nil }
        let record = nodes[node.id]!
        if heldBack != nil, let old = record.next, held[old] == nil { return }
        note("n\(node.id).next = \(next.map { "n\($0.id)" } ?? "nil")")
        let replaced = record.next
        announce(node.id, "next") { record.next = next?.id }
        node.next = next
        next = nil
        if let replaced { release([replaced]) }
    }

    private func edit(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        let record = nodes[node.id]!
        let count = record.items.count
        let other = self.node(step.b).flatMap { $0.id > node.id ? $0 : nil }
        switch step.c % 5 {
        case 0 where other != nil && count < 5:
            note("n\(node.id).items.append(n\(other!.id))")
            announce(node.id, "items") { record.items.append(other!.id) }
            node.items.append(other!)
        case 1 where other != nil && count < 5:
            note("n\(node.id).$items.insert(n\(other!.id), at: 0)")
            announce(node.id, "items", kind: .insertion) { record.items.insert(other!.id, at: 0) }
            node.$items.insert(other!, at: 0)
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

    private func setWeak(_ step: ModelStep) {
        guard let node = node(step.a) else { return }
        let other = step.c % 4 == 0 ? nil : self.node(step.b)
        note("n\(node.id).up = \(other.map { "n\($0.id)" } ?? "nil")")
        announce(node.id, "up") { self.nodes[node.id]!.up = other?.id }
        node.up = other
    }

    private func register(_ step: ModelStep) {
        guard observations.count(where: \.isLive) < 12, let first = node(step.a) else { return }
        var paths = [Self.paths[Int(step.b) % Self.paths.count]]
        var targets = [first]
        if step.c % 7 == 0 { paths.append(Self.paths[Int(step.b &+ step.a) % Self.paths.count]) }
        if step.c % 11 == 0, let second = node(step.a &+ 1), second !== first { targets.append(second) }
        if paths.count == 2, paths[0] == paths[1] { paths.removeLast() }
        var options = Self.options[Int(step.c / 3) % Self.options.count]
        // Which of several paths `coalescingChanges` delivers, and so what was before, is not the reference's to say.
        if targets.count * paths.count > 1 { options.remove(.distinct) }
        let observer = Int(step.c) % 3
        let reference = ReferenceObservation(
            roads: targets.flatMap { target in paths.map { (target.id, $0) } }, options: options,
            observer: observer == 0 ? nil : observer,
            isGroup: targets.count * paths.count > 1)
        note(
            "o\(observations.count) = \(targets.map { "n\($0.id)" }).observe(\(paths), \(options)), observer \(observer)"
        )
        if options.contains(.initial) {
            for (root, path) in reference.roads { expect(reference, path, old: nil, new: value(root, path[...])) }
        }
        observations.append(reference)
        let number = observations.count - 1
        let handle = { [unowned self, token = tracker.token()] (change: Change<Any>) in
            token.touch()
            self.calls.append(
                ModelCall(
                    observation: number, path: change.keyPath, kind: change.kind, isPrior: change.isPrior,
                    old: change.oldValue.map(describeModelValue), new: change.newValue.map(describeModelValue)))
        }
        do {
            switch observer {
            case 0: reference.observation = try targets.observe(paths, options: options, handle)
            case 1:
                let object = self.observer(1) { ModelTrackedObserver() } as! ModelTrackedObserver
                reference.observation = try targets.addObserver(object, forKeyPath: paths, options: options) {
                    (_: ModelTrackedObserver, change) in handle(change)
                }
            default:
                let object = self.observer(2) { ModelPlainObserver() } as! ModelPlainObserver
                reference.observation = try targets.addObserver(object, forKeyPath: paths, options: options) {
                    (_: ModelPlainObserver, change) in handle(change)
                }
            }
        } catch {
            note("threw \(error)")
        }
        if reference.observation == nil { reference.isLive = false }
    }

    private func observer(_ number: Int, _ make: () -> AnyObject) -> AnyObject {
        if let observer = observers[number] { return observer }
        let observer = make()
        observers[number] = observer
        return observer
    }

    private func remove(_ step: ModelStep) {
        guard !observations.isEmpty else { return }
        let observation = observations[Int(step.a) % observations.count]
        note("o\(Int(step.a) % observations.count).remove()")
        observation.observation?.remove()
        observation.isLive = false
        observation.hasFired = false
    }

    private func removePath(_ step: ModelStep) {
        guard !observations.isEmpty else { return }
        let number = Int(step.a) % observations.count
        let observation = observations[number]
        guard observation.isLive, let path = observation.roads.first?.1 else { return }
        note("o\(number).remove(keyPath: \(path))")
        observation.observation?.remove(keyPath: path)
        observation.roads.removeAll { $0.1 == path }
        if observation.roads.isEmpty { observation.isLive = false }
    }

    private func removeByTarget(_ step: ModelStep) {
        guard let node = node(step.a), observers[1] != nil else { return }
        note("observer 1.stopObserving(of: n\(node.id))")
        (observers[1] as! ModelTrackedObserver).stopObserving(of: node)
        for observation in observations where observation.isLive && observation.observer == 1 {
            observation.roads.removeAll { $0.0 == node.id }
            if observation.roads.isEmpty { observation.isLive = false }
        }
    }

    private func rearm(_ step: ModelStep) {
        guard !observations.isEmpty else { return }
        let number = Int(step.a) % observations.count
        let observation = observations[number]
        guard observation.hasFired, observation.roads.contains(where: { nodes[$0.0] != nil }) else { return }
        if let observer = observation.observer, observers[observer] == nil || observation.observerIsGone { return }
        note("o\(number).rearm()")
        do {
            try observation.observation?.rearm()
            observation.roads.removeAll { nodes[$0.0] == nil }
            observation.isLive = true
            observation.hasFired = false
        } catch {
            calls.append(
                ModelCall(
                    observation: number, path: "rearm() threw", kind: .setting, isPrior: false, old: nil, new: nil))
        }
    }

    private func coalesce(_ step: ModelStep) {
        guard heldBack == nil else { return }
        heldBack = []
        var random = SplitMix64(seed: UInt64(step.a) << 16 | UInt64(step.b) << 8 | UInt64(step.c))
        note("coalescing {")
        coalescingChanges {
            for index in 0..<Int(step.a % 6) {
                var inner = ModelStep(using: &random)
                inner.kind = [0, 0, 5, 7, 9][Int(inner.kind) % 5]
                if index == 2 {
                    coalescingChanges { act(inner) }
                } else {
                    act(inner)
                }
            }
            let told = heldBack!
            heldBack = nil
            for (observation, call) in told where observation.isLive {
                if observation.options.contains(.distinct), call.kind == .setting, call.old == call.new,
                    isComparable(call.path)
                {
                    continue
                }
                expected.append(call)
                fire(observation)
            }
        }
        note("}")
    }

    private func act(_ step: ModelStep) {
        switch step.kind {
        case 0: change(step)
        case 5: swap(step)
        case 7: edit(step)
        default: setWeak(step)
        }
    }

    // MARK: Deaths

    private func drop(_ step: ModelStep) {
        guard held.count > 1, let node = node(step.a) else { return }
        kill(heldBy: node.id)
    }

    private func kill(heldBy id: Int) {
        note("drop n\(id)")
        // The reference first says who is told, then the objects may die.
        nodes[id]!.isHeld = false
        release([id])
        held[id] = nil
    }

    /// Follows in the records what the objects do when references to them go, one after the other: an object dies with its
    /// last, and then lets go of what it refers to, in the order of its properties and of the elements.
    private func release(_ ids: [Int]) {
        leaving += ids
        for id in ids {
            leaving.remove(at: leaving.firstIndex(of: id)!)
            let isWanted = leaving.contains(id) || nodes.values.contains { $0.next == id || $0.items.contains(id) }
            if !isWanted, !nodes[id]!.isHeld { die(id) }
        }
    }

    private func die(_ id: Int) {
        for observation in observations where observation.isLive {
            observation.roads.removeAll { $0.0 == id }
            if observation.roads.isEmpty { observation.isLive = false }
        }
        let holders = nodes.values.filter { $0.up == id && $0.id != id }.map(\.id).sorted()
        let concerned = holders.map { holder in (holder, self.concerned(holder, "up")) }
        for holder in holders { nodes[holder]!.up = nil }
        for (_, concerned) in concerned {
            for (observation, roads) in concerned where observation.isLive {
                for road in roads where observation.isLive {
                    expect(observation, road.1, old: nil, new: value(road.0, road.1[...]))
                    fire(observation)
                }
            }
        }
        let node = nodes.removeValue(forKey: id)!
        release([node.next].compactMap { $0 } + node.items)
    }

    private func dropObserver(_ step: ModelStep) {
        let number = 1 + Int(step.a) % 2
        guard observers[number] != nil else { return }
        note("observer \(number) = nil")
        for observation in observations where observation.observer == number {
            observation.isLive = false
            observation.hasFired = false
            observation.observerIsGone = true
        }
        observers[number] = nil
    }

    // MARK: The reference

    private func concerned(_ id: Int, _ key: String) -> [(ReferenceObservation, [(Int, String)])] {
        observations.filter(\.isLive).compactMap { observation in
            let roads = observation.roads.filter { touches($0.0, $0.1[...], id, key) }
            return roads.isEmpty ? nil : (observation, roads)
        }
    }

    /// A property changes: notes in the records who must be told, and of what.
    private func announce(_ id: Int, _ key: String, kind: ChangeKind = .setting, _ change: () -> Void) {
        let concerned = concerned(id, key).flatMap { observation, roads in
            roads.map { (observation, $0, value($0.0, $0.1[...])) }
        }
        change()
        for (observation, road, old) in concerned where observation.isLive {
            let isEdit = kind != .setting && road == (id, key)
            tell(observation, road.1, old: old, new: value(road.0, road.1[...]), kind: isEdit ? kind : .setting)
        }
    }

    /// Arrays of things that are not Equatable count as different from each other.
    private func isComparable(_ path: String) -> Bool { !path.hasSuffix("items") && !path.contains("@union") }

    private func tell(_ observation: ReferenceObservation, _ path: String, old: String?, new: String?, kind: ChangeKind)
    {
        let isUnchanged =
            observation.options.contains(.distinct) && kind == .setting && old == new && isComparable(path)
        if heldBack != nil {
            if isUnchanged { return }
            var call = ModelCall(
                observation: number(of: observation), path: path, kind: kind, isPrior: false, old: old, new: new)
            if let index = heldBack!.firstIndex(where: { $0.observation === observation }) {
                let first = heldBack![index].call
                call.old = first.kind == .setting ? first.old : nil
                call.path = first.path
                call.kind = .setting
                call.isMixed = observation.isGroup || first.isMixed || first.kind != .setting || kind != .setting
                heldBack![index].call = call
            } else {
                call.isMixed = observation.isGroup
                heldBack!.append((observation, call))
            }
            return
        }
        if observation.options.contains(.prior) {
            expected.append(
                ModelCall(
                    observation: number(of: observation), path: path, kind: kind, isPrior: true, old: old, new: nil))
        }
        if isUnchanged { return }
        expect(observation, path, old: old, new: new, kind: kind)
        fire(observation)
    }

    private func expect(
        _ observation: ReferenceObservation, _ path: String, old: String?, new: String?, kind: ChangeKind = .setting
    ) {
        if let at = observations.firstIndex(where: { $0 === observation }) {
            expected.append(ModelCall(observation: at, path: path, kind: kind, isPrior: false, old: old, new: new))
        } else {
            expected.append(
                ModelCall(observation: observations.count, path: path, kind: kind, isPrior: false, old: old, new: new))
        }
    }

    private func fire(_ observation: ReferenceObservation) {
        guard observation.options.contains(.once) else { return }
        observation.isLive = false
        observation.hasFired = true
    }

    private func number(of observation: ReferenceObservation) -> Int { observations.firstIndex { $0 === observation }! }

    // MARK: Comparing

    private func problem() -> String? {
        let keyed = Dictionary(grouping: calls, by: { "\($0.observation)\($0.isPrior)" })
        let wanted = Dictionary(grouping: expected, by: { "\($0.observation)\($0.isPrior)" })
        for key in Set(keyed.keys).union(wanted.keys).sorted() {
            var (got, want) = (keyed[key] ?? [], wanted[key] ?? [])
            if got.count != want.count { return "wanted \(want), got \(got)" }
            // In which order one change calls for several paths of an observation is not the reference's to say.
            let isOrdered = got.isEmpty || !observations[got[0].observation].isGroup
            while let first = want.first {
                guard let index = isOrdered ? 0 : got.firstIndex(where: { agrees($0, first) }),
                    agrees(got[index], first)
                else {
                    return "wanted \(want), got \(got)"
                }
                got.remove(at: index)
                want.removeFirst()
            }
        }
        for (number, observation) in observations.enumerated() {
            guard let real = observation.observation, real.isValid != observation.isLive else { continue }
            return "o\(number).isValid is \(real.isValid)"
        }
        for (id, node) in held {
            let count = observations.count { $0.isLive && $0.roads.contains { $0.0 == id } }
            if node.observations().count != count {
                return "n\(id) has \(node.observations().count) observations instead of \(count)"
            }
        }
        return nil
    }

    private func agrees(_ got: ModelCall, _ want: ModelCall) -> Bool {
        let observation = observations[want.observation]
        // Of several paths the one that comes first fires an observation with `.once`, and the one that changed last is
        // delivered by `coalescingChanges`.
        if observation.isGroup, observation.options.contains(.once) || want.isMixed { return true }
        if got.path != want.path { return false }
        if got.kind != want.kind { return false }
        if want.kind != .setting { return true }
        if observation.options.contains(.old), got.old != want.old, !want.isMixed { return false }
        return !observation.options.contains(.new) || got.isPrior || got.new == want.new
    }

    private func note(_ line: @autoclosure () -> String) {
        if keepsLog { log.append(line()) }
    }
}
