import AutoKVO
import Foundation
import Testing

private class Note: TrackedObject, Codable {
    @Observed var text = ""
    @Observed var due: Date?
    @Observed var tags: Set<String> = []
    @ObservedReadOnly private(set) var owner = "nobody"
    @ObservedReadOnly private(set) var reviewer: String?
    @Observed var parts: [Note] = []

    override init() {}
    func review(by name: String) { reviewer = name }
}

private class Level: TrackedObject, Codable {
    @Observed(.distinct) var number = 1
    @Observed(.distinct) var name: String?

    override init() {}

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        super.init()
        number = try container.decode(Int.self, forKey: .number)
        name = try container.decodeIfPresent(String.self, forKey: .name)
    }

    private enum CodingKeys: String, CodingKey { case number, name }
}

/// Tracked classes that are Codable.
struct CodableTests {
    @Test("synthesized code takes each property for its value, there and back") func roundTrip() throws {
        let note = Note()
        note.text = "t"
        note.due = Date(timeIntervalSince1970: 0)
        note.tags = ["a"]
        note.review(by: "Eve")
        note.parts = [Note()]
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys]
        decoder.dateDecodingStrategy = .iso8601
        let data = try encoder.encode(note)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"due":"1970-01-01T00:00:00Z","owner":"nobody","parts":[{"owner":"nobody","parts":[],"tags":[],"text":""}],"reviewer":"Eve","tags":["a"],"text":"t"}"#
        )
        let copy = try decoder.decode(Note.self, from: data)
        #expect(copy.text == "t" && copy.due == note.due && copy.tags == ["a"] && copy.owner == "nobody")
        #expect(copy.reviewer == "Eve" && copy.parts.count == 1)
    }

    @Test("an optional property that the data does not have is nil, any other an error") func missing() throws {
        let data = Data(#"{"text":"x","tags":[],"owner":"o","parts":[],"reviewer":null}"#.utf8)
        let note = try JSONDecoder().decode(Note.self, from: data)
        #expect(note.due == nil && note.reviewer == nil && note.owner == "o")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Note.self, from: Data(#"{"text":"x"}"#.utf8))
        }
    }

    @Test("the properties of a decoded object are observed as any others") func observed() throws {
        let note = try JSONDecoder().decode(
            Note.self, from: Data(#"{"text":"x","tags":[],"owner":"o","parts":[]}"#.utf8))
        var told: [String] = []
        note.$text.observe(options: [.old, .new]) { told.append("\($0.oldValue!) \($0.newValue!)") }
        note.text = "y"
        #expect(told == ["x y"])
    }

    @Test("distinct properties are coded like others, and compare after decoding by assignment") func distinct() throws
    {
        let level = try JSONDecoder().decode(Level.self, from: Data(#"{"number":3}"#.utf8))
        #expect(level.number == 3 && level.name == nil)
        var calls = 0
        level.$number.observe { _ in calls += 1 }
        level.number = 3
        #expect(calls == 0)
        level.number = 4
        #expect(calls == 1)
        level.number = 3
        level.name = "x"
        let copy = try JSONDecoder().decode(Level.self, from: try JSONEncoder().encode(level))
        #expect(copy.number == 3 && copy.name == "x")
    }
}
