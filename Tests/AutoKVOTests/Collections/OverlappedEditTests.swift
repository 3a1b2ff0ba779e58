import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Cell: Model {
    @Observed var x = 0
    @Observed var y = 0
    @Observed var list: [Cell] = []
    @Observed var inner: Cell?
    var hook: (() -> Void)?
    var owner: Cell {
        hook.take()?()
        return self
    }

    override class var schema: Schema {
        Schema(Cell.self, extending: super.schema) {
            Key("owner", \.owner, affectedBy: "y")
            Key("inner", \.inner)
        }
    }
}

/// An edit of a list for which paths follow the elements reads these; a getter may edit the list again.
struct OverlappedEditTests {
    enum Edit: CaseIterable { case insert, remove, replace, append, removeSeveral }

    private func perform(_ edit: Edit, on root: Cell, _ coming: Cell) {
        switch edit {
        case .insert: root.$list.insert(coming, at: 1)
        case .remove: root.$list.remove(at: 0)
        case .replace: root.$list[1] = coming
        case .append: root.$list.append(coming)
        case .removeSeveral: root.$list.removeSubranges(RangeSet([0..<1, 2..<3]))
        }
    }

    @Test("observers of an overlapped edit get the value from before both edits", arguments: Edit.allCases)
    func oldValue(edit: Edit) throws {
        try Diagnostics.withHandler({ _ in }) {
            let (root, cells) = (Cell(), (0..<6).map { _ in Cell() })
            root.list = Array(cells[0..<4])
            try root.observe("list.@sum.owner.x") { _ in }
            var (here, added, removed) = (Set(root.list.map(ObjectIdentifier.init)), 0, 0)
            root.$list.observeElements(for: root) { _, cell in
                added += 1
                here.insert(ObjectIdentifier(cell))
            } removed: { _, cell in
                removed += 1
                here.remove(ObjectIdentifier(cell))
            }
            added = 0
            let log = Recorder<[Cell]>()
            root.$list.observe(options: [.old, .new], log.handler())
            let history = UndoHistory(of: root)
            for cell in cells { cell.hook = { [unowned root] in root.$list.insert(cells[5], at: 0) } }
            // Where no element comes, nothing is read that was not known.
            let isRead = edit != .remove && edit != .removeSeveral
            let before = root.list
            perform(edit, on: root, cells[4])
            for cell in cells { cell.hook = nil }
            #expect(here == Set(root.list.map(ObjectIdentifier.init)))
            let events = log.take()
            if isRead {
                expectEqual(events.count, 1)
                #expect(events[0].old.map { $0.elementsEqual(before, by: ===) } ?? false)
                #expect(events[0].new.map { $0.elementsEqual(root.list, by: ===) } ?? false)
                #expect(root.list.first === cells[5])
            }
            expectEqual(added - removed, root.list.count - before.count)
            #expect(history.undo())
            let isBack = root.list.elementsEqual(before, by: ===)
            #expect(isBack)
            root.list = []
        }
    }

    @Test("so do those of an edit in place that was announced by hand") func announced() throws {
        try Diagnostics.withHandler({ _ in }) {
            let (root, cells) = (Cell(), (0..<4).map { _ in Cell() })
            root.list = Array(cells[0..<2])
            try root.observe("list.@sum.owner.x") { _ in }
            let log = Recorder<[Cell]>()
            root.$list.observe(options: [.old, .new], log.handler())
            let before = root.list
            cells[2].hook = { [unowned root] in root.$list.insert(cells[3], at: 0) }
            root.willChange(.insertion, valuesAt: 1..<2, forKey: "list")
            root.list.insert(cells[2], at: 1)
            root.didChange(.insertion, valuesAt: 1..<2, forKey: "list")
            let events = log.take()
            expectEqual(events.map(\.kind), [.setting])
            #expect(events[0].old.map { $0.elementsEqual(before, by: ===) } ?? false)
            #expect(events[0].new.map { $0.elementsEqual(root.list, by: ===) } ?? false)
            root.list = []
        }
    }

    @Test("a path that is moved away meanwhile gets that value, too") func movedPath() throws {
        try Diagnostics.withHandler({ _ in }) {
            let (outer, first, second, new) = (Cell(), Cell(), Cell(), Cell())
            outer.inner = first
            try first.observe("list.@sum.owner.x") { _ in }
            let log = Recorder<[Cell]>()
            first.$list.observe(options: [.old, .new], log.handler())
            var (olds, elements): ([Int], [String]) = ([], [])
            try outer.observe("inner.list", as: [Cell].self, options: [.old, .new]) { olds.append($0.oldValue!.count) }
            try outer.observeElements(
                "inner.list", as: Cell.self, added: { _ in elements.append("+") },
                removed: { _ in elements.append("-") })
            new.hook = { [unowned outer] in outer.inner = second }
            first.$list.append(new)
            #expect(olds == [0] && elements == [] && log.take().count == 1)
            first.list = []
        }
    }
}
