import AutoKVO
import BenchKit

private final class Totals: TrackedObject {
    @Observed var rows: [Node] = []
    @Derived({ (table: Totals) in table.rows.reduce(0) { $0 &+ $1.a } }) var total: Int
}

/// Changes of derived values, each for one value that it computes, or one element that is read.
func thirdSet() -> [Operation] {
    let graphs: [(Graph, n: Int, per: Int)] = [
        (.deep, 50, 50), (.broad, 50, 100), (.diamond, 5, 6), (.triangle, 10, 11), (.mux, 100, 101), (.avoidable, 1, 1),
        (.repeated, 1, 1), (.unstable, 1, 1), (.cellx, 10, 40), (.sheet, 8, 64), (.total, 1000, 1000),
    ]
    let edit = Operation(name: "derived-total-edit", per: 2000) { count in
        let table = Totals()
        kept.append(table)
        table.rows = (0..<1000).map { _ in Node() }
        table.$total.observe { _ in }
        return {
            for _ in 0..<count {
                table.rows.append(table.rows[500])
                table.rows.removeFirst()
            }
        }
    }
    return [edit]
        + graphs.map { graph, n, per in
            Operation(name: "derived-\(graph)", per: per) { count in
                let told = Told()
                kept.append(told)
                let made = make(graph, n, told, DerivedGraphs.self)
                for turn in 1...8 { made.change(turn) }
                return { for turn in 9..<count + 9 { made.change(turn) } }
            }
        }
}
