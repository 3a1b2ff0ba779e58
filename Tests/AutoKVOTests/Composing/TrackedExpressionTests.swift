import AutoKVO
import AutoKVOTestSupport
import Observation
import Testing

/// An observable object as the source.
@MainActor struct TrackedExpressionTests {
    @Observable final class Lamp {
        var level = 0
        var color = "red"
    }

    @MainActor final class Log {
        var levels: [Int] = []
    }

    private let tracker = LifetimeTracker()
    private let lamp = Lamp()
    private let log = Log()

    /// Lets the tasks of the main actor do what there is to do.
    private func settle() async { for _ in 0..<20 { await Task.yield() } }

    /// Ends an observation, and waits until its task has released what it follows.
    private func end(_ observation: KeyValueObservation) async {
        observation.remove()
        await eventually("the task has ended") { observation.target == nil }
    }

    @Test("each transaction gives one value, the first one first") func values() async {
        let owner = PlainObserver(tracker)
        let (lamp, log) = (lamp, log)
        let observation = owner.observe(tracking: { lamp.level }, on: .mainActor) { owner, level in
            owner.log.append("\(level)")
            log.levels.append(level)
        }
        expectEqual(log.levels, [], "the first value is delivered by a task")
        await eventually("the first value") { log.levels == [0] }
        await settle()
        lamp.level = 1
        lamp.level = 2
        await eventually("the second value") { log.levels.count == 2 }
        await settle()
        lamp.color = "blue"
        await settle()
        lamp.level = 2
        await settle()
        lamp.level = 3
        await eventually("the last value") { log.levels.last == 3 }
        expectEqual(log.levels.prefix(2), [0, 2])
        expectEqual(owner.log, log.levels.map(String.init))
        await end(observation)
    }

    @MainActor @Observable final class Bulb {}
    @Observable final class Socket { var bulb: Bulb? }

    @Test("with .distinct the handler gets a first value of nil, and not a second one", arguments: [false, true])
    func firstNil(isOnce: Bool) async {
        let (owner, socket, bulb) = (PlainObserver(tracker), Socket(), Bulb())
        let options: ObservingOptions = isOnce ? [.distinct, .once] : .distinct
        let observation = owner.observe(tracking: { socket.bulb }, options: options, on: .mainActor) { owner, bulb in
            owner.log.append(bulb == nil ? "none" : "bulb")
        }
        await eventually("the first value") { owner.log == ["none"] }
        await settle()
        socket.bulb = nil
        await settle()
        socket.bulb = bulb
        await settle()
        socket.bulb = bulb
        await settle()
        expectEqual(owner.log, isOnce ? ["none"] : ["none", "bulb"])
        await end(observation)
    }

    private final class Loop: MainActorChangeScheduler {
        private let waiting = Guarded<[@Sendable () -> Void]>([])
        private let runsAtOnce: Bool

        init(runsAtOnce: Bool = false) { self.runsAtOnce = runsAtOnce }

        func schedule(_ operation: @escaping @Sendable () -> Void) {
            if runsAtOnce { operation() } else { waiting.withLock { $0.append(operation) } }
        }

        func drop() { waiting.withLock { $0 = [] } }

        /// Runs what is there, and says how much that was.
        func turn() -> Int {
            let operations = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for operation in operations { operation() }
            return operations.count
        }
    }

    @Test("another main loop evaluates and delivers, without the main queue") func mainLoop() {
        let (owner, loop) = (PlainObserver(tracker), Loop())
        let (lamp, log) = (lamp, log)
        let observation = owner.observe(tracking: { lamp.level }, on: loop) { owner, level in log.levels.append(level) }
        expectEqual(log.levels, [])
        #expect(loop.turn() == 1 && log.levels == [0])
        lamp.level = 1
        lamp.level = 2
        lamp.color = "blue"
        #expect(log.levels == [0] && loop.turn() == 1 && log.levels == [0, 2])
        lamp.level = 3
        observation.remove()
        #expect(loop.turn() == 1 && log.levels == [0, 2])
        lamp.level = 4
        #expect(loop.turn() == 0 && observation.target == nil)
    }

    @Test("one that has ended before the first change has nothing scheduled") func endedBefore() {
        let (owner, loop) = (PlainObserver(tracker), Loop())
        let (lamp, log) = (lamp, log)
        let observation = owner.observe(tracking: { lamp.level }, on: loop) { log.levels.append($1) }
        #expect(loop.turn() == 1)
        observation.remove()
        lamp.level = 1
        #expect(loop.turn() == 0 && log.levels == [0])
    }

    @Test("the last of many changes take no longer than the first ones") func many() {
        let (owner, loop) = (PlainObserver(tracker), Loop())
        let (lamp, log) = (lamp, log)
        let observation = owner.observe(tracking: { lamp.level }, on: loop) { log.levels.append($1) }
        var times: [Double] = []
        for _ in 0..<10 {
            times.append(
                processorTime {
                    for _ in 0..<400 {
                        lamp.level += 1
                        _ = loop.turn()
                    }
                })
        }
        // Where each change made the next one longer it was ten times.
        #expect(times.suffix(3).min()! < times.prefix(3).min()! * 4)
        expectEqual(log.levels, Array(1...4000))
        observation.remove()
        _ = loop.turn()
    }

    @Test("a loop that runs operations at once delivers what was stored") func atOnce() async {
        let owner = PlainObserver(tracker)
        let (lamp, log) = (lamp, log)
        let observation = owner.observe(tracking: { lamp.level }, on: Loop(runsAtOnce: true)) { owner, level in
            log.levels.append(level)
        }
        expectEqual(log.levels, [0])
        lamp.level = 1
        await eventually("the second value") { log.levels == [0, 1] }
        lamp.level = 2
        await eventually("the third value") { log.levels == [0, 1, 2] }
        observation.remove()
    }

    @Test("another thread may end it while the main one evaluates") func endedElsewhere() {
        let (owner, loop, lamp) = (PlainObserver(tracker), Loop(), lamp)
        for round in 1...load(300) {
            let observation = owner.observe(tracking: { lamp.level }, on: loop) { _, _ in }
            let thread = Thread { observation.remove() }
            while loop.turn() > 0 { lamp.level = round }
            thread.join()
            lamp.level = -round
            _ = loop.turn()
            #expect(loop.turn() == 0 && observation.target == nil)
        }
    }

    @Test("a loop that runs operations on another thread traps with a sentence that names it") func wrongThread() async
    {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let (lamp, loop) = (Lamp(), Loop())
                Person().observe(tracking: { lamp.level }, on: loop) { _, _ in }
                onAnotherThread { _ = loop.turn() }
            }
        }
        let sentence = "Loop, a MainActorChangeScheduler, has run an operation on another thread than the main one."
        expectEqual(missing(sentence, in: result), [])
    }

    @Test("it ends with its owner in another main loop, and keeps nothing") func ownerDiesInLoop() {
        let (lamp, log, loop) = (lamp, log, Loop())
        var owner: PlainObserver? = PlainObserver(tracker)
        let token = tracker.token()
        let observation = owner!.observe(
            tracking: { [token] in
                token.touch()
                return lamp.level
            }, on: loop
        ) {
            log.levels.append($1)
        }
        _ = loop.turn()
        owner = nil
        #expect(!observation.isValid)
        lamp.level = 1
        _ = loop.turn()
        expectEqual(log.levels, [0])
    }

    @Test("an equal value is left out if asked") func distinct() async {
        let owner = Person()
        let (lamp, log) = (lamp, log)
        let observation = owner.observe(tracking: { lamp.level / 10 }, options: .distinct, on: .mainActor) {
            log.levels.append($1)
        }
        await eventually("the first value") { log.levels == [0] }
        await settle()
        lamp.level = 5
        await settle()
        lamp.level = 10
        await eventually("the second value") { log.levels.count == 2 }
        expectEqual(log.levels, [0, 1])
        await end(observation)
    }

    @Test("it ends with its owner, tracked or not", arguments: [false, true]) func ownerDies(isTracked: Bool) async {
        let (lamp, log, ended) = (lamp, log, Counter())
        var plain: PlainObserver? = isTracked ? nil : PlainObserver(tracker)
        var person: Person? = isTracked ? tracker.track(Person()) : nil
        let observation: KeyValueObservation
        if let plain {
            observation = plain.observe(tracking: { lamp.level }, on: .mainActor) { log.levels.append($1) }
        } else {
            observation = person!.observe(tracking: { lamp.level }, on: .mainActor) { log.levels.append($1) }
        }
        observation.onEnd { reason in if reason == .observerDeinitialized { ended.add() } }
        await eventually("the first value") { log.levels == [0] }
        await settle()
        (plain, person) = (nil, nil)
        expectEqual(tracker.liveCount, 0, "the observation does not keep its owner")
        #expect(!observation.isValid)
        expectEqual(ended.count, 1)
        lamp.level = 1
        await settle()
        expectEqual(log.levels, [0])
        await end(observation)
    }

    @Test("remove() ends it, and what is under way is dropped") func removed() async {
        let owner = Person()
        let (lamp, log) = (lamp, log)
        let observation = owner.observe(tracking: { lamp.level }, on: .mainActor) { log.levels.append($1) }
        await eventually("the first value") { log.levels == [0] }
        await settle()
        lamp.level = 1
        observation.remove()
        await settle()
        lamp.level = 2
        await settle()
        expectEqual(log.levels, [0])
        await end(observation)
    }

    @Test("one with .once is not armed again: nothing would call it", arguments: [false, true]) func armedAgain(
        isInside: Bool
    ) async {
        let (owner, lamp, log) = (PlainObserver(tracker), lamp, log)
        nonisolated(unsafe) var (observation, errors): (KeyValueObservation?, Int) = (nil, 0)
        @Sendable func arm() {
            do { try observation?.rearm() } catch { errors += 1 }
        }
        observation = owner.observe(tracking: { lamp.level }, options: .once, on: .mainActor) { _, level in
            log.levels.append(level)
            if isInside { arm() }
        }
        await eventually("the first value") { log.levels == [0] }
        if !isInside { arm() }
        lamp.level = 1
        await settle()
        #expect(log.levels == [0] && errors == 1 && observation?.isValid == false)
        await end(observation!)
        observation = nil
    }

    @Test("one that is removed at once delivers nothing") func removedAtOnce() async {
        let owner = Person()
        let (lamp, log) = (lamp, log)
        let observation = owner.observe(tracking: { lamp.level }, on: .mainActor) { log.levels.append($1) }
        observation.remove()
        lamp.level = 1
        await settle()
        expectEqual(log.levels, [])
        #expect(owner.observations().isEmpty)
        await end(observation)
    }

    @Test("the observation says who observes, and where it was registered") func description() async {
        let owner = Person()
        let lamp = lamp
        let observation = owner.observe(tracking: { lamp.level }, on: .mainActor) { _, _ in }
        #expect(observation.observer === owner)
        expectEqual(observation.keyPaths, ["value"])
        #expect(observation.debugDescription.contains("TrackedExpressionTests.swift"))
        await end(observation)
    }

    @Test("nothing is kept when it has ended") func nothingKept() async {
        let owner = tracker.track(Person())
        var lamp: Lamp? = Lamp()
        let log = log
        let observation = owner.observe(
            tracking: { [lamp = lamp!, token = tracker.token()] in
                token.touch()
                return lamp.level
            }, on: .mainActor
        ) { [token = tracker.token()] _, level in
            token.touch()
            log.levels.append(level)
        }
        weak let weakLamp = lamp
        lamp = nil
        await eventually("the first value") { log.levels == [0] }
        #expect(weakLamp != nil)
        observation.remove()
        await eventually("what the closures captured is released") { tracker.liveCount == 1 && weakLamp == nil }
        await end(observation)
    }

    @Test("the owner dies inside the handler") func diesInside() async {
        let owner = Shared<Person?>(tracker.track(Person()))
        let (lamp, log) = (lamp, log)
        let observation = owner.value!.observe(tracking: { lamp.level }, on: .mainActor) { _, level in
            log.levels.append(level)
            owner.value = nil
        }
        await eventually("the first value") { log.levels == [0] }
        await eventually("the owner's death") { tracker.liveCount == 0 }
        #expect(!observation.isValid)
        lamp.level = 1
        await settle()
        expectEqual(log.levels, [0])
        await end(observation)
    }

    @Test("the closure reads an observable and a tracked object together") func both() async {
        let owner = Person()
        let person = tracker.track(Person())
        let (lamp, log) = (lamp, log)
        let observation = owner.observe(tracking: { lamp.level + person.observable.age }, on: .mainActor) {
            log.levels.append($1)
        }
        await eventually("the first value") { log.levels == [0] }
        await settle()
        person.age = 10
        await eventually("the tracked object's change") { log.levels == [0, 10] }
        await settle()
        lamp.level = 1
        await eventually("the observable object's change") { log.levels == [0, 10, 11] }
        await settle()
        person.age = 20
        lamp.level = 2
        await eventually("both") { log.levels.last == 22 }
        expectEqual(log.levels.prefix(3), [0, 10, 11])
        await end(observation)
    }

    actor Panel {
        var levels: [Int] = []
        let person = Person()
        func set(_ age: Int) { person.age = age }
        func add(_ level: Int) { levels.append(level) }
    }

    final class Owner: KeyValueObserver, Sendable {}

    @Test("that a scheduler drops an operation is reported, since nothing is followed any more") func dropped() {
        let messages = MessageLog()
        Diagnostics.withHandler(messages.add) {
            let (owner, loop, lamp) = (PlainObserver(tracker), Loop(), lamp)
            let observation = owner.observe(tracking: { lamp.level }, on: loop) { _, _ in }
            _ = loop.turn()
            lamp.level = 1
            loop.drop()
            expectEqual(messages.messages.count, 1)
            observation.remove()
            let other = owner.observe(tracking: { lamp.level }, on: loop) { _, _ in }
            other.remove()
            loop.drop()
        }
        expectEqual(messages.messages.count, 1)
    }

    @Test("an actor tracks what it owns, and delivers") func onActor() async {
        let panel = Panel()
        var owner: Owner? = Owner()
        let observation = owner!.observe(tracking: { panel in panel.person.observable.age }, on: panel) {
            panel, _, age in panel.add(age)
        }
        await eventually("the first value") { await panel.levels == [0] }
        await settle()
        await panel.set(1)
        await eventually("the second value") { await panel.levels.last == 1 }
        owner = nil
        await panel.set(2)
        await settle()
        await expectEqual(panel.levels.last, 1)
        await end(observation)
    }
}
