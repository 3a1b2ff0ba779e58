import AutoKVO
import Testing

@testable import Editor

private func makeEditor() throws -> Editor {
    let document = Document(title: "Travels")
    document.sections = [
        Section(heading: "Ulm", "The Danube is young", "The minster has 768 steps"),
        Section(heading: "Linz", "A tram climbs"),
    ]
    return try Editor(document)
}

/// All that is in a document, for comparing.
private func content(_ editor: Editor) -> [String] { [editor.document.title] + editor.document.lines }

@Suite("Editor") struct EditorTests {
    @Test("word counts follow changes at every depth") func wordCounts() throws {
        let editor = try makeEditor()
        #expect(editor.document.wordCount == 12)
        var counts: [Int] = []
        editor.document.observe(\.wordCount, options: [.new, .distinct]) { _, change in counts += [change.newValue!] }
        editor.document.sections[0].paragraphs[0].text += " here"
        editor.document.sections[1].$paragraphs.append(Paragraph("up the hill"))
        editor.document.$sections.removeFirst()
        #expect(counts == [13, 16, 6])
    }

    @Test("undo and redo go back and forth through every kind of change") func undoRedo() throws {
        let editor = try makeEditor()
        let document = editor.document
        var states = [content(editor)]
        let edits: [() -> Void] = [
            { document.title = "Journeys" },
            { document.$sections.append(Section(heading: "Graz", "A clock on a rock")) },
            { document.$sections.swapAt(0, 2) },
            { document.sections[2].$paragraphs.insert(contentsOf: [Paragraph("one"), Paragraph("two")], at: 1) },
            { document.sections[2].$paragraphs.removeSubranges(RangeSet([0..<1, 2..<3])) },
            { document.sections[2].$paragraphs[0] = Paragraph("replaced") },
            { document.$sections.remove(at: 1) },
            { document.sections.reverse() },
            { document.sections = [] },
        ]
        for (number, edit) in edits.enumerated() {
            editor.edit("Edit \(number)", edit)
            states.append(content(editor))
        }
        for _ in 0..<2 {
            for state in states.dropLast().reversed() {
                try editor.history.undo()
                #expect(content(editor) == state)
            }
            #expect(editor.history.undoable.isEmpty)
            for state in states.dropFirst() {
                try editor.history.redo()
                #expect(content(editor) == state)
            }
            #expect(editor.history.redoable.isEmpty)
        }
    }

    @Test("a paragraph that loses its words is removed while that is delivered, and one undo brings both back")
    func emptyParagraph() throws {
        let editor = try makeEditor()
        let before = content(editor)
        let paragraph = editor.document.sections[0].paragraphs[0]
        editor.edit("Clear") { paragraph.text = " " }
        #expect(editor.document.sections[0].paragraphs.count == 1)
        #expect(editor.history.undoable.count == 1 && editor.history.undoable[0].steps.count == 2)
        let after = content(editor)
        try editor.history.undo()
        #expect(content(editor) == before)
        #expect(editor.document.sections[0].paragraphs[0] === paragraph)
        try editor.history.redo()
        #expect(content(editor) == after)
    }

    @Test("what is not in the document is not recorded, and is again when it comes back") func outside() throws {
        let editor = try makeEditor()
        let section = editor.document.$sections.removeFirst()
        section.paragraphs[0].text = "changed outside"
        #expect(editor.history.undoable.count == 1)
        try editor.history.undo()
        section.paragraphs[0].text = "changed inside"
        #expect(editor.history.undoable.map(\.title) == ["Change text"])
    }

    @Test("the dirty flag compares with what was saved") func dirty() throws {
        let editor = try makeEditor()
        let history = editor.history
        #expect(!history.isDirty)
        editor.document.title = "A"
        history.markSaved()
        #expect(!history.isDirty)
        try history.undo()
        #expect(history.isDirty)
        try history.redo()
        #expect(!history.isDirty)
        try history.undo()
        editor.document.title = "B"  // as many edits as were saved, and yet others
        #expect(history.isDirty)
        try history.undo()
        #expect(history.isDirty)
    }

    @Test("the status line follows the document and the history, and does not keep them") func status() throws {
        var editor: Editor? = try makeEditor()
        let status = editor!.status
        #expect(status.text == "Travels, 12 words")
        editor!.edit("Delete") { _ = editor!.document.$sections.removeLast() }
        #expect(status.text == "Travels*, 9 words, undo: Delete")
        editor!.history.markSaved()
        #expect(status.text == "Travels, 9 words, undo: Delete")
        weak let document = editor!.document
        editor = nil
        #expect(document == nil)
        #expect(status.observations().isEmpty)
        #expect(status.text == "Travels, 9 words, undo: Delete")
    }

    @Test("a script runs, and a line that means nothing changes nothing") func script() throws {
        let editor = try makeEditor()
        let script = Script(editor: editor)
        for line in ["move 1 2", "add 1 to the top", "text 1.1 A tram goes", "delete 2.1", "undo"] {
            _ = try script.run(line)
        }
        #expect(
            try script.run("show") == [
                "  1. Linz (6 words)", "     A tram goes", "     to the top", "  2. Ulm (9 words)",
                "     The Danube is young",
                "     The minster has 768 steps",
            ])
        for line in ["move 1 3", "text 1 x", "text 1.9 x", "delete", "delete 0", "delete -1.1", "add x y", "dance"] {
            #expect(throws: Script.Mistake.self) { try script.run(line) }
        }
        #expect(editor.history.undoable.count == 3)
    }
}
