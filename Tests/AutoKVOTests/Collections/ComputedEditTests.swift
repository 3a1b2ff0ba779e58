import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Box: Model {
    @Observed var store = [1, 2, 3]
    var items: [Int] {
        get { store }
        set { store = newValue }
    }
    var total: Int { items.reduce(0, +) }

    override class var schema: Schema {
        Schema(Box.self, extending: super.schema) {
            Key("items", \.items, affectedBy: "store")
            Key("total", \.total, affectedBy: "items")
        }
    }
}

/// Not `Equatable`.
private struct Row { var title: String }

private final class Table: Model {
    @Observed private var store: [Row] = []
    var rows: [Row] {
        get { store }
        set { store = newValue.sorted { $0.title < $1.title } }
    }
    override class var schema: Schema {
        Schema(Table.self, extending: super.schema) { Key("rows", \.rows, affectedBy: "store") }
    }
}

private final class Entrant: Model, Hashable {
    let id: Int
    init(_ id: Int) { self.id = id }
    static func == (a: Entrant, b: Entrant) -> Bool { a.id == b.id }
    func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

private final class Squad: Model {
    @Observed(.distinct) var members = [Entrant(1)]
    @Observed(.distinct) var guests: Set<Entrant> = [Entrant(1)]
    override class var schema: Schema {
        Schema(Squad.self, extending: super.schema) {
            Key("members", \.members)
            Key("guests", \.guests)
        }
    }
}

/// Its key names another property than the one of that name.
private final class Crossed: Model {
    @Observed var songs = ["a"]
    @Observed var titles = ["b"]
    override class var schema: Schema {
        Schema(Crossed.self, extending: super.schema) { Key("songs", \.titles) }
    }
}

/// Edits of a collection that is read and set.
struct ComputedEditTests {
    @Test(
        "an edit that a prior handler's change comes before is made of that",
        arguments: ["total", "items.@sum", "items"])
    func changedBefore(path: String) throws {
        let edits: [(MutableArrayProxy) throws -> Any?] = [
            { try $0.swapAt(0, 1) }, { try $0.remove(at: 0) }, { try $0.removeLast() },
            { try $0.replace(at: 1, with: 5) },
        ]
        let results = [[8, 7, 9], [8, 9], [7, 8], [7, 5, 9]]
        let removed = [nil, 7, 9, nil]
        for (index, edit) in edits.enumerated() {
            let box = Box()
            var isDone = false
            let observation = try box.observe(path, options: .prior) { [unowned box] change in
                guard change.isPrior, !isDone else { return }
                isDone = true
                change.observation.remove()
                box.items = [7, 8, 9]
            }
            let result = try edit(box.mutableArrayValue(forKey: "items"))
            #expect(box.items == results[index] && !observation.isValid, "\(index)")
            if let removed = removed[index] { #expect(result as? Int == removed, "\(index)") }
        }
    }

    @Test("if the setter rearranges structures without ==, observers get the whole values") func rearranged() throws {
        let table = Table()
        table.rows = [Row(title: "B"), Row(title: "C")]
        var (copy, kinds) = (table.rows, [ChangeKind]())
        try table.observe("rows", as: [Row].self, options: [.old, .new]) {
            kinds.append($0.kind)
            $0.apply(to: &copy)
        }
        let proxy = try table.mutableArrayValue(forKey: "rows")
        try proxy.append(Row(title: "A"))
        #expect(copy.map(\.title) == ["A", "B", "C"] && kinds == [.setting])
        try proxy.append(Row(title: "D"))
        #expect(copy.map(\.title) == ["A", "B", "C", "D"] && kinds == [.setting, .insertion])
    }

    @Test("assigning an equal collection to a distinct property is no change, however it is done") func distinct()
        throws
    {
        let team = Squad()
        var kinds: [ChangeKind] = []
        team.$members.observe { kinds.append($0.kind) }
        team.$guests.observe { kinds.append($0.kind) }
        let (member, guest) = (team.members[0], team.guests.first!)
        team.$members.update(to: [Entrant(1)])
        team.$members.edit { $0 = [Entrant(1)] }
        team.$guests.value = [Entrant(1)]
        try team.mutableSetValue(forKey: "guests").setElements([Entrant(1)])
        #expect(kinds == [] && team.members[0] === member && team.guests.first === guest)
        team.$members.update(to: [Entrant(2)])
        try team.mutableSetValue(forKey: "guests").setElements([Entrant(2)])
        expectEqual(kinds, [.removal, .insertion, .replacement])
    }

    @Test("nor is it by name for an optional one; while nobody observes it is stored") func distinctByName() throws {
        final class Guests: Model {
            @Observed(.distinct) var guests: Set<Entrant>? = [Entrant(1)]
            override class var schema: Schema {
                Schema(Guests.self, extending: super.schema) { Key("guests", \.guests) }
            }
        }
        let (list, other) = (Guests(), Entrant(1))
        try list.mutableSetValue(forKey: "guests").setElements([other])
        #expect(list.guests?.first === other)
        var calls: [String] = []
        try list.observeElements(
            "guests", as: Entrant.self, added: { _ in calls.append("+") }, removed: { _ in calls.append("-") })
        try list.mutableSetValue(forKey: "guests").setElements([Entrant(1)])
        #expect(list.guests?.first === other && calls == [])
        try list.mutableSetValue(forKey: "guests").setElements([Entrant(2)])
        expectEqual(calls, ["-", "+"])
        let (squad, guest) = (Squad(), Entrant(1))
        try squad.mutableSetValue(forKey: "guests").setElements([guest])
        #expect(squad.guests.first === guest)
        squad.$guests.update(to: [Entrant(1)])
        #expect(squad.guests.first !== guest)
    }

    @Test("an edit behind which a prior handler has put equal, other objects is made of those")
    func equalObjectsBefore() throws {
        final class Holder: Model {
            @Observed var store = [Entrant(1), Entrant(2)]
            var items: [Entrant] {
                get { store }
                set { store = newValue }
            }
            var maybe: [Entrant?] {
                get { store }
                set { store = newValue.compactMap { $0 } }
            }
            override class var schema: Schema {
                Schema(Holder.self, extending: super.schema) {
                    Key("items", \.items, affectedBy: "store")
                    Key("maybe", \.maybe, affectedBy: "store")
                }
            }
        }
        let (holder, others) = (Holder(), [Entrant(1), Entrant(2)])
        try holder.observe("items", options: .prior) { [unowned holder] change in
            change.observation.remove()
            holder.items = others
        }
        let removed = try holder.mutableArrayValue(forKey: "items").remove(at: 0)
        #expect(removed as? Entrant === others[0] && holder.items.first === others[1])
        try holder.observe("maybe", options: .prior) { [unowned holder] change in
            change.observation.remove()
            holder.maybe = others
        }
        let maybe = try holder.mutableArrayValue(forKey: "maybe").remove(at: 0)
        #expect(maybe as? Entrant === others[0] && holder.items.first === others[1])
    }

    @Test("a key whose key path names another property is a fault at its first edit, too") func crossed() throws {
        let list = Crossed()
        for path in [true, false] {
            let error = #expect(throws: KeyValueError.self) {
                if path {
                    _ = try list.mutableArrayValue(forKeyPath: "songs")
                } else {
                    _ = try list.mutableArrayValue(forKey: "songs")
                }
            }
            #expect(error.map { "\($0)" }?.contains("its key path reads another value") ?? false)
        }
        final class Songs: Model {
            @Observed var songs = ["a"]
            override class var schema: Schema { Schema(Songs.self, extending: super.schema) { Key("songs", \.songs) } }
        }
        let songs = Songs()
        var records: [ChangeRecord<[String]>] = []
        songs.$songs.observe(options: [.old, .new]) { records.append(ChangeRecord($0)) }
        songs.$songs.append("x")
        #expect(throws: KeyValueError.self) { try records[0].apply(on: list) }
        #expect((list.songs, list.titles) == (["a"], ["b"]))
    }
}
