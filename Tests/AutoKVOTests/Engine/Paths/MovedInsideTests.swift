import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Place: Model { @Observed var name = "home" }
private final class Visitor: Model { @Observed var place: Place? }

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
}
