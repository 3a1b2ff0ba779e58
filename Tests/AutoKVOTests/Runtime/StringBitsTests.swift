import Testing

@testable import AutoKVO

/// The bits of strings as keys.
struct StringBitsTests {
    /// A string of the same characters that shares no memory with the first.
    private func copy(_ text: String) -> String { String(decoding: Array(text.utf8), as: UTF8.self) }

    @Test("equal strings of up to 15 bytes have the same bits and hash, however they were made", arguments: 0...15)
    func short(length: Int) {
        let text = String(repeating: "k", count: length)
        expectEqual(StringBits(text), StringBits(copy(text)))
        expectEqual(StringBits(text).hashValue, StringBits(copy(text)).hashValue)
    }

    @Test(
        "different strings have different bits",
        arguments: ["", "a", "b", "aa", "name", "a name of more than 15 bytes"])
    func different(text: String) {
        for other in ["", "a", "b", "aa", "name", "a name of more than 15 bytes"] where other != text {
            #expect(StringBits(text) != StringBits(other))
        }
    }

    @Test("one string has the same bits at each use, whatever its length") func stable() {
        let text = copy("a name of more than 15 bytes")
        expectEqual(StringBits(text), StringBits(text))
    }

    @Test("equal strings in two Unicode forms have different bits, so a table needs the names as well") func forms() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        expectEqual(composed, decomposed)
        #expect(StringBits(composed) != StringBits(decomposed))
    }
}
