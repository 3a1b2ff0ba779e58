import Foundation
import Testing

/// What the code of an article prints: a test names a local function `print` that leads here, and then compares.
final class Output: @unchecked Sendable {
    // `lines` is guarded by `lock`.
    private let lock = NSLock()
    private var lines: [String] = []

    func add(_ items: [Any]) {
        let line = items.map { "\($0)" }.joined(separator: " ")
        lock.withLock { lines.append(line) }
    }

    /// Compares what was printed with the comments in the article: those of one piece of code, or of several in their order.
    func expect(_ ids: String..., sourceLocation: SourceLocation = #_sourceLocation) throws {
        let snippets = try Article.all().flatMap(\.snippets)
        let expected = try ids.flatMap { id in
            try #require(
                snippets.first { $0.id == id }, "no article has the code \(id)", sourceLocation: sourceLocation
            ).output
        }
        let lines = lock.withLock { self.lines }
        #expect(lines == expected, sourceLocation: sourceLocation)
    }
}
