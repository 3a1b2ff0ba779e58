import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Note: TrackedObject {
    @Observed var text = ""
    @Observed var length = 0
}

private final class Desk: TrackedObject {
    @Observed var note: Note?
    @Observed var drawer: Note?
}

/// What handlers change while a step is recorded, undone or bound.
struct StaleStepTests {
    @Test("an object that dies when its only step is undone takes the step with it") func dies() {
        let desk = Desk()
        desk.note = Note()
        let history = UndoHistory(of: desk.note!)
        desk.note!.text = "a"
        desk.note!.$text.observe { [unowned desk] _ in desk.note = nil }
        #expect(history.undo())
        #expect(!history.canUndo && !history.canRedo)
    }

    @Test("a part that moves and is changed in one step is undone and made again as a whole", arguments: [false, true])
    func moved(byHandler: Bool) {
        let (desk, note) = (Desk(), Note())
        desk.note = note
        func fileAway() {
            desk.drawer = note
            note.text = "filed"
        }
        // It is called before the history, which so hears of all that it does when the note has left.
        let observation = desk.$note.observe { _ in if byHandler { fileAway() } }
        let history = UndoHistory(of: desk, includingParts: true)
        if byHandler {
            desk.note = nil
        } else {
            coalescingChanges {
                desk.note = nil
                fileAway()
            }
        }
        observation.remove()
        for _ in 0..<3 {
            #expect(history.undo() && !history.canUndo)
            #expect(desk.note === note && desk.drawer == nil && note.text == "")
            #expect(history.redo() && !history.canRedo)
            #expect(desk.note == nil && desk.drawer === note && note.text == "filed")
        }
        // Gone for good: from the next step on it is nobody's part.
        desk.drawer = nil
        note.text = "elsewhere"
        expectEqual(history.undoName, "drawer")
    }

    @Test("the parts of an object that has died are recorded no longer") func partsOfTheDead() {
        let (note, other) = (Note(), Desk())
        let history: UndoHistory
        do {
            let desk = Desk()
            desk.note = note
            history = UndoHistory(of: [desk, other], includingParts: true)
        }
        other.drawer = Note()
        note.text = "elsewhere"
        expectEqual(history.undoName, "drawer")
    }

    @Test("a limit that is lowered while a step is undone holds behind it") func limit() {
        let note = Note()
        let history = UndoHistory(of: note)
        note.text = "a"
        note.text = "b"
        note.$text.observe(options: .once) { [unowned history] _ in history.limit = 0 }
        #expect(history.undo())
        #expect(note.text == "a" && !history.canUndo && !history.canRedo)
    }

    @Test("what an observer of the history changes comes behind the change that it hears of") func redoable() {
        let note = Note()
        let history = UndoHistory(of: note)
        note.text = "a"
        note.text = "b"
        history.undo()
        history.onRedoable { [unowned note] in if note.text == "c" { note.text = "d" } }
        note.text = "c"
        #expect(note.text == "d" && !history.canRedo)
        history.undo()
        expectEqual(note.text, "a")
        history.redo()
        expectEqual(note.text, "d")
    }

    @Test("a step that is recorded when an object dies empties what can be redone") func forgotten() {
        let note = Note()
        var other: Note? = Note()
        let history = UndoHistory(of: [note, other!])
        note.text = "a"
        other!.text = "o"
        note.text = "b"
        history.undo()
        history.onUndoable { [unowned note] in if note.text == "a" { note.text = "c" } }
        other = nil
        #expect(note.text == "c" && !history.canRedo)
    }

    @Test("a path that a prior handler overtakes ends on the value of the source") func path() {
        let (desk, source) = (Desk(), Note())
        desk.note = Note()
        desk.$note.$text.bind(to: source.$text)
        desk.note!.$text.observe(options: .prior) { [unowned source] change in
            if change.isPrior, source.text == "b" { source.text = "c" }
        }
        source.text = "b"
        #expect(source.text == "c" && desk.note!.text == "c")
    }

    @Test("a property that is bound both ways does not write an older value back") func bothWays() {
        let (own, source) = (Note(), Note())
        own.$text.bindBothWays(to: source.$text)
        own.$text.observe(options: .prior) { [unowned source] change in
            if change.isPrior, source.text == "b" { source.text = "c" }
        }
        source.text = "b"
        #expect(source.text == "c" && own.text == "c")
        own.text = "d"
        expectEqual(source.text, "d")
    }

    @Test("a transform of a path that changes the source ends on the value of the source") func transform() {
        let (desk, source) = (Desk(), Note())
        desk.note = Note()
        desk.$note.$text.bind(to: source.$text) { [unowned source] text in
            if text == "b" { source.text = "c" }
            return text
        }
        source.text = "b"
        #expect(source.text == "c" && desk.note!.text == "c")
    }
}

extension UndoHistory {
    fileprivate func onRedoable(_ handler: @escaping () -> Void) {
        do { try observe("canRedo") { _ in handler() } } catch { Issue.record(error) }
    }
    fileprivate func onUndoable(_ handler: @escaping () -> Void) {
        do { try observe("canUndo") { _ in handler() } } catch { Issue.record(error) }
    }
}
