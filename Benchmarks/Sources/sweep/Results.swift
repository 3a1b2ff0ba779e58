import Foundation

/// One line of a benchmark executable's output.
struct Measured: Decodable {
    var system: String
    var workload: String
    var n: Int
    var unit: String
    var samples: [Double]
    var sized = false

    private enum CodingKeys: String, CodingKey {
        case system, workload, n, unit, samples
    }

    /// The workload's name, with the size where the size is what is looked at.
    var name: String { sized ? "\(workload) N=\(n)" : workload }
}

/// One row of the results: all samples of a cell, over all rounds.
struct Row: Decodable {
    var system: String
    /// Unique within a system: `W2`, `W6 N=100000`.
    var workload: String
    var n: Int
    var unit: String
    var min: Double
    var median: Double
    var max: Double
    var samples: Int

    /// What cells are compared by. Other programs only add time, so the minimum says most. Bytes are exact except for what a
    /// system keeps from the sample before, so there the maximum does. Where two threads compete, the minimum is a sample
    /// in which they hardly met, so the median counts.
    var figure: Double { unit.hasPrefix("bytes") ? max : isContended ? median : min }

    private var isContended: Bool {
        SecondSet.contended.contains { workload.hasPrefix($0) }
    }
}

/// Everything measured in one sweep.
struct Results {
    private(set) var rows: [Row] = []
    private var raw: [String: Measured] = [:]
    private var order: [String] = []

    init() {}

    /// What `jsonLines()` wrote.
    init(recorded lines: String) throws {
        rows = try lines.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    }

    mutating func add(_ measured: [Measured]) {
        for line in measured {
            let key = line.system + "\n" + line.name
            if raw[key] == nil {
                raw[key] = line
                order.append(key)
            } else {
                raw[key]!.samples += line.samples
            }
        }
    }

    /// Makes the rows of the samples, and W8 of its two halves: what two threads get done against one.
    mutating func derive() {
        rows = order.map { key in
            let cell = raw[key]!
            let sorted = cell.samples.sorted()
            let middle = sorted.count / 2
            let median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
            return Row(
                system: cell.system, workload: cell.name, n: cell.n, unit: cell.unit, min: sorted[0], median: median,
                max: sorted.last!, samples: sorted.count)
        }
        for one in rows where one.workload == "W8-1" {
            guard let two = row(one.system, "W8-2") else { continue }
            rows.append(
                Row(
                    system: one.system, workload: "W8", n: 1, unit: "times one thread's throughput",
                    min: 2 * one.min / two.min,
                    median: 2 * one.median / two.median, max: 2 * one.max / two.max, samples: two.samples))
        }
    }

    func row(_ system: String, _ workload: String) -> Row? {
        rows.first { $0.system == system && $0.workload == workload }
    }

    /// What a cell is compared by, if it was measured.
    func figure(_ system: String, _ workload: String) -> Double? { row(system, workload)?.figure }

    var systems: [String] {
        Set(rows.map(\.system)).sorted { (Systems.place(of: $0), $0) < (Systems.place(of: $1), $1) }
    }

    func jsonLines() -> String {
        func short(_ value: Double) -> String { String(format: "%.4g", value) }
        return rows.map { row in
            #"{"system":"\#(row.system)","workload":"\#(row.workload)","n":\#(row.n),"unit":"\#(row.unit)","#
                + #""min":\#(short(row.min)),"median":\#(short(row.median)),"max":\#(short(row.max)),"samples":\#(row.samples)}"#
                + "\n"
        }.joined()
    }
}
