import AutoKVO
import AutoKVOTestSupport

/// What a `MeetingWorld` observes: a class, and a subclass that overrides a stored, a collection's and a derived property.
class Meeting: TrackedObject {
    @Observed var n = 0
    @Observed(.distinct) var level = 0
    @Observed var list: [Int] = []
    @Observed var tags: Set<Int> = []
    @Observed var next: Meeting?
    @ObservedWeak var friend: Meeting?
    @Observed var members: [Meeting] = []
    @Derived({ (meeting: Meeting) in meeting.n + meeting.list.count }) var sum: Int
    @Derived({ (meeting: Meeting) in meeting.sum / 3 + meeting.members.reduce(0) { $0 + $1.n } }) var total: Int
    @Derived({ (meeting: Meeting) in meeting.friend?.sum ?? -1 }) var near: Int
    var double: Int { n * 2 }
    var far: Int { next?.n ?? -2 }
    var computed: [Int] {
        get { list.map { -$0 } }
        set { list = newValue.map { -$0 } }
    }

    override class var schema: Schema {
        Schema(Meeting.self, extending: super.schema) {
            Key("n", \.n)
            Key("list", \.list)
            Key("sum", \.sum)
            Key("double", \.double)
            Key("far", \.far, affectedBy: "next.n")
            Key("computed", \.computed, affectedBy: "list")
        }
    }

    /// The array at a path, nil if there is no object on the way.
    func array(_ path: String) -> [Int]? {
        if path.hasPrefix("next.") { return next?.array(String(path.dropFirst(5))) }
        if path.hasPrefix("friend.") { return friend?.array(String(path.dropFirst(7))) }
        return path == "list" ? list : computed
    }

    static let keys = ["n", "level", "sum", "total", "double", "near", "far"]
    static let numbers = [
        "n", "level", "sum", "total", "double", "next.n", "next.sum", "members.@sum.n", "members.@sum.sum",
        "members.@count",
        "list.@count", "tags.@sum", "friend.n", "friend.total", "near", "far", "next.next.n", "next.friend.total",
        "next.near", "members.@max.n", "members.@sum.next.n", "members.@sum.friend.sum", "next.members.@sum.n",
        "members.@max.members.@sum.sum", "members.@sum.list.@count", "next.list.@count", "next.tags.@sum",
    ]
    static let arrays = ["list", "computed", "next.list", "next.computed", "friend.list", "next.next.list"]

    /// The value of a path, computed from what is stored.
    func reference(_ path: String) -> Int? {
        switch path {
        case "n": n
        case "level": level
        case "sum": n + list.count
        case "total": reference("sum")! / 3 + members.reduce(0) { $0 + $1.n }
        case "double": n * 2
        case "members.@sum.n": members.reduce(0) { $0 + $1.n }
        case "members.@sum.sum": members.reduce(0) { $0 + $1.reference("sum")! }
        case "members.@count": members.count
        case "list.@count": list.count
        case "tags.@sum": tags.reduce(0, +)
        case "members.@max.n": members.map(\.n).max()
        case "members.@sum.next.n": members.reduce(0) { $0 + ($1.next?.n ?? 0) }
        case "members.@sum.friend.sum": members.reduce(0) { $0 + ($1.friend?.reference("sum") ?? 0) }
        case "members.@max.members.@sum.sum": members.compactMap { $0.reference("members.@sum.sum") }.max()
        case "members.@sum.list.@count": members.reduce(0) { $0 + $1.list.count }
        case "next.members.@sum.n", "next.list.@count", "next.tags.@sum":
            next?.reference(String(path.dropFirst(5))) ?? 0
        case "near": friend?.reference("sum") ?? -1
        case "far": next?.n ?? -2
        case "friend.n", "friend.total", "friend.level": friend?.reference(String(path.dropFirst(7)))
        default: next?.reference(String(path.dropFirst(5)))
        }
    }
}

final class SpecialMeeting: Meeting {
    @Observed var extra = 0
    override var n: Int {
        get { super.n * 10 }
        set { super.n = newValue }
    }
    override var list: [Int] {
        get { super.list.filter { $0 > 1 } }
        set { super.list = newValue }
    }
    override var sum: Int { super.sum + extra + (extra == 1 ? next?.n ?? 0 : 0) }

    override func reference(_ path: String) -> Int? {
        path == "sum"
            ? super.reference("sum")! + extra + (extra == 1 ? next?.n ?? 0 : 0) : super.reference(path)
    }
}

/// Changes objects at random, also in handlers, and replays what each observer was told: each old value is the last new one, each edit
/// leads from the last collection to the next, and when nothing is under way everybody has been told what is.
final class MeetingWorld: RandomWorld {
    private var meetings: [Meeting] = []
    private struct Made { weak var meeting: Meeting? }
    private var made: [Made] = []
    private var watches: [Watch] = []
    private var traces: [ScopedObservation] = []
    private let later = SerialScheduler()
    /// Changes that were begun by hand, and end in any order.
    private var spans: [(meeting: Meeting, key: String)] = []
    /// Whether a prior call is being made.
    private var isBefore = false
    /// Whose level is being edited in place. Nobody may read it then.
    private var edited: Meeting?

    private final class Watch: @unchecked Sendable {
        let name: String
        weak var meeting: Meeting?
        /// What was told last, by path.
        var numbers: [String: Int?] = [:]
        var list: [Int]?
        var listKey: String?
        var tags: Set<Int>?
        /// The members, as they joined and left; and what each was told to have.
        var members: [ObjectIdentifier: Int]?
        var areMembersOfNext = false
        var each: [ObjectIdentifier: Int]?
        var calls = 0
        var (isOnce, isLate) = (false, false)
        let actions: Int
        var observation: KeyValueObservation?
        init(_ name: String, _ meeting: Meeting, actions: Int) {
            (self.name, self.meeting, self.actions) = (name, meeting, actions)
        }
    }

    private final class Panel {}
    private let panel = Panel()

    override init(seed: Int) {
        super.init(seed: seed)
        for _ in 0..<5 { add() }
        for _ in 0..<15 { observe(meeting) }
    }

    private func add() {
        let meeting = pick(3) == 0 ? SpecialMeeting() : Meeting()
        note("new \(meeting is SpecialMeeting)")
        meetings.append(meeting)
        made.append(Made(meeting: meeting))
    }

    private var meeting: Meeting { meetings[pick(meetings.count)] }
    private func name(_ meeting: Meeting?) -> String {
        guard let meeting else { return "nil" }
        let name = meetings.firstIndex { $0 === meeting }.map(String.init) ?? "former"
        return meeting is SpecialMeeting ? name + "*" : name
    }

    func run(_ steps: Int) {
        for step in 0..<steps where fault == nil {
            if spans.isEmpty { begin(["step \(step)"]) } else { note("step \(step)") }
            for meeting in meetings {
                note(
                    "\(name(meeting)): n \(meeting.n), level \(meeting.level), list \(meeting.list), tags \(meeting.tags.sorted()), "
                        + "next \(name(meeting.next)), friend \(name(meeting.friend)), members \(meeting.members.map(name))"
                )
            }
            act()
            if !spans.isEmpty, pick(2) == 0 { endSpan() }
            later.runAll()
            if fault == nil, spans.isEmpty { compare() }
        }
        while !spans.isEmpty { endSpan() }
        for watch in watches { watch.observation?.remove() }
        for trace in traces { trace.remove() }
        for each in made { if let meeting = each.meeting { (meeting.next, meeting.members) = (nil, []) } }
    }

    private func compare() {
        for watch in watches where watch.observation!.isValid && !watch.isOnce {
            guard let meeting = watch.meeting else { continue }
            for (path, last) in watch.numbers where last != meeting.reference(path) {
                fail("\(watch.name).\(path) is \(meeting.reference(path) as Any), and \(last as Any) was told")
            }
            if let key = watch.listKey, watch.list != meeting.array(key) {
                fail("\(watch.name).\(key) is \(meeting.array(key) as Any), not \(watch.list as Any)")
            }
            if let members = watch.members,
                members
                    != (watch.areMembersOfNext ? meeting.next?.members ?? [] : meeting.members)
                    .reduce(into: [:], { $0[ObjectIdentifier($1), default: 0] += 1 })
            {
                fail("\(watch.name) has other members than joined and left")
            }
            for member in meeting.members where watch.each.map({ $0[ObjectIdentifier(member)] != member.n }) ?? false {
                fail(
                    "n of \(name(member)) is \(member.n), and \(watch.each![ObjectIdentifier(member)] as Any) was told")
            }
            if let tags = watch.tags, tags != meeting.tags {
                fail("\(watch.name).tags is \(meeting.tags), not \(tags)")
            }
        }
    }

    // MARK: Changes

    private func act() {
        let meeting = meeting
        let kind = pick(isBefore ? 5 : depth == 0 ? 29 : 19)
        note("\(name(meeting)): \(kind)")
        do {
            switch kind {
            case 0, 1: meeting.n = pick(4)
            case 2: try meeting.setValue(pick(4), forKey: "n")
            case 3: meeting.level = pick(3)
            case 4: (meeting as? SpecialMeeting)?.extra = pick(4)
            case 5...8: try edit(meeting, pick(18))
            case 9: if pick(2) == 0 { meeting.$tags.insert(pick(5)) } else { meeting.$tags.remove(pick(5)) }
            case 10: meeting.tags = [pick(5), pick(5)]
            case 11: meeting.next = pick(3) == 0 ? nil : self.meeting
            case 12: meeting.$members.append(self.meeting)
            case 13: meeting.$members.edit { if !$0.isEmpty { $0.remove(at: pick($0.count)) } }
            case 14:
                if pick(2) == 0 {
                    meeting.members = [self.meeting, self.meeting]
                } else {
                    meeting.friend = self.meeting
                }
            case 15:
                if !watches.isEmpty {
                    let observation = watches.remove(at: pick(watches.count)).observation!
                    note("\(observation)")
                    observation.remove()
                }
            case 16, 17: observe(meeting)
            case 18: for watch in watches where watch.isOnce && watch.meeting != nil { try rearm(watch) }
            case 19, 20:
                holding { coalescingChanges { for _ in 0..<3 { act() } } }
            case 21: holding { meeting.withMutation(of: "list") { for _ in 0..<2 { act() } } }
            case 22:
                // Released behind the access: its death is a change.
                let former = meetings.remove(at: pick(meetings.count))
                add()
                withExtendedLifetime(former) {}
            case 23: if spans.isEmpty { editInPlace(meeting) }
            case 24: if traces.isEmpty { trace(meeting) } else { traces.removeFirst().remove() }
            case 25: if spans.count < 3 { beginSpan(meeting) }
            case 26: if !spans.isEmpty { endSpan() }
            default: observe(meeting)
            }
        } catch { fail("\(error)") }
    }

    private func beginSpan(_ meeting: Meeting) {
        let keys = ["n", "level", "list", "tags", "next", "members", "double", "computed"]
        let key = keys[pick(keys.count)]
        note("begins a change of \(key)")
        if key == "n" {
            // A member that joins while its n is being changed is observed from then on: its observer is not told of that change.
            for watch in watches where watch.each != nil { watch.observation?.remove() }
            watches.removeAll { $0.each != nil }
        }
        spans.append((meeting, key))
        held += 1
        meeting.willChangeValue(forKey: key)
    }

    private func endSpan() {
        let span = spans.remove(at: pick(spans.count))
        note("ends the change of \(name(span.meeting)).\(span.key)")
        span.meeting.didChangeValue(forKey: span.key)
        held -= 1
    }

    /// Its handler has all others called from inside of its own call.
    private func trace(_ meeting: Meeting) {
        traces.append(
            Diagnostics.trace(meeting) { [unowned self, name = name(meeting)] change in
                note("traced: \(name).\(change.key) \(change.kind), \(change.calls.count) calls")
            })
    }

    /// Moves what others refer to while a property is being edited: what refers to it then is told of the edit.
    private func editInPlace(_ meeting: Meeting) {
        func move() {
            let (mover, isNext) = (self.meeting, pick(2) == 0)
            let target = pick(2) == 0 ? meeting : self.meeting
            note("\(isNext ? "next" : "friend") of \(name(mover)) is \(name(target))")
            if isNext { mover.next = target } else { mover.friend = target }
        }
        func edit(_ value: inout Int) {
            edited = meeting
            for _ in 0...pick(2) { move() }
            value += 1
            for _ in 0..<pick(2) { move() }
            edited = nil
        }
        // Where nothing is observed an edit begins and ends unnoticed.
        let observation = meeting.$level.observe { _ in }
        edit(&meeting.level)
        observation.remove()
    }

    private func edit(_ meeting: Meeting, _ kind: Int) throws {
        let count = meeting.list.count
        // Indexes are those of what the handle edits, which an override's getter need not return. In a handler an index may have become
        // invalid when the edit is made, which is a mistake of the caller.
        let stored = meeting.$list.count
        note("edit \(kind) of \(meeting.$list.value)")
        func some(_ count: Int) -> Int { depth == 0 ? pick(count) : 0 }
        switch kind {
        case 0: meeting.$list.append(pick(5))
        case 1: meeting.list.append(pick(5))
        case 2:
            if depth > 0 { meeting.$list.edit { if !$0.isEmpty { $0.removeLast() } } }
            if depth == 0, stored > 0 { meeting.$list.remove(at: pick(stored)) }
        case 3: meeting.$list.insert(pick(5), at: some(stored + 1))
        case 4: if depth == 0, stored > 0 { meeting.$list[pick(stored)] = pick(5) }
        case 5: try meeting.mutableArrayValue(forKey: "list").insert(pick(5), at: some(count + 1))
        case 6: if depth == 0, count > 0 { try meeting.mutableArrayValue(forKey: "list").remove(at: pick(count)) }
        case 7: meeting.$list.update(to: (0..<pick(4)).map { _ in pick(5) })
        case 8: if depth == 0, stored > 1 { meeting.$list.swapAt(0, stored - 1) }
        case 9: meeting.$list.sort()
        case 10: meeting.$list.removeAll { $0 % 2 == 1 }
        case 11: meeting.$list.edit { $0 = Array($0.reversed().dropFirst()) + [pick(5)] }
        case 12: if depth == 0, stored > 2 { meeting.$list.replaceSubrange(1..., with: [pick(5), pick(5)]) }
        case 13: try meeting.mutableArrayValue(forKey: "computed").removeAll { $0 as! Int == -3 }
        case 14:
            if meeting.next != nil { try meeting.mutableArrayValue(forKeyPath: "next.list").insert(pick(5), at: 0) }
        case 15: if meeting.next != nil { try meeting.setValue(pick(4), forKeyPath: "next.n") }
        case 16:
            try meeting.setValues(
                ["n": pick(4), "list": [pick(5), pick(5)]], validating: pick(2) == 0)
        default: try meeting.mutableArrayValue(forKey: "computed").insert(-pick(5), at: 0)
        }
    }

    // MARK: Observers

    private func rearm(_ watch: Watch) throws {
        guard watch.calls > 0, watch.observation!.isValid == false, held == 0, depth == 0 else { return }
        watch.calls = 0
        try watch.observation!.rearm()
    }

    private func observe(_ meeting: Meeting) {
        // What is added where changes are held back is not told of what was changed before.
        if held > 0 || watches.count >= 40 { return }
        let watch = Watch(name(meeting), meeting, actions: pick(4) == 0 ? 1 + pick(2) : 0)
        var options: ObservingOptions = [.old, .new]
        if pick(6) == 0 { options.insert(.prior) }
        if pick(6) == 0 { options.insert(.distinct) }
        if pick(8) == 0 { (watch.isOnce, _) = (true, options.insert(.once)) }
        let kind = pick(15)
        // These are registered without the options.
        if [8, 9, 10, 12].contains(kind) { watch.isOnce = false }
        note("observes \(kind) \(options)")
        do {
            switch kind {
            case 0...2:
                let paths = (0..<(kind == 2 ? 3 : 1)).map { _ in Meeting.numbers[pick(Meeting.numbers.count)] }
                for path in paths { watch.numbers[path] = meeting.reference(path) }
                watch.observation = try meeting.observe(Array(watch.numbers.keys), options: options) { [unowned self] in
                    toldNumber(watch, $0)
                }
            case 3:
                let path = Meeting.numbers[pick(5)]
                watch.numbers[path] = meeting.reference(path)
                watch.observation = try meeting.addObserver(panel, forKeyPath: path, options: options) {
                    [unowned self] in toldNumber(watch, $1)
                }
            case 4:
                let path = Meeting.numbers[pick(Meeting.numbers.count)]
                watch.numbers[path] = meeting.reference(path)
                (watch.isLate, watch.isOnce) = (true, false)
                let told = Told { [unowned self] in toldNumber(watch, $0) }
                watch.observation = try meeting.observe(path, as: Int?.self, options: [.old, .new], on: later) {
                    told.body($0)
                }
            case 5, 6:
                let key = Meeting.arrays[pick(Meeting.arrays.count)]
                (watch.listKey, watch.list) = (key, meeting.array(key))
                if kind == 5, key == "list" {
                    watch.observation = meeting.$list.observe(options: options) { [unowned self] in toldList(watch, $0)
                    }
                } else {
                    watch.observation = try meeting.observe(key, as: [Int].self, options: options) {
                        [unowned self] in toldList(watch, $0)
                    }
                }
            case 7:
                watch.tags = meeting.tags
                watch.observation = meeting.$tags.observe(options: options) { [unowned self] in toldTags(watch, $0) }
            case 8:
                watch.members = [:]
                watch.areMembersOfNext = pick(2) == 0
                let added: (Meeting) -> Void = { [unowned self] in joined(watch, $0, 1) }
                let removed: (Meeting) -> Void = { [unowned self] in joined(watch, $0, -1) }
                watch.observation =
                    if watch.areMembersOfNext {
                        try meeting.observeElements(
                            "next.members", as: Meeting.self, options: .initial, added: added, removed: removed)
                    } else {
                        meeting.$members.observeElements(options: .initial, added: added, removed: removed)
                    }
            case 9, 10:
                watch.each = [:]
                watch.observation = meeting.$members.observeEach(\.$n, options: [.initial, .old, .new]) {
                    [unowned self] in toldEach(watch, $0, $1)
                }
            case 11 where RuntimeCheck.holds(.blankObject):
                watch.numbers["next.n"] = meeting.reference("next.n")
                watch.observation = meeting.$next.$n.observe(options: options) { [unowned self] change in
                    told(watch, change, "next.n", change.oldValue, change.newValue)
                }
            case 12:
                let path = ["next.level", "friend.level"][pick(2)]
                watch.numbers[path] = meeting.reference(path)
                watch.observation = try meeting.observe(path) { [unowned self] _ in
                    guard let meeting = watch.meeting else { return }
                    if edited == nil || (path == "next.level" ? meeting.next : meeting.friend) !== edited {
                        watch.numbers[path] = meeting.reference(path)
                    }
                }
            case 13:
                for key in Meeting.keys { watch.numbers[key] = meeting.reference(key) }
                watch.observation = try meeting.observeAnyKey(options: options) { [unowned self] change in
                    if Meeting.keys.contains(change.keyPath) {
                        toldNumber(watch, change)
                    } else {
                        _ = isFirst(watch, change)
                    }
                }
            default:
                watch.numbers["sum"] = meeting.reference("sum")
                watch.observation = meeting.observe(\.sum, options: options) { [unowned self] in toldSum(watch, $1) }
            }
        } catch { fail("\(error)") }
        if watch.observation != nil { watches.append(watch) }
    }

    private struct Told: @unchecked Sendable { let body: (Change<Int?>) -> Void }

    private func toldNumber(_ watch: Watch, _ change: Change<Any>) {
        told(watch, change, change.keyPath, change.oldValue as? Int, change.newValue as? Int)
    }
    private func toldNumber(_ watch: Watch, _ change: Change<Int?>) {
        told(watch, change, change.keyPath, change.oldValue ?? nil, change.newValue ?? nil)
    }
    private func toldSum(_ watch: Watch, _ change: Change<Int>) {
        told(watch, change, "sum", change.oldValue, change.newValue)
    }

    private func told<Value>(_ watch: Watch, _ change: Change<Value>, _ path: String, _ old: Int?, _ new: Int?) {
        note("\(watch.name).\(path) \(change.isPrior ? "before " : "")\(old as Any) → \(new as Any)")
        if !isFirst(watch, change) { return }
        let last = watch.numbers[path] ?? nil
        // Of a path that a handler has moved to what is being changed the old value is not known.
        if !watch.isOnce, change.oldValue != nil || !path.contains("."), old != last {
            fail("the old value of \(path) is \(old as Any), and \(last as Any) was told")
        }
        if !change.isPrior {
            // A weak referent is gone before its death can be told, and so before what was told older changes.
            if !watch.isLate, !refersToTheGone(watch.meeting, path), new != watch.meeting?.reference(path) {
                fail("\(path) is \(watch.meeting?.reference(path) as Any), and its handler got \(new as Any)")
            }
            watch.numbers[path] = new
        }
        react(watch, isPrior: change.isPrior)
    }

    /// Whether there is no object at a weak link of a path.
    private func refersToTheGone(_ meeting: Meeting?, _ path: String) -> Bool {
        guard let meeting, path.contains("friend") || path.hasSuffix("near") else { return false }
        if path.hasPrefix("members.") { return meeting.members.contains { $0.friend == nil } }
        return path.hasPrefix("next.") ? meeting.next?.friend == nil : meeting.friend == nil
    }

    private func toldList(_ watch: Watch, _ change: Change<[Int]>) {
        let key = watch.listKey!
        note(
            "\(watch.name).\(key) \(change.observation.options) \(change.kind) \(change.isPrior ? "before " : "")\(change.oldValue as Any) → \(change.newValue as Any)"
        )
        if !isFirst(watch, change) { return }
        if !change.isPrior, !watch.isOnce {
            if change.kind == .setting {
                // Of a path that a handler has moved to what is being changed the old value is not known.
                if change.oldValue != watch.list, change.oldValue != nil || !key.contains(".") {
                    fail("\(watch.list as Any) was told")
                }
                watch.list = change.newValue
            } else {
                guard var list = watch.list else { return fail("nothing was told, and it is edited") }
                do { try ChangeRecord(change).apply(validating: &list) } catch {
                    return fail("\(list) was told, and \(change.indexes as Any) does not fit")
                }
                watch.list = list
            }
            if let meeting = watch.meeting, watch.list != meeting.array(key), !refersToTheGone(meeting, key) {
                fail("that makes \(watch.list as Any), and it is \(meeting.array(key) as Any)")
            }
        }
        react(watch, isPrior: change.isPrior)
    }

    private func toldTags(_ watch: Watch, _ change: Change<Set<Int>>) {
        note(
            "\(watch.name).tags \(change.kind) \(change.isPrior ? "before " : "")\(change.oldValue as Any) → \(change.newValue as Any)"
        )
        if !isFirst(watch, change) { return }
        if !change.isPrior, !watch.isOnce {
            if change.kind == .setting, change.oldValue != watch.tags { fail("\(watch.tags!) was told") }
            change.apply(to: &watch.tags!)
            if watch.tags != watch.meeting?.tags { fail("that makes \(watch.tags!), and it is \(watch.meeting!.tags)") }
        }
        react(watch, isPrior: change.isPrior)
    }

    private func joined(_ watch: Watch, _ member: Meeting, _ count: Int) {
        note("\(watch.name): \(name(member)) \(count > 0 ? "joins" : "leaves")")
        let all = watch.members![ObjectIdentifier(member), default: 0] + count
        if all < 0 { fail("one leaves that was not there") }
        watch.members![ObjectIdentifier(member)] = all == 0 ? nil : all
        react(watch, isPrior: false)
    }

    private func toldEach(_ watch: Watch, _ member: Meeting, _ change: Change<Int>) {
        note("\(watch.name): n of \(name(member)) \(change.oldValue as Any) → \(change.newValue as Any)")
        if fault != nil { return }
        let last = watch.each![ObjectIdentifier(member)]
        if let old = change.oldValue, old != last { fail("\(last as Any) was told") }
        watch.each![ObjectIdentifier(member)] = change.newValue
        if change.newValue != member.n { fail("it is \(member.n)") }
        react(watch, isPrior: false)
    }

    private func isFirst<Value>(_ watch: Watch, _ change: Change<Value>) -> Bool {
        if fault != nil { return false }
        if change.isPrior { return true }
        watch.calls += 1
        if watch.isOnce, watch.calls > 1 { fail("it was to be called once") }
        return true
    }

    private func react(_ watch: Watch, isPrior: Bool) {
        if depth >= 3 || edited != nil { return }
        depth += 1
        let outer = isBefore
        if isPrior { (isBefore, held) = (true, held + 1) }
        for _ in 0..<watch.actions { act() }
        if isPrior { (isBefore, held) = (outer, held - 1) }
        depth -= 1
    }
}
