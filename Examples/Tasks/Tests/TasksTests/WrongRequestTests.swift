import Foundation
import Testing

@testable import Tasks

extension ServerTests {
    private func sentences(_ response: Wire.Response?) -> [String] {
        struct Body: Decodable { let errors: [String] }
        return response.flatMap { try? JSONDecoder().decode(Body.self, from: $0.body).errors } ?? []
    }

    @Test("a wrong request is answered with sentences, and changes nothing") func wrong() throws {
        let folder = try Folder()
        let server = try ServerProcess(folder.database)
        let list = try server.edit("POST", "/lists", #"{"title":"Home"}"#).ids[0]
        let task = try server.edit("POST", "/lists/\(list)/tasks", #"{"title":"Bread"}"#).ids[0]
        let before = try server.board()
        let long = String(repeating: "ä", count: 201)
        for (method, path, body, status, expected) in [
            (
                "PATCH", "/tasks/\(task)", #"{"titel":"x","isDone":true}"#, 400,
                ["unknown key \"titel\": TaskItem has no key \"titel\", did you mean \"title\"?"]
            ),
            ("PATCH", "/tasks/\(task)", #"{"id":7}"#, 400, ["unknown key \"id\": TaskItem has no key \"id\""]),
            (
                "PATCH", "/tasks/\(task)", #"{"due":"2026-02-29","title":" ","order":1e10}"#, 400,
                [
                    "invalid value for \"due\": a day is written as 2026-12-31",
                    "invalid value for \"order\": an order is a number from -1e9 to 1e9",
                    "invalid value for \"title\": a task needs a title",
                ]
            ),
            ("PATCH", "/tasks/\(task)", #"{"title":null}"#, 400, nil),
            (
                "PATCH", "/tasks/\(task)", #"{"title":"a\u0000b"}"#, 400,
                ["invalid value for \"title\": a title is one line without control characters"]
            ),
            (
                "PATCH", "/tasks/\(task)", #"{"title":"\#(long)"}"#, 400,
                ["invalid value for \"title\": a title has at most 400 bytes of UTF-8"]
            ),
            ("PATCH", "/lists/\(list)", #"{"left":0}"#, 400, nil),
            ("PATCH", "/lists/\(list)", #"{"tasks":[]}"#, 400, nil),
            ("PATCH", "/lists/\(list)", #"{"tasks.title":"x"}"#, 400, nil),
            ("PATCH", "/lists/\(list)", #"{"clock.today":"2000-01-01"}"#, 400, nil),
            ("POST", "/lists", "{}", 400, ["invalid value for \"title\": a list needs a title"]),
            ("POST", "/lists/\(list)/tasks", "[]", 400, ["the body is an object such as {\"title\": \"Bread\"}"]),
            ("POST", "/lists/\(list)/tasks", "{", 400, ["the body is not JSON"]),
            ("POST", "/lists/999/tasks", #"{"title":"x"}"#, 404, ["there is no list 999"]),
            ("PATCH", "/tasks/999", "{}", 404, ["there is no task 999"]),
            ("DELETE", "/tasks/\(list)", nil, 404, ["there is no task \(list)"]),
            ("DELETE", "/lists/0", nil, 404, nil),
            ("PATCH", "/tasks/+\(task)", "{}", 404, nil),
            ("PUT", "/tasks/\(task)", "{}", 404, nil),
            ("GET", "/../etc/passwd", nil, 404, nil),
            ("POST", "/edits", #"{"edits":[{"add":"lists"}]}"#, 400, nil),
            ("POST", "/edits", #"{"edits":[{"remove":"tasks/\#(task)","set":"tasks/\#(task)"}]}"#, 400, nil),
            (
                "POST", "/edits", #"{"edits":[\#(Array(repeating: "1", count: 101).joined(separator: ","))]}"#, 400,
                ["a request has at most 100 edits"]
            ),
        ] as [(String, String, String?, Int, [String]?)] {
            let response = server.ask(method, path, body)
            #expect(response?.status == status, "\(method) \(path) \(body ?? "")")
            let found = sentences(response)
            #expect(!found.isEmpty && found.allSatisfy { !$0.isEmpty }, "\(method) \(path) \(body ?? "")")
            if let expected { #expect(found == expected) }
        }
        #expect(server.ask("POST", "/lists", #"{"title":"x"}"#, type: "text/plain")?.status == 415)
        #expect(server.ask("GET", "/board", host: "evil.example")?.status == 403)
        #expect(server.ask("DELETE", "/lists/\(list)", more: "Origin: http://evil.example\r\n")?.status == 403)
        #expect(server.ask("POST", "/lists", #"{"title":"\#(String(repeating: "x", count: 70000))"}"#)?.status == 413)
        #expect(try server.board() == before)
        // The limits are those of the model.
        for number in 2...Board.listLimit { try server.edit("POST", "/lists", #"{"title":"\#(number)"}"#) }
        #expect(sentences(server.ask("POST", "/lists", #"{"title":"x"}"#)) == ["there are at most 100 lists"])
    }

    @Test("port 80, which browsers leave out, need not be named in a request; any other has to be") func names() {
        #expect(Routes.names(port: 80) == ["127.0.0.1", "127.0.0.1:80", "localhost", "localhost:80"])
        #expect(Routes.names(port: 8081) == ["127.0.0.1:8081", "localhost:8081"])
    }

    @Test("2,000 requests of random bodies: each is made as a whole, or refused with a sentence and changes nothing")
    func fuzzed()
        throws
    {
        let folder = try Folder()
        var server = try ServerProcess(folder.database)
        var list = try server.edit("POST", "/lists", #"{"title":"Home"}"#).ids[0]
        for title in ["a", "b", "c"] { try server.edit("POST", "/lists/\(list)/tasks", #"{"title":"\#(title)"}"#) }
        var numbers = SeededNumbers(state: 5)
        var before = try server.board()
        var (made, refused) = (0, 0)
        for _ in 0..<2000 {
            // Some requests remove lists, and with them their tasks.
            if before.board.lists.last?.tasks.isEmpty ?? true {
                list = try before.board.lists.last?.id ?? server.edit("POST", "/lists", #"{"title":"Home"}"#).ids[0]
                try server.edit("POST", "/lists/\(list)/tasks", #"{"title":"a"}"#)
                before = try server.board()
            }
            list = before.board.lists.last!.id
            let body = randomBody(before.board, &numbers)
            let task = before.board.lists.last!.tasks.last!.id
            let (method, path) = [
                ("POST", "/lists"), ("POST", "/lists/\(list)/tasks"), ("PATCH", "/tasks/\(task)"),
                ("PATCH", "/lists/\(list)"),
                ("POST", "/edits"), ("POST", "/edits"),
            ].randomElement(using: &numbers)!
            let response = try #require(server.ask(method, path, body), "\(body)")
            let after = try server.board()
            if response.status < 300 {
                made += 1
                #expect(after.revision == before.revision || after.revision == before.revision + 1)
            } else {
                refused += 1
                #expect([400, 404].contains(response.status), "\(body)")
                #expect(!sentences(response).contains("") && !sentences(response).isEmpty, "\(body)")
                #expect(after == before, "\(body)")
            }
            #expect(after.board.isRight)
            before = after
        }
        #expect(made > 100 && refused > 500, "\(made) \(refused)")
        // What is no HTTP is no reason to stop.
        for _ in 0..<200 {
            let bytes = (0..<Int.random(in: 1...300, using: &numbers)).map { _ in
                UInt8.random(in: 0...255, using: &numbers)
            }
            _ = Wire(port: server.port)?.send(bytes)
            _ = Wire(port: server.port)?.send(
                Array("POST /lists HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n".utf8) + bytes)
        }
        #expect(try server.board() == before)
        server.end(SIGKILL)
        server = try ServerProcess(folder.database)
        #expect(try server.board() == before)
    }

    private func randomBody(_ board: BoardCopy, _ numbers: inout SeededNumbers) -> String {
        let ids = board.lists.map(\.id) + board.lists.flatMap { $0.tasks.map(\.id) } + [999]
        func value(_ depth: Int) -> String {
            switch Int.random(in: 0..<14, using: &numbers) {
            case 0, 1, 2: return #""title \#(Int.random(in: 0..<100, using: &numbers))""#
            case 3: return "true"
            case 4: return "null"
            case 5: return #""2026-\#(Int.random(in: 1...13, using: &numbers))-15""#
            case 6: return #""2026-1\#(Int.random(in: 0...3, using: &numbers))-15""#
            case 7: return "\(Double(Int.random(in: -1000...1000, using: &numbers)) / 8)"
            case 8:
                return ["1e999", "-0.0", "1e308", "9223372036854775808", "0.1e-400", "12345678901234567890123"]
                    .randomElement(using: &numbers)!
            case 9:
                return [#""\ud800""#, #""\u202e\u0300""#, #""""#, "\"\u{7f}\"", #""a\nb""#, #""👩‍👩‍👧‍👦""#].randomElement(
                    using: &numbers)!
            case 10 where depth < 4: return "[" + (0..<3).map { _ in value(depth + 1) }.joined(separator: ",") + "]"
            case 11 where depth < 4: return object(depth + 1)
            default: return "\(Int.random(in: -5...2000, using: &numbers))"
            }
        }
        func object(_ depth: Int) -> String {
            let keys = [
                "title", "title", "isDone", "due", "order", "id", "left", "tasks", "lists", "@count", "a.b", "",
                "title.@max", "schema",
            ]
            let entries = (0..<Int.random(in: 0...3, using: &numbers)).map { _ in
                "\"\(keys.randomElement(using: &numbers)!)\":\(value(depth))"
            }
            return "{" + entries.joined(separator: ",") + "}"
        }
        func edit() -> String {
            let name =
                ["lists", "tasks", "boards"].randomElement(using: &numbers)! + "/\(ids.randomElement(using: &numbers)!)"
            switch Int.random(in: 0..<8, using: &numbers) {
            case 0, 1: return #"{"add":"\#(name)","values":{"title":\#(value(3))}}"#
            case 2, 3, 4: return #"{"set":"\#(name)","values":\#(object(3))}"#
            case 5: return #"{"remove":"\#(name)"}"#
            case 6: return #"{"add":"lists","values":\#(object(3))}"#
            default: return object(1)
            }
        }
        var text: String
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0:
            text =
                "{\"edits\":[" + (0..<Int.random(in: 0...4, using: &numbers)).map { _ in edit() }.joined(separator: ",")
                + "]}"
        case 1: text = "{\"edits\":[\(edit())]}"
        case 2: text = "{\"title\":\(value(2)),\"due\":\(value(3))}"
        case 3: text = value(0)
        default: text = object(0)
        }
        if Int.random(in: 0..<12, using: &numbers) == 0 {
            text = String(text.dropLast(Int.random(in: 0...text.count, using: &numbers)))
        }
        if Int.random(in: 0..<40, using: &numbers) == 0 {
            text = String(repeating: "[", count: 2000) + text + String(repeating: "]", count: 2000)
        }
        return text
    }
}
