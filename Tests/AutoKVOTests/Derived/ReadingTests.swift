import AutoKVO
import AutoKVOTestSupport
import Observation
import Testing

/// Observing what is read.
struct ReadingTests {
    @Test("what an onEnd closure reads that runs at once, or in rearm(), is not what a function reads")
    func endsInside() throws {
        let person = Person()
        let ended = person.$firstName.observe { _ in }
        ended.remove()
        let once = person.$spouse.observe(options: .once) { _ in }
        once.onEnd { _ in _ = person.lastName }
        var evaluations = 0
        let reading = person.observe(reading: { person in
            ended.onEnd { _ in _ = person.lastName }
            evaluations += 1
            return person.age
        }) { _, _ in }
        let former = evaluations
        person.lastName += "."
        expectEqual(evaluations, former)
        person.age += 1
        #expect(evaluations > former)
        reading.remove()
        person.removeAllObservers()
    }

    @Test func aClosureIsFollowedWhateverItReads() {
        let (panel, log) = (ReadingPanel(), Recorder<String?>())
        let observation = panel.observe(reading: { $0.model?.fullName }, options: [.old, .new, .initial]) { _, change in
            log.record(change)
        }
        let (ann, bob) = (Person("Ann"), Person("Bob"))
        panel.model = ann
        ann.lastName = "Low"
        panel.model = bob
        ann.firstName = "X"
        bob.age = 3
        panel.model = nil
        expectEqual(log.entries.map(\.new), [.some(nil), "Ann Lee", "Ann Low", "Bob Lee", .some(nil)])
        expectEqual(log.entries.map(\.old), [nil, .some(nil), "Ann Lee", "Ann Low", "Bob Lee"])
        #expect(observation.keyPaths == [] && observation.target == nil && observation.observer === panel)
        expectEqual(panel.observations(), [observation])
        observation.remove()
        panel.model = ann
        #expect(log.count == 5 && panel.observations().isEmpty)
    }

    @Test func itEndsWithTheObserverAndKeepsNothing() {
        let (person, log) = (Person("Ann"), Recorder<String>())
        weak var gone: PlainReader?
        var reason: KeyValueObservation.EndReason?
        do {
            let plain = PlainReader()
            gone = plain
            let observation = plain.observe(reading: { _ in person.firstName }, options: .new) { _, change in
                log.record(change)
            }
            observation.onEnd { reason = $0 }
            person.firstName = "Bea"
            #expect(observation.isValid)
        }
        #expect(gone == nil)
        person.firstName = "Cil"
        #expect(log.entries.map(\.new) == ["Bea"] && reason == .observerDeinitialized)
    }

    @Test("what an observer without a base class has read may die with it, and ends the observation", arguments: 0..<3)
    func everythingIsDead(form: Int) {
        final class Owner: KeyValueObserver {
            var model: Person? = Person("Ann")
        }
        let (tracker, other) = (LifetimeTracker(), Person())
        var reasons: [KeyValueObservation.EndReason] = []
        var owner: Owner? = Owner()
        let resource = tracker.track(Person())
        owner!.observe(reading: { (form == 2 ? other.age : 0) + ($0.model?.age ?? 0) }) { _, _ in _ = resource }
            .onEnd { reasons.append($0) }
        owner!.model!.age = 3
        if form == 0 {
            owner = nil
            expectEqual(reasons, [.observerDeinitialized])
        } else {
            owner!.model = nil
            expectEqual(reasons, form == 1 ? [.targetDeinitialized] : [])
            owner = nil
            other.age = 4
            expectEqual(reasons, form == 1 ? [.targetDeinitialized] : [.observerDeinitialized])
        }
    }

    @Test(
        "so does an observation that reads nothing any more, or whose last source dies inside of a change",
        arguments: 0..<5)
    func nothingIsRead(form: Int) {
        final class Owner: KeyValueObserver {
            var model: Person? = Person("Ann")
        }
        let tracker = LifetimeTracker()
        var owner: Owner? = Owner()
        do {
            let resource = tracker.track(Person())
            owner!.observe(reading: { owner in
                let name = owner.model?.fullName
                if form == 2, name?.hasPrefix("Bea") ?? false { owner.model = nil }
                return name
            }) { _, _ in _ = resource }
        }
        weak let model = owner!.model
        switch form {
        case 0:
            let model = owner!.model.take()!
            model.firstName = "Bea"
        case 1:
            coalescingChanges {
                owner!.model!.firstName = "Bea"
                owner!.model = nil
            }
        case 2: owner!.model!.firstName = "Bea"
        case 3:
            coalescingChanges {
                owner!.model!.firstName = "Bea"
                owner = nil
            }
        default:
            owner!.model!.$firstName.observe { [unowned owner = owner!] _ in owner.model = nil }
            owner!.model!.firstName = "Bea"
        }
        #expect(model == nil)
        owner = nil
        expectEqual(tracker.liveCount, 0)
    }

    @Test("it ends behind the call that is due when what was read dies", arguments: 0..<3)
    func lastCall(form: Int) {
        final class Owner: KeyValueObserver {
            var model: Person? = Person("Ann")
        }
        let (owner, told) = (Owner(), Recorder<String?>())
        var calls: [String] = []
        owner.model!.$firstName.observe { [unowned owner] _ in if form < 2 { owner.model = nil } }
        owner.observe(reading: { $0.model?.firstName }, options: [.old, .new]) { _, change in
            told.record(change)
            calls.append("call")
        }.onEnd { calls.append("\($0)") }
        if form == 0 {
            owner.model!.firstName = "Bea"
        } else {
            coalescingChanges {
                owner.model!.firstName = "Bea"
                if form == 2 { owner.model = nil }
            }
        }
        expectEqual(calls, ["call", "targetDeinitialized"])
        expectEqual(told.last?.old, "Ann")
    }

    ///     reads age the first time
    ///                                  age = 1: evaluates, has read nothing yet
    ///     is registered
    ///                                  reads age
    @Test("no reads are missed because another thread evaluates at the registration") func noFalseReport() {
        let (person, panel) = (Person(), ReadingPanel())
        let (entered, registered) = (Door(), Door())
        nonisolated(unsafe) let shared = (person: person, 0)
        var (count, told) = (0, 0)
        var writer: Thread?
        let reports = messages {
            panel.observe(reading: { _ in
                count += 1
                let number = count
                if number == 2 {
                    entered.open()
                    registered.wait()
                }
                let age = person.age
                if number == 1 {
                    writer = Thread { shared.person.age = 1 }
                    entered.wait()
                }
                return age
            }) { _, _ in told += 1 }
        }
        registered.open()
        writer!.join()
        person.age = 2
        #expect(reports == [] && told >= 1)
    }

    @Test func anyKeyPathIsObserved() {
        let (person, log) = (Clerk("Ann"), NamedLog())
        let observations = [
            person.observe(\.firstName.count, options: [.old, .new]) { _, change in
                log.append("count", change.newValue)
            },
            person.observe(\.spouse?.firstName, options: .new) { person, change in
                #expect(change.target === person)
                log.append("spouse", change.newValue ?? nil)
            },
            person.observe(\.initials, options: .new) { _, change in
                log.append("initials", change.newValue)
            },
        ]
        person.firstName = "Bob"
        expectEqual(log.take().map(\.0), ["initials"])
        person.firstName = "Bernard"
        expectEqual(log.take().map(\.0), ["count"])
        person.spouse = Person("Sue")
        person.spouse?.firstName = "Susan"
        expectEqual(log.take().map { $0.1 as? String }, ["Sue", "Susan"])
        #expect(observations.allSatisfy { $0.target === person && $0.isValid })
        expectEqual(Set(person.observations()), Set(observations))
        expectEqual(person.removeAllObservers(), 3)
    }

    @Test func anObservationOfAKeyPathEndsWithItsTarget() {
        var reasons: [KeyValueObservation.EndReason] = []
        do {
            let person = Person()
            person.observe(\.firstName.count) { _, _ in }.onEnd { reasons.append($0) }
        }
        expectEqual(reasons, [.targetDeinitialized])
    }

    @Test func aKeyPathFormedOnASuperclassServesItsSubclasses() {
        let (employee, log) = (Clerk("Ann"), Recorder<Int>())
        employee.observe(\Person.$age, options: .new) { _, change in log.record(change) }
        employee.age = 4
        expectEqual(log.entries.map(\.new), [4])
    }

    @Test func theKeyPathOfAChangeIsTheOneKeyThatWasRead() {
        let (person, log) = (Person(), Recorder<Int>())
        person.observe(\.firstName.count, options: .new) { _, change in log.record(change) }
        person.observe(\.total, options: .new) { _, change in log.record(change) }
        person.firstName = "Angela"
        expectEqual(log.paths, ["firstName", ""])
    }

    private final class Chief: TrackedObject {
        @Observed var level = 0
        @Observed var chief: Chief?
    }

    @Test("so is it with .once, and behind a removal") func keyPathLater() {
        let chief = Chief()
        var paths: [String] = []
        chief.observe(\.level, options: [.once, .new]) { paths.append($1.keyPath) }
        chief.observe(\.level, options: [.once, .initial]) { paths.append($1.keyPath) }
        chief.observe(\.level) {
            $1.observation.remove()
            paths.append($1.keyPath)
        }
        chief.level = 1
        expectEqual(paths, ["level", "level", "level"])
    }

    @Test("an observer that is not tracked goes on when something dies while its function runs") func deathInside() {
        let (panel, chief) = (ReadingPanel(), Chief())
        var values: [Int] = []
        panel.observe(reading: { _ in Chief().level + chief.level }, options: [.initial, .new]) { _, change in
            values.append(change.newValue!)
        }
        for level in 1...3 { chief.level = level }
        expectEqual(values, [0, 1, 2, 3])
    }

    @Test func readingNothingThatIsObservedIsReported() {
        let (panel, person) = (ReadingPanel(), Person())
        expectEqual(messages { panel.observe(reading: { _ in 3 }) { _, _ in } }.count, 1)
        expectEqual(messages { person.observe(\.birthplace.count) { _, _ in } }.count, 1)
    }

    private final class Constant: TrackedObject {
        var plain = 1
        @Observed var isOn = false
        @Derived({ (object: Constant) in object.plain }) var silent: Int
        @Derived({ (object: Constant) in object.isOn ? object.plain : 0 }) var heard: Int
    }

    @Test func aDerivedPropertyThatReadsNothingObservedIsReportedOnce() {
        let told = messages {
            for _ in 0..<3 {
                let object = Constant()
                object.$heard.observe { _ in }
                object.$silent.observe { _ in }
            }
        }
        #expect(told.count == 1 && told[0].contains("Constant.silent reads nothing that is observed"))
    }

    @Test func aPropertyFollowsAClosure() {
        let (label, person) = (ReadingPanel(), Person("Ann"))
        label.$text.bind { "\(person.fullName), \(person.age)" }
        expectEqual(label.text, "Ann Lee, 0")
        person.age = 3
        person.lastName = "Low"
        expectEqual(label.text, "Ann Low, 3")
        #expect(label.$text.unbind())
        person.age = 4
        expectEqual(label.text, "Ann Low, 3")
    }

    @Test func onceAndPriorAndRearm() throws {
        let (panel, person, log) = (ReadingPanel(), Person(), Recorder<Int>())
        let observation = panel.observe(reading: { _ in person.age / 10 }, options: [.old, .new, .once, .prior]) {
            log.record($1)
        }
        person.age = 5
        person.age = 15
        person.age = 25
        #expect(log.take().map(\.isPrior) == [true, true, false] && observation.isValid == false)
        try observation.rearm()
        person.age = 26
        person.age = 35
        expectEqual(log.take().last?.old, 2)
    }

    @Test func observationSeesExactlyWhatAMemberReads() {
        let person = Clerk("Ann")
        person.spouse = Person("Sue")
        let calls = Guarded<[String]>([])
        nonisolated(unsafe) let seen = (value: person, 0)
        withObservationTracking {
            _ = person.observable.initials
        } onChange: {
            calls.withLock { $0.append(seen.value.initials) }
        }
        person.age = 4
        expectEqual(calls.withLock { $0 }, [])
        person.lastName = "Low"
        expectEqual(calls.withLock { $0 }, ["AL"])
        person.lastName = "Mow"
        expectEqual(calls.withLock { $0 }.count, 1)
        withObservationTracking {
            _ = person.observable.spouseName
        } onChange: {
            calls.withLock { $0.append(seen.value.spouseName) }
        }
        person.spouse?.firstName = "Susan"
        expectEqual(calls.withLock { $0 }.last, "Sue")
    }
}

extension ReadingTests {
    @Test("what the closure captured is released when the observation ends, while the object lives") func released() {
        let (tracker, person) = (LifetimeTracker(), Person())
        let observation: KeyValueObservation
        do {
            let token = tracker.token()
            observation = person.observe(reading: { person in
                token.touch()
                return person.age
            }) { _, _ in }
        }
        observation.remove()
        tracker.expectNoLeaks()
        withExtendedLifetime((person, observation)) {}
    }
}

/// Names and values.
final class NamedLog {
    private var entries: [(String, Any?)] = []
    func append(_ name: String, _ value: Any?) { entries.append((name, value)) }
    func take() -> [(String, Any?)] {
        defer { entries = [] }
        return entries
    }
}

final class PlainReader: KeyValueObserver {}

class Clerk: Person {
    var initials: String { "\(firstName.prefix(1))\(lastName.prefix(1))" }
    var spouseName: String { spouse?.firstName ?? "-" }
}

extension Person { var total: Int { age + firstName.count } }
