import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Place: Model { @Observed var name = "home" }
private final class Visitor: Model { @Observed var place: Place? }
private final class Guest: Model {
    @Observed var place: Place?
    var greeting: String { "at \(place?.name ?? "")" }
    override class var schema: Schema {
        Schema(Guest.self, extending: super.schema) { Key("greeting", \.greeting, affectedBy: "place.name") }
    }
}

/// A path that is moved to a property while that is edited in place.
struct MovedInsideTests {
    @Test(
        "to one whose announced change a handler ends: the path's observers hear of the move first",
        arguments: [false, true])
    func endedByHandler(isObserved: Bool) throws {
        let (old, new, visitor) = (Place(), Place(), Visitor())
        (new.name, visitor.place) = ("new", old)
        if isObserved { new.$name.observe { _ in } }
        visitor.$place.observe { [unowned new] _ in
            new.name = "end"
            new.didChangeValue(forKey: "name")
        }
        var told: [String] = []
        try visitor.observe("place.name", options: [.old, .new]) { told.append("\($0.oldValue!) \($0.newValue!)") }
        new.willChangeValue(forKey: "name")
        visitor.place = new
        expectEqual(told.last?.hasSuffix(" end"), true)
        for (former, next) in zip(told, told.dropFirst()) {
            expectEqual(former.split(separator: " ").last, next.split(separator: " ").first)
        }
    }

    @Test("the same where the property is not written any more before the handler ends its change")
    func endedByHandlerWithoutWrite() throws {
        let (old, new, visitor) = (Place(), Place(), Visitor())
        visitor.place = old
        visitor.$place.observe { [unowned new] _ in new.didChangeValue(forKey: "name") }
        var told: [String] = []
        try visitor.observe("place.name", options: [.old, .new]) { told.append("\($0.oldValue!) \($0.newValue!)") }
        new.willChangeValue(forKey: "name")
        new.name = "end"
        visitor.place = new
        expectEqual(told, ["home end", "end end"])
    }

    @Test("hears of the edit, also one that asks for old values", arguments: [[], .old] as [ObservingOptions])
    func hearsOfTheEdit(options: ObservingOptions) throws {
        let (old, new, visitor) = (Place(), Place(), Visitor())
        visitor.place = old
        new.$name.observe { _ in }
        var calls = 0
        try visitor.observe("place.name", options: options) { _ in calls += 1 }
        func edit(_ name: inout String) {
            visitor.place = new
            name += "!"
        }
        edit(&new.name)
        expectEqual(calls, 2)
    }

    @Test(
        "to a property that another thread is changing, and away from it: the second move is notified when that change ends"
    )
    func byAnotherThread() throws {
        let places = Shared((home: Place(), office: Place(), visitor: Visitor()))
        let (home, office, visitor) = places.value
        (office.name, visitor.place) = ("office", home)
        let other = Place()
        other.name = "other"
        let told = Shared<[String]>([])
        try visitor.observe("place.name", options: [.old, .new]) {
            told.value.append("\($0.oldValue!) \($0.newValue!)")
        }
        office.willChangeValue(forKey: "name")
        onAnotherThread { places.value.visitor.place = places.value.office }
        expectEqual(told.value, ["home office"])
        visitor.place = other
        expectEqual(told.value, ["home office"])
        office.didChangeValue(forKey: "name")
        expectEqual(told.value, ["home office", "office other"])
    }

    @Test("an observer of a key that is affected by the path, added behind the move, is not notified of that change")
    func observerAddedBehindTheMove() throws {
        let (home, office, guest, visitor) = (Place(), Place(), Guest(), Visitor())
        (guest.place, visitor.place) = (home, home)
        var told: [String] = []
        try guest.observe("greeting") { [unowned guest] _ in told.append("first: \(guest.greeting)") }
        try visitor.observe("place.name") { _ in }
        try office.withMutation(of: "name") {
            guest.place = office
            try guest.observe("greeting") { [unowned guest] _ in told.append("late: \(guest.greeting)") }
            // What has moved is looked for again.
            visitor.place = office
            office.name = "office"
        }
        expectEqual(told, ["first: at home", "first: at office"])
        office.name = "bureau"
        expectEqual(told.dropFirst(2), ["first: at bureau", "late: at bureau"])
    }
}
