import AutoKVO
import AutoKVOTestSupport
import Observation

/// What a `ComposedWorld` changes: a class, and a subclass whose override is its own inverse.
private class Part: TrackedObject {
    @Observed var n = 0
    @Observed(.distinct) var level = 0
    @Observed var list: [Int] = []
    @Observed var tags: Set<Int> = []
    /// No `Key` names it.
    @Observed var marks: Set<Int> = []
    @Observed var next: Part?
    @ObservedWeak var friend: Part?
    @Derived({ (part: Part) in part.n + part.list.count }) var sum: Int
    @Derived({ (part: Part) in part.sum + (part.next?.n ?? 0) + (part.friend?.level ?? 0) }) var total: Int
    var double: Int { n * 2 }

    override class var schema: Schema {
        Schema(Part.self, extending: super.schema) {
            Key("n", \.n)
            Key("level", \.level)
            Key("list", \.list)
            Key("tags", \.tags)
            Key("next", \.next)
            Key("double", \.double)
        }
    }

    var currentSum: Int { n + list.count }
    var currentTotal: Int { currentSum + (next?.n ?? 0) + (friend?.level ?? 0) }
}

private final class Inverse: Part {
    override var n: Int {
        get { -super.n }
        set { super.n = -newValue }
    }
}

private final class Label: TrackedObject {
    @Observed var number: Int? = -9
    @Observed var count = -9
    @Observed var text = "-9"
    @Observed var list: [Int] = []

    override class var schema: Schema {
        Schema(Label.self, extending: super.schema) {
            Key("number", \.number)
            Key("count", \.count)
        }
    }
}

/// Binds, streams, observes as Observation does, undoes and sets by name, at random and in handlers. When nothing is under way each label shows
/// what it is bound to, each view that has changed has been told, and undoing a step leads back to exactly what was there.
final class ComposedWorld: RandomWorld {
    private var parts: [Part] = []
    private struct Made { weak var part: Part? }
    private var made: [Made] = []
    private var bound: [Bound] = []
    private var views: [View] = []
    private var streams: [Stream] = []
    private var mirrors: [Mirror] = []
    private var replicas: [Replica] = []
    private let later = SerialScheduler()
    private var history: UndoHistory?
    /// What was there before each step that can be undone.
    private var steps: [[State]] = []
    private var (announced, edits, isQuiet) = (0, 0, false)
    /// In how many prior handlers of labels this is.
    private var setting = 0

    private struct State: Equatable, CustomStringConvertible {
        let n, level: Int
        let list: [Int]
        let tags, marks: Set<Int>
        let next, friend: Int?
        var description: String {
            "n \(n) level \(level) list \(list) tags \(tags.sorted()) marks \(marks.sorted()) next \(next ?? -1) friend \(friend ?? -1)"
        }
    }

    private final class Bound {
        let label = Label()
        let name: String
        let isTwoWay: Bool
        var binding: KeyValueObservation?
        /// Ends a binding of one way.
        var end: (() -> Void)?
        /// What the label shows and what it should show, as long as the source is there.
        var shown: () -> (is: String, wanted: String)?
        init(_ name: String, isTwoWay: Bool, _ shown: @escaping () -> (is: String, wanted: String)? = { nil }) {
            (self.name, self.isTwoWay, self.shown) = (name, isTwoWay, shown)
        }
    }

    private final class View: @unchecked Sendable {
        let name: String
        let read: () -> Int?
        var (seen, isTold) = (0, true)
        init(_ name: String, _ read: @escaping () -> Int?) { (self.name, self.read) = (name, read) }
    }

    /// Keeps the value that a handler got, or read, last.
    private final class Mirror: @unchecked Sendable {
        let name: String
        let label = Label()
        let wanted: () -> String?
        var last = ""
        init(_ name: String, _ wanted: @escaping () -> String?) { (self.name, self.wanted) = (name, wanted) }
    }

    /// Another object, to which each change of a part is applied, and on which it is reverted.
    private final class Replica {
        weak var part: Part?
        let copy: Part
        let start: State
        var log: [ChangeRecord<Any>] = []
        init(_ part: Part, _ copy: Part, _ start: State) { (self.part, self.copy, self.start) = (part, copy, start) }
    }

    private struct Stream {
        let name: String
        let values: AsyncStream<Int>
        let current: () -> Int
    }

    init(seed: Int, undoes: Bool) {
        super.init(seed: seed)
        for _ in 0..<4 { add(pick(3) == 0 ? Inverse() : Part()) }
        if undoes { history = UndoHistory(of: parts, limit: 1_000) }
        for _ in 0..<6 { bind() }
        for _ in 0..<3 { look() }
        for _ in 0..<3 { stream() }
        for _ in 0..<4 { observe() }
        for _ in 0..<3 { mirror() }
        for _ in 0..<2 { replicate() }
    }

    private func add(_ part: Part) {
        parts.append(part)
        made.append(Made(part: part))
    }

    private var part: Part { parts[pick(parts.count)] }
    private func name(_ part: Part?) -> String {
        guard let part else { return "nil" }
        return (parts.firstIndex { $0 === part }.map(String.init) ?? "former") + (part is Inverse ? "*" : "")
    }

    private var states: [State] {
        parts.map {
            let friend = $0.friend
            return state(
                of: $0, marks: $0.marks, friend: friend.flatMap { friend in parts.firstIndex { $0 === friend } })
        }
    }

    private func state(of part: Part, marks: Set<Int> = [], friend: Int? = nil) -> State {
        let next = part.next
        return State(
            n: part.n, level: part.level, list: part.list, tags: part.tags, marks: marks,
            next: next.map { next in parts.firstIndex { $0 === next } ?? -2 }, friend: friend)
    }

    func run(_ steps: Int) async {
        let told = messages {
            for step in 0..<steps where fault == nil {
                begin(
                    ["step \(step)"] + states.enumerated().map { "\(name(parts[$0])): \($1)" }
                        + bound.map { "\($0.name) shows \($0.shown().map { "\($0)" } ?? "nothing")" })
                if history != nil, pick(4) == 0 { replay() } else { edit() }
                later.runAll()
                if fault == nil { compare() }
            }
        }
        if fault == nil, !told.isEmpty { fail("\(told)") }
        isQuiet = true
        replicas = []
        for each in made { if let part = each.part { (part.next, part.friend) = (nil, nil) } }
        let lasts = streams.map { ($0.name, $0.values, $0.current()) }
        (streams, bound, views, mirrors, replicas, parts, history) = ([], [], [], [], [], [], nil)
        for (name, values, current) in lasts {
            var last: Int?
            for await value in values { last = value }
            if last != current, fault == nil { fail("the last of \(name) is \(last as Any), and it was \(current)") }
        }
    }

    private func edit() {
        guard let history else { return act() }
        let before = states
        edits += 1
        history.group("edit \(edits)") { act() }
        if history.undoName == "edit \(edits)" {
            steps.append(before)
        } else if states != before {
            fail("the history has no step")
        }
    }

    /// Undoes some steps, and makes them again.
    private func replay() {
        guard let history, !steps.isEmpty else { return }
        isQuiet = true
        defer { isQuiet = false }
        let count = 1 + pick(min(4, steps.count))
        var undone: [[State]] = []
        for _ in 0..<count {
            let (now, wanted, name) = (states, steps.removeLast(), history.undoName)
            note("undo")
            if !history.undo() { return fail("nothing to undo") }
            if states != wanted { return fail("undone:\n\(states)\nand it was\n\(wanted)") }
            // A step whose changes cancel each other may leave nothing to make again, or to undo.
            if now != wanted || history.redoName == name { undone.append(now) }
        }
        if pick(3) == 0 { return }
        for wanted in undone.reversed() {
            let (before, name) = (states, history.redoName)
            note("redo")
            if !history.redo() { return fail("nothing to redo") }
            if states != wanted { return fail("made again:\n\(states)\nand it was\n\(wanted)") }
            if before != wanted || history.undoName == name { steps.append(before) }
        }
    }

    private func compare() {
        for bound in bound {
            if bound.binding?.isValid ?? true, let shown = bound.shown(), shown.is != shown.wanted {
                fail("\(bound.name) shows \(shown.is), and it is \(shown.wanted)")
            }
        }
        for mirror in mirrors {
            if let wanted = mirror.wanted(), wanted != mirror.last {
                fail("\(mirror.name) was told \(mirror.last), and it is \(wanted)")
            }
        }
        for replica in replicas {
            guard let part = replica.part else { continue }
            func check(_ wanted: State, _ text: String) {
                let found = state(of: replica.copy)
                if found != wanted { fail("the copy of \(name(part)), \(text), has \(found), and not \(wanted)") }
            }
            let now = state(of: part)
            check(now, "changed as it was")
            if fault != nil || replica.log.count < 12 { continue }
            isQuiet = true
            do {
                for record in replica.log.reversed() { try record.revert(on: replica.copy) }
                check(replica.start, "changed back")
                for record in replica.log { try record.apply(on: replica.copy) }
                check(now, "changed again")
            } catch { fail("\(error)") }
            // What only the log and the copy have kept dies behind the access to them.
            replicas.removeAll { $0 === replica }
            isQuiet = false
        }
        for view in views {
            if !view.isTold, let value = view.read(), value != view.seen {
                fail("\(view.name) was \(view.seen) and is \(value), and its view was not told")
            }
            if view.isTold { track(view) }
        }
    }

    private func act() {
        let part = part
        let kind = pick(depth == 0 ? 18 : 14)
        note("\(name(part)): \(kind)")
        do {
            switch kind {
            case 0: part.n = pick(4)
            case 1: part.level = pick(4)
            case 2: part.$list.append(pick(5))
            case 3: part.$list.edit { if !$0.isEmpty { $0.removeFirst() } }
            case 4: part.list = [pick(5), pick(5)]
            case 5: part.$list.sort()
            case 6: if pick(2) == 0 { part.$tags.insert(pick(5)) } else { part.tags.formSymmetricDifference([1, 2]) }
            case 7 where pick(2) == 0: part.$marks.update(to: [pick(3), pick(3)])
            case 7, 8: part.next = pick(3) == 0 ? nil : self.part
            case 9: part.friend = pick(3) == 0 ? nil : self.part
            case 10: try part.setValues(["n": pick(4), "level": pick(4), "list": [pick(3)]])
            case 11: if part.next != nil { try part.setValues(["next.n": pick(4), "n": pick(4)]) }
            // What a label is being set to is stored all the same.
            case 12 where setting == 0 && pick(3) == 0:
                // From now on the label shows what it shows now.
                guard let bound = bound.filter({ $0.end != nil }).randomElement(using: &random) else { return }
                guard let shown = bound.shown()?.is else { return }
                note("unbinds \(bound.name), which shows \(shown)")
                bound.end?()
                bound.end = nil
                let current = bound.shown
                bound.shown = { current().map { ($0.is, shown) } }
            case 12, 13:
                guard let bound = bound.filter(\.isTwoWay).randomElement(using: &random) else { return }
                note("sets \(bound.name)")
                bound.label.count = pick(5)
            case 14, 15:
                holding { coalescingChanges { for _ in 0..<3 { act() } } }
            case 16:
                announced += 1
                holding { part.withMutation(of: "n") { for _ in 0..<2 { act() } } }
                announced -= 1
            // What is registered between `will` and `did` is not part of that change.
            case _ where announced > 0: break
            default:
                switch pick(7) {
                case 0: bind()
                case 4: mirror()
                case 5 where held == 0: replicate()
                case 6:
                    if let bound = bound.filter(\.isTwoWay).randomElement(using: &random) {
                        bound.label.$count.unbind()
                    }
                case 1: look()
                case 2 where history == nil && parts.count > 1:
                    let former = parts.remove(at: pick(parts.count))
                    add(Part())
                    streams.removeAll { _ in true }
                    // Their start is not known by place any more.
                    let released = replicas
                    replicas = []
                    withExtendedLifetime(released) {}
                    withExtendedLifetime(former) {}
                default: observe()
                }
            }
        } catch { fail("\(error)") }
    }

    // MARK: Observers

    private func observe() {
        let (part, actions) = (part, pick(3) == 0 ? 1 : 0)
        let path = ["n", "level", "list", "tags", "next.n", "sum", "total", "friend.level"][pick(8)]
        note("observes \(name(part)).\(path)")
        do { try part.observe(path) { [unowned self] _ in react(actions) } } catch { fail("\(error)") }
    }

    private func react(_ actions: Int) {
        if depth >= 3 || isQuiet || fault != nil { return }
        depth += 1
        for _ in 0..<actions { act() }
        depth -= 1
    }

    private func bind() {
        if bound.count >= 20 { return }
        let part = part
        let kind = pick(14)
        let bound = Bound("\(kind) of \(name(part))", isTwoWay: kind >= 10)
        let label = bound.label
        note("binds \(bound.name)")
        func show<Value: Equatable>(_ shown: @escaping (Label) -> Value, _ wanted: @escaping (Part) -> Value?) {
            bound.shown = { [weak part, unowned label] in
                part.flatMap(wanted).map { ("\(shown(label))", "\($0)") }
            }
        }
        do {
            switch kind {
            case 0:
                label.$number.bind(to: part.$n)
                show(\.number, \.n)
            case 1:
                label.$count.bind(to: part.$sum)
                show(\.count, \.currentSum)
            case 2:
                label.$text.bind(to: part.$total) { "\($0)" }
                show(\.text) { "\($0.currentTotal)" }
            case 3:
                try label.bind("number", to: "next.n", of: part)
                show(\.number) { .some($0.next?.n) }
            case 4:
                label.$count.bind { [weak part] in part.map { $0.total * 2 + ($0.next?.level ?? 0) } ?? -7 }
                show(\.count) { $0.currentTotal * 2 + ($0.next?.level ?? 0) }
            case 5:
                label.$list.bind(to: part.$list)
                show(\.list, \.list)
            case 6:
                label.$number.bind(to: try part.path("next.next.n", as: Int.self))
                show(\.number) { .some($0.next?.next?.n) }
            case 7:
                label.$count.bind(to: \.double, of: part)
                show(\.count) { $0.n * 2 }
            case 8:
                try label.bind("count", to: "list.@sum", of: part)
                show(\.count) { $0.list.reduce(0, +) }
            case 9:
                try label.bind("count", to: "double", of: part, options: .distinct)
                show(\.count) { $0.n * 2 }
            case 10:
                bound.binding = label.$count.bindBothWays(to: part.$level)
                show(\.count, \.level)
            case 11:
                bound.binding = label.$count.bindBothWays(to: try part.path("next.level", as: Int.self), nilAs: -1)
                show(\.count) { $0.next?.level }
            case 13:
                guard let other = self.bound.filter(\.isTwoWay).randomElement(using: &random)?.label else { return }
                bound.binding = label.$count.bindBothWays(to: other.$count)
                bound.shown = { [unowned label, unowned other] in ("\(label.count)", "\(other.count)") }
            default:
                bound.binding = label.$count.bindBothWays(to: part.$n, transform: { $0 + 100 }, inverse: { $0 - 100 })
                show(\.count) { $0.n + 100 }
            }
            if !bound.isTwoWay {
                bound.end = { [unowned label] in
                    label.$number.unbind()
                    label.$count.unbind()
                    label.$text.unbind()
                    label.$list.unbind()
                }
            }
            let actions = pick(5) == 0 ? 1 : 0
            if actions > 0 {
                try label.observe(["number", "count", "text", "list"]) { [unowned self] _ in react(actions) }
            }
            if pick(5) == 0 {
                // What the label is being set to is changed before it is set, often back to what it was.
                try label.observe(["number", "count", "list"], options: .prior) { [unowned self, weak part] change in
                    guard let part, change.isPrior, depth < 3, !isQuiet, fault == nil else { return }
                    (depth, setting) = (depth + 1, setting + 1)
                    note("before it is set")
                    switch pick(3) {
                    case 0: part.n = pick(3)
                    case 1: part.level = pick(3)
                    default: part.list = [pick(2)]
                    }
                    (depth, setting) = (depth - 1, setting - 1)
                }
            }
        } catch { fail("\(error)") }
        self.bound.append(bound)
    }

    private func mirror() {
        if mirrors.count >= 12 { return }
        let part = part
        let kind = pick(6)
        let mirror = Mirror("\(kind) of \(name(part))") { [weak part] in
            guard let part else { return nil }
            return switch kind {
            case 0: "\(part.currentTotal) \(part.list)"
            case 1: "\(part.currentSum + (part.next?.level ?? 0))"
            case 2: "\(part.currentTotal)"
            case 3: "\(part.currentSum)"
            case 4: "\(part.next?.list.max() ?? -1)"
            default: "\(part.next?.list.count ?? -1)"
            }
        }
        note("mirrors \(mirror.name)")
        let label = mirror.label
        do {
            switch kind {
            case 0:
                try label.depend(on: [Dependency(part, ["total", "list"])], named: "mirror") { [weak part] _ in
                    mirror.last = part.map { "\($0.total) \($0.list)" } ?? ""
                }
            case 1:
                label.observe(
                    reading: { [weak part] _ in part.map { $0.sum + ($0.next?.level ?? 0) } ?? 0 },
                    options: [.initial, .new]
                ) { [unowned mirror] in mirror.last = "\($1.newValue!)" }
            case 2: part.$total.onValue { mirror.last = "\($0)" }
            case 3: part.$sum.onValue(for: mirror, on: later) { $0.last = "\($1)" }
            case 4: try part.path("next.list.@max", as: Int?.self).onValue { mirror.last = "\(($0 ?? nil) ?? -1)" }
            default:
                part.observe(\.next?.list.count, options: [.initial, .new]) {
                    mirror.last = "\(($1.newValue ?? nil) ?? -1)"
                }
            }
        } catch { fail("\(error)") }
        mirrors.append(mirror)
    }

    private func replicate() {
        let part = part
        let (copy, start) = (part is Inverse ? Inverse() : Part(), state(of: part))
        copy.n = part.n
        copy.level = part.level
        copy.list = part.list
        copy.tags = part.tags
        copy.next = part.next
        let replica = Replica(part, copy, start)
        note("replicates \(name(part))")
        do {
            try part.observe(["n", "level", "list", "tags", "next"], options: [.old, .new]) {
                [weak self, weak replica] change in
                guard let self, let replica, fault == nil else { return }
                let record = ChangeRecord(change)
                replica.log.append(record)
                do { try record.apply(on: replica.copy) } catch { fail("\(error)") }
            }
        } catch { fail("\(error)") }
        replicas.append(replica)
    }

    private func look() {
        let part = part
        let kind = pick(5)
        let view = View("\(kind) of \(name(part))") { [weak part] in
            switch kind {
            case 0: part?.observable.n
            case 1: part?.observable.sum
            case 2: part?.observable.list.count
            case 3: part?.observable.double
            default: part?.observable.total
            }
        }
        if views.count < 10 { views.append(view) }
        track(view)
    }

    private func track(_ view: View) {
        view.isTold = false
        view.seen = withObservationTracking {
            view.read() ?? 0
        } onChange: {
            view.isTold = true
        }
    }

    private func stream() {
        let part = part
        switch pick(3) {
        case 0:
            streams.append(
                Stream(name: "n of \(name(part))", values: part.$n.values(options: .initial)) { [unowned part] in part.n
                })
        case 1:
            streams.append(
                Stream(name: "total of \(name(part))", values: part.$total.values(options: .initial)) {
                    [unowned part] in
                    part.currentTotal
                })
        default:
            streams.append(
                Stream(name: "level of \(name(part))", values: part.$level.values(options: .initial)) {
                    [unowned part] in part.level
                })
        }
    }
}
