import AutoKVO

/// Lines from any thread, in the order of their arrival.
public final class MessageLog: Sendable {
    private let lines = Guarded<[String]>([])

    public init() {}

    public var messages: [String] { lines.withLock { $0 } }
    public func add(_ line: String) { lines.withLock { $0.append(line) } }
    public func clear() { lines.withLock { $0 = [] } }
}
