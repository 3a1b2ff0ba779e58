import Foundation

/// What a user wants to know: six sentences, and a chart of bars for a set with one observer and for a derived value.
extension Report {
    func usersPage() -> String {
        """
        ![Setting an observed property, and computing a derived value, beside other systems](../Benchmarks/results/users.svg)

        \(sentences.map { "- \($0)" }.joined(separator: "\n"))

        \(day), AutoKVO at \(revision), \(Machine.description).

        """
    }

    private var sentences: [String] {
        func figure(_ workload: String, _ system: String = Bar.observer) -> String {
            results.figure(system, workload)?.short ?? "–"
        }
        func times(_ workload: String, _ system: String) -> String {
            guard let mine = results.figure(Bar.observer, workload), let theirs = results.figure(system, workload)
            else {
                return "–"
            }
            return (theirs / mine).short
        }
        return [
            "**Nobody observes**: setting a property takes \(figure("W1")) ns; a plain stored property takes \(figure("W1", Systems.floor)). "
                + "Reading one in a loop over objects takes \(figure("read N=1000")) ns; a plain one \(figure("read N=1000", Systems.floor)).",
            "**One observer**: a set and its handler, with the old and the new value, take \(figure("W2")) ns. A slot of Qt takes "
                + "\(figure("W2", "Qt 6 signal")); OpenCombine's subject takes \(times("W2", "OpenCombine CurrentValueSubject")) times as long as "
                + "AutoKVO, NotificationCenter \(times("W2", "NotificationCenter")) times, Observation \(times("W2", "Observation")) times.",
            "**A thousand observers** of one property: \(figure("W3")) ns for each (Qt \(figure("W3", "Qt 6 signal"))).",
            "**Observing and ending it** take \(figure("W4")) ns together, and an observation takes \(figure("W7")) bytes, with the record "
                + "of its object \(figure("W7t")). A million objects with "
                + "an observer each are built, notified and dropped for at most twice the price of a thousand, each.",
            "**A derived value** costs \(perValue(Bar.observer)) ns for each value that a change computes in a chain of 50 (Qt's QProperty "
                + "\(perValue("Qt 6 QProperty")), Observation \(perValue("Observation"))). Each is computed at most once for "
                + "a change, however many ways lead to it: a sheet of 8 × 8 cells computes \(figure("sheet-computations N=8")) values, with Qt "
                + "\(figure("sheet-computations N=8", "Qt 6 QProperty")).",
            "**What is measured exactly**, in instructions and blocks of memory, is checked at each commit: a change of an observed property, of one "
                + "at the end of a path, or of derived values that read the same as before allocates nothing.",
        ]
    }

    private func perValue(_ system: String) -> String { results.costOfDerivedValue(system)?.short ?? "–" }
}

extension Results {
    /// What one value of a chain of 50 costs, when the first is changed.
    fileprivate func costOfDerivedValue(_ system: String) -> Double? { figure(system, "deep N=50").map { $0 / 50 } }
}

/// Bars of the time of W2 and of a derived value, each group on a linear scale of its own, for light and dark pages.
struct UsersPicture {
    private let results: Results

    init(_ results: Results) {
        self.results = results
    }

    func svg() -> String {
        let subject = "OpenCombine CurrentValueSubject"
        let groups: [(title: String, bars: [(String, Double)])] = [
            (
                "Set a property and call one observer: nanoseconds",
                [Bar.observer, "Qt 6 signal", "sigc++ trackable", subject, "NotificationCenter", "Observation"]
                    .compactMap { system in results.figure(system, "W2").map { (system, $0) } }
            ),
            (
                "Compute one of a chain of 50 derived values: nanoseconds",
                [Bar.observer, "Qt 6 QProperty", subject, "Observation"]
                    .compactMap { system in results.costOfDerivedValue(system).map { (system, $0) } }
            ),
        ]
        var (body, top): ([String], Double) = ([], 20)
        for (title, bars) in groups where !bars.isEmpty {
            body.append(#"<text x="16" y="\#(top.short)" font-weight="bold">\#(title)</text>"#)
            body += rows(bars, below: top)
            top += Double(bars.count) * 26 + 40
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 690 \((top - 16).short)" font-family="Helvetica, Arial, sans-serif" font-size="13">
            <style>
            text { fill: #222222 } .ours { fill: #c2410c } .other { fill: #94a3b8 }
            @media (prefers-color-scheme: dark) { text { fill: #e5e5e5 } .ours { fill: #fb923c } .other { fill: #64748b } }
            </style>
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    private func rows(_ bars: [(system: String, value: Double)], below top: Double) -> [String] {
        let most = bars.map(\.value).max() ?? 1
        return bars.enumerated().map { index, bar in
            let (y, length) = (top + 26 + Double(index) * 26, max(2, bar.value / most * 380))
            return """
                <text x="226" y="\(y.short)" text-anchor="end">\(bar.system)</text>
                <rect class="\(bar.system == Bar.observer ? "ours" : "other")" x="236" y="\((y - 12).short)" width="\(length.short)" height="16"/>
                <text x="\((244 + length).short)" y="\(y.short)">\(bar.value.short)</text>
                """
        }
    }
}
