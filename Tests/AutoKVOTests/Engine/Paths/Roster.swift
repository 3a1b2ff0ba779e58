import AutoKVO
import AutoKVOTestSupport

/// Something that is counted, in collections of every kind that an operator can follow.
final class Player: Model, Hashable {
    @Observed var points = 1
    /// How often `bonus` was read.
    var bonusReads = 0
    var bonus: Int {
        bonusReads += 1
        return points * 2
    }

    static func == (a: Player, b: Player) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

    override class var schema: Schema {
        Schema(Player.self, extending: super.schema) {
            Key("points", \.points)
            Key("bonus", \.bonus, affectedBy: "points")
        }
    }
}

class Roster: Model {
    @Observed var players: [Player] = []
    @Observed var squad: Set<Player> = []
    @Observed var holes: [Player?] = []
    @Observed var groups: [[Player]] = []
    @Observed var slice: ArraySlice<Player> = []
    @Observed var byName: [String: Player] = [:]
    @Observed var silent: [Player] = []
    var total: Int { players.reduce(0) { $0 + $1.points } }

    override class var schema: Schema {
        Schema(Roster.self, extending: super.schema) {
            Key("players", \.players)
            Key("squad", \.squad)
            Key("holes", \.holes)
            Key("groups", \.groups)
            Key("slice", \.slice)
            Key("byName", \.byName)
            Key("silent", \.silent, notifiesAutomatically: false)
            Key("total", \.total, affectedBy: "players.@sum.points")
        }
    }
}

/// Its getter does not return the array that is stored.
final class TurnedRoster: Roster {
    override var players: [Player] {
        get { super.players.reversed() }
        set { super.players = newValue.reversed() }
    }
}
