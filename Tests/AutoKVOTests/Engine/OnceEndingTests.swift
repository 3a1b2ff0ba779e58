import AutoKVO
import AutoKVOTestSupport
import Testing

/// How an observation with `.once` ends: once for each time it was armed.
struct OnceEndingTests {
    private let tracker = LifetimeTracker()
    static let paths = ["age", "age|firstName", "address.zip|age", "fullName|age"]

    enum Ending: CaseIterable {
        case removed, target, observer, targetThenObserver, observerThenTarget, targetThenRemoved, observerThenRemoved

        var reason: KeyValueObservation.EndReason {
            switch self {
            case .removed: .removed
            case .target, .targetThenObserver, .targetThenRemoved: .targetDeinitialized
            case .observer, .observerThenTarget, .observerThenRemoved: .observerDeinitialized
            }
        }
    }

    /// A target and an observer, and what `onEnd` was run with.
    private final class Sides {
        var target: Person?
        var panel: AnyObject?
        var reasons: [KeyValueObservation.EndReason] = []
        let observation: KeyValueObservation

        init(
            _ path: String, _ tracker: LifetimeTracker, tracked: Bool, options: ObservingOptions = .once
        ) throws {
            let panel: AnyObject = tracked ? tracker.track(Person("Panel")) : PlainObserver(tracker)
            let target = tracker.track(Person())
            (self.target, self.panel) = (target, panel)
            observation = try target.addObserver(panel, forKeyPath: path, options: options) {
                [token = tracker.token()] _, _ in
                token.touch()
            }
            observation.onEnd { [unowned self] in reasons.append($0) }
        }

        func end(_ ending: Ending) {
            switch ending {
            case .removed: break
            case .target, .targetThenRemoved: target = nil
            case .observer, .observerThenRemoved: panel = nil
            case .targetThenObserver:
                target = nil
                panel = nil
            case .observerThenTarget:
                panel = nil
                target = nil
            }
            switch ending {
            case .removed, .targetThenRemoved, .observerThenRemoved: observation.remove()
            default: break
            }
        }
    }

    @Test("what has fired does not end a second time", arguments: paths, Ending.allCases)
    func firedEndsOnce(path: String, ending: Ending) throws {
        for tracked in [true, false] {
            let sides = try Sides(path, tracker, tracked: tracked)
            sides.target!.age = 1
            #expect(!sides.observation.isValid)
            expectEqual(sides.reasons, [.fired])
            sides.end(ending)
            #expect(!sides.observation.isValid)
            expectEqual(sides.reasons, [.fired])
            var late: [KeyValueObservation.EndReason] = []
            sides.observation.onEnd { late.append($0) }
            expectEqual(late, [.fired])
        }
        tracker.expectNoLeaks()
    }

    @Test("what has fired and is armed again ends again", arguments: paths, Ending.allCases)
    func rearmedEndsAgain(path: String, ending: Ending) throws {
        for tracked in [true, false] {
            let sides = try Sides(path, tracker, tracked: tracked)
            sides.target!.age = 1
            try sides.observation.rearm()
            #expect(sides.observation.isValid)
            sides.end(ending)
            // The death of an observer that is not tracked is noticed when it is looked for.
            #expect(!sides.observation.isValid)
            expectEqual(sides.reasons.first, .fired)
            expectEqual(sides.reasons.count, 2)
            if tracked { expectEqual(sides.reasons.last, ending.reason) }
        }
        tracker.expectNoLeaks()
    }

    @Test("a removal in the handler of what fires ends it once, and later nothing does") func removalInside() throws {
        let person = Person()
        var reasons: [KeyValueObservation.EndReason] = []
        let observation = try person.observe("age", options: .once) { $0.observation.remove() }
        observation.onEnd { reasons.append($0) }
        person.age = 1
        observation.remove()
        expectEqual(reasons, [.removed])
    }

    @Test("armed again in its handler, it ends once for each time it was armed") func rearmInside() throws {
        let person = Person()
        var reasons: [KeyValueObservation.EndReason] = []
        var calls = 0
        let observation = try person.observe("age", options: .once) { change in
            calls += 1
            try! change.observation.rearm()
            // One delivery inside the other.
            if calls == 2 { person.age = 3 }
            if calls == 4 { change.observation.remove() }
        }
        observation.onEnd { reasons.append($0) }
        person.age = 1
        expectEqual(reasons, [.fired])
        person.age = 2
        #expect((calls, reasons.count) == (3, 3))
        person.age = 4
        expectEqual(reasons, [.fired, .fired, .fired, .fired, .removed])
    }

    @Test("whose side has died is not armed again, with the class and the key", arguments: ["age", "age|firstName"])
    func rearmOfDead(path: String) throws {
        var person: Person? = Person()
        let observation = try person!.observe(path.split(separator: "|").map(String.init), options: .once) { _ in }
        person!.age += 1
        person = nil
        let error = #expect(throws: KeyValueError.self) { try observation.rearm() }
        expectEqual(error?.reason, .endedObservation)
        #expect(error?.className == "Person" && error?.key == path)
    }

    @Test("armed again in its onEnd, it is for the next change") func rearmInOnEnd() throws {
        let person = Person()
        var calls = 0
        let observation = try person.observe("age", options: .once) { _ in calls += 1 }
        observation.onEnd { [unowned observation] in if $0 == .fired { try! observation.rearm() } }
        for age in 1...3 { person.age = age }
        expectEqual(calls, 3)
        #expect(observation.isValid)
        observation.remove()
    }

    @Test("onEnd of what has fired runs at once, and when it ends again", arguments: ["age", "age|firstName"])
    func onEndAfterFiring(path: String) throws {
        let person = Person()
        var reasons: [KeyValueObservation.EndReason] = []
        let observation = try person.observe("age", options: [.once, .initial]) { _ in }
        observation.onEnd { reasons.append($0) }
        expectEqual(reasons, [.fired])
        try observation.rearm()
        observation.remove()
        observation.onEnd { reasons.append($0) }
        expectEqual(reasons, [.fired, .removed, .removed])
    }

    // MARK: Retained targets

    @Test("what has fired lets go of a retained target", arguments: paths) func letsGo(path: String) throws {
        let observation: KeyValueObservation
        do {
            let target = tracker.track(Person())
            observation = try target.observe(path, options: [.once, .retainsTarget]) { _ in }
        }
        expectEqual(tracker.liveCount, 1)
        observation.target.map { ($0 as! Person).age = 1 }
        tracker.expectNoLeaks()
        #expect(observation.target == nil)
        #expect(throws: KeyValueError.self) { try observation.rearm() }
        #expect(!observation.isValid)
    }

    @Test("armed again, it retains its target again", arguments: paths, Ending.allCases)
    func retainsAgain(path: String, ending: Ending) throws {
        let sides = try Sides(path, tracker, tracked: true, options: [.once, .retainsTarget])
        sides.target!.age = 1
        try sides.observation.rearm()
        sides.target = nil
        #expect(sides.observation.isValid)
        sides.observation.target.map { ($0 as! Person).age = 2 }
        #expect(sides.observation.target == nil)
        expectEqual(sides.reasons, [.fired, .fired])
        sides.end(ending)
        expectEqual(sides.reasons, [.fired, .fired])
    }

    @Test("the end of an armed one lets go of a retained target, of several those that are left") func retainedTargets()
        throws
    {
        let observation: KeyValueObservation
        do {
            let others = (0..<2).map { _ in tracker.track(Person()) }
            do {
                let targets = others + [tracker.track(Person())]
                observation = try targets.observe("age", options: [.once, .retainsTarget]) { _ in }
                targets[2].age = 1
            }
            expectEqual(tracker.liveCount, 2)
            try observation.rearm()
            withExtendedLifetime(others) {}
        }
        expectEqual(observation.targets.count, 2)
        observation.remove()
        tracker.expectNoLeaks()
    }

    @Test("one that is armed again has the paths of the targets that are left") func pathsOfDead() throws {
        let observation: KeyValueObservation
        let person = tracker.track(Person())
        do {
            let other = tracker.track(Person())
            observation = try [person, other].observe(["age", "firstName"], options: .once) { _ in }
            person.removeAllObservers(forKeyPath: "age")
            person.firstName = "Bea"
            withExtendedLifetime(other) {}
        }
        try observation.rearm()
        expectEqual(observation.keyPaths, ["firstName"])
        #expect(!observation.remove(keyPath: "age"))
        expectEqual(observation.isValid, true)
        observation.remove()
        withExtendedLifetime(person) {}
    }

    @Test("a target that nobody but what fires keeps lives until the delivery is over") func lastReference() throws {
        var calls = 0
        let observation = try tracker.track(Person()).observe("age", options: [.once, .retainsTarget]) { change in
            calls += 1
            expectEqual((change.target as! Person).age, 1)
        }
        try observation.target!.observe("age") { change in
            calls += 1
            expectEqual((change.target as! Person).age, 1)
        }
        (observation.target as! Person).age = 1
        expectEqual(calls, 2)
        tracker.expectNoLeaks()
    }

    // MARK: Dead observers

    @Test("by hand, a change that a dead observer misses does not use it up", arguments: paths) func missed(
        path: String
    ) throws {
        let sides = try Sides(path, tracker, tracked: true, options: [.once, .unregisterManually])
        sides.panel = nil
        expectEqual(messages { sides.target!.age = 1 }.count, 1)
        #expect(sides.observation.isValid)
        sides.end(.removed)
        expectEqual(sides.reasons, [.removed])
    }

    @Test(
        "a rearm() that fails since the observer is dead ends it no second time, and keeps no target", arguments: paths)
    func failedRearm(path: String) throws {
        let sides = try Sides(path, tracker, tracked: true, options: [.once, .retainsTarget])
        sides.target!.age = 1
        sides.panel = nil
        for _ in 0..<2 { #expect(throws: KeyValueError.self) { try sides.observation.rearm() } }
        expectEqual(sides.reasons, [.fired])
        weak let target = sides.target
        sides.target = nil
        #expect(target == nil)
    }

    #if DEBUG
        @Test(
            "a target that dies while its observation is armed again ends it, or lets it throw",
            arguments: paths.dropFirst() + ["address.city"], [TestPoint.relinking, .linked])
        func targetDiesWhileRearmed(path: String, point: TestPoint) throws {
            let sides = try Sides(path, tracker, tracked: true)
            sides.target!.address = tracker.track(Address())
            sides.target!.age = 1
            expectEqual(sides.reasons, [.fired])
            point.whenReached { sides.target = nil }
            if point == .linked {
                try sides.observation.rearm()
                expectEqual(sides.reasons, [.fired, .targetDeinitialized])
            } else {
                #expect(throws: KeyValueError.self) { try sides.observation.rearm() }
                expectEqual(sides.reasons, [.fired])
            }
            #expect(!sides.observation.isValid)
        }

        @Test("an observer that dies when it has fired and before the call ends it", arguments: paths, [true, false])
        func observerDiesBeforeItsCall(path: String, tracked: Bool) throws {
            let sides = try Sides(path, tracker, tracked: tracked)
            TestPoint.firing.whenReached { sides.panel = nil }
            sides.target!.age = 1
            expectEqual(sides.reasons, [.observerDeinitialized])
            #expect(throws: KeyValueError.self) { try sides.observation.rearm() }
            sides.end(.removed)
            expectEqual(sides.reasons, [.observerDeinitialized])
        }
    #endif
}
