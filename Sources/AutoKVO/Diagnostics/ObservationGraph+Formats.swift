extension ObservationGraph {
    /// The graph as a Mermaid flowchart: an arrow from each observer to each of its targets, with the paths on it.
    public var mermaid: String {
        let lines = drawing(
            in: .mermaid, object: { node, label, _ in "\(node)[\"\(label)\"]" }, site: { "\($0)((\"\($1)\"))" },
            arrow: { "\($0) -->|\"\($2)\"| \($1)" })
        return (["flowchart LR"] + lines).joined(separator: "\n") + "\n"
    }

    /// The graph in Graphviz's language, for `dot`.
    public var graphviz: String {
        let lines = drawing(
            in: .graphviz, object: { "\($0) [label=\"\($1)\"\($2 ? "" : ", style=dashed")];" },
            site: { "\($0) [shape=ellipse, label=\"\($1)\"];" }, arrow: { "\($0) -> \($1) [label=\"\($2)\"];" })
        return (["digraph observations {", "    rankdir=LR;", "    node [shape=box];"] + lines + ["}"])
            .joined(separator: "\n") + "\n"
    }

    /// A line for each object, for each closure without an observer, at whose registration site its arrows begin, and for
    /// each arrow.
    private func drawing(
        in language: Language, object: (_ node: String, _ label: String, _ isAlive: Bool) -> String,
        site: (_ node: String, _ label: String) -> String,
        arrow: (_ from: String, _ to: String, _ label: String) -> String
    ) -> [String] {
        var lines = objects.map { object(node($0.address), quoted(label($0), in: language), $0.isAlive) }
        for (index, edge) in observations.enumerated() {
            let from = edge.observer.map(node) ?? "closure\(index)"
            if edge.observer == nil { lines.append(site(from, quoted(edge.registeredAt, in: language))) }
            let text = quoted(edge.keyPaths.joined(separator: ", "), in: language)
            lines += edge.targets.map { arrow(from, node($0), text) }
        }
        return lines.map { "    " + $0 }
    }

    /// The graph as a JSON object with `objects` and `observations`; addresses are strings in base 16.
    public var json: String {
        func string(_ text: String) -> String { "\"\(quoted(text, in: .json))\"" }
        func address(_ value: UInt) -> String { string("0x" + String(value, radix: 16)) }
        let objects = objects.map {
            "{\"address\": \(address($0.address)), \"class\": \(string($0.className)), \"alive\": \($0.isAlive)}"
        }
        let observations = observations.map { edge in
            "{\"targets\": [\(edge.targets.map(address).joined(separator: ", "))], "
                + "\"observer\": \(edge.observer.map(address) ?? "null"), "
                + "\"keyPaths\": [\(edge.keyPaths.map(string).joined(separator: ", "))], "
                + "\"options\": \(string(edge.options.description)), \"registeredAt\": \(string(edge.registeredAt))}"
        }
        func list(_ items: [String]) -> String {
            items.isEmpty ? "[]" : "[\n    \(items.joined(separator: ",\n    "))\n  ]"
        }
        return "{\n  \"objects\": \(list(objects)),\n  \"observations\": \(list(observations))\n}\n"
    }

    private func node(_ address: UInt) -> String { "object_" + String(address, radix: 16) }

    private func label(_ object: Object) -> String {
        object.className + " 0x" + String(object.address, radix: 16) + (object.isAlive ? "" : " (dead)")
    }

    private enum Language { case mermaid, graphviz, json }

    /// Text escaped for double quotes: key paths and class names are data and may contain any character.
    private func quoted(_ text: String, in language: Language) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch (scalar, language) {
            case ("\"", .mermaid): result += "#quot;"
            case ("#", .mermaid): result += "#35;"
            case ("<", .mermaid): result += "#lt;"
            case ("\"", _), ("\\", .graphviz), ("\\", .json): result += "\\" + String(scalar)
            case (_, .json) where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            case _ where scalar.value < 0x20: result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
