import AutoKVO
import Foundation

/// What a client has of a board: the whole of it, and then changes.
struct Whole: Codable, Equatable {
    var revision: Int64
    var board: BoardCopy
}

struct BoardCopy: Codable, Equatable {
    struct List: Codable, Equatable {
        var id: Int64
        var title: String
        var left, late: Int
        var tasks: [Item]

        /// Whether what is derived is what the tasks say.
        func isRight(today: String) -> Bool {
            left == tasks.count { !$0.isDone } && late == tasks.count { !$0.isDone && ($0.due ?? today) < today }
        }
    }

    struct Item: Codable, Equatable {
        var id: Int64
        var title: String
        var isDone: Bool
        var due: String?
        var order: Double
    }

    var today: String
    var left: Int
    var lists: [List]

    var isRight: Bool {
        lists.allSatisfy { $0.isRight(today: today) } && left == lists.reduce(0) { $0 + $1.left }
    }
}

/// An event with the changes of a turn, made on a copy as `ChangeRecord`s.
struct TurnEvent: Decodable {
    struct Entry: Decodable {
        let make: (inout BoardCopy) throws -> Void

        private enum Keys: CodingKey { case object, change, keyPath }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            let object = try container.decode(String.self, forKey: .object)
            let key = try container.nestedContainer(keyedBy: Keys.self, forKey: .change).decode(
                String.self, forKey: .keyPath)
            func record<Value: Decodable>(_ type: Value.Type = Value.self) throws -> ChangeRecord<Value> {
                try container.decode(ChangeRecord<Value>.self, forKey: .change)
            }
            func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
                guard let value = try record(Value.self).newValue else {
                    throw Strange(text: "no value for \(object).\(key)")
                }
                return value
            }
            let id = Int64(object.split(separator: "/").last ?? "") ?? -1
            switch (object.split(separator: "/").first, key) {
            case ("board", "lists"):
                let change = try record([BoardCopy.List].self)
                make = { change.apply(to: &$0.lists) }
            case ("board", "left"):
                let left = try value(Int.self)
                make = { $0.left = left }
            case ("board", "today"):
                let today = try value(String.self)
                make = { $0.today = today }
            case ("lists", _):
                let edit: (inout BoardCopy.List) -> Void
                switch key {
                case "title":
                    let title = try value(String.self)
                    edit = { $0.title = title }
                case "left":
                    let left = try value(Int.self)
                    edit = { $0.left = left }
                case "late":
                    let late = try value(Int.self)
                    edit = { $0.late = late }
                case "tasks":
                    let change = try record([BoardCopy.Item].self)
                    edit = { change.apply(to: &$0.tasks) }
                default: throw Strange(text: key)
                }
                make = { board in
                    guard let place = board.lists.firstIndex(where: { $0.id == id }) else {
                        throw Strange(text: object)
                    }
                    edit(&board.lists[place])
                }
            case ("tasks", _):
                let edit: (inout BoardCopy.Item) -> Void
                switch key {
                case "title":
                    let title = try value(String.self)
                    edit = { $0.title = title }
                case "isDone":
                    let isDone = try value(Bool.self)
                    edit = { $0.isDone = isDone }
                case "due":
                    let due = try value(String?.self)
                    edit = { $0.due = due }
                case "order":
                    let order = try value(Double.self)
                    edit = { $0.order = order }
                default: throw Strange(text: key)
                }
                make = { board in
                    for list in board.lists.indices {
                        if let place = board.lists[list].tasks.firstIndex(where: { $0.id == id }) {
                            return edit(&board.lists[list].tasks[place])
                        }
                    }
                    throw Strange(text: object)
                }
            default: throw Strange(text: "\(object).\(key)")
            }
        }
    }

    struct Strange: Error { let text: String }

    let revision: Int64
    let changes: [Entry]
}

/// Follows a server by its events.
final class Follower {
    private(set) var whole: Whole?
    private(set) var (turns, snapshots) = (0, 0)
    private let reader: EventReader

    init?(port: UInt16, receiveBuffer: Int32 = 0) {
        guard let reader = EventReader(port: port, receiveBuffer: receiveBuffer) else { return nil }
        self.reader = reader
    }

    /// Takes events until it has a turn, or until the stream ends.
    func follow(until revision: Int64) throws {
        while (whole?.revision ?? -1) < revision {
            guard let event = reader.next() else { throw TurnEvent.Strange(text: "the stream has ended") }
            try take(event)
        }
    }

    /// Whether the stream ends, and not only stops.
    func endsAfter(_ limit: Int) throws -> Bool {
        for _ in 0..<limit {
            guard let event = reader.next() else { return true }
            try take(event)
        }
        return false
    }

    private func take(_ event: Event) throws {
        if event.name == "snapshot" {
            whole = try JSONDecoder().decode(Whole.self, from: event.data)
            snapshots += 1
            return
        }
        let turn = try JSONDecoder().decode(TurnEvent.self, from: event.data)
        // In order, without a gap, and the event's own number is the turn's.
        guard event.name == "turn", whole?.revision == turn.revision - 1, event.id == turn.revision else {
            throw TurnEvent.Strange(text: "event \(event.name) \(event.id) after \(whole?.revision ?? -1)")
        }
        for entry in turn.changes { try entry.make(&whole!.board) }
        whole!.revision = turn.revision
        turns += 1
    }
}
