import CBenchSupport

/// Every cell of a system, in the order of its workloads.
@inlinable
public func cells<P: Peer>(of peer: P.Type) -> [Cell] {
    P.workloads.flatMap { workload in
        workload.sizes.filter { $0 <= P.largest(workload) }.map { n in
            Cell(system: P.system, workload: workload.rawValue, n: n) { samples in
                run(peer, workload, n, samples)
            }
        }
    }
}

@inlinable
func run<P: Peer>(_ peer: P.Type, _ workload: Workload, _ n: Int, _ samples: Int) -> [Line] {
    switch workload {
    case .setUnobserved: setUnobserved(peer, samples)
    case .setObserved: setObserved(peer, samples)
    case .thousandHandlers: manyHandlers(peer, n, samples)
    case .addRemove: addRemove(peer, besides: false, samples)
    case .addRemoveBesides: addRemove(peer, besides: true, samples)
    case .observerLife: observerLife(peer, samples)
    case .removeMiddle: removeMiddle(peer, n, samples)
    case .bytesOneTarget: bytes(peer, n, oneTarget: true, samples)
    case .bytesEachTarget: bytes(peer, n, oneTarget: false, samples)
    case .threads: threads(peer, samples)
    case .sharedChurn: sharedChurn(peer, n, samples)
    case .storm: storm(peer, n, samples)
    case .deliverAndRemove: deliverAndRemove(peer, n, samples)
    case .objects, .fanOut, .fanIn: scale(peer, workload, n, samples)
    }
}

@inlinable
func setUnobserved<P: Peer>(_: P.Type, _ samples: Int) -> [Line] {
    let target = P.makeTarget()
    var value = 0
    let result = sampled(samples) { count in
        for _ in 0..<count {
            value &+= 1
            P.set(target, value)
        }
    }
    return [Line("W1", "ns/set", result)]
}

@inlinable
func setObserved<P: Peer>(_: P.Type, _ samples: Int) -> [Line] {
    let target = P.makeTarget()
    let observer = P.makeObserver()
    var token = P.add(observer, to: target)
    var value = 0
    let result = sampled(samples) { count in
        for _ in 0..<count {
            value &+= 1
            P.set(target, value)
        }
    }
    check("W2 calls", P.calls(observer), equals: value + P.callsOnAdd)
    P.remove(&token)
    return [Line("W2", "ns/set", result)]
}

@inlinable
func manyHandlers<P: Peer>(_: P.Type, _ n: Int, _ samples: Int) -> [Line] {
    let target = P.makeTarget()
    let observers = (0..<n).map { _ in P.makeObserver() }
    var tokens = observers.map { P.add($0, to: target) }
    var value = 0
    let result = sampled(samples, per: n) { count in
        for _ in 0..<count {
            value &+= 1
            P.set(target, value)
        }
    }
    for observer in observers {
        check("W3 calls", P.calls(observer), equals: value + P.callsOnAdd)
    }
    for index in tokens.indices { P.remove(&tokens[index]) }
    return [Line("W3", "ns/handler", result)]
}

@inlinable
func addRemove<P: Peer>(_: P.Type, besides: Bool, _ samples: Int) -> [Line] {
    let target = P.makeTarget()
    let other = P.makeObserver()
    var otherToken = besides ? P.add(other, to: target) : nil
    let observer = P.makeObserver()
    var added = 0
    let result = sampled(samples) { count in
        for _ in 0..<count {
            var token = P.add(observer, to: target)
            P.remove(&token)
        }
        added += count
    }
    P.set(target, 1)
    check("W4 calls once removed", P.calls(observer), equals: added * P.callsOnAdd)
    check("W4 calls of the other", P.calls(other), equals: besides ? 1 + P.callsOnAdd : 0)
    var token = P.add(observer, to: target)
    P.set(target, 2)
    check("W4 calls while added", P.calls(observer), equals: (added + 1) * P.callsOnAdd + 1)
    P.remove(&token)
    if otherToken != nil { P.remove(&otherToken!) }
    return [Line(besides ? "W4b" : "W4", "ns/add and remove", result)]
}

@inlinable
func observerLife<P: Peer>(_: P.Type, _ samples: Int) -> [Line] {
    let targets = (0..<10).map { _ in P.makeTarget() }
    let result = sampled(samples, per: 10) { count in
        for _ in 0..<count {
            _ = P.makeLife(on: targets)
            P.afterLife(on: targets)
        }
    }
    weak var dead: P.Observer?
    do {
        let life = P.makeLife(on: targets)
        for target in targets { P.set(target, 1) }
        check("W5 calls", P.calls(life), equals: 10 * (1 + P.callsOnAdd))
        dead = life
    }
    check("W5 lives", dead == nil ? 0 : 1, equals: 0)
    for target in targets { P.set(target, 2) }
    return [Line("W5", "ns/observation", result)]
}

/// Removes a block from the middle and adds as many at the end, outside the clock, so that N stays what it is.
///
/// With few observers a piece spans several targets, so that the clock's own cost does not show.
@inlinable
func removeMiddle<P: Peer>(_: P.Type, _ n: Int, _ samples: Int) -> [Line] {
    let targets = (0..<max(1, 2000 / n)).map { _ in P.makeTarget() }
    var observers = targets.map { _ in (0..<n).map { _ in P.makeObserver() } }
    var tokens = zip(targets, observers).map { target, observers in
        observers.map { P.add($0, to: target) }
    }
    var block = 1
    func piece() -> (operations: Int, took: UInt64) {
        let middle = n / 2 - block / 2..<n / 2 - block / 2 + block
        let start = bench_now()
        for index in targets.indices {
            for place in middle { P.remove(&tokens[index][place]) }
        }
        let took = bench_now() - start
        for index in targets.indices {
            let again = Array(observers[index][middle])
            observers[index].removeSubrange(middle)
            observers[index].append(contentsOf: again)
            tokens[index].removeSubrange(middle)
            for observer in again { tokens[index].append(P.add(observer, to: targets[index])) }
        }
        return (block * targets.count, took)
    }
    // A system that searches gets smaller blocks, or one piece would take seconds.
    _ = piece()
    let once = max(1, piece().took / UInt64(targets.count))
    block = max(1, min(n / 10, 1000, Int(4_000_000 / once)))
    let result = sampledPieces(samples, piece)

    let before = observers.map { $0.map(P.calls) }
    for index in targets.indices { P.set(targets[index], 1) }
    for (observers, before) in zip(observers, before) {
        for (observer, before) in zip(observers, before) {
            check("W6 calls", P.calls(observer), equals: before + 1)
        }
    }
    for index in targets.indices {
        for place in tokens[index].indices { P.remove(&tokens[index][place]) }
    }
    return [Line("W6", "ns/removal", result)]
}

@inlinable
func bytes<P: Peer>(_ peer: P.Type, _ n: Int, oneTarget: Bool, _ samples: Int) -> [Line] {
    // What a system keeps for the class, whatever the number of observations, is there before the first sample.
    _ = bytes(peer, 1, oneTarget: oneTarget)
    let result = (0..<samples).map { _ in bytes(peer, n, oneTarget: oneTarget) }
    return [Line(oneTarget ? "W7" : "W7t", "bytes/observation", result)]
}

/// The observer, and the array that holds the tokens, are there before the count starts.
@inlinable
func bytes<P: Peer>(_: P.Type, _ n: Int, oneTarget: Bool) -> Double {
    bench_tidy_heap()
    let observer = P.makeObserver()
    let targets = (0..<(oneTarget ? 1 : n)).map { _ in P.makeTarget() }
    var tokens: [P.Token] = []
    tokens.reserveCapacity(n)
    let before = bench_heap_bytes()
    for index in 0..<n {
        let token = P.add(observer, to: targets[oneTarget ? 0 : index])
        if !P.livesWithoutToken { tokens.append(token) }
    }
    let after = bench_heap_bytes()
    for target in targets { P.set(target, 1) }
    check("W7 calls", P.calls(observer), equals: n * (1 + P.callsOnAdd))
    for index in tokens.indices { P.remove(&tokens[index]) }
    return Double(after - before) / Double(n)
}
