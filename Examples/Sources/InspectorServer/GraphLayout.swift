import Foundation

/// Where the boxes and arrows of a snapshot are drawn: observers on the left of what they observe.
///
/// A box is an object, or a place in the program at which closures were registered. It has a row for each key that is observed and one
/// for each place at which the object was registered as an observer. Arrows go from such a place to the keys.
struct GraphLayout {
    struct Row {
        var text: String
        /// The calls of the place's handlers; nil for a key, and while it is not known.
        var callsPerSecond: Double?
        var y = 0.0
    }

    struct Box {
        var title: String
        var subtitle: String
        var isClosure = false
        var isAlive = true
        var keys: [Row] = []
        var places: [Row] = []
        var layer = 0
        var x = 0.0, y = 0.0, width = 0.0, height = 0.0
    }

    /// The indices of a box and of its row.
    struct End: Hashable {
        var box, row: Int
    }

    struct Arrow {
        var place, key: End
        var callsPerSecond: Double?
        var title: String
    }

    /// How many boxes are drawn at most; those with the most calls a second first.
    static let boxLimit = 120
    static let titleHeight = 42.0, rowHeight = 22.0, letterWidth = 7.3, padding = 14.0

    private(set) var boxes: [Box] = []
    private(set) var arrows: [Arrow] = []
    private(set) var width = 0.0, height = 0.0
    /// How many observations are left out.
    private(set) var leftOut = 0

    init(_ snapshot: Snapshot, boxLimit: Int = boxLimit) {
        let objects = Dictionary(snapshot.objects.map { ($0.address, $0) }) { $1 }
        var indices: [String: Int] = [:]
        // Sorted only if some are left out, so that otherwise the boxes stay where they are.
        let observations =
            Set(snapshot.observations.flatMap(Self.ends)).count <= boxLimit
            ? snapshot.observations
            : snapshot.observations.sorted { ($0.callsPerSecond ?? -1) > ($1.callsPerSecond ?? -1) }
        for observation in observations {
            let ends = Self.ends(of: observation)
            if boxes.count + ends.count(where: { indices[$0] == nil }) > boxLimit {
                leftOut += 1
                continue
            }
            for end in ends where indices[end] == nil {
                indices[end] = boxes.count
                boxes.append(objects[end].map(Self.box) ?? Box(title: "closure", subtitle: "", isClosure: true))
            }
            let from = indices[ends[0]]!
            let place = End(box: from, row: Self.row(observation.registeredAt, in: &boxes[from].places))
            if let rate = observation.callsPerSecond {
                boxes[from].places[place.row].callsPerSecond =
                    (boxes[from].places[place.row].callsPerSecond ?? 0) + rate
            }
            for target in observation.targets {
                let to = indices[target]!
                for path in observation.paths {
                    arrows.append(
                        Arrow(
                            place: place, key: End(box: to, row: Self.row(path, in: &boxes[to].keys)),
                            callsPerSecond: observation.callsPerSecond, title: Self.title(of: observation)))
                }
            }
        }
        assignLayers()
        placeBoxes()
    }

    /// What has a box: the observer, or the place at which a closure was registered, and then the targets.
    private static func ends(of observation: Snapshot.Observation) -> [String] {
        [observation.observer ?? observation.registeredAt] + observation.targets
    }

    /// A sentence for the pointer.
    private static func title(of observation: Snapshot.Observation) -> String {
        var title =
            "\(observation.paths.joined(separator: ", ")), options \(observation.options), registered at \(observation.registeredAt)"
        if observation.count > 1 { title += ", \(observation.count) observations" }
        if let calls = observation.calls { title += ", \(calls) calls" }
        return title
    }

    private static func box(_ object: Snapshot.Object) -> Box {
        Box(
            title: object.className, subtitle: object.address + (object.isAlive ? "" : " (dead)"),
            isAlive: object.isAlive)
    }

    /// The index of the row with a text, which is added if there is none.
    private static func row(_ text: String, in rows: inout [Row]) -> Int {
        if let index = rows.firstIndex(where: { $0.text == text }) { return index }
        rows.append(Row(text: text))
        return rows.count - 1
    }

    // MARK: Layers

    /// A box stands right of all that observe it, but for arrows that close a circle.
    private mutating func assignLayers() {
        var targets = boxes.map { _ in Set<Int>() }
        for arrow in arrows where arrow.place.box != arrow.key.box { targets[arrow.place.box].insert(arrow.key.box) }
        var isOpen = boxes.map { _ in false }, order: [Int] = [], seen: Set<Int> = []
        func visit(_ box: Int) {
            guard seen.insert(box).inserted else { return }
            isOpen[box] = true
            for target in targets[box].sorted() {
                if isOpen[target] { targets[box].remove(target) } else { visit(target) }
            }
            isOpen[box] = false
            order.append(box)
        }
        for box in boxes.indices { visit(box) }
        for box in order.reversed() {
            for target in targets[box] { boxes[target].layer = max(boxes[target].layer, boxes[box].layer + 1) }
        }
        // What observes and is not observed stands beside its nearest target.
        let observed = Set(targets.joined())
        for box in boxes.indices where !observed.contains(box) {
            if let nearest = targets[box].map({ boxes[$0].layer }).min() { boxes[box].layer = nearest - 1 }
        }
    }

    // MARK: Places

    private mutating func placeBoxes() {
        guard !boxes.isEmpty else { return }
        for index in boxes.indices {
            let box = boxes[index]
            let texts =
                box.keys.map(\.text) + box.places.map { $0.text + "  " + callRate($0.callsPerSecond) } + [box.subtitle]
            let longest = max(Double(texts.map(\.count).max()!), Double(box.title.count) * 1.15)
            boxes[index].width = max(110, longest * Self.letterWidth + 2 * Self.padding)
            boxes[index].height = Self.titleHeight + Double(box.keys.count + box.places.count) * Self.rowHeight + 8
        }
        let layers = orderedLayers()
        let heights = layers.map { $0.reduce(-26) { $0 + boxes[$1].height + 26 } }
        height = heights.max()!
        var x = 0.0
        for (number, layer) in layers.enumerated() where !layer.isEmpty {
            let width = layer.map { boxes[$0].width }.max()!
            var y = (height - heights[number]) / 2
            for index in layer {
                boxes[index].x = x + (width - boxes[index].width) / 2
                boxes[index].y = y
                placeRows(of: index)
                y += boxes[index].height + 26
            }
            x += width + 110
        }
        width = x - 110
    }

    private mutating func placeRows(of index: Int) {
        var y = boxes[index].y + Self.titleHeight + Self.rowHeight / 2 + 2
        for row in boxes[index].keys.indices {
            boxes[index].keys[row].y = y
            y += Self.rowHeight
        }
        for row in boxes[index].places.indices {
            boxes[index].places[row].y = y
            y += Self.rowHeight
        }
    }

    /// The boxes of each layer, from top to bottom, each near those to which it is connected.
    private func orderedLayers() -> [[Int]] {
        var layers = [[Int]](repeating: [], count: boxes.map(\.layer).max()! + 1)
        for index in boxes.indices { layers[boxes[index].layer].append(index) }
        var neighbours = boxes.map { _ in [Int]() }
        for arrow in arrows {
            neighbours[arrow.place.box].append(arrow.key.box)
            neighbours[arrow.key.box].append(arrow.place.box)
        }
        var height = boxes.map { _ in 0.0 }
        func measure(_ layer: [Int]) {
            for (position, box) in layer.enumerated() { height[box] = (Double(position) + 0.5) / Double(layer.count) }
        }
        layers.forEach(measure)
        for turn in 0..<6 {
            for number in turn.isMultiple(of: 2) ? Array(layers.indices) : layers.indices.reversed() {
                let wanted = layers[number].map { box in
                    let heights = neighbours[box].map { height[$0] }
                    return (box, heights.isEmpty ? height[box] : heights.reduce(0, +) / Double(heights.count))
                }
                layers[number] = wanted.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
                measure(layers[number])
            }
        }
        return layers
    }
}

/// Calls a second as text; empty while they are not known.
func callRate(_ rate: Double?) -> String {
    guard let rate else { return "" }
    return rate == 0 ? "0/s" : String(format: rate < 9.95 ? "%.1f/s" : "%.0f/s", rate)
}
