import AutoKVO
import AutoKVOTestSupport
import Testing

extension DeathTests {
    @Test(".retainsTarget keeps the target until the observation ends", arguments: ["age", "address.city"])
    func retainsTarget(path: String) throws {
        let panel = tracker.track(Person("Panel"))
        var observation: KeyValueObservation?
        do {
            let person = tracker.track(Person())
            observation = try person.addObserver(panel, forKeyPath: path, options: [.retainsTarget]) { _, _ in }
        }
        expectEqual(tracker.liveCount, 2)
        #expect(observation?.target != nil)
        expectEqual(observation?.isValid, true)
        observation?.remove()
        expectEqual(tracker.liveCount, 1)
    }

    @Test(".retainsTarget of several targets lets go of one with its last path, whoever removes that")
    func retainsOneOfSeveral() throws {
        let panel = tracker.track(Person("Panel"))
        let observation: KeyValueObservation
        do {
            let people = (0..<3).map { _ in tracker.track(Person()) }
            observation = try people.addObserver(panel, forKeyPath: ["age", "address.city"], options: .retainsTarget) {
                _, _ in
            }
            expectEqual(people[0].removeObserver(panel, forKeyPath: "age"), 1)
            expectEqual(people[1].removeObserver(panel), 1)
        }
        expectEqual(tracker.liveCount, 3)
        expectEqual(observation.targets.count, 2)
        #expect(observation.remove(keyPath: "age"))
        expectEqual(tracker.liveCount, 3)
        expectEqual(panel.stopObserving(of: observation.target!), 1)
        expectEqual(tracker.liveCount, 2)
        observation.remove()
        expectEqual(tracker.liveCount, 1)
        withExtendedLifetime(panel) {}
    }

    @Test(".retainsTarget lets go when the observer dies") func retainsTargetObserver() throws {
        do {
            let panel = tracker.track(Person("Panel"))
            do {
                try tracker.track(Person()).addObserver(panel, forKeyPath: "age", options: [.retainsTarget]) { _, _ in }
            }
            expectEqual(tracker.liveCount, 2)
        }
        tracker.expectNoLeaks()
    }

    @Test("without .retainsTarget nobody is kept: neither target, observer nor handler") func keepsNothing() throws {
        do {
            let person = tracker.track(Person())
            let panel = tracker.track(Person("Panel"))
            let token = tracker.token()
            try person.addObserver(
                panel, forKeyPath: ["age", "address.city"], options: [.old, .new, .prior, .initial]
            ) { _, _ in
                token.touch()
            }
            person.age = 1
            person.address = Address()
        }
        tracker.expectNoLeaks()
    }

    @Test("a target that dies inside its own handler ends well") func diesInHandler() throws {
        final class Owner { var person: Person? }
        let owner = Owner()
        owner.person = tracker.track(Person())
        try owner.person!.observe("age") { [recorder] change in
            recorder.record(change)
            owner.person = nil
        }
        try owner.person!.observe("age", recorder.handler("second"))
        let observation = try owner.person!.observe("age", recorder.handler("third"))
        owner.person!.age = 1
        tracker.expectNoLeaks()
        #expect(!observation.isValid)
        #expect(recorder.count >= 1)
    }

    // A handler's observer.
    @Test("an observer cannot die under its own handler, and gets nothing after it") func observerDiesInHandler() throws
    {
        final class Owner { var panel: Person? }
        let owner = Owner()
        owner.panel = tracker.track(Person("Panel"))
        let person = Person()
        var seen: [String] = []
        for _ in 0..<2 {
            try person.addObserver(owner.panel!, forKeyPath: "age") { panel, _ in
                owner.panel = nil
                panel.log.append("x")
                seen.append(panel.firstName + "\(panel.log.count)")
            }
        }
        person.age = 1
        expectEqual(seen, ["Panel1"])
        tracker.expectNoLeaks()
        person.age = 2
        expectEqual(seen.count, 1)
    }
}
