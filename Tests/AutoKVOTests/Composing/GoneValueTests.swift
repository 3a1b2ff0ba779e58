import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private final class Library: TrackedObject {
    @Observed var songs: [String] = []
    @Observed var tags: Set<String> = []
}

private class Jukebox: TrackedObject {
    @Observed var library: Library?
    @Observed var numbers: [Int]?
    @Observed var marks: Set<Int>?

    override class var schema: Schema {
        Schema(Jukebox.self, extending: super.schema) {
            Key("numbers", \.numbers)
            Key("marks", \.marks)
        }
    }
}

@Suite("A change after which nothing is there any more") struct GoneValueTests {
    private let player = Jukebox()

    @Test("empties the copy that it is applied to: an object on the way has become nil", .needs(.blankObject))
    func path() throws {
        player.library = Library()
        player.library?.songs = ["a"]
        var (rows, typed, any, tags) = (["x"], ["x"], ["x"], Set(["x"]))
        var splices: [[CollectionSplice]] = []
        player.$library.$songs.observe(options: [.old, .new]) {
            $0.apply(to: &rows)
            splices.append($0.splices)
        }
        try player.observe("library.songs", as: [String].self, options: .new) { $0.apply(to: &typed) }
        try player.observe("library.songs", options: .new) { $0.apply(to: &any) }
        try player.observe("library.tags", options: [.old, .new]) { $0.apply(to: &tags) }
        player.library = nil
        #expect((rows, typed, any, tags) == ([], [], [], []))
        player.library = Library()
        player.library?.songs = ["b", "c"]
        player.library?.tags = ["d"]
        #expect((rows, typed, any, tags) == (["b", "c"], ["b", "c"], ["b", "c"], ["d"]))
        #expect(splices.first == [CollectionSplice(position: 0, removed: 1, inserted: 0)])
    }

    @Test("empties it at the registration", .needs(.blankObject)) func initial() {
        var rows = ["x"]
        player.$library.$songs.observe(options: [.initial, .new]) { $0.apply(to: &rows) }
        #expect(rows == [])
    }

    @Test("empties it, also where the property itself is optional, and makes the same of another object")
    func optional()
        throws
    {
        let copy = Jukebox()
        (player.numbers, copy.numbers, player.marks) = ([1], [1], [2])
        var (rows, set) = ([1], Set([2]))
        try player.observe("numbers", as: [Int].self, options: [.old, .new]) { change in
            change.apply(to: &rows)
            try! ChangeRecord(change).apply(on: copy)
        }
        try player.observe("marks", options: [.old, .new]) { $0.apply(to: &set) }
        (player.numbers, player.marks) = (nil, nil)
        #expect((rows, set, copy.numbers) == ([], [], nil))
    }

    @Test("nothing is left when the suite is over") func nothingIsLeft() async {
        await #expect(processExitsWith: .success) { await expectNothingLeft(by: "GoneValueTests") }
    }
}

@Suite("Undoing what does not announce itself, is overridden or is nested") struct UndoOfAnyTests {
    private class Sheet: TrackedObject {
        @Observed var size = 1
        @Observed var items: [Int] = []
        @Observed var quiet = 0
        @Observed var quietItems: [Int] = []
        @Observed var rows: [[Sheet]] = []

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
        #expect(recorder.news(Int.self) == [9, 0, 9])
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

    @Test("nothing is left when the suite is over") func nothingIsLeft() async {
        await #expect(processExitsWith: .success) { await expectNothingLeft(by: "UndoOfAnyTests") }
    }
}
