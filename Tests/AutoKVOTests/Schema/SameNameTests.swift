import AutoKVO
import AutoKVOTestSupport
import Observation
import Testing

private class Inner: Model {
    @Observed var level = 0
}

/// Has private properties of which its subclasses know nothing.
private class Machine: Model {
    @Observed private var state = 1
    @Observed private var inner = Inner()
    @Observed private var text = "base"
    @Observed private var manual = 1
    @Observed private var parts: [Inner] = []
    @ObservedReadOnly private var count = 1
    @ObservedWeak private var friend: Inner?
    @Derived({ (machine: Machine) in "m\(machine.state)" }) private var shown: String
    /// What these read is found by itself.
    var found: String { "\(state) \(count) \(friend?.level ?? -1) \(shown)" }
    var total: Int { parts.reduce(0) { $0 + $1.level } }
    func setParts(_ parts: [Inner]) { self.parts = parts }
    func setCount(_ count: Int) { self.count = count }
    func setFriend(_ friend: Inner?) { self.friend = friend }
    var shownHandle: ReadOnlyProperty<String> { $shown }
    var label: String { "state \(state)" }
    var depth: Int { inner.level }

    func setState(_ state: Int) { self.state = state }
    func setLevel(_ level: Int) { inner.level = level }
    func replaceInner() { inner = Inner() }
    func setText(_ text: String) { self.text = text }
    var stateHandle: Property<Int> { $state }
    var levelHandle: PropertyPath<Int> { $inner.$level }
    var textHandle: Property<String> { $text }
    static func path(_ holder: MachineHolder) -> PropertyPath<Int> { holder.$item.$state }
    static func path<Kind: Machine>(_ item: Property<Kind?>) -> PropertyPath<Int> { item.$state }
    static func longPath(_ holder: MachineHolder) -> PropertyPath<Int> { holder.$item.$inner.$level }
    func observeState(_ handler: @escaping (Int?, Int?) -> Void) {
        observe(\.$state, options: [.old, .new]) { handler($1.oldValue, $1.newValue) }
    }

    override class var schema: Schema {
        Schema(Machine.self, extending: super.schema) {
            Key("label", \.label, affectedBy: "state")
            Key("depth", \.depth, affectedBy: "inner.level")
            Key("found", \.found)
            Key("total", \.total, affectedBy: "parts.@sum.level")
        }
    }
}

/// Has a part of its own of the same name.
private final class RobotWithParts: Machine {
    @Observed var inner = Inner()
}

private final class MachineHolder: Model {
    @Observed var item: Machine?
}

/// Has properties of its own with the names of the private ones.
private class Robot: Machine {
    @Observed var state = 100
    @Observed var inner = 7
    @Observed var mode = 1
    @Observed var parts = "none"
    @Observed var count = [0]
    @ObservedWeak var friend: Robot?
    @Derived({ (robot: Robot) in robot.mode }) var shown: Int
    /// Computed, and of the same type as the private property.
    var text: String { "mode \(mode)" }
    /// Computed, and of another type.
    var manual: String { "manual \(mode)" }

    override class var schema: Schema {
        Schema(Robot.self, extending: super.schema) {
            Key("state", \.state)
            Key("text", \.text, affectedBy: "mode")
            Key("manual", \.manual, affectedBy: "mode")
        }
    }
}
private final class LateRobot: Robot {}

/// Declares a key again, with a dependency of its own.
private final class Extended: Machine {
    @Observed var state = "own"
    override var label: String { super.label + state }
    override class var schema: Schema {
        Schema(Extended.self, extending: super.schema) { Key("label", \.label, affectedBy: "state") }
    }
}

/// Hides the key at which a path of its superclass begins.
private class Open: Model {
    @Observed var inner = Inner()
    var depth: Int { inner.level }
    override class var schema: Schema {
        Schema(Open.self, extending: super.schema) { Key("depth", \.depth, affectedBy: "inner.level") }
    }
}
private final class Closed: Open {
    override class var schema: Schema { Schema(Closed.self, extending: super.schema) { Hidden("inner") } }
}

/// A private property of a superclass and a property of the same name.
struct SameNameTests {
    private let robot = Robot()
    private let holder = MachineHolder()
    let recorder = Recorder<Any>()

    @Test("a handle in a group of dependencies is the property that it was made of") func dependencies() throws {
        let robot = Robot()
        let owner = Model()
        var calls = 0
        try owner.depend(on: [Dependency(robot.stateHandle), Dependency(robot.$mode)], named: "state") { _ in calls += 1
        }
        calls = 0
        robot.state = 5
        expectEqual(calls, 0)
        robot.setState(2)
        expectEqual(calls, 1)
        robot.mode = 3
        expectEqual(calls, 2)
    }

    @Test("both in one observation are two paths, and a name removes the one that it reaches") func bothInOne() throws {
        var calls: [String] = []
        let observation = [robot.stateHandle, robot.$state].observe(options: .new) { calls.append("\($0.newValue!)") }
        robot.state = 5
        robot.setState(2)
        expectEqual(calls, ["5", "2"])
        #expect(observation.remove(keyPath: "state") && observation.isValid)
        robot.state = 6
        robot.setState(3)
        expectEqual(calls, ["5", "2", "3"])

        let owner = PlainObserver()
        try owner.depend(on: [Dependency(robot.stateHandle), Dependency(robot.$state), Dependency(robot, "state")]) {
            _ in
            calls.append("owner")
        }
        calls = []
        robot.state = 7
        robot.setState(4)
        expectEqual(calls, ["owner", "4", "owner"])
        expectEqual(owner.stopObserving("state", of: robot), 1)
        robot.state = 8
        robot.setState(5)
        expectEqual(calls.suffix(2), ["5", "owner"])
        #expect(owner.stopObserving(robot.stateHandle) == 1 && KeyValueObservation.all(observer: owner).isEmpty)
    }

    private final class RobotHolder: Model { @Observed var item: Robot? }

    /// The path to the property that the machine keeps private.
    private static func hidden<Kind: Machine>(_ item: Property<Kind?>) -> PropertyPath<Int> { Machine.path(item) }

    @Test("behind another object they are two paths, too", .needs(.blankObject)) func pathsInOne() throws {
        let holder = RobotHolder()
        holder.item = robot
        var calls: [Int?] = []
        try [Self.hidden(holder.$item), holder.$item.$state, holder.path("item.state", as: Int.self)]
            .observe(options: .new) { calls.append($0.newValue) }
        robot.state = 5
        robot.setState(2)
        expectEqual(calls, [5, 2])
    }

    @Test("a key of the superclass depends on the superclass's property", arguments: [false, true])
    func dependency(isLate: Bool) throws {
        let robot = isLate ? LateRobot() : Robot()
        try robot.observe("label", options: [.old, .new], recorder.handler())
        robot.state = 101
        expectEqual(recorder.count, 0)
        robot.setState(2)
        expectEqual(recorder.take().map { "\($0.old!) \($0.new!)" }, ["state 1 state 2"])

        try robot.observe("depth", options: [.old, .new], recorder.handler())
        robot.inner = 8
        expectEqual(recorder.count, 0)
        robot.setLevel(3)
        robot.replaceInner()
        robot.setLevel(4)
        #expect(recorder.olds(Int.self) == [0, 3, 0] && recorder.news(Int.self) == [3, 0, 4])
        try Robot.validateSchema()
    }

    @Test("a name reaches the subclass's property, a handle the one of the class on which it was formed") func names()
        throws
    {
        var (named, base, own): ([Int?], [Int?], [Int?]) = ([], [], [])
        try robot.observe("state", as: Int.self, options: [.old, .new]) { named += [$0.oldValue, $0.newValue] }
        robot.$state.observe(options: [.old, .new]) { own += [$0.oldValue, $0.newValue] }
        robot.stateHandle.observe(options: [.old, .new]) { base += [$0.oldValue, $0.newValue] }
        robot.observeState { base += [$0, $1] }
        robot.setState(2)
        #expect(named == [] && own == [] && base == [1, 2, 1, 2])
        robot.state = 101
        #expect(named == [100, 101] && own == [100, 101] && base.count == 4)
        try expectEqual(robot.value(forKey: "state") as? Int, 101)
        try robot.setValue(5, forKey: "state")
        #expect(robot.state == 5 && robot.stateHandle.value == 2)
    }

    @Test("a path of handles reaches it too, whichever class the object has now", .needs(.blankObject)) func paths()
        throws
    {
        let (path, named) = (Recorder<Int>(), Recorder<Any>())
        let observation = Machine.path(holder).observe(options: [.old, .new], path.handler())
        try holder.observe("item.state", options: [.old, .new], named.handler())
        #expect(observation.keyPaths == ["item.state"] && Machine.path(holder).keyPath == "item.state")
        holder.item = Machine()
        holder.item!.setState(2)
        #expect(path.entries.map(\.old) == [nil, 1] && path.entries.map(\.new) == [1, 2])
        #expect(named.olds(Int.self) == [nil, 1] && named.news(Int.self) == [1, 2])
        path.clear()
        named.clear()

        holder.item = robot
        robot.setState(3)
        robot.state = 101
        #expect(path.entries.map(\.old) == [2, 1] && path.entries.map(\.new) == [1, 3])
        #expect(named.olds(Int.self) == [2, 100] && named.news(Int.self) == [100, 101])
        #expect(Machine.path(holder).value == 3 && path.paths == ["item.state", "item.state"])

        let level = Recorder<Int>()
        Machine.longPath(holder).observe(options: .new, level.handler())
        robot.setLevel(9)
        robot.inner = 8
        #expect(level.entries.map(\.new) == [9] && Machine.longPath(holder).value == 9)
        holder.item = nil
        #expect(Machine.path(holder).value == nil)
    }

    @Test("each has a binding of its own, by handle and by name") func bindings() throws {
        let (first, second, third) = (Inner(), Inner(), Inner())
        (first.level, second.level, third.level) = (11, 12, 13)
        robot.stateHandle.bind(to: first.$level)
        robot.$state.bind(to: second.$level)
        (first.level, second.level) = (21, 22)
        #expect(robot.stateHandle.value == 21 && robot.state == 22)
        // By name it is the subclass's.
        try robot.bind("state", to: "level", of: third)
        (first.level, second.level, third.level) = (31, 32, 33)
        #expect(robot.stateHandle.value == 31 && robot.state == 33)
        #expect(robot.$state.unbind() && !robot.unbind("state"))
        (first.level, third.level) = (41, 43)
        #expect(robot.stateHandle.value == 41 && robot.state == 33)
        #expect(robot.stateHandle.unbind() && !robot.stateHandle.unbind())
        #expect(!robot.unbind("no such key"))
    }

    @Test("an observation is removed by the handle or the name that it has") func removal() throws {
        let panel = PlainObserver()
        robot.stateHandle.addObserver(panel) { _, _ in }
        robot.$state.addObserver(panel) { _, _ in }
        expectEqual(robot.removeObserver(panel, forKeyPath: "state"), 1)
        #expect(panel.stopObserving(robot.$state) == 0 && panel.stopObserving(robot.stateHandle) == 1)
    }

    @Test("so are observations of paths through both, also among several, and their bindings") func longPaths() throws {
        let plain = RobotWithParts()
        let (mine, own) = (plain.levelHandle, plain.$inner.$level)
        let panel = PlainObserver()
        let first = mine.addObserver(panel) { _, _ in }
        #expect(plain.removeObserver(panel, forKeyPath: "inner.level") == 0 && first.isValid)
        let both = [mine, own].observe { _ in }
        #expect(both.remove(keyPath: "inner.level") && both.isValid)
        let named = try panel.observe("inner.level", of: plain) { _, _ in }
        #expect(panel.stopObserving(mine) == 1 && named.isValid && !first.isValid)
        #expect(panel.stopObserving(own) == 1 && !named.isValid)
        let (a, b) = (Inner(), Inner())
        mine.bind(to: a.$level)
        own.bind(to: b.$level)
        (a.level, b.level) = (7, 8)
        #expect(mine.value == 7 && own.value == 8)
        #expect(plain.unbind("inner.level") && !own.unbind())
        (a.level, b.level) = (17, 18)
        #expect(mine.value == 17 && own.value == 8)
        #expect(mine.unbind())
        both.remove()
    }

    // Where it is not certain that the computed property overrides nothing, it counts as an override of the private one.
    @Test(
        "a computed property of the subclass has its own values, of the same type or another", .needs(.classMetadata),
        arguments: 0..<2)
    func computed(which: Int) throws {
        let name = ["text", "manual"][which]
        try robot.observe(name, options: [.old, .new], recorder.handler())
        let base = Recorder<String>()
        robot.textHandle.observe(options: [.old, .new], base.handler())
        robot.setText("changed")
        expectEqual(recorder.count, 0)
        #expect(base.entries.map(\.old) == ["base"] && base.entries.map(\.new) == ["changed"])
        robot.mode = 2
        let word = which == 0 ? "mode" : "manual"
        #expect(recorder.olds(String.self) == ["\(word) 1"] && recorder.news(String.self) == ["\(word) 2"])
        try expectEqual(robot.value(forKey: name) as? String, "\(word) 2")
        expectEqual(base.count, 1)
    }

    @Test("what a superclass's key reads, and an operator it is affected by, are the superclass's, in every wrapper")
    func everyWrapper() throws {
        let friend = Inner()
        robot.setFriend(friend)
        try robot.observe("found", options: .new, recorder.handler())
        (robot.state, robot.count, robot.friend, robot.mode, robot.parts) = (2, [3], robot, 4, "some")
        expectEqual(recorder.count, 0)
        robot.setState(5)
        robot.setCount(6)
        friend.level = 7
        robot.setFriend(nil)
        expectEqual(recorder.news(String.self), ["5 1 0 m5", "5 6 0 m5", "5 6 7 m5", "5 6 -1 m5"])
        recorder.clear()

        try robot.observe("total", options: [.old, .new], recorder.handler())
        let part = Inner()
        robot.setParts([part])
        part.level = 3
        robot.parts = "others"
        #expect(recorder.olds(Int.self) == [0, 0] && recorder.news(Int.self) == [0, 3])
        var (base, own, named): ([String?], [Int?], [Int?]) = ([], [], [])
        robot.shownHandle.observe(options: .new) { base.append($0.newValue) }
        robot.$shown.observe(options: .new) { own.append($0.newValue) }
        try robot.observe("shown", as: Int.self, options: .new) { named.append($0.newValue) }
        robot.setState(8)
        robot.mode = 9
        #expect(base == ["m8"] && own == [9] && named == [9])
        try Robot.validateSchema()
        robot.friend = nil
    }

    @Test("an undo history, a view for Observation and a function see both") func consumers() {
        let history = UndoHistory(of: robot)
        robot.setState(2)
        robot.state = 101
        robot.setCount(7)
        robot.count = [8]
        for _ in 0..<4 { #expect(history.undo()) }
        #expect(robot.state == 100 && robot.stateHandle.value == 1 && robot.count == [0] && !history.canUndo)
        for _ in 0..<4 { #expect(history.redo()) }
        #expect(robot.state == 101 && robot.stateHandle.value == 2 && robot.count == [8])

        var read: [String] = []
        robot.observe(reading: { "\($0.state) \($0.label)" }) { read.append($1.newValue ?? "\($0.state) \($0.label)") }
        robot.setState(3)
        robot.state = 4
        robot.setCount(9)
        expectEqual(read, ["101 state 3", "4 state 3"])
        let calls = Counter()
        withObservationTracking {
            _ = robot.observable.label
        } onChange: {
            calls.add()
        }
        robot.state = 5
        expectEqual(calls.count, 0)
        robot.setState(6)
        expectEqual(calls.count, 1)
    }

    @Test("a change of one in a handler of the other, in one block and in an announced change, is told by each")
    func together() throws {
        var told: [String] = []
        robot.stateHandle.observe(options: [.old, .new]) { [robot] change in
            told.append("base \(change.oldValue!) \(change.newValue!)")
            if robot.state < 200 { robot.state += 50 }
        }
        robot.$state.observe(options: [.old, .new]) { [robot] change in
            told.append("own \(change.oldValue!) \(change.newValue!)")
            if robot.stateHandle.value < 3 { robot.setState(3) }
        }
        robot.setState(2)
        expectEqual(told, ["base 1 2", "own 100 150", "base 2 3", "own 150 200"])
        told = []
        coalescingChanges {
            for value in [5, 6] {
                robot.setState(value)
                robot.state = 200 + value
            }
        }
        expectEqual(told, ["base 3 6", "own 200 206"])
        told = []
        robot.withMutation(of: "state") { robot.setState(7) }
        expectEqual(told, ["base 6 7", "own 206 206"])
        // The handlers keep the robot.
        robot.removeAllObservers()
    }

    @Test("a key that is declared again depends on both") func extended() throws {
        let object = Extended()
        try object.observe("label", options: .new, recorder.handler())
        object.setState(2)
        object.state = "new"
        expectEqual(recorder.news(String.self), ["state 2own", "state 2new"])
    }

    @Test("a path of the superclass goes through a key that the subclass hides") func hidden() throws {
        let object = Closed()
        try object.observe("depth", options: [.old, .new], recorder.handler())
        object.inner.level = 2
        object.inner = Inner()
        expectEqual(recorder.news(Int.self), [2, 0])
        try Closed.validateSchema()
    }

    @Test(
        "the key descriptions name the subclass's, and all observers of every key hear each once",
        .needs(.classMetadata))
    func descriptions() throws {
        expectEqual(
            Robot.keyDescriptions.map(\.name).sorted(),
            [
                "count", "depth", "found", "friend", "inner", "label", "manual", "mode", "parts", "shown", "state",
                "text",
                "total",
            ])
        try robot.observeAnyKey(options: .new, recorder.handler())
        robot.setState(2)
        robot.state = 3
        expectEqual(recorder.paths, ["label", "found", "state"])
    }
}

/// Has plain and observed properties that its subclasses cannot see, and one that they can.
private class Store: Model {
    private var plain = 0
    @Observed private var sum = 7
    @Observed private var label = "store"
    @Observed var visible = 1
    var title: String { "\(label) \(plain)" }
    func touch() { sum += 1 }

    override class var schema: Schema {
        Schema(Store.self, extending: super.schema) { Key("title", \.title) }
    }
}

/// Stored and computed properties with these names.
private final class Trolley: Store {
    @Observed var rows: [Int] = []
    var plain: Int { rows.reduce(0, +) }

    override class var schema: Schema {
        Schema(Trolley.self, extending: super.schema) {
            Key("plain", \.plain)
            Key("visible", \.visible)
        }
    }
}

private final class TitledStore: Store {
    var label = ""
    var plain = 1
}

/// Computes a property of the name and type of the private one: nothing else tells them apart than what is read.
private final class Confused: Store {
    @Observed var rows: [Int] = []
    var sum: Int { rows.count + 7 }

    override class var schema: Schema {
        Schema(Confused.self, extending: super.schema) { Key("sum", \.sum) }
    }
}

private final class Leaving: Store {
    var whatWasRead: (Any?) -> Void = { _ in }
    override class var schema: Schema {
        Schema(Leaving.self, extending: super.schema) { Key("visible", \.visible) }
    }
    deinit { whatWasRead(try? value(forKey: "visible")) }
}

struct HiddenStorageTests {
    @Test("the first use of a key in a deinit is no fault") func firstUseInDeinit() throws {
        var read: Any?
        do { Leaving().whatWasRead = { read = $0 } }
        expectEqual(read as? Int, 1)
        let another = Leaving()
        try expectEqual(another.value(forKey: "visible") as? Int, 1)
        try another.observe("visible") { _ in }
    }

    @Test("a computed property may have the name of a plain one that is private in the superclass") func plain() throws
    {
        let cart = Trolley()
        let log = Recorder<Any>()
        try cart.observe("plain", options: [.old, .new], log.handler())
        cart.rows = [1, 2]
        expectEqual(log.news(Int.self), [3])
        try cart.observe("visible", options: .new, log.handler())
        cart.visible = 5
        expectEqual(log.news(Int.self), [3, 5])
        try cart.setValue(6, forKey: "visible")
        expectEqual(cart.visible, 6)
        try Trolley.validateSchema()
    }

    @Test("a plain property may have the name of a key that the superclass computes, or stores") func plainBelow()
        throws
    {
        let store = TitledStore()
        let log = Recorder<Any>()
        try store.observe("title", options: .new, log.handler())
        store.$visible.observe { _ in }
        try TitledStore.validateSchema()
    }

    @Test(
        "a key of a computed property whose name and type a private observed one has is a fault at its first use, and not that one",
        .needs(.classMetadata))
    func confused() throws {
        for isObserved in [true, false] {
            let object = Confused()
            let error = #expect(throws: KeyValueError.self) {
                if isObserved { try object.observe("sum") { _ in } } else { _ = try object.value(forKey: "sum") }
            }
            #expect(error.map { "\($0)".contains("give this key another name") } ?? false)
        }
    }

    private class Switched: Model {
        @Observed private var state = 0
        @Observed var label = 0
        func watch(_ handler: @escaping (Int?) -> Void) {
            observe(\.$state, options: .new) { handler($1.newValue) }
        }
        func bump() { state += 1 }
    }

    /// What its functions for ported code say is about its own property.
    private final class Ported: Switched {
        @Observed var state = "idle"
        override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
            key != "state" && super.automaticallyNotifiesObservers(forKey: key)
        }
        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            key == "state" ? ["label"] : super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }

    @Test("what a subclass says of its own property by name is not about a private one of the superclass")
    func portedFunctions() throws {
        let object = Ported()
        var (told, own): ([Int?], Int) = ([], 0)
        object.watch { told.append($0) }
        try object.observe("state") { _ in own += 1 }
        object.bump()
        object.label = 1
        object.state = "busy"
        expectEqual(told, [1])
        #expect(own == 1)
    }

    private class Priced: Model {
        @Observed var total = 0
    }

    private final class Manual: Priced {
        @Observed var tax = 0
        override class var schema: Schema {
            Schema(Manual.self, extending: super.schema) { Key("total", \.total, affectedBy: "tax") }
        }
        override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
            key != "total" && super.automaticallyNotifiesObservers(forKey: key)
        }
    }

    @Test("an inherited property that may be the key's is not announced for one that is announced by hand")
    func byHand() throws {
        let object = Manual()
        var count = 0
        try object.observe("total") { _ in count += 1 }
        object.total = 5
        #expect(count == 0)
        object.willChangeValue(forKey: "total")
        object.didChangeValue(forKey: "total")
        #expect(count == 1)
    }
}
