import AutoKVO
import Testing

@testable import Editor

private func makeEditor() -> Editor {
    let document = Document(title: "Travels")
    document.sections = [
        Section(heading: "Ulm", "The Danube is young", "The minster has 768 steps"),
        Section(heading: "Linz", "A tram climbs"),
    ]
    return Editor(document)
}

/// All that is in a document, for comparing.
private func content(_ editor: Editor) -> [String] { editor.document.content }

/// Undoes all steps, and says how many there were.
private func undoAll(_ editor: Editor) -> Int {
    var count = 0
    while editor.history.undo() { count += 1 }
    return count
}

@Suite("Editor") struct EditorTests {
    @Test("word counts follow changes at every depth") func wordCounts() throws {
        let editor = makeEditor()
        #expect(editor.document.wordCount == 12)
        var counts: [Int] = []
        editor.document.observe(\.wordCount, options: [.new, .distinct]) { _, change in counts += [change.newValue!] }
        editor.document.sections[0].paragraphs[0].text += " here"
        editor.document.sections[1].$paragraphs.append(Paragraph("up the hill"))
        editor.document.$sections.removeFirst()
        #expect(counts == [13, 16, 6])
    }

    @Test("undo and redo go back and forth through every kind of change") func undoRedo() throws {
        let editor = makeEditor()
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
                editor.history.undo()
                #expect(content(editor) == state)
            }
            #expect(!editor.history.canUndo)
            for state in states.dropFirst() {
                editor.history.redo()
                #expect(content(editor) == state)
            }
            #expect(!editor.history.canRedo)
        }
    }

    @Test("a paragraph that loses its words is removed while that is delivered, and one undo brings both back")
    func emptyParagraph() throws {
        let editor = makeEditor()
        let before = content(editor)
        let paragraph = editor.document.sections[0].paragraphs[0]
        editor.edit("Clear") { paragraph.text = " " }
        #expect(editor.document.sections[0].paragraphs.count == 1)
        let after = content(editor)
        editor.history.undo()
        #expect(content(editor) == before && !editor.history.canUndo)
        #expect(editor.document.sections[0].paragraphs[0] === paragraph)
        editor.history.redo()
        #expect(content(editor) == after)
    }

    @Test("what is not in the document is not recorded, and is again when it comes back") func outside() throws {
        let editor = makeEditor()
        let section = editor.document.$sections.removeFirst()
        section.paragraphs[0].text = "changed outside"
        #expect(undoAll(editor) == 1)
        section.paragraphs[0].text = "changed inside"
        #expect(editor.history.undoName == "text" && undoAll(editor) == 1)
    }

    @Test("the dirty flag compares with what was saved") func dirty() throws {
        let editor = makeEditor()
        let history = editor.history
        #expect(!editor.isDirty)
        editor.document.title = "A"
        editor.markSaved()
        #expect(!editor.isDirty)
        history.undo()
        #expect(editor.isDirty)
        history.redo()
        #expect(!editor.isDirty)
        history.undo()
        editor.document.title = "B"  // as many edits as were saved, and yet others
        #expect(editor.isDirty)
        history.undo()
        #expect(editor.isDirty)
    }

    @Test("the status line follows the document and the history, and does not keep them") func status() throws {
        var editor: Editor? = makeEditor()
        let status = editor!.status
        #expect(status.text == "Travels, 12 words")
        editor!.edit("Delete") { _ = editor!.document.$sections.removeLast() }
        #expect(status.text == "Travels*, 9 words, undo: Delete")
        editor!.markSaved()
        #expect(status.text == "Travels, 9 words, undo: Delete")
        weak let document = editor!.document
        editor = nil
        #expect(document == nil)
        #expect(status.observations().isEmpty)
        #expect(status.text == "Travels, 9 words, undo: Delete")
    }

    @Test("a script is read by lines, whatever they end with", arguments: ["\n", "\r\n", "\r"])
    func lines(end: String) {
        let text = ["title Travels", "", "section Ulm", "undo", ""].joined(separator: end)
        #expect(Script.lines(of: text) == ["title Travels", "section Ulm", "undo"])
    }

    @Test("a script runs, and a line that means nothing changes nothing") func script() throws {
        let editor = makeEditor()
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
        for line in [
            "move 1 3", "text 1 x", "text 1.9 x", "delete", "delete 0", "delete -1.1", "add \(Int.min) x",
            "text 1.\(Int.min) x", "move 2 \(Int.min)", "add x y", "dance", "delete .1", "delete 1.", "delete 1.1.1",
        ] {
            #expect(throws: Script.Mistake.self) { try script.run(line) }
        }
        #expect(undoAll(editor) == 3)
    }
}
