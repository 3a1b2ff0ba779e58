import AutoKVO

/// A change of a property, or its whole value, which is a change of the kind `.setting`.
enum Content: Codable {
    case text(ChangeRecord<String>)
    case number(ChangeRecord<Int>)
    case list(ChangeRecord<[String]>)
    case labels(ChangeRecord<Set<String>>)
}

/// What one side says to the other: one line of JSON.
enum Message: Codable {
    /// The first message of a connection: whether this side has nothing yet and takes the whole board.
    case hello(needsEverything: Bool)
    /// `number` counts what this side has sent, over all connections.
    case change(path: String, number: Int, isWhole: Bool, content: Content)
    /// All whole values that the other side's `hello` asked for have been sent.
    case complete
    /// Everything up to this number has been applied.
    case received(Int)
    /// This side makes no more changes, and all that it made have been confirmed.
    case finished
}

/// Why a message is refused. The connection is then closed, and the next one begins with the whole board.
struct RefusedMessage: Error, CustomStringConvertible {
    let description: String
}
