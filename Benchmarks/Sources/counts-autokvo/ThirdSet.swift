import AutoKVO
import BenchKit

/// Changes of derived values, each for one value that it computes, or one element that is read.
func thirdSet() -> [Operation] {
    let graphs: [(Graph, n: Int, per: Int)] = [
        (.deep, 50, 50), (.broad, 50, 100), (.diamond, 5, 6), (.triangle, 10, 11), (.mux, 100, 101), (.avoidable, 1, 1),
        (.repeated, 1, 1), (.unstable, 1, 1), (.cellx, 10, 40), (.sheet, 8, 64), (.total, 1000, 1000),
    ]
    return graphs.map { graph, n, per in
        Operation(name: "derived-\(graph)", per: per) { count in
            let told = Told()
            kept.append(told)
            let made = make(graph, n, told, DerivedGraphs.self)
            for turn in 1...8 { made.change(turn) }
            return { for turn in 9..<count + 9 { made.change(turn) } }
        }
    }
}
