import AutoKVO
import Foundation

/// One side of a board that two processes have. It turns changes into bytes and bytes into changes, and knows nothing of sockets.
final class Replica {
    /// No message is longer, so that the other side cannot make this one keep any amount.
    static let lineLimit = 1024 * 1024

    let board: Board
    /// What is to be written to the connection.
    var outgoing = Data()
    /// Whether the other side has said on this connection that it is finished.
    private(set) var otherIsFinished = false

    private var fields: [String: Field] = [:]
    private var incoming = Data()
    /// Whether the other side's `hello` has come. Before it no change is sent: the other side may lack those that the change builds on.
    private var isConnected = false
    private var needsEverything = true
    /// The path whose record is applied at this moment. What is heard of it is the echo.
    private var applying: String?
    /// For each path with changes that the other side has not confirmed: the number of the last one.
    private var unconfirmed: [String: Int] = [:]
    private var sent = 0

    init(_ board: Board) {
        self.board = board
        for (name, page) in [("left", board.left), ("right", board.right)] {
            add(name, page, "title", page.$title, Content.text) { if case .text(let it) = $0 { it } else { nil } }
            add(name, page, "level", page.$level, Content.number) { if case .number(let it) = $0 { it } else { nil } }
            add(name, page, "items", page.$items, Content.list) { if case .list(let it) = $0 { it } else { nil } }
            add(name, page, "labels", page.$labels, Content.labels) { if case .labels(let it) = $0 { it } else { nil } }
        }
    }

    private func add<Value>(
        _ name: String, _ page: Page, _ key: String, _ property: Property<Value>,
        _ wrap: @escaping (ChangeRecord<Value>) -> Content, _ unwrap: @escaping (Content) -> ChangeRecord<Value>?
    ) {
        fields["\(name).\(key)"] = Field(property, key, of: page, for: self, path: "\(name).\(key)", wrap, unwrap)
    }

    /// Whether the other side has applied everything that was changed here.
    var isConfirmed: Bool { isConnected && unconfirmed.isEmpty }

    func connect() {
        send(.hello(needsEverything: needsEverything))
    }

    /// The connection is lost: what was not confirmed is sent whole over the next one.
    func disconnect() {
        (isConnected, otherIsFinished) = (false, false)
        (outgoing, incoming) = (Data(), Data())
    }

    func finish() { send(.finished) }

    func didChange(_ path: String, _ content: Content) {
        if path == applying { return }
        send(content, path, isWhole: false)
    }

    /// - Throws: For what does not fit: the caller then closes the connection. Nothing of that message has been applied.
    func receive(_ bytes: Data) throws {
        incoming.append(bytes)
        var last: Int?
        defer { if let last, isConnected { send(.received(last)) } }
        do {
            while let end = incoming.firstIndex(of: UInt8(ascii: "\n")) {
                let line = incoming[incoming.startIndex..<end]
                incoming = incoming[(end + 1)...]
                try checkLength(of: line)
                if let number = try receive(JSONDecoder().decode(Message.self, from: line)) { last = number }
            }
            incoming = Data(incoming)
            try checkLength(of: incoming)
        } catch {
            needsEverything = true
            throw error
        }
    }

    private func checkLength(of line: Data) throws {
        if line.count > Self.lineLimit {
            throw RefusedMessage(description: "a message of more than \(Self.lineLimit) bytes")
        }
    }

    private func receive(_ message: Message) throws -> Int? {
        switch message {
        case .hello(let all):
            isConnected = true
            for path in fields.keys.sorted() where all || unconfirmed[path] != nil {
                if let field = fields[path] { send(field.whole(), path, isWhole: true) }
            }
            send(.complete)
        case .complete: needsEverything = false
        case .change(let path, let number, let isWhole, let content):
            guard let field = fields[path] else { throw RefusedMessage(description: "there is no such path") }
            // Both sides have changed it while they were apart: each keeps its own.
            if isWhole, unconfirmed[path] != nil { return number }
            applying = path
            defer { applying = nil }
            try field.apply(content)
            return number
        case .received(let number): unconfirmed = unconfirmed.filter { $0.value > number }
        case .finished: otherIsFinished = true
        }
        return nil
    }

    private func send(_ content: Content, _ path: String, isWhole: Bool) {
        sent += 1
        // A whole value that nobody changed here since the other side had it must not win over a change made there.
        if !isWhole || unconfirmed[path] != nil { unconfirmed[path] = sent }
        if isConnected { send(.change(path: path, number: sent, isWhole: isWhole, content: content)) }
    }

    private func send(_ message: Message) {
        // What is encoded here are strings and numbers, which cannot fail.
        outgoing.append(try! JSONEncoder().encode(message))
        outgoing.append(UInt8(ascii: "\n"))
    }
}
