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

    /// Compares what was printed with the comments in the article.
    func expect(_ id: String, _ sourceLocation: SourceLocation = #_sourceLocation) throws {
        let snippets = try Article.all().flatMap(\.snippets).filter { $0.id == id }
        let snippet = try #require(snippets.first, "no article has the code \(id)", sourceLocation: sourceLocation)
        let lines = lock.withLock { self.lines }
        #expect(lines == snippet.output, sourceLocation: sourceLocation)
    }
}
