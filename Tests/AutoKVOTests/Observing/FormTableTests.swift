import AutoKVO
import AutoKVOTestSupport
import Testing

private class FormPlace: TrackedObject {
    @Observed var city = "Ulm"
    @Observed var streets: [String] = []
}

private class FormPerson: TrackedObject {
    @Observed var age = 1
    @Observed var address: FormPlace? = FormPlace()
    @Observed var friends: [FormPlace] = []
}

private final class FormPanel: TrackedObject {}

/// A main loop that runs operations at once, so that what is delivered by it is there when the change returns.
private struct AtOnce: MainActorChangeScheduler {
    func schedule(_ operation: @escaping @Sendable () -> Void) { operation() }
}

extension ChangeScheduler where Self == AtOnce {
    fileprivate static var loop: AtOnce { AtOnce() }
}

private actor FormStore {
    private(set) var ages: [Int?] = []

    nonisolated func follow(_ person: FormPerson) throws {
        person.$age.observe(options: [.new], on: self) { store, change in store.ages.append(change.newValue) }
        try person.observe("age", as: Int.self, options: [.new], on: self) { store, change in
            store.ages.append(change.newValue)
        }
    }
}

/// Each cell of the table in docs/AutoKVO.docc/Streams-and-Schedulers.md, "Which form?": the columns in its order.
@MainActor struct FormTableTests {
    private let ann = FormPerson()
    private let bob = FormPerson()
    private let panel = FormPanel()
    private final class Log {
        var lines: [String] = []
        func add(_ line: String) { lines.append(line) }
    }
    private let log = Log()

    /// Changes what the five columns observe, and compares which of them were called.
    private func expectCalls(_ expected: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        log.lines = []
        ann.age += 1
        ann.address?.city += "m"
        bob.age += 1
        expectEqual(log.lines.sorted(), expected.sorted(), sourceLocation: sourceLocation)
    }

    @Test("a closure") func closure() throws {
        try ann.observe("age") { [log] change in log.add("name") }
        ann.observe(\.$age) { [log] person, change in log.add("key path") }
        ann.$age.observe { [log] change in log.add("handle") }
        ann.$address.$city.observe { [log] change in log.add("path") }
        try [ann, bob].observe("age") { [log] change in log.add("many") }
        expectCalls("name", "key path", "handle", "path", "many", "many")
    }

    @Test("an observer") func observer() throws {
        try panel.observe("age", of: ann) { [log] panel, change in log.add("name") }
        panel.observe(\.$age, of: ann) { [log] panel, change in log.add("key path") }
        ann.$age.observe(for: panel) { [log] panel in log.add("handle") }
        ann.$address.$city.observe(for: panel) { [log] panel in log.add("path") }
        try [ann, bob].addObserver(panel, forKeyPath: "age") { [log] panel, change in log.add("many") }
        expectCalls("name", "key path", "handle", "path", "many", "many")
    }

    @Test("a token") func token() throws {
        var tokens = [
            try ann.onChange("age") { [log] change in log.add("name") },
            ann.observe(\.$age) { [log] person, change in log.add("key path") }.scoped(),
            ann.$age.onChange { [log] change in log.add("handle") },
            ann.$address.$city.onChange { [log] change in log.add("path") },
            [ann, bob].map(\.$age).onChange { [log] change in log.add("many") },
        ]
        expectCalls("name", "key path", "handle", "path", "many", "many")
        tokens = []
        expectCalls()
        #expect(tokens.isEmpty)
    }

    @Test("elsewhere") func elsewhere() async throws {
        nonisolated(unsafe) let log = log
        try ann.observe("age", as: Int.self, on: .loop) { change in log.add("name") }
        ann[keyPath: \.$age].observe(on: .loop) { change in log.add("key path") }
        ann.$age.observe(on: .loop) { change in log.add("handle") }
        ann.$address.$city.observe(on: .loop) { change in log.add("path") }
        [ann, bob].map(\.$age).observe(on: .loop) { change in log.add("many") }
        expectCalls("name", "key path", "handle", "path", "many", "many")
        let store = FormStore()
        try store.follow(ann)
        ann.age = 7
        await expectEqual(store.ages, [7, 7])
    }

    @Test("an observer, elsewhere") func observerElsewhere() throws {
        let log = log
        try ann.path("age").observe(for: panel, on: .loop) { panel in log.add("name") }
        ann.observe(\.$age, for: panel, on: .loop) { panel, change in log.add("key path") }
        ann.$age.observe(for: panel, on: .loop) { panel, change in log.add("handle") }
        ann.$address.$city.observe(for: panel, on: .loop) { panel, change in log.add("path") }
        [ann, bob].map(\.$age).observe(for: panel, on: .loop) { panel, change in log.add("many") }
        expectCalls("name", "key path", "handle", "path", "many", "many")
    }

    @Test("to end it") func ending() throws {
        func begin() throws {
            try panel.observe("age", of: ann) { [log] panel, change in log.add("one") }
            try [ann, bob].addObserver(panel, forKeyPath: "age") { [log] panel, change in log.add("many") }
        }
        try begin()
        ann.$address.$city.observe { [log] change in log.add("path") }
        panel.stopObserving("age", of: ann)
        expectCalls("many", "path")
        panel.stopObserving("age")
        expectCalls("path")
        ann.$address.$city.removeAllObservers()
        expectCalls()
        try begin()
        panel.stopObserving(ann.$age)
        expectCalls("many")
        try begin()
        ann.$age.removeObserver(panel)
        expectCalls("many", "many")
        panel.stopObserving("age")
        expectCalls()
        let path = ann.$address.$city
        path.observe(for: panel) { [log] _ in log.add("path") }
        panel.stopObserving(path)
        expectCalls()
    }

    @Test("elements") func elements() throws {
        let log = log
        try ann.path("friends", as: [FormPlace].self).observeElements(added: { _ in log.add("name") })
        try ann.observeElements("friends", as: FormPlace.self, added: { _ in log.add("by name") })
        ann[keyPath: \.$friends].observeElements(added: { _ in log.add("key path") })
        ann.$friends.observeElements(for: panel, added: { panel, _ in log.add("handle") })
        ann.$address.$streets.observeElements(for: panel, added: { panel, street in log.add("path " + street) })
        [ann, bob].map(\.$friends).observeElements(added: { _ in log.add("many") })
        ann.$friends.append(FormPlace())
        bob.friends = [FormPlace()]
        ann.address?.streets = ["Elm"]
        expectEqual(log.lines.sorted(), ["by name", "handle", "key path", "many", "many", "name", "path Elm"])
    }

    @Test("the whole value") func wholeValue() throws {
        let log = log
        try ann.path("age", as: Int.self).onValue { age in log.add("name \(age ?? 0)") }
        ann[keyPath: \.$age].onValue { age in log.add("key path \(age)") }
        ann.$age.onValue(for: panel, on: .loop) { panel, age in log.add("handle \(age)") }
        ann.$address.$city.onValue(for: panel, on: .loop) { panel, city in log.add("path \(city ?? "")") }
        [ann, bob].map(\.$age).onValue { age in log.add("many \(age)") }
        expectEqual(log.lines, ["name 1", "key path 1", "handle 1", "path Ulm", "many 1", "many 1"])
        expectCalls("name 2", "key path 2", "handle 2", "path Ulmm", "many 2", "many 2")
    }
}
