import CBenchSupport

/// A system of the third set: sources, and values that are functions of what they read.
public protocol Graphs {
    associatedtype Source: AnyObject
    associatedtype Node: AnyObject

    static var system: String { get }
    static func source(_ value: Int) -> Source
    static func read(_ source: Source) -> Int
    static func set(_ source: Source, _ value: Int)
    /// A derived value. Its function is counted with `bench_computed()`.
    static func node(_ function: @escaping () -> Int) -> Node
    static func read(_ node: Node) -> Int
    /// Calls a function with each new value of a node, and keeps what that takes: for as long as the node where it says so. Its calls
    /// are counted with `bench_called()`.
    static func sink(_ node: Node, _ told: @escaping (Int) -> Void)
    /// Makes a change, and does what has to be done behind it.
    static func change(_ body: () -> Void)
    /// The same for several changes, for which each sink is called once.
    static func changeTogether(_ body: () -> Void)
    /// Forgets what `sink` kept.
    static func forget()
    /// Which of the workloads it finishes, and with which sizes.
    static func has(_ graph: Graph, _ n: Int) -> Bool
}

extension Graphs {
    public static func forget() {}
    public static func has(_ graph: Graph, _ n: Int) -> Bool { true }
}

/// The workloads, and the sizes that each is run at.
public enum Graph: String, CaseIterable, Sendable {
    case deep, broad, diamond, triangle, mux, avoidable, repeated, unstable, cellx, sheet, total, pairs

    public var sizes: [Int] {
        switch self {
        case .deep, .broad: [50]
        case .diamond: [5]
        case .triangle: [10]
        case .mux: [100]
        case .avoidable, .repeated, .unstable: [1]
        case .cellx: [10, 100]
        case .sheet: [8, 100]
        case .total: [1000, 10_000, 100_000]
        case .pairs: [100_000]
        }
    }
}

/// A graph that was made, to be changed.
public struct MadeGraph {
    /// Makes change 1, 2, 3, …
    public let change: (Int) -> Void
    /// Whether every sink is right after that change.
    public let isRight: (Int) -> Bool

    @inlinable
    public init(change: @escaping (Int) -> Void, isRight: @escaping (Int) -> Bool) {
        (self.change, self.isRight) = (change, isRight)
    }
}

/// What the last call told, and what is kept as long as the graph is used. Used by one thread.
public final class Told {
    public var value = 0
    @usableFromInline var kept: [AnyObject] = []
    public init() {}
}

/// Cells of all workloads of a system.
@inlinable
public func graphCells<G: Graphs>(of graphs: G.Type) -> [Cell] {
    Graph.allCases.flatMap { graph in
        graph.sizes.filter { G.has(graph, $0) }.map { n in
            Cell(system: G.system, workload: graph.rawValue, n: n) { samples in
                if graph == .pairs { return pairs(G.self, n, samples) }
                let told = Told()
                defer {
                    G.forget()
                    withExtendedLifetime(told) {}
                }
                return measured(graph, make(graph, n, told, G.self), samples)
            }
        }
    }
}

/// Times the changes of a graph. What they compute and call is counted in 16 changes, behind which each value is looked at.
@inlinable
public func measured(_ graph: Graph, _ made: MadeGraph, _ samples: Int) -> [Line] {
    var turn = 0
    func change() {
        turn += 1
        made.change(turn)
    }
    func checkLast() { check("\(graph) after change \(turn)", made.isRight(turn) ? 1 : 0, equals: 1) }
    for _ in 0..<4 { change() }
    let before = bench_get_tally()
    for _ in 0..<16 {
        change()
        // What looking at the values computes does not count.
        let tally = bench_get_tally()
        checkLast()
        bench_set_tally(tally)
    }
    let behind = bench_get_tally()
    let computed = Double(behind.computations - before.computations) / 16
    let called = Double(behind.calls - before.calls) / 16
    let times = sampled(samples) { count in for _ in 0..<count { change() } }
    checkLast()
    return [
        Line(graph.rawValue, "ns/change", times),
        Line("\(graph)-computations", "per change", [computed]), Line("\(graph)-calls", "per change", [called]),
    ]
}

/// Objects with a source, a value derived from it, and a sink of that: made, and dropped.
@inlinable
public func pairs<G: Graphs>(_: G.Type, _ n: Int, _ samples: Int) -> [Line] {
    let told = Told()
    return pairs(n, samples, told) {
        let source = G.source(1)
        let node = G.node { [unowned(unsafe) source] in G.read(source) + 1 }
        G.sink(node) { told.value = $0 }
        return (source, node)
    } set: { pair, value in
        G.change { G.set(pair.0, value) }
    } forget: {
        G.forget()
    }
}

/// The same for a system that makes them in its own way.
///
/// - Parameters:
///   - told: Where a pair's sink leaves the value: its source's and one.
///   - make: Makes a pair, whose source is 1.
///   - set: Sets the source of a pair.
///   - forget: Drops what of the pairs is kept elsewhere.
@inlinable
public func pairs<Pair>(
    _ n: Int, _ samples: Int, _ told: Told, make: () -> Pair, set: (Pair, Int) -> Void, forget: () -> Void = {}
) -> [Line] {
    var (builds, drops, bytes): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<samples {
        bench_tidy_heap()
        let empty = bench_heap_bytes()
        var kept: [Pair] = []
        kept.reserveCapacity(n)
        let room = n * MemoryLayout<Pair>.stride
        let build = timed { for _ in 0..<n { kept.append(make()) } }
        builds.append(Double(build) / Double(n))
        bytes.append(Double(Int(bench_heap_bytes() - empty) - room) / Double(n))
        set(kept[n / 2], 5)
        check("pairs value", told.value, equals: 6)
        let drop = timed {
            kept = []
            forget()
        }
        drops.append(Double(drop) / Double(n))
    }
    return [
        Line("pairs", "ns/build", builds), Line("pairs-drop", "ns/drop", drops),
        Line("pairs-bytes", "bytes/pair", bytes),
    ]
}

/// Makes a graph. `told` is to be kept as long as it is used.
@inlinable
public func make<G: Graphs>(_ graph: Graph, _ n: Int, _ told: Told, _: G.Type) -> MadeGraph {
    func change(_ source: G.Source, by next: @escaping (Int) -> Int = { $0 }) -> (Int) -> Void {
        { turn in G.change { G.set(source, next(turn)) } }
    }
    func sink(_ node: G.Node) {
        told.kept.append(node)
        G.sink(node) { [unowned told] in told.value = $0 }
    }
    let source = G.source(0)

    switch graph {
    case .deep:
        var nodes = [G.node { G.read(source) + 1 }]
        for _ in 1..<n {
            let last = nodes.last!
            nodes.append(G.node { G.read(last) + 1 })
        }
        sink(nodes.last!)
        let all = nodes
        return MadeGraph(change: change(source)) { told.value == $0 + all.count }
    case .broad:
        let nodes = (0..<n).map { index in
            let first = G.node { G.read(source) + index }
            return G.node { G.read(first) + 1 }
        }
        for node in nodes { sink(node) }
        return MadeGraph(change: change(source)) { turn in
            nodes.indices.allSatisfy { G.read(nodes[$0]) == turn + $0 + 1 }
        }
    case .diamond:
        let sides = (0..<n).map { _ in G.node { G.read(source) + 1 } }
        let sum = G.node { sides.reduce(0) { $0 + G.read($1) } }
        sink(sum)
        return MadeGraph(change: change(source)) { told.value == n * ($0 + 1) }
    case .triangle:
        var nodes = [G.node { G.read(source) + 1 }]
        for _ in 1..<n {
            let last = nodes.last!
            nodes.append(G.node { G.read(last) + 1 })
        }
        let all = nodes
        let sum = G.node { all.reduce(G.read(source)) { $0 + G.read($1) } }
        sink(sum)
        return MadeGraph(change: change(source)) { told.value == (n + 1) * $0 + n * (n + 1) / 2 }
    case .mux:
        // The array is one value, as far as each system has such: a derived value that keeps it beside the number that says which it is.
        let sources = (0..<n).map { _ in G.source(0) }
        var (values, version): ([Int], Int) = ([], 0)
        let all = G.node {
            values = sources.map { G.read($0) }
            version += 1
            return version
        }
        let nodes = (0..<n).map { index in
            G.node {
                _ = G.read(all)
                return values[index] + 1
            }
        }
        for node in nodes { sink(node) }
        return MadeGraph { turn in
            G.change { G.set(sources[turn % n], turn) }
        } isRight: {
            told.value == $0 + 1
        }
    case .avoidable:
        let first = G.node { G.read(source) }
        let nothing = G.node { G.read(first) &* 0 }
        let third = G.node { G.read(nothing) + 1 }
        let fourth = G.node { G.read(third) + 2 }
        let last = G.node { G.read(fourth) + 3 }
        sink(last)
        return MadeGraph(change: change(source)) { _ in G.read(last) == 6 }
    case .repeated:
        let node = G.node { (0..<30).reduce(0) { sum, _ in sum + G.read(source) } }
        sink(node)
        return MadeGraph(change: change(source)) { told.value == 30 * $0 }
    case .unstable:
        let double = G.node { G.read(source) * 2 }
        let inverse = G.node { -G.read(source) }
        let node = G.node {
            (0..<20).reduce(0) { sum, _ in sum + (G.read(source) % 2 != 0 ? G.read(double) : G.read(inverse)) }
        }
        sink(node)
        return MadeGraph(change: change(source)) { told.value == ($0 % 2 != 0 ? 40 * $0 : -20 * $0) }
    case .cellx:
        let sources = (0..<4).map { _ in G.source(0) }
        var layer = [
            G.node { G.read(sources[1]) }, G.node { G.read(sources[0]) &- G.read(sources[2]) },
            G.node { G.read(sources[1]) &+ G.read(sources[3]) }, G.node { G.read(sources[2]) },
        ]
        for _ in 1..<n {
            let former = layer
            layer = [
                G.node { G.read(former[1]) }, G.node { G.read(former[0]) &- G.read(former[2]) },
                G.node { G.read(former[1]) &+ G.read(former[3]) }, G.node { G.read(former[2]) },
            ]
        }
        for node in layer { sink(node) }
        let last = layer
        return MadeGraph { turn in
            G.changeTogether { for (index, source) in sources.enumerated() { G.set(source, (index + 1) &* turn) } }
        } isRight: { turn in
            var values = (1...4).map { $0 &* turn }
            for _ in 0..<n { values = [values[1], values[0] &- values[2], values[1] &+ values[3], values[2]] }
            return last.map { G.read($0) } == values
        }
    case .sheet:
        var cells: [G.Node] = []
        for row in 0..<n {
            for column in 0..<n {
                let left = column > 0 ? cells[row * n + column - 1] : nil
                let above = row > 0 ? cells[(row - 1) * n + column] : nil
                cells.append(
                    left == nil && above == nil
                        ? G.node { G.read(source) }
                        : G.node { (left.map { G.read($0) } ?? 0) &+ (above.map { G.read($0) } ?? 0) })
            }
        }
        sink(cells.last!)
        return MadeGraph(change: change(source)) { turn in
            // Each cell is a binomial coefficient times the source.
            var values = [Int](repeating: 0, count: n * n)
            for index in 0..<n * n {
                let (row, column) = (index / n, index % n)
                values[index] =
                    index == 0
                    ? turn : (column > 0 ? values[index - 1] : 0) &+ (row > 0 ? values[index - n] : 0)
            }
            return told.value == values[n * n - 1]
        }
    case .total:
        let sources = (0..<n).map { _ in G.source(0) }
        let sum = G.node { sources.reduce(0) { $0 &+ G.read($1) } }
        sink(sum)
        var (values, total) = ([Int](repeating: 0, count: n), 0)
        return MadeGraph { turn in
            let index = turn &* 7919 % n
            total += turn - values[index]
            values[index] = turn
            G.change { G.set(sources[index], turn) }
        } isRight: { _ in
            told.value == total
        }
    case .pairs:
        preconditionFailure("It is no graph that is changed: see pairs(_:_:_:).")
    }
}
