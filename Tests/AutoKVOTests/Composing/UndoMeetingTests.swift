import AutoKVO
import AutoKVOTestSupport
import Testing

private class Sheet: Model {
    @Observed var size = 1
    @Observed var label = ""
    @Observed var items: [Int] = []
    override class var schema: Schema {
        Schema(Sheet.self, extending: super.schema) { Key("items", \.items) }
    }
}

/// A setter that changes other properties by their handles.
private final class Sized: Sheet {
    override var size: Int {
        get { super.size }
        set {
            super.size = newValue
            $label.value = "size \(newValue)"
            $items.append(newValue)
        }
    }
    override class var schema: Schema { Schema(Sized.self, extending: super.schema) { Key("size", \.size) } }
}

private final class Box: Model {
    @Observed var name = ""
    @Observed var items: [Box] = []
    @Observed var current: Box?
    override class var schema: Schema {
        Schema(Box.self, extending: super.schema) { Key("current", \.current, notifiesAutomatically: false) }
    }
}

private struct Item: Equatable {
    var id = 1
    var title = "a"
    static func == (a: Item, b: Item) -> Bool { a.id == b.id }
}

private final class Row: Model {
    @Observed(.distinct) var item = Item()
}

private final class Titled: Sheet {
    override var label: String {
        get { super.label }
        set { super.label = newValue }
    }
    override var items: [Int] {
        get { super.items }
        set { super.items = newValue }
    }
    override var size: Int {
        get { super.size }
        set {
            super.size = newValue
            label = "size \(newValue)"
            items.append(newValue)
        }
    }
    override class var schema: Schema {
        Schema(Titled.self, extending: super.schema) {
            Key("size", \.size)
            Key("label", \.label)
        }
    }
}

private final class Converting: Sheet {
    @Observed var unit = 1
    override var size: Int {
        get { super.size * unit }
        set {
            super.size = newValue / unit
            $label.value = "size \(newValue)"
        }
    }
    override class var schema: Schema {
        Schema(Converting.self, extending: super.schema) { Key("size", \.size, affectedBy: "unit") }
    }
}

/// A history and edits, setters, silent properties and other objects.
struct UndoMeetingTests {
    private final class Feed: Model { @Observed var rows = [1, 2] }

    @Test("each edit in a handler of another object's change is a step, however that is made", arguments: 0..<4)
    func edits(kind: Int) {
        let (feed, sheet) = (Feed(), Sheet())
        let history = UndoHistory(of: sheet)
        feed.$rows.observe { [unowned sheet] _ in
            sheet.label = "t"
            history.group("G") { sheet.size += 1 }
        }
        switch kind {
        case 0: feed.$rows.append(3)
        case 1: feed.$rows.update(to: [1, 2, 3])
        case 2: feed.$rows.edit { $0.append(3) }
        default: feed.$rows.replaceSubrange(1..<2, with: [3])
        }
        #expect(history.undoName == "G" && history.undo())
        #expect(sheet.label == "t")
        feed.removeAllObservers()
    }

    @Test("two edits of what is recorded are one step") func twoEdits() {
        let sheet = Sheet()
        sheet.items = [1, 2, 3]
        let history = UndoHistory(of: sheet)
        sheet.$items.observe { [unowned sheet] _ in sheet.label += "x" }
        sheet.$items.update(to: [3, 4, 5])
        #expect(sheet.label.utf8.count == 2 && history.undo())
        #expect(sheet.items == [1, 2, 3] && !history.canUndo)
    }

    @Test("what a setter changes besides by handles is undone, edits too", .needs(.classMetadata)) func besides() {
        let sheet = Sized()
        sheet.items = [7, 8]
        let history = UndoHistory(of: sheet)
        history.group("g") { sheet.size = 9 }
        for _ in 0..<3 {
            #expect((sheet.size, sheet.label, sheet.items) == (9, "size 9", [7, 8, 9]))
            history.undo()
            #expect((sheet.size, sheet.label, sheet.items) == (1, "", [7, 8]))
            history.redo()
        }
    }

    @Test("what a setter sets that runs later does not stay", .needs(.classMetadata)) func later() {
        let titled = Titled()
        titled.items = [7, 8]
        let history = UndoHistory(of: titled)
        history.group("g") { titled.size = 9 }
        for _ in 0..<2 {
            #expect((titled.size, titled.label, titled.items) == (9, "size 9", [7, 8, 9]))
            history.undo()
            #expect((titled.size, titled.label, titled.items) == (1, "", [7, 8]))
            history.redo()
        }
        let converting = Converting()
        let second = UndoHistory(of: converting)
        second.group("g") {
            converting.unit = 2
            converting.size = 8
        }
        second.undo()
        #expect((converting.size, converting.label, converting.unit) == (1, "", 1))
    }

    @Test("a part that was lost in silence is none, whatever gets its address") func lost() {
        let root = Box()
        let history = UndoHistory(of: root, includingParts: true)
        for number in 0..<50 {
            root.withMutation(of: "current") { root.current = Box() }
            root.current = nil
            let other = Box()
            root.items = [other]
            root.withMutation(of: "current") { root.current = nil }
            root.name = "x\(number)"
            other.name = "y"
            history.undo()
            #expect((root.name, other.name) == ("x\(number)", ""))
        }
    }

    @Test("a part is recorded as long as it is in one property, whatever is set in silence in another")
    func parts() {
        let (root, item, other) = (Box(), Box(), Box())
        root.items = [item, item, other]
        let history = UndoHistory(of: root, includingParts: true)
        root.current = item
        root.withMutation(of: "current") { root.current = nil }
        root.name = "x"
        item.name = "y"
        history.undo()
        #expect((root.name, item.name) == ("x", ""))
        // Counted, and then lost in silence: it has left with the list.
        root.withMutation(of: "current") { root.current = other }
        root.current = nil
        root.withMutation(of: "current") { root.current = nil }
        root.$items.removeAll { $0 === item }
        root.name = "z"
        item.name = "outside"
        other.name = "inside"
        history.undo()
        #expect((root.name, item.name, other.name) == ("z", "outside", ""))
        root.$items.removeAll()
        root.name = "last"
        other.name = "outside"
        history.undo()
        #expect((root.name, other.name) == ("z", "outside"))
    }

    @Test("a change in place of a distinct property is undone where the values are equal") func distinct() {
        let row = Row()
        let history = UndoHistory(of: row)
        row.item.title = "b"
        #expect(history.undo() && row.item.title == "a")
        #expect(history.canRedo && !history.canUndo && history.redo() && row.item.title == "b")
    }
}
