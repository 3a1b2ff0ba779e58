import AutoKVO
import AutoKVOTestSupport
import Testing

/// A view on the main actor: not a `TrackedObject`, and not `Sendable`, but for what it keeps.
private final class Panel: KeyValueObserver {
    var log: [String] = []
    let token: LifetimeToken?
    init(_ tracker: LifetimeTracker? = nil) { token = tracker?.token() }
}

/// One that is `Sendable`.
@MainActor private final class View {
    var log: [String] = []
    let token: LifetimeToken?
    nonisolated init(_ tracker: LifetimeTracker? = nil) { token = tracker?.token() }
}

/// A value that is not `Sendable`.
private final class Picture {}

private final class Frame: TrackedObject {
    @Observed var picture = Picture()
    @Observed var inner: Frame?
}

/// The main thread in another loop.
private final class Loop: MainActorChangeScheduler, @unchecked Sendable {
    private let operations = Guarded<[@Sendable () -> Void]>([])
    func schedule(_ operation: @escaping @Sendable () -> Void) { operations.withLock { $0.append(operation) } }
    @MainActor func run() {
        for operation in operations.withLock({
            let all = $0
            $0 = []
            return all
        }) { operation() }
    }
}

extension ChangeScheduler where Self == Loop {
    fileprivate static func loop(_ loop: Loop) -> Loop { loop }
}

private actor Store {
    var log: [String] = []
    let token: LifetimeToken?
    init(_ tracker: LifetimeTracker? = nil) { token = tracker?.token() }
    func add(_ line: String) { log.append(line) }
}

/// An observer for any thread.
private final class Board: Sendable {
    let log = MessageLog()
    let token: LifetimeToken?
    init(_ tracker: LifetimeTracker? = nil) { token = tracker?.token() }
}

/// Observing for an observer.
@MainActor @Suite(.needs(.blankObject)) struct ObserveForTests {
    let person = Person()
    let tracker = LifetimeTracker()

    @Test("the observer gets the change, or only that there was one, before the write returns") func atOnce() {
        let panel = Panel()
        let (seen, told) = (
            person.$age.observe(for: panel, options: .new) { $0.log.append("\($1.newValue!)") },
            person.$age.observe(for: panel) { $0.log.append("changed") }
        )
        person.$age.observe(for: panel, options: [.old, .new], userInfo: 7) { panel, change in
            panel.log.append("\(change.oldValue!) to \(change.newValue!), \(change.userInfo!)")
        }
        person.age = 1
        expectEqual(panel.log, ["1", "changed", "0 to 1, 7"])
        #expect(seen.observer === panel && told.observer === panel)
        expectEqual(panel.stopObserving(person.$age), 3)
        person.age = 2
        expectEqual(panel.log.count, 3)
    }

    @Test("a handler without the change is called once for it, and asks for no values") func withoutChange() {
        let panel = Panel()
        let observation = person.$scores.observe(for: panel, options: [.old, .new, .initial]) {
            $0.log.append("scores")
        }
        expectEqual(observation.options, .initial)
        person.$scores.append(1)
        expectEqual(panel.log, ["scores", "scores"])
    }

    @Test("the observation ends with the observer, whatever its class, and keeps neither side") func lifetime() {
        var panel: Panel? = Panel(tracker)
        let observation = person.$age.observe(for: panel!) { $0.log.append("called") }
        panel = nil
        tracker.expectNoLeaks()
        person.age = 1
        #expect(!observation.isValid)
        var other: Person? = tracker.track(Person())
        let observer = Panel()
        other!.$age.observe(for: observer) { $0.log.append("called") }
        other = nil
        tracker.expectNoLeaks()
    }

    @Test("on the main actor, for an observer that is not Sendable") func mainActor() async {
        let panel = Panel()
        person.$age.observe(for: panel, options: .new, on: .mainActor) { panel, change in
            panel.log.append("\(change.newValue!)")
        }
        person.observe(\.$age, for: panel, options: .new, on: .mainActor) { panel, change in
            panel.log.append("by key path \(change.newValue!)")
        }
        person.$age.observe(for: panel, on: .mainActor) { panel in panel.log.append("changed") }
        person.age = 1
        expectEqual(panel.log, [])
        while panel.log.count < 3 { await Task.yield() }
        expectEqual(panel.log, ["1", "by key path 1", "changed"])
    }

    @Test("values that are not Sendable, with the form that gets only the observer") func notSendable() async {
        let (frame, panel) = (Frame(), Panel())
        frame.$picture.observe(for: panel, on: .mainActor) { panel in panel.log.append("picture") }
        frame.$inner.$picture.observe(for: panel, on: .mainActor) { panel in panel.log.append("inner") }
        frame.picture = Picture()
        frame.inner = Frame()
        while panel.log.count < 2 { await Task.yield() }
        expectEqual(panel.log, ["picture", "inner"])
    }

    @Test("an observer that dies while a change is under way is released, and its handler does not run")
    func deathUnderWay() async {
        let calls = MessageLog()
        var panel: Panel? = Panel(tracker)
        let observation = person.$age.observe(for: panel!, options: .new, on: .mainActor) { _, _ in calls.add("called")
        }
        person.$age.observe(for: panel!, on: .mainActor) { _ in calls.add("called without") }
        person.$age.onValue(for: panel!, on: .mainActor) { _, _ in calls.add("called with value") }
        person.age = 1
        panel = nil
        tracker.expectNoLeaks()
        for _ in 0..<20 { await Task.yield() }
        expectEqual(calls.messages, [])
        person.age = 2
        #expect(!observation.isValid)
    }

    @Test("what is under way when the observation is removed is dropped") func removal() {
        let (loop, panel) = (Loop(), Panel())
        let observation = person.$age.observe(for: panel, on: loop) { panel, _ in panel.log.append("called") }
        person.age = 1
        observation.remove()
        loop.run()
        expectEqual(panel.log, [])
    }

    @Test("a scheduler of the main thread has handlers that are the main actor's") func ownLoop() throws {
        let (loop, panel, view) = (Loop(), Panel(), View())
        person.$age.observe(for: panel, options: .new, on: .loop(loop)) { $0.log.append("\($1.newValue!)") }
        person.$age.observe(for: view, on: .loop(loop)) { view in view.log.append("view") }
        person.$age.observe(options: .new, on: .loop(loop)) { panel.log.append("plain \($0.newValue!)") }
        person[keyPath: \.$age].observe(options: .new, on: loop) { panel.log.append("key path \($0.newValue!)") }
        try person.observe("age", as: Int.self, options: .new, on: loop) { panel.log.append("name \($0.newValue!)") }
        person.age = 1
        expectEqual(panel.log, [])
        loop.run()
        #expect(panel.log == ["1", "plain 1", "key path 1", "name 1"] && view.log == ["view"])
    }

    @Test("registered elsewhere, for a Sendable observer") nonisolated func elsewhere() async {
        let (person, view) = (Person(), View())
        person.$age.observe(for: view, options: .new, on: .mainActor) { view, change in
            view.log.append("\(change.newValue!)")
        }
        person.$friends.observe(for: view, on: .mainActor) { view in view.log.append("friends") }
        person.age = 1
        person.friends = []
        while await view.log.count < 2 { await Task.yield() }
        await expectEqual(view.log, ["1", "friends"])
    }

    @Test("on an actor, which is not kept") func actors() async {
        let board = Board(tracker)
        var store: Store? = Store(tracker)
        let observation = person.$age.observe(for: board, options: .new, on: store!) { store, board, change in
            store.log.append("\(change.newValue!)")
            board.log.add("\(change.newValue!)")
        }
        person.$age.observe(for: board, on: store!) { store, board in store.log.append("changed") }
        person.$age.onValue(for: board, on: store!) { store, board, age in store.log.append("value \(age)") }
        person.observe(\.$age, for: board, on: store!) { store, _, change in store.log.append(change.keyPath) }
        person.age = 1
        while await store!.log.count < 5 { await Task.yield() }
        await expectEqual(store!.log, ["value 0", "1", "changed", "value 1", "age"])
        expectEqual(board.log.messages, ["1"])
        // A task that has run may keep it for a moment.
        store = nil
        while tracker.liveCount > 1 { await Task.yield() }
        person.age = 2
        #expect(!observation.isValid)
        withExtendedLifetime(board) {}
    }

    @Test("by any scheduler, and the whole value at each change") func scheduler() {
        let (scheduler, board) = (SerialScheduler(), Board())
        person.$age.observe(for: board, options: .new, on: scheduler) { $0.log.add("\($1.newValue!)") }
        person.$age.observe(for: board, on: scheduler) { board in board.log.add("changed") }
        person.observe(\.$age, for: board, on: scheduler) { board, change in board.log.add(change.keyPath) }
        person.$scores.onValue(for: board, on: scheduler) { board, scores in board.log.add("\(scores)") }
        person.$nickname.onValue(for: board, on: scheduler) { board, name in board.log.add(name ?? "nobody") }
        person.age = 1
        person.$scores.append(5)
        person.$scores.append(6)
        person.nickname = "E"
        scheduler.runAll()
        expectEqual(board.log.messages, ["[]", "nobody", "1", "changed", "age", "[5]", "[5, 6]", "E"])
    }

    @Test("a key path of a handle that was formed on a superclass has the same forms") func superclass() async {
        let (employee, panel, view, board, store) = (Employee(), Panel(), View(), Board(), Store())
        let scheduler = SerialScheduler()
        employee.observe(\Person.$age, for: panel, options: .new) { $0.log.append("\($1.newValue!)") }
        employee.observe(\Person.$age, for: panel, on: .mainActor) { $0.log.append($1.keyPath) }
        employee.observe(\Person.$age, for: view, on: .mainActor) { $0.log.append($1.keyPath) }
        employee.observe(\Person.$age, for: board, on: scheduler) { $0.log.add($1.keyPath) }
        employee.observe(\Person.$age, for: board, on: store) { store, _, change in store.log.append(change.keyPath) }
        employee.observe(\.$age, for: board, on: scheduler) { board, change in board.log.add("own \(change.keyPath)") }
        employee.age = 1
        scheduler.runAll()
        while await store.log.isEmpty || view.log.isEmpty || panel.log.count < 2 { await Task.yield() }
        #expect(panel.log == ["1", "age"] && view.log == ["age"])
        expectEqual(board.log.messages, ["age", "own age"])
        await expectEqual(store.log, ["age"])
    }

    @Test("an observer gets the whole value, now and after each change, here and on the main actor") func wholeValue()
        async
    {
        let panel = Panel()
        person.$scores.onValue(for: panel) { panel, scores in panel.log.append("\(scores)") }
        person.$address.$city.onValue(for: panel) { panel, city in panel.log.append(city ?? "nowhere") }
        person.$scores.append(1)
        person.address = Address("Linz")
        expectEqual(panel.log, ["[]", "nowhere", "[1]", "Linz"])
        let view = View()
        person.$scores.onValue(for: view, on: .mainActor) { view, scores in view.log.append("\(scores)") }
        person.$address.$city.onValue(for: panel, on: .mainActor) { panel, city in panel.log.append("main \(city!)") }
        person.$scores.append(2)
        while view.log.count < 2 { await Task.yield() }
        expectEqual(view.log, ["[1]", "[1, 2]"])
        expectEqual(panel.log.last, "main Linz")
    }

    @Test("elements that come and go, for an observer") func elements() {
        var panel: Panel? = Panel(tracker)
        let observation = person.$scores.observeElements(
            for: panel!, options: .initial, added: { $0.log.append("+\($1)") }, removed: { $0.log.append("-\($1)") })
        person.$scores.append(3)
        person.scores = [4]
        expectEqual(panel!.log, ["+3", "-3", "+4"])
        panel = nil
        tracker.expectNoLeaks()
        person.$scores.append(5)
        #expect(!observation.isValid)
        let boss = Employee()
        boss.department = Department()
        let other = Panel()
        boss.$department.$members.observeElements(for: other, added: { $0.log.append("+\($1.firstName)") })
        boss.department!.$members.append(Employee("Eve"))
        expectEqual(other.log, ["+Eve"])
    }
}
