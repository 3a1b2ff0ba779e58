import AutoKVO
import AutoKVOTestSupport
import Testing

/// An array of labels, each of which comes once. Edits say which labels come and which leave, so what is there in the end does not depend on
/// the order of the edits that handlers make inside of others.
private final class LabelWorld: RandomWorld {
    private final class Shelf: TrackedObject {
        @Observed var items: [Int] = []
        @Observed var inner: Shelf?
        @Observed var other = 0
        @Derived({ (shelf: Shelf) in shelf.items.count + shelf.other }) var size: Int
        var view: [Int] {
            get { items }
            set { items = newValue }
        }

        override class var schema: Schema {
            Schema(Shelf.self, extending: super.schema) {
                Key("items", \.items)
                Key("view", \.view, affectedBy: "items")
            }
        }
    }

    private let (shelf, outer, others) = (Shelf(), Shelf(), [Shelf(), Shelf()])
    private var expected: Set<Int> = []
    private var lastLabel = 0
    /// How many edits handlers may still make in this step, and how many moves of the path.
    private var (budget, moves) = (0, 0)
    /// Whether a prior handler edits: then indexes that were given need not be those of the labels that were seen.
    private var priorHandlerEdits = false
    /// How deep in prior calls.
    private var priorDepth = 0

    override init(seed: Int) {
        super.init(seed: seed)
        outer.inner = others[0]
        for _ in 0..<2 + pick(4) { observe() }
    }

    private func observe() {
        let isPrior = pick(3) == 0
        let edits = pick(3) > 0
        if isPrior, edits { priorHandlerEdits = true }
        var options: ObservingOptions = pick(2) == 0 ? [] : [.old, .new]
        if isPrior { options.insert(.prior) }
        let handler = { [unowned self] (change: Change<Any>) in
            note("\(change.isPrior ? "before" : "behind") a \(change.kind) of \(change.keyPath)")
            if change.isPrior { priorDepth += 1 }
            defer { if change.isPrior { priorDepth -= 1 } }
            if edits, isPrior == change.isPrior || pick(4) == 0 { react() }
            if pick(3) == 0 { movePath() }
        }
        do {
            switch pick(6) {
            case 0: try outer.observe("inner.items", options: options, handler)
            case 1: try shelf.observe("view", options: options, handler)
            case 2: try shelf.observe("items.@count", options: options, handler)
            case 3: try shelf.observe("size", options: options, handler)
            default: try shelf.observe("items", options: options, handler)
            }
        } catch { fail("\(error)") }
    }

    /// A path comes to the items, or leaves them, or another one moves.
    private func movePath() {
        if moves == 0 { return }
        moves -= 1
        let places = others + [shelf]
        outer.inner = places[pick(3)]
    }

    private func react() {
        guard depth < 3, budget > 0, priorHandlerEdits || priorDepth == 0 else { return }
        budget -= 1
        depth += 1
        edit()
        depth -= 1
    }

    private func newLabels(_ count: Int) -> [Int] {
        let labels = (0..<count).map { lastLabel + 1 + $0 }
        lastLabel += count
        expected.formUnion(labels)
        return labels
    }

    private func leaving(_ count: Int) -> Set<Int> {
        let items = shelf.items
        let labels = Set((0..<count).compactMap { _ in items.isEmpty ? nil : items[pick(items.count)] })
        expected.subtract(labels)
        return labels
    }

    /// An edit by labels: the same whatever handlers change before it is stored.
    private func edit() {
        let (gone, coming, place) = (leaving(pick(3)), newLabels(pick(3)), pick(4))
        note("- \(gone.sorted()) + \(coming)")
        func make(_ items: inout [Int]) {
            items.removeAll { gone.contains($0) }
            items.insert(contentsOf: coming, at: min(place, items.count))
            if place == 3 { items.reverse() }
        }
        switch pick(depth == 0 ? 8 : 5) {
        case 0:
            shelf.$items.removeAll { gone.contains($0) }
            shelf.$items.append(contentsOf: coming)
        case 1 where coming.isEmpty: shelf.$items.removeAll { gone.contains($0) }
        case 2: holding { coalescingChanges { shelf.$items.edit(make) } }
        case 3: holding { shelf.$other.withMutation { shelf.$items.edit(make) } }
        case 4 where pick(3) == 0: holding { shelf.$items.withMutation { shelf.$items.edit(make) } }
        case 5:
            var items = shelf.items
            make(&items)
            if priorHandlerEdits { shelf.$items.edit(make) } else { shelf.$items.update(to: items) }
        default: shelf.$items.edit(make)
        }
    }

    /// A range is replaced by its indexes.
    private func replace() {
        let items = shelf.items
        let start = pick(items.count + 1)
        let range = start..<min(items.count, start + pick(4))
        expected.subtract(items[range])
        let coming = newLabels(pick(4))
        let key = ["items", "view", nil][pick(3)]
        note("\(range) = \(coming) of \(key ?? "$items")")
        // Its setter is in the middle of the first of two edits when the observers of the items are called.
        if key == "view" { budget = 0 }
        guard let key else { return shelf.$items.replaceSubrange(range, with: coming) }
        do { try shelf.mutableArrayValue(forKey: key).replaceSubrange(range, with: coming) } catch { fail("\(error)") }
    }

    func run(_ steps: Int) {
        for step in 0..<steps {
            begin(["step \(step): \(shelf.items)"])
            (budget, moves) = (pick(6), 6)
            if !priorHandlerEdits, pick(2) == 0 { replace() } else { edit() }
            if Set(shelf.items) != expected || shelf.items.count != expected.count {
                return fail("is \(shelf.items), should have \(expected.sorted())")
            }
            if shelf.size != shelf.items.count + shelf.other { return fail("the size is \(shelf.size)") }
        }
    }
}

/// Edits that handlers make inside of edits, at random.
struct LabelledEditTests {
    @Test("edits inside of edits change the elements that they say, whatever paths move meanwhile", arguments: 0..<8)
    func worlds(part: Int) async {
        await search(60, part: part, LabelWorld.init) { $0.run(60) }
    }
}
