import AutoKVO
import AutoKVOTestSupport

final class Chip: Model, Hashable {
    @Observed var amount: Int
    @Observed var price: Int?
    @Observed var label = "chip"

    init(_ amount: Int) { self.amount = amount }

    override class var schema: Schema {
        Schema(Chip.self, extending: super.schema) {
            Key("amount", \.amount)
            Key("price", \.price)
            Key("label", \.label)
        }
    }
}

/// Of no tracked class, and of no class that a tracked one can derive from.
final class PlainLamp { let level = 1 }

protocol Shining: AnyObject {}

final class Tray: Model {
    @Observed var items: [Chip] = []
    @Observed var rows: [[Chip]] = []
    @Observed var cubes: [[[Chip]]] = []
    @Observed var holes: [[Chip?]?]?
    @Observed var bags: Set<Set<Chip>> = []
    @Observed var bagRow: [Set<Chip>] = []
    @Observed var table: [String: [Chip]] = [:]
    @Observed var numbers: [[Int]] = []
    @Observed var anything: Any = 0
    @Observed var mixed: [Any] = []
    @Observed var hashed: [AnyHashable] = []
    @Observed var some: any Collection<Int> = [1]
    @Observed var lamp: PlainLamp?
    @Observed var lamps: [PlainLamp] = []
    @Observed var object: AnyObject?
    @Observed var shining: (any Shining)?
    @Observed var tray: Tray?
    @Observed var trays: [Tray] = []

    override class var schema: Schema {
        Schema(Tray.self, extending: super.schema) {
            Key("items", \.items)
            Key("rows", \.rows)
            Key("cubes", \.cubes)
            Key("holes", \.holes)
            Key("bags", \.bags)
            Key("bagRow", \.bagRow)
            Key("table", \.table)
            Key("numbers", \.numbers)
            Key("anything", \.anything)
            Key("mixed", \.mixed)
            Key("hashed", \.hashed)
            Key("some", \.some)
            Key("lamp", \.lamp)
            Key("lamps", \.lamps)
            Key("object", \.object)
            Key("shining", \.shining)
            Key("tray", \.tray)
            Key("trays", \.trays)
        }
    }
}
