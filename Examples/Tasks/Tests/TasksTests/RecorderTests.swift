import AutoKVO
import Foundation
import Testing

@testable import Tasks

/// What changes of the model become, without a database.
@Suite("What a change says") struct RecorderTests {
    private let board = Board(clock: DayClock(today: "2026-05-05"))
    private let recorder: TurnRecorder

    init() throws {
        recorder = TurnRecorder(board)
        _ = try board.perform(.addList(["title": "Home"]))
        _ = try board.perform(.addTask(list: 1, ["title": "Bread"]))
        _ = try board.perform(.addTask(list: 1, ["title": "Milk"]))
        _ = recorder.take()
    }

    private var list: TaskList { board.lists[0] }

    @Test("a change of a property is an UPDATE of one column") func update() {
        let task = list.tasks[0]
        task.title = "Rye bread"
        list.title = "House"
        (task.isDone, task.due, task.order) = (true, "2026-12-31", 2.5)
        task.due = nil
        #expect(
            recorder.take().statements == [
                Statement(#"UPDATE task SET "title" = ? WHERE id = ?"#, "Rye bread", 2),
                Statement(#"UPDATE list SET "title" = ? WHERE id = ?"#, "House", 1),
                Statement(#"UPDATE task SET "isDone" = ? WHERE id = ?"#, true, 2),
                Statement(#"UPDATE task SET "due" = ? WHERE id = ?"#, "2026-12-31", 2),
                Statement(#"UPDATE task SET "order" = ? WHERE id = ?"#, 2.5, 2),
                Statement(#"UPDATE task SET "due" = ? WHERE id = ?"#, nil, 2),
            ])
        // An equal value is no change.
        task.isDone = true
        #expect(recorder.take() == ([], []))
    }

    @Test("an object that comes is an INSERT, one that goes a DELETE, however the collection is edited") func insert() {
        let task = TaskItem(id: 9)
        task.title = "Tea"
        list.$tasks.insert(task, at: 1)
        task.isDone = true
        list.$tasks.sort { $0.title < $1.title }
        list.tasks = [task]
        board.$lists.removeAll()
        // It is not observed any more.
        task.title = "Coffee"
        #expect(
            recorder.take().statements == [
                task.insertion(in: 1, title: "Tea", isDone: false),
                Statement(#"UPDATE task SET "isDone" = ? WHERE id = ?"#, true, 9),
                Statement("DELETE FROM task WHERE id = ?", 2), Statement("DELETE FROM task WHERE id = ?", 3),
                Statement("DELETE FROM list WHERE id = ?", 1),
            ])
    }

    @Test("coalesced, a property is written once, and a list that comes brings its tasks") func coalesced() {
        let new = TaskList(id: 7, clock: board.clock)
        let task = TaskItem(id: 8)
        coalescingChanges {
            for number in 1...5 { list.tasks[0].title = "\(number)" }
            board.$lists.append(new)
            new.title = "Work"
            new.$tasks.append(task)
            task.title = "Call"
        }
        #expect(
            recorder.take().statements == [
                Statement(#"UPDATE task SET "title" = ? WHERE id = ?"#, "5", 2),
                Statement("INSERT INTO list (id, title) VALUES (?, ?)", 7, "Work"),
                task.insertion(in: 7),
            ])
        task.title = "Write"
        #expect(recorder.take().statements == [Statement(#"UPDATE task SET "title" = ? WHERE id = ?"#, "Write", 8)])
    }

    @Test("derived values are told where they change, and the day changes who is late") func derived() {
        list.tasks[0].due = "2026-05-05"
        #expect(recorder.take().changes.count == 1)
        board.clock.today = "2026-05-06"
        let (statements, changes) = recorder.take()
        #expect(statements.isEmpty)
        #expect(changes.count == 2)
        #expect(changes.contains { $0.contains(#""lists/1""#) && $0.contains(#""keyPath":"late""#) })
        #expect((list.left, list.late, board.left) == (2, 1, 2))
        list.tasks[0].isDone = true
        #expect((list.left, list.late, board.left) == (1, 0, 1))
        #expect(recorder.take().changes.count == 4)
    }

    @Test("the blanks around a title are taken off, and a million takes no time that is felt") func blanks() throws {
        var title = String(repeating: " ", count: 1_000_000) + "Home  "
        let start = ContinuousClock.now
        try checkTitle(&title, of: "a list")
        #expect(title == "Home")
        // One after the other, they would take a minute.
        #expect(start.duration(to: .now) < .seconds(10))
    }

    @Test("the schemas are right, and days are days") func schemas() throws {
        try TaskItem.validateSchema()
        try TaskList.validateSchema()
        try Board.validateSchema()
        for day in ["2024-02-29", "2000-02-29", "0001-01-01", "2026-12-31", Day.today] { #expect(Day.isDay(day)) }
        for text in [
            "2026-02-29", "1900-02-29", "2026-00-10", "2026-13-10", "2026-04-31", "2026-4-3", "2026-12-31 ",
            "٢٠٢٦-١٢-٣١", "", "+026-12-31",
        ] {
            #expect(!Day.isDay(text), "\(text)")
        }
    }
}

extension TaskItem {
    fileprivate func insertion(in list: Int64, title: String, isDone: Bool) -> Statement {
        Statement(
            #"INSERT INTO task (id, list, title, isDone, due, "order") VALUES (?, ?, ?, ?, ?, ?)"#, id, list, title,
            isDone, due, order)
    }
}
