extension ObservationGraph {
    /// The graph as a Mermaid flowchart: an arrow from each observer to each of its targets, with the paths on it, and a dotted one from each
    /// derived value to each that it read.
    @export(implementation) public var mermaid: String {
        drawing(
            in: .mermaid, start: ["flowchart LR"], object: { node, label, _ in "\(node)[\(label)]" },
            site: { "\($0)((\($1)))" }, arrow: { "\($0) \($3 ? "-.->" : "-->")|\($2)| \($1)" })
    }

    /// The graph in Graphviz's language, for `dot`.
    @export(implementation) public var graphviz: String {
        drawing(
            in: .graphviz, start: ["digraph observations {", "    rankdir=LR;", "    node [shape=box];"],
            object: { "\($0) [label=\($1)\($2 ? "" : ", style=dashed")];" },
            site: { "\($0) [shape=ellipse, label=\($1)];" },
            arrow: { "\($0) -> \($1) [label=\($2)\($3 ? ", style=dotted" : "")];" }, end: ["}"])
    }

    /// A line for each object, for each closure without an observer, at whose registration site its arrows begin, and for
    /// each arrow: those of derived values come last.
    @export(implementation) func drawing(
        in language: Language, start: [String], object: (_ node: String, _ label: String, _ isAlive: Bool) -> String,
        site: (_ node: String, _ label: String) -> String,
        arrow: (_ from: String, _ to: String, _ label: String, _ isRead: Bool) -> String, end: [String] = []
    ) -> String {
        func node(_ address: UInt) -> String { "object_" + String(address, radix: 16) }
        var lines = objects.map {
            let label = $0.className + " 0x" + String($0.address, radix: 16) + ($0.isAlive ? "" : " (dead)")
            return object(node($0.address), language.quoted(label), $0.isAlive)
        }
        for (index, edge) in observations.enumerated() {
            let from = edge.observer.map(node) ?? "closure\(index)"
            if edge.observer == nil { lines.append(site(from, language.quoted(edge.registeredAt))) }
            let paths = edge.keyPaths.isEmpty ? "what a key path reads" : edge.keyPaths.joined(separator: ", ")
            let label = language.quoted(paths)
            lines += edge.targets.map { arrow(from, node($0), label, false) }
        }
        for read in reads {
            let label = language.quoted("\(read.key.isEmpty ? "a closure" : read.key) reads \(read.sourceKey)")
            lines.append(arrow(node(read.object), node(read.sourceObject), label, true))
        }
        return (start + lines.map { "    " + $0 } + end).joined(separator: "\n") + "\n"
    }

    /// The graph as a JSON object with `objects`, `observations` and `reads`; addresses are strings in base 16.
    @export(implementation) public var json: String {
        func string(_ text: String) -> String { Language.json.quoted(text) }
        func address(_ value: UInt) -> String { string("0x" + String(value, radix: 16)) }
        let objects = objects.map {
            "{\"address\": \(address($0.address)), \"class\": \(string($0.className)), \"alive\": \($0.isAlive)}"
        }
        let observations = observations.map { edge in
            "{\"targets\": [\(edge.targets.map(address).joined(separator: ", "))], "
                + "\"observer\": \(edge.observer.map(address) ?? "null"), "
                + "\"keyPaths\": [\(edge.keyPaths.map(string).joined(separator: ", "))], "
                + "\"options\": \(string(edge.options.description)), \"registeredAt\": \(string(edge.registeredAt))"
                + (edge.calls.map { ", \"calls\": \($0)}" } ?? "}")
        }
        let reads = reads.map {
            "{\"object\": \(address($0.object)), \"key\": \(string($0.key)), "
                + "\"sourceObject\": \(address($0.sourceObject)), \"sourceKey\": \(string($0.sourceKey))}"
        }
        func list(_ items: [String]) -> String {
            items.isEmpty ? "[]" : "[\n    \(items.joined(separator: ",\n    "))\n  ]"
        }
        return "{\n  \"objects\": \(list(objects)),\n  \"observations\": \(list(observations)),\n"
            + "  \"reads\": \(list(reads))\n}\n"
    }
}

@usableFromInline enum Language {
    case mermaid, graphviz, json

    /// Text between double quotes, escaped: key paths and class names are data and may contain any character.
    @export(implementation) func quoted(_ text: String) -> String {
        let escapes: [Unicode.Scalar: String] =
            self == .mermaid ? ["\"": "#quot;", "#": "#35;", "<": "#lt;"] : ["\"": "\\\"", "\\": "\\\\"]
        let pieces = text.unicodeScalars.map { scalar in
            if let escape = escapes[scalar] { return escape }
            if scalar.value >= 0x20 { return String(scalar) }
            return self == .json ? "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst() : " "
        }
        return "\"\(pieces.joined())\""
    }
}
