import AutoKVO
import Foundation
import Testing

@testable import InspectorServer

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("The drawing") struct GraphDrawingTests {
    /// Each pair is an observer and its target.
    private func snapshot(_ pairs: [(String?, String)], path: String = "key") -> Snapshot {
        var snapshot = Snapshot(Diagnostics.graph())
        let names = Set(pairs.compactMap(\.0) + pairs.map(\.1)).sorted()
        snapshot.objects = names.map { Snapshot.Object(address: $0, className: "Class<\($0)>", isAlive: true) }
        snapshot.observations = pairs.map {
            Snapshot.Observation(
                observer: $0.0, targets: [$0.1], keyPaths: [path], options: "[]", registeredAt: "M/File.swift:1")
        }
        return snapshot
    }

    private func layers(_ pairs: [(String?, String)]) -> [String: Int] {
        let layout = GraphLayout(snapshot(pairs))
        return Dictionary(uniqueKeysWithValues: layout.boxes.map { ($0.isClosure ? "closure" : $0.subtitle, $0.layer) })
    }

    @Test("observers stand left of what they observe") func order() {
        #expect(layers([("a", "b"), ("b", "c"), ("a", "c"), (nil, "c")]) == ["a": 0, "b": 1, "c": 2, "closure": 1])
    }

    @Test("circles are drawn, too") func circles() {
        let layers = layers([("a", "b"), ("b", "c"), ("c", "a"), ("d", "d")])
        #expect(layers["a"]! < layers["b"]! && layers["b"]! < layers["c"]!)
        #expect(layers["d"] == 0)
    }

    @Test("boxes do not overlap, and lie inside the drawing") func boxes() {
        let pairs = (0..<40).map { ("o\($0 % 7)", "o\($0 % 11 + 4)") }
        let layout = GraphLayout(snapshot(pairs))
        for (index, box) in layout.boxes.enumerated() {
            #expect(
                box.x >= 0 && box.y >= 0 && box.x + box.width <= layout.width && box.y + box.height <= layout.height)
            for other in layout.boxes[..<index] {
                #expect(
                    box.x + box.width < other.x || other.x + other.width < box.x || box.y + box.height < other.y
                        || other.y + other.height < box.y)
            }
        }
    }

    @Test("of many observations the busiest are drawn") func limit() {
        var snapshot = snapshot((0..<1000).map { ("observer\($0)", "target\($0)") })
        snapshot.observations[700].callsPerSecond = 5
        let layout = GraphLayout(snapshot, boxLimit: 50)
        #expect(layout.boxes.count == 50)
        #expect(layout.leftOut == 975)
        #expect(layout.boxes.contains { $0.subtitle == "target700" })
    }

    @Test("the busiest are drawn also where not the observations are too many, but their boxes") func boxLimit() {
        var snapshot = snapshot((0..<100).map { ("observer\($0)", "target\($0)") })
        snapshot.observations[90].callsPerSecond = 5
        let layout = GraphLayout(snapshot)
        #expect(layout.boxes.count == GraphLayout.boxLimit && layout.leftOut == 40)
        #expect(layout.boxes.contains { $0.subtitle == "target90" })
    }

    @Test("what a key path reads that is no key has an arrow, too") func keyPath() {
        var snapshot = snapshot([(nil, "a")])
        snapshot.observations[0].keyPaths = []
        let layout = GraphLayout(snapshot)
        #expect(layout.boxes.count == 2 && layout.arrows.count == 1)
        #expect(layout.boxes.flatMap(\.keys).map(\.text) == ["(a key path)"])
        #expect(layout.arrows.first?.title.hasPrefix("(a key path), options") == true)
        #expect(PageContent(snapshot).html.contains("<code>(a key path)</code>"))
    }

    @Test("it is well-formed, whatever is in names and paths") func text() throws {
        let snapshot = snapshot([("a", "b"), (nil, "b")], path: "</text>&\"'\u{0}\u{1B}<script>")
        let svg = GraphDrawing(snapshot).svg
        #expect(XMLParser(data: Data(svg.utf8)).parse())
        #expect(!svg.contains("<script"))
        #expect(!PageContent(snapshot).html.contains("<script"))
    }

    @Test("an empty graph is an empty drawing") func nothing() {
        #expect(GraphLayout(snapshot([])).boxes.isEmpty)
        #expect(GraphDrawing(snapshot([])).svg.contains("</svg>"))
    }
}
