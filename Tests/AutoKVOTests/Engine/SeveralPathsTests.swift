import AutoKVO
import AutoKVOTestSupport
import Testing

/// Several paths in one registration are several ways to one handler.
@Suite(.serialized) final class SeveralPathsTests {
    private let recorder = Recorder<Any>()

    private class Meter: TrackedObject {
        @Observed var level = 0
        @Observed var name = "m"
        @Observed var next: Meter?
        var double: Int { level * 2 }
        var reloads = 0
        func reload() { reloads += 1 }
        func change(_ change: Change<Any>) { reloads += 100 }

        override class var schema: Schema {
            Schema(Meter.self, extending: super.schema) {
                Key("level", \.level)
                Key("name", \.name)
                Key("next", \.next)
                Key("double", \.double, affectedBy: "level")
                Handler("reload", Meter.reload)
                Handler("change", Meter.change)
            }
        }
    }

    private let meter = Meter()

    private func values() -> [String] { recorder.entries.map { "\($0.keyPath): \($0.old!) → \($0.new!)" } }

    @Test("a change calls the handler for the key and for the key derived from it, each with its own values")
    func keyAndDerivedKey() throws {
        try meter.observe(["level", "double"], options: [.old, .new], recorder.handler())
        meter.level = 3
        expectEqual(values(), ["level: 0 → 3", "double: 0 → 6"])
    }

    @Test("the calls come in the order in which the paths were registered") func registeredOrder() throws {
        meter.next = meter
        defer { meter.next = nil }
        try meter.observe(["next.level", "double", "level"], recorder.handler())
        meter.level = 3
        expectEqual(recorder.paths, ["next.level", "double", "level"])
    }

    @Test("among observers of one key it keeps its place where only that key is concerned") func placeAmongOthers()
        throws
    {
        try meter.observe("level", recorder.handler("a"))
        try meter.observe(["name", "level"], recorder.handler("several"))
        try meter.observe("level", recorder.handler("b"))
        try meter.observe("name", recorder.handler("c"))
        meter.level = 1
        expectEqual(recorder.labels, ["a", "several", "b"])
        recorder.clear()
        meter.name = "x"
        expectEqual(recorder.labels, ["several", "c"])
    }

    @Test("a write that concerns several paths calls those of each registration in their order, prior and post alike")
    func registeredOrderOfTwo() throws {
        meter.next = meter
        defer { meter.next = nil }
        try meter.observe(["double", "level", "next.level"], options: [.prior], recorder.handler("a"))
        try meter.observe(["next.level", "level", "double"], options: [.prior], recorder.handler("b"))
        meter.level = 3
        for isPrior in [true, false] {
            let calls = recorder.entries.filter { $0.isPrior == isPrior }
            expectEqual(calls.filter { $0.label == "a" }.map(\.keyPath), ["double", "level", "next.level"])
            expectEqual(calls.filter { $0.label == "b" }.map(\.keyPath), ["next.level", "level", "double"])
        }
        expectEqual(recorder.priors, Array(repeating: true, count: 6) + Array(repeating: false, count: 6))
    }

    @Test("swapping the head of two paths calls the handler for both") func headOfTwoPaths() throws {
        let (a, b) = (Meter(), Meter())
        (a.level, a.name, b.level, b.name) = (1, "a", 2, "b")
        meter.next = a
        try meter.observe(["next.level", "next.name"], options: [.old, .new], recorder.handler())
        meter.next = b
        expectEqual(values(), ["next.level: 1 → 2", "next.name: a → b"])
        b.name = "c"
        expectEqual(recorder.last?.keyPath, "next.name")
        expectEqual(recorder.count, 3)
    }

    @Test("each of several targets has its own call, as the change's target") func severalTargets() throws {
        let (a, b, shared) = (Meter(), Meter(), Meter())
        (a.next, b.next) = (shared, shared)
        var targets: [ObjectIdentifier] = []
        try [a, b].observe("next.level") { targets.append(ObjectIdentifier($0.target!)) }
        shared.level = 5
        expectEqual(targets, [ObjectIdentifier(a), ObjectIdentifier(b)])
    }

    @Test("a path that a change reaches in two ways is called for once") func twoWaysToOnePath() throws {
        meter.next = meter
        defer { meter.next = nil }
        try meter.observe(["next.level", "next.next.level"], options: [.old, .new], recorder.handler())
        meter.level = 1
        expectEqual(values(), ["next.level: 0 → 1", "next.next.level: 0 → 1"])
        meter.next = nil
        expectEqual(recorder.count, 4)
    }

    @Test("a handler that ignores the change is called once for it: depend and named handlers without parameters")
    func handlersThatIgnoreTheChange() throws {
        var calls = 0
        let observer = Meter()
        try observer.depend(on: [Dependency(meter, ["level", "double", "name"])]) { _ in calls += 1 }
        try observer.observe(["level", "double"], of: meter, handler: "reload")
        meter.level = 3
        expectEqual(calls, 2)  // one of them at the registration
        expectEqual(observer.reloads, 1)
        try observer.observe(["level", "double"], of: meter, handler: "change")
        meter.level = 4
        expectEqual(observer.reloads, 202)
    }

    @Test("a handler that ignores the change is called once before the change and once after it, with .prior")
    func priorCallsOfHandlersThatIgnoreTheChange() throws {
        let observer = Meter()
        meter.next = meter
        defer { meter.next = nil }
        try observer.observe(["level", "double", "next.level"], of: meter, options: [.prior], handler: "reload")
        meter.level = 3
        expectEqual(observer.reloads, 2)
        try observer.observe(["level", "double"], of: meter, options: [.prior], handler: "change")
        meter.level = 4
        expectEqual(observer.reloads, 404)
        meter.name = "x"
        expectEqual(observer.reloads, 404)
    }

    @Test("a property of type Any has its old value too when a key is derived from it") func anyWithDerivedKey() throws
    {
        final class Box: TrackedObject {
            @Observed var content: Any = 1
            var text: String { "\(content)" }
            override class var schema: Schema {
                Schema(Box.self, extending: super.schema) {
                    Key("content", \.content)
                    Key("text", \.text, affectedBy: "content")
                }
            }
        }
        let box = Box()
        try box.observe("content", options: [.old, .new], recorder.handler())
        try box.observe("text", options: [.old, .new], recorder.handler())
        box.content = "two"
        expectEqual(values(), ["content: 1 → two", "text: 1 → two"])
    }

    @Test("prior calls come for each path, before the change") func prior() throws {
        try meter.observe(["level", "double"], options: [.prior, .new], recorder.handler())
        meter.level = 3
        expectEqual(recorder.paths, ["level", "double", "level", "double"])
        expectEqual(recorder.priors, [true, true, false, false])
    }

    @Test("with .distinct only the paths whose value differs are called for") func distinct() throws {
        try meter.observe(["level", "name"], options: [.distinct, .old, .new], recorder.handler())
        meter.withMutation(of: "name") { meter.withMutation(of: "level") { meter.level = 2 } }
        expectEqual(values(), ["level: 0 → 2"])
    }

    @Test("coalesced changes of several paths are one call for each of them") func coalesced() throws {
        try meter.observe(["level", "name"], options: [.old, .new], recorder.handler())
        coalescingChanges {
            meter.level = 1
            meter.name = "x"
            meter.level = 2
        }
        expectEqual(values(), ["level: 0 → 2", "name: m → x"])
    }
}
