import Foundation

/// A graph as an SVG drawing.
struct GraphDrawing {
    let svg: String

    init(_ snapshot: Snapshot) {
        self.init(GraphLayout(snapshot))
    }

    init(_ layout: GraphLayout) {
        // Arrows may leave the boxes by so much.
        let margin = 44.0
        let size = "\(number(layout.width + 2 * margin)) \(number(layout.height + 2 * margin))"
        let lengths = size.split(separator: " ")
        var lines = [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(lengths[0])\" height=\"\(lengths[1])\" viewBox=\"\(-margin) \(-margin) \(size)\">"
        ]
        lines.append("<style>\(Self.style)</style>")
        // Those that are at work are drawn last, on top of the others.
        for arrow in layout.arrows.sorted(by: { ($0.callsPerSecond ?? 0) < ($1.callsPerSecond ?? 0) }) {
            lines.append(Self.drawing(of: arrow, in: layout))
        }
        lines += layout.boxes.map(Self.drawing)
        svg = (lines + ["</svg>"]).joined(separator: "\n")
    }

    private static let style = """
        .observations text { font: 12px "DejaVu Sans Mono", ui-monospace, monospace; fill: #334150 }
        .observations .title { font-weight: bold; font-size: 13.5px; fill: #102a43 }
        .observations .faint { fill: #829ab1; font-size: 11px }
        .observations .rate { fill: #0b7a53 }
        .observations rect { fill: #fff; stroke: #9fb3c8; stroke-width: 1.2 }
        .observations .head { fill: #e6eef7; stroke: none }
        .observations.closure .head { fill: #fdf1dc }
        .observations.dead { opacity: .55 }
        .observations path { fill: none; stroke: #bcccdc; stroke-width: 1.3 }
        .observations.busy path { stroke: #0b9e6a }
        .observations .tip { fill: #829ab1; stroke: none }
        .observations.busy .tip { fill: #0b9e6a; stroke: none }
        .observations circle { fill: #829ab1 }
        """

    private static func drawing(of box: GraphLayout.Box) -> String {
        let (x, y, right) = (box.x, box.y, box.x + box.width)
        let kind = "observations\(box.isClosure ? " closure" : "")\(box.isAlive ? "" : " dead")"
        var lines = ["<g class=\"\(kind)\">"]
        lines.append(
            "<rect x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(box.width))\" height=\"\(number(box.height))\" rx=\"6\"/>"
        )
        lines.append(
            "<rect class=\"head\" x=\"\(number(x + 1))\" y=\"\(number(y + 1))\" width=\"\(number(box.width - 2))\" height=\"\(number(GraphLayout.titleHeight - 4))\" rx=\"5\"/>"
        )
        lines.append(text(box.title, x + GraphLayout.padding, y + (box.subtitle.isEmpty ? 25 : 18), "title"))
        if !box.subtitle.isEmpty { lines.append(text(box.subtitle, x + GraphLayout.padding, y + 33, "faint")) }
        for row in box.keys {
            lines.append(text(row.text, x + GraphLayout.padding, row.y + 4))
        }
        for row in box.places {
            lines.append("<circle cx=\"\(number(right))\" cy=\"\(number(row.y))\" r=\"3.5\"/>")
            lines.append(text(row.text, x + GraphLayout.padding, row.y + 4, "place"))
            lines.append(text(callRate(row.callsPerSecond), right - 10, row.y + 4, "rate", anchor: "end"))
        }
        return (lines + ["</g>"]).joined(separator: "\n")
    }

    private static func drawing(of arrow: GraphLayout.Arrow, in layout: GraphLayout) -> String {
        let (from, to) = (layout.boxes[arrow.place.box], layout.boxes[arrow.key.box])
        let (x1, y1) = (from.x + from.width, from.places[arrow.place.row].y)
        let (x2, y2) = (to.x, to.keys[arrow.key.row].y)
        let tip = x2 - 7
        let line: String
        if x1 < x2 {
            let bend = max(50, (x2 - x1) / 2)
            line = path("M", x1, y1) + path("C", x1 + bend, y1, tip - bend, y2, tip, y2)
        } else {
            // To the box itself or one on its left: below both.
            let below = max(from.y + from.height, to.y + to.height) + 12
            line =
                path("M", x1, y1) + path("C", x1 + 34, y1, x1 + 34, below, x1 - 12, below) + path("L", x2 + 12, below)
                + path("C", x2 - 40, below, x2 - 40, y2, tip, y2)
        }
        let rate = arrow.callsPerSecond ?? 0
        let width = rate > 0 ? " style=\"stroke-width: \(number(1.2 + min(2.5, log10(1 + rate))))\"" : ""
        let head = path("M", x2, y2) + path("L", x2 - 9, y2 - 4.5, x2 - 9, y2 + 4.5) + "Z"
        return """
            <g class="observations\(rate > 0 ? " busy" : "")"><path\(width) d="\(line)"><title>\(escaped(arrow.title))</title></path>\
            <path class="tip" d="\(head)"/></g>
            """
    }

    private static func path(_ command: String, _ coordinates: Double...) -> String {
        command + coordinates.map(number).joined(separator: " ")
    }

    private static func text(_ text: String, _ x: Double, _ y: Double, _ style: String = "", anchor: String = "start")
        -> String
    {
        "<text x=\"\(number(x))\" y=\"\(number(y))\" class=\"\(style)\" text-anchor=\"\(anchor)\">\(escaped(text))</text>"
    }
}

/// One digit behind the point is enough for a drawing.
private func number(_ value: Double) -> String {
    String(format: "%.1f", value)
}

/// Text that may contain any character, for HTML and SVG. Class names and paths are data.
func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
