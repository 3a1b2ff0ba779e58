import AutoKVO
import AutoKVOTestSupport
import Testing

/// A handler that changes what its change concerns: everybody hears every change, in the order in which they were made.
struct NestedOrderTests {
    private let person = Person()
    private let recorder = Recorder<Any>()

    /// Whether each change that a label got begins where the one before ended, and the last leads to a value.
    private func follow<Value: Equatable>(_ label: String, from start: Value, to end: Value) -> Bool {
        var value: Value? = start
        for entry in recorder.entries where entry.label == label && !entry.isPrior {
            if entry.old as? Value != value { return false }
            value = entry.new as? Value
        }
        return value == end
    }

    @Test("base and derived key observed, the derived key's handler sets the base again") func derived() throws {
        try person.observe("firstName", options: [.old, .new], recorder.handler("base"))
        try person.observe("fullName", options: [.old, .new]) { [recorder] change in
            recorder.record(change, "derived")
            let target = change.target as! Person
            if target.firstName.count < 5 { target.firstName += "!" }
        }
        try person.observe("fullName", options: [.old, .new], recorder.handler("behind"))
        try person.observe("greeting", options: [.old, .new], recorder.handler("greeting"))
        person.firstName = "Bob"
        #expect(follow("base", from: "Ann", to: "Bob!!"))
        for label in ["derived", "behind"] { #expect(follow(label, from: "Ann Lee", to: "Bob!! Lee")) }
        #expect(follow("greeting", from: "Hello Ann Lee", to: "Hello Bob!! Lee"))
        for label in ["base", "derived", "behind", "greeting"] { expectEqual(recorder.labels.count { $0 == label }, 3) }
    }

    @Test(
        "a handler that is called before a nested write adds an observer of a derived key: it is notified of that write"
    )
    func observedMeanwhile() throws {
        let fullName = try person.path("fullName")
        person.$firstName.observe { [person] _ in if person.firstName == "Bob" { person.firstName = "Cal" } }
        person.$firstName.observe { [person, recorder] _ in
            if person.firstName == "Bob" { fullName.observe(options: [.old, .new], recorder.handler()) }
        }
        person.firstName = "Bob"
        expectEqual(recorder.olds(String.self), ["Bob Lee"])
        expectEqual(recorder.news(String.self), ["Cal Lee"])
        person.removeAllObservers()
    }

    @Test(
        "elements that come and go: those of the older change first, by handle and by name",
        arguments: [true, false])
    func elements(byHandle: Bool) throws {
        defer { person.removeAllObservers() }
        var told: [String] = []
        func removed(_ score: Int) {
            told.append("-\(score)")
            if score == 1 { person.scores = [5] }
        }
        func added(_ score: Int) {
            told.append("+\(score)")
            if score == 5 { person.$scores.append(6) }
        }
        person.scores = [1, 2]
        if byHandle {
            person.$scores.observeElements(added: added, removed: removed)
        } else {
            try person.observeElements("scores", as: Int.self, added: added, removed: removed)
        }
        person.scores = [3, 4]
        expectEqual(told, ["-1", "-2", "+3", "+4", "-3", "-4", "+5", "+6"])
    }

    @Test("a path that is named twice for a handler calls it once for a change, and one named for two calls both")
    func namedTwice() throws {
        let person = Person()
        var calls: [String] = []
        try person.observe(
            ["age|age|firstName": { calls.append("a \($0.keyPath)") }, "age": { calls.append("b \($0.keyPath)") }],
            options: .initial)
        person.age += 1
        #expect(calls == ["a age", "b age", "a firstName", "a age", "b age"])
    }

    @Test("several handlers for one path: each hears the older change first") func severalHandlers() throws {
        defer { person.removeAllObservers() }
        var told: [String] = []
        func note(_ name: String, _ change: Change<Any>) {
            told.append("\(name) \(change.newValue!)")
            if name == "a", person.age < 3 { person.age += 1 }
        }
        try person.observe(
            ["age": { note("a", $0) }, "age|firstName": { note("b", $0) }, "age|lastName": { note("c", $0) }],
            options: .new)
        person.age = 1
        let ages = ["a", "b", "c"].map { name in told.filter { $0.hasPrefix(name) }.map { $0.suffix(1) } }
        expectEqual(ages, [["1", "2", "3"], ["1", "2", "3"], ["1", "2", "3"]])
    }

    @Test(
        "the same with .once, which has fired by then, of a key and of a path", arguments: [false, true], [false, true])
    func severalCallsOnce(isPath: Bool, isOtherObserved: Bool) throws {
        let holder = Person("Holder")
        holder.spouse = person
        if isOtherObserved { try person.observe("lastName") { _ in } }
        let (object, prefix) = isPath ? (holder, "spouse.") : (person, "")
        var told: [String] = []
        func added(_ score: Int) {
            told.append("+\(score) of \(person.scores)")
            if score == 1 { person.scores = [5] }
        }
        let elements = try object.observeElements(prefix + "scores", as: Int.self, options: .once, added: added)
        person.scores = [1, 2, 3]
        expectEqual(told, ["+1 of [1, 2, 3]", "+2 of [1, 2, 3]", "+3 of [1, 2, 3]"])
        #expect(person.scores == [5] && !elements.isValid)
        told = []
        func note(_ name: String) {
            told.append("\(name) \(person.age)")
            if name == "a" { person.age += 1 }
        }
        let several = try object.observe(
            [prefix + "age": { _ in note("a") }, prefix + "age": { _ in note("b") }], options: .once)
        person.age = 1
        expectEqual(told, ["a 1", "b 1"])
        try several.rearm()
        person.age = 3
        expectEqual(told, ["a 1", "b 1", "a 3", "b 3"])
        expectEqual(person.observations().count, isOtherObserved ? 1 : 0)
    }

    @Test("a leaf is set in a handler of the head's change, and the head in a handler of the leaf's") func headAndLeaf()
        throws
    {
        let (first, second) = (Address("Ulm"), Address("Bonn"))
        person.address = first
        try person.observe("address.city", options: [.old, .new], recorder.handler("path"))
        let head = try person.observe("address") { [unowned second] _ in
            if second.city == "Bonn" { second.city = "Trier" }
        }
        try person.observe("address.city", options: [.old, .new], recorder.handler("behind"))
        person.address = second
        for label in ["path", "behind"] { #expect(follow(label, from: "Ulm", to: "Trier")) }
        head.remove()
        recorder.clear()
        second.$city.observe { [unowned person, unowned second] _ in
            if person.address === second { person.address = first }
        }
        try person.observe("address.city", options: [.old, .new], recorder.handler("last"))
        second.city = "Jena"
        for label in ["path", "behind", "last"] { #expect(follow(label, from: "Trier", to: "Ulm")) }
    }

    @Test(
        "forty observers, some of which write again, twice nested",
        arguments: [[0], [15], [16], [39], [0, 15, 16, 39]])
    func manyObservers(writers: [Int]) throws {
        defer { person.removeAllObservers() }
        for index in 0..<40 {
            try person.observe("age", options: [.old, .new]) { [recorder] change in
                recorder.record(change, "\(index)")
                let target = change.target as! Person
                if writers.contains(index), target.age < 3 { target.age += 1 }
            }
        }
        person.age = 1
        // Several writers: between the test and the store of one, another may have written.
        let count = recorder.labels.count { $0 == "0" }
        if writers.count == 1 { #expect((person.age, count) == (3, 3)) }
        for index in 0..<40 {
            #expect(follow("\(index)", from: 0, to: person.age))
            expectEqual(recorder.labels.count { $0 == "\(index)" }, count)
        }
    }

    @Test(
        "an observer that a handler adds hears that handler's write, however many observers there are",
        arguments: 15...18)
    func addedByTheHandler(count: Int) {
        var late: [Int] = []
        person.$age.observe { [unowned person] _ in
            guard person.age == 1 else { return }
            person.$age.observe(options: .new) { late.append($0.newValue!) }
            person.age = 2
        }
        for _ in 1..<count { person.$age.observe { _ in } }
        person.withMutation(of: "age") { person.age = 1 }
        expectEqual(late, [2])
        person.age = 3
        expectEqual(late, [2, 3])
    }

    @Test("a delivery that was completed leaves nothing behind for the next change, of any object")
    func nothingLeftInThePool() throws {
        let other = Person()
        try other.observe("lastName") { [unowned other] _ in other.age = 1 }
        for _ in 0..<40 { try other.observe("age", recorder.handler()) }
        person.$age.observe { [unowned person] _ in if person.age == 1 { person.age = 2 } }
        for _ in 1..<17 { person.$age.observe { _ in } }
        person.withMutation(of: "age") { person.age = 1 }
        other.lastName = "Ray"
        expectEqual(recorder.count, 40)
    }

    @Test("observers are removed, die and are added while nested changes are delivered") func membership() throws {
        let dying = Shared<Person?>(Person("Panel"))
        let victim = Shared<KeyValueObservation?>(nil)
        try person.observe("age", options: [.old, .new]) { [recorder] change in
            recorder.record(change, "writer")
            let target = change.target as! Person
            guard target.age == 1 else { return }
            victim.value?.remove()
            dying.value = nil
            try! target.observe("age", options: [.old, .new], recorder.handler("added"))
            target.age = 2
        }
        victim.value = try person.observe("age", recorder.handler("removed"))
        try person.addObserver(dying.value!, forKeyPath: "age") { [recorder] in recorder.record($1, "died") }
        for _ in 0..<20 { try person.observe("age", options: [.old, .new], recorder.handler("other")) }
        person.age = 1
        expectEqual(recorder.labels.filter { ["removed", "died"].contains($0) }, [])
        #expect(follow("writer", from: 0, to: 2))
        #expect(follow("added", from: 1, to: 2))
        expectEqual(recorder.labels.count { $0 == "other" }, 40)
    }

    @Test("a nested change meets .once, .distinct and .prior") func options() throws {
        try person.observe("age", options: [.old, .new]) { change in
            let target = change.target as! Person
            if change.oldValue as? Int == 0 {
                target.age = 1
                target.age = 2
            }
        }
        try person.observe("age", options: [.old, .new, .once], recorder.handler("once"))
        try person.observe("age", options: [.old, .new, .once, .prior], recorder.handler("oncePrior"))
        try person.observe("age", options: [.old, .new, .distinct], recorder.handler("distinct"))
        try person.observe("age", options: [.old, .new, .prior], recorder.handler("prior"))
        person.age = 1
        #expect(follow("once", from: 0, to: 1))
        expectEqual(recorder.entries.filter { $0.label == "oncePrior" }.map(\.isPrior), [true, false])
        #expect(follow("distinct", from: 0, to: 2))
        #expect(follow("prior", from: 0, to: 2))
        let priors = recorder.entries.filter { $0.label == "prior" }.map(\.isPrior)
        #expect(priors.enumerated().allSatisfy { $1 == ($0 % 2 == 0) })
    }

    /// Found by the model test: what was changed before the coalescing was held back by it.
    @Test("a coalescing inside a handler holds back what it contains, not what was changed before")
    func coalescingInside() throws {
        try person.observe("age", options: [.old, .new]) { [recorder] change in
            recorder.record(change, "writer")
            let target = change.target as! Person
            if target.age == 1 { coalescingChanges { for age in 2...4 { target.age = age } } }
        }
        try person.observe("age", options: [.old, .new], recorder.handler("other"))
        try person.observe("age", options: [.old, .new, .prior, .once], recorder.handler("once"))
        person.age = 1
        for label in ["writer", "other"] {
            expectEqual(recorder.entries.filter { $0.label == label }.map { $0.old as? Int }, [0, 1])
            expectEqual(recorder.entries.filter { $0.label == label }.map { $0.new as? Int }, [1, 4])
        }
        expectEqual(recorder.entries.filter { $0.label == "once" }.map(\.isPrior), [true, false])
    }

    @Test("a handler sets while a coalescing is delivered") func setDuringCoalescing() throws {
        try person.observe("age", options: [.old, .new]) { [recorder] change in
            recorder.record(change, "writer")
            let target = change.target as! Person
            if target.age < 5 { target.age += 1 }
        }
        try person.observe("age", options: [.old, .new], recorder.handler("other"))
        coalescingChanges { for age in 1...3 { person.age = age } }
        for label in ["writer", "other"] { #expect(follow(label, from: 0, to: 5)) }
    }

    @Test("a manual change and an in-place edit inside a handler") func manualAndEdit() throws {
        try person.observe("scores", options: [.old, .new]) { [recorder] change in
            recorder.record(change, "writer")
            let target = change.target as! Person
            if target.scores.count < 3 { target.scores.append(7) }
        }
        try person.observe("scores", options: [.old, .new], recorder.handler("other"))
        person.scores = [1]
        for label in ["writer", "other"] { #expect(follow(label, from: [Int](), to: [1, 7, 7])) }
        recorder.clear()
        try person.observe("age", options: [.old, .new]) { [recorder] change in
            recorder.record(change, "writer")
            let target = change.target as! Person
            if target.age == 1 {
                target.willChangeValue(forKey: "age")
                target.age = 2
                target.age = 3
                target.didChangeValue(forKey: "age")
            }
        }
        try person.observe("age", options: [.old, .new], recorder.handler("other"))
        person.age = 1
        for label in ["writer", "other"] { #expect(follow(label, from: 0, to: 3)) }
    }

    @Test("a weak referent that dies in a handler is heard of after what came before") func weakDeath() throws {
        let parent = Shared<Person?>(Person("Parent"))
        try person.observe("parent") { _ in parent.value = nil }
        try person.observe("parent.firstName", options: [.old, .new], recorder.handler("path"))
        person.parent = parent.value
        expectEqual(recorder.news(String.self), ["Parent", nil])
        #expect(person.parent == nil)
    }

    @Test(
        "a weak referent dies in a handler, and an observer of what came before moves its path away",
        arguments: [false, true])
    func weakDeathBehindAPath(isDistinct: Bool) throws {
        let (spouse, parent) = (Person("Spouse"), Shared<Person?>(Person("Parent")))
        spouse.parent = parent.value
        try person.observe("spouse.parent.firstName") { _ in _ = parent.take() }
        try person.observe("spouse.parent.firstName", options: isDistinct ? [.new, .distinct] : [.old, .new]) {
            [unowned person, recorder] change in
            recorder.record(change)
            if recorder.count == 1 { person.spouse = nil }
        }
        person.spouse = spouse
        expectEqual(recorder.news(String.self).prefix(2), ["Parent", nil])
        // The death has no old value; to the path that leads nowhere then nothing else happens.
        #expect(recorder.count == (isDistinct ? 2 : 3) && recorder.last?.old as? String == nil)
    }

    @Test("an object dies whose delivery is under way in a change that goes on") func dyingTarget() throws {
        let holder = Shared<Employee?>(Employee("Holder"))
        let parent = Person("Parent")
        holder.value!.parent = parent
        parent.spouse = Person("Spouse")
        try holder.value!.observe("parent.spouse.firstName", options: [.old, .new], recorder.handler("path"))
        try parent.spouse!.observe("firstName") { _ in holder.value = nil }
        try parent.spouse!.observe("firstName") { [parent] _ in
            if parent.age == 0 {
                parent.age = 1
                parent.spouse = nil
            }
        }
        parent.spouse!.firstName = "New"
        #expect(parent.spouse == nil)
    }

    @Test("prior calls still to come are made before a prior handler's change", arguments: 0..<4)
    func priorCalls(form: Int) throws {
        let holder = Person("Holder")
        holder.spouse = person
        var (isFirst, told): (Bool, [String]) = (true, [])
        try person.observe("firstName", options: .prior) { [unowned person] change in
            guard change.isPrior, isFirst else { return }
            isFirst = false
            switch form {
            case 0: person.firstName = "New"
            case 1: person.lastName = "New"
            case 2: person.withMutation(of: "firstName") { person.firstName = "New" }
            default: coalescingChanges { person.firstName = "New" }
            }
        }
        for (object, keyPath) in [(person, "firstName"), (person, "fullName"), (holder, "spouse.fullName")] {
            try object.observe(keyPath, as: String.self, options: [.prior, .old]) { [unowned object] change in
                let now = try! object.value(forKeyPath: keyPath) as! String
                told.append("\(keyPath) \(change.isPrior)")
                if change.isPrior { #expect(change.oldValue == now) }
            }
        }
        person.firstName = "Eve"
        let changes = ["firstName", "fullName", "spouse.fullName"]
        expectEqual(told.filter { $0.hasSuffix("true") }.sorted(), changes.map { $0 + " true" })
        expectEqual(person.firstName, "Eve")
        told = []
        person.firstName = "Bob"
        expectEqual(told, changes.map { $0 + " true" } + changes.map { $0 + " false" })
    }

    @Test("prior calls still to come are made before a change that a prior handler announces by hand")
    func priorCallsByHand() throws {
        var told: [Int] = []
        var isFirst = true
        func set(_ person: Person, _ value: Int) {
            person.willChangeValue(forKey: "plain")
            person.plain = value
            person.didChangeValue(forKey: "plain")
        }
        try person.observe("plain", options: .prior) { [unowned person] change in
            guard change.isPrior, isFirst else { return }
            isFirst = false
            set(person, 5)
        }
        try person.observe("plain", options: .prior) { [unowned person] _ in told.append(person.plain) }
        set(person, 7)
        expectEqual(told, [0, 7])
    }

    @Test("an undo log made from old values restores the first value") func undo() throws {
        let log = Shared<[Int]>([])
        try person.observe("age") { change in
            let target = change.target as! Person
            if target.age > 100 { target.age = 100 }
        }
        try person.observe("age", options: .old) { log.value.append($0.oldValue as! Int) }
        person.age = 500
        person.removeAllObservers()
        for age in log.value.reversed() { person.age = age }
        expectEqual(person.age, 0)
        expectEqual(log.value, [0, 500])
    }

    @Test("the key's own observers, then derived keys as declared, then paths as registered") func subjects() throws {
        let holder = Person("Holder")
        holder.spouse = person
        try holder.observe("spouse.firstName", recorder.handler("path 1"))
        try person.observe("greeting", recorder.handler("greeting"))
        try person.observe("fullName", recorder.handler("fullName"))
        try holder.observe("spouse.greeting", recorder.handler("path 2"))
        try person.observe("firstName", recorder.handler("own"))
        person.firstName = "Bob"
        expectEqual(recorder.labels, ["own", "fullName", "greeting", "path 1", "path 2"])
    }

    @Test("an observer behind the first batch that a handler removes before it makes a change hides none behind it")
    func removedBehindTheBatch() {
        var (observations, log): ([KeyValueObservation], [[Int]]) = ([], Array(repeating: [], count: 20))
        for number in 0..<20 {
            observations.append(
                person.$age.observe(options: .new) { [unowned person] change in
                    log[number].append(change.newValue!)
                    if number == 0, change.newValue == 1 {
                        observations[16].remove()
                        person.age = 2
                    }
                })
        }
        person.age = 1
        expectEqual(log, (0..<20).map { $0 == 16 ? [] : [1, 2] })
    }
}
