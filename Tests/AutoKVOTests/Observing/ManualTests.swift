import AutoKVO
import AutoKVOTestSupport
import Testing

/// Announces its changes by hand, and only real ones.
private final class Dial: Model {
    private var stored = 0
    var position: Int {
        get { stored }
        set {
            if newValue == stored { return }
            willChangeValue(forKey: "position")
            stored = newValue
            didChangeValue(forKey: "position")
        }
    }
    @Observed var quiet = 1
    var half: Int { quiet / 2 }
    @Observed var isOn = false
    var isOff: Bool { !isOn }

    override class var schema: Schema {
        Schema(Dial.self, extending: super.schema) {
            Key("position", \.position, notifiesAutomatically: false)
            Key("quiet", \.quiet, notifiesAutomatically: false)
            Key("half", \.half, affectedBy: "quiet")
            Key("isOn", \.isOn)
            Key("isOff", \.isOff, affectedBy: "isOn")
        }
    }
}

/// Writes by hand what it also writes automatically.
private final class Twofold: Model {
    @Observed var inner = 0
    var twice: Int {
        get { inner }
        set {
            willChangeValue(forKey: "inner")
            inner = newValue
            didChangeValue(forKey: "inner")
        }
    }
    override class var schema: Schema { Schema(Twofold.self, extending: super.schema) { Key("inner", \.inner) } }
}

/// Manual announcements.
struct ManualTests {
    @Test("what an object announces in its deinit is nobody's, and nothing is reported") func inDeinit() throws {
        final class Dying: Model {
            @Observed var v = 0
            deinit {
                willChangeValue(forKey: "v")
                v = 1
                didChangeValue(forKey: "v")
            }
        }
        var calls = 0
        let told = try messages {
            let dying = Dying()
            try dying.observe("v") { _ in calls += 1 }
        }
        #expect(told.isEmpty && calls == 0)
    }

    @Test(
        "a function that gets the property inout ends an announced change: observers are called then, and when it returns"
    ) func endedInPlace() throws {
        func finish(_ age: inout Int, _ person: Person) {
            age = 1
            person.didChangeValue(forKey: "age")
            age = 2
        }
        var (calls, values) = (0, [Int]())
        person.$age.observe { _ in calls += 1 }
        person.willChangeValue(forKey: "age")
        finish(&person.age, person)
        expectEqual(calls, 2)
        person.$age.observe(options: .new) { values.append($0.newValue!) }
        person.age = 3
        #expect(calls == 3 && values == [3])
    }

    let person = Person()
    private let dial = Dial()
    let recorder = Recorder<Any>()

    @Test("a key that does not announce itself is silent when set, its sibling not") func silent() throws {
        try person.observe(["token", "age"], recorder.handler())
        person.token = 1
        expectEqual(recorder.count, 0)
        person.age = 1
        expectEqual(recorder.paths, ["age"])
    }

    @Test("announced again in a handler, the change comes to each observer behind the one before") func nested() throws
    {
        try person.observe("token", options: .new) { [person, recorder] change in
            recorder.record(change, "first")
            guard person.token == 1 else { return }
            person.willChangeValue(forKey: "token")
            person.token = 2
            person.didChangeValue(forKey: "token")
        }
        try person.observe("token", options: .new, recorder.handler("second"))
        person.willChangeValue(forKey: "token")
        person.token = 1
        person.didChangeValue(forKey: "token")
        expectEqual(
            recorder.entries.map { "\($0.label) \($0.new as? Int ?? -1)" },
            ["first 1", "second 1", "first 2", "second 2"])
        person.removeAllObservers()
    }

    @Test("announced by hand it is one call with the right values") func announced() throws {
        try person.observe("token", options: [.old, .new, .prior], recorder.handler())
        person.willChangeValue(forKey: "token")
        person.token = 4
        person.didChangeValue(forKey: "token")
        expectEqual(recorder.priors, [true, false])
        expectEqual(recorder.last?.old as? Int, 0)
        expectEqual(recorder.last?.new as? Int, 4)
        person.$token.withMutation { person.token = 5 }
        expectEqual(recorder.last?.new as? Int, 5)
    }

    @Test("a property that is not @Observed is told when announced, and not otherwise") func plainProperty() throws {
        try person.observe("plain", options: [.old, .new], recorder.handler())
        person.plain = 1
        expectEqual(recorder.count, 0)
        person.withMutation(of: "plain") { person.plain = 2 }
        expectEqual(recorder.last?.old as? Int, 1)
        expectEqual(recorder.last?.new as? Int, 2)
    }

    @Test("a flag and its opposite, told through the dependency") func flag() throws {
        try dial.observe("isOff", options: [.old, .new], recorder.handler())
        dial.isOn = true
        dial.isOn = false
        dial.withMutation(of: "isOff") {}
        expectEqual(recorder.news(Bool.self), [false, true, true])
        expectEqual(recorder.olds(Bool.self), [true, false, true])
    }

    @Test("a dependent of a key that does not announce itself: one call when announced by hand, none otherwise")
    func dependentOfQuiet() throws {
        try dial.observe("half", options: [.old, .new], recorder.handler())
        dial.quiet = 8
        expectEqual(recorder.count, 0)
        dial.withMutation(of: "quiet") { dial.quiet = 20 }
        expectEqual(recorder.news(Int.self), [10])
        expectEqual(recorder.olds(Int.self), [4])
    }

    @Test("announced by hand around an automatic write: once") func both() throws {
        let object = Twofold()
        try object.observe("inner", options: [.new, .prior], recorder.handler())
        object.twice = 3
        expectEqual(recorder.priors, [true, false])
        expectEqual(recorder.last?.new as? Int, 3)
    }

    @Test("a setter that returns early notifies only of real changes") func onlyIfChanged() throws {
        try dial.observe("position", options: [.new], recorder.handler())
        dial.position = 0
        dial.position = 1
        dial.position = 1
        expectEqual(recorder.news(Int.self), [1])
    }

    @Test("in a prior call an observer can announce its own dependent key in time") func priorForwarding() throws {
        let follower = Person("Follower")
        try follower.observe("plain", options: [.old, .new], recorder.handler())
        try person.addObserver(follower, forKeyPath: "age", options: [.prior, .new]) { follower, change in
            if change.isPrior {
                follower.willChangeValue(forKey: "plain")
            } else {
                follower.plain = change.newValue as! Int
                follower.didChangeValue(forKey: "plain")
            }
        }
        person.age = 6
        expectEqual(recorder.olds(Int.self), [0])
        expectEqual(recorder.news(Int.self), [6])
    }

    @Test("indexed announcements of an array give kind, indexes and the elements concerned") func indexed() throws {
        person.scores = [1, 2, 3]
        try person.observe("scores", options: [.old, .new, .prior], recorder.handler())
        person.willChange(.insertion, valuesAt: 1..<2, forKey: "scores")
        person.scores.insert(9, at: 1)
        person.didChange(.insertion, valuesAt: 1..<2, forKey: "scores")
        person.willChange(.removal, valuesAt: RangeSet([0..<1, 2..<3]), forKey: "scores")
        person.scores = [9, 3]
        person.didChange(.removal, valuesAt: RangeSet([0..<1, 2..<3]), forKey: "scores")
        person.willChange(.replacement, valuesAt: 0..<1, forKey: "scores")
        person.scores[0] = 8
        person.didChange(.replacement, valuesAt: 0..<1, forKey: "scores")
        expectEqual(recorder.kinds, [.insertion, .insertion, .removal, .removal, .replacement, .replacement])
        expectEqual(recorder.priors, [true, false, true, false, true, false])
        expectEqual(recorder.olds([Int].self), [nil, nil, [1, 2], [1, 2], [9], [9]])
        expectEqual(recorder.news([Int].self), [nil, [9], nil, nil, nil, [8]])
        let (one, first, both) = (RangeSet(1..<2), RangeSet(0..<1), RangeSet([0..<1, 2..<3]))
        let indexes = recorder.entries.map(\.indexes)
        expectEqual(indexes, [one, one, both, both, first, first])
    }

    @Test("withMutation on a path's middle moves the path") func withMutationMiddle() throws {
        person.address = Address("Ulm")
        try person.observe("address.city", options: [.old, .new], recorder.handler())
        person.withMutation(of: "address") {
            person.address = Address("Bonn")
            person.address!.city = "Kiel"
        }
        expectEqual(recorder.count, 1)
        expectEqual(recorder.last?.old as? String, "Ulm")
        expectEqual(recorder.last?.new as? String, "Kiel")
        person.address!.city = "Jena"
        expectEqual(recorder.count, 2)
    }
}
