import AutoKVO
import GRDB

/// A statement of SQL with its values.
struct Statement: Hashable, Sendable {
    let sql: String
    let values: [DatabaseValue]

    init(_ sql: String, _ values: (any DatabaseValueConvertible)?...) {
        (self.sql, self.values) = (sql, values.map { $0?.databaseValue ?? .null })
    }
}

/// The tables are called as the classes, and the columns as the keys. So the key of a change is the column to update.
protocol Row: TrackedObject {
    static var table: String { get }
    var id: Int64 { get }
    /// The name in requests and in events.
    var name: String { get }
}

extension TaskList: Row {
    static let table = "list"
    var name: String { "lists/\(id)" }

    var insertion: Statement { Statement("INSERT INTO list (id, title) VALUES (?, ?)", id, title) }
}

extension TaskItem: Row {
    static let table = "task"
    var name: String { "tasks/\(id)" }

    func insertion(in list: Int64) -> Statement {
        Statement(
            #"INSERT INTO task (id, list, title, isDone, due, "order") VALUES (?, ?, ?, ?, ?, ?)"#,
            id, list, title, isDone, due, order)
    }
}

extension Row {
    /// What a change of one of its properties says. The key is one that the program names, never text from outside.
    func update<Value: DatabaseValueConvertible>(_ change: Change<Value>) -> Statement {
        Statement("UPDATE \(Self.table) SET \"\(change.keyPath)\" = ? WHERE id = ?", change.newValue, id)
    }

    /// The tasks of a list go with it, by its foreign key.
    var deletion: Statement { Statement("DELETE FROM \(Self.table) WHERE id = ?", id) }
}
