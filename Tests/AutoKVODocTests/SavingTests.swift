// snippet: saving.import
import AutoKVO
import Foundation
// end
import Testing

/// The code of `Saving-and-Undoing.md`.
@Suite("Saving, undoing and copying") struct SavingTests {
    // snippet: saving.model
    final class Note: TrackedObject {
        @Observed var title = "Untitled"
        @Observed var lines: [String] = []
        @Observed var isPinned = false

        override class var schema: Schema {
            Schema(Note.self, extending: super.schema) {
                Key("title", \.title) { _, title in
                    title = title.trimmingCharacters(in: .whitespaces)
                    if title.isEmpty { throw KeyValueError(.invalidValue("a note needs a title")) }
                }
                Key("lines", \.lines)
                Key("isPinned", \.isPinned)
            }
        }
    }
    // end

    @Test("save and read") func json() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: saving.json
        let note = Note()
        note.title = "Travels"
        note.$lines.append("Ulm")
        let values = try note.dictionaryWithValues(asRawValues: true)
        let data = try JSONSerialization.data(withJSONObject: values, options: .sortedKeys)
        print(String(decoding: data, as: UTF8.self))  // prints: {"isPinned":false,"lines":["Ulm"],"title":"Travels"}

        let read = Note()
        try read.setValues(JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:], validating: true)
        print(read.title, read.lines)  // prints: Travels ["Ulm"]
        // end
        try output.expect("saving.json")
    }

    @Test("what is wrong in a file") func wrong() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: saving.wrong
        let note = Note()
        do {
            try note.setValues(["titel": "Travels", "title": "  ", "isPinned": true], validating: true)
        } catch {
            for entry in error.errors { print(entry) }
        }
        // prints: unknown key "titel": Note has no key "titel", did you mean "title"?
        // prints: invalid value for "title": a note needs a title
        print(note.isPinned)  // prints: false
        // end
        try output.expect("saving.wrong")
    }

    @Test("undo and redo") func undo() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: saving.undo
        let note = Note()
        let history = UndoHistory(of: note)
        note.title = "Travels"
        history.group("Write") {
            note.$lines.append("Ulm")
            note.isPinned = true
        }
        print(history.undoName ?? "-")  // prints: Write
        history.undo()
        print(note.title, note.lines, note.isPinned)  // prints: Travels [] false
        history.undo()
        print(note.title, history.canUndo)  // prints: Untitled false
        history.redo()
        history.redo()
        print(note.lines, note.isPinned)  // prints: ["Ulm"] true
        // end
        try output.expect("saving.undo")
    }

    @Test("keep two equal") func copy() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: saving.copy
        let (note, copy) = (Note(), Note())
        note.$lines.observe(options: [.old, .new]) { change in
            do {
                let sent = try JSONEncoder().encode(ChangeRecord(change))
                try JSONDecoder().decode(ChangeRecord<[String]>.self, from: sent).apply(on: copy)
            } catch {
                print(error)
            }
        }
        note.$lines.append("Ulm")
        note.$lines.insert("Linz", at: 0)
        print(copy.lines)  // prints: ["Linz", "Ulm"]
        // end
        try output.expect("saving.copy")
    }
}
