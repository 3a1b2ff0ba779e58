import AutoKVO

/// A text with sections. Nothing here knows of undo, of the status line or of saving: all of these observe.
final class Document: TrackedObject {
    @Observed var title: String
    @Observed var sections: [Section] = []

    init(title: String) { self.title = title }

    var wordCount: Int { sections.reduce(0) { $0 + $1.wordCount } }

    override class var schema: Schema {
        Schema(Document.self, extending: super.schema) {
            Key("title", \.title)
            Key("sections", \.sections)
            Key("wordCount", \.wordCount, affectedBy: "sections.@sum.wordCount")
        }
    }
}

final class Section: TrackedObject {
    @Observed var heading: String
    @Observed var paragraphs: [Paragraph]

    init(heading: String, _ paragraphs: String...) {
        self.heading = heading
        self.paragraphs = paragraphs.map(Paragraph.init)
    }

    var wordCount: Int { paragraphs.reduce(0) { $0 + $1.wordCount } }

    override class var schema: Schema {
        Schema(Section.self, extending: super.schema) {
            Key("heading", \.heading)
            Key("paragraphs", \.paragraphs)
            Key("wordCount", \.wordCount, affectedBy: "paragraphs.@sum.wordCount")
        }
    }
}

final class Paragraph: TrackedObject {
    @Observed var text: String

    init(_ text: String) { self.text = text }

    var wordCount: Int { text.split(whereSeparator: \.isWhitespace).count }

    override class var schema: Schema {
        Schema(Paragraph.self, extending: super.schema) {
            Key("text", \.text)
            Key("wordCount", \.wordCount, affectedBy: "text")
        }
    }
}
