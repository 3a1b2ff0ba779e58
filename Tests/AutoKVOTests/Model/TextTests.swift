import Testing

@testable import AutoKVO

/// Names and texts in messages.
struct TextTests {
    @Test(
        "the nearest name differs by a third of its letters at most, or in case only",
        arguments: [
            ("naem", "name"), ("nam", "name"), ("NAME", "name"), ("nmae", "name"), ("adress", "address"), ("x", nil),
            ("completelyElse", nil), ("", nil),
        ] as [(String, String?)])
    func nearest(name: String, expected: String?) {
        expectEqual(nearestName(to: name, among: ["name", "address", "fullName"]), expected)
    }

    @Test("of names that are equally near the first in the alphabet is proposed, whatever the order of the list")
    func tie() {
        expectEqual(nearestName(to: "bat", among: ["rat", "cat", "hat"]), "cat")
        expectEqual(nearestName(to: "bat", among: ["hat", "cat", "rat"]), "cat")
        #expect(nearestName(to: "bat", among: []) == nil)
    }

    @Test("a name of any length is compared") func longName() {
        #expect(nearestName(to: String(repeating: "n", count: 100_000), among: ["name"]) == nil)
    }

    @Test("invisible characters are escaped, quotation marks only between quotation marks") func escaping() {
        expectEqual(shown("red\u{1B}[31m \"x\""), "red\\u{1B}[31m \"x\"")
        expectEqual(shown("a\u{202E}b"), "a\\u{202E}b")
        expectEqual(quoted("a \"b\" \\"), #""a \"b\" \\""#)
        expectEqual(shown("straße 東京"), "straße 東京")
    }

    @Test("a text is cut after 200 characters, a list after eight items") func cutting() {
        expectEqual(shown(String(repeating: "x", count: 200)), String(repeating: "x", count: 200))
        expectEqual(shown(String(repeating: "x", count: 201)), String(repeating: "x", count: 200) + "…")
        expectEqual(listed((1...8).map(String.init)), "1, 2, 3, 4, 5, 6, 7, 8")
        expectEqual(listed((1...10).map(String.init)), "1, 2, 3, 4, 5, 6, 7, 8 and 2 more")
        expectEqual(listed([]), "")
    }

    @Test(
        "a key's name has no dot, no | and no @ at its beginning, and is not empty",
        arguments: ["", "a.b", "a|b", "@a"])
    func keyNames(name: String) {
        #expect(KeyPathText.problem(inKey: name) != nil)
        #expect(KeyPathText.problem(inKey: "a@") == nil)
    }

    @Test("a path is its parts between dots, none of them empty") func parts() throws {
        try expectEqual(KeyPathText.parts(of: "a.b.@sum.c"), ["a", "b", "@sum", "c"])
        for path in ["", ".", "a.", ".a", "a..b", "a.@"] {
            #expect(throws: KeyValueError.self) { try KeyPathText.parts(of: path) }
        }
    }
}
