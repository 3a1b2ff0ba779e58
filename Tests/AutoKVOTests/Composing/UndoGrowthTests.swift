import AutoKVO
import AutoKVOTestSupport
import Testing

/// What an UndoHistory costs with many objects and many steps.
struct UndoGrowthTests {
    private final class Row: TrackedObject {
        @Observed var v = 0
        @Observed var content: AnyObject?
        @Observed var numbers: [Int] = []
    }

    @Test("the deaths of objects that one large step is of") func deaths() {
        let ratio = timeRatio(to: 8_000) { count in
            var rows = (0..<count).map { _ in Row() }
            let history = UndoHistory(of: rows)
            history.group("all") { for row in rows { row.v = 1 } }
            #expect(history.canUndo)
            let time = processorTime { rows.removeAll() }
            #expect(!history.canUndo)
            return time
        }
        #expect(ratio < 9)
    }

    @Test("undo and redo of all steps") func steps() {
        let ratio = timeRatio(to: 8_000) { count in
            let row = Row()
            let history = UndoHistory(of: row, limit: count)
            for value in 1...count { row.v = value }
            let time = processorTime {
                while history.undo() {}
                expectEqual(row.v, 0)
                while history.redo() {}
            }
            expectEqual(row.v, count)
            return time
        }
        #expect(ratio < 9)
    }

    @Test("undo of an array that was assigned takes as long for one of many elements as for one of few") func assigned()
    {
        let ratio = timeRatio(to: 16_000, enough: 2) { count in
            let row = Row()
            row.numbers = Array(0..<count)
            let history = UndoHistory(of: row)
            for _ in 0..<100 { row.numbers = Array(row.numbers.reversed()) }
            let time = processorTime { while history.undo() {} }
            expectEqual(row.numbers.first, 0)
            return time
        }
        #expect(ratio < 3)
    }

    @Test("an object that dies takes its part of each step with it, and the steps that were all its own")
    func partsOfSteps() {
        let kept = Row()
        var gone: Row? = Row()
        let history = UndoHistory(of: [kept, gone!])
        weak var content: Row?
        do {
            let row = Row()
            content = row
            gone!.content = row
        }
        history.group("both") { (kept.v, gone!.v, gone!.content) = (1, 1, nil) }
        gone!.v = 2
        #expect(history.undo())
        expectEqual(history.undoName, "both")
        #expect(content != nil && history.canRedo)
        gone = nil
        #expect(content == nil && !history.canRedo)
        expectEqual(history.undoName, "both")
        #expect(history.undo() && !history.canUndo && history.redo())
        expectEqual(kept.v, 1)
        #expect(history.undo() && !history.undo())
        expectEqual(kept.v, 0)
    }

    private final class Book: Model {
        @Observed var chapters: [Chapter] = []
        @Observed var name = ""
    }

    private final class Chapter: Model {
        @Observed var rows: [Row] = []
    }

    @Test("the steps of a part that has left go with it when it dies") func partThatHasLeft() {
        let (book, chapter) = (Book(), Chapter())
        (chapter.rows, book.chapters) = ([Row()], [chapter])
        let history = UndoHistory(of: book, includingParts: true)
        chapter.rows[0].v = 1
        book.chapters = []
        book.name = "n"
        chapter.rows = []
        #expect(history.undo() && history.undo())
        #expect(!history.canUndo && !history.undo() && book.chapters.first === chapter)
    }

    @Test("so do those of a part of an object that dies") func partOfDead() {
        let kept = Book()
        var gone: Book? = Book()
        gone!.chapters = [Chapter()]
        let history = UndoHistory(of: [gone!, kept], includingParts: true)
        gone!.chapters[0].rows = [Row()]
        gone!.chapters = []
        kept.name = "n"
        gone = nil
        #expect(history.undo() && !history.canUndo)
    }

    @Test("a history leaves nothing in the objects that it has followed") func nothingLeft() {
        let row = Row()
        for _ in 0..<3 {
            let history = UndoHistory(of: row)
            row.v += 1
            #expect(history.canUndo)
        }
        #expect(row.observations().isEmpty)
    }

    @Test("a death that takes all of a step there is so far does not make the rest part of the step before")
    func deathInGroup() {
        let kept = Row()
        var gone: Row? = Row()
        let history = UndoHistory(of: [kept, gone!])
        history.group("first") { kept.v = 1 }
        history.group("second") {
            gone!.v = 1
            gone = nil
            kept.v = 2
            kept.v = 3
        }
        expectEqual(history.undoName, "second")
        history.undo()
        expectEqual([kept.v, history.undoName == "first" ? 1 : 0], [1, 1])
    }

    @Test("undoing a step goes through the changes of all its objects from the last to the first") func order() {
        let (first, second) = (Row(), Row())
        let history = UndoHistory(of: [first, second])
        history.group("mixed") { (first.v, second.v, first.content, second.content) = (1, 1, first, first) }
        (first.content, second.content) = (nil, nil)
        for _ in 0..<2 { history.undo() }
        var told: [String] = []
        for (name, row) in [("first", first), ("second", second)] {
            row.$v.observe { _ in told.append("\(name).v") }
            row.$content.observe { _ in told.append("\(name).content") }
        }
        history.undo()
        expectEqual(told, ["second.content", "first.content", "second.v", "first.v"])
    }
}
