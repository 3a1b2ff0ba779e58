import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// Bindings whose property is set while other observers have not heard of a change that it may undo.
struct BindingMeetingTests {
    private class Gauge: Model {
        @Observed var raw = 0
        @Observed var top = 0
        var level: Int {
            get { raw }
            set { raw = newValue }
        }
        override class var schema: Schema {
            Schema(Gauge.self, extending: super.schema) {
                Key("level", \.level)
                Key("top", \.top)
            }
        }
    }

    private final class Board: Model {
        @Observed var gauge: Gauge?
        @Derived({ (board: Board) in (board.gauge?.level ?? 0) * 10 }) var tenfold: Int
        /// Another object's property.
        var level: Int {
            get { gauge?.raw ?? 0 }
            set { gauge?.raw = newValue }
        }
        override class var schema: Schema {
            Schema(Board.self, extending: super.schema) { Key("level", \.level) }
        }
    }

    /// The same, read behind a derived value.
    private final class Screen: Model {
        @Observed var gauge: Gauge?
        @Derived({ (screen: Screen) in screen.gauge?.raw ?? 0 }) var shown: Int
        var level: Int {
            get { shown }
            set { gauge?.raw = newValue }
        }
        override class var schema: Schema {
            Schema(Screen.self, extending: super.schema) { Key("level", \.level) }
        }
    }

    enum Way: CaseIterable { case path, derived, facade, keptFacade }

    private final class Crew: Model {
        @Observed var members = [1, 2]
        override class var schema: Schema { Schema(Crew.self, extending: super.schema) { Key("members", \.members) } }
    }
    private final class Sign: Model { @Observed var count = 0 }

    private final class Chooser: Model {
        @Observed var gauge: Gauge?
    }

    @Test("an edit is not written to an object that the transform selects, where none was", .needs(.blankObject))
    func selectedMeanwhile() {
        let (chooser, sign) = (Chooser(), Sign())
        var selects = false
        sign.$count.bindBothWays(
            to: chooser.$gauge.$raw,
            transform: { value in
                if value == nil, selects {
                    selects = false
                    let gauge = Gauge()
                    gauge.raw = 7
                    chooser.gauge = gauge
                }
                return value ?? 0
            }, inverse: { $0 })
        selects = true
        sign.count = 3
        expectEqual(chooser.gauge?.raw, 7)
        expectEqual(sign.count, 7)
    }

    @Test("an edit for what an operator makes of a collection is reported, and nothing else is") func operatorBothWays()
        throws
    {
        let (crew, sign) = (Crew(), Sign())
        let count = try crew.path("members.@count", as: Int.self)
        expectEqual(messages { sign.$count.bindBothWays(to: count, nilAs: 0) }, [])
        expectEqual(messages { crew.members.append(3) }, [])
        expectEqual(sign.count, 3)
        let lines = messages { sign.count = 99 }
        #expect(lines.count == 1 && lines[0].contains("cannot set \"members.@count\""), "\(lines)")
        expectEqual(crew.members.count, 3)
    }

    @Test(
        "a computed property is not set by a binding that an observer of another object's path to it has replaced",
        .needs(.blankObject), arguments: Way.allCases)
    func replaced(way: Way) throws {
        let (gauge, board, screen, first, second) = (Gauge(), Board(), Screen(), Gauge(), Gauge())
        (board.gauge, screen.gauge, second.top) = (gauge, gauge, 9)
        screen.$shown.observe { _ in }
        let bound: TrackedObject = way == .facade ? board : way == .keptFacade ? screen : gauge
        try bound.bind("level", to: "top", of: first)
        func observe(_ body: @escaping () -> Void) {
            switch way {
            case .path: board.$gauge.$raw.observe { _ in body() }
            case .derived: board.$tenfold.observe { _ in body() }
            case .facade, .keptFacade: gauge.$raw.observe { _ in body() }
            }
        }
        observe { [unowned gauge, unowned first] in if gauge.raw == 1 { first.top = 5 } }
        observe { [unowned gauge, unowned bound, unowned second] in
            if gauge.raw == 1 { try! bound.bind("level", to: "top", of: second) }
        }
        gauge.raw = 1
        #expect((gauge.level, second.top) == (9, 9))
    }

    private final class Row: Model {}

    private final class Table: Model {
        @Observed var rows: [Row] = []
        @Observed var others: [Row]?
    }

    @Test("both sides of a binding are equal when a handler has corrected one, also if elements cannot be compared")
    func corrected() {
        let (table, source) = (Table(), Table())
        table.$rows.bindBothWays(to: source.$rows)
        table.observe(\.$rows) { table, _ in if table.rows.count > 2 { table.$rows.removeLast() } }
        source.rows = [Row(), Row(), Row()]
        #expect((table.rows.count, source.rows.count) == (2, 2))
        source.$rows.append(Row())
        #expect((table.rows.count, source.rows.count) == (2, 2))
        table.$rows.append(Row())
        #expect((table.rows.count, source.rows.count) == (2, 2))
        #expect(zip(table.rows, source.rows).allSatisfy { $0 === $1 })
    }

    @Test("observers of the edited side are called once for an edit, with its kind") func editedSide() {
        let (table, source) = (Table(), Table())
        table.$rows.bindBothWays(to: source.$rows)
        table.$others.bindBothWays(to: source.$others)
        var kinds: [ChangeKind] = []
        table.$rows.observe { kinds.append($0.kind) }
        table.$others.observe { kinds.append($0.kind) }
        table.$rows.append(Row())
        table.others = table.rows
        table.$rows.removeLast()
        expectEqual(kinds, [.insertion, .setting, .removal])
        #expect(source.rows.isEmpty && source.others?.count == 1)
    }

    @Test("a transform that makes another array each time corrects nothing") func transformed() {
        let (table, source) = (Table(), Table())
        var makings = 0
        table.$rows.bindBothWays(
            to: source.$rows,
            transform: { rows in
                makings += 1
                return rows.map { $0 }
            }, inverse: { $0 })
        source.rows = [Row()]
        table.$rows.append(Row())
        #expect((table.rows.count, source.rows.count) == (2, 2) && makings < 40)
    }

    private final class Form: Model {
        @Observed var text = ""
        override class var schema: Schema { Schema(Form.self, extending: super.schema) { Key("text", \.text) } }
    }
    private final class Window: Model {
        @Observed var form: Form? = Form()
        var onDeinit: ((Window) -> Void)?
        deinit { onDeinit?(self) }
    }

    @Test("a binding by name in a deinit throws, and leaves the former one", arguments: [false, true])
    func dying(isTarget: Bool) throws {
        let (window, source, form) = (Window(), Form(), Form())
        var reasons: [KeyValueError.Reason] = []
        if !isTarget { try window.bind("form.text", to: "text", of: source) }
        do {
            let dying = Window()
            dying.onDeinit = { dying in
                do throws(KeyValueError) {
                    if isTarget {
                        try dying.bind("form.text", to: "text", of: source)
                    } else {
                        try window.bind("form.text", to: "form.text", of: dying)
                    }
                } catch { reasons.append(error.reason) }
            }
        }
        expectEqual(reasons, [.deinitializingObject])
        source.text = "still"
        expectEqual(window.form?.text, isTarget ? "" : "still")
        withExtendedLifetime(form) {}
    }

    private final class Contact: TrackedObject, Hashable {
        let number: Int
        @Observed var name: String
        init(_ number: Int, _ name: String) { (self.number, self.name) = (number, name) }
        static func == (a: Contact, b: Contact) -> Bool { a.number == b.number }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }
    private final class Book: TrackedObject {
        @Observed var contacts: [Contact] = []
        @Observed var selection: Contact?
        @Derived({ (book: Book) in book.contacts.first }) var current: Contact?
    }

    @Test(
        "what is shown of an object is edited in an equal one that has taken its place", .needs(.blankObject),
        arguments: [false, true])
    func equalObject(isDerived: Bool) {
        let (book, form) = (Book(), Form())
        func show(_ contact: Contact) { (book.contacts, book.selection) = ([contact], contact) }
        show(Contact(1, "Ann"))
        if isDerived {
            form.$text.bindBothWays(to: book.$current.$name, nilAs: "")
        } else {
            form.$text.bindBothWays(to: book.$selection.$name, nilAs: "", options: .distinct)
        }
        show(Contact(1, "Ann"))
        form.text = "Bea"
        #expect(book.current!.name == "Bea" && book.selection!.name == "Bea")
    }

    private final class Item: Model { @Observed var name = "" }
    private final class Controller: Model { @Observed var selection: Item? }

    @Test("a binding of a path that has ended behind the move of the path sets nothing", .needs(.blankObject))
    func endedBehindAMove() {
        let (one, two, controller, form) = (Item(), Item(), Controller(), Form())
        controller.selection = one
        controller.$selection.$name.bind(to: form.$text)
        one.$name.observe { _ in if one.name == "1" { two.name = "2" } }
        one.$name.observe { _ in if one.name == "1" { controller.selection = two } }
        two.$name.observe { _ in if two.name == "2" { form.text = "t" } }
        two.$name.observe { _ in if two.name == "2" { controller.$selection.$name.unbind() } }
        one.name = "1"
        expectEqual(two.name, "2")
        for item in [one, two] { item.removeAllObservers() }
    }

    private final class Source: Model {
        @Observed var payload: Any = "a"
        override class var schema: Schema { Schema(Source.self, extending: super.schema) { Key("payload", \.payload) } }
    }
    private final class Label: Model {
        @Observed var title: String?
        override class var schema: Schema { Schema(Label.self, extending: super.schema) { Key("title", \.title) } }
    }

    private final class Proxy: Model {
        let item: Item
        init(_ item: Item) { self.item = item }
        var name: String {
            get { item.name }
            set { item.name = newValue }
        }
        override class var schema: Schema { Schema(Proxy.self, extending: super.schema) { Key("name", \.name) } }
    }
    private final class Frame: Model {
        @Observed var item = Item()
        var proxy: Proxy { Proxy(item) }
        override class var schema: Schema {
            Schema(Frame.self, extending: super.schema) { Key("proxy", \.proxy, affectedBy: "item") }
        }
    }

    @Test("a path through a getter that returns a new object each time can be bound") func madeAnew() throws {
        let (frame, form) = (Frame(), Form())
        try frame.bind("proxy.name", to: "text", of: form)
        form.$text.observe { _ in }
        form.text = "x"
        expectEqual(frame.item.name, "x")
    }

    @Test("a value that a binding's function does not take is reported") func foreignValue() throws {
        let (source, label) = (Source(), Label())
        try label.bind("title", to: "payload", of: source) { (text: String) in text.uppercased() }
        expectEqual(label.title, "A")
        let reports = MessageLog()
        Diagnostics.withHandler({ reports.add($0) }) { source.payload = 5 }
        #expect(label.title == nil && reports.messages.count == 1 && reports.messages[0].contains("String"))
    }
}
