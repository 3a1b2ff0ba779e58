import AutoKVO

/// A document, its history, and the one rule that the editor adds: an empty paragraph does not stay.
final class Editor: TrackedObject {
    let document: Document
    let history: History
    let status = StatusLine()

    init(_ document: Document) throws {
        self.document = document
        history = try History(of: document)
        super.init()
        // A key's own observers are called before those of derived keys. So the history, which observes `text`, has the change
        // when this removes the paragraph, though the change of its text is still being delivered.
        observe(\.wordCount, of: document) { editor, _ in editor.removeEmptyParagraphs() }
        status.follow(self)
    }

    func edit(_ title: String, _ changes: () throws -> Void) rethrows { try history.record(title, changes) }

    private func removeEmptyParagraphs() {
        guard !history.isReplaying else { return }  // what the rule did is in the history
        for section in document.sections { section.$paragraphs.removeAll { $0.wordCount == 0 } }
    }
}

/// What is to be shown of an editor. It follows the editor and is not known to it by more than its name. Only its own bindings set
/// its properties.
final class StatusLine: TrackedObject {
    @ObservedReadOnly private(set) var title = ""
    @ObservedReadOnly private(set) var words = 0
    @ObservedReadOnly private(set) var isDirty = false
    @ObservedReadOnly private(set) var undoTitle: String?

    var text: String {
        "\(title)\(isDirty ? "*" : ""), \(words) words" + (undoTitle.map { ", undo: \($0)" } ?? "")
    }

    override class var schema: Schema {
        Schema(StatusLine.self, extending: super.schema) {
            Key("text", \.text, affectedBy: "title", "words", "isDirty", "undoTitle")
        }
    }

    func follow(_ editor: Editor) {
        editable(\._title).bind(to: editor.document.$title)
        editable(\._words).bind(to: \.wordCount, of: editor.document)
        editable(\._isDirty).bind(to: \.isDirty, of: editor.history)
        editable(\._undoTitle).bind(to: \.undoTitle, of: editor.history)
    }
}
