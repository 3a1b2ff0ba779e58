import AutoKVO

/// What the reference knows of a node.
final class ReferenceNode {
    let id: Int
    var n = 0
    var m = 0
    var next: Int?
    var items: [Int] = []
    var up: Int?
    var isHeld = true

    init(id: Int) { self.id = id }

    func set(_ key: String, _ value: Int) { if key == "n" { n = value } else { m = value } }
}

/// What the reference knows of an observation.
final class ReferenceObservation {
    /// Target and path of each route to it.
    var routes: [(Int, String)]
    let options: ObservingOptions
    let observer: Int?
    let hasRoutes: Bool
    /// Whether the handler ignores the change, so that a change calls it once for all of its paths.
    let ignoresChange: Bool
    /// With `.once` and `.prior`: the path by which a change under way has made the prior call.
    var claim: (Int, String)?
    /// The observer of a named handler.
    var callee: ModelCallee?
    var isLive = true
    var hasFired = false
    var observerIsGone = false
    var observation: KeyValueObservation?

    init(routes: [(Int, String)], options: ObservingOptions, observer: Int?, ignoresChange: Bool) {
        self.routes = routes
        self.options = options
        self.observer = observer
        self.ignoresChange = ignoresChange
        hasRoutes = routes.count > 1
    }
}

/// One call of a handler, made or expected.
struct ModelCall: CustomStringConvertible {
    var observation: Int
    var path: String
    var kind: ChangeKind
    var isPrior: Bool
    var old: String?
    var new: String?
    /// Edits and sets were held back together: nobody says what was before.
    var isMixed = false

    var description: String {
        "o\(observation) \(isPrior ? "prior " : "")\(path) \(kind) \(old ?? "-") → \(new ?? "-")"
    }
}

extension ModelWorld {
    /// The value of a path, in words.
    func value(_ id: Int, _ path: Substring) -> String {
        guard let node = nodes[id] else { return "nil" }
        let (key, rest) = split(path)
        if rest.first == "@" {
            let (function, element) = split(rest)
            if function == "@count" { return "\(node.items.count)" }
            let values = node.items.map { value($0, element) }
            switch function {
            case "@sum": return "\(values.map { Int($0) ?? 0 }.reduce(0, +))"
            case "@max": return values.compactMap(Int.init).max().map(String.init) ?? "nil"
            default: return "[\(values.filter { $0 != "nil" }.joined(separator: ", "))]"
            }
        }
        if rest.isEmpty {
            switch key {
            case "n": return "\(node.n)"
            case "m": return "\(node.m)"
            case "next": return node.next.map { "#\($0)" } ?? "nil"
            case "up": return node.up.map { "#\($0)" } ?? "nil"
            case "items": return "[\(node.items.map { "#\($0)" }.joined(separator: ", "))]"
            case "sum": return "\(node.n + node.m)"
            case "far": return "\(far(node))"
            default: return "\(node.n * 10 + far(node))"
            }
        }
        guard let next = key == "next" ? node.next : node.up else { return valueBehindNil(of: rest) }
        return value(next, rest)
    }

    private func far(_ node: ReferenceNode) -> Int { node.next.map { nodes[$0]!.n } ?? -1 }

    /// Whether a path leads through a property of a node, be it by way of what a derived key is derived from.
    func touches(_ id: Int, _ path: Substring, _ target: Int, _ property: String) -> Bool {
        guard let node = nodes[id] else { return false }
        let (key, rest) = split(path)
        if id == target, key == property { return true }
        switch key {
        case "sum": if touches(id, "n", target, property) || touches(id, "m", target, property) { return true }
        case "far": if touches(id, "next.n", target, property) { return true }
        case "deep": if touches(id, "n", target, property) || touches(id, "far", target, property) { return true }
        default: break
        }
        if rest.isEmpty { return false }
        if rest.first == "@" {
            let element = split(rest).1
            return !element.isEmpty && node.items.contains { touches($0, element, target, property) }
        }
        return (key == "next" ? node.next : node.up).map { touches($0, rest, target, property) } ?? false
    }

    private func split(_ path: Substring) -> (Substring, Substring) {
        guard let dot = path.firstIndex(of: ".") else { return (path, "") }
        return (path[..<dot], path[path.index(after: dot)...])
    }
}

/// What a path leads to where an object is missing: an operator on it has an empty collection.
func valueBehindNil(of path: Substring) -> String {
    switch path.split(separator: ".").first(where: { $0.hasPrefix("@") }) {
    case "@count", "@sum": "0"
    case nil, "@max": "nil"
    default: "[]"
    }
}
