import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Sheet: TrackedObject {
    @Observed var a = 0
    @Observed var b = 0
    @Observed var list = [1, 2, 3]
    @ObservedWeak var friend: Sheet?
    @Derived({ (sheet: Sheet) in sheet.a + sheet.b }) var sum: Int
}

/// A history that is used inside of changes and in handlers.
struct UndoInsideTests {
    @Test(
        "what a handler changes is part of the step, whoever observed first, before the change or behind it",
        arguments: [false, true], [false, true])
    func handlers(isPrior: Bool, isFirst: Bool) {
        let sheet = Sheet()
        let early = isFirst ? nil : UndoHistory(of: sheet)
        let handler = sheet.$a.observe(options: .prior) { [unowned sheet] change in
            if change.isPrior == isPrior {
                sheet.b += 1
                sheet.$list.append(4)
            }
        }
        let history = early ?? UndoHistory(of: sheet)
        sheet.a = 1
        #expect((sheet.a, sheet.b, sheet.list) == (1, 1, [1, 2, 3, 4]))
        handler.remove()
        #expect(history.undo() && !history.canUndo)
        #expect((sheet.a, sheet.b, sheet.list) == (0, 0, [1, 2, 3]))
        #expect(history.redo() && !history.canRedo)
        #expect((sheet.a, sheet.b, sheet.list) == (1, 1, [1, 2, 3, 4]))
    }

    @Test(
        "a change that a handler has made of something else, before the history hears of a death, leaves the steps apart",
        arguments: [false, true])
    func unrelatedChange(hasDerived: Bool) {
        let (sheet, other) = (Sheet(), Sheet())
        var friend: Sheet? = Sheet()
        sheet.friend = friend
        let first = sheet.$friend.observe { _ in other.a += 1 }
        let observations = [other.$a.observe { _ in }, sheet.$sum.observe { _ in }]
        let derived = hasDerived ? other.$sum.observe { _ in } : nil
        let history = UndoHistory(of: sheet)
        friend = nil
        #expect(other.a == 1 && sheet.friend == nil)
        sheet.a = 1
        sheet.b = 1
        #expect(history.undo() && (sheet.a, sheet.b) == (1, 0))
        #expect(history.undo() && (sheet.a, sheet.b) == (0, 0))
        for observation in observations + [first, derived].compactMap({ $0 }) { observation.remove() }
    }

    @Test("a group inside of an open change is part of it, whatever it changes", arguments: 0..<3) func groupInside(
        form: Int
    ) {
        let sheet = Sheet()
        let history = UndoHistory(of: sheet)
        func group() { history.group("B") { sheet.b = 1 } }
        switch form {
        case 0:
            sheet.$a.withMutation {
                group()
                sheet.a = 4
            }
        case 1:
            sheet.willChangeValue(forKey: "a")
            sheet.a = 4
            group()
            sheet.didChangeValue(forKey: "a")
        default:
            let handler = sheet.$a.observe(options: .prior) { if $0.isPrior { group() } }
            sheet.a = 4
            handler.remove()
        }
        #expect(history.undo() && !history.canUndo && (sheet.a, sheet.b) == (0, 0))
    }

    @Test("undoing inside of an open change of what is recorded traps", arguments: 0..<5) func openTraps(form: Int)
        async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [form] in
            let sheet = Sheet()
            let history = UndoHistory(of: sheet)
            sheet.a = 1
            switch form {
            case 0:
                sheet.$list.withMutation {
                    sheet.$list.append(4)
                    history.undo()
                }
            case 1:
                sheet.willChangeValue(forKey: "a")
                history.undo()
            case 2: coalescingChanges { history.undo() }
            case 3:
                let unused = UndoHistory(of: Sheet())
                coalescingChanges { unused.undo() }
            default:
                sheet.$a.observe(options: .prior) { if $0.isPrior { history.undo() } }
                sheet.a = 2
            }
        }
        let printed = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(printed.contains("inside of coalescingChanges, or of an open change of what it records"))
    }

    @Test("inside of an open change of another object it undoes, and in the handlers of each edit") func elsewhere() {
        let (sheet, other) = (Sheet(), Sheet())
        let history = UndoHistory(of: sheet)
        sheet.a = 1
        other.$a.withMutation {
            other.a = 1
            #expect(history.undo() && sheet.a == 0)
        }
        other.$list.observe { _ in history.undo() }
        sheet.b = 1
        sheet.b = 2
        other.$list.update(to: [3, 4])
        #expect(sheet.b == 0 && !history.canUndo && other.list == [3, 4])
    }

    @Test("a group in a handler of a recorded change is part of its step", arguments: [false, true])
    func groupInAHandler(isBefore: Bool) {
        let sheet = Sheet()
        let history = Shared<UndoHistory?>(nil)
        func observe() {
            sheet.$a.observe { [unowned sheet] _ in
                if sheet.b != sheet.a * 2 { history.value?.group("Mend b") { sheet.b = sheet.a * 2 } }
            }
        }
        if isBefore { observe() }
        history.value = UndoHistory(of: sheet)
        if !isBefore { observe() }
        let undo = history.value!
        sheet.a = 5
        sheet.a = 6
        expectEqual(undo.undoName, "a")
        #expect(undo.undo() && sheet.a == 5 && sheet.b == 10)
        #expect(undo.undo() && sheet.a == 0 && sheet.b == 0 && !undo.canUndo)
        #expect(undo.redo() && sheet.a == 5 && sheet.b == 10)
    }

    @Test("groups in a handler of another object's change are steps of their own") func groupsInAHandler() {
        let (sheet, button) = (Sheet(), Sheet())
        let history = UndoHistory(of: sheet)
        button.$a.observe { [unowned sheet] _ in
            history.group("First") { (sheet.a, sheet.b) = (1, 2) }
            history.group("Second") { sheet.$list.append(4) }
        }
        button.a = 1
        expectEqual(history.undoName, "Second")
        #expect(history.undo() && sheet.list == [1, 2, 3] && sheet.a == 1)
        expectEqual(history.undoName, "First")
        #expect(history.undo() && sheet.a == 0 && sheet.b == 0 && !history.canUndo)
    }

    @Test("two groups inside of coalescingChanges are one step") func groupsInside() {
        let sheet = Sheet()
        let history = UndoHistory(of: sheet)
        coalescingChanges {
            history.group("First") { sheet.a = 1 }
            history.group("Second") { sheet.b = 2 }
        }
        expectEqual(history.undoName, "a")
        #expect(history.undo() && sheet.a == 0 && sheet.b == 0 && !history.canUndo)
        sheet.$list.withMutation { history.group("Third") { sheet.$list.append(4) } }
        expectEqual(history.undoName, "list")
    }

    @Test(
        "an observer of the history lets an object die, or undoes, before it hears of what another one has changed",
        arguments: [false, true])
    func inItsOwnHandlers(undoes: Bool) {
        let sheet = Sheet()
        var mortal: Sheet? = Sheet()
        let history = UndoHistory(of: [sheet, mortal!])
        mortal!.a = 1
        history.observe(\.undoName) { [unowned sheet] _, _ in if sheet.a < sheet.b { sheet.a = 2 } }
        history.observe(\.undoName) { history, _ in
            if !undoes { withExtendedLifetime(mortal) { mortal = nil } } else if sheet.b == 1 { history.undo() }
        }
        sheet.b = 1
        // What the first one has changed is part of the step.
        #expect((sheet.a, sheet.b, history.undoName) == (undoes ? (0, 0, "a") : (2, 1, "b")))
        #expect(history.undo() && (sheet.a, sheet.b) == (0, 0))
        #expect(!history.canUndo)
    }

    @Test("at random: undone step by step, the sheet has been in each state that a change ended on", arguments: 0..<40)
    func walk(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        func number(_ below: Int) -> Int { Int(random.next() % UInt64(below)) }
        let sheet = Sheet()
        let history = Shared<UndoHistory?>(nil)
        var state: [Int] { [sheet.a, sheet.b, sheet.sum] + sheet.list }
        let isBefore = seed % 2 == 0
        // What handlers change while a step is undone belongs to the step that redoing makes.
        var isUndoing = false
        func observe() {
            sheet.$a.observe { [unowned sheet] _ in
                if isUndoing { return }
                if sheet.a % 3 == 0 { history.value?.group("b") { sheet.b = sheet.a } }
                if sheet.a % 4 == 1 { sheet.$list.update(to: [sheet.a, 1]) }
            }
            sheet.$sum.observe { [unowned sheet] _ in
                if isUndoing { return }
                if sheet.sum > 20 { history.value?.group("less") { sheet.b -= 20 } }
            }
        }
        if isBefore { observe() }
        history.value = UndoHistory(of: sheet, limit: 1000)
        if !isBefore { observe() }
        var states: [[Int]] = [state]
        for _ in 0..<40 {
            switch number(5) {
            case 0: sheet.a = number(20)
            case 1: sheet.b = number(20)
            case 2: sheet.$list.edit { $0.shuffle(using: &random) }
            case 3: coalescingChanges { (sheet.a, sheet.b) = (number(20), number(20)) }
            default: history.value!.group("both") { (sheet.a, sheet.b) = (number(20), number(20)) }
            }
            if history.value!.canUndo, states.last != state { states.append(state) }
        }
        let last = state
        isUndoing = true
        for former in states.dropLast().reversed() {
            repeat { _ = history.value!.undo() } while state != former && history.value!.canUndo
            expectEqual(state, former)
        }
        while history.value!.redo() {}
        expectEqual(state, last)
        history.value = nil
    }

    private final class Folio: Model {
        @Observed var a = 0
        @Observed var b = 0
    }

    @Test("an object that dies in an observer of the history, of which another one undoes") func deathInObserver()
        throws
    {
        let folio = Folio()
        var other: Folio? = Folio()
        let history = UndoHistory(of: [folio, other!])
        other!.a = 1
        var isDone = false
        try history.observe("canUndo") { _ in other = nil }
        try history.observe("canUndo") { [unowned history] _ in
            if !isDone {
                isDone = true
                history.undo()
            }
        }
        folio.a = 2
        #expect(other == nil && isDone && folio.a == 0 && history.canRedo)
    }

    @Test("an observer of the history that changes what it records, and another one that redoes")
    func changeInObserver() throws {
        let folio = Folio()
        let history = UndoHistory(of: folio)
        folio.a = 1
        var (first, second) = (true, true)
        try history.observe("canRedo") { _ in
            if first {
                first = false
                folio.a = 5
            }
        }
        try history.observe("canRedo") { [unowned history] _ in
            if second {
                second = false
                history.redo()
            }
        }
        history.undo()
        #expect(!first && !second && history.canUndo)
        while history.undo() {}
        #expect(folio.a == 0)
    }

    @Test("a lower limit, set in an observer of the history, of which another one undoes") func limitInObserver() throws
    {
        let folio = Folio()
        let history = UndoHistory(of: folio)
        folio.a = 1
        var isDone = false
        try history.observe("undoName") { [unowned history] _ in history.limit = 1 }
        try history.observe("undoName") { [unowned history] _ in
            if !isDone {
                isDone = true
                history.undo()
            }
        }
        folio.b = 2
        #expect(!history.canUndo && history.redoName == "b" && (folio.a, folio.b) == (1, 0))
    }

    @Test("groups in independent handlers are made one after the other") func independent() {
        final class Log: Model { @Observed var count = 0 }
        final class Document: Model { @Observed var v = 0 }
        let (document, log) = (Document(), Log())
        let history = UndoHistory(of: log)
        for _ in 0..<3_000 {
            document.$v.observe { [unowned log, unowned history] _ in history.group("x") { log.count += 1 } }
        }
        nonisolated(unsafe) let shared = document
        nonisolated(unsafe) let box = (document, log, history)
        onAnotherThread(stackSize: 512 * 1024) { shared.v = 1 }
        expectEqual(box.1.count, 3_000)
    }

    @Test("an observer of one history may undo with another one of the same object") func twoHistories() throws {
        final class Document: Model { @Observed var title = "" }
        let document = Document()
        let (first, second) = (UndoHistory(of: document), UndoHistory(of: document))
        document.title = "a"
        try second.observe("undoName") { [unowned document, unowned first] _ in
            if document.title == "b" { first.undo() }
        }
        try second.observe("canRedo") { _ in }
        document.title = "b"
        #expect(document.title == "a" && first.canUndo && first.redo())
        #expect(document.title == "b")
    }

    @Test("a group in the death of what an ended handler kept, behind a full batch of observers") func behindABatch() {
        final class Document: Model { @Observed var x = 0 }
        final class Grouping {
            let history: UndoHistory
            init(_ history: UndoHistory) { self.history = history }
            deinit { history.group("g") {} }
        }
        final class Observations { var all: [KeyValueObservation] = [] }
        let (document, observations) = (Document(), Observations())
        let history = UndoHistory(of: document)
        func add(_ kept: Grouping) {
            observations.all.append(
                document.$x.observe { [unowned observations] _ in
                    _ = kept
                    observations.all[0].remove()
                    observations.all[15].remove()
                })
        }
        add(Grouping(history))
        for _ in 1...15 { observations.all.append(document.$x.observe { _ in }) }
        document.x = 1
        expectEqual(history.undoName, "x")
    }

    @Test(
        "groups in handlers are made in the order of the calls, whatever else is called of the change", arguments: 0..<5
    )
    func orderOfCalls(form: Int) {
        final class Document: Model {
            @Observed var name = ""
            @Observed var rows: [String] = []
            @Derived({ (document: Document) in document.name + "!" }) var title: String
        }
        let (document, log) = (Document(), MessageLog())
        let history = UndoHistory(of: document)
        let second = form == 3 ? UndoHistory(of: document) : nil
        let trace = form == 4 ? Diagnostics.trace(document) { _ in } : nil
        func note(_ message: String) { history.group("g") { log.add(message) } }
        switch form {
        case 0: for index in 0..<3 { document.$title.observe { _ in note("\(index)") } }
        case 1:
            document.$name.observe { _ in note("0") }
            document.$name.observe { _ in log.add("1") }
            document.$title.observe { _ in log.add("2") }
        case 2: document.$rows.observeElements(added: { note($0) })
        default: for index in 0..<3 { document.$name.observe { _ in note("\(index)") } }
        }
        document.name = "x"
        document.$rows.append(contentsOf: ["0", "1", "2"])
        expectEqual(log.messages, ["0", "1", "2"])
        withExtendedLifetime((second, trace)) {}
    }

    @Test("groups in handlers of two edits are made one after the other, and are part of their step") func twoEdits() {
        final class Document: Model {
            @Observed var rows = ["a"]
            @Observed var count = 0
        }
        let (document, log) = (Document(), MessageLog())
        let history = UndoHistory(of: document)
        for index in 0..<3 {
            document.$rows.observe { [unowned document] _ in
                history.group("g") {
                    document.count += 1
                    log.add("\(index)")
                }
            }
        }
        document.$rows.update(to: ["b"])
        expectEqual(log.messages, ["0", "1", "2", "0", "1", "2"])
        #expect(history.undo() && document.rows == ["a"] && !history.canUndo)
    }

    @Test("a group of a history that is made inside of a change does not call others of the change") func madeInside() {
        final class Row: Model {
            @Observed var a = 0
            @Observed var b = 0
        }
        let (row, log) = (Row(), MessageLog())
        var history: UndoHistory?
        row.$a.observe { [unowned row] _ in
            log.add("a1")
            history = UndoHistory(of: row)
            history!.group("g") {}
        }
        row.$a.observe { _ in log.add("a2") }
        row.$b.observe { _ in log.add("b") }
        coalescingChanges { (row.a, row.b) = (1, 1) }
        expectEqual(log.messages, ["a1", "a2", "b"])
        history = nil
    }

    @Test("groups in handlers of a path from a recorded object are made one after the other") func paths() {
        final class Log: Model { @Observed var count = 0 }
        final class Document: Model {
            @Observed var name = ""
            @Observed var child: Document?
        }
        let (document, child, log) = (Document(), Document(), Log())
        document.child = child
        let history = UndoHistory(of: [document, log])
        for _ in 0..<3_000 {
            document.$child.$name.observe { [unowned log, unowned history] _ in history.group("x") { log.count += 1 } }
        }
        nonisolated(unsafe) let box = (document, child, log, history)
        onAnotherThread(stackSize: 512 * 1024) { box.1.name = "x" }
        expectEqual(box.2.count, 3_000)
    }

    @Test("a group in a handler does not call observers that were added inside of the change before earlier ones")
    func late() {
        final class Row: Model { @Observed var a = 0 }
        let (row, log) = (Row(), MessageLog())
        let history = UndoHistory(of: row)
        row.$a.observe { [unowned history] _ in
            log.add("A")
            history.group("g") {}
        }
        row.$a.observe { _ in log.add("B") }
        coalescingChanges {
            row.a = 1
            row.$a.observe { _ in log.add("late1") }
            row.$a.observe { _ in log.add("late2") }
            row.a = 2
        }
        expectEqual(log.messages, ["A", "B", "late1", "late2"])
    }

    @Test("a history that is made between two edits has what they and their handlers change in one step")
    func madeBetweenEdits() {
        final class Document: Model {
            @Observed var rows = ["a"]
            @Observed var count = 0
        }
        let document = Document()
        var history: UndoHistory?
        document.$rows.observe { [unowned document] _ in
            if history == nil {
                history = UndoHistory(of: document)
                history!.group("g") { document.count += 1 }
            }
        }
        document.$rows.update(to: ["b"])
        #expect(history!.undo() && !history!.canUndo && document.rows.isEmpty && document.count == 0)
        history = nil
    }
}
