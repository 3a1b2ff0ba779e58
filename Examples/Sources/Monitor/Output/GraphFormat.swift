import AutoKVO

/// In which language the graph of observations is written: what the file's name ends in.
enum GraphFormat: String, CaseIterable {
    case mermaid = ".mmd"
    case graphviz = ".dot"
    case json = ".json"

    init?(path: String) {
        guard let format = Self.allCases.first(where: { path.hasSuffix($0.rawValue) }) else { return nil }
        self = format
    }

    static var endings: String { allCases.map(\.rawValue).joined(separator: ", ") }

    func text(of graph: ObservationGraph) -> String {
        switch self {
        case .mermaid: graph.mermaid
        case .graphviz: graph.graphviz
        case .json: graph.json
        }
    }
}
