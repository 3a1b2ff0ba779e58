import Foundation

/// An article of the documentation, and the pieces of code in it.
struct Article {
    /// One block of Swift code, under the comment `<!-- snippet: id -->`.
    struct Snippet {
        let id: String
        let line: Int
        let code: [String]
    }

    let name: String
    var snippets: [Snippet] = []
    /// Lines that begin a block of Swift code without an id.
    var unnamedBlocks: [Int] = []

    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let catalogue = root.appending(path: "docs/AutoKVO.docc")

    static func all() throws -> [Article] {
        try files(in: catalogue, "md").map { try Article(name: $0.lastPathComponent, text: lines(of: $0)) }
    }

    init(name: String, text: [String]) {
        self.name = name
        var id: String?
        var open: Snippet?
        var isOther = false
        for (index, line) in text.enumerated() {
            if let snippet = open {
                if line == "```" {
                    snippets.append(snippet)
                    open = nil
                } else {
                    open = Snippet(id: snippet.id, line: snippet.line, code: snippet.code + [line])
                }
            } else if isOther {
                isOther = line != "```"
            } else if line.hasPrefix("```swift") {
                if id == nil { unnamedBlocks.append(index + 1) }
                open = Snippet(id: id ?? "", line: index + 1, code: [])
                id = nil
            } else if line.hasPrefix("```") {
                isOther = true
            } else if line.hasPrefix("<!-- snippet: "), line.hasSuffix(" -->") {
                id = String(line.dropFirst(14).dropLast(4))
            }
        }
    }

    /// The regions of this target's sources, and of the target that is bound to the main actor, between `// snippet: id` and
    /// `// end`, without their indentation.
    static func regions() throws -> [(id: String, place: String, code: [String])] {
        var regions: [(String, String, [String])] = []
        let targets = ["AutoKVODocTests", "AutoKVOMainActorTests"].map { root.appending(path: "Tests/\($0)") }
        for file in try targets.flatMap({ try files(in: $0, "swift") }) {
            var open: (id: String, line: Int, indentation: Int)?
            var code: [String] = []
            for (index, line) in try lines(of: file).enumerated() {
                let text = line.drop { $0 == " " }
                if let region = open {
                    if text == "// end" {
                        regions.append((region.id, "\(file.lastPathComponent):\(region.line)", code))
                        open = nil
                    } else {
                        code.append(String(line.dropFirst(text.isEmpty ? line.count : region.indentation)))
                    }
                } else if text.hasPrefix("// snippet: ") {
                    open = (String(text.dropFirst(12)), index + 1, line.count - text.count)
                    code = []
                }
            }
        }
        return regions
    }

    private static func files(in folder: URL, _ suffix: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == suffix }.sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    private static func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
    }
}

extension Article.Snippet {
    /// What the code says that it prints: the rest of each line behind `// prints: `.
    var output: [String] {
        code.compactMap { line in line.range(of: "// prints: ").map { String(line[$0.upperBound...]) } }
    }
}
