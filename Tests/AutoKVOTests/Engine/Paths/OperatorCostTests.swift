import AutoKVO
import AutoKVOTestSupport
import Testing

/// What observed operators cost.
struct OperatorCostTests {
    private typealias Edits = (Roster, _ count: Int) -> Void
    private let few = size(1600)
    private let players: [Player]

    init() { players = (0..<4 * few).map { _ in Player() } }

    /// Expects that edits cost the same each, and do not look at all elements.
    private func expectLinear(
        _ subject: String, _ time: (_ count: Int) throws -> Double, _ sourceLocation: SourceLocation
    ) throws {
        let ratio = try timeRatio(to: 4 * few, time)
        #expect(ratio < 9, "\(subject)", sourceLocation: sourceLocation)
    }

    private func expectLinear(
        _ path: String, _ options: ObservingOptions, _ edits: Edits, _ sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectLinear(
            path,
            { count in
                let roster = Roster()
                let observation = try roster.observe(path, options: options) { _ in }
                defer { observation.remove() }
                return processorTime { edits(roster, count) }
            }, sourceLocation)
    }

    private func appends(_ roster: Roster, _ count: Int) {
        for index in 0..<count { roster.$players.append(players[index]) }
    }

    @Test("an edit through the handle costs what it moves", arguments: ["players.@avg.points", "players.@sum.points"])
    func append(path: String) throws {
        try expectLinear(path, [], appends)
        try expectLinear(path, []) { roster, count in
            roster.players = Array(players.prefix(count))
            for _ in 0..<count / 2 { roster.$players.removeLast() }
            for index in roster.players.indices { roster.$players[index] = players[0] }
        }
    }

    @Test("and so does that of a set") func set() throws {
        try expectLinear("squad.@avg.points", []) { roster, count in
            for index in 0..<count { roster.$squad.insert(players[index]) }
            for index in 0..<count / 2 { roster.$squad.remove(players[index]) }
        }
    }

    @Test("elements, a property of each, an undo history and streams cost what an edit moves", arguments: 0..<6)
    func otherConsumers(which: Int) throws {
        try expectLinear(
            "\(which)",
            { count in
                let roster = Roster()
                var others: [Any] = []
                switch which {
                case 0: roster.$players.observeElements(added: { _ in }, removed: { _ in })
                case 1: try roster.observeElements("players", as: Player.self, added: { _ in }, removed: { _ in })
                case 2: roster.$players.observeEach(\.$points) { _, _ in }
                case 3: others.append(UndoHistory(of: roster, limit: 100_000))
                case 4: roster.$squad.observeElements(added: { _ in }, removed: { _ in })
                default: others.append(try roster.changes(of: "players.@count", as: Int.self))
                }
                let time = processorTime {
                    appends(roster, count)
                    for index in 0..<count / 2 { roster.$squad.insert(players[index]) }
                    for _ in 0..<count / 2 { roster.$players.removeLast() }
                }
                roster.removeAllObservers()
                return time
            }, #_sourceLocation)
    }

    @Test(
        "inside withMutation and coalescingChanges values are read at the ends only",
        arguments: [[], [.new], [.old, .new], .distinct] as [ObservingOptions])
    func together(options: ObservingOptions) throws {
        for path in ["players.@avg.points", "total"] where path != "total" || options.isEmpty {
            try expectLinear(path, options) { roster, count in coalescingChanges { appends(roster, count) } }
            try expectLinear(path, options) { roster, count in
                roster.withMutation(of: "players") { appends(roster, count) }
            }
        }
    }

    @Test("@count reads no element, behind keys and before ignored ones too") func count() throws {
        for path in ["players.@count", "players.@count.points"] { try expectLinear(path, [.old, .new], appends) }
        let roster = Roster()
        let owner = Owner()
        owner.roster = roster
        let recorder = Recorder<Any>()
        try owner.observe("roster.players.@count.points", options: [.old, .new], recorder.handler())
        roster.players = Array(players.prefix(100))
        roster.$players.removeAll { _ in true }
        #expect(recorder.olds(Int.self) == [0, 100] && recorder.news(Int.self) == [100, 0])
    }

    private final class Owner: TrackedObject { @Observed var roster: Roster? }

    @Test("the value of an operator is read once for each change, if it is asked for") func reads() throws {
        let player = Player()
        func reads(_ options: ObservingOptions, _ edits: (Roster) -> Void) throws -> Int {
            let roster = Roster()
            roster.players = [player]
            try roster.observe("players.@sum.bonus", options: options) { _ in }
            player.bonusReads = 0
            edits(roster)
            return player.bonusReads
        }
        let threeAppends: (Roster) -> Void = { for _ in 0..<3 { $0.$players.append(Player()) } }
        try expectEqual(reads([], threeAppends), 0)
        try expectEqual(reads([.new], threeAppends), 3)
        try expectEqual(reads([.old, .new], threeAppends), 6)
        let together: (Roster) -> Void = { roster in coalescingChanges { threeAppends(roster) } }
        try expectEqual(reads([], together), 0)
        try expectEqual(reads([.new], together), 1)
        try expectEqual(reads([.old, .new], together), 2)
        let inOne: (Roster) -> Void = { roster in roster.withMutation(of: "players") { threeAppends(roster) } }
        try expectEqual(reads([], inOne), 0)
        try expectEqual(reads([.old, .new], inOne), 2)
    }
}
