import AutoKVO
import AutoKVOTestSupport
import Observation
import Testing

/// Observations of its objects that are registered by whoever uses the class last until they are removed.
private final class Song: Model {
    @Observed var title = "none"
    @Observed var tags: [String] = []
    @Observed var parts: [Song] = []
    @Observed var next: Song?
    override class var unregistersAutomatically: Bool { false }
    override class var schema: Schema {
        Schema(Song.self, extending: super.schema) {
            Key("title", \.title)
            Key("tags", \.tags)
        }
    }
}

/// A class that does not opt out.
private final class Label: Model {
    @Observed var text = ""
    override class var schema: Schema { Schema(Label.self, extending: super.schema) { Key("text", \.text) } }
}

@Observable private final class Lamp { var level = 0 }

/// A class that opts out of ending by itself.
struct OptedOutTests {
    private let tracker = LifetimeTracker()

    /// What the library registers, with an object of the class as the target. The closures own a token.
    private static let onTarget:
        [(name: String, register: @Sendable (Song, Label, LifetimeToken) throws -> KeyValueObservation)] = [
            (
                "bind by name",
                { song, label, token in
                    try label.bind("text", to: "title", of: song) { (title: String) in
                        token.touch()
                        return title
                    }
                }
            ),
            (
                "bind by name, asking for it",
                { song, label, _ in
                    try label.bind("text", to: "title", of: song, options: .unregisterManually)
                }
            ),
            (
                "bind by handle",
                { song, label, token in
                    label.$text.bind(to: song.$title) {
                        token.touch()
                        return $0
                    }
                }
            ),
            (
                "bind by key path",
                { song, label, token in
                    label.$text.bind(to: \.title, of: song) {
                        token.touch()
                        return $0
                    }
                }
            ),
            (
                "depend",
                { song, label, token in try label.depend(on: [Dependency(song, "title")]) { _ in token.touch() } }
            ),
            (
                "depend, several paths and a name",
                { song, label, token in
                    try label.depend(on: [Dependency(song, ["title", "tags"])], named: "draw") { _ in token.touch() }
                }
            ),
            (
                "elements by name",
                { song, _, token in
                    try song.observeElements("tags", as: String.self, added: { _ in token.touch() })
                }
            ),
            (
                "elements by observer",
                { song, label, token in
                    try song.path("tags", as: [String].self).observeElements(
                        for: label, added: { _, _ in token.touch() })
                }
            ),
            ("elements by handle", { song, _, token in song.$tags.observeElements(added: { _ in token.touch() }) }),
            ("both ways", { song, label, _ in label.$text.bindBothWays(to: song.$title) }),
            (
                "both ways with a transform",
                { song, label, token in
                    label.$text.bindBothWays(
                        to: song.$title,
                        transform: {
                            token.touch()
                            return $0
                        }, inverse: { $0 })
                }
            ),
            ("both ways, of a path", { song, label, _ in label.$text.bindBothWays(to: song.$next.$title, nilAs: "") }),
            (
                "each element's property",
                { song, _, token in
                    song.parts = [Song(), Song()]
                    return song.$parts.observeEach(\.$title, options: .initial) { _, _ in token.touch() }
                }
            ),
            (
                "observe, asking for it",
                { song, label, token in
                    try song.addObserver(label, forKeyPath: "title|tags", options: .unregisterAutomatically) { _, _ in
                        token.touch()
                    }
                }
            ),
        ]

    @Test("what the library registers ends with the target", .needs(.blankObject), arguments: onTarget.indices)
    func target(index: Int) throws {
        let label = tracker.track(Label())
        let observation: KeyValueObservation
        do {
            let song = tracker.track(Song())
            observation = try Self.onTarget[index].register(song, label, tracker.token())
            song.title = "new"
            song.tags = ["a"]
            expectEqual(observation.options.contains(.unregisterManually), false, "\(Self.onTarget[index].name)")
            expectEqual(observation.options.contains(.unregisterAutomatically), false)
        }
        expectEqual(observation.isValid, false, "\(Self.onTarget[index].name)")
        #expect(label.observations().isEmpty)
        expectEqual(tracker.liveCount, 1)
    }

    @Test("what the library registers ends with the observer", .needs(.blankObject), arguments: 0..<8)
    func observer(form: Int) throws {
        let label = tracker.track(Label())
        let observation: KeyValueObservation
        do {
            let song = tracker.track(Song())
            let token = tracker.token()
            observation =
                switch form {
                case 0: try song.bind("title", to: "text", of: label)
                case 1: song.$title.bind(to: label.$text)
                case 4: song.$title.bindBothWays(to: label.$text)
                case 5:
                    song.$title.bind { [unowned label] in
                        token.touch()
                        return label.text
                    }
                case 6: song.$next.$title.bind(to: label.$text)
                case 7: label.$text.bindBothWays(to: song.$next.$title, nilAs: "")
                case 2:
                    try song.depend(on: [Dependency(label, "text"), Dependency(song, "tags")]) { _ in token.touch() }
                default:
                    try song.path("tags", as: [String].self).observeElements(
                        for: song, added: { _, _ in token.touch() })
                }
        }
        #expect(!observation.isValid)
        expectEqual(messages { label.text = "new" }, [])
        #expect(label.observations().isEmpty)
        expectEqual(tracker.liveCount, 1)
    }

    @Test("what is observed of an element ends when it leaves, and when the list's owner dies") func each() {
        let part = tracker.track(Song())
        var calls = 0
        do {
            let song = tracker.track(Song())
            song.parts = [part]
            song.$parts.observeEach(\.$title) { [token = tracker.token()] _, _ in
                token.touch()
                calls += 1
            }
            part.title = "a"
            song.parts = []
            #expect(part.observations().isEmpty)
            song.parts = [part]
        }
        part.title = "b"
        #expect(calls == 1 && part.observations().isEmpty && tracker.liveCount == 1)
    }

    @Test("an undo history ends with its objects, and they with it") func undo() {
        let history = UndoHistory(of: [tracker.track(Song())], includingParts: true)
        #expect(tracker.liveCount == 0 && !history.canUndo)
        let song = tracker.track(Song())
        do {
            let history = UndoHistory(of: song)
            song.title = "new"
            #expect(history.undo())
        }
        #expect(song.observations().isEmpty)
        song.title = "newer"
    }

    @Test("streams end with the target", .timeLimit(.minutes(1))) func streams() async throws {
        var song: Song? = tracker.track(Song())
        let titles = try song!.values(of: "title", as: String.self, options: .unregisterManually)
        let (handleTitles, changes) = (song!.$title.values, try song!.changes(of: "title", as: String.self))
        let handleChanges = song!.$title.changes()
        song!.title = "new"
        song = nil
        tracker.expectNoLeaks()
        await expectEqual(titles.reduce(into: []) { $0.append($1) }, ["new"])
        await expectEqual(handleTitles.reduce(into: []) { $0.append($1) }, ["new"])
        await expectEqual(changes.reduce(into: []) { $0.append($1.newValue) }, ["new"])
        await expectEqual(handleChanges.reduce(into: []) { $0.append($1.newValue) }, ["new"])
    }

    @Test("a view for Observation ends with its object") func view() {
        let calls = Counter()
        do {
            let song = tracker.track(Song())
            withObservationTracking {
                _ = (song.observable.title, song.observable.$tags)
            } onChange: {
                calls.add()
            }
            #expect(!song.observations().isEmpty)
            song.title = "new"
        }
        expectEqual(calls.count, 1)
        tracker.expectNoLeaks()
    }

    @Test("an expression of observable objects ends with its owner") @MainActor func expression() async {
        let lamp = Lamp()
        let observation: KeyValueObservation
        do {
            let song = tracker.track(Song())
            observation = song.observe(tracking: { lamp.level }, on: .mainActor) { song, level in
                song.title = "\(level)"
            }
            await eventually("the first value") { song.title == "0" }
        }
        tracker.expectNoLeaks()
        #expect(!observation.isValid)
        await eventually("the task has ended") { observation.target == nil }
    }

    @Test("what is registered by hand lasts, and so do elements if asked for") func byHand() throws {
        let observations: [KeyValueObservation]
        do {
            let song = tracker.track(Song())
            observations = [
                try song.observe("title") { _ in },
                try song.observe("title|tags", options: [.unregisterManually, .unregisterAutomatically]) { _ in },
                try song.observeElements("tags", as: String.self, options: .unregisterManually),
            ]
        }
        for observation in observations {
            #expect(observation.isValid && observation.options.contains(.unregisterManually))
            observation.remove()
        }
        tracker.expectNoLeaks()
    }
}
