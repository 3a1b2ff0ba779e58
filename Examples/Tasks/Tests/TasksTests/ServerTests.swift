import Foundation
import GRDB
import Testing

@testable import Tasks

/// The program itself, asked over HTTP.
@Suite("The server", .serialized, .timeLimit(.minutes(4))) struct ServerTests {
    @Test("what is added, changed and removed is there after a restart") func restart() throws {
        let folder = try Folder()
        var server = try ServerProcess(folder.database)
        let list = try server.edit("POST", "/lists", #"{"title":" Home "}"#).ids[0]
        let ids = try (1...4).map {
            try server.edit("POST", "/lists/\(list)/tasks", #"{"title":"Task \#($0)"}"#).ids[0]
        }
        try server.edit("PATCH", "/tasks/\(ids[0])", #"{"isDone":true,"due":"2024-02-29","title":"Bröd ☃ \"'; --"}"#)
        try server.edit("PATCH", "/tasks/\(ids[3])", #"{"order":1.5}"#)
        try server.edit("PATCH", "/tasks/\(ids[2])", #"{"due":"2020-01-01"}"#)
        try server.edit("DELETE", "/tasks/\(ids[1])")
        try server.edit("PATCH", "/lists/\(list)", #"{"title":"House"}"#)
        let before = try server.board()
        #expect(before.revision == 10)
        #expect(before.board.lists.map(\.title) == ["House"])
        #expect(before.board.lists[0].tasks.map(\.title) == ["Bröd ☃ \"'; --", "Task 3", "Task 4"])
        #expect(before.board.lists[0].tasks.map(\.order) == [1, 3, 1.5])
        #expect((before.board.left, before.board.lists[0].late) == (2, 1))
        #expect(before.board.isRight)
        #expect(server.end(SIGTERM) == 0)

        server = try ServerProcess(folder.database)
        #expect(try server.board() == before)
        try server.edit("PATCH", "/tasks/\(ids[0])", #"{"due":null}"#)
        #expect(try server.board().board.lists[0].tasks[0].due == nil)
        // The number of a task that was removed is not given again.
        try server.edit("DELETE", "/tasks/\(ids[3])")
        server.end(SIGKILL)
        server = try ServerProcess(folder.database)
        let new = try server.edit("POST", "/lists/\(list)/tasks", #"{"title":"New"}"#).ids[0]
        #expect(new > ids[3])
        // A list takes its tasks with it.
        try server.edit("DELETE", "/lists/\(list)")
        server.end(SIGKILL)
        server = try ServerProcess(folder.database)
        #expect(try server.board().board.lists == [])
        #expect(try server.board().revision == 14)
    }

    @Test("a task that is moved into a gap again and again finds room, and nothing but its order changes") func order()
        throws
    {
        let folder = try Folder()
        var server = try ServerProcess(folder.database)
        let list = try server.edit("POST", "/lists", #"{"title":"Home"}"#).ids[0]
        var ids = try (1...3).map { try server.edit("POST", "/lists/\(list)/tasks", #"{"title":"\#($0)"}"#).ids[0] }
        func sorted() throws -> [BoardCopy.Item] {
            try server.board().board.lists[0].tasks.sorted { ($0.order, $0.id) < ($1.order, $1.id) }
        }
        for _ in 0..<60 {
            // The last one between the first two.
            let tasks = try sorted()
            try server.edit("PATCH", "/tasks/\(ids[2])", #"{"order":\#((tasks[0].order + tasks[1].order) / 2)}"#)
            ids = [ids[0], ids[2], ids[1]]
            #expect(try sorted().map(\.id) == ids)
        }
        // At the end of the numbers, too.
        try server.edit("PATCH", "/tasks/\(ids[0])", #"{"order":1e9}"#)
        let last = try server.edit("POST", "/lists/\(list)/tasks", #"{"title":"Last"}"#).ids[0]
        #expect(try sorted().map(\.id) == [ids[1], ids[2], ids[0], last])
        let before = try server.board()
        server.end(SIGKILL)
        server = try ServerProcess(folder.database)
        #expect(try server.board() == before)
    }

    @Test("several edits are made as one turn, or none of them") func several() throws {
        let folder = try Folder()
        var server = try ServerProcess(folder.database)
        let list = try server.edit("POST", "/lists", #"{"title":"Home"}"#).ids[0]
        let outcome = try server.edit(
            "POST", "/edits",
            #"""
            {"edits":[{"add":"lists/\#(list)","values":{"title":"a"}},{"add":"lists","values":{"title":"Work"}},
            {"add":"lists/\#(list)","values":{"title":"b","isDone":true}},{"set":"lists/\#(list)","values":{"title":"House"}}]}
            """#)
        #expect(outcome.revision == 2 && outcome.ids.count == 3)
        let before = try server.board()
        #expect(before.board.lists.map(\.title) == ["House", "Work"])
        #expect(before.board.isRight)
        let wrong = try #require(
            server.ask(
                "POST", "/edits",
                #"""
                {"edits":[{"set":"tasks/\#(outcome.ids[0])","values":{"title":"c"}},{"remove":"lists/\#(outcome.ids[1])"},
                {"add":"lists/\#(list)","values":{"title":"d"}},{"remove":"tasks/\#(outcome.ids[0])"},
                {"add":"lists","values":{"title":"Other"}},{"set":"tasks/\#(outcome.ids[2])","values":{"due":"soon"}}]}
                """#))
        #expect(wrong.status == 400)
        #expect(String(decoding: wrong.body, as: UTF8.self).contains("a day is written as 2026-12-31"))
        #expect(try server.board() == before)
        // It is observed again, and saved, as before.
        try server.edit("PATCH", "/tasks/\(outcome.ids[0])", #"{"title":"e"}"#)
        try server.edit("POST", "/lists/\(outcome.ids[1])/tasks", #"{"title":"f"}"#)
        let after = try server.board()
        #expect(after.revision == before.revision + 2)
        server.end(SIGKILL)
        server = try ServerProcess(folder.database)
        #expect(try server.board() == after)
    }

    @Test("what the database cannot keep is undone, and told to nobody") func failedCommit() throws {
        let folder = try Folder()
        var server = try ServerProcess(folder.database)
        let list = try server.edit("POST", "/lists", #"{"title":"Home"}"#).ids[0]
        let task = try server.edit("POST", "/lists/\(list)/tasks", #"{"title":"Bread"}"#).ids[0]
        server.end(SIGTERM)
        // As if the disk were full for one title.
        try DatabaseQueue(path: folder.database).write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER full BEFORE UPDATE ON task WHEN NEW.title = 'too much'
                    BEGIN SELECT RAISE(ABORT, 'no room'); END
                    """)
        }
        server = try ServerProcess(folder.database)
        let before = try server.board()
        let follower = try #require(Follower(port: server.port))
        let answer = try #require(
            server.ask(
                "POST", "/edits",
                #"{"edits":[{"add":"lists/\#(list)","values":{"title":"a"}},{"set":"tasks/\#(task)","values":{"title":"too much"}}]}"#
            ))
        #expect(answer.status == 500)
        #expect(String(decoding: answer.body, as: UTF8.self).contains("the change could not be kept, and was undone"))
        #expect(try server.board() == before)
        let outcome = try server.edit("PATCH", "/tasks/\(task)", #"{"title":"Milk"}"#)
        try follower.follow(until: outcome.revision)
        #expect(try follower.whole == server.board())
        #expect(follower.turns == 1)
    }

    @Test("a second process does not get the file, and a port that is taken is said") func occupied() throws {
        let folder = try Folder()
        let server = try ServerProcess(folder.database)
        #expect(throws: ServerProcess.Failure.self) { try ServerProcess(folder.database) }
        #expect(try String(contentsOfFile: server.log, encoding: .utf8).contains("Another process uses"))
        let other = folder.url.appending(path: "other.sqlite").path
        #expect(throws: ServerProcess.Failure.self) { try ServerProcess(other, port: server.port) }
        #expect(
            try String(contentsOfFile: other + ".log", encoding: .utf8).contains("Port \(server.port) cannot be used"))
        #expect(throws: ServerProcess.Failure.self) {
            let path = folder.url.appending(path: "text").path
            try Data("no database, and long enough for one \(String(repeating: ".", count: 200))".utf8).write(
                to: URL(filePath: path))
            _ = try ServerProcess(path)
        }
        #expect(try server.board().revision == 0)
    }

    @Test("clients that write at once, and followers: all hear every turn in order, and have the same board")
    func followers()
        throws
    {
        let folder = try Folder()
        let server = try ServerProcess(folder.database, heartbeat: 0.1)
        let early = try #require(Follower(port: server.port))
        try early.follow(until: 0)
        let clients = (1...3).map(Client.init)
        for client in clients { try client.begin(server) }
        let group = DispatchGroup()
        for client in clients {
            let port = server.port
            group.enter()
            Thread.detachNewThread {
                client.work(port: port)
                group.leave()
            }
        }
        usleep(300_000)
        let late = try #require(Follower(port: server.port))
        try late.follow(until: 0)
        try early.follow(until: 150)
        let middle = try server.board().revision
        try late.follow(until: middle + 50)
        try early.follow(until: middle + 50)
        // The writers end with the server; the followers have heard all turns until then.
        kill(server.process.processIdentifier, SIGTERM)
        #expect(try early.endsAfter(100_000))
        #expect(try late.endsAfter(100_000))
        group.wait()
        server.process.waitUntilExit()
        let restarted = try ServerProcess(folder.database)
        let whole = try restarted.board()
        // What is committed while the streams end is told to nobody.
        for follower in [early, late] {
            #expect(follower.snapshots == 1)
            let heard = try #require(follower.whole)
            #expect(heard.board.isRight)
            #expect(heard.revision <= whole.revision && heard.revision >= middle + 50)
            if heard.revision == whole.revision { #expect(heard == whole) }
        }
        if early.whole?.revision == late.whole?.revision { #expect(early.whole == late.whole) }
        // A follower who comes now has what was kept.
        let third = try #require(Follower(port: restarted.port))
        try third.follow(until: whole.revision)
        #expect(third.whole == whole)
    }

    @Test("a browser that does not read loses turns, and then gets the whole board")
    func slow() throws {
        let folder = try Folder()
        let server = try ServerProcess(folder.database)
        let list = try server.edit("POST", "/lists", #"{"title":"Home"}"#).ids[0]
        let ids = try (1...100).map { try server.edit("POST", "/lists/\(list)/tasks", #"{"title":"\#($0)"}"#).ids[0] }
        let slow = try #require(Follower(port: server.port, receiveBuffer: 4096))
        let quick = try #require(Follower(port: server.port))
        try slow.follow(until: 0)
        let text = String(repeating: "x", count: 380)
        var revision: Int64 = 0
        let turns = 220
        // 100 changes a turn, 50 KB: 10 MB in all, more than what the kernel keeps for a connection.
        for turn in 1...turns {
            let edits = ids.map { #"{"set":"tasks/\#($0)","values":{"title":"\#(turn) \#(text)"}}"# }
            revision = try server.edit("POST", "/edits", #"{"edits":[\#(edits.joined(separator: ","))]}"#).revision
            if turn % 20 == 0 { try quick.follow(until: revision) }
        }
        let whole = try server.board()
        #expect(quick.whole == whole)
        #expect((quick.turns, quick.snapshots) == (turns, 1))
        try slow.follow(until: revision)
        #expect(slow.whole == whole)
        #expect(slow.snapshots > 1)
        #expect(slow.turns < turns)
    }

    @Test("followers who have gone are noticed, and there is a limit of them") func gone() throws {
        let folder = try Folder()
        let server = try ServerProcess(folder.database, heartbeat: 0.05)
        var followers: [Follower] = []
        for _ in 0..<Store.followerLimit {
            let follower = try #require(Follower(port: server.port))
            try follower.follow(until: 0)
            followers.append(follower)
        }
        let refused = try #require(server.ask("GET", "/events"))
        #expect(refused.status == 503)
        followers = []
        usleep(400_000)
        let follower = try #require(Follower(port: server.port))
        try follower.follow(until: 0)
        #expect(server.end(SIGTERM) == 0)
    }

    @Test("the actor that observes counts the turns") func activity() throws {
        let folder = try Folder()
        let server = try ServerProcess(folder.database)
        let list = try server.edit("POST", "/lists", #"{"title":"Home"}"#).ids[0]
        for title in ["a", "b"] { try server.edit("POST", "/lists/\(list)/tasks", #"{"title":"\#(title)"}"#) }
        // No turn waits for it, so it may hear of the last one a little later.
        var report = Activity.Report()
        for _ in 0..<100 where report.turns < 3 {
            let answer = try #require(server.ask("GET", "/activity"))
            report = try JSONDecoder().decode(Activity.Report.self, from: answer.body)
            usleep(20_000)
        }
        #expect(report.turns == 3)
        #expect(report.changes == 7)
    }
}
