import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private final class Library: TrackedObject {
    @Observed var songs: [String] = []
    @Observed var tags: Set<String> = []
}

private class Jukebox: TrackedObject {
    @Observed var library: Library?
    @Observed var numbers: [Int]?
    @Observed var marks: Set<Int>?

    override class var schema: Schema {
        Schema(Jukebox.self, extending: super.schema) {
            Key("numbers", \.numbers)
            Key("marks", \.marks)
        }
    }
}

/// A change after which nothing is there any more.
struct GoneValueTests {
    private let player = Jukebox()

    @Test("empties the copy that it is applied to: an object on the way has become nil", .needs(.blankObject))
    func path() throws {
        player.library = Library()
        player.library?.songs = ["a"]
        var (rows, typed, any, tags) = (["x"], ["x"], ["x"], Set(["x"]))
        var splices: [[CollectionSplice]] = []
        player.$library.$songs.observe(options: [.old, .new]) {
            $0.apply(to: &rows)
            splices.append($0.splices)
        }
        try player.observe("library.songs", as: [String].self, options: .new) { $0.apply(to: &typed) }
        try player.observe("library.songs", options: .new) { $0.apply(to: &any) }
        try player.observe("library.tags", options: [.old, .new]) { $0.apply(to: &tags) }
        player.library = nil
        #expect((rows, typed, any, tags) == ([], [], [], []))
        player.library = Library()
        player.library?.songs = ["b", "c"]
        player.library?.tags = ["d"]
        #expect((rows, typed, any, tags) == (["b", "c"], ["b", "c"], ["b", "c"], ["d"]))
        expectEqual(splices.first, [CollectionSplice(position: 0, removed: 1, inserted: 0)])
    }

    @Test("empties it at the registration", .needs(.blankObject)) func initial() {
        var rows = ["x"]
        player.$library.$songs.observe(options: [.initial, .new]) { $0.apply(to: &rows) }
        expectEqual(rows, [])
    }

    @Test("empties it, also where the property itself is optional, and makes the same of another object")
    func optional()
        throws
    {
        let copy = Jukebox()
        (player.numbers, copy.numbers, player.marks) = ([1], [1], [2])
        var (rows, set) = ([1], Set([2]))
        try player.observe("numbers", as: [Int].self, options: [.old, .new]) { change in
            change.apply(to: &rows)
            try! ChangeRecord(change).apply(on: copy)
        }
        try player.observe("marks", options: [.old, .new]) { $0.apply(to: &set) }
        (player.numbers, player.marks) = (nil, nil)
        #expect((rows, set, copy.numbers) == ([], [], nil))
    }
}
