import Foundation

/// The sweep as a page of Markdown, and the list of the bars.
struct Report {
    var results: Results
    var bars: [Bar.Judged]
    var secondBars: [Bar.Judged]
    var thirdBars: [Bar.Judged]
    var leftOut: [String]
    /// The versions and flags of the systems, a line each.
    var built: [String]
    var revision: String
    var date: Date
    var quick: Bool
    var oneThread: Bool
    var samples: Int
    var rounds: Int
    var seconds: Int

    /// The page that stands beside the figures.
    func markdown() -> String {
        "# The last sweep\n\n" + sections(heading: "##", picture: "latest.svg") + "\n## Second set\n\n"
            + secondSet(heading: "###") + "\n## Third set\n\n" + thirdSet(heading: "###")
    }

    /// A page with what stands between its markers replaced by this sweep; nil if it has no markers.
    func filledIn(_ page: String) -> String? {
        let first = sections(heading: "###", picture: "../Benchmarks/results/latest.svg")
        return page.replacing(between: "<!-- sweep -->\n", and: "<!-- end of sweep -->", with: first)?
            .replacing(
                between: "<!-- second set -->\n", and: "<!-- end of second set -->", with: secondSet(heading: "###"))?
            .replacing(
                between: "<!-- third set -->\n", and: "<!-- end of third set -->", with: thirdSet(heading: "###"))
    }

    /// The same for the page of the users.
    func filledInForUsers(_ page: String) -> String? {
        page.replacing(between: "<!-- figures -->\n", and: "<!-- end of figures -->", with: usersPage())
    }

    private var builtList: String { built.isEmpty ? "" : "\n" + built.map { "\n- \($0)" }.joined() }

    private func sections(heading: String, picture: String) -> String {
        var text = """
            \(day), \(Machine.description). AutoKVO at \(revision).\(quick ? " A quick sweep." : "")\(oneThread ? " Processes of one thread." : "")
            \(rounds) interleaved rounds, at least \(samples) samples a cell, \((seconds + 30) / 60) minutes. Times are compared by minimum, bytes by maximum.\(builtList)

            ![Bars by system, and cost against N](\(picture))

            \(heading) Minimum, ns for one operation

            \(table(\.figure))

            \(heading) Median, ns for one operation

            \(table(\.median))

            W1 set, nobody observes · W2 set and deliver to one handler · W3 a thousand handlers, for each · W4 add and remove one
            (W4b: another observer is there) · W5 an observer of ten targets is created and dies, for each observation · W6 remove
            one from the middle of N · W7 bytes for each live observation, all on one target, W7t one on each of 100,000 targets ·
            W8 two threads on separate objects, throughput against one.

            \(heading) Building, notifying and tearing down N: minimum, ns or bytes for one item

            \(scaleTable())

            objects: N targets with an observer each · fanout: one target with N observers · fanin: one observer of N targets. A
            build makes both sides, a teardown drops both, the bytes are those of both and what is between them.

            \(heading) Paths, dependent keys, collections, size

            \(specialTable())

            \(heading) Bars

            \(barTable(bars))

            """
        if !leftOut.isEmpty {
            text += "\n\(heading) Left out\n\n" + leftOut.map { "- \($0)\n" }.joined()
        }
        return text
    }

    /// Plain lines for the terminal: held or missed, and the ratio.
    func barList() -> String {
        let bars = bars + secondBars + thirdBars
        let lines = bars.map { bar in
            let ratio = bar.ratio.map { String(format: "%6.2f", $0) } ?? "     -"
            return "\(bar.verdict.padded(12))  \(ratio)  \(bar.name.padded(27)) \(bar.rule)"
                + (bar.made.isEmpty ? "" : "  (\(bar.made))")
        }
        let held = bars.filter { $0.verdict == "held" }.count
        let missed = bars.filter { $0.verdict == "missed" }.count
        return (lines + ["\(held) held, \(missed) missed, \(bars.count - held - missed) not measured"])
            .joined(separator: "\n")
    }

    var day: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyy-MM-dd"
        return formatter.string(from: date)
    }

    private func table(_ value: KeyPath<Row, Double>) -> String {
        let columns: [(title: String, workload: String)] = [
            ("W1", "W1"), ("W2", "W2"), ("W3", "W3"), ("W4", "W4"), ("W4b", "W4b"), ("W5", "W5"),
            ("W6 N=100", "W6 N=100"),
            ("N=1e4", "W6 N=10000"), ("N=1e5", "W6 N=100000"), ("N=1e6", "W6 N=1000000"), ("W7", "W7"), ("W7t", "W7t"),
            ("W8", "W8"),
        ]
        return markdownTable(
            ["system"] + columns.map(\.title),
            results.systems.map { system in
                [system] + columns.map { results.row(system, $0.workload)?[keyPath: value].short ?? "-" }
            })
    }

    private func scaleTable() -> String {
        let phases = ["build", "notify", "teardown", "bytes"]
        let sizes = [1000, 10_000, 100_000, 1_000_000]
        var rows: [[String]] = []
        for shape in ["objects", "fanout", "fanin"] {
            for system in results.systems {
                let cells = phases.map { phase in
                    sizes.map { results.figure(system, "\(shape)-\(phase) N=\($0)")?.short ?? "-" }.joined(
                        separator: " / ")
                }
                if cells.contains(where: { $0 != "- / - / - / -" }) { rows.append([shape, system] + cells) }
            }
        }
        return markdownTable(["shape", "system"] + phases.map { "\($0) at 1e3 / 1e4 / 1e5 / 1e6" }, rows)
    }

    private func specialTable() -> String {
        let workloads: [(String, String)] = [
            ("path-leaf", "set the leaf of an observed `a.b`, ns"),
            ("path-head", "swap the head of an observed `a.b`, ns"),
            ("dependent", "set a key that an observed one depends on, ns"),
            ("dependent-old", "the same, the old value asked for, ns"),
            ("read N=1000", "read a property in a loop over a thousand objects, ns"),
            ("read N=100000", "over 100,000 objects, ns"),
            ("read-recording", "over a thousand while another thread computes a derived value, ns"),
            ("append", "append to an array of 1e6 in place, observed without old values, ns"),
            ("object-size", "bytes of an object with one key"), ("object-size-4", "bytes of an object with four keys"),
        ]
        let systems = results.systems.filter { system in workloads.contains { results.row(system, $0.0) != nil } }
        return markdownTable(
            ["what"] + systems,
            workloads.map { workload in [workload.1] + systems.map { results.figure($0, workload.0)?.short ?? "-" } })
    }

    func barTable(_ bars: [Bar.Judged]) -> String {
        markdownTable(
            ["workload", "bar", "measured", "ratio", ""],
            bars.map { bar in
                [bar.name, bar.rule, bar.made, bar.ratio.map { String(format: "%.2f", $0) } ?? "-", bar.verdict]
            })
    }

    func markdownTable(_ head: [String], _ rows: [[String]]) -> String {
        ([head, head.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
            .joined(separator: "\n")
    }
}

extension String {
    /// The text with what stands between two markers replaced; nil if they are not there.
    fileprivate func replacing(between start: String, and end: String, with text: String) -> String? {
        guard let first = range(of: start), let last = range(of: end) else { return nil }
        return replacingCharacters(in: first.upperBound..<last.lowerBound, with: text)
    }

    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// What it was measured on.
enum Machine {
    static var description: String {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let memory = Int((Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824).rounded())
        return "\(cores) cores (\(processor)), \(memory) GiB, \(distribution), Swift \(compiler)"
    }

    private static var processor: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        func field(_ name: String) -> String? {
            lines.first { $0.hasPrefix(name) }?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        }
        return
            "\(field("model name") ?? "unknown"), family \(field("cpu family") ?? "?"), model \(field("model\t") ?? "?")"
    }

    private static var distribution: String {
        let lines = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8))?.split(separator: "\n") ?? []
        let name = lines.first { $0.hasPrefix("PRETTY_NAME=") }?.dropFirst("PRETTY_NAME=".count)
        return name.map { String($0.replacing("\"", with: "")) } ?? "Linux"
    }

    /// The compiler this driver was built with, which built the systems in the same run.
    private static var compiler: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "before 6.3"
        #endif
    }
}
