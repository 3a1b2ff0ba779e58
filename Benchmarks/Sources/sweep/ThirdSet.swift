import Foundation

/// Graphs of derived values: performance/signals of the design has the workloads and the bars.
struct ThirdSet {
    var workload: String
    /// The sizes of the table's rows, the one of the bars first.
    var sizes: [Int]
    var title: String
    /// How many values one change computes and how many calls it makes, at best, at the first size.
    var computations: Double
    var calls: Double
    /// At most so many times Qt's QProperty: what the present shape of the engine may cost, and what is aimed at in the end.
    var bar: (now: Double, inTheEnd: Double)?

    static let all = [
        ThirdSet("deep", [50], "a chain of 50", 50, 1, (4, 2)),
        ThirdSet("broad", [50], "50 chains of two", 100, 50, (3, 1.5)),
        ThirdSet("diamond", [5], "a sum of five that read one source", 6, 1, (1, 0.75)),
        ThirdSet("triangle", [10], "a sum of a chain of ten", 11, 1, (0.6, 0.4)),
        ThirdSet("mux", [100], "a list of 100, each read by one of 100", 101, 1, (3, 1.5)),
        ThirdSet("avoidable", [1], "a chain of five whose second value stays", 2, 0, (5, 3)),
        ThirdSet("repeated", [1], "one that reads its source 30 times", 1, 1, (1, 0.75)),
        ThirdSet("unstable", [1], "one that reads another value each time", 2, 1, (1, 0.5)),
        ThirdSet("cellx", [10, 100], "four chains that cross in each of N layers", 40, 4, (0.2, 0.1)),
        ThirdSet("sheet", [8, 100], "cells that add the one above and the one before, N × N", 64, 1, nil),
        ThirdSet("total", [10_000, 1000, 100_000], "the sum of N, one of which is set", 1, 1, (1, 0.5)),
        ThirdSet("pairs", [100_000], "a source, a derived value and a sink: made", 0, 0, (3, 2)),
        ThirdSet("pairs-drop", [100_000], "the same: dropped", 0, 0, (6, 4)),
        ThirdSet("pairs-bytes", [100_000], "the same: bytes", 0, 0, (2, 1.5)),
    ]

    /// The workloads that executables run, of which some write several lines.
    static func index(of workload: String) -> Int? { all.firstIndex { $0.workload == workload } }

    private init(
        _ workload: String, _ sizes: [Int], _ title: String, _ computations: Double, _ calls: Double,
        _ bar: (now: Double, inTheEnd: Double)?
    ) {
        (self.workload, self.sizes, self.title) = (workload, sizes, title)
        (self.computations, self.calls, self.bar) = (computations, calls, bar)
    }
}

extension Bar {
    private static let property = "Qt 6 QProperty"

    /// The exact ones hold on any machine.
    static let ofThirdSet: [Bar] =
        ThirdSet.all.flatMap { set in
            set.computations == 0
                ? []
                : [
                    exactly(set.computations, "\(set.workload)-computations N=\(set.sizes[0])"),
                    exactly(set.calls, "\(set.workload)-calls N=\(set.sizes[0])"),
                ]
        } + [
            own(13, "cellx N=100", against: "cellx N=10", rule: "at most 13 × that of 10 layers"),
            own(4 * 10_000 / 64, "sheet N=100", against: "sheet N=8", rule: "a cell at most 4 × that of 8 × 8"),
            own(12, "total N=10000", against: "total N=1000", rule: "at most 12 × that of 1,000"),
            plain(150 * 10_000, "sheet N=100", unit: "ns", rule: "at most 150 ns a cell (in the end 90)"),
        ]
        + ThirdSet.all.compactMap { set in
            set.bar.map { bar in
                atMost(
                    bar.now, "\(set.workload) N=\(set.sizes[0])", of: observer, times: property,
                    called: "Qt's QProperty (in the end \(bar.inTheEnd.short))")
            }
        }

    private static func exactly(_ ideal: Double, _ workload: String) -> Bar {
        Bar(
            name: workload, rule: "\(ideal.short) for a change",
            figure: { results in results.figure(observer, workload).map { ($0 - ideal, $0.short) } },
            holds: { $0 == 0 })
    }
}

extension Report {
    /// The third set: the time of a change, and how much it computes and calls.
    func thirdSet(heading: String) -> String {
        """
        \(heading) Nanoseconds for one change, and in brackets how many values it computes and how many calls it makes

        \(thirdTable())

        \(heading) Bars of the third set

        \(barTable(thirdBars))

        """
    }

    private func thirdTable() -> String {
        let systems = results.systems.filter { system in
            ThirdSet.all.contains { results.row(system, "\($0.workload) N=\($0.sizes[0])") != nil }
        }
        var rows: [[String]] = []
        for set in ThirdSet.all {
            for size in set.sizes.sorted() {
                let cells = systems.map { system in
                    func figure(_ suffix: String) -> String? {
                        results.figure(system, "\(set.workload)\(suffix) N=\(size)")?.short
                    }
                    guard let time = figure("") else { return "-" }
                    guard let computed = figure("-computations"), let calls = figure("-calls") else { return time }
                    return "\(time) (\(computed), \(calls))"
                }
                if cells.allSatisfy({ $0 == "-" }) { continue }
                rows.append(["\(set.workload) \(size)", set.title] + cells)
            }
        }
        return markdownTable(["workload", "what"] + systems, rows)
    }
}
