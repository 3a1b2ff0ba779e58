import AutoKVO
import AutoKVOTestSupport
import Testing

@MainActor private final class Screen: TrackedObject {
    @Observed var title = "none"
    @Observed var width = 10
    var caption: String { "\(title) \(width)" }
    var log: [String] = []

    var limits = [100, 50]

    func redraw() { log.append("redraw \(caption)") }
    func change(_ change: Change<Any>) { log.append("change \(change.keyPath)") }
    func changeWith(_ change: Change<Any>, _ userInfo: Any?) { log.append("change \(userInfo!)") }

    nonisolated override init() {}

    nonisolated override class var schema: Schema {
        Schema(Screen.self, extending: super.schema, isolation: MainActor.self) {
            Key("title", \.title)
            Key(
                "width", \.width,
                validate: { screen, width in width = [width, screen.limits.map { $0 }.max()!].min()! })
            Key("caption", \.caption, affectedBy: "title", "width")
            Handler("redraw") { $0.redraw() }
            Handler("redrawNow") { screen in [1].forEach { _ in screen.redraw() } }
            Handler("change") { $0.change($1) }
            Handler("changeWith") { $0.changeWith($1, $2) }
            Handler("note") { screen, change in screen.log.append(change.keyPath) }
        }
    }
}

@MainActor private final class Desk: SchemaProviding, KeyValueObserver {
    var log: [String] = []
    func clear() { log = [] }
    nonisolated static var schema: Schema {
        Schema(Desk.self, isolation: MainActor.self) {
            Handler("note") { desk, change in desk.log.append(change.keyPath) }
            Handler("clear", Desk.clear)
        }
    }
}

/// Classes of the main actor.
struct MainActorTests {
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
        expectEqual(recorder.news(String.self), ["one 10", "one 20"])
        expectEqual(titles, ["one"])
        expectEqual(screen.log, ["title", "age", "redraw one 20"])
    }

    @Test("plain ones have named handlers") @MainActor func plain() throws {
        let desk = Desk()
        let person = Person()
        try person.addObserver(desk, forKeyPath: "age", handler: "note")
        person.age = 1
        expectEqual(desk.log, ["age"])
        try person.addObserver(desk, forKeyPath: "age", handler: "clear")
        person.age = 2
        expectEqual(desk.log, [])
    }

    @Test("have methods and closures of every shape as named handlers, and validations") @MainActor func shapes() throws
    {
        let screen = Screen()
        let person = Person()
        for handler in ["redraw", "redrawNow", "change", "changeWith", "note"] {
            try person.addObserver(screen, forKeyPath: "age", handler: handler, userInfo: 7)
        }
        person.age = 1
        expectEqual(screen.log, ["redraw none 10", "redraw none 10", "change age", "change 7", "age"])
        var width: Any? = 70
        try screen.validateValue(&width, forKey: "width")
        expectEqual(width as? Int, 70)
        width = 700
        try screen.validateValue(&width, forKey: "width")
        expectEqual(width as? Int, 100)
    }

    @Test("a validation of the main actor throws elsewhere, and leaves the value alone") func validationElsewhere() {
        var (reason, value): (KeyValueError.Reason?, Any?) = (nil, 700)
        onAnotherThread {
            do throws(KeyValueError) { try Screen().validateValue(&value, forKey: "width") } catch {
                reason = error.reason
            }
        }
        guard case .schemaFault(let text)? = reason else { return #expect(reason == nil) }
        #expect(text.contains("main actor"))
        expectEqual(value as? Int, 700)
    }

    @Test("a handler of the main actor traps elsewhere, with a sentence") func handlerElsewhere() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (person, screen) = (Person(), Screen())
            try person.addObserver(screen, forKeyPath: "age", handler: "redraw")
            onAnotherThread { person.age = 1 }
        }
        expectEqual(missing("\"redraw\" of Screen belongs to the main actor", "on: .mainActor", in: result), [])
    }

    @Test("so does a plain one's") func plainHandlerElsewhere() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let person = Person()
            let desk = Desk()
            try person.addObserver(desk, forKeyPath: "age", handler: "note")
            onAnotherThread { person.age = 1 }
        }
        expectEqual(missing("\"note\" of Desk belongs to the main actor", in: result), [])
    }

    @Test("their schema may be built off the main thread") func schemaElsewhere() async throws {
        let error = await Task.detached { () -> KeyValueError? in
            do throws(KeyValueError) {
                try Screen().observe("titel") { _ in }
                return nil
            } catch { return error }
        }.value
        expectEqual(error?.reason, .unknownKey(nearest: "title"))
    }
}
