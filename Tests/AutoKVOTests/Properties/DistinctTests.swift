import AutoKVO
import AutoKVOTestSupport
import Testing

/// Assignments of equal values by handlers.
struct DistinctInHandlersTests {
    private final class Dial: TrackedObject { @Observed(.distinct) var level = 0 }

    private final class Named<Name: Equatable>: TrackedObject {
        @Observed var name: Name
        init(_ name: Name) { _name = Observed(wrappedValue: name, .distinct) }
    }

    @Test("a property that gets its first value in init can be distinct") func setInInit() {
        let named = Named("Ann")
        var told: [String] = []
        named.$name.observe(options: .new) { told.append($0.newValue!) }
        for name in ["Ann", "Bea", "Bea"] { named.name = name }
        expectEqual(told, ["Bea"])
    }

    private final class Gauge: TrackedObject {
        @ObservedReadOnly(.distinct) private(set) var level = 0
        @ObservedReadOnly(.distinct) private(set) var label: String?
        func set(_ level: Int, _ label: String?) { (self.level, self.label) = (level, label) }
        func edit(_ level: Int) { editable(\._level).value = level }
    }

    @Test("a property that others cannot set can be distinct") func readOnly() {
        let gauge = Gauge()
        var told: [String] = []
        gauge.$level.observe(options: .new) { told.append("\($0.newValue!)") }
        gauge.$label.observe(options: .new) { told.append($0.newValue! ?? "nil") }
        gauge.set(0, nil)
        gauge.set(1, "one")
        gauge.set(1, "one")
        gauge.edit(1)
        gauge.edit(2)
        expectEqual(told, ["1", "one", "2"])
    }

    @Test("what a handler assigns is compared with what the handlers that come before it leave") func order() {
        let dial = Dial()
        var told: [[Int]] = []
        for _ in 0..<2 {
            dial.$level.observe { [unowned dial] _ in if dial.level == 1 { dial.level = 7 } }
        }
        dial.$level.observe(options: [.old, .new]) { told.append([$0.oldValue!, $0.newValue!]) }
        dial.level = 1
        expectEqual(told, [[0, 1], [1, 7]])
    }
}

/// A value that is equal to another one of the same number.
private struct GameMark: Equatable {
    let number: Int
    let text: String
    /// The running test's own count of comparisons: other tests compare marks at the same time.
    @TaskLocal private static var counter: Counter?

    private final class Counter: @unchecked Sendable {
        var count = 0
    }

    static func == (a: GameMark, b: GameMark) -> Bool {
        counter?.count += 1
        return a.number == b.number
    }

    static func comparisons(in body: () -> Void) -> Int {
        let counter = Counter()
        $counter.withValue(counter, operation: body)
        return counter.count
    }
}

private class Gamer: TrackedObject {
    @Observed(.distinct) var level = 0
    @Observed(.distinct) var nickname: String?
    @Observed(.distinct) var best: Int? = nil
    @Observed(.distinct) var speed = 0.5
    @Observed(.distinct) var limit: Double? = nil
    @Observed(.distinct) var mark = GameMark(number: 1, text: "first")
    @Observed(.distinct) var names = ["Ann"]
    @Observed(.distinct) var tags: Set = ["a"]
    @Observed(.distinct) private(set) var rank = 1
    @Observed(.distinct) var counted = 0 { didSet { didSets += 1 } }
    @Observed var score = 0
    @Observed var friend: Gamer?
    var didSets = 0
    var evaluations = 0

    @Derived({ (player: Gamer) in
        player.evaluations += 1
        return player.level * 2
    }) var doubled: Int

    override class var schema: Schema {
        Schema(Gamer.self, extending: super.schema) {
            Key("level", \.level)
            Key("speed", \.speed)
            Key("tags", \.tags)
        }
    }

    func promote() { rank = 1 }
}

private class OddGamer: Gamer {
    override var level: Int {
        get { super.level + 1 }
        set { super.level = newValue }
    }
}

private class GameBox<Content: Equatable>: TrackedObject {
    @Observed var plain: Content
    @Observed(.distinct) var content: Content?

    init(_ content: Content) {
        plain = content
        super.init()
        self.content = content
    }
}

private class GameScale: TrackedObject {
    @Observed(.distinct) var base = 0

    init(base: Int) { self.base = base }
}

/// Distinct properties.
struct DistinctTests {
    private let player = Gamer()
    let recorder = Recorder<Int>()

    @Test("nothing is compared while the object is not observed") func unobserved() {
        let comparisons = GameMark.comparisons {
            player.mark = GameMark(number: 1, text: "second")
            expectEqual(player.mark.text, "second")
            player.$mark.value = GameMark(number: 1, text: "third")
        }
        #expect(player.mark.text == "third" && comparisons == 0)
        player.tags = ["a"]
        player.$tags.value = ["b"]
        expectEqual(player.tags, ["b"])
    }

    @Test("assigning an equal value is no change for anybody, a different one is one") func observed() throws {
        let (named, any) = (Recorder<Any>(), Recorder<Any>())
        player.$level.observe(options: [.old, .new, .prior], recorder.handler())
        try player.observe("level", named.handler())
        try player.observeAnyKey(any.handler())
        player.level = 0
        player.$level.value = 0
        try player.setValue(0, forKey: "level")
        try player.setValue(0, forKeyPath: "level")
        #expect(recorder.count == 0 && named.count == 0 && any.count == 0)
        player.level = 1
        player.level = 1
        player.$level.value = 2
        player.$level.value = 2
        try player.setValue(3, forKey: "level")
        try player.setValue(3, forKey: "level")
        expectEqual(recorder.priors, [true, false, true, false, true, false])
        expectEqual(recorder.entries.compactMap(\.new), [1, 2, 3])
        #expect(named.count == 3 && any.paths.filter { $0 == "level" }.count == 3)
        expectEqual(any.count, 6, "the derived key changes with it")
    }

    @Test("an equal value is not stored while the object is observed") func notStored() {
        player.$mark.observe { _ in Issue.record("called") }
        player.mark = GameMark(number: 1, text: "second")
        player.$mark.value = GameMark(number: 1, text: "third")
        expectEqual(player.mark.text, "first")
    }

    @Test("an equal value is no change of a path, a dependent key or an expression") func dependents() throws {
        let root = Gamer()
        root.friend = player
        let (path, derived, read) = (Recorder<Any>(), Recorder<Int>(), Recorder<Int>())
        try root.observe("friend.level", path.handler())
        player.$doubled.observe(options: [.new], derived.handler())
        let expression = player.observe(reading: { $0.level }) { _, change in read.record(change) }
        let evaluations = player.evaluations
        player.level = 0
        expectEqual(player.evaluations, evaluations)
        #expect(path.count == 0 && derived.count == 0 && read.count == 0)
        player.level = 4
        player.level = 4
        expectEqual(player.evaluations, evaluations + 1)
        #expect(path.count == 1 && derived.entries.map(\.new) == [8] && read.count == 1)
        expression.invalidate()
    }

    @Test("inside an announced change an equal value makes no call by itself") func inTransaction() {
        player.$level.observe(recorder.handler())
        player.$score.withMutation { player.level = 0 }
        expectEqual(recorder.count, 0)
    }

    @Test("nil equals nil, and an optional begins with nil") func optionals() {
        let texts = Recorder<String?>()
        player.$nickname.observe(options: [.new], texts.handler())
        player.$best.observe(recorder(of: Int?.self).handler())
        player.nickname = nil
        player.nickname = "Ann"
        player.nickname = "Ann"
        player.nickname = nil
        expectEqual(texts.entries.map(\.new), ["Ann", .some(nil)])
        #expect(player.best == nil)
    }

    private func recorder<Value>(of type: Value.Type) -> Recorder<Value> { Recorder() }

    @Test("a value that is no number equals itself") func notNumbers() {
        let (speeds, limits) = (Recorder<Double>(), Recorder<Double?>())
        player.$speed.observe(speeds.handler())
        player.$limit.observe(limits.handler())
        for _ in 0..<3 {
            player.speed = .nan
            player.limit = .nan
            player.$speed.value = .nan
        }
        #expect(speeds.count == 1 && limits.count == 1)
        player.speed = 0
        player.speed = -0.0
        #expect(speeds.count == 2 && player.speed.sign == .plus)
    }

    @Test("changes in place and edits are not compared") func inPlace() {
        let (names, tags) = (Recorder<[String]>(), Recorder<Set<String>>())
        player.$level.observe(recorder.handler())
        player.$names.observe(names.handler())
        player.$tags.observe(tags.handler())
        player.level += 0
        player.$level.value += 0
        expectEqual(recorder.count, 2)
        player.names[0] = "Ann"
        player.$names[0] = "Ann"
        expectEqual(names.count, 2)
        player.names = ["Ann"]
        player.$names.value = ["Ann"]
        expectEqual(names.count, 2)
        player.tags = ["a"]
        player.$tags.value = ["a"]
        expectEqual(tags.count, 0)
        player.$tags.value = ["a", "b"]
        player.$tags.insert("c")
        player.$names.append("Bob")
        #expect(tags.kinds == [.replacement, .insertion] && names.count == 3)
        #expect(player.names == ["Ann", "Bob"] && player.tags == ["a", "b", "c"])
    }

    @Test("a change in place through the handle does not copy the collection") func noCopy() {
        player.$names.observe { _ in }
        player.$names.value.reserveCapacity(100)
        let before = player.names.withUnsafeBufferPointer { $0.baseAddress }
        player.$names.value.append("Bob")
        expectEqual(player.names.withUnsafeBufferPointer { $0.baseAddress }, before)
    }

    @Test("a binding by handle, by path of handles or by name sets no equal value") func bindings() throws {
        let source = Gamer()
        player.$level.observe(recorder.handler())
        let bindings = [player.$level.bind(to: source.$score), try player.bind("speed", to: "score", of: source)]
        source.score = 3
        source.score = 3
        #expect(recorder.count == 1 && player.level == 3 && player.speed == 3)
        for binding in bindings { binding.invalidate() }
        source.friend = player
        let path = source.$friend.$level.bind(to: source.$score)
        source.score = 5
        source.score = 5
        #expect(player.level == 5 && recorder.count == 2)
        path.invalidate()
    }

    @Test("the deliveries before a write are completed before the values are compared") func deliveries() {
        player.$score.observe { [unowned player] _ in player.level = 7 }
        player.$score.observe { [unowned player] _ in player.level = 7 }
        player.$level.observe(options: [.new], recorder.handler())
        player.score = 1
        expectEqual(recorder.entries.map(\.new), [7])
    }

    @Test("what is stored is compared where a subclass overrides the property") func overridden() throws {
        let player = OddGamer()
        try player.observe("level", options: [.new], recorder(of: Any.self).handler())
        let values = Recorder<Int>()
        player.$level.observe(values.handler())
        player.level = 0
        expectEqual(values.count, 0)
        player.level = 1
        player.level = 1
        #expect(values.count == 1 && player.level == 2)
    }

    @Test("didSet runs for an equal value, and private setters compare too") func setters() {
        player.counted = 0
        expectEqual(player.didSets, 1)
        player.$rank.observe(recorder.handler())
        player.promote()
        expectEqual(recorder.count, 0)
    }

    @Test("a generic class has distinct properties") func generic() {
        let box = GameBox(3)
        let (plain, content) = (Recorder<Int>(), Recorder<Int?>())
        box.$plain.observe(plain.handler())
        box.$content.observe(content.handler())
        for _ in 0..<2 {
            box.plain = 3
            box.content = 3
        }
        #expect(plain.count == 2 && content.count == 0)
        box.content = nil
        box.content = nil
        expectEqual(content.count, 1)
    }

    @Test("equal values are compared once for each assignment, and plain properties never") func comparisons() {
        let box = GameBox(GameMark(number: 1, text: ""))
        let ofPlain = GameMark.comparisons {
            box.plain = GameMark(number: 1, text: "")
            box.$plain.value = GameMark(number: 1, text: "")
        }
        player.$mark.observe { _ in }
        let ofDistinct = GameMark.comparisons {
            player.mark = GameMark(number: 1, text: "")
            player.$mark.value = GameMark(number: 1, text: "")
        }
        #expect(ofPlain == 0 && ofDistinct == 2)
    }

    @Test("a value set before the object is complete keeps the policy") func initialised() {
        let scale = GameScale(base: 2)
        scale.$base.observe(recorder.handler())
        scale.base = 2
        expectEqual(recorder.count, 0)
        scale.base = 3
        expectEqual(recorder.count, 1)
    }

    @Test("undoing to an equal value is no change") func undoing() {
        let history = UndoHistory(of: player)
        player.level = 1
        player.$level.observe(recorder.handler())
        #expect(history.undo() && player.level == 0 && recorder.count == 1)
        player.level = 0
        #expect(history.canRedo, "an equal value is no change that ends the redo steps")
    }

    @Test("the keys of distinct properties are those of any observed property") func keys() throws {
        let description = try #require(Gamer.keyDescriptions.first { $0.name == "best" })
        #expect(description.valueType is Int?.Type)
        try expectEqual(player.value(forKey: "rank") as? Int, 1)
        let (tags, proxy) = (Recorder<Set<String>>(), try player.mutableSetValue(forKey: "tags"))
        player.$tags.observe(options: [.new], tags.handler())
        try proxy.insert("b")
        #expect(tags.kinds == [.insertion] && tags.last?.new == ["b"] && player.tags == ["a", "b"])
    }

    @Test("collections in each other to a depth of 2,000 are compared on a small stack") func deep() {
        final class Holder: Model { @Observed var content: Any = 0 }
        func nested(around value: Any, depth: Int = 2_000) -> Any { (0..<depth).reduce(value) { inner, _ in [inner] } }
        onAnotherThread(stackSize: 512 * 1024) {
            let holder = Holder()
            var calls = 0
            holder.content = nested(around: 1)
            holder.$content.observe(options: .distinct) { _ in calls += 1 }
            holder.content = nested(around: 1)
            expectEqual(calls, 0)
            holder.content = nested(around: 2)
            holder.content = nested(around: 2, depth: 2_001)
            expectEqual(calls, 2)
        }
    }
}
