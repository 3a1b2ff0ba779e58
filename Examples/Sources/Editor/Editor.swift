import AutoKVO

/// A document, its history, whether it is saved, and the one rule that the editor adds: an empty paragraph does not stay.
final class Editor: TrackedObject {
    // Declared before the document, and so released before it: it drops the steps of objects that die, which the status line would show.
    let history: UndoHistory
    let document: Document
    let status = StatusLine()
    @ObservedReadOnly private var saved: [String]

    @Derived({ (editor: Editor) in editor.saved != editor.document.content }) var isDirty: Bool

    init(_ document: Document) {
        self.document = document
        history = UndoHistory(of: document, includingParts: true)
        saved = document.content
        super.init()
        observe(\.wordCount, of: document) { editor, _ in editor.removeEmptyParagraphs() }
        status.follow(self)
    }

    /// Makes all changes in a closure one step. A change outside of it is a step of its own.
    func edit(_ title: String, _ changes: () throws -> Void) rethrows { try history.group(title, changes) }

    func markSaved() { saved = document.content }

    /// What this changes belongs to the step whose change it answers. When a step is undone, all of it is undone before this runs, so
    /// there is no empty paragraph.
    private func removeEmptyParagraphs() {
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
        editable(\._isDirty).bind(to: editor.$isDirty)
        editable(\._undoTitle).bind(to: \.undoName, of: editor.history)
    }
}
