import Foundation

@testable import Tasks

/// A client with a list of its own, and what it knows of it: what was acknowledged, and the one request that was not.
final class Client: @unchecked Sendable {
    struct Item: Equatable {
        var title: String
        var isDone = false
        var due: String?
    }

    enum Edit {
        case add(title: String, due: String?)
        case set(Int64, title: String, isDone: Bool)
        case remove(Int64)
    }

    private(set) var list: Int64 = 0
    private(set) var items: [Int64: Item] = [:]
    /// The edits of the request that got no answer.
    private(set) var pending: [Edit]?
    private(set) var (acknowledged, acknowledgedEdits) = (0, 0)
    private(set) var lastRevision: Int64 = 0
    /// What went wrong without the server being killed.
    private(set) var complaint: String?
    private let number: Int
    private var count = 0
    private var numbers: SeededNumbers

    init(_ number: Int) {
        self.number = number
        numbers = SeededNumbers(state: UInt64(number))
    }

    func begin(_ server: ServerProcess) throws {
        list = try server.edit("POST", "/lists", #"{"title":"Client \#(number)"}"#).ids[0]
    }

    /// Edits until the server does not answer. It runs on a thread of its own.
    func work(port: UInt16) {
        guard let wire = Wire(port: port) else { return }
        while true {
            let edits = randomEdits()
            guard wire.send(request(edits, port: port).utf8), let response = wire.response() else {
                pending = edits
                return
            }
            struct Outcome: Decodable {
                let revision: Int64
                let ids: [Int64]
            }
            guard response.status < 300, let outcome = try? JSONDecoder().decode(Outcome.self, from: response.body),
                let after = Self.make(edits, items, outcome.ids)
            else {
                complaint = "\(edits): \(response.status) \(String(decoding: response.body, as: UTF8.self))"
                return
            }
            items = after
            acknowledged += 1
            acknowledgedEdits += edits.count
            lastRevision = outcome.revision
        }
    }

    private func randomEdits() -> [Edit] {
        count += 1
        let title = "\(number).\(count)"
        let known = items.keys.sorted()
        let add = Edit.add(title: title, due: Bool.random(using: &numbers) ? "2026-0\(count % 9 + 1)-11" : nil)
        // The title is another one each time, so that each request changes something.
        func set(_ id: Int64, _ suffix: String = "") -> Edit {
            .set(id, title: title + suffix, isDone: Bool.random(using: &numbers))
        }
        guard known.count > 4 else { return [add] }
        let (one, other) = (
            Int.random(in: 0..<known.count, using: &numbers), Int.random(in: 1..<known.count, using: &numbers)
        )
        let pair = (known[one], known[(one + other) % known.count])
        switch Int.random(in: 0..<10, using: &numbers) {
        case 0, 1: return known.count < 60 ? [add] : [.remove(pair.0)]
        case 2...5: return [set(pair.0)]
        case 6: return [.remove(pair.0)]
        case 7: return [set(pair.0, "a"), set(pair.1, "b"), add]
        case 8: return [.remove(pair.0), add, set(pair.1)]
        default: return [add, add, set(pair.0), set(pair.1)]
        }
    }

    private func request(_ edits: [Edit], port: UInt16) -> String {
        func values(_ edit: Edit) -> String {
            switch edit {
            case .add(let title, let due): #"{"title":"\#(title)"\#(due.map { #","due":"\#($0)""# } ?? "")}"#
            case .set(_, let title, let isDone): #"{"title":"\#(title)","isDone":\#(isDone)}"#
            case .remove: ""
            }
        }
        var (method, path, body) = ("POST", "/edits", "")
        if edits.count > 1 {
            let parts = edits.map { edit in
                switch edit {
                case .add: #"{"add":"lists/\#(list)","values":\#(values(edit))}"#
                case .set(let id, _, _): #"{"set":"tasks/\#(id)","values":\#(values(edit))}"#
                case .remove(let id): #"{"remove":"tasks/\#(id)"}"#
                }
            }
            body = #"{"edits":[\#(parts.joined(separator: ","))]}"#
        } else {
            switch edits[0] {
            case .add: path = "/lists/\(list)/tasks"
            case .set(let id, _, _): (method, path) = ("PATCH", "/tasks/\(id)")
            case .remove(let id): (method, path) = ("DELETE", "/tasks/\(id)")
            }
            body = values(edits[0])
        }
        let type = body.isEmpty ? "" : "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        return "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(type)\r\n\(body)"
    }

    /// The items after some edits; nil if these did not add as many as there are numbers.
    private static func make(_ edits: [Edit], _ items: [Int64: Item], _ ids: [Int64]) -> [Int64: Item]? {
        var (items, ids) = (items, ids[...])
        for edit in edits {
            switch edit {
            case .add(let title, let due):
                guard let id = ids.popFirst() else { return nil }
                items[id] = Item(title: title, due: due)
            case .set(let id, let title, let isDone):
                items[id]?.title = title
                items[id]?.isDone = isDone
            case .remove(let id): items[id] = nil
            }
        }
        return ids.isEmpty ? items : nil
    }

    /// What became of its work when the server was started again.
    enum Verdict: Equatable {
        /// All that was acknowledged is there, and of the request without an answer nothing.
        case asAcknowledged
        /// All that was acknowledged is there, and the request without an answer as a whole.
        case withPending
        case lost
    }

    func verdict(_ board: BoardCopy) -> Verdict {
        guard let found = board.lists.first(where: { $0.id == list }) else { return .lost }
        let actual = Dictionary(
            uniqueKeysWithValues: found.tasks.map { ($0.id, Item(title: $0.title, isDone: $0.isDone, due: $0.due)) })
        defer { (items, pending) = (actual, nil) }
        if actual == items { return .asAcknowledged }
        let new = actual.keys.filter { items[$0] == nil }.sorted()
        guard let pending, let after = Self.make(pending, items, new), after == actual else { return .lost }
        return .withPending
    }
}
