import AutoKVO
import AutoKVOTestSupport
import Synchronization
import Testing

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension StressTests {
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
        expectEqual(dead.count, 0)
        board.a += 1
        expectEqual(board.observations(), [])
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
                    third.stopObserving()
                    _ = try? change.target?.addObserver(third, forKeyPath: "b") { (_: Board, _) in }
                }
                observation.onEnd { [weak third] _ in
                    ends.add()
                    third?.stopObserving()
                }
            }
            concurrently(3) { number in
                switch number {
                case 0: target.value = nil
                case 1: observer.value = nil
                default: _ = third.stopObserving()
                }
            }
        }
        expectEqual(ends.count, 3 * rounds)
        expectEqual(tracker.liveCount, 0)
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
        expectEqual(tracker.liveCount, 1)
        let before = calls.count
        do {
            let last = Person()
            holder.parent = last
            withExtendedLifetime(last) {}
        }
        expectEqual(calls.count, before + 2)
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
        expectEqual(wrong.count, 0)
        expectEqual(board.observations(), [])
        withExtendedLifetime(board) {}
    }
}
