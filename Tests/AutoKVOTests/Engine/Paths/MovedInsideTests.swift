import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Place: Model { @Observed var name = "home" }
private final class Visitor: Model { @Observed var place: Place? }

/// A path that is moved to a property while that is edited in place.
struct MovedInsideTests {
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
