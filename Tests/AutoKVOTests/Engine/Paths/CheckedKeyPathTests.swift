import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private final class Chain: Model {
    @Observed var a = 1
    @Observed var next: Chain?
}

@Suite("The key paths that a class keeps") struct CheckedKeyPathTests {
    private func schema() throws -> ClassSchema { try ClassSchema.of(Chain.self) }
    private func path(_ length: Int) -> String { String(repeating: "next.", count: length) + "a" }

    @Test("a path that is used again is the same one") func kept() throws {
        let first = try CheckedKeyPath.of(path(3), from: schema())
        #expect(try CheckedKeyPath.of(path(3), from: schema()) === first)
        #expect(first.valueType == Int.self && first.path.keys == ["next", "next", "next", "a"])
    }

    @Test("text from outside cannot make a class keep many paths, long ones, or wrong ones") func bounded() throws {
        let schema = try schema()
        func count() -> Int { schema.paths.withLock { $0.count } }
        for length in 1...300 {
            _ = try CheckedKeyPath.of(path(length), from: schema)
            #expect(throws: KeyValueError.self) { try CheckedKeyPath.of(path(length) + "b", from: schema) }
            #expect(count() <= CheckedKeyPath.maximumCount)
        }
        #expect(schema.paths.withLock { $0.keys.allSatisfy { $0.utf8.count <= CheckedKeyPath.maximumLength } })
    }

    @Test("threads that use paths of one class at once get what each asked for") func threads() throws {
        let schema = try schema()
        concurrently(4) { _ in
            for round in 0..<load(400) {
                let length = round % 45 + 1
                let keys = try? CheckedKeyPath.of(path(length), from: schema).path.keys.count
                if keys != length + 1 { Issue.record("\(String(describing: keys)) for \(length)") }
            }
        }
    }
}
