import AutoKVO
import AutoKVOTestSupport
import Testing

/// What an observer of an array was called with, replayed: at each call the copy has to be the array.
final class ArrayLog {
    private(set) var copy: [Int]
    private(set) var lines: [String] = []
    private(set) var problem: String?

    init(_ array: [Int]) { copy = array }

    func add(_ change: Change<[Int]>, _ array: [Int]) {
        let indexes = change.indexes.map { Array($0.ranges.joined()) } ?? []
        let (old, new) = (change.oldValue ?? [], change.newValue ?? [])
        lines.append("\(change.kind) \(indexes) \(old) \(new)")
        switch change.kind {
        case .setting:
            if old != copy { fail("set from \(old), and was \(copy)") }
            copy = new
        case .insertion: for (index, element) in zip(indexes, new) { copy.insert(element, at: index) }
        case .removal:
            if indexes.map({ copy[$0] }) != old { fail("removed \(old) at \(indexes) of \(copy)") }
            for index in indexes.reversed() { copy.remove(at: index) }
        case .replacement:
            if indexes.map({ copy[$0] }) != old { fail("replaced \(old) at \(indexes) of \(copy)") }
            for (index, element) in zip(indexes, new) { copy[index] = element }
        }
        if copy != array { fail("after \(lines.last!) it would be \(copy), and is \(array)") }
    }

    private func fail(_ text: String) { problem = problem ?? text }
}

/// Edits that handlers make inside of edits.
struct NestedEditTests {
    let crate = Crate()
    private var items: Property<[Int]> { crate.$items }

    private func log() -> ArrayLog {
        let log = ArrayLog(crate.items)
        crate.$items.observe(options: [.old, .new]) { [unowned crate] in log.add($0, crate.items) }
        return log
    }

    /// Does something in the handler of the next change, once.
    private func once(_ options: ObservingOptions = [], _ edit: @escaping (Crate) -> Void) {
        crate.$items.observe(options: options.union(.once)) { [unowned crate] _ in edit(crate) }
    }

    private func check(_ logs: ArrayLog..., is items: [Int], _ location: SourceLocation = #_sourceLocation) {
        expectEqual(crate.items, items, sourceLocation: location)
        for log in logs {
            #expect(log.problem == nil, sourceLocation: location)
            expectEqual(log.copy, items, sourceLocation: location)
        }
    }

    @Test("two handlers append: each insertion is told at the index where its element went") func append() {
        let before = log()
        once { $0.$items.append(69) }
        once { $0.$items.append(9) }
        let after = log()
        items.append(1)
        check(before, after, is: [1, 9, 69])
        expectEqual(before.lines, ["insertion [0] [] [1]", "insertion [1] [] [9]", "insertion [2] [] [69]"])
    }

    @Test("two handlers take out the last element: each takes out the one that is there then") func removeLast() {
        crate.items = [1, 2, 3]
        for _ in 0..<2 {
            crate.$items.observe { [unowned crate] _ in if crate.items.count > 3 { crate.$items.removeLast() } }
        }
        let log = log()
        items.append(4)
        check(log, is: [1, 2])
    }

    @Test("sorting keeps an element that a handler sets meanwhile") func sortBesideSet() {
        crate.items = [3, 2]
        once { $0.$items.sort() }
        once { $0.$items[0] = 7 }
        let log = log()
        items.append(1)
        check(log, is: [1, 2, 7])
    }

    @Test("an element that two handlers put into a set is told once") func setInsertion() {
        var told: [[String]] = []
        for _ in 0..<2 { crate.$items.observe { [unowned crate] _ in crate.$tags.insert("a") } }
        crate.$tags.observe(options: [.new]) { told.append($0.newValue?.sorted() ?? []) }
        items.append(1)
        expectEqual(told, [["a"]])
        crate.$tags.removeAll()
        for _ in 0..<2 {
            crate.$tags.observe { [unowned crate] change in
                if change.kind == .insertion { crate.$tags.formUnion(["b", "c"]) }
            }
        }
        crate.$tags.insert("z")
        expectEqual(crate.tags, ["z", "b", "c"])
        expectEqual(told.suffix(2), [["z"], ["b", "c"]])
    }

    @Test("a handler that limits the array to three elements works beside one that keeps it sorted") func limit() {
        let limits: [(Crate) -> Void] = [
            { crate in crate.$items.edit { items in if items.count > 3 { items.removeLast(items.count - 3) } } },
            { if $0.items.count > 3 { $0.$items.removeSubrange(3...) } },
            { if $0.items.count > 3 { $0.$items.replaceSubrange(3..., with: []) } },
        ]
        for limit in limits {
            for sortsFirst in [true, false] {
                let crate = Crate()
                let sort = { (crate: Crate) in crate.$items.sort() }
                for handler in sortsFirst ? [sort, limit] : [limit, sort] {
                    crate.$items.observe { [unowned crate] _ in handler(crate) }
                }
                let log = ArrayLog([])
                crate.$items.observe(options: [.old, .new]) { [unowned crate] in log.add($0, crate.items) }
                for element in [5, 3, 9, 1, 7, 2, 8] { crate.$items.append(element) }
                #expect(crate.items.count == 3 && crate.items == crate.items.sorted())
                #expect(log.problem == nil && log.copy == crate.items)
            }
        }
    }

    @Test("removing by a condition looks at the elements that are there") func removeAll() {
        crate.items = [1, 2, 3]
        once { $0.$items.removeAll { $0 % 2 == 0 } }
        once { $0.$items.insert(5, at: 0) }
        let log = log()
        items.append(4)
        check(log, is: [5, 1, 3])
    }

    @Test("an edit that a prior handler makes is part of the change, which is told as a whole") func prior() {
        for edit: (Crate) -> Void in [
            { $0.$items.append(9) }, { $0.items = [7] }, { $0.items.append(4) }, { $0.$items.removeAll() },
        ] {
            let crate = Crate()
            crate.items = [1, 2]
            var isFirst = true
            crate.$items.observe(options: [.prior, .old]) { [unowned crate] change in
                if change.isPrior, isFirst {
                    isFirst = false
                    edit(crate)
                }
            }
            let log = ArrayLog(crate.items)
            crate.$items.observe(options: [.old, .new]) { [unowned crate] in log.add($0, crate.items) }
            crate.$items.append(3)
            #expect(log.lines.count == 1 && log.lines[0].hasPrefix("setting [] [1, 2]"))
            #expect(log.problem == nil && log.copy == crate.items && crate.items.last == 3)
            crate.$items.append(5)
            #expect(log.problem == nil && log.copy == crate.items && log.lines.last!.hasPrefix("insertion"))
        }
    }

    @Test("the prior calls behind one that edits the collection are made before it does") func furtherPriorCalls() {
        let crate = Crate()
        crate.items = [3, 4, 5]
        var isFirst = true
        crate.$items.observe(options: .prior) { [unowned crate] change in
            guard change.isPrior, isFirst else { return }
            isFirst = false
            #expect(change.kind == .removal && change.indexes == RangeSet(0..<2))
            crate.items = []
        }
        var lines: [String] = []
        for options: ObservingOptions in [[.prior, .old], .prior] {
            crate.$items.observe(options: options) { change in
                let old = options.contains(.old) ? "\(change.oldValue!)" : ""
                lines.append("\(change.isPrior) \(change.kind) \(change.indexes == nil) \(old)")
            }
        }
        crate.$items.removeAll { $0 < 5 }
        expectEqual(
            lines,
            [
                "true removal false [3, 4]", "true removal false ", "false setting true [3, 4, 5]",
                "false setting true ",
            ])
        crate.items = [1]
        lines = []
        crate.$items.remove(at: 0)
        expectEqual(
            lines,
            [
                "true removal false [1]", "true removal false ", "false removal false [1]", "false removal false ",
            ])
    }

    @Test("an edit by handle inside a prior call of one by proxy is part of it, also for a path and for a computed key")
    func priorOfProxy() throws {
        let outer = Crate()
        outer.inner = crate
        crate.items = [1]
        var (isFirst, told): (Bool, [String]) = (true, [])
        try outer.observe("inner.view", options: [.prior, .old, .new]) { [unowned crate] change in
            if change.isPrior, isFirst {
                isFirst = false
                crate.$items.append(2)
            }
            if !change.isPrior { told.append("\(change.kind) \(change.oldValue ?? "-") \(change.newValue ?? "-")") }
        }
        try crate.mutableArrayValue(forKey: "view").append(3)
        expectEqual(crate.items, [1, 2, 3])
        expectEqual(told, ["setting [1] [1, 2, 3]"])
        try crate.mutableArrayValue(forKey: "view").append(4)
        expectEqual(told.last, "insertion - [4]")
    }

    @Test("a path that a prior handler leads elsewhere is told of a whole value, not of the edit") func priorAndPath()
        throws
    {
        let (outer, other) = (Crate(), Crate())
        (outer.inner, crate.items, other.items) = (crate, [1], [7])
        crate.$items.observe(options: [.prior]) { change in if change.isPrior { outer.inner = other } }
        var told: [String] = []
        try outer.observe("inner.items", as: [Int].self, options: [.old, .new]) {
            told.append("\($0.kind) \($0.oldValue!) \($0.newValue!)")
        }
        items.append(2)
        expectEqual(told, ["setting [1] [7]"])
    }

    /// Has a path moved while each change of the items is open: by a handler, as another thread may.
    ///
    /// - Parameter form: 0 for none, 1 for a path of other objects, 2 for one that leads to the items then.
    private func movePaths(_ form: Int) throws {
        let (outer, others) = (Crate(), [Crate(), Crate()])
        outer.inner = others[0]
        try outer.observe("inner.items") { _ in }
        if form == 0 { return }
        crate.$items.observe(options: .prior) { [unowned crate] change in
            outer.inner = change.isPrior && form == 2 ? crate : others[outer.inner === others[0] ? 1 : 0]
        }
    }

    @Test(
        "the second change of a replacement is made before what a handler of the first one edits",
        arguments: 0..<3)
    func replaceSubrange(form: Int) throws {
        crate.items = [0, 1, 2, 3]
        try movePaths(form)
        let before = log()
        once { $0.$items.insert(9, at: 0) }
        let after = log()
        items.replaceSubrange(1..<3, with: [5])
        check(before, after, is: [9, 0, 5, 3])
        once { $0.$items.removeAll { $0 == 0 } }
        items.replaceSubrange(0..<1, with: [7, 8])
        check(before, after, is: [7, 8, 5, 3])
        once { $0.items = [4] }
        items.replaceSubrange(1..<3, with: [6])
        check(before, after, is: [4])
    }

    @Test(
        "it is made before also where nobody observes the array any more, or the object",
        arguments: 0..<4, [false, true])
    func unobserved(form: Int, isOtherObserved: Bool) throws {
        func edit(_ edits: () throws -> Void, _ inside: @escaping (Crate) -> Void) rethrows -> [Int] {
            crate.items = [1, 2]
            items.observe(options: .once) { [unowned crate] _ in inside(crate) }
            try edits()
            return crate.items
        }
        let edits: () throws -> Void = {
            switch form {
            case 0: items.update(to: [2, 7])
            case 1: items.replaceSubrange(0..<1, with: [7, 8])
            case 2: items.edit { $0 = [2, 7] }
            default: try crate.mutableArrayValue(forKey: "items").replaceSubrange(0..<1, with: [7, 8])
            }
        }
        if isOtherObserved { crate.$tags.observe { _ in } }
        #expect(try edit(edits) { $0.items = [9] } == [9])
        #expect(try edit(edits) { $0.$items.removeAll() } == [])
        #expect(try edit(edits) { $0.$items.update(to: [3, 4]) } == [3, 4])
        #expect(try edit(edits) { $0.items.removeAll { $0 > 6 } } == [2])
        #expect(crate.observations().count == (isOtherObserved ? 1 : 0))
    }

    @Test(
        "it is made before also where the edit's own closure makes the first observer of the object",
        arguments: [false, true], [ObservingOptions.new, [.new, .once]])
    func observedByTheClosure(hasRecord: Bool, options: ObservingOptions) {
        crate.items = [1, 2]
        if hasRecord { items.observe { _ in }.remove() }
        var isRegistered = false
        items.edit { value in
            value = [2, 7]
            if isRegistered { return }
            isRegistered = true
            items.observe(options: options) { [unowned crate] _ in if crate.items == [2] { crate.items = [9] } }
        }
        #expect(crate.items == [9])
    }

    @Test("a history that the edit's closure makes undoes both edits as one step") func historyOfTheClosure() {
        crate.items = [1, 2]
        var history: UndoHistory?
        items.edit { value in
            history = history ?? UndoHistory(of: crate)
            value = [2, 7]
        }
        #expect(crate.items == [2, 7])
        history!.undo()
        #expect(crate.items == [1, 2] && !history!.canUndo)
    }

    @Test("the same for an assignment that is a removal and an insertion", arguments: 0..<3)
    func update(form: Int) throws {
        crate.items = [0, 1, 2, 3]
        try movePaths(form)
        let before = log()
        once { $0.$items.insert(9, at: 0) }
        let after = log()
        items.update(to: [1, 2, 3, 5])
        check(before, after, is: [9, 1, 2, 3, 5])
        once { $0.$items.removeAll { $0 == 5 } }
        items.edit { items in
            items.removeFirst()
            items += [6, 5, 7]
            items.swapAt(0, 1)
        }
        #expect(!crate.items.contains(5) && crate.items.contains(7))
        check(before, after, is: crate.items)
    }

    @Test("the same by a proxy") func replaceByProxy() throws {
        crate.items = [0, 1, 2, 3]
        let log = log()
        once { $0.$items.insert(9, at: 0) }
        try crate.mutableArrayValue(forKey: "items").replaceSubrange(1..<3, with: [5])
        check(log, is: [9, 0, 5, 3])
    }

    @Test("an index that a handler has made invalid traps with a sentence that names edit, or throws for a proxy")
    func outdatedIndex() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let crate = Crate()
            crate.items = [1, 2, 3]
            crate.$items.observe { [unowned crate] _ in if crate.items.count > 1 { crate.$items.remove(at: 1) } }
            crate.$items.observe { [unowned crate] _ in if crate.items.count > 1 { crate.$items.removeSubrange(1...) } }
            crate.$items.append(4)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("The index 1 is out of range for Crate.items, which has 1 element."))
        #expect(text.contains("$items.edit { … }"))

        crate.items = [1]
        var error: KeyValueError?
        crate.$items.observe(options: [.once]) { [unowned crate] _ in
            do { try crate.mutableArrayValue(forKey: "items").remove(at: 1) } catch let thrown as KeyValueError {
                error = thrown
            } catch {}
        }
        once { $0.$items.removeAll() }
        items.append(2)
        expectEqual(crate.items, [])
        expectEqual(error?.reason, .indexOutOfRange(index: 1, count: 0))
    }

    @Test("so does one that a prior handler has made invalid, whatever the edit", arguments: 0..<11)
    func outdatedByPrior(which: Int) async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [which] in
            let crate = Crate()
            crate.items = [1, 2, 3]
            crate.$items.observe(options: [.prior]) { [unowned crate] in if $0.isPrior { crate.items = [] } }
            switch which {
            case 0: crate.$items.remove(at: 1)
            case 1: crate.$items.removeSubrange(1..<3)
            case 2: crate.$items.insert(4, at: 2)
            case 3: crate.$items[1] = 5
            case 4: crate.$items.swapAt(0, 2)
            case 5: crate.$items.replaceSubrange(1..<2, with: [4])
            case 6: crate.$items.removeSubranges(RangeSet([0..<1, 2..<3]))
            case 7: crate.$items.insert(contentsOf: [4, 5], at: 3)
            case 8: crate.$items.removeLast(2)
            case 9: crate.$items.removeFirst()
            default: crate.$items.moveSubranges(RangeSet(0..<1), to: 3)
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("out of range for Crate.items, which has 0 elements."), "\(which): \(text)")
        #expect(text.contains("$items.edit { … }"), "\(which): \(text)")
    }

    @Test("an edit that needs no index is made of what a prior handler has left", arguments: 0..<10)
    func withoutIndex(which: Int) {
        crate.items = [3, 1, 2]
        let before = log()
        var isFirst = true
        crate.$items.observe(options: [.prior]) { [unowned crate] change in
            if change.isPrior, isFirst {
                isFirst = false
                crate.items = [5, 4]
            }
        }
        let after = log()
        let result =
            switch which {
            case 0: items.edit { $0.append(6) } as Any
            case 1: items.sort() as Any
            case 2: items.reverse() as Any
            case 3: items.popLast() as Any
            case 4: items.removeAll { $0 > 4 || $0 == 3 } as Any
            case 5: items.update(to: [4, 9]) as Any
            case 6: items.removeAll() as Any
            case 7: items.append(contentsOf: [7, 8]) as Any
            case 8: items.removeSubrange(1...) as Any
            default: items.removeLast() as Any
            }
        let expected = [
            [5, 4, 6], [4, 5], [4, 5], [5], [4], [4, 9], [], [5, 4, 7, 8], [5], [5],
        ]
        check(before, after, is: expected[which])
        if which == 3 || which == 9 { #expect("\(result)".contains("4")) }
    }

    @Test("an edit in the call of .once, of a derived value, of a path or behind a coalescing is told like any other")
    func otherMechanisms() throws {
        let outer = Crate()
        outer.inner = crate
        let before = log()
        crate.$items.observe(options: [.once, .prior]) { [unowned crate] in if !$0.isPrior { crate.$items.append(7) } }
        crate.observe(reading: { $0.items.count }) { crate, change in
            if change.newValue == 3 { crate.$items.remove(at: 0) }
        }
        try outer.observe("inner.items.@count", as: Int.self, options: .new) { [unowned crate] change in
            if change.newValue == 2 { crate.$items.insert(9, at: 1) }
        }
        let after = log()
        coalescingChanges {
            items.append(1)
            items.append(2)
        }
        #expect(before.problem == nil && after.problem == nil)
        #expect(before.copy == crate.items && after.copy == crate.items)
        items.append(5)
        #expect(before.problem == nil && after.problem == nil)
        #expect(before.copy == crate.items && after.copy == crate.items)
    }

    @Test(
        "a condition that changes the array, asked again behind a prior handler that did, is asked until it leaves it alone"
    )
    func conditionBehindPrior() {
        crate.items = [1, 2, 3, 4]
        let log = log()
        var (isFirst, asked) = (true, 0)
        crate.$items.observe(options: .prior) { [unowned crate] change in
            if change.isPrior, isFirst {
                isFirst = false
                crate.items = [1, 2, 3, 4, 5, 6]
            }
        }
        items.removeAll { [unowned crate] element in
            asked += 1
            if asked == 6 { crate.items = [2] }
            return element % 2 == 0
        }
        #expect(log.problem == nil && log.copy == crate.items)
        #expect(crate.items.isEmpty)
    }

    @Test("the insertion of an edit that is two changes comes behind what its prior handlers leave")
    func emptiedBeforeTheInsertion() {
        crate.items = [1, 2, 3]
        let log = log()
        crate.$items.observe(options: .prior) { [unowned crate] change in
            if change.isPrior, change.kind == .insertion { crate.$items.removeAll() }
        }
        items.update(to: [1, 7, 3, 8])
        #expect(log.problem == nil && log.copy == crate.items)
        expectEqual(crate.items, [7, 8])
    }

    /// Makes an edit of `tags` whose prior handler makes it first, and then a handler that takes "a" out. Returns what an observer ends on.
    private func tagsTold(byMakingTwice edit: @escaping (Property<Set<String>>) -> Void) -> Set<String> {
        var (copy, calls, isFirst) = (Set<String>(), 0, true)
        crate.$tags.observe(options: [.old, .new, .prior]) { [unowned crate] change in
            if change.isPrior {
                if isFirst { edit(crate.$tags) }
                isFirst = false
                return
            }
            calls += 1
            change.apply(to: &copy)
            if calls == 1 { crate.$tags.remove("a") }
        }
        edit(crate.$tags)
        return copy
    }

    @Test("an insertion into a set that a prior handler makes first is not made again behind what handlers did since")
    func insertedBefore() {
        var results: [(inserted: Bool, memberAfterInsert: String)] = []
        let copy = tagsTold { results.append($0.insert("a")) }
        #expect(copy.isEmpty && crate.tags.isEmpty)
        // The inner edit returns first.
        #expect(results.map(\.inserted) == [true, false] && results.map(\.memberAfterInsert) == ["a", "a"])
    }

    @Test("assigning a set that a prior handler assigns first does not undo what handlers did since")
    func assignedBefore() {
        let copy = tagsTold { $0.value = ["a", "b"] }
        #expect(copy == ["b"] && crate.tags == ["b"])
    }
}

/// Checking and editing in one.
struct EditTests {
    let crate = Crate()

    private func told(from items: [Int], _ body: (inout [Int]) -> Void) -> [String] {
        crate.items = items
        let recorder = Recorder<[Int]>()
        let observation = crate.$items.observe(options: [.old, .new], recorder.handler())
        defer { observation.remove() }
        crate.$items.edit(body)
        return recorder.lines
    }

    @Test("it is told as the differences, in at most two changes") func differences() {
        expectEqual(told(from: [1, 2, 3]) { $0.append(4) }, ["insertion 3..<4 … > [4]"])
        expectEqual(told(from: [1, 2, 3]) { $0.remove(at: 1) }, ["removal 1..<2 [2] > …"])
        expectEqual(told(from: [1, 2, 3]) { $0[1] = 5 }, ["replacement 1..<2 [2] > [5]"])
        expectEqual(told(from: [3, 1, 2]) { $0.sort() }, ["replacement 0..<3 [3, 1, 2] > [1, 2, 3]"])
        expectEqual(told(from: [1, 2, 3]) { _ in }, [])
        expectEqual(told(from: [1, 2, 3]) { $0 = [1, 2, 3] }, [])
        expectEqual(
            told(from: [1, 2, 3, 4]) { $0 = [2, 3, 4, 9, 8] },
            [
                "removal 0..<1 [1] > …", "insertion 3..<5 … > [9, 8]",
            ])
        expectEqual(told(from: []) { $0 = [1] }, ["insertion 0..<1 … > [1]"])
        expectEqual(told(from: [1, 2]) { $0 = [] }, ["removal 0..<2 [1, 2] > …"])
        #expect(told(from: [1]) { $0 = Array(0..<3000) }.count <= 2)
    }

    @Test("it returns what its closure returns, and an error leaves the array as it was") func results() {
        struct Refusal: Error {}
        let recorder = Recorder<[Int]>()
        crate.items = [1]
        expectEqual(crate.$items.edit { $0.count }, 1)
        crate.$items.observe(recorder.handler())
        expectEqual(crate.$items.edit { (items) -> Int? in items.popLast() }, 1)
        #expect(throws: Refusal.self) {
            try crate.$items.edit { items in
                items.append(5)
                throw Refusal()
            }
        }
        #expect(crate.items == [] && recorder.count == 1)
    }

    @Test("objects are compared by identity, and released behind the calls") func objects() {
        let tracker = LifetimeTracker()
        let people = (0..<3).map { _ in tracker.track(Person()) }
        crate.people = people
        var (kinds, live): ([ChangeKind], [Int]) = ([], [])
        let observation = crate.$people.observe {
            kinds.append($0.kind)
            live.append(tracker.liveCount)
        }
        crate.$people.edit { $0.reverse() }
        crate.$people.edit { _ = $0 }
        expectEqual(kinds, [.replacement])
        observation.remove()
    }

    @Test("a set is told what left and came") func set() {
        let recorder = Recorder<Set<String>>()
        crate.tags = ["a", "b"]
        crate.$tags.observe(options: [.old, .new], recorder.handler())
        crate.$tags.edit { tags in
            tags.remove("a")
            tags.insert("c")
        }
        crate.$tags.edit { _ = $0.count }
        expectEqual(recorder.lines, ["replacement [\"a\"] > [\"c\"]"])
    }

    @Test("its closure may read and change anything, the array itself too") func reading() {
        for isObserved in [false, true] {
            let crate = Crate()
            crate.items = [1]
            if isObserved { crate.$items.observe { _ in } }
            var rounds = 0
            crate.$items.edit { [crate] items in
                rounds += 1
                if rounds == 1 { crate.$items.append(2) }
                items.append(crate.items.count)
            }
            #expect(crate.items == [1, 2, 2] && rounds == 2)
        }
    }
}

/// Edits with functions that use the collection itself.
struct SelfReadingEditTests {
    private func both(
        _ body: (Crate) -> Void, items: [Int], tags: Set<String> = ["a", "b"],
        _ location: SourceLocation = #_sourceLocation
    ) {
        for isObserved in [false, true] {
            let crate = Crate()
            (crate.items, crate.tags) = ([3, 1, 2], ["a", "b"])
            if isObserved {
                crate.$items.observe { _ in }
                crate.$tags.observe { _ in }
            }
            body(crate)
            expectEqual(crate.items, items, sourceLocation: location)
            expectEqual(crate.tags, tags, sourceLocation: location)
        }
    }

    @Test("what is inserted may be read from the array itself") func elements() {
        both({ $0.$items.append(contentsOf: $0.$items) }, items: [3, 1, 2, 3, 1, 2])
        both({ $0.$items.append(contentsOf: $0.$items.lazy.map { $0 + 1 }) }, items: [3, 1, 2, 4, 2, 3])
        both({ $0.$items.insert(contentsOf: $0.$items, at: 1) }, items: [3, 3, 1, 2, 1, 2])
        both({ $0.$items.insert(contentsOf: $0.$items.lazy.filter { $0 > 1 }, at: 0) }, items: [3, 2, 3, 1, 2])
        both({ $0.$items.replaceSubrange(0..<2, with: $0.$items) }, items: [3, 1, 2, 2])
        both({ $0.$items.replaceSubrange(1..<1, with: $0.$items.lazy.map { -$0 }) }, items: [3, -3, -1, -2, 1, 2])
        both({ $0.$tags.formUnion($0.$tags) }, items: [3, 1, 2])
        both({ $0.$tags.subtract($0.$tags.lazy.filter { $0 == "a" }) }, items: [3, 1, 2], tags: ["b"])
    }

    @Test("so may what an edit of any other form gets, also a slice of the handle and a view of a view")
    func otherForms() {
        both({ $0.$items.update(to: $0.$items.lazy.filter { $0 != 1 }) }, items: [3, 2])
        both({ $0.$items.update(to: $0.$items.reversed()) }, items: [2, 1, 3])
        both({ $0.$items.append(contentsOf: $0.$items[1...]) }, items: [3, 1, 2, 1, 2])
        both({ $0.$items.append(contentsOf: $0.$items.lazy.map { $0 }.reversed()) }, items: [3, 1, 2, 2, 1, 3])
        both({ $0.$items.insert(contentsOf: $0.$items.indices, at: $0.$items.endIndex) }, items: [3, 1, 2, 0, 1, 2])
        both({ $0.$items.replaceSubrange(0..., with: $0.$items.lazy.map { $0 * 2 }) }, items: [6, 2, 4])
        both({ $0.$items.value = $0.$items.map { $0 + 1 } }, items: [4, 2, 3])
        both({ crate in crate.$items[crate.$items.count - 1] = crate.$items[0] }, items: [3, 1, 3])
        both({ crate in crate.$items.removeLast(crate.$items.count - 1) }, items: [3])
        both({ crate in crate.$items.removeSubrange(crate.$items.indices.dropFirst()) }, items: [3])
        both({ crate in crate.$items.edit { $0 += crate.$items.lazy.map { -$0 } } }, items: [3, 1, 2, -3, -1, -2])
        both({ $0.$tags.formIntersection($0.$tags.lazy.filter { $0 > "a" }) }, items: [3, 1, 2], tags: ["b"])
        both({ $0.$tags.formSymmetricDifference($0.$tags) }, items: [3, 1, 2], tags: [])
        both({ $0.$tags.update(to: $0.$tags.lazy.map { $0 + "!" }) }, items: [3, 1, 2], tags: ["a!", "b!"])
        both(
            { crate in crate.$tags.edit { $0.formUnion(crate.$tags.map { $0 + $0 }) } }, items: [3, 1, 2],
            tags: ["a", "b", "aa", "bb"])
        both({ $0.$tags.value = $0.$tags.value.union(["c"]) }, items: [3, 1, 2], tags: ["a", "b", "c"])
    }

    @Test("what a proxy is given may be read from the collection itself, by the proxy, the handle or another proxy")
    func proxies() throws {
        try both(proxy: { try $0.append(contentsOf: $0) }, items: [3, 1, 2, 3, 1, 2])
        try both(
            proxy: { try $0.insert(contentsOf: $0.lazy.map { ($0 as! Int) + 1 }, at: 1) }, items: [3, 4, 2, 3, 1, 2])
        try both(proxy: { try $0.replaceSubrange(0..<2, with: $0) }, items: [3, 1, 2, 2])
        try both(
            proxy: { try $0.insert(contentsOf: $0.reversed(), at: RangeSet([0..<1, 2..<4])) },
            items: [2, 3, 1, 3, 1, 2])
        try both(proxy: { proxy in try proxy.removeAll { ($0 as! Int) == (proxy[0] as! Int) } }, items: [1, 2])
        try both(proxy: { proxy in try proxy.sort { ($0 as! Int) < ($1 as! Int) || proxy.isEmpty } }, items: [1, 2, 3])
        try both(proxy: { try $0.replace(at: 0, with: $0[2]) }, items: [2, 1, 2])
        try both(setProxy: { try $0.formUnion($0) }, tags: ["a", "b"])
        try both(setProxy: { try $0.subtract($0.lazy.filter { $0 as! String == "a" }) }, tags: ["b"])
        try both(setProxy: { try $0.formSymmetricDifference($0) }, tags: [])
        try both(setProxy: { proxy in try proxy.removeAll { _ in proxy.contains("a") } }, tags: [])
        try both(setProxy: { try $0.setElements($0.map { "\($0)!" }) }, tags: ["a!", "b!"])
    }

    /// By a proxy of the property, and of a computed key over it.
    private func both(
        proxy body: (MutableArrayProxy) throws -> Void, items: [Int], _ location: SourceLocation = #_sourceLocation
    ) throws {
        for key in ["items", "view"] {
            both(
                { crate in
                    do { try body(try crate.mutableArrayValue(forKey: key)) } catch { Issue.record(error) }
                }, items: items, location)
        }
    }

    private func both(
        setProxy body: (MutableSetProxy) throws -> Void, tags: Set<String>,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        both(
            { crate in
                do { try body(try crate.mutableSetValue(forKey: "tags")) } catch { Issue.record(error) }
            }, items: [3, 1, 2], tags: tags, location)
    }

    @Test("conditions and comparisons may read the collection") func conditions() {
        both({ crate in crate.$items.removeAll { $0 == crate.items.first } }, items: [1, 2])
        both({ crate in crate.$items.sort { $0 < $1 || crate.$items.isEmpty } }, items: [1, 2, 3])
        both({ crate in crate.$tags.removeAll { _ in crate.tags.count < 2 } }, items: [3, 1, 2])
        both(
            { crate in
                var generator = Reading(crate: crate)
                crate.$items.shuffle(using: &generator)
                crate.$items.sort()
            }, items: [1, 2, 3])
    }

    @Test("a condition that changes the collection is asked again for what is there") func changing() {
        both(
            { crate in
                var isFirst = true
                crate.$items.removeAll {
                    if isFirst { crate.$items.append(4) }
                    isFirst = false
                    return $0 % 2 == 0
                }
            }, items: [3, 1])
    }

    @Test("a condition that changes the collection each time traps with a sentence") func endless() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let crate = Crate()
            crate.items = [0]
            crate.$items.removeAll { item in
                if item == 0 { crate.$items.append(1) }
                return false
            }
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("A collection of Crate was changed each of 100 times that an edit's closure ran."))
    }

    private struct Reading: RandomNumberGenerator {
        let crate: Crate
        mutating func next() -> UInt64 { UInt64(crate.items.count) }
    }
}
