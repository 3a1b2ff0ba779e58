import AutoKVO
import AutoKVOTestSupport
import Testing

/// Undoing what does not announce itself, is overridden or is nested.
struct UndoOfAnyTests {
    private class Sheet: TrackedObject {
        @Observed var size = 1
        @Observed var items: [Int] = []
        @Observed var quiet = 0
        @Observed var quietItems: [Int] = []
        @Observed var rows: [[Sheet]] = []
        @ObservedWeak var owner: Sheet?

        override class var schema: Schema {
            Schema(Sheet.self, extending: super.schema) {
                Key("quiet", \.quiet, notifiesAutomatically: false)
                Key("quietItems", \.quietItems, notifiesAutomatically: false)
            }
        }

        func setQuiet(_ value: Int) { withMutation(of: "quiet") { quiet = value } }
    }

    private final class Doubled: Sheet {
        override var size: Int {
            get { super.size * 2 }
            set { super.size = newValue / 2 }
        }
        override var items: [Int] {
            get { super.items.map { $0 * 2 } }
            set { super.items = newValue.map { $0 / 2 } }
        }
    }

    private final class Zoomed: Sheet {
        override var size: Int {
            get { super.size * quiet }
            set { super.size = newValue / quiet }
        }
        override class var schema: Schema {
            Schema(Zoomed.self, extending: super.schema) { Key("size", \.size, affectedBy: "quiet") }
        }
    }

    private final class Counted: Sheet {
        override var size: Int {
            get { super.size }
            set {
                super.size = newValue
                items.append(newValue)
                rows = []
            }
        }
        override class var schema: Schema { Schema(Counted.self, extending: super.schema) { Key("size", \.size) } }
    }

    private final class Undeclared: TrackedObject {
        @Observed var tags: [String]? = ["a"]
        @Observed var marks: Set<Int>? = [1]
        @ObservedReadOnly var numbers: ContiguousArray<Int>? = [1]
    }

    @Test("an announced edit of an optional collection that no Key names is undone") func undeclared() {
        let object = Undeclared()
        let history = UndoHistory(of: object)
        func edit(_ key: String, _ body: () -> Void) {
            object.willChange(.insertion, valuesAt: 1..<2, forKey: key)
            body()
            object.didChange(.insertion, valuesAt: 1..<2, forKey: key)
        }
        edit("tags") { object.tags!.append("b") }
        edit("numbers") { object.numbers!.append(2) }
        object.willChangeValue(forKey: "marks", withSetMutation: .union, using: [2])
        object.marks!.insert(2)
        object.didChangeValue(forKey: "marks", withSetMutation: .union, using: [2])
        for _ in 0..<3 { #expect(history.undo()) }
        #expect(object.tags == ["a"] && object.numbers == [1] && object.marks == [1] && !history.canUndo)
        for _ in 0..<3 { #expect(history.redo()) }
        #expect(object.tags == ["a", "b"] && object.numbers == [1, 2] && object.marks == [1, 2])
    }

    @Test("what an override's setter converts by another property is undone behind that") func converted() {
        let zoomed = Zoomed()
        zoomed.setQuiet(2)
        zoomed.size = 8
        let history = UndoHistory(of: zoomed)
        zoomed.setQuiet(4)
        expectEqual(zoomed.size, 16)
        let told = messages {
            history.undo()
            #expect((zoomed.size, zoomed.quiet, zoomed.$size.value) == (8, 2, 4))
            history.redo()
            #expect((zoomed.size, zoomed.quiet, zoomed.$size.value) == (16, 4, 4))
        }
        expectEqual(told, [])
    }

    private final class Growing: Sheet {
        override var size: Int {
            get { super.size }
            set { super.size = max(newValue, super.size) }
        }
        override class var schema: Schema { Schema(Growing.self, extending: super.schema) { Key("size", \.size) } }
    }

    private final class OneValued: TrackedObject {
        @Observed var nothing: Void = ()
        @Observed var size = 1
        @Observed var part = 0.0
    }

    @Test("a property of a type of one value has nothing to undo, and NaN is undone") func oneValued() {
        let object = OneValued()
        let history = UndoHistory(of: object)
        history.group("g") {
            object.nothing = ()
            object.size = 2
            object.part = .nan
        }
        object.part = 1
        let told = messages {
            #expect(history.undo() && object.part.isNaN)
            #expect(history.undo() && (object.size, object.part) == (1, 0))
            #expect(history.redo() && object.size == 2 && object.part.isNaN)
        }
        expectEqual(told, [])
    }

    @Test("what a setter does not take back is reported") func refused() {
        let growing = Growing()
        let history = UndoHistory(of: growing)
        growing.size = 5
        let told = messages { _ = history.undo() }
        #expect(growing.size == 5 && told.count == 1 && told[0].contains("the setter has not stored the value"))
    }

    @Test("what an override's setter changes besides is undone, too", .needs(.classMetadata)) func besides() {
        let counted = Counted()
        counted.rows = [[Sheet()]]
        let history = UndoHistory(of: counted)
        history.group("g") { counted.size = 9 }
        #expect((counted.size, counted.items, counted.rows.count) == (9, [9], 0))
        history.undo()
        #expect((counted.size, counted.items, counted.rows.count) == (1, [], 1))
        history.redo()
        #expect((counted.size, counted.items, counted.rows.count) == (9, [9], 0))
    }

    @Test("a property that is announced by hand is announced when it is undone, and made again") func announced() throws
    {
        let sheet = Sheet()
        let history = UndoHistory(of: sheet)
        let recorder = Recorder<Any>()
        try sheet.observe("quiet", options: .new, recorder.handler())
        history.group("g") {
            sheet.setQuiet(9)
            sheet.size = 3
            sheet.withMutation(of: "quietItems") { sheet.quietItems = [1] }
        }
        #expect(history.undo() && (sheet.quiet, sheet.size, sheet.quietItems) == (0, 1, []))
        #expect(history.redo() && (sheet.quiet, sheet.size, sheet.quietItems) == (9, 3, [1]))
        expectEqual(recorder.news(Int.self), [9, 0, 9])
    }

    @Test("a coalescing and what its handlers change is one step, whoever observed first") func coalescing() {
        let (sheet, bound) = (Sheet(), Sheet())
        sheet.$items.observe { [unowned sheet] _ in sheet.size = sheet.items.count }
        bound.$quiet.bind(to: sheet.$size)
        bound.$size.bind(to: sheet.$size)
        let history = UndoHistory(of: [sheet, bound])
        coalescingChanges {
            sheet.items = [1, 2, 3]
            bound.items = [9]
        }
        #expect((sheet.size, bound.size) == (3, 3))
        #expect(history.undo() && !history.canUndo)
        #expect(sheet.items.isEmpty && bound.items.isEmpty && (bound.quiet, bound.size) == (0, 0))
    }

    @Test(
        "a handler that undoes undoes the change that it is called for, whoever observed first",
        arguments: [false, true])
    func undoInHandler(isCoalesced: Bool) {
        let sheet = Sheet()
        var history: UndoHistory!
        sheet.$size.observe { [unowned sheet] _ in if sheet.size == 99 { #expect(history.undo()) } }
        history = UndoHistory(of: sheet)
        sheet.size = 2
        sheet.items = [1]
        if isCoalesced {
            coalescingChanges { (sheet.size, sheet.items) = (99, [5]) }
        } else {
            sheet.size = 99
        }
        #expect((sheet.size, sheet.items) == (2, [1]))
        #expect(history.undo() && (sheet.size, sheet.items) == (2, []) && history.undo() && !history.canUndo)
    }

    @Test("a property whose accessors a subclass overrides, without a Key, is left as it is, and that is reported")
    func overridden() {
        let sheet = Doubled()
        let history = UndoHistory(of: sheet)
        sheet.size = 10
        sheet.size = 20
        let told = messages {
            #expect(history.undo() && sheet.size == 20)
            #expect(history.undo() && sheet.size == 20)
            sheet.items = [2, 4]
            sheet.items = [6]
            #expect(history.undo() && sheet.items == [6])
        }
        #expect(told.count == 3 && told.allSatisfy { $0.contains("a subclass overrides the property") })
        // What is not overridden in such a class is undone.
        sheet.quietItems = [1]
        sheet.rows = [[sheet]]
        #expect(history.undo() && sheet.rows.isEmpty)
    }

    @Test("one whose values equal nothing, or cannot be compared, is undone") func incomparable() {
        struct Unit {}
        class Scale: TrackedObject {
            @Observed var weight = Double.nan
            @Observed var unit: [Unit] = []
        }
        final class Kitchen: Scale {
            override var weight: Double {
                get { super.weight }
                set { super.weight = newValue }
            }
            override var unit: [Unit] {
                get { super.unit }
                set { super.unit = newValue }
            }
            override class var schema: Schema {
                Schema(Kitchen.self, extending: super.schema) {
                    Key("weight", \.weight)
                    Key("unit", \.unit)
                }
            }
        }
        let scale = Kitchen()
        let history = UndoHistory(of: scale)
        scale.weight = 1
        scale.unit = [Unit()]
        let told = messages { #expect(history.undo() && scale.unit.isEmpty && history.undo() && scale.weight.isNaN) }
        expectEqual(told, [])
    }

    @Test(
        "a property whose override reads and writes what is stored is undone, without a Key too",
        arguments: [false, true])
    func observingOverride(isWeak: Bool) {
        final class Plain: Sheet {
            override var size: Int { didSet { quiet += 1 } }
            override var owner: Sheet? {
                get { super.owner }
                set { super.owner = newValue }
            }
        }
        let (sheet, owner) = (Plain(), Sheet())
        let history = UndoHistory(of: sheet)
        if isWeak { sheet.owner = owner } else { sheet.size = 2 }
        let told = messages { #expect(history.undo() && sheet.size == 1 && sheet.owner == nil) }
        expectEqual(told, [])
        #expect(history.redo())
        #expect(isWeak ? sheet.owner === owner : sheet.size == 2)
    }

    @Test("objects in collections of collections are parts") func nested() {
        let (sheet, part) = (Sheet(), Sheet())
        sheet.rows = [[part]]
        let history = UndoHistory(of: sheet, includingParts: true)
        part.size = 5
        #expect(history.undo() && part.size == 1)
        sheet.rows[0] = []
        part.size = 6
        #expect(history.undo() && (sheet.rows.count, part.size) == (1, 6))
    }

    @Test("data of any depth is looked through for parts") func deepData() {
        final class Document: TrackedObject { @Observed var content: Any = 0 }
        // Swift itself releases them one inside of the other.
        onAnotherThread(stackSize: 2 << 20) {
            let (document, part) = (Document(), Document())
            let history = UndoHistory(of: document, includingParts: true)
            var deep: Any = [part]
            for _ in 0..<4_000 { deep = [deep, 1] as [Any] }
            document.content = deep
            part.content = 5
            history.undo()
            expectEqual(part.content as? Int, 0)
            history.undo()
            expectEqual(document.content as? Int, 0)
        }
    }

    private final class Optional: Model {
        var sets = 0
        @Observed var items: [Int]? = [1] { didSet { sets += 1 } }
        @Observed var tags: Set<Int>? = [1] { didSet { sets += 1 } }

        override class var schema: Schema {
            Schema(Optional.self, extending: super.schema) {
                Key("items", \.items)
                Key("tags", \.tags)
            }
        }
    }

    @Test("no didSet runs where an edit of an optional collection is undone") func optionals() throws {
        let object = Optional()
        let history = UndoHistory(of: object)
        try object.mutableArrayValue(forKey: "items").append(2)
        try object.mutableSetValue(forKey: "tags").insert(2)
        let sets = object.sets
        while history.undo() {}
        #expect(object.items == [1] && object.tags == [1] && object.sets == sets)
        while history.redo() {}
        #expect(object.items == [1, 2] && object.tags == [1, 2] && object.sets == sets)
    }

    private struct Mark {
        var isSet: Bool
        var number: Int
    }
    private class Cell<Content>: TrackedObject {
        @Observed var content: Content
        @Observed var action: () -> Int = { 0 }
        @Observed var mark = Mark(isSet: false, number: 0)
        init(_ content: Content) { self.content = content }
        func describe() -> String { "" }
    }
    private final class IntCell: Cell<Int> {
        override func describe() -> String { "\(content)" }
        override var mark: Mark { didSet {} }
    }

    @Test("functions, and values with bytes between their parts, in a class that overrides something")
    func uncomparable() {
        let cell = IntCell(1)
        let history = UndoHistory(of: cell)
        for value in 1...2 {
            cell.action = { value }
            cell.mark = Mark(isSet: true, number: value)
            cell.content = value + 1
        }
        let reports = MessageLog()
        Diagnostics.withHandler({ reports.add($0) }) { while history.undo() {} }
        #expect(cell.action() == 0 && cell.mark.number == 0 && !cell.mark.isSet && cell.content == 1)
        expectEqual(reports.messages, [])
        while history.redo() {}
        #expect(cell.action() == 2 && cell.mark.number == 2 && cell.content == 3)
    }

    private final class Leading: Sheet {
        override var owner: Sheet? {
            get { super.owner?.owner }
            set { super.owner = newValue }
        }
    }

    @Test("a weak property whose override returns something else is left as it is, and reported")
    func weakOverride() {
        let (sheet, middle, end) = (Leading(), Sheet(), Sheet())
        middle.owner = end
        sheet.owner = middle
        let history = UndoHistory(of: sheet)
        sheet.owner = nil
        let told = messages { history.undo() }
        #expect(!told.isEmpty && sheet.$owner.value == nil)
    }
}
