import AutoKVO
import Foundation

/// The name of an object in requests and in events: "lists/3", "tasks/7".
enum ObjectName {
    case list(Int64)
    case task(Int64)

    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = Int64(parts[1]), id > 0, String(id) == parts[1] else { return nil }
        switch parts[0] {
        case "lists": self = .list(id)
        case "tasks": self = .task(id)
        default: return nil
        }
    }
}

/// What a request asks for. The names and values in it are as they came: the model checks them when it is made.
enum Edit {
    case addList([String: Any])
    case addTask(list: Int64, [String: Any])
    case set(ObjectName, [String: Any])
    case remove(ObjectName)
}

/// Why a request is refused.
struct WrongRequest: Error {
    /// One sentence for each thing that is wrong.
    let sentences: [String]
    /// Whether it names an object that there is not.
    var isMissing = false

    init(_ sentences: String..., isMissing: Bool = false) {
        (self.sentences, self.isMissing) = (sentences, isMissing)
    }

    /// The sentences of the library, which name the nearest right key and show at most 200 characters of what came from outside.
    init(_ error: KeyValueError) { sentences = error.errors.prefix(20).map(\.description) }
}

extension Edit {
    /// One request may ask for this many edits.
    static let limit = 100

    /// The values of one object.
    static func values(_ body: Data) throws -> [String: Any] {
        guard let values = try json(body) as? [String: Any] else {
            throw WrongRequest("the body is an object such as {\"title\": \"Bread\"}")
        }
        return values
    }

    /// Several edits, all of which are made or none.
    static func several(_ body: Data) throws -> [Edit] {
        guard let edits = (try json(body) as? [String: Any])?["edits"] as? [Any] else {
            throw WrongRequest("the body is an object such as {\"edits\": [{\"remove\": \"tasks/7\"}]}")
        }
        if edits.count > limit { throw WrongRequest("a request has at most \(limit) edits") }
        return try edits.map(edit)
    }

    private static func edit(_ value: Any) throws -> Edit {
        let entries = value as? [String: Any] ?? [:]
        let values = entries["values"] as? [String: Any]
        switch (entries["add"] as? String, entries["set"] as? String, entries["remove"] as? String) {
        case ("lists"?, nil, nil):
            if let values, entries.count == 2 { return .addList(values) }
        case (let name?, nil, nil):
            if let values, entries.count == 2, case .list(let id)? = ObjectName(name) {
                return .addTask(list: id, values)
            }
        case (nil, let name?, nil):
            if let values, entries.count == 2, let object = ObjectName(name) { return .set(object, values) }
        case (nil, nil, let name?):
            if entries.count == 1, let object = ObjectName(name) { return .remove(object) }
        default: break
        }
        throw WrongRequest(
            """
            an edit is {"add": "lists", "values": {…}}, {"add": "lists/3", "values": {…}}, \
            {"set": "tasks/7", "values": {…}} or {"remove": "tasks/7"}
            """)
    }

    private static func json(_ body: Data) throws -> Any {
        do { return try JSONSerialization.jsonObject(with: body) } catch { throw WrongRequest("the body is not JSON") }
    }
}
