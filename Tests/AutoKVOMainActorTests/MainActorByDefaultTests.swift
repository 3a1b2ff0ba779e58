import AutoKVO
import Testing

// Everything here is bound to the main actor, as in a module that is compiled with `-default-isolation MainActor`.

// snippet: threads.nonisolated
nonisolated class Track: TrackedObject {
    @Observed var title: String
    @Observed var seconds = 0
    var label: String { "\(title), \(seconds) s" }

    init(title: String) { self.title = title }

    override class var schema: Schema {
        Schema(Track.self, extending: super.schema) { Key("label", \.label, affectedBy: "title", "seconds") }
    }
}
// end

// snippet: threads.default
class Player: TrackedObject {
    @Observed var position = 0
    @Derived(isolation: MainActor.self, { (player: Player) in "at \(player.position)" }) var label: String

    nonisolated override init() {}
}
// end

/// A subclass of such a class repeats its `init()`.
class VideoPlayer: Player {
    @Observed var frame = 0
    @Derived(isolation: MainActor.self, { (player: VideoPlayer) in "\(player.label), \(player.frame)" }) var caption:
        String

    nonisolated override init() {}
}

// snippet: threads.default-schema
class Deck: TrackedObject {
    @Observed var title: String
    private(set) var log: [String] = []
    var caption: String { "playing \(title)" }

    init(title: String) { self.title = title }

    @available(*, unavailable) nonisolated override init() { fatalError() }

    isolated deinit { print("\(title) has ended") }

    func redraw() { log.append(caption) }

    nonisolated override class var schema: Schema {
        Schema(Deck.self, extending: super.schema, isolation: MainActor.self) {
            Key("title", \.title)
            Key("caption", \.caption, affectedBy: "title")
            Handler("redraw") { $0.redraw() }
        }
    }
}
// end

/// A subclass of this one needs nothing more, with or without properties of its own.
class BigDeck: Deck {
    @Observed var width = 10
}

/// An observer that is not tracked.
class Display: KeyValueObserver {
    var log: [String] = []
}

/// A module bound to the main actor by default.
struct MainActorByDefaultTests {
    @Test("its smallest class is observed by name, by key path and by handle") func smallest() throws {
        let player = Player()
        var log: [String] = []
        try player.observe("position", as: Int.self, options: .new) { log.append("name \($0.newValue!)") }
        player.observe(\.$position) { player, _ in log.append("handle \(player.position)") }
        player.$position.observe(options: [.initial, .new]) { log.append("value \($0.newValue!)") }
        player.position = 1
        #expect(log == ["value 0", "name 1", "handle 1", "value 1"])
        #expect(try player.value(forKey: "position") as? Int == 1)
    }

    @Test("a nonisolated class is used on the main actor as it stands") func nonisolatedClass() throws {
        let track = Track(title: "Air")
        var labels: [String] = []
        track.observe(\.label, options: .new) { labels.append($1.newValue!) }
        track.seconds = 3
        #expect(labels == ["Air, 3 s"])
    }

    @Test("a derived key, a named handler and a binding") func schema() throws {
        let (track, deck) = (Track(title: "Air"), BigDeck(title: "none"))
        var captions: [String] = []
        try deck.observe("caption", as: String.self, options: .new) { captions.append($0.newValue!) }
        try track.addObserver(deck, forKeyPath: "seconds", handler: "redraw")
        try deck.bind("title", to: "title", of: track)
        track.title = "Rain"
        track.seconds = 1
        deck.width = 20
        #expect(captions == ["playing Air", "playing Rain"])
        #expect(deck.log == ["playing Rain"])
    }

    @Test("a derived value of the smallest class says whose its function is") func derived() throws {
        let player = Player()
        var labels: [String] = []
        player.$label.onValue { labels.append($0) }
        player.position = 3
        #expect(labels == ["at 0", "at 3"] && player.label == "at 3")
        #expect(try player.value(forKey: "label") as? String == "at 3")
    }

    @Test("a subclass of the smallest class has derived values of both") func subclass() {
        let player = VideoPlayer()
        var captions: [String] = []
        player.$caption.onValue { captions.append($0) }
        player.position = 3
        player.frame = 1
        #expect(captions == ["at 0, 0", "at 3, 0", "at 3, 1"])
    }

    @Test("a plain class observes, and a binding between handles") func plainObserver() throws {
        let display = Display()
        let (player, other) = (Player(), Player())
        try display.observe("position", of: player) { display, change in display.log.append(change.keyPath) }
        player.$position.bind(to: other.$position)
        other.position = 5
        #expect(player.position == 5)
        #expect(display.log == ["position"])
    }

    @Test("changes are delivered here from elsewhere, and Observation sees them") func delivery() async throws {
        let player = Player()
        var seen: [Int] = []
        player.$position.observe(options: .new, on: .mainActor) { seen.append($0.newValue!) }
        var isCalled: Bool { withoutCall != 0 }
        var withoutCall = 0
        player.$position.observe { _ in withoutCall += 1 }
        player.position = 7
        while seen.isEmpty { await Task.yield() }
        #expect(seen == [7])
        #expect(isCalled)
        #expect(player.observable.position == 7)
    }

    @Test("observations end with the object, whose isolated deinit reads its properties") func death() throws {
        let track = Track(title: "Air")
        var deck: Deck? = Deck(title: "one")
        let observation = try track.addObserver(deck!, forKeyPath: "seconds", handler: "redraw")
        let own = try deck!.observe("title") { _ in }
        deck = nil
        #expect(!observation.isValid)
        #expect(!own.isValid)
        track.seconds = 1
    }
}
