import CBenchSupport

/// Builds, notifies and tears down `n` observations, over and over, and returns what one of them cost in each phase.
///
/// Both sides are made in the build and dropped in the teardown: the targets first, except with one observer on many
/// targets, where the observer goes first. A first round outside the samples touches the memory once.
@inlinable
func scale<P: Peer>(_: P.Type, _ shape: Workload, _ n: Int, _ samples: Int) -> [Line] {
    let targetCount = shape == .fanOut ? 1 : n
    let observerCount = shape == .fanIn ? 1 : n
    let rounds = max(1, 10_000 / n)
    var targets: [P.Target] = []
    var observers: [P.Observer] = []
    var tokens: [P.Token] = []
    targets.reserveCapacity(targetCount)
    observers.reserveCapacity(observerCount)
    tokens.reserveCapacity(n)
    var build: [Double] = []
    var notify: [Double] = []
    var teardown: [Double] = []
    var bytes: [Double] = []

    for sample in 0...samples {
        var spent: (build: UInt64, notify: UInt64, teardown: UInt64) = (0, 0, 0)
        var held = 0
        for _ in 0..<rounds {
            bench_tidy_heap()
            let empty = bench_heap_bytes()
            let start = bench_now()
            for index in 0..<n {
                if index < targetCount { targets.append(P.makeTarget()) }
                if index < observerCount { observers.append(P.makeObserver()) }
                let token = P.add(observers[observers.count - 1], to: targets[targets.count - 1])
                if !P.livesWithoutToken { tokens.append(token) }
            }
            let built = bench_now()
            held += bench_heap_bytes() - empty
            let ready = bench_now()
            for target in targets { P.set(target, 1) }
            let notified = bench_now()
            let each = n / observerCount
            for observer in observers {
                check("\(shape) calls", P.calls(observer), equals: each * (1 + P.callsOnAdd))
            }
            let ending = bench_now()
            for index in tokens.indices { P.remove(&tokens[index]) }
            tokens.removeAll(keepingCapacity: true)
            if shape == .fanIn { observers.removeAll(keepingCapacity: true) }
            targets.removeAll(keepingCapacity: true)
            observers.removeAll(keepingCapacity: true)
            let gone = bench_now()
            spent.build += built - start
            spent.notify += notified - ready
            spent.teardown += gone - ending
        }
        guard sample > 0 else { continue }
        let items = Double(n * rounds)
        build.append(Double(spent.build) / items)
        notify.append(Double(spent.notify) / items)
        teardown.append(Double(spent.teardown) / items)
        bytes.append(Double(held) / items)
    }
    let name = shape.rawValue
    return [
        Line("\(name)-build", "ns/item", build),
        Line("\(name)-notify", "ns/item", notify),
        Line("\(name)-teardown", "ns/item", teardown),
        Line("\(name)-bytes", "bytes/item", bytes),
    ]
}
