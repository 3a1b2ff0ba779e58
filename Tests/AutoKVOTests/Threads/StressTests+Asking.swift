import AutoKVO
import AutoKVOTestSupport
import Synchronization
import Testing

extension StressTests {
    private static let paths = [
        "a", "any", "left.b", "left.right.c", "left.left.any", "a|left.a", "b|any|right.left.d",
    ]

    /// An observation of any kind of any object: of one key, of longer paths, of several paths and targets, with an
    /// observer of either kind, a named handler or none.
    private static func observe(
        _ target: Knot, _ other: Knot?, _ observer: AnyObject?, _ tracker: LifetimeTracker, _ kept: KeptChanges,
        _ random: inout SplitMix64
    ) throws(KeyValueError) -> KeyValueObservation {
        var options: ObservingOptions = []
        for option: ObservingOptions in [.old, .new, .prior, .distinct, .once, .unregisterManually, .retainsTarget]
        where Int.random(in: 0..<4, using: &random) == 0 { options.insert(option) }
        let path = paths.randomElement(using: &random)!
        let targets = other.map { [target, $0] } ?? [target]
        let keepsOne = Bool.random(using: &random)
        let token = tracker.token()
        let userInfo: Any? = Bool.random(using: &random) ? tracker.token() : nil
        guard let observer else {
            let handler: (Change<Any>) -> Void = { change in
                token.touch()
                if keepsOne { kept.keep(change) }
            }
            if targets.count > 1 { return try targets.observe(path, options: options, userInfo: userInfo, handler) }
            return try target.observe(path, options: options, userInfo: userInfo, handler)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            return try target.addObserver(
                observer, forKeyPath: path, options: options, handler: "note", userInfo: userInfo)
        }
        return try targets.addObserver(observer, forKeyPath: path, options: options, userInfo: userInfo) {
            (_: AnyObject, change) in
            token.touch()
            if keepsOne { kept.keep(change) }
        }
    }

    /// Asks an observation, on whatever thread and in whatever state, something.
    private static func ask(_ observation: KeyValueObservation, _ ends: Counter, _ random: inout SplitMix64) {
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<6: if let target = observation.target { #expect(target is Knot) }
        case 6..<12: for target in observation.targets { #expect(target is Knot) }
        case 12..<16: if let observer = observation.observer { #expect(observer is Knot || observer is PlainNote) }
        case 16..<19: _ = observation.isValid
        case 19..<22: for path in observation.keyPaths { #expect(!path.isEmpty) }
        case 22..<24: if let token = observation.userInfo { (token as! LifetimeToken).touch() }
        case 24: _ = observation.options.description
        case 25: #expect(observation.registrationSite.contains("StressTests+Asking.swift:"))
        case 26, 27: #expect(observation.debugDescription.contains("StressTests+Asking.swift:"))
        case 28: expectEqual(Set([observation]), [observation])
        case 29...31: try? observation.rearm()
        case 32: observation.onEnd { _ in ends.add() }
        case 33: observation.remove(keyPath: observation.keyPaths.randomElement(using: &random) ?? "a")
        case 34: observation.remove()
        case 35:
            _ = try? KeyValueObservation.removeAll(
                observer: observation.observer, target: observation.target, keyPath: "a")
        case 36:
            let scoped = observation.scoped()
            _ = scoped.isValid && scoped.observation == observation
        case 37: for other in observation.target?.observations() ?? [] { _ = other.target }
        case 38: for other in (observation.observer as? Knot)?.observations() ?? [] { _ = other.targets }
        default: observation.target?.onDeinit { ends.add() }.cancel()
        }
    }

    /// Asks a change that a handler kept everything.
    private static func ask(_ change: Change<Any>) {
        if let target = change.target { #expect(target is Knot) }
        if let observer = change.observer { #expect(observer is Knot || observer is PlainNote) }
        #expect(!change.keyPath.isEmpty && change.kind == .setting && change.indexes == nil)
        if let old = change.oldValue { #expect(old is Int) }
        if let new = change.newValue { #expect(new is Int && !change.isPrior) }
        _ = change.isLastComponent
        if let token = change.userInfo { (token as! LifetimeToken).touch() }
        _ = change.observation.target
    }

    /// Asks an object what it takes part in, ends some of that, or takes and drops its handles.
    private static func ask(_ knot: Knot, _ thread: Int, _ random: inout SplitMix64) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: knot.removeObserver(knot, forKeyPath: "any")
        case 1: knot.removeAllObservers(forKeyPath: "left.b", handler: "note")
        case 2: knot.stopObserving("a", of: knot)
        case 3: _ = knot.removeAllObservers() + knot.stopObserving()
        case 4, 5:
            // Making a handle is an access to the property, and so the thread's that writes it.
            let handle =
                switch thread {
                case 0: knot.$a
                case 1: knot.$b
                case 2: knot.$c
                default: knot.$d
                }
            #expect(handle.value >= 0)
            _ = handle.observe { _ in }.scoped().isValid
        default: for observation in knot.observations() { _ = observation.observer }
        }
    }

    /// All that is public is called from all threads, for observations of all kinds, while both sides of all of them
    /// are made and die on any thread.
    @Test(arguments: [UInt64(1), 2])
    func anythingMayBeAskedWhileSidesDie(seed: UInt64) {
        let tracker = LifetimeTracker()
        let (threads, steps) = (4, load(14_000))
        let (calls, ends) = (Counter(), Counter())
        let targets = Pool<Knot>(6)
        let observers = Pool<AnyObject>(6)
        let handles = Pool<KeyValueObservation>(24)
        let kept = KeptChanges()
        concurrently(threads) { number in
            var random = SplitMix64(seed: seed << 8 | UInt64(number))
            let mine = KeptChanges.OfThread()
            // What keeps its target, or does not end with its sides, until it is removed.
            var lasting: [KeyValueObservation] = []
            kept.with(mine) {
                for _ in 0..<steps {
                    switch Int.random(in: 0..<64, using: &random) {
                    case 0..<3: targets.replace(&random, by: Knot.make(tracker))
                    case 3: targets.replace(&random, by: nil)
                    case 4..<6:
                        observers.replace(
                            &random, by: Bool.random(using: &random) ? Knot.make(tracker, depth: 0) : PlainNote(tracker)
                        )
                    case 6: observers.replace(&random, by: Bool.random(using: &random) ? targets.element(&random) : nil)
                    case 7..<14:
                        guard let target = targets.element(&random) else { continue }
                        let other = Int.random(in: 0..<3, using: &random) == 0 ? targets.element(&random) : nil
                        let observation = try! Self.observe(
                            target, other, observers.element(&random), tracker, kept, &random)
                        handles.replace(&random, by: observation)
                        if !observation.options.isDisjoint(with: [.unregisterManually, .retainsTarget]) {
                            lasting.append(observation)
                        }
                        if lasting.count > 8 { lasting.removeFirst().remove() }
                    case 14: handles.replace(&random, by: nil)
                    case 15..<22:
                        guard let target = targets.element(&random) else { continue }
                        let property = Knot.properties[number]
                        target[keyPath: property] += 1
                        target.left![keyPath: property] += 1
                        coalescingChanges {
                            target.left!.right![keyPath: property] += 1
                            target.right!.left![keyPath: property] += 1
                        }
                    case 22..<26: if let change = mine.changes.randomElement(using: &random) { Self.ask(change) }
                    case 26..<28: if let target = targets.element(&random) { Self.ask(target, number, &random) }
                    default: if let observation = handles.element(&random) { Self.ask(observation, ends, &random) }
                    }
                    calls.add()
                }
            }
            for observation in lasting { observation.remove() }
        }
        if isLongRun { print("asked: \(calls.count) calls on \(threads) threads, seed \(seed); \(ends.count) ends") }
        targets.clear()
        observers.clear()
        handles.clear()
        tracker.expectNoLeaks()
    }

    /// Other things that are taken of all observations at once.
    @Test func graphMayBeTakenWhileSidesDie() {
        let tracker = LifetimeTracker()
        let targets = Pool<Knot>(4)
        let kept = KeptChanges()
        let isOver = Atomic(false)
        concurrently(3) { number in
            if number == 0 {
                while !isOver.load(ordering: .acquiring) {
                    let graph = Diagnostics.graph()
                    let addresses = Set(graph.objects.map(\.address))
                    #expect(graph.observations.allSatisfy { addresses.isSuperset(of: $0.targets) })
                }
                return
            }
            var random = SplitMix64(seed: UInt64(number))
            defer { isOver.store(true, ordering: .releasing) }
            for _ in 0..<load(400) {
                targets.replace(&random, by: Knot.make(tracker))
                guard let target = targets.element(&random) else { continue }
                let observation = try! Self.observe(
                    target, targets.element(&random), Knot.make(tracker, depth: 0), tracker, kept, &random)
                // By hand nobody else would.
                if !observation.options.isDisjoint(with: [.unregisterManually, .retainsTarget]) {
                    observation.remove()
                }
            }
        }
        targets.clear()
        tracker.expectNoLeaks()
    }

    /// A target that was found alive is the one that is returned, though it is the last reference by then.
    @Test(arguments: [["a", "b"], ["left.b"]], [1, 2])
    func targetMayBeAskedForWhileItDies(paths: [String], count: Int) {
        let tracker = LifetimeTracker()
        let current = Guarded<KeyValueObservation?>(nil)
        let isOver = Atomic(false)
        concurrently(3) { number in
            if number == 0 {
                for _ in 0..<load(2_000) {
                    let targets = (0..<count).map { _ in Knot.make(tracker, depth: 1) }
                    let observation = try! targets.observe(paths) { _ in }
                    current.withLock { $0 = observation }
                }
                return isOver.store(true, ordering: .releasing)
            }
            while !isOver.load(ordering: .acquiring) {
                guard let observation = current.withLock({ $0 }) else { continue }
                if let target = observation.target { #expect(target is Knot) }
            }
        }
        current.withLock { $0 = nil }
        tracker.expectNoLeaks()
    }
}
