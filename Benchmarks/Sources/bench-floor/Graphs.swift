// The floor of the third set: closures, wired once by hand in the right order. What takes a list of functions is called from top to
// bottom by the change itself.

import BenchKit
import CBenchSupport

private final class Wire {
    var value = 0
    var followers: [() -> Void] = []

    @inline(__always) func set(_ new: Int) {
        if new == value { return }
        value = new
        for follower in followers { follower() }
    }
}

nonisolated(unsafe) private var kept: [Wire] = []

private func wires(_ count: Int) -> [Wire] {
    let made = (0..<count).map { _ in Wire() }
    kept += made
    return made
}

private func derive(_ wire: Wire, from sources: [Wire], _ function: @escaping () -> Int) {
    for source in sources {
        source.followers.append { [unowned(unsafe) wire] in
            bench_computed()
            wire.set(function())
        }
    }
}

private func sink(_ wire: Wire, _ told: Told) {
    wire.followers.append { [unowned(unsafe) wire] in
        bench_called()
        told.value = wire.value
    }
}

private func make(_ graph: Graph, _ n: Int) -> MadeGraph? {
    let told = Told()
    let source = wires(1)[0]
    let set: (Int) -> Void = { source.set($0) }
    switch graph {
    case .deep:
        let chain = [source] + wires(n)
        for (one, next) in zip(chain, chain.dropFirst()) {
            derive(next, from: [one]) { [unowned(unsafe) one] in one.value + 1 }
        }
        sink(chain[n], told)
        return MadeGraph(change: set) { told.value == $0 + n }
    case .broad:
        let (first, second) = (wires(n), wires(n))
        for index in 0..<n {
            derive(first[index], from: [source]) { [unowned(unsafe) source] in source.value + index }
            derive(second[index], from: [first[index]]) { [unowned(unsafe) one = first[index]] in one.value + 1 }
            sink(second[index], told)
        }
        return MadeGraph(change: set) { turn in second.indices.allSatisfy { second[$0].value == turn + $0 + 1 } }
    case .diamond:
        let (sides, sum) = (wires(n), wires(1)[0])
        for side in sides { derive(side, from: [source]) { [unowned(unsafe) source] in source.value + 1 } }
        derive(sum, from: [source]) { sides.reduce(0) { $0 + $1.value } }
        sink(sum, told)
        return MadeGraph(change: set) { told.value == n * ($0 + 1) }
    case .triangle:
        let (chain, sum) = ([source] + wires(n), wires(1)[0])
        for (one, next) in zip(chain, chain.dropFirst()) {
            derive(next, from: [one]) { [unowned(unsafe) one] in one.value + 1 }
        }
        derive(sum, from: [source]) { chain.reduce(0) { $0 + $1.value } }
        sink(sum, told)
        return MadeGraph(change: set) { told.value == (n + 1) * $0 + n * (n + 1) / 2 }
    case .avoidable:
        let functions: [@Sendable (Int) -> Int] = [{ $0 }, { $0 &* 0 }, { $0 + 1 }, { $0 + 2 }, { $0 + 3 }]
        let chain = [source] + wires(5)
        for (index, value) in [0, 0, 1, 3, 6].enumerated() {
            chain[index + 1].value = value
            derive(chain[index + 1], from: [chain[index]]) { [unowned(unsafe) one = chain[index]] in
                functions[index](one.value)
            }
        }
        sink(chain[5], told)
        return MadeGraph(change: set) { _ in chain[5].value == 6 }
    case .repeated:
        let node = wires(1)[0]
        derive(node, from: [source]) { [unowned(unsafe) source] in (0..<30).reduce(0) { sum, _ in sum + source.value } }
        sink(node, told)
        return MadeGraph(change: set) { told.value == 30 * $0 }
    case .cellx:
        let cells = wires(4 * (n + 1))
        var functions: [() -> Void] = []
        for layer in 1...n {
            let (former, new) = (Array(cells[4 * layer - 4..<4 * layer]), Array(cells[4 * layer..<4 * layer + 4]))
            let values: [() -> Int] = [
                { former[1].value }, { former[0].value &- former[2].value }, { former[1].value &+ former[3].value },
                { former[2].value },
            ]
            for (wire, value) in zip(new, values) {
                functions.append {
                    bench_computed()
                    wire.set(value())
                }
            }
        }
        for wire in cells.suffix(4) { sink(wire, told) }
        return MadeGraph { turn in
            for index in 0..<4 { cells[index].value = (index + 1) &* turn }
            for function in functions { function() }
        } isRight: { turn in
            var values = (1...4).map { $0 &* turn }
            for _ in 0..<n { values = [values[1], values[0] &- values[2], values[1] &+ values[3], values[2]] }
            return cells.suffix(4).map(\.value) == values
        }
    case .total:
        let (elements, sum) = (wires(n), wires(1)[0])
        for element in elements { derive(sum, from: [element]) { elements.reduce(0) { $0 &+ $1.value } } }
        sink(sum, told)
        var (values, total) = ([Int](repeating: 0, count: n), 0)
        return MadeGraph { turn in
            let index = turn &* 7919 % n
            total += turn - values[index]
            values[index] = turn
            elements[index].set(turn)
        } isRight: { _ in
            told.value == total
        }
    case .mux, .unstable, .sheet, .pairs:
        return nil  // by hand nobody would make these so: there is no array to share, no function to leave out
    }
}

func graphs() -> [Cell] {
    Graph.allCases.flatMap { graph in
        graph.sizes.filter { make(graph, min($0, 10)) != nil && $0 <= 10_000 }.map { n in
            Cell(system: PlainStore.system, workload: graph.rawValue, n: n) { samples in
                measured(graph, make(graph, n)!, samples)
            }
        }
    }
}
