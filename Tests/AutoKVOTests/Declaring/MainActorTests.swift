import AutoKVO
import AutoKVOTestSupport
import Testing

@MainActor private final class Screen: TrackedObject {
    @Observed var title = "none"
    @Observed var width = 10
    var caption: String { "\(title) \(width)" }
    var log: [String] = []

    func redraw() { log.append("redraw \(caption)") }

    nonisolated override init() {}

    override class var schema: Schema {
        Schema(Screen.self, extending: super.schema) {
            Key("title", \.title)
            Key("width", \.width)
            Key("caption", \.caption, affectedBy: "title", "width")
            Handler("redraw") { $0.redraw() }
            Handler("note") { screen, change in screen.log.append(change.keyPath) }
        }
    }
}

@MainActor private final class Desk: SchemaProviding, KeyValueObserver {
    var log: [String] = []
    nonisolated static var schema: Schema {
        Schema(Desk.self) { Handler("note") { desk, change in desk.log.append(change.keyPath) } }
    }
}

@Suite("Classes of the main actor") struct MainActorTests {
    @Test("are observed by string, by key path and by handle, and observe") @MainActor func observed() throws {
        let screen = Screen()
        let recorder = Recorder<Any>()
        let person = Person()
        try screen.observe("caption", options: [.new], recorder.handler())
        var titles: [String?] = []
        screen.observe(\.title, options: [.new]) { titles.append($1.newValue) }
        screen.$width.observe { [recorder] _ in recorder.clear() }.remove()
        try person.addObserver(screen, forKeyPath: "age") { screen, _ in screen.log.append("age") }
        try person.addObserver(screen, forKeyPath: "age", handler: "redraw")
        try screen.addObserver(screen, forKeyPath: "title", handler: "note")
        screen.title = "one"
        screen.width = 20
        person.age = 1
        #expect(recorder.news(String.self) == ["one 10", "one 20"])
        #expect(titles == ["one"])
        #expect(screen.log == ["title", "age", "redraw one 20"])
    }

    @Test("plain ones have named handlers") @MainActor func plain() throws {
        let desk = Desk()
        let person = Person()
        try person.addObserver(desk, forKeyPath: "age", handler: "note")
        person.age = 1
        #expect(desk.log == ["age"])
    }

    @Test("their schema may be built off the main thread") func schemaElsewhere() async throws {
        let error = await Task.detached { () -> KeyValueError? in
            do throws(KeyValueError) {
                try Screen().observe("titel") { _ in }
                return nil
            } catch { return error }
        }.value
        #expect(error?.reason == .unknownKey(nearest: "title"))
    }

    @Test("nothing is left when the suite is over") func nothingIsLeft() async {
        await #expect(processExitsWith: .success) { await expectNothingLeft(by: "MainActorTests") }
    }
}
