import AutoKVO
import AutoKVOTestSupport
import Testing

/// Values, any key, and tokens.
struct ValueObservingTests {
    let person = Person()
    let tracker = LifetimeTracker()

    @Test("the value now and after each change, whole after an edit, and in the end the corrected one") func values() {
        var (scores, ages): ([[Int]], [Int]) = ([], [])
        person.$age.observe { [unowned person] _ in if person.age > 10 { person.age = 10 } }
        let observation = person.$scores.onValue { scores.append($0) }
        person.$age.onValue(userInfo: 3) { ages.append($0) }
        person.$scores.append(1)
        person.$scores.append(2)
        person.scores.removeAll()
        person.age = 20
        expectEqual(scores, [[], [1], [1, 2], []])
        expectEqual(ages, [0, 20, 10])
        #expect(!observation.options.contains(.new) && observation.keyPaths == ["scores"])
        observation.remove()
        person.scores = [4]
        expectEqual(scores.count, 4)
    }

    @Test("an optional value is nil where there is none, and options are those of any observation") func options() {
        var names: [String?] = []
        person.$nickname.onValue(options: [.distinct, .prior]) { names.append($0) }
        person.nickname = "A"
        person.nickname = "A"
        person.nickname = nil
        expectEqual(names, [nil, "A", nil])
        var count = 0
        let once = person.$age.onValue(options: [.once]) { _ in count += 1 }
        person.age = 1
        #expect(count == 1 && !once.isValid)
    }

    @Test("neither the object nor the closure outlives the other") func lifetimes() {
        do {
            let (person, token) = (tracker.track(Person()), tracker.token())
            person.$age.onValue { _ in token.touch() }
            person.age = 1
        }
        tracker.expectNoLeaks()
    }

    @Test("any key: each change says which, derived keys too") func anyKey() throws {
        let recorder = Recorder<Any>()
        let observation = try person.observeAnyKey(options: [.new], recorder.handler())
        person.age = 3
        expectEqual(recorder.paths, ["age"])
        expectEqual(recorder.last?.new as? Int, 3)
        recorder.clear()
        person.firstName = "Eve"
        #expect(Set(recorder.paths) == ["firstName", "fullName", "greeting"] && recorder.count == 3)
        #expect(observation.keyPaths.contains("birthplace") && observation.keyPaths.contains("parent"))
        expectEqual(person.observations(), [observation])
        expectEqual(person.removeAllObservers(forKeyPath: "age"), 1)
        recorder.clear()
        person.age = 4
        #expect(recorder.count == 0 && observation.isValid)
    }

    @Test("any key on behalf of an observer ends with either") func anyKeyOfObserver() throws {
        var panel: PlainObserver? = PlainObserver(tracker)
        var target: Employee? = tracker.track(Employee())
        let first = try panel!.observeAnyKey(of: target!, options: [.initial, .new]) { panel, change in
            panel.log.append(change.keyPath)
        }
        #expect(Set(panel!.log) == Set(first.keyPaths) && panel!.log.contains("badge"))
        panel!.log = []
        target!.salary = 3
        expectEqual(Set(panel!.log), ["salary", "badge"])
        panel = nil
        target!.salary = 4
        #expect(!first.isValid)
        let second = try person.observeAnyKey(of: target!) { _, _ in }
        target = nil
        #expect(!second.isValid)
        tracker.expectNoLeaks()
    }

    @Test("a class without a key throws") func noKey() {
        #expect(throws: KeyValueError.self) { try TrackedObject().observeAnyKey { _ in } }
    }

    @Test("a typed observation with an observer first, by key path") func observerFirst() {
        let panel = PlainPanel()
        panel.observe(\.fullName, of: person, options: [.new]) { panel, change in panel.log.append(change.newValue!) }
        panel.observe(\.$age, of: person, options: [.new]) { panel, change in panel.log.append("\(change.newValue!)") }
        person.age = 2
        person.lastName = "Ray"
        expectEqual(panel.log, ["2", "Ann Ray"])
        expectEqual(panel.stopObserving(), 2)
    }

    @Test("tokens are kept in arrays and sets, and end with them") func tokens() throws {
        var (array, set): ([ScopedObservation], Set<ScopedObservation>) = ([], [])
        try person.onChange("age") { _ in }.store(in: &array)
        person.$age.onChange { _ in }.store(in: &set)
        person.$age.onValue { _ in }.scoped().store(in: &set)
        #expect(array.count == 1 && set.count == 2 && person.observations().count == 3)
        set = []
        expectEqual(person.observations().count, 1)
        array.removeAll()
        #expect(person.observations().isEmpty)
    }

    @Test("an untracked observer that keeps its tokens ends its observations as it dies") func untracked() {
        final class Panel {
            var tokens: Set<ScopedObservation> = []
        }
        var panel: Panel? = Panel()
        let token = tracker.token()
        let observation = person.$age.addObserver(panel!) { _, _ in token.touch() }
        observation.scoped().store(in: &panel!.tokens)
        panel = nil
        #expect(!observation.isValid && person.observations().isEmpty)
    }

    @Test("invalidate is remove") func invalidate() {
        let observation = person.$age.observe { _ in Issue.record("called") }
        observation.invalidate()
        observation.invalidate()
        person.age = 1
        #expect(!observation.isValid)
    }
}
