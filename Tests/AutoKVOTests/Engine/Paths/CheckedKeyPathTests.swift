import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private final class Chain: Model {
    @Observed var a = 1
    @Observed var next: Chain?
}

/// The key paths that a class keeps: a number of them, so the tests use the class one after the other.
@Suite(.serialized) struct CheckedKeyPathTests {
    private func schema() throws -> ClassSchema { try ClassSchema.of(Chain.self) }
    private func path(_ length: Int) -> String { String(repeating: "next.", count: length) + "a" }

    @Test("a path that is used again is the same one") func kept() throws {
        let first = try CheckedKeyPath.of(path(3), from: schema())
        #expect(try CheckedKeyPath.of(path(3), from: schema()) === first)
        #expect(first.valueType == Int.self && first.path.keys == ["next", "next", "next", "a"])
    }

    @Test("the same text in other memory is the same path, and other text another one") func texts() throws {
        let object = Chain()
        object.next = Chain()
        for length in [1, 3, 20] {
            func copy(_ text: String) -> String { String(decoding: Array(text.utf8), as: UTF8.self) }
            let first = try CheckedKeyPath.of(copy(path(length)), from: schema())
            #expect(try CheckedKeyPath.of(copy(path(length)), from: schema()) === first)
            #expect(try object.value(forKeyPath: copy(path(length))) as? Int == (length == 1 ? 1 : nil))
            #expect(throws: KeyValueError.self) { try object.value(forKeyPath: copy(path(length)) + "b") }
        }
    }

    @Test("text from outside cannot make a class keep many paths, long ones, or wrong ones") func bounded() throws {
        let schema = try schema()
        func count() -> Int { schema.paths.withLock { max($0.byText.count, $0.byBits.count) } }
        for length in 1...300 {
            _ = try CheckedKeyPath.of(path(length), from: schema)
            #expect(throws: KeyValueError.self) { try CheckedKeyPath.of(path(length) + "b", from: schema) }
            #expect(count() <= CheckedKeyPath.maximumCount)
        }
        #expect(schema.paths.withLock { $0.byText.keys.allSatisfy { $0.utf8.count <= CheckedKeyPath.maximumLength } })
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
