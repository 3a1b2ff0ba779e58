import Foundation

/// The sweep as one SVG: a panel of bars for each workload, and a panel of lines for each cost that is looked at over N.
struct Picture {
    private let results: Results
    private static let width = 1260.0
    private static let columns = 3

    init(_ results: Results) {
        self.results = results
    }

    func svg() -> String {
        var body = ""
        var top = 20.0
        let panelWidth = (Self.width - 20) / Double(Self.columns)

        let barPanels = bars.map { title, workload in
            BarPanel(title: title, values: values(of: workload), higherIsBetter: workload == "W8")
        }.filter { !$0.values.isEmpty }
        let linePanels = lines.map { title, workload in LinePanel(title: title, series: series(of: workload)) }
            .filter { !$0.series.isEmpty }

        for row in stride(from: 0, to: barPanels.count, by: Self.columns) {
            let panels = barPanels[row..<min(row + Self.columns, barPanels.count)]
            for (column, panel) in panels.enumerated() {
                body += panel.svg(x: 10 + Double(column) * panelWidth, y: top, width: panelWidth - 16)
            }
            top += panels.map(\.height).max()! + 24
        }
        let names = results.systems.filter { name in linePanels.contains { $0.series.contains { $0.system == name } } }
        if !names.isEmpty {
            body += legend(names, y: top)
            top += Double((names.count + 4) / 5) * 20 + 16
        }
        for row in stride(from: 0, to: linePanels.count, by: Self.columns) {
            let panels = linePanels[row..<min(row + Self.columns, linePanels.count)]
            for (column, panel) in panels.enumerated() {
                body += panel.svg(x: 10 + Double(column) * panelWidth, y: top, width: panelWidth - 16)
            }
            top += LinePanel.height + 24
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(Self.width))" height="\(Int(top))" viewBox="0 0 \(Int(Self.width)) \(Int(top))" font-family="Helvetica, Arial, sans-serif" font-size="11">
            <rect width="100%" height="100%" fill="#ffffff"/>
            \(body)</svg>

            """
    }

    private var bars: [(String, String)] {
        [
            ("W1  set, nobody observes (ns)", "W1"), ("W2  set and deliver to one handler (ns)", "W2"),
            ("W3  a thousand handlers, each (ns)", "W3"), ("W4  add and remove one (ns)", "W4"),
            ("W4b  the same, another observer is there (ns)", "W4b"),
            ("W5  an observer of ten is created and dies, each (ns)", "W5"),
            ("W7  bytes for an observation, one target", "W7"),
            ("W7t  bytes for an observation, a target each", "W7t"), ("W8  two threads against one (times)", "W8"),
        ]
            + SecondSet.all.map { ("\($0.title), N = \($0.size) (ns)", "\($0.workload) N=\($0.size)") }
    }

    private var lines: [(String, String)] {
        [("W6  remove one from the middle of N (ns)", "W6")]
            + [
                ("objects", "N targets, an observer each"), ("fanout", "one target, N observers"),
                ("fanin", "one observer, N targets"),
            ]
            .flatMap { shape, words in
                ["build", "notify", "teardown"].map { ("\($0): \(words) (ns each)", "\(shape)-\($0)") }
            }
            + SecondSet.all.map { ("\($0.title), by N (ns)", $0.workload) }
    }

    private func values(of workload: String) -> [(system: String, value: Double)] {
        results.systems.compactMap { system in results.figure(system, workload).map { (system, $0) } }
            .sorted { workload == "W8" ? $0.1 > $1.1 : $0.1 < $1.1 }
    }

    private func series(of workload: String) -> [LinePanel.Series] {
        results.systems.compactMap { system in
            let points = results.rows.filter { $0.system == system && $0.workload.hasPrefix("\(workload) N=") }
                .map { (n: Double($0.n), cost: $0.figure) }.sorted { $0.n < $1.n }
            return points.count > 1 ? LinePanel.Series(system: system, points: points) : nil
        }
    }

    private func legend(_ names: [String], y: Double) -> String {
        names.enumerated().map { index, name in
            let x = 24 + Double(index % 5) * 245
            let line = y + Double(index / 5) * 20 + 10
            return Shape.line(x, line, x + 22, line, Style.color(name), width: Style.stroke(name))
                + Shape.text(x + 28, line + 4, name, bold: Style.isOurs(name))
        }.joined()
    }
}

/// Bars by system, cheapest first, on a log scale.
struct BarPanel {
    var title: String
    var values: [(system: String, value: Double)]
    var higherIsBetter: Bool

    var height: Double { 40 + Double(values.count) * 17 }

    func svg(x: Double, y: Double, width: Double) -> String {
        let labels = 186.0
        let room = width - labels - 52
        let axis = higherIsBetter ? nil : LogAxis(values.map(\.value))
        var out = Shape.text(x, y + 12, title, bold: true, size: 12)
        if let axis {
            for tick in axis.decades {
                let at = x + labels + axis.place(tick) * room
                out += Shape.line(at, y + 22, at, y + height - 14, "#e3e3e3")
                out += Shape.text(at, y + height - 3, tick.short, color: "#777777", anchor: "middle", size: 9)
            }
        }
        for (index, (system, value)) in values.enumerated() {
            let line = y + 24 + Double(index) * 17
            let share = axis.map { $0.place(value) } ?? value / 2.1
            out += Shape.text(x + labels - 6, line + 10, system, anchor: "end", bold: Style.isOurs(system), size: 9)
            out += Shape.rectangle(x + labels, line, max(2, share * room), 12, Style.color(system))
            out += Shape.text(x + labels + max(2, share * room) + 4, line + 10, value.short, size: 10)
        }
        return out
    }
}

/// Cost against N, both on log scales.
struct LinePanel {
    struct Series {
        var system: String
        var points: [(n: Double, cost: Double)]
    }

    static let height = 250.0
    var title: String
    var series: [Series]

    func svg(x: Double, y: Double, width: Double) -> String {
        let left = x + 44
        let right = x + width - 10
        let top = y + 24
        let bottom = y + Self.height - 22
        let across = LogAxis(series.flatMap { $0.points.map(\.n) }, exact: true)
        let up = LogAxis(series.flatMap { $0.points.map(\.cost) })
        func place(_ point: (n: Double, cost: Double)) -> (Double, Double) {
            (left + across.place(point.n) * (right - left), bottom - up.place(point.cost) * (bottom - top))
        }
        var out = Shape.text(x, y + 12, title, bold: true, size: 12)
        for tick in up.decades {
            let at = bottom - up.place(tick) * (bottom - top)
            out += Shape.line(left, at, right, at, "#e3e3e3")
            let label = tick < 1e6 ? tick.short : "1e\(Int(log10(tick).rounded()))"
            out += Shape.text(left - 5, at + 4, label, color: "#777777", anchor: "end", size: 9)
        }
        for tick in across.decades {
            let at = left + across.place(tick) * (right - left)
            out += Shape.line(at, top, at, bottom, "#f0f0f0")
            out += Shape.text(
                at, bottom + 13, "1e\(Int(log10(tick).rounded()))", color: "#777777", anchor: "middle", size: 9)
        }
        for line in series.sorted(by: { !Style.isOurs($0.system) && Style.isOurs($1.system) }) {
            let places = line.points.map(place)
            out += Shape.polyline(places, Style.color(line.system), width: Style.stroke(line.system))
            for (px, py) in places {
                out += Shape.dot(px, py, Style.isOurs(line.system) ? 3 : 2, Style.color(line.system))
            }
        }
        return out
    }
}

/// A scale of powers of ten that holds all its values.
struct LogAxis {
    private let low: Double
    private let high: Double

    init(_ values: [Double], exact: Bool = false) {
        let logs = values.filter { $0 > 0 }.map(log10)
        let least = logs.min() ?? 0
        let most = logs.max() ?? 1
        low = exact ? least : (least - 0.15).rounded(.down)
        high = exact ? most : max(most.rounded(.up), low + 1)
    }

    /// Where a value stands, from 0 to 1.
    func place(_ value: Double) -> Double { (log10(max(value, 1e-9)) - low) / (high - low) }

    var decades: [Double] {
        stride(from: low.rounded(.up), through: high, by: 1).map { pow(10, $0) }
    }
}

enum Style {
    static func isOurs(_ system: String) -> Bool { system.hasPrefix("AutoKVO") }

    static func stroke(_ system: String) -> Double { isOurs(system) ? 2.6 : 1.4 }

    private static let colors = [
        "plain Swift": "#7f7f7f", "AutoKVO": "#d9480f", "AutoKVO, closure only": "#f08c00", "AutoKVO, typed": "#f7b267",
        "Observation": "#1864ab", "OpenCombine @Published": "#4dabf7", "OpenCombine CurrentValueSubject": "#74c0fc",
        "NotificationCenter": "#3b5bdb", "GNUstep KVO": "#862e9c", "GObject notify": "#ae3ec9",
        "Qt 6 signal": "#2b8a3e",
        "Qt 6 QProperty": "#69db7c", "Qt 6 property": "#a9e34b", "boost::signals2": "#495057",
        "boost::signals2 tracked": "#adb5bd",
        "sigc++ trackable": "#0b7285",
    ]

    static func color(_ system: String) -> String { colors[system] ?? "#000000" }
}

/// The few elements of SVG that the picture needs.
enum Shape {
    private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

    static func text(
        _ x: Double, _ y: Double, _ text: String, color: String = "#222222", anchor: String = "start",
        bold: Bool = false,
        size: Int = 11
    ) -> String {
        let safe = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        return
            "<text x=\"\(number(x))\" y=\"\(number(y))\" fill=\"\(color)\" text-anchor=\"\(anchor)\" font-size=\"\(size)\""
            + (bold ? " font-weight=\"bold\"" : "") + ">\(safe)</text>\n"
    }

    static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ color: String, width: Double = 1)
        -> String
    {
        "<line x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" y2=\"\(number(y2))\" stroke=\"\(color)\" stroke-width=\"\(width)\"/>\n"
    }

    static func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: String) -> String {
        "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\" height=\"\(number(height))\" fill=\"\(color)\"/>\n"
    }

    static func polyline(_ points: [(Double, Double)], _ color: String, width: Double) -> String {
        let list = points.map { "\(number($0.0)),\(number($0.1))" }.joined(separator: " ")
        return "<polyline points=\"\(list)\" fill=\"none\" stroke=\"\(color)\" stroke-width=\"\(width)\"/>\n"
    }

    static func dot(_ x: Double, _ y: Double, _ radius: Double, _ color: String) -> String {
        "<circle cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"\(number(radius))\" fill=\"\(color)\"/>\n"
    }
}
