import Foundation

/// The part of the page that is refreshed: the drawing and a table.
struct PageContent {
    let html: String

    init(_ snapshot: Snapshot) {
        let layout = GraphLayout(snapshot)
        let count = snapshot.observations.reduce(0) { $0 + $1.count }
        var summary = "\(count) observations, \(snapshot.objects.count) objects"
        let rates = snapshot.observations.compactMap(\.callsPerSecond)
        if !rates.isEmpty { summary += ", \(callRate(rates.reduce(0, +)).dropLast(2)) calls a second" }
        if layout.leftOut > 0 { summary += "; \(layout.leftOut) observations with fewer calls are not drawn" }
        html = """
            <p class="summary">\(summary)</p>
            <p class="legend">Arrows go from observers to the keys that they observe; at their beginning is the place of the registration. \
            Green: its handler was called in the last second.</p>
            <div class="drawing">\(GraphDrawing(layout).svg)</div>
            <h2>Observations</h2>
            \(Self.table(snapshot))
            \(Self.readTable(snapshot))
            """
    }

    /// Each derived value that is kept, with what it read.
    private static func readTable(_ snapshot: Snapshot) -> String {
        guard !snapshot.reads.isEmpty else { return "" }
        let names = Dictionary(snapshot.objects.map { ($0.address, $0.className) }) { $1 }
        func property(_ object: String, _ key: String) -> String {
            "\(escaped(names[object] ?? "")) <small>\(escaped(object))</small> <code>\(escaped(key))</code>"
        }
        let rows = snapshot.reads.prefix(rowLimit).map {
            "<tr><td>\(property($0.object, $0.key))</td><td>\(property($0.sourceObject, $0.sourceKey))</td></tr>"
        }
        return """
            <h2>Derived values</h2>
            <table class="reads"><thead><tr><th>Value</th><th>Reads</th></tr></thead>
            <tbody>\(rows.joined(separator: "\n"))</tbody></table>
            """
    }

    /// How many rows the table has at most.
    private static let rowLimit = 500

    private static func table(_ snapshot: Snapshot) -> String {
        let names = Dictionary(
            snapshot.objects.map { ($0.address, "\(escaped($0.className)) <small>\($0.address)</small>") }
        ) { $1 }
        let sorted = snapshot.observations.sorted {
            ($0.callsPerSecond ?? -1, $1.registeredAt) > ($1.callsPerSecond ?? -1, $0.registeredAt)
        }
        let rows = sorted.prefix(rowLimit).map { observation in
            let observer = observation.observer.map { names[$0] ?? $0 } ?? "closure"
            let cells = [
                observer + (observation.count > 1 ? " <small>× \(observation.count)</small>" : ""),
                observation.targets.map { names[$0] ?? $0 }.joined(separator: "<br>"),
                "<code>\(observation.paths.map(escaped).joined(separator: "<br>"))</code>",
                escaped(observation.options),
                "<code>\(escaped(observation.registeredAt))</code>",
            ]
            let numbers = [observation.calls.map(String.init) ?? "not counted", callRate(observation.callsPerSecond)]
            return "<tr>" + cells.map { "<td>\($0)</td>" }.joined()
                + numbers.map { "<td class=\"number\">\($0)</td>" }.joined() + "</tr>"
        }
        return """
            <table><thead><tr><th>Observer</th><th>Target</th><th>Key paths</th><th>Options</th><th>Registered at</th>\
            <th class="number">Calls</th><th class="number">Per second</th></tr></thead>
            <tbody>\(rows.joined(separator: "\n"))</tbody></table>
            """
    }
}
