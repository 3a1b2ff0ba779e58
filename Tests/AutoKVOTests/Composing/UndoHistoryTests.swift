import AutoKVO
import AutoKVOTestSupport
import Testing

/// Has properties that no `Key` names, a hidden one, and a handler that changes what another property stores.
private class Page: TrackedObject {
    @Observed var title = ""
    @Observed var length = 0
    @Observed var words: [String] = []
    @Observed var tags: Set<Int> = []
    @Observed var dense: ContiguousArray<Int> = []
    @Observed var note: String?
    @ObservedWeak var next: Page?
    @ObservedReadOnly private(set) var marks: [Int] = []
    @Observed private var secret = 0

    override class var schema: Schema {
        Schema(Page.self, extending: super.schema) { Hidden("secret") }
    }

    func mark(_ number: Int) { editable(\._marks).append(number) }
    func hide(_ number: Int) { secret = number }

    var state: [String] {
        [
            title, "\(length)", "\(words)", "\(tags.sorted())", "\(dense)", "\(note ?? "nil")", "\(marks)", "\(secret)",
            next.map { "\(ObjectIdentifier($0))" } ?? "nil",
        ]
    }
}

private final class Shelf: TrackedObject {
    @Observed var label = ""
    @Observed var shelves: [Shelf] = []
}

private final class Book: TrackedObject {
    @Observed var pages: [Page] = []
}

/// Undo history.
struct UndoHistoryTests {
    @Test("a change is a step, undone and redone; names and limits") func steps() {
        let page = Page()
        let history = UndoHistory(of: page, limit: 3)
        #expect(!history.undo() && !history.redo() && !history.canUndo && history.undoName == nil)
        page.title = "a"
        page.note = "b"
        #expect(history.canUndo && history.undoName == "note" && !history.canRedo)
        #expect(history.undo())
        #expect(page.note == nil && page.title == "a" && history.redoName == "note" && history.undoName == "title")
        #expect(history.redo())
        #expect(page.note == "b" && !history.canRedo)
        history.undo()
        page.title = "c"
        #expect(!history.redo())
        for number in 0..<9 { page.length = number }
        var count = 0
        while history.undo() { count += 1 }
        #expect(count == 3 && page.length == 5)
        history.limit = 1
        #expect(history.redo() && page.length == 6 && !history.redo())
        history.undo()
        history.limit = 0
        #expect(!history.canUndo && !history.canRedo && !history.redo() && page.length == 5)
    }

    @Test("the changes of a step are undone from the last to the first, and made again from the first to the last")
    func inOrder() {
        let page = Page()
        page.words = ["x"]
        let history = UndoHistory(of: page)
        history.group("g") {
            page.$words.append("y")
            page.words = []
            page.$words.append("z")
        }
        let told = messages {
            #expect(history.undo() && page.words == ["x"])
            #expect(history.redo() && page.words == ["z"])
        }
        expectEqual(told, [])
    }

    @Test("its keys are four, each observed by name") func keys() throws {
        let page = Page()
        let history = UndoHistory(of: page)
        expectEqual(
            UndoHistory.keyDescriptions.map(\.name), ["canUndo", "canRedo", "undoName", "redoName"])
        let recorder = Recorder<Any>()
        try history.observe(["canUndo", "canRedo", "undoName", "redoName"], options: .new, recorder.handler())
        page.title = "a"
        expectEqual(recorder.take().map(\.keyPath), ["canUndo", "undoName"])
        history.undo()
        expectEqual(recorder.take().map(\.keyPath), ["canUndo", "canRedo", "undoName", "redoName"])
    }

    @Test("a step whose object dies while it is undone does not take the one before with it") func diesMeanwhile() {
        let page = Page()
        var mortal: Page? = Page()
        let history = UndoHistory(of: [page, mortal!])
        page.length = 1
        mortal!.length = 2
        mortal!.$length.observe { _ in mortal = nil }
        #expect(history.undo() && mortal == nil && history.undoName == "length" && !history.canRedo)
        #expect(history.undo() && page.length == 0)
    }

    @Test("what is changed behind an undo, in one handler of an object that is not recorded, is a step of its own")
    func behind() {
        let (page, trigger) = (Page(), Page())
        let history = UndoHistory(of: page)
        page.title = "a"
        page.note = "b"
        trigger.$length.observe { [unowned page, unowned history] _ in
            history.undo()
            page.title = "c"
        }
        trigger.length = 1
        #expect(page.note == nil && page.title == "c")
        history.undo()
        #expect(page.title == "a" && history.canUndo)
    }

    @Test("a weak reference is brought back while its object lives") func weak() {
        let (page, first, second) = (Page(), Page(), Page())
        page.next = first
        let history = UndoHistory(of: page)
        page.next = second
        page.next = nil
        history.undo()
        #expect(page.next === second)
        history.undo()
        #expect(page.next === first && !history.canUndo)
    }

    @Test("it keeps no object to which a property refers weakly, in steps to undo and to redo") func weakDeaths() {
        let page = Page()
        let history = UndoHistory(of: page)
        func refer(_ undo: Bool) -> () -> Page? {
            let referent = Page()
            page.next = referent
            if undo { page.next = nil }
            return { [weak referent] in referent }
        }
        #expect(refer(false)() == nil && page.next == nil)
        #expect(refer(true)() == nil)
        #expect(history.undo() && page.next == nil && history.undo() && page.next == nil)
        #expect(history.redo() && page.next == nil)
        let (other, last) = (Page(), Page())
        page.next = other
        page.next = last
        history.undo()
        #expect(page.next === other)
        history.redo()
        #expect(page.next === last)
    }

    private class Folder: TrackedObject {
        @Observed var folders: [Folder] = []
        @ObservedWeak var parent: Folder?
        var history: UndoHistory?
    }
    private final class NamedFolder: Folder {
        override var parent: Folder? {
            get { super.parent }
            set { super.parent = newValue }
        }
        override class var schema: Schema {
            Schema(NamedFolder.self, extending: super.schema) { Key("parent", \.parent) }
        }
    }

    @Test("with a limit of 0 nothing is kept, of steps of several changes either") func keepsNothing() {
        let page = Page()
        let history = UndoHistory(of: page, limit: 0)
        history.group("all") { (page.title, page.length) = ("a", 1) }
        coalescingChanges { (page.title, page.length) = ("b", 2) }
        #expect(!history.canUndo && !history.undo() && page.title == "b")
    }

    @Test("a part that is in several places is recorded once, until it has left the last") func severalPlaces() {
        let (book, page) = (Book(), Page())
        book.pages = [page]
        let history = UndoHistory(of: book, includingParts: true)
        let count = page.observations().count
        book.$pages.append(contentsOf: [page, page])
        book.$pages.removeFirst(2)
        page.title = "a"
        #expect(history.undoName == "title" && page.observations().count == count)
        book.$pages.removeLast()
        page.title = "elsewhere"
        book.$pages.append(Page())
        page.title = "outside"
        expectEqual(history.undoName, "pages")
    }

    @Test("a part that has moved to another part is recorded behind the end of the one that it was in") func moved() {
        let (library, old, new, page) = (Shelf(), Shelf(), Shelf(), Shelf())
        (library.shelves, old.shelves) = ([old, new], [page])
        let history = UndoHistory(of: library, includingParts: true)
        let counts = [old, page].map { $0.observations().count }
        old.shelves = []
        new.shelves = [page]
        library.shelves = [new]
        page.label = "a"
        new.label = "b"
        page.label = "c"
        #expect(old.observations().isEmpty && page.observations().count == counts[1])
        expectEqual((0..<3).map { _ in history.undo() ? page.label : "" }, ["a", "a", ""])
        #expect(history.undo() && old.observations().count == counts[0])
    }

    @Test("what a group changes behind the death of an object is a step of its own") func diesInGroup() {
        let page = Page()
        var mortal: Page? = Page()
        let history = UndoHistory(of: [page, mortal!])
        page.length = 1
        history.group("g") {
            mortal!.length = 2
            mortal = nil
            page.length = 3
        }
        #expect(history.undo() && page.length == 1 && history.undo() && page.length == 0)
    }

    @Test("a part that has left and come back in one step is recorded") func cameBack() {
        let (library, shelf) = (Shelf(), Shelf())
        library.shelves = [shelf]
        let history = UndoHistory(of: library, includingParts: true)
        history.group("g") {
            library.shelves = []
            library.shelves = [shelf]
        }
        library.label = "a"
        shelf.label = "b"
        #expect(history.undo() && shelf.label == "" && library.label == "a")
    }

    @Test("an object to which a property refers weakly is no part") func weakParts() {
        let (page, other) = (Page(), Page())
        page.next = other
        let history = UndoHistory(of: page, includingParts: true)
        other.title = "a"
        #expect(!history.canUndo)
        page.next = nil
        page.next = other
        other.title = "b"
        expectEqual(history.undoName, "next")
    }

    @Test("the death of an object that is in no step is no change of the history") func deathOutsideOfSteps() {
        let page = Page()
        var other: Page? = Page()
        let history = UndoHistory(of: [page, other!])
        page.title = "a"
        var calls = 0
        history.observe(\.canUndo) { _, _ in calls += 1 }
        history.observe(\.undoName) { _, _ in calls += 1 }
        other = nil
        expectEqual(calls, 0)
        withExtendedLifetime(other) {}
    }

    @Test("a document that owns its history dies, whatever refers weakly to it", arguments: [false, true])
    func ownedHistory(isOverridden: Bool) {
        func make() -> () -> Folder? {
            let (root, inner) = (Folder(), isOverridden ? NamedFolder() : Folder())
            root.history = UndoHistory(of: root, includingParts: true)
            root.folders = [inner]
            inner.parent = root
            inner.parent = nil
            root.history!.undo()
            #expect(inner.parent === root)
            root.history!.redo()
            #expect(inner.parent == nil)
            root.history!.undo()
            return { [weak root] in root }
        }
        #expect(make()() == nil)
    }

    @Test("a history in a property of what it records is no part of it, nor is another one") func historyInside() {
        final class Document: TrackedObject {
            @Observed var text = ""
            @Observed var histories: [UndoHistory] = []
        }
        let document = Document()
        let (own, other) = (
            UndoHistory(of: document, includingParts: true), UndoHistory(of: document, includingParts: true)
        )
        document.histories = [own, other, UndoHistory(of: own)]
        document.text = "a"
        #expect(own.undoName == "text" && other.undoName == "text" && !document.histories[2].canUndo)
        #expect(own.undo() && document.text == "" && own.undoName == "histories" && own.redoName == "text")
        #expect(own.redo() && document.text == "a")
        #expect(own.undo() && own.undo() && document.histories.isEmpty)
        #expect(own.redo() && document.histories.count == 3 && document.histories[0] === own)
        document.histories = []
    }

    @Test("objects that are in each other, to a depth of 10,000, are recorded on a small stack") func deepParts() {
        let folders = (0..<10_000).map { _ in Folder() }
        for (outer, inner) in zip(folders, folders.dropFirst()) { outer.folders = [inner] }
        nonisolated(unsafe) let box = (root: folders[0], last: folders.last!)
        onAnotherThread(stackSize: 512 * 1024) {
            let history = UndoHistory(of: box.root, includingParts: true)
            box.last.folders = [Folder()]
            #expect(history.undo() && box.last.folders.isEmpty)
        }
        for folder in folders { folder.folders = [] }
    }

    @Test("a group is one step with its name, one inside of it part of it") func group() throws {
        let page = Page()
        let history = UndoHistory(of: page)
        history.group("Rename") {
            page.title = "a"
            history.group("Inner") { page.words = ["x"] }
            #expect(!history.undo())
            page.$words.append("y")
        }
        expectEqual(history.undoName, "Rename")
        history.undo()
        #expect(page.title == "" && page.words == [] && !history.canUndo && history.redoName == "Rename")
        history.redo()
        expectEqual(page.words, ["x", "y"])
        history.group("Nothing") {}
        expectEqual(history.undoName, "Rename")
    }

    @Test(
        "what handlers change in consequence is part of the step, before and behind the history's own observation",
        arguments: [false, true]) func consequences(isBefore: Bool)
    {
        let page = Page()
        func observe() {
            page.$title.observe { [unowned page] _ in
                page.length = page.title.count
                page.$words.append(page.title)
            }
            page.$length.observe { [unowned page] _ in page.note = "\(page.length)" }
        }
        if isBefore { observe() }
        let history = UndoHistory(of: page)
        if !isBefore { observe() }
        page.title = "abc"
        page.title = "abcd"
        history.undo()
        expectEqual(page.title, "abc")
        history.undo()
        #expect(page.title == "" && !history.canUndo)
        history.redo()
        #expect(page.title == "abc" && page.length == 3 && page.note == "3")
    }

    @Test("canUndo and the names are observable keys") func observable() throws {
        let page = Page()
        let history = UndoHistory(of: page)
        var names: [String?] = []
        var isUndoable: [Bool] = []
        try history.observe("undoName", as: String?.self, options: [.new, .distinct]) { names.append($0.newValue!) }
        try history.observe("canUndo", as: Bool.self, options: [.new, .distinct]) { isUndoable.append($0.newValue!) }
        page.title = "a"
        page.length = 1
        history.undo()
        history.undo()
        expectEqual(names, ["title", "length", "title", nil])
        expectEqual(isUndoable, [true, false])
    }

    @Test("coalesced changes are one step, and the next change another") func coalesced() {
        let page = Page()
        let history = UndoHistory(of: page)
        page.$length.observe { _ in }
        coalescingChanges {
            page.title = "a"
            page.$words.append("b")
            page.$words.append("c")
            page.length = 2
        }
        page.title = "d"
        history.undo()
        #expect(page.title == "a" && page.words == ["b", "c"] && page.length == 2)
        history.undo()
        #expect(page.title == "" && page.words == [] && page.length == 0 && !history.canUndo)
    }

    @Test("an edit that is two changes is one step, and the next change another") func twoEdits() {
        let page = Page()
        page.words = ["a", "b", "c"]
        let history = UndoHistory(of: page)
        page.$words.update(to: ["b", "c", "d"])
        page.$words.replaceSubrange(0..<1, with: ["x", "y"])
        page.title = "t"
        history.undo()
        #expect(history.undoName == "words" && page.words == ["x", "y", "c", "d"])
        history.undo()
        expectEqual(page.words, ["b", "c", "d"])
        history.undo()
        #expect(page.words == ["a", "b", "c"] && !history.canUndo)
    }

    private final class Chapter: TrackedObject {
        @Observed var number = 1
        @Observed var page: Page?
        var computations = 0
        @Derived({ (chapter: Chapter) in
            chapter.computations += 1
            return "\(chapter.number) \(chapter.page?.title ?? "")"
        }) var heading: String
    }

    @Test("a derived property is no step, and nothing is computed for the history") func derived() {
        let (chapter, page) = (Chapter(), Page())
        let history = UndoHistory(of: chapter)
        chapter.number = 2
        chapter.page = page
        page.title = "Rain"
        expectEqual(chapter.computations, 0)
        #expect(history.undo() && chapter.page == nil && chapter.number == 2)
        page.title = "Snow"
        #expect(history.canRedo && history.undo() && chapter.number == 1 && !history.undo())
        chapter.page = nil
    }

    @Test("it keeps no object, and ends with the last one") func lifetime() {
        var page: Page? = Page()
        let history = UndoHistory(of: [page!])
        weak let observed = page
        page!.title = "a"
        #expect(history.canUndo)
        page = nil
        #expect(observed == nil && !history.canUndo)
        let other = Page()
        var brief: UndoHistory? = UndoHistory(of: other)
        weak let gone = brief
        other.title = "b"
        brief = nil
        #expect(gone == nil && other.observations().isEmpty)
    }

    @Test("several objects, and parts that come and go") func parts() {
        let (book, page) = (Book(), Page())
        book.pages = [page]
        let history = UndoHistory(of: [book], includingParts: true)
        page.title = "a"
        let second = Page()
        book.$pages.append(second)
        second.title = "b"
        book.$pages.removeLast()
        second.title = "not heard"
        second.title = "b"
        history.undo()
        #expect(book.pages.last === second && history.undoName == "title")
        history.undo()
        expectEqual(second.title, "")
        history.undo()
        history.undo()
        #expect(book.pages.count == 1 && page.title == "" && !history.canUndo)
        while history.redo() {}
        #expect(book.pages.count == 1 && page.title == "a" && second.title == "b")
    }

    @Test("a step that changes a part and takes it out is made again as a whole", arguments: [false, true])
    func partThatLeaves(isTakenOutFirst: Bool) {
        let (book, page, picture) = (Book(), Page(), Page())
        book.pages = [page]
        let history = UndoHistory(of: [book], includingParts: true)
        history.group("Tear out") {
            if isTakenOutFirst { book.pages = [] }
            page.title = "torn"
            if !isTakenOutFirst { book.pages = [] }
        }
        book.pages = [picture]
        for _ in 0..<2 {
            while history.undo() {}
            #expect(book.pages.count == 1 && book.pages.first === page && page.title == "")
            while history.redo() {}
            #expect(book.pages.count == 1 && book.pages.first === picture && page.title == "torn")
        }
        page.title = "outside"
        expectEqual(history.canUndo, true)
        #expect(history.undo() && history.undo() && !history.canUndo && page.title == "")
    }

    @Test(
        "random edits: all undone it is as it was, all made again it is as it ended", arguments: 0..<60 as Range<UInt64>
    )
    func walk(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        func number(_ below: Int) -> Int { Int(random.next() % UInt64(max(below, 1))) }
        let (page, friend) = (Page(), Page())
        (page.words, page.length) = (["p", "q"], 2)
        let history = UndoHistory(of: page, limit: 1000)
        if seed % 2 == 0 { page.$words.observe { [unowned page] _ in page.length = page.words.count } }
        func edit() {
            let value = number(20)
            switch number(17) {
            case 0: page.title = "\(value)"
            case 1: page.$words.append("\(value)")
            case 2: page.words = ["\(value)", "b", "a"]
            case 3: page.$words.sort()
            case 4: page.$words.removeAll { $0.count == 1 }
            case 5: page.$words.update(to: ["\(value)", "a"] + page.words.dropFirst())
            case 6: page.words.append("\(value)")
            case 7: page.$tags.formSymmetricDifference([value, 1])
            case 8: page.tags = [value]
            case 9: page.$tags.value = [value, 2]
            case 10: page.$dense.insert(value, at: 0)
            case 11: page.$dense.reverse()
            case 12: page.note = value > 10 ? nil : "\(value)"
            case 13: page.next = value > 10 ? nil : friend
            case 14: page.mark(value)
            case 15: page.hide(value)
            default: history.group("group") { for _ in 0..<number(4) { edit() } }
            }
        }
        var states = [page.state]
        for step in 0..<60 {
            if step % 7 == 6 { coalescingChanges { for _ in 0..<3 where number(4) > 0 { edit() } } } else { edit() }
            if number(9) == 0, history.undo(), number(2) == 0 { history.redo() }
            states.append(page.state)
        }
        page.title = "the end, with nothing to redo"
        states.append(page.state)
        while history.undo() {
            if !states.contains(page.state) { Issue.record("seed \(seed): \(page.state)") }
        }
        expectEqual(page.state, states[0], "seed \(seed)")
        while history.redo() {}
        expectEqual(page.state, states.last, "seed \(seed)")
    }

    @Test("a set that no Key names, of a class that overrides another property, is edited in place when it is undone")
    func undeclaredSet() {
        final class Special: Page {
            override var length: Int {
                get { -super.length }
                set { super.length = -newValue }
            }
        }
        let page = Special()
        let history = UndoHistory(of: page)
        page.$tags.insert(1)
        page.$words.append("a")
        page.mark(2)
        let state = page.state
        while history.undo() {}
        #expect(page.tags == [] && page.words == [] && page.marks == [])
        while history.redo() {}
        expectEqual(page.state, state)
    }

    @Test("objects that only the steps of others keep die one after the other when the first one is gone")
    func chainOfSteps() {
        final class Link: Model { @Observed var next: Link? }
        let tracker = LifetimeTracker()
        var first: Link? = tracker.track(Link())
        var history: UndoHistory?
        do {
            var links: [Link] = (0..<20).map { _ in tracker.track(Link()) }
            history = UndoHistory(of: [first!] + links, limit: 30)
            for (link, next) in zip([first!] + links, links) { link.next = next }
            for link in links.reversed() { link.next = nil }
            first!.next = nil
            links = []
        }
        #expect(history!.canUndo)
        first = nil
        tracker.expectNoLeaks()
        #expect(!history!.canUndo && !history!.canRedo)
        history = nil
    }

    @Test("an object that only a dropped step keeps dies when it is dropped, and the history knows") func droppedStep()
    {
        final class Link: Model { @Observed var next: Link? }
        let (tracker, link) = (LifetimeTracker(), Link())
        var other: Link? = tracker.track(Link())
        let history = UndoHistory(of: [link, other!], limit: 2)
        link.next = other
        link.next = nil
        other = nil
        for _ in 0..<2 { link.next = nil }
        tracker.expectNoLeaks()
        #expect(history.undo() && history.undo() && !history.undo())
    }

    @Test(
        "what a handler registered before the history changes in a new part belongs to the step",
        arguments: [true, false])
    func handlersBefore(isGroup: Bool) {
        let (shelf, part) = (Shelf(), Shelf())
        shelf.$shelves.observe { [unowned shelf] _ in shelf.shelves.first?.label = "numbered" }
        let history = UndoHistory(of: shelf, includingParts: true)
        if isGroup { history.group("Add") { shelf.shelves = [part] } } else { shelf.shelves = [part] }
        expectEqual(part.label, "numbered")
        history.undo()
        #expect(shelf.shelves.isEmpty && part.label.isEmpty)
        history.redo()
        #expect(shelf.shelves.first === part && part.label == "numbered")
    }
}
