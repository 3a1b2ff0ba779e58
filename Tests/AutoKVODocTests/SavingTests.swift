// snippet: saving.import
import AutoKVO
import Foundation
// end
import Testing

/// The code of `Saving-and-Undoing.md`.
struct SavingTests {
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

    // snippet: saving.book
    final class Notebook: TrackedObject {
        @Observed var name = "Notes"
        @Observed var notes: [Note] = []

        override class var schema: Schema {
            Schema(Notebook.self, extending: super.schema) { Key("name", \.name) }
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

    @Test("an object with parts") func parts() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: saving.parts
        let book = Notebook()
        book.notes = [Note()]
        var values = try book.dictionaryWithValues(asRawValues: true)
        values["notes"] = try book.notes.map { try $0.dictionaryWithValues(asRawValues: true) }
        let data = try JSONSerialization.data(withJSONObject: values)

        var read = try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
        let entries = read.removeValue(forKey: "notes") as? [[String: Any]] ?? []
        let notes = try entries.map { entry in
            let note = Note()
            try note.setValues(entry, validating: true)
            return note
        }
        let copy = Notebook()
        try copy.setValues(read, validating: true)
        copy.notes = notes
        print(copy.name, copy.notes.map(\.title))  // prints: Notes ["Untitled"]
        // end
        try output.expect("saving.parts")
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

    @Test("undo in the parts") func undoParts() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: saving.undo-parts
        let book = Notebook()
        let history = UndoHistory(of: book, includingParts: true)
        book.$notes.append(Note())
        book.notes[0].title = "Travels"
        print(history.undoName ?? "-")  // prints: title
        history.undo()
        print(book.notes[0].title)  // prints: Untitled
        // end
        try output.expect("saving.undo-parts")
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
