import AutoKVO
import AutoKVOTestSupport

class House: Model {
    @Observed var street: String
    @Observed var number: Int?
    @ObservedReadOnly private(set) var owner: Resident?
    @Observed var rooms: [String] = []

    init(_ street: String = "Ring") { self.street = street }

    func sell(to owner: Resident?) { self.owner = owner }
}

final class Villa: House {
    @Observed var garden = "none"
}

/// Holds other objects in each way in which a property can.
class Resident: Model {
    @Observed var name: String
    @Observed var home: House?
    @Observed var office = House("Office")
    @Observed var maybe: House!
    @ObservedWeak var boss: Resident?
    @ObservedReadOnly private(set) var balance = 0
    @ObservedReadOnly private(set) var entries: [Int] = []
    @ObservedReadOnly private(set) var marks: Set<String> = []
    @ObservedReadOnly private(set) var partner: Resident?

    var title: String { "\(name) (\(balance))" }
    /// Is no component of a path of handles.
    var neighbourName: Property<String> { Resident("Neighbour").$name }

    init(_ name: String = "Ann") { self.name = name }

    func pay(_ amount: Int) {
        balance += amount
        editable(\._entries).append(amount)
    }
    func setEntries(_ entries: [Int]) { self.entries = entries }
    func mark(_ mark: String) { editable(\._marks).insert(mark) }
    func marry(_ other: Resident?) { partner = other }
    /// For a write of the whole, in place.
    func doubleEntries() { entries.append(contentsOf: entries) }

    override class var schema: Schema {
        Schema(Resident.self, extending: super.schema) { Key("title", \.title, affectedBy: "name", "balance") }
    }
}
