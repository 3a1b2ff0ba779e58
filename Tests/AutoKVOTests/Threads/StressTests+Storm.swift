import AutoKVO
import AutoKVOTestSupport
import Testing

extension StressTests {
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
                case 5: observer.stopObserving()
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
        expectEqual(told.count, sets.count)
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
        expectEqual(tracker.liveCount, 3 * 2 + 3 + 1)
        withExtendedLifetime((boards, observers, plain)) {}
    }

    private func coalescing(_ isCoalescing: Bool, _ body: () -> Void) {
        if isCoalescing { coalescingChanges(body) } else { body() }
    }
}
