// The third set. A subject is a source, an operator a function, and what several subscribe to is a subject that a subscription sets. Nothing
// is read and nothing waits: each way that leads to a value computes it, and there is no change of several sources that counts as one.

import BenchKit
import CBenchSupport
import OpenCombine

private typealias Source = CurrentValueSubject<Int, Never>
private typealias Values = AnyPublisher<Int, Never>

/// Subscriptions of the graph in use. Used by one thread.
nonisolated(unsafe) private var kept: [AnyCancellable] = []

extension Publisher where Failure == Never {
    /// A value that is computed.
    fileprivate func computed(_ function: @escaping (Output) -> Int) -> Publishers.Map<Self, Int> {
        map {
            bench_computed()
            return function($0)
        }
    }
}

extension Publisher where Output == Int, Failure == Never {
    /// A value that is kept, for those that subscribe to it.
    fileprivate func node() -> Source {
        let node = Source(0)
        kept.append(removeDuplicates().sink { [unowned(unsafe) node] in node.send($0) })
        return node
    }

    fileprivate func told(_ told: @escaping (Int) -> Void) -> AnyCancellable {
        sink {
            bench_called()
            told($0)
        }
    }

    fileprivate func told(_ place: Told) { kept.append(told { place.value = $0 }) }
}

/// The sum of several publishers' latest values, by pairs of pairs: Combine's `combineLatest` takes four at most.
private func sum(of all: [Values]) -> Values {
    if all.count == 1 { return all[0] }
    let half = all.count / 2
    let (first, second) = (sum(of: Array(all[..<half])), sum(of: Array(all[half...])))
    return first.combineLatest(second).map { $0 &+ $1 }.eraseToAnyPublisher()
}

private func make(_ graph: Graph, _ n: Int) -> MadeGraph? {
    let told = Told()
    let source = Source(0)
    let set: (Int) -> Void = { source.send($0) }
    switch graph {
    case .deep:
        var last = source.eraseToAnyPublisher()
        for _ in 0..<n { last = last.computed { $0 + 1 }.eraseToAnyPublisher() }
        last.told(told)
        return MadeGraph(change: set) { told.value == $0 + n }
    case .broad:
        let all = (0..<n).map { _ in Told() }
        for index in 0..<n { source.computed { $0 + index }.computed { $0 + 1 }.told(all[index]) }
        return MadeGraph(change: set) { turn in all.indices.allSatisfy { all[$0].value == turn + $0 + 1 } }
    case .diamond:
        let sides = (0..<n).map { _ in source.computed { $0 + 1 }.eraseToAnyPublisher() }
        sum(of: sides).computed { $0 }.told(told)
        return MadeGraph(change: set) { told.value == n * ($0 + 1) }
    case .triangle:
        var chain = [source]
        for _ in 0..<n { chain.append(chain.last!.computed { $0 + 1 }.node()) }
        sum(of: chain.map { $0.eraseToAnyPublisher() }).computed { $0 }.told(told)
        return MadeGraph(change: set) { told.value == (n + 1) * $0 + n * (n + 1) / 2 }
    case .mux:
        let sources = (0..<n).map { _ in Source(0) }
        var latest = sources[0].map { [$0] }.eraseToAnyPublisher()
        for next in sources.dropFirst() { latest = latest.combineLatest(next).map { $0 + [$1] }.eraseToAnyPublisher() }
        let all = CurrentValueSubject<[Int], Never>([Int](repeating: 0, count: n))
        kept.append(
            latest.sink {
                bench_computed()
                all.send($0)
            })
        for index in 0..<n { all.computed { $0[index] + 1 }.removeDuplicates().told(told) }
        return MadeGraph { turn in
            sources[turn % n].send(turn)
        } isRight: {
            told.value == $0 + 1
        }
    case .avoidable:
        source.computed { $0 }.removeDuplicates().computed { $0 &* 0 }.removeDuplicates()
            .computed { $0 + 1 }.computed { $0 + 2 }.computed { $0 + 3 }.told(told)
        return MadeGraph(change: set) { _ in told.value == 6 }
    case .repeated:
        source.computed { value in (0..<30).reduce(0) { sum, _ in sum + value } }.told(told)
        return MadeGraph(change: set) { told.value == 30 * $0 }
    case .unstable:
        let (double, inverse) = (source.computed { $0 * 2 }, source.computed { -$0 })
        source.map { $0 % 2 != 0 }.removeDuplicates()
            .map { $0 ? double.eraseToAnyPublisher() : inverse.eraseToAnyPublisher() }.switchToLatest()
            .computed { value in (0..<20).reduce(0) { sum, _ in sum + value } }.told(told)
        return MadeGraph(change: set) { told.value == ($0 % 2 != 0 ? 40 * $0 : -20 * $0) }
    case .cellx:
        let sources = (0..<4).map { _ in Source(0) }
        var layer = sources
        for _ in 0..<n {
            let former = layer
            layer = [
                former[1].computed { $0 }.node(), former[0].combineLatest(former[2]).computed { $0 &- $1 }.node(),
                former[1].combineLatest(former[3]).computed { $0 &+ $1 }.node(), former[2].computed { $0 }.node(),
            ]
        }
        for node in layer { node.told(told) }
        let last = layer
        return MadeGraph { turn in
            for (index, source) in sources.enumerated() { source.send((index + 1) &* turn) }
        } isRight: { turn in
            var values = (1...4).map { $0 &* turn }
            for _ in 0..<n { values = [values[1], values[0] &- values[2], values[1] &+ values[3], values[2]] }
            return last.map(\.value) == values
        }
    case .sheet:
        var cells: [Source] = []
        for index in 0..<n * n {
            let left = index % n > 0 ? cells[index - 1] : nil
            let above = index >= n ? cells[index - n] : nil
            if let left, let above {
                cells.append(left.combineLatest(above).computed { $0 &+ $1 }.node())
            } else {
                cells.append((left ?? above ?? source).computed { $0 }.node())
            }
        }
        cells.last!.told(told)
        return MadeGraph(change: set) { turn in
            // Each cell is a binomial coefficient times the source.
            var values = [Int](repeating: 0, count: n * n)
            for index in 0..<n * n {
                let (row, column) = (index / n, index % n)
                values[index] =
                    index == 0 ? turn : (column > 0 ? values[index - 1] : 0) &+ (row > 0 ? values[index - n] : 0)
            }
            return told.value == values[n * n - 1]
        }
    case .total:
        let sources = (0..<n).map { _ in Source(0) }
        sum(of: sources.map { $0.eraseToAnyPublisher() }).computed { $0 }.told(told)
        var (values, total) = ([Int](repeating: 0, count: n), 0)
        return MadeGraph { turn in
            let index = turn &* 7919 % n
            total += turn - values[index]
            values[index] = turn
            sources[index].send(turn)
        } isRight: { _ in
            told.value == total
        }
    case .pairs:
        preconditionFailure("It is no graph that is changed.")
    }
}

/// Each way that leads to a value computes it, so 100 layers of cellx and a sheet of 100 by 100 have no end.
private func has(_ graph: Graph, _ n: Int) -> Bool {
    switch graph {
    case .cellx: n <= 10
    case .sheet: n <= 8
    default: true
    }
}

func graphs() -> [Cell] {
    Graph.allCases.flatMap { graph in
        graph.sizes.filter { has(graph, $0) }.map { n in
            Cell(system: Subject.system, workload: graph.rawValue, n: n) { samples in
                if graph == .pairs {
                    let told = Told()
                    return pairs(n, samples, told) {
                        let source = Source(1)
                        return (source, source.computed { $0 + 1 }.told { told.value = $0 })
                    } set: {
                        $0.0.send($1)
                    }
                }
                defer { kept = [] }
                return measured(graph, make(graph, n)!, samples)
            }
        }
    }
}
