import GRDB

/// The file in which the board is kept.
///
/// A commit returns when the file is on the disk as far as SQLite can know (`synchronous = FULL`). One process has the file at a time.
struct TaskDatabase: Sendable {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.label = "tasks"
        configuration.prepareDatabase { database in
            try database.execute(
                sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL,
                        nextID INTEGER NOT NULL) STRICT;
                    INSERT INTO state VALUES (1, 0, 1);
                    CREATE TABLE list (id INTEGER PRIMARY KEY, title TEXT NOT NULL) STRICT;
                    CREATE TABLE task (
                        id INTEGER PRIMARY KEY,
                        list INTEGER NOT NULL REFERENCES list(id) ON DELETE CASCADE,
                        title TEXT NOT NULL,
                        isDone INTEGER NOT NULL CHECK (isDone IN (0, 1)),
                        due TEXT,
                        "order" REAL NOT NULL) STRICT;
                    CREATE INDEX taskOfList ON task(list);
                    """)
        }
        try migrator.migrate(queue)
    }

    /// The board as the last turn left it, and the number of that turn.
    func load(_ clock: DayClock) throws -> (board: Board, revision: Int64) {
        try queue.read { database in
            var tasks: [Int64: [TaskItem]] = [:]
            for row in try GRDB.Row.fetchAll(database, sql: "SELECT * FROM task ORDER BY id") {
                let task = TaskItem(id: row["id"])
                (task.title, task.isDone, task.due, task.order) = (
                    row["title"], row["isDone"], row["due"], row["order"]
                )
                tasks[row["list"], default: []].append(task)
            }
            let lists = try GRDB.Row.fetchAll(database, sql: "SELECT * FROM list ORDER BY id").map { row in
                let list = TaskList(id: row["id"], clock: clock, tasks: tasks[row["id"]] ?? [])
                list.title = row["title"]
                return list
            }
            guard let state = try GRDB.Row.fetchOne(database, sql: "SELECT * FROM state") else {
                throw DatabaseError(message: "the table \"state\" is empty")
            }
            return (Board(clock: clock, lists: lists, nextID: state["nextID"]), state["revision"])
        }
    }

    /// Carries out the statements of one turn, all or none. Each has to concern one row: if one does not, the file and the model differ.
    func commit(_ statements: [Statement]) throws {
        try queue.write { database in
            for statement in statements {
                try database.cachedStatement(sql: statement.sql).execute(
                    arguments: StatementArguments(statement.values))
                if database.changesCount != 1 {
                    throw DatabaseError(message: "\(database.changesCount) rows instead of one", sql: statement.sql)
                }
            }
        }
    }

    func close() throws { try queue.close() }
}
