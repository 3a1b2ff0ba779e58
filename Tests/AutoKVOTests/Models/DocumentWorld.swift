import AutoKVO
import AutoKVOTestSupport

/// A part of a document: numbers, parts of its own in two kinds of places, and a reference that keeps nothing.
private final class Section: TrackedObject {
    let id: Int
    @Observed var n = 0
    @Observed var list: [Int] = []
    @Observed var sections: [Section] = []
    @Observed var only: Section?
    @ObservedWeak var link: Section?
    @Derived({ (section: Section) in
        section.n + section.list.count + (section.only?.total ?? 0) + section.sections.reduce(0) { $0 + $1.total }
    })
    var total: Int

    /// Says what it is affected by, and does not say it.
    var outer: Int { (only?.total ?? 0) - sections.reduce(0) { $0 + $1.n } }
    var inner: Int { (link?.total ?? 0) * 2 + total }

    override class var schema: Schema {
        Schema(Section.self, extending: super.schema) {
            Key("outer", \.outer, affectedBy: "only.total", "sections.@sum.n")
            Key("inner", \.inner)
        }
    }

    init(id: Int) { self.id = id }

    var parts: [Section] { sections + (only.map { [$0] } ?? []) }
    func contains(_ section: Section) -> Bool { self === section || parts.contains { $0.contains(section) } }
    var currentTotal: Int { n + list.count + parts.reduce(0) { $0 + $1.currentTotal } }
    static let paths = [
        "n", "list.@count", "total", "only.total", "sections.@sum.total", "only.n", "outer", "inner", "only.inner",
        "reading",
    ]

    /// The value of a path, computed from what is stored.
    func current(_ path: String) -> Int? {
        switch path {
        case "n": n
        case "list.@count": list.count
        case "total": currentTotal
        case "sections.@sum.total": sections.reduce(0) { $0 + $1.currentTotal }
        case "outer": (only?.currentTotal ?? 0) - sections.reduce(0) { $0 + $1.n }
        case "inner": (link?.currentTotal ?? 0) * 2 + currentTotal
        case "reading": currentTotal + (link?.only?.currentTotal ?? 0)
        default: only?.current(String(path.dropFirst(5)))
        }
    }
    /// All that undoing brings back.
    var state: String {
        let link = link.map { "→\($0.id)" } ?? ""
        return "\(id)\(link)(\(n) \(list) [\(sections.map(\.state).joined(separator: " "))] \(only?.state ?? ""))"
    }
}

/// Edits a document whose sections come, go, move and are in several places, in steps of a history that records its parts, at random and in
/// handlers; then undoes and makes again. Whatever was there when it was changed comes back as it was, and only that is recorded.
final class DocumentWorld: RandomWorld {
    private let document = Section(id: 0)
    private let history: UndoHistory
    private struct Made { weak var section: Section? }
    private var made: [Made] = []
    /// Taken out of the document, and kept.
    private var former: [Section] = []
    /// What was there before each step that can be undone.
    private var steps: [String] = []
    private var watches: [Watch] = []
    private var observations: [KeyValueObservation] = []
    private var (edits, isQuiet, total) = (0, false, 0)

    override init(seed: Int) {
        made = [Made(section: document)]
        history = UndoHistory(of: document, includingParts: true, limit: 1_000)
        super.init(seed: seed)
        for _ in 0..<4 { add(to: document) }
        history.limit = 0
        history.limit = pick(3) == 0 ? 3 : 1_000
        observations.append(document.$total.onValue { [unowned self] in total = $0 })
        for _ in 0..<4 { observe(section) }
    }

    /// The sections of the document, each once.
    private var sections: [Section] {
        var (found, waiting) = ([Section](), [document])
        while let section = waiting.popLast() {
            if found.contains(where: { $0 === section }) { continue }
            found.append(section)
            waiting += section.parts
        }
        return found
    }
    private var section: Section { sections[pick(sections.count)] }

    private func newSection() -> Section {
        let section = Section(id: made.count)
        section.n = pick(5)
        made.append(Made(section: section))
        return section
    }

    func run(_ count: Int) {
        let told = messages {
            for step in 0..<count where fault == nil {
                begin(["step \(step): \(document.state)"])
                if pick(3) == 0 { replay() } else { edit() }
                for watch in watches {
                    if let section = watch.section, watch.last != section.current(watch.path) {
                        fail(
                            "\(section.id).\(watch.path) is \(section.current(watch.path) as Any), not \(watch.last as Any)"
                        )
                    }
                }
                watches.removeAll { $0.section == nil }
                if total != document.currentTotal {
                    fail("the total is \(document.currentTotal), and \(total) was told")
                }
            }
            if fault == nil { checkWhatIsFollowed() }
        }
        if fault == nil, !told.isEmpty { fail("\(told)") }
        // What dies with this world is a change, too.
        for observation in observations { observation.remove() }
    }

    private func edit() {
        let before = document.state
        edits += 1
        let name = "edit \(edits)"
        history.group(name) {
            for _ in 0...pick(3) { act() }
        }
        if history.undoName == name {
            steps.append(before)
            steps = Array(steps.suffix(history.limit))
        } else if document.state != alive(before) {
            fail("the history has no step")
        }
    }

    private func replay() {
        isQuiet = true
        defer { isQuiet = false }
        var undone: [String] = []
        for _ in 0..<min(1 + pick(4), steps.count) {
            let (now, wanted, name) = (document.state, steps.removeLast(), history.undoName)
            note("undo")
            if !history.undo() { return fail("nothing to undo") }
            if document.state != alive(wanted) { return fail("undone: \(document.state)\nand it was \(wanted)") }
            // A step whose changes cancel each other may leave nothing to make again, or to undo.
            if now != wanted || history.redoName == name { undone.append(now) }
        }
        if pick(3) == 0 { return }
        for wanted in undone.reversed() {
            let (before, name) = (document.state, history.redoName)
            note("redo")
            if !history.redo() { return fail("nothing to redo") }
            if document.state != alive(wanted) { return fail("made again: \(document.state)\nand it was \(wanted)") }
            if before != wanted || history.undoName == name { steps.append(before) }
        }
    }

    /// A state without references to sections that have died since: what only this world kept, or a step that is dropped or replayed, because it
    /// came and went in it. Nothing brings these references back, and a death is no step.
    private func alive(_ state: String) -> String {
        made.indices.filter { made[$0].section == nil }.reduce(state) {
            $0.replacing("→\($1)(", with: "(")
        }
    }

    /// Changes each section that was ever made, by itself: it is a step if the section is in the document, and none if it is not.
    private func checkWhatIsFollowed() {
        isQuiet = true
        history.limit = 1_000
        history.group("mark") { document.n += 1 }
        for section in made.compactMap(\.section) {
            let (name, isPart) = ("check \(section.id)", sections.contains { $0 === section })
            history.group(name) { section.n += 1 }
            if (history.undoName == name) != isPart {
                fail(
                    "\(section.id) is \(isPart ? "a part of the document and is not" : "no part of the document, and is") recorded"
                )
            }
        }
    }

    private func act() {
        let section = section
        let kind = pick(depth + held == 0 ? 20 : 16)
        note("\(section.id): \(kind)")
        switch kind {
        case 0: section.n = pick(5)
        case 1: section.$list.append(pick(5))
        case 2: section.$list.edit { $0 = Array($0.reversed().dropFirst()) }
        case 3, 4: add(to: section)
        case 5: takeOut(of: section)
        case 6: section.$sections.edit { $0.sort { ($0.n, $0.id) < ($1.n, $1.id) } }
        case 7: section.link = pick(3) == 0 ? nil : self.section
        case 8:
            let fresh = newSection()
            note("new \(fresh.id)")
            section.only = fresh
            fresh.n = pick(5)
        case 9, 10:
            // Into another place, where it is changed.
            guard let moved = takeOut(of: section) else { return }
            put(moved, into: self.section)
            moved.$list.append(pick(5))
        case 11: put(self.section, into: section)
        case 12: if former.count < 5 { observe(section) } else { former.removeFirst() }
        case 13...15: read(section)
        case 16, 17: holding { coalescingChanges { for _ in 0..<3 { act() } } }
        case 18: holding { section.withMutation(of: "n") { for _ in 0..<2 { act() } } }
        default: section.sections = section.sections.reversed()
        }
    }

    /// Whoever reads gets what is, also while changes are held back.
    private func read(_ section: Section) {
        let path = Section.paths[pick(Section.paths.count - 1)]
        do {
            let value = path == "total" ? section.total : try section.value(forKeyPath: path) as? Int
            if value != section.current(path) {
                fail("\(path) reads \(value as Any), and is \(section.current(path) as Any)")
            }
        } catch { fail("\(error)") }
    }

    private func add(to section: Section) {
        let fresh = newSection()
        note("new \(fresh.id)")
        let place = pick(section.sections.count + 1)
        if depth == 0 { return section.$sections.insert(fresh, at: place) }
        // Handlers that are called before the store may take sections out.
        section.$sections.edit { $0.insert(fresh, at: min(place, $0.count)) }
    }

    private func put(_ part: Section, into section: Section) {
        note("\(part.id) into \(section.id)")
        // In a handler a write first completes deliveries, whose handlers put other things elsewhere. The body of an edit runs behind them.
        if depth == 0, pick(3) == 0 {
            if !part.contains(section) { section.only = part }
        } else {
            section.$sections.edit { if !part.contains(section) { $0.append(part) } }
        }
    }

    @discardableResult private func takeOut(of section: Section) -> Section? {
        var taken: Section?
        if pick(2) == 0 {
            taken = section.only
            section.only = nil
        } else {
            section.$sections.edit { if !$0.isEmpty { taken = $0.remove(at: pick($0.count)) } }
        }
        if let taken {
            note("takes \(taken.id) out")
            if pick(3) == 0 { former.append(taken) }
        }
        return taken
    }

    // MARK: Observers

    /// One observation of a number, and what was told last.
    private final class Watch {
        let path: String
        weak var section: Section?
        var last: Int?
        init(_ path: String, _ section: Section) {
            (self.path, self.section) = (path, section)
            last = section.current(path)
        }
    }

    private func observe(_ section: Section) {
        // What is added where changes are held back is not told of what was changed before.
        if held > 0 || watches.count >= 20 { return }
        let watch = Watch(Section.paths[pick(Section.paths.count)], section)
        let actions = pick(3) == 0 ? 1 : 0
        note("observes \(section.id).\(watch.path)")
        if watch.path == "reading" {
            observations.append(
                section.observe(reading: { $0.total + ($0.link?.only?.total ?? 0) }, options: [.old, .new]) {
                    [unowned self, unowned watch] _, change in
                    told(watch, change.oldValue, change.newValue)
                    react(actions)
                })
        } else {
            do {
                observations.append(
                    try section.observe(watch.path, options: [.old, .new]) { [unowned self, unowned watch] change in
                        told(watch, change.oldValue.map { $0 as? Int }, change.newValue as? Int)
                        react(actions)
                    })
            } catch { fail("\(error)") }
        }
        watches.append(watch)
    }

    private func react(_ actions: Int) {
        if depth >= 2 || isQuiet || fault != nil { return }
        depth += 1
        for _ in 0..<actions { act() }
        depth -= 1
    }

    private func told(_ watch: Watch, _ old: Int??, _ new: Int?) {
        guard let section = watch.section else { return }
        note("\(section.id).\(watch.path): \(old as Any) to \(new as Any), and \(watch.last as Any) was told")
        // Of a path that a handler has moved to what is being changed the old value is not known.
        if let old, old != watch.last { fail("that was not the last value") }
        // What a dropped step kept dies in the middle of the change: a reference to it is nil before an older change has been told.
        let reader = watch.path.hasPrefix("only.") ? section.only : section
        let mayHaveLost = reader?.link == nil && (watch.path.hasSuffix("inner") || watch.path == "reading")
        if new != section.current(watch.path), !mayHaveLost { fail("it is \(section.current(watch.path) as Any)") }
        watch.last = new
    }
}
