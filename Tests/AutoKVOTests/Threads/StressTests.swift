import AutoKVO
import AutoKVOTestSupport
import Synchronization
import Testing

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Many threads doing what they like to shared objects, as far as the rules allow: each property is written by one thread at
/// a time; everything else is anybody's.
@Suite struct StressTests {
    private let tracker = LifetimeTracker()

    /// A counter for each of eight threads, and a key derived from all.
    private final class Board: Model {
        @Observed var a = 0
        @Observed var b = 0
        @Observed var c = 0
        @Observed var d = 0
        @Observed var e = 0
        @Observed var f = 0
        @Observed var g = 0
        @Observed var h = 0
        @Observed var leaf: Leaf?

        var any: Int { 0 }

        nonisolated(unsafe) static let properties: [ReferenceWritableKeyPath<Board, Int>] = [
            \.a, \.b, \.c, \.d, \.e, \.f, \.g, \.h,
        ]
        static let names = ["a", "b", "c", "d", "e", "f", "g", "h"]

        override class var schema: Schema {
            Schema(Board.self, extending: super.schema) {
                Key("a", \.a)
                Key("b", \.b)
                Key("c", \.c)
                Key("d", \.d)
                Key("e", \.e)
                Key("f", \.f)
                Key("g", \.g)
                Key("h", \.h)
                Key("leaf", \.leaf)
                Key("any", \.any, affectedBy: "a", "b", "c", "d", "e", "f", "g", "h")
            }
        }
    }

    private final class Leaf: Model {
        @Observed var value = 0

        override class var schema: Schema {
            Schema(Leaf.self, extending: super.schema) { Key("value", \.value) }
        }
    }

    // MARK: Every change exactly once

    @Test(arguments: [(4, 250), (8, 20_000)])
    func everySetOfAPlainKeyIsToldOnce(threads: Int, sets: Int) throws {
        let sets = sets == 250 ? sets : load(sets)
        let board = Board()
        let calls = Counter()
        for name in Board.names { try board.observe(name, options: .new) { _ in calls.add() } }
        concurrently(threads) { number in
            for value in 1...sets { board[keyPath: Board.properties[number]] = value }
        }
        #expect(calls.count == threads * sets)
    }

    @Test(arguments: [(4, 250), (8, 20_000)], [ObservingOptions](arrayLiteral: [], .prior))
    func everySetOfABaseIsToldOnceToTheDerivedKey(_ size: (Int, Int), options: ObservingOptions) throws {
        let (threads, sets) = (size.0, size.1 == 250 ? 250 : load(size.1))
        let board = Board()
        let calls = Counter()
        try board.observe("any", options: options) { calls.add($0.isPrior ? 0 : 1) }
        concurrently(threads) { number in
            for value in 1...sets { board[keyPath: Board.properties[number]] = value }
        }
        #expect(calls.count == threads * sets)
    }

    @Test(arguments: [(4, 250), (8, 20_000)])
    func everySetOfALeafIsToldOnceToItsPath(threads: Int, sets: Int) throws {
        let sets = sets == 250 ? sets : load(sets)
        let calls = Counter()
        let boards = (0..<threads).map { _ in Board() }
        for board in boards {
            board.leaf = Leaf()
            try board.observe("leaf.value", options: [.old, .new]) { _ in calls.add() }
        }
        concurrently(threads) { number in
            let leaf = boards[number].leaf!
            for value in 1...sets { leaf.value = value }
        }
        #expect(calls.count == threads * sets)
    }

    // MARK: Deaths against deliveries

    /// The last release of an observer on one thread while another notifies it: it is called alive or not at all.
    @Test(arguments: [false, true])
    func observerIsCalledAliveOrNotAtAll(isTracked: Bool) throws {
        final class Plain {
            var mark = 1
            deinit { mark = 0 }
        }
        final class Tracked: Model {
            var mark = 1
            deinit { mark = 0 }
        }
        let board = Board()
        let dead = Counter()
        let isOver = Atomic(false)
        let rounds = load(4_000)
        concurrently(2) { number in
            if number == 0 {
                while !isOver.load(ordering: .acquiring) { board.a += 1 }
                return
            }
            for _ in 0..<rounds {
                if isTracked {
                    let observer = Tracked()
                    _ = try! board.addObserver(observer, forKeyPath: "a") { (observer: Tracked, _) in
                        if observer.mark != 1 { dead.add() }
                    }
                } else {
                    let observer = Plain()
                    _ = try! board.addObserver(observer, forKeyPath: "a") { (observer: Plain, _) in
                        if observer.mark != 1 { dead.add() }
                    }
                }
            }
            isOver.store(true, ordering: .releasing)
        }
        #expect(dead.count == 0)
        board.a += 1
        #expect(board.observations() == [])
    }

    /// Target and observer die at once on two threads; their handlers register and remove others the while.
    @Test func targetAndObserverMayDieAtOnce() throws {
        let ends = Counter()
        let rounds = load(800)
        for _ in 0..<rounds {
            let target = Shared<Board?>(tracker.track(Board()))
            let observer = Shared<Board?>(tracker.track(Board()))
            let third = tracker.track(Board())
            target.value!.leaf = tracker.track(Leaf())
            for path in ["a", "leaf.value", "any"] {
                let observation = try target.value!.addObserver(observer.value!, forKeyPath: path) {
                    (_: Board, change) in
                    third.stopObservingAllTargets()
                    _ = try? change.target?.addObserver(third, forKeyPath: "b") { (_: Board, _) in }
                }
                observation.onEnd { [weak third] _ in
                    ends.add()
                    third?.stopObservingAllTargets()
                }
            }
            concurrently(3) { number in
                switch number {
                case 0: target.value = nil
                case 1: observer.value = nil
                default: _ = third.stopObservingAllTargets()
                }
            }
        }
        #expect(ends.count == 3 * rounds)
        #expect(tracker.liveCount == 0)
    }

    /// One thread sets a weak property while another lets go of the objects it refers to.
    @Test func weakPropertyMayBeSetWhileItsReferentsDie() throws {
        let holder = tracker.track(Person())
        let calls = Counter()
        try holder.observe("parent") { _ in calls.add() }
        try holder.observe("parent.age") { _ in }
        let current = Guarded<Person?>(nil)
        let sets = Counter()
        let isOver = Atomic(false)
        let rounds = load(8_000)
        concurrently(2) { number in
            if number == 0 {
                for _ in 0..<rounds {
                    var parent: Person? = tracker.track(Person())
                    current.withLock { swap(&$0, &parent) }
                    parent = nil
                    let before = sets.count
                    while sets.count < before + 2 { sched_yield() }
                    // The property refers to it now or did a moment ago: it dies here while the other thread sets nil.
                    current.withLock { swap(&$0, &parent) }
                }
                isOver.store(true, ordering: .releasing)
                return
            }
            while !isOver.load(ordering: .acquiring) {
                holder.parent = current.withLock { $0 }
                sets.add()
                holder.parent = nil
            }
        }
        holder.parent = nil
        current.withLock { $0 = nil }
        #expect(tracker.liveCount == 1)
        let before = calls.count
        do {
            let last = Person()
            holder.parent = last
            withExtendedLifetime(last) {}
        }
        #expect(calls.count == before + 2)
        withExtendedLifetime(holder) {}
    }

    /// What is read under a lock is retained before another thread can release it. (A release build retained it after.)
    @Test func pathsMayBeAskedForWhileTheObservationEnds() {
        let board = Board()
        let current = Guarded<KeyValueObservation?>(nil)
        let wrong = Counter()
        let isOver = Atomic(false)
        let rounds = load(20_000)
        concurrently(2) { number in
            if number == 0 {
                for _ in 0..<rounds {
                    let observation = try! board.observe("a|h") { _ in }
                    let last = current.withLock { current in
                        defer { current = observation }
                        return current
                    }
                    observation.remove()
                    withExtendedLifetime(last) {}
                }
                isOver.store(true, ordering: .releasing)
                return
            }
            while !isOver.load(ordering: .acquiring) {
                if let observation = current.withLock({ $0 }), observation.keyPaths != ["a", "h"] { wrong.add() }
            }
        }
        #expect(wrong.count == 0)
        #expect(board.observations() == [])
        withExtendedLifetime(board) {}
    }

    // MARK: Paths

    /// One thread swaps the head of a path while another changes both leaves.
    @Test func headMayBeSwappedWhileLeavesChange() throws {
        let board = tracker.track(Board())
        let leaves = [tracker.track(Leaf()), tracker.track(Leaf())]
        board.leaf = leaves[0]
        let (calls, swaps) = (Counter(), load(8_000))
        let observation = try board.observe("leaf.value") { [token = tracker.token()] _ in
            token.touch()
            calls.add()
        }
        let isOver = Atomic(false)
        concurrently(3) { number in
            switch number {
            case 0:
                for round in 1...swaps { board.leaf = leaves[round & 1] }
                isOver.store(true, ordering: .releasing)
            default:
                while !isOver.load(ordering: .acquiring) { leaves[number - 1].value += 1 }
            }
        }
        #expect(calls.count >= swaps)
        let before = calls.count
        leaves[swaps & 1].value += 1
        #expect(calls.count == before + 1)
        leaves[1 - swaps & 1].value += 1
        #expect(calls.count == before + 1)
        observation.remove()
        leaves[swaps & 1].value += 1
        #expect(calls.count == before + 1)
    }

    /// Paths through one object are laid and taken away by all threads, through a derived key, a weak link and an operator.
    @Test func pathsMayBeLaidAndTakenAwayAtOnce() throws {
        let person = tracker.track(Person())
        person.address = tracker.track(Address())
        person.friends = [tracker.track(Person()), tracker.track(Person())]
        let parent = tracker.track(Person())
        person.parent = parent
        let paths = [
            "cityLine", "address.city", "parent.age", "parent", "friends.@sum.age", "fullName|age|parent.address.city",
        ]
        let rounds = load(1_500)
        concurrently(4) { number in
            for round in 0..<rounds {
                let observation = try! person.observe(paths[(round + number) % paths.count]) {
                    [token = tracker.token()] _ in
                    token.touch()
                }
                if round % 3 != 0 { observation.remove() } else { _ = observation.scoped() }
            }
        }
        #expect(person.observations() == [])
        #expect(tracker.liveCount == 5)
        let calls = Counter()
        for path in paths { try person.observe(path) { _ in calls.add() } }
        person.address!.city = "Bonn"
        parent.age = 1
        person.friends[0].age = 2
        #expect(calls.count == 4)
    }

    // MARK: Locks

    /// Two objects whose handlers set each other, from two threads: were a lock held in a handler, they would wait for ever.
    @Test(arguments: [ObservingOptions](arrayLiteral: [], .prior))
    func handlersThatSetEachOthersTargetsDoNotDeadlock(options: ObservingOptions) throws {
        let boards = [Board(), Board()]
        let calls = Counter()
        for (index, board) in boards.enumerated() {
            try board.observe(Board.names[index], options: options) { change in
                calls.add()
                // Thread 0 writes a of the one and c of the other; thread 1 b and d.
                boards[1 - index][keyPath: Board.properties[2 + index]] += 1
            }
            try board.observe(Board.names[3 - index], options: options) { _ in calls.add() }
        }
        let sets = load(4_000)
        concurrently(2) { number in
            for _ in 0..<sets { boards[number][keyPath: Board.properties[number]] += 1 }
        }
        #expect(calls.count == (options == .prior ? 2 * 3 : 2) * 2 * sets)
    }

    /// A handler that never returns (a program's event loop, say) while others register and end on the same target.
    @Test func handlerThatNeverReturnsHoldsNothingBack() throws {
        let board = Board()
        let (isIn, out) = (Door(), Door())
        try board.observe("a") { _ in
            isIn.open()
            out.wait()
        }
        // A few more, which the parked delivery has in its hands.
        let others = try (0..<40).map { _ in try board.observe("a") { [token = tracker.token()] _ in token.touch() } }
        let parked = Thread { board.a = 1 }
        isIn.wait()
        for other in others { other.remove() }
        #expect(tracker.liveCount <= 16)
        let calls = Counter()
        for round in 0..<load(8_000) {
            let observer = tracker.track(Person())
            try board.addObserver(observer, forKeyPath: "a") { [token = tracker.token()] (_: Person, _) in
                token.touch()
                calls.add()
            }
            if round % 100 == 0 { board.observations().last!.remove() }
        }
        #expect(tracker.liveCount <= 16)
        #expect(board.observations().count == 1)
        out.open()
        parked.join()
        #expect(calls.count == 0)
        #expect(tracker.liveCount == 0)
    }

    // MARK: Storms

    /// Registrations and removals of all kinds on shared targets and observers, with sets, deaths and rearming between.
    @Test func storm() throws {
        let threads = 4
        // Ten million steps and more in the long run.
        let steps = isLongRun ? 2_600_000 : load(12_000)
        let (performed, sets, told) = (Counter(), Counter(), Counter())
        let boards = (0..<3).map { _ in tracker.track(Board()) }
        for board in boards {
            board.leaf = tracker.track(Leaf())
            // These stay, and are told of each set exactly once.
            for name in Board.names.prefix(threads) { try board.observe(name) { _ in told.add() } }
            try board.leaf!.observe("value") { _ in told.add() }
        }
        let observers = (0..<3).map { _ in tracker.track(Person()) }
        let plain = PlainObserver(tracker)
        let kept = Guarded<[KeyValueObservation]>([])
        concurrently(threads) { number in
            var random = SplitMix64(seed: UInt64(number))
            var (mine, myOperations) = (0, 0)
            for _ in 0..<steps {
                myOperations += 1
                let board = boards.randomElement(using: &random)!
                let observer = observers.randomElement(using: &random)!
                let path = ["a", "any", "leaf.value", "a|leaf.value|h"].randomElement(using: &random)!
                switch UInt8.random(in: 0..<14, using: &random) {
                case 0, 1:
                    _ = try! board.addObserver(observer, forKeyPath: path) { [token = tracker.token()] (_: Person, _) in
                        token.touch()
                    }
                case 2:
                    let observation = try! board.observe(path, options: [.once, .old, .new]) {
                        [token = tracker.token()] _ in
                        token.touch()
                    }
                    // Few enough that a step costs the same at the end of a long run.
                    let oldest = kept.withLock {
                        $0.append(observation)
                        return $0.count > 64 ? $0.removeFirst() : nil
                    }
                    oldest?.remove()
                case 3:
                    let observation = kept.withLock { $0.randomElement(using: &random) }
                    try? observation?.rearm()
                case 4:
                    let observation = kept.withLock { kept in kept.isEmpty ? nil : kept.remove(at: kept.count / 2) }
                    observation?.remove()
                case 5: observer.stopObservingAllTargets()
                case 6: board.removeObserver(observer, forKeyPath: "a")
                case 7:
                    let dying = tracker.track(Person())
                    _ = try! board.addObserver(dying, forKeyPath: path) { [token = tracker.token()] (_: Person, _) in
                        token.touch()
                    }
                case 8:
                    let dying = tracker.track(Board())
                    dying.leaf = tracker.track(Leaf())
                    _ = try! dying.addObserver(observer, forKeyPath: path) { [token = tracker.token()] (_: Person, _) in
                        token.touch()
                    }
                    _ = try! [dying, board].addObserver(observer, forKeyPath: path) { (_: Person, _) in }
                case 9:
                    _ = try! board.addObserver(plain, forKeyPath: path) {
                        [token = tracker.token()] (_: PlainObserver, _) in
                        token.touch()
                    }
                case 10: for path in path.split(separator: "|") { plain.stopObserving(String(path)) }
                case 11: board.observations().randomElement(using: &random)?.remove(keyPath: "leaf.value")
                default:
                    mine += 1
                    coalescing(number % 2 == 0) {
                        // The last thread writes the leaf as well.
                        if number == threads - 1, mine % 2 == 0 {
                            board.leaf!.value += 1
                        } else {
                            board[keyPath: Board.properties[number]] += 1
                        }
                    }
                }
            }
            performed.add(myOperations)
            sets.add(mine)
        }
        #expect(told.count == sets.count)
        if isLongRun {
            print(
                "stress: \(performed.count) operations on \(threads) threads; of \(sets.count) sets \(told.count) were told"
            )
            #expect(performed.count >= 10_000_000)
        }
        for board in boards {
            board.removeAllObservers()
            board.leaf!.removeAllObservers()
        }
        for observation in kept.withLock({ $0 }) { observation.remove() }
        kept.withLock { $0 = [] }
        #expect(observers.allSatisfy { $0.observations().isEmpty })
        #expect(tracker.liveCount == 3 * 2 + 3 + 1)
        withExtendedLifetime((boards, observers, plain)) {}
    }

    private func coalescing(_ isCoalescing: Bool, _ body: () -> Void) {
        if isCoalescing { coalescingChanges(body) } else { body() }
    }
}
