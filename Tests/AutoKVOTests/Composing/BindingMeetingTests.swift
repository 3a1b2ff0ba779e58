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
}
