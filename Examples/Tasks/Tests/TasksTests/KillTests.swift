import Foundation
import GRDB
import Testing

@testable import Tasks

extension ServerTests {
    /// Runs clients, each on a thread of its own, until the server does not answer any more.
    private func work(_ clients: [Client], _ server: ServerProcess, for milliseconds: Int, then end: () -> Void) {
        let group = DispatchGroup()
        for client in clients {
            group.enter()
            let port = server.port
            Thread.detachNewThread {
                client.work(port: port)
                group.leave()
            }
        }
        usleep(UInt32(milliseconds) * 1000)
        end()
        group.wait()
    }

    private func check(_ database: String) throws {
        try DatabaseQueue(path: database).read { database in
            let answer = try String.fetchAll(database, sql: "PRAGMA integrity_check")
            #expect(answer == ["ok"])
            let orphans = try GRDB.Row.fetchAll(database, sql: "PRAGMA foreign_key_check")
            #expect(orphans.isEmpty)
        }
    }

    @Test("killed 50 times at random moments, nothing that was acknowledged is lost, and nothing is half there")
    func killed() throws {
        let folder = try Folder()
        var numbers = SeededNumbers(state: UInt64(Date.now.timeIntervalSince1970))
        let clients = (1...3).map(Client.init)
        let start = ContinuousClock.now
        var (kills, completed, starts) = (0, 0, 0)
        var server = try ServerProcess(folder.database)
        for client in clients { try client.begin(server) }
        var expected = try server.board().revision
        let today = try server.board().board.today
        while kills < 50 {
            if kills % 5 == 4 {
                // While it is starting, with what the last kill left.
                server.end(SIGKILL)
                kills += 1
                server = try ServerProcess(folder.database, waits: false)
                usleep(UInt32.random(in: 0..<150_000, using: &numbers))
                server.end(SIGKILL)
                starts += 1
            } else {
                let before = clients.reduce(0) { $0 + $1.acknowledged }
                work(clients, server, for: Int.random(in: 10...500, using: &numbers)) { server.end(SIGKILL) }
                expected += Int64(clients.reduce(0) { $0 + $1.acknowledged } - before)
            }
            kills += 1
            server = try ServerProcess(folder.database)
            let whole = try server.board()
            for client in clients {
                #expect(client.complaint == nil)
                #expect(client.lastRevision <= whole.revision)
                let verdict = client.verdict(whole.board)
                #expect(verdict != .lost, "kill \(kills)")
                if verdict == .withPending {
                    expected += 1
                    completed += 1
                }
            }
            #expect(whole.board.isRight)
            // Each turn is there as a whole: there are as many as were acknowledged, and those that were on the disk before the answer.
            if whole.board.today == today { #expect(whole.revision == expected) } else { expected = whole.revision }
        }
        #expect(server.end(SIGTERM) == 0)
        try check(folder.database)
        let (requests, edits) = clients.reduce(into: (0, 0)) {
            ($0.0, $0.1) = ($0.0 + $1.acknowledged, $0.1 + $1.acknowledgedEdits)
        }
        #expect(requests > 300)
        print(
            """
            kills: \(kills), \(starts) of them while starting; \(requests) requests with \(edits) edits acknowledged, none lost; \
            \(completed) kept without an answer; \(start.duration(to: .now))
            """)
    }

    @Test("ended by a signal, it answers what it has begun, ends the streams, and exits with 0") func ended() throws {
        let folder = try Folder()
        var server = try ServerProcess(folder.database)
        let clients = (1...3).map(Client.init)
        for client in clients { try client.begin(server) }
        for round in 1...5 {
            let follower = try #require(Follower(port: server.port))
            try follower.follow(until: 0)
            let start = ContinuousClock.now
            work(clients, server, for: 100) {
                #expect(server.end(round.isMultiple(of: 2) ? SIGINT : SIGTERM) == 0)
            }
            #expect(start.duration(to: .now) < .seconds(4))
            #expect(try follower.endsAfter(10000))
            server = try ServerProcess(folder.database)
            let whole = try server.board()
            for client in clients {
                #expect(client.complaint == nil)
                // A request that was on its way when its connection was closed may have come too late.
                #expect(client.verdict(whole.board) != .lost)
            }
            #expect(try String(contentsOfFile: server.log, encoding: .utf8).contains("error") == false)
        }
        server.end(SIGTERM)
        try check(folder.database)
    }
}
