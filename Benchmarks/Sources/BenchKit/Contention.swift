import CBenchSupport
import Synchronization

// Two threads on one target. Nobody sets what another thread sets: that is the caller's to serialize in every system.

/// Each turn sets a property of the thread's own object, which has an observer, and adds and removes an observation on a shared
/// object that has `n`. `shared-churn` is with two threads, `shared-churn-1` with one: nanoseconds for one turn of one thread.
@inlinable
func sharedChurn<P: Peer>(_: P.Type, _ n: Int, _ samples: Int) -> [Line] {
    let shared = P.makeTarget()
    let others = (0..<n).map { _ in P.makeObserver() }
    var tokens = others.map { P.add($0, to: shared) }
    let visitors = (P.makeObserver(), P.makeObserver())

    func work(_ count: Int, _ meeting: Meeting, at index: Int) {
        let own = P.makeTarget()
        let observer = P.makeObserver()
        let visitor = index == 0 ? visitors.0 : visitors.1
        let before = P.calls(visitor)
        var token = P.add(observer, to: own)
        meeting.arrive()
        let start = bench_now()
        for value in 1...count {
            P.set(own, value)
            var visit = P.add(visitor, to: shared)
            P.remove(&visit)
        }
        meeting.times[index] = (start, bench_now())
        check("shared-churn calls", P.calls(observer), equals: count + P.callsOnAdd)
        check("shared-churn calls of a visitor", P.calls(visitor), equals: before + count * P.callsOnAdd)
        P.remove(&token)
    }
    func nanoseconds(_ count: Int, threads: Int) -> Double {
        Double(elapsed(threads) { work(count, $0, at: $1) }) / Double(count)
    }

    var count = 100
    while nanoseconds(count, threads: 1) * Double(count) < Double(shortestBatch) { count *= 2 }
    var one: [Double] = []
    var two: [Double] = []
    for _ in 0..<samples * 2 {
        one.append(nanoseconds(count, threads: 1))
        two.append(nanoseconds(count, threads: 2))
    }
    let left = (P.calls(visitors.0), P.calls(visitors.1))
    P.set(shared, 1)
    for other in others { check("shared-churn calls of the others", P.calls(other), equals: 1 + P.callsOnAdd) }
    check("shared-churn calls once removed", P.calls(visitors.0), equals: left.0)
    check("shared-churn calls once removed", P.calls(visitors.1), equals: left.1)
    for index in tokens.indices { P.remove(&tokens[index]) }
    return [Line("shared-churn-1", "ns/turn", one), Line("shared-churn", "ns/turn", two)]
}

/// Each of two threads adds `n` observations to one target and removes them, in the order in which they were added: nanoseconds
/// for one observation of one thread.
@inlinable
func storm<P: Peer>(_: P.Type, _ n: Int, _ samples: Int) -> [Line] {
    let target = P.makeTarget()
    let observers = (0..<2).map { _ in (0..<n).map { _ in P.makeObserver() } }
    let rounds = max(1, 4000 / n)

    let result = (0...samples * 2).map { _ in
        let took = elapsed(2) { meeting, index in
            var tokens: [P.Token] = []
            tokens.reserveCapacity(n)
            meeting.arrive()
            let start = bench_now()
            for _ in 0..<rounds {
                for observer in observers[index] { tokens.append(P.add(observer, to: target)) }
                for index in tokens.indices { P.remove(&tokens[index]) }
                tokens.removeAll(keepingCapacity: true)
            }
            meeting.times[index] = (start, bench_now())
        }
        return Double(took) / Double(n * rounds)
    }

    let before = observers.map { $0.map(P.calls) }
    let kept = Kept<P.Token>(2)
    inThreads(2) { index in
        for observer in observers[index] { kept.lists[index].append(P.add(observer, to: target)) }
    }
    P.set(target, 1)
    inThreads(2) { index in
        for place in kept.lists[index].indices { P.remove(&kept.lists[index][place]) }
    }
    P.set(target, 2)
    for (observers, before) in zip(observers, before) {
        for (observer, before) in zip(observers, before) {
            check("storm calls", P.calls(observer), equals: before + 1 + P.callsOnAdd)
        }
    }
    return [Line("storm", "ns/add and remove", Array(result.dropFirst()))]
}

/// One thread sets a property with `n` observers; another adds and removes an observation meanwhile.
///
/// - Returns: nanoseconds for one handler of the setting thread, and for one addition and removal of the other.
@inlinable
func deliverAndRemove<P: Peer>(_: P.Type, _ n: Int, _ samples: Int) -> [Line] {
    let target = P.makeTarget()
    let observers = (0..<n).map { _ in P.makeObserver() }
    var tokens = observers.map { P.add($0, to: target) }
    let visitor = P.makeObserver()
    var value = 0
    var count = max(1, 1000 / n)
    var removals: [Double] = []

    func nanoseconds() -> Double {
        let isOver = Flag()
        let turns = Kept<Int>(1)
        let meeting = Meeting(2)
        let first = value
        inThreads(2) { index in
            meeting.arrive()
            let start = bench_now()
            if index == 0 {
                for turn in 1...count { P.set(target, first + turn) }
                isOver.raise()
            } else {
                var added = 0
                while !isOver.isRaised {
                    var token = P.add(visitor, to: target)
                    P.remove(&token)
                    added += 1
                }
                turns.lists[0].append(added)
            }
            meeting.times[index] = (start, bench_now())
        }
        value += count
        let spent = meeting.times.map { Double($0.end - $0.start) }
        removals.append(spent[1] / Double(max(1, turns.lists[0][0])))
        return spent[0] / Double(count * n)
    }

    while nanoseconds() * Double(count * n) < Double(shortestBatch) { count *= 2 }
    removals = []
    let result = (0..<samples * 2).map { _ in nanoseconds() }
    for observer in observers { check("deliver-remove calls", P.calls(observer), equals: value + P.callsOnAdd) }
    let before = P.calls(visitor)
    P.set(target, value + 1)
    check("deliver-remove calls once removed", P.calls(visitor), equals: before)
    for index in tokens.indices { P.remove(&tokens[index]) }
    return [Line("deliver-remove", "ns/handler", result), Line("deliver-remove-other", "ns/add and remove", removals)]
}

/// How long the threads took together, from the first one's start to the last one's end.
@usableFromInline
func elapsed(_ threads: Int, _ body: (Meeting, Int) -> Void) -> UInt64 {
    let meeting = Meeting(threads)
    inThreads(threads) { body(meeting, $0) }
    return meeting.times.map(\.end).max()! - meeting.times.map(\.start).min()!
}

/// Lists of which each thread uses its own.
@usableFromInline
final class Kept<Element> {
    @usableFromInline let lists: UnsafeMutableBufferPointer<[Element]>

    @usableFromInline
    init(_ count: Int) {
        lists = .allocate(capacity: count)
        lists.initialize(repeating: [])
    }

    deinit {
        lists.deinitialize()
        lists.deallocate()
    }
}

@usableFromInline
final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    @usableFromInline init() {}
    @usableFromInline func raise() { value.store(true, ordering: .releasing) }
    @usableFromInline var isRaised: Bool { value.load(ordering: .acquiring) }
}
