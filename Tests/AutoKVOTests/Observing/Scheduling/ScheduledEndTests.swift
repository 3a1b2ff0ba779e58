import AutoKVO
import AutoKVOTestSupport
import Testing

/// Runs nothing, and releases what it was given: on request, the first or the last one first.
private final class FaultyScheduler: ChangeScheduler, @unchecked Sendable {
    private var operations: [@Sendable () -> Void] = []

    func schedule(_ operation: @escaping @Sendable () -> Void) { operations.append(operation) }
    func runLast() { operations.removeLast()() }
    func dropFirst() { operations.removeFirst() }
    func dropLast() { operations.removeLast() }
    func dropAll() { while !operations.isEmpty { dropLast() } }
}

/// What is under way to a scheduler.
struct ScheduledEndTests {
    private let scheduler = SerialScheduler()
    private let log = MessageLog()
    private let tracker = LifetimeTracker()

    private func add(_ change: Change<Int>) {
        log.add("\(change.newValue!) of \(change.target == nil ? "nil" : "a target")")
    }

    // MARK: Deaths

    @Test(
        "the change of an observation with .once is dropped when its target dies before it is delivered",
        arguments: ["age", "address.zip", "age|address.zip"])
    func onceAndDeath(path: String) throws {
        var person: Person? = tracker.track(Person())
        person!.address = Address()
        let token = tracker.token()
        let observation = try person!.observe(path, as: Int.self, options: [.new, .once], on: scheduler) { [log] in
            token.touch()
            log.add("called with \($0.target == nil ? "nil" : "a target")")
        }
        if path == "address.zip" { person!.address!.zip = 1 } else { person!.age = 1 }
        person = nil
        scheduler.runAll()
        expectEqual(log.messages, [])
        #expect(!observation.isValid)
    }

    /// Every form that delivers elsewhere, with `.once` or without.
    private static let forms:
        [@Sendable (Person, Board, SerialScheduler, ObservingOptions) throws -> KeyValueObservation] = [
            { person, board, scheduler, options in
                person.$age.observe(options: options, on: scheduler) { board.log.add("\($0.target != nil)") }
            },
            { person, board, scheduler, options in
                person.observe(\.$age, options: options, on: scheduler) { board.log.add("\($0.target != nil)") }
            },
            { person, board, scheduler, options in
                person.observe(\.age.magnitude, options: options, on: scheduler) {
                    board.log.add("\($0.target != nil)")
                }
            },
            { person, board, scheduler, options in
                person.$age.observe(for: board, options: options, on: scheduler) { $0.log.add("\($1.target != nil)") }
            },
            { person, board, scheduler, options in
                person.$age.observe(for: board, options: options, on: scheduler) { $0.log.add("true") }
            },
            { person, board, scheduler, options in
                person.observe(\.$age, for: board, options: options, on: scheduler) {
                    $0.log.add("\($1.target != nil)")
                }
            },
            { person, board, scheduler, options in
                try person.path("age", as: Int.self).observe(for: board, options: options, on: scheduler) {
                    $0.log.add("\($1.target != nil)")
                }
            },
            { person, board, scheduler, options in
                try person.path("fullName", as: String.self).observe(options: options, on: scheduler) {
                    board.log.add("\($0.target != nil)")
                }
            },
        ]

    private final class Board: Sendable {
        let log = MessageLog()
    }

    @Test(
        "the same for each form that delivers elsewhere: dropped if the target has died, or remove() has returned",
        arguments: forms.indices, [[], .once, [.once, .prior], .distinct] as [ObservingOptions])
    func eachForm(form: Int, options: ObservingOptions) throws {
        let board = Board()
        for ending in 0..<3 {
            var person: Person? = tracker.track(Person())
            person!.address = Address()
            let observation = try Self.forms[form](person!, board, scheduler, options.union(.new))
            (person!.age, person!.firstName) = (1, "Bea")
            switch ending {
            case 0: person = nil
            case 1: observation.remove()
            default: break
            }
            scheduler.runAll()
            if ending < 2 {
                expectEqual(board.log.messages, [], "\(ending)")
            } else {
                #expect(!board.log.messages.isEmpty && board.log.messages.allSatisfy { $0 == "true" })
            }
            #expect(observation.isValid == (ending == 2 && !options.contains(.once)))
            person = nil
        }
    }

    @Test("the change of an observation with .once is delivered if the target lives, though the handle is gone")
    func once() throws {
        let person = tracker.track(Person())
        try person.observe("age", as: Int.self, options: [.new, .once], on: scheduler, add)
        person.age = 1
        scheduler.runAll()
        expectEqual(log.messages, ["1 of a target"])
    }

    @Test(
        "a target that the observation retains lives until the change of .once is delivered, and no longer",
        arguments: [true, false])
    func onceRetaining(isDelivered: Bool) throws {
        var person: Person? = tracker.track(Person())
        let observation = try person!.observe(
            "age", as: Int.self, options: [.new, .once, .retainsTarget], on: scheduler, add)
        person!.age = 1
        person = nil
        expectEqual(tracker.liveCount, 1)
        if !isDelivered { observation.remove() } else { scheduler.runAll() }
        tracker.expectNoLeaks()
        scheduler.runAll()
        #expect(log.messages == (isDelivered ? ["1 of a target"] : []))
    }

    @Test("a change of a manual observation is dropped when its target dies before it is delivered") func manual()
        throws
    {
        var person: Person? = tracker.track(Person())
        let observation = try person!.observe(
            "age", as: Int.self, options: [.new, .unregisterManually], on: scheduler, add)
        person!.age = 1
        person = nil
        scheduler.runAll()
        expectEqual(log.messages, [])
        #expect(observation.isValid)
        observation.remove()
    }

    @Test("the target does not die while the handler runs, and is not kept longer") func aliveInCall() throws {
        let person = Shared<Person?>(tracker.track(Person()))
        try person.value!.observe("age", as: Int.self, options: .new, on: scheduler) { [log, tracker] change in
            person.value = nil
            log.add("\(tracker.liveCount) \(change.target != nil)")
        }
        person.value!.age = 1
        scheduler.runAll()
        expectEqual(log.messages, ["1 true"])
        tracker.expectNoLeaks()
    }

    // MARK: Removals

    @Test("a change of a path that was removed from an observation of several is dropped") func removedPath() throws {
        let person = tracker.track(Person())
        person.address = Address()
        let observation = try person.observe("age|address.zip", as: Int.self, options: .new, on: scheduler, add)
        person.age = 1
        person.address!.zip = 2
        observation.remove(keyPath: "age")
        scheduler.runAll()
        expectEqual(log.messages, ["2 of a target"])
    }

    private final class Panel: Model, @unchecked Sendable {}

    @Test("what is not called in a prior call, or for an equal value, leaves nothing for the next change")
    func notCalled() {
        let (person, panel) = (Person("Ann"), Panel())
        [person.$firstName, person.$lastName].observe(for: panel, options: .distinct, on: scheduler) {
            [log] (_: Panel) in log.add("both")
        }
        person.$age.observe(for: panel, on: scheduler) { [log] (_: Panel) in log.add("age") }
        person.$firstName.observe(options: .prior) { _ in }
        person.firstName = "Bea"
        coalescingChanges { (person.firstName, person.lastName) = ("Bea", "Ray") }
        for age in 1...2 { person.age = age }
        scheduler.runAll()
        expectEqual(log.messages.sorted(), ["age", "age", "both", "both"])
    }

    @Test("a call that is dropped while the change is still being told is made for another path")
    func droppedMeanwhile() {
        let (first, second, panel) = (Person(), Person(), Panel())
        [first.$age, second.$age].observe(for: panel, on: scheduler) { [log] (_: Panel) in log.add("call") }
        [first.$age, second.$age].observe { [scheduler] change in
            guard change.target === first else { return }
            panel.stopObserving(first.$age)
            scheduler.runAll()
        }
        coalescingChanges { (first.age, second.age) = (1, 1) }
        scheduler.runAll()
        expectEqual(log.messages, ["call"])
        first.removeAllObservers()
        second.removeAllObservers()
    }

    @Test(
        "a change of several objects is called for as long as one of them is there, where the handler ignores the change",
        arguments: [ObservingOptions](arrayLiteral: [], .once, .initial), [false, true])
    func firstOfSeveralGone(options: ObservingOptions, isRemoved: Bool) {
        var first: Person? = tracker.track(Person())
        let (second, panel) = (tracker.track(Person()), Panel())
        let observation = [first!.$age, second.$age].observe(for: panel, options: options, on: scheduler) {
            [log] (_: Panel) in
            log.add("call")
        }
        if options != .initial { coalescingChanges { (first!.age, second.age) = (1, 1) } }
        if isRemoved { panel.stopObserving(first!.$age) }
        first = nil
        scheduler.runAll()
        expectEqual(log.messages, ["call"])
        #expect(observation.isValid == (options != .once))
        first = tracker.track(Person())
        // Of both: then there is no call.
        let other = [first!.$age, second.$age].observe(for: panel, options: options, on: scheduler) {
            [log] (_: Panel) in
            log.add("other")
        }
        coalescingChanges { (first!.age, second.age) = (2, 2) }
        other.remove()
        scheduler.runAll()
        #expect(!log.messages.contains("other"))
        observation.remove()
    }

    #if DEBUG
        @Test("no call starts after remove() has returned, though the change has been taken out of the queue")
        func removal() throws {
            let person = tracker.track(Person())
            let observation = try person.observe("age", as: Int.self, options: .new, on: scheduler, add)
            person.age = 1
            person.age = 2
            TestPoint.taken.whenReached { onAnotherThread { observation.remove() } }
            scheduler.runAll()
            expectEqual(log.messages, [])
        }

        @Test("a removal that returns while another thread is ending the observation prevents the call, too")
        func overtakenRemoval() throws {
            let person = Shared<Person?>(tracker.track(Person()))
            let observation = try person.value!.observe("age", as: Int.self, options: .new, on: scheduler, add)
            person.value!.age = 1
            let (ending, called) = (Door(), Door())
            let death = Thread {
                TestPoint.ending.whenReached {
                    ending.open()
                    called.wait()
                }
                observation.remove()
            }
            ending.wait()
            observation.remove()
            scheduler.runAll()
            expectEqual(log.messages, [])
            called.open()
            death.join()
        }
    #endif

    // MARK: A scheduler that drops operations

    @Test(
        "an operation that the scheduler drops leaves nothing, also of an observation that has fired",
        arguments: [[.new], [.new, .once], [.new, .once, .prior]] as [ObservingOptions])
    func droppedOperation(options: ObservingOptions) throws {
        let faulty = FaultyScheduler()
        final class Holder: TrackedObject { @Observed var content: LifetimeToken? }
        let holder = Holder()
        do {
            let token = tracker.token()
            try holder.observe("content", as: LifetimeToken?.self, options: options, on: faulty) { _ in token.touch() }
        }
        holder.content = tracker.token()
        holder.content = nil
        expectEqual(tracker.liveCount, 2)
        faulty.dropAll()
        // One that has not fired is valid, and keeps its handler.
        #expect(tracker.liveCount == (options.contains(.once) ? 0 : 1))
    }

    @Test("the changes whose operations are dropped are not delivered, and the others are, in order")
    func droppedAmongOthers() throws {
        let faulty = FaultyScheduler()
        let person = tracker.track(Person())
        try person.observe("age", as: Int.self, options: .new, on: faulty, add)
        for age in 1...6 { person.age = age }
        faulty.dropFirst()
        faulty.dropLast()
        faulty.runLast()
        expectEqual(log.messages, (2...5).map { "\($0) of a target" })
        person.age = 7
        faulty.runLast()
        expectEqual(log.messages.last, "7 of a target")
    }

    @Test(
        "an operation that is released while another thread is in the handler has its change delivered by that thread")
    func releasedWhileDelivering() throws {
        let serial = SerialScheduler()
        let (inside, goOn) = (Door(), Door())
        let person = tracker.track(Person())
        try person.observe("age", as: Int.self, options: .new, on: serial) { [log] change in
            if change.newValue == 1 {
                inside.open()
                goOn.wait()
            }
            log.add("\(change.newValue!)")
        }
        for age in 1...3 { person.age = age }
        let first = serial.takeFirst()
        let thread = Thread { first() }
        inside.wait()
        serial.runAll()
        goOn.open()
        thread.join()
        expectEqual(log.messages, ["1", "2", "3"])
    }
}
