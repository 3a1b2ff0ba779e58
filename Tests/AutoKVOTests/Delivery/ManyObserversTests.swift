import AutoKVO
import AutoKVOTestSupport
import Testing

/// Properties with three, four, five and six keys derived from them, some through others.
private final class Fan: Model {
    @Observed var a = 0
    @Observed var b = 0
    @Observed var c = 0
    @Observed var d = 0
    var a1: Int { a * 10 + 1 }
    var a2: Int { a * 10 + 2 }
    var a3: Int { a * 10 + 3 }
    var b1: Int { b * 10 + 1 }
    var b2: Int { b * 10 + 2 }
    var b3: Int { b * 10 + 3 }
    var b4: Int { b3 + 1 }
    var c1: Int { c * 10 + 1 }
    var c2: Int { c * 10 + 2 }
    var c3: Int { c * 10 + 3 }
    var c4: Int { c * 10 + 4 }
    var c5: Int { c4 + 1 }
    var d1: Int { d * 10 + 1 }
    var d2: Int { d1 + 1 }
    var d3: Int { d2 + 1 }
    var d4: Int { d3 + 1 }
    var d5: Int { d4 + 1 }
    var d6: Int { d5 + 1 }

    static let properties: [(name: String, derived: Int)] = [("a", 3), ("b", 4), ("c", 5), ("d", 6)]
    nonisolated(unsafe) static let keyPaths: [ReferenceWritableKeyPath<Fan, Int>] = [\.a, \.b, \.c, \.d]

    override class var schema: Schema {
        Schema(Fan.self, extending: super.schema) {
            Key("a", \.a)
            Key("a1", \.a1, affectedBy: "a")
            Key("a2", \.a2, affectedBy: "a")
            Key("a3", \.a3, affectedBy: "a")
            Key("b", \.b)
            Key("b1", \.b1, affectedBy: "b")
            Key("b2", \.b2, affectedBy: "b")
            Key("b3", \.b3, affectedBy: "b")
            Key("b4", \.b4, affectedBy: "b3")
            Key("c", \.c)
            Key("c1", \.c1, affectedBy: "c")
            Key("c2", \.c2, affectedBy: "c")
            Key("c3", \.c3, affectedBy: "c")
            Key("c4", \.c4, affectedBy: "c")
            Key("c5", \.c5, affectedBy: "c4")
            Key("d", \.d)
            Key("d1", \.d1, affectedBy: "d")
            Key("d2", \.d2, affectedBy: "d1")
            Key("d3", \.d3, affectedBy: "d2")
            Key("d4", \.d4, affectedBy: "d3")
            Key("d5", \.d5, affectedBy: "d4")
            Key("d6", \.d6, affectedBy: "d5")
        }
    }
}

/// Five keys that are derived from the same three.
private final class Mesh: Model {
    @Observed var x = 0
    @Observed var y = 0
    @Observed var z = 0
    var sum1: Int { x + y + z + 1 }
    var sum2: Int { x + y + z + 2 }
    var sum3: Int { x + y + z + 3 }
    var sum4: Int { x + y + z + 4 }
    var sum5: Int { x + y + z + 5 }

    override class var schema: Schema {
        Schema(Mesh.self, extending: super.schema) {
            Key("x", \.x)
            Key("y", \.y)
            Key("z", \.z)
            Key("sum1", \.sum1, affectedBy: "x", "y", "z")
            Key("sum2", \.sum2, affectedBy: "x", "y", "z")
            Key("sum3", \.sum3, affectedBy: "x", "y", "z")
            Key("sum4", \.sum4, affectedBy: "x", "y", "z")
            Key("sum5", \.sum5, affectedBy: "x", "y", "z")
        }
    }
}

/// More observers, changes and calls at once than the structures behind them have room for at first.
@Suite("Many observers") struct ManyObserversTests {
    private let person = Person()
    static let counts = [1, 2, 15, 16, 17, 31, 32, 33, 34, 48, 49, 100]

    // MARK: One list

    @Test("each of many observers is called once for each change, in order", arguments: counts) func each(count: Int)
        throws
    {
        var calls: [Int] = []
        for index in 0..<count {
            // With the closure alone, with an observer, and with more to do before the call.
            switch index % 3 {
            case 0: try person.observe("age") { _ in calls.append(index) }
            case 1: try person.addObserver(person, forKeyPath: "age") { _, _ in calls.append(index) }
            default: try person.observe("age", options: [.old, .new, .distinct]) { _ in calls.append(index) }
            }
        }
        for _ in 0..<2 {
            calls = []
            person.age += 1
            #expect(calls == Array(0..<count))
        }
        person.removeAllObservers()
    }

    @Test("who is removed inside a delivery is not called, and nobody else is left out", arguments: counts.dropFirst(3))
    func removedInside(count: Int) throws {
        for remover in Set([0, 14, 15, 16, count - 1]).filter({ $0 < count }) {
            var calls: [Int] = []
            var observations: [KeyValueObservation] = []
            let leaving = [remover, remover + 1, remover + 2, remover + 15, remover + 16, remover + 17, 3].filter {
                $0 < count
            }
            for index in 0..<count {
                observations.append(
                    try person.observe("age") { _ in
                        calls.append(index)
                        if index == remover { for other in leaving { observations[other].remove() } }
                    })
            }
            person.age += 1
            #expect(calls == (0..<count).filter { $0 <= remover || !leaving.contains($0) })
            calls = []
            person.age += 1
            #expect(calls == (0..<count).filter { !leaving.contains($0) })
            person.removeAllObservers()
        }
    }

    @Test("who is added inside a delivery is called from the next change on", arguments: counts) func addedInside(
        count: Int
    ) throws {
        var calls: [Int] = []
        for index in 0..<count {
            try person.observe("age") { [person] _ in
                calls.append(index)
                guard calls.count == count, person.age == 1 else { return }
                for index in 0..<20 { _ = try! person.observe("age") { _ in calls.append(count + index) } }
            }
        }
        person.age = 1
        #expect(calls == Array(0..<count))
        calls = []
        person.age = 2
        #expect(calls == Array(0..<count + 20))
        person.removeAllObservers()
    }

    // MARK: Derived keys

    @Test(
        "each of the keys derived from one property tells its own old and new value", arguments: Fan.properties.indices,
        [ObservingOptions](arrayLiteral: [.old, .new], [.new], [.old, .new, .prior]))
    func derived(which: Int, options: ObservingOptions) throws {
        let (name, count) = Fan.properties[which]
        let fan = Fan()
        let recorder = Recorder<Any>()
        for index in 1...count { try fan.observe("\(name)\(index)", options: options, recorder.handler()) }
        for value in 1...2 {
            fan[keyPath: Fan.keyPaths[which]] = value
            let entries = recorder.take().filter { !$0.isPrior }
            #expect(Set(entries.map(\.keyPath)) == Set((1...count).map { "\(name)\($0)" }))
            #expect(entries.count == count)
            for entry in entries {
                let digit = Int(String(entry.keyPath.last!))!
                #expect(entry.new as? Int == value * 10 + digit)
                #expect(entry.old as? Int == (options.contains(.old) ? (value - 1) * 10 + digit : nil))
            }
        }
    }

    // MARK: Several changes at once

    @Test("changes that are open at once end in any order, each with its own values") func open() throws {
        let fans = [Fan(), Fan()]
        let changes = fans.indices.flatMap { fan in Fan.properties.indices.map { (fan, $0) } }
        let recorder = Recorder<Any>()
        for fan in fans {
            for (name, _) in Fan.properties { try fan.observe(name, options: [.old, .new], recorder.handler()) }
        }
        var random = SplitMix64(seed: 7)
        for round in 1...20 {
            for (fan, which) in changes.shuffled(using: &random) {
                fans[fan].willChangeValue(forKey: Fan.properties[which].name)
            }
            for (fan, which) in changes { fans[fan][keyPath: Fan.keyPaths[which]] = round }
            #expect(recorder.count == 0)
            for (fan, which) in changes.shuffled(using: &random) {
                fans[fan].didChangeValue(forKey: Fan.properties[which].name)
                let entries = recorder.take()
                #expect(entries.map(\.keyPath) == [Fan.properties[which].name])
                #expect(entries.map(\.target) == [ObjectIdentifier(fans[fan])])
                #expect(entries.map { $0.old as? Int } == [round - 1])
                #expect(entries.map { $0.new as? Int } == [round])
            }
        }
    }

    @Test(
        "keys that several open changes lead to are told before the first of them and after the last", arguments: 1...5)
    func openTogether(count: Int) throws {
        let mesh = Mesh()
        let recorder = Recorder<Any>()
        let sums = (1...count).map { "sum\($0)" }
        for sum in sums { try mesh.observe(sum, options: [.old, .new, .prior], recorder.handler()) }
        var random = SplitMix64(seed: 5)
        for round in 1...10 {
            var entries: [Recorder<Any>.Entry] = []
            for name in ["x", "y", "z"].shuffled(using: &random) {
                mesh.willChangeValue(forKey: name)
                entries += recorder.take()
                #expect(entries.count == count && entries.allSatisfy(\.isPrior))
            }
            (mesh.x, mesh.y, mesh.z) = (round, round, round)
            for name in ["x", "y", "z"].shuffled(using: &random) {
                #expect(recorder.count == 0)
                mesh.didChangeValue(forKey: name)
            }
            entries = recorder.take()
            #expect(Set(entries.map(\.keyPath)) == Set(sums) && entries.count == count)
            for entry in entries {
                let digit = Int(String(entry.keyPath.last!))!
                #expect(entry.old as? Int == 3 * (round - 1) + digit)
                #expect(entry.new as? Int == 3 * round + digit)
            }
        }
    }

    @Test("changes that nobody observed at their beginning end in any order, without a word") func unobserved() throws {
        let fan = Fan()
        var random = SplitMix64(seed: 11)
        let recorder = Recorder<Any>()
        let names = Fan.properties.map(\.name)
        for _ in 0..<10 {
            let lines = try messages {
                for name in (names + names).shuffled(using: &random) { fan.willChangeValue(forKey: name) }
                for name in names { try fan.observe(name, recorder.handler()) }
                for name in (names + names).shuffled(using: &random) { fan.didChangeValue(forKey: name) }
            }
            #expect(lines == [])
            #expect(recorder.count == 0)
            #expect(messages { for name in names { fan.didChangeValue(forKey: name) } }.count == names.count)
            fan.removeAllObservers()
        }
    }

    @Test(
        "changes that handlers keep, of one delivery and of nested ones, keep their own values",
        arguments: [1, 2, 3, 20, 40])
    func kept(count: Int) throws {
        var kept: [(age: Int, index: Int, change: Change<Any>)] = []
        for index in 0..<count {
            try person.observe("age", options: [.old, .new], userInfo: index) { [person] change in
                let age = change.newValue as! Int
                // The last of them changes it again, a few times.
                if index == count - 1, age % 8 != 0 { person.age = age + 1 }
                if (index + age) % 3 != 0 { kept.append((age, index, change)) }
            }
        }
        for age in [1, 9, 17] { person.age = age }
        #expect(!kept.isEmpty)
        for (age, index, change) in kept {
            #expect(change.newValue as? Int == age)
            #expect(change.oldValue as? Int == age - 1)
            #expect(change.userInfo as? Int == index)
            #expect(change.target === person)
        }
        person.removeAllObservers()
    }

    @Test("what was held back for many observations is told to each once, in the order in which they were concerned")
    func coalesced() throws {
        let people = (0..<40).map { _ in Person() }
        var told: [Int] = []
        for (index, person) in people.enumerated() {
            try person.observe("age", options: [.old, .new]) { change in
                told.append(index)
                #expect(change.oldValue as? Int == 0)
                #expect(change.newValue as? Int == index + 100)
            }
        }
        let order = people.indices.map { $0 * 7 % 40 }
        coalescingChanges {
            for index in order { people[index].age = index + 1 }
            for index in order.reversed() { people[index].age = index + 100 }
        }
        #expect(told == order)
    }

    // MARK: Many targets, elsewhere

    @Test(
        "of many targets those are told that are left, whatever the order in which the others go",
        arguments: [true, false])
    func targets(byDeath: Bool) throws {
        var random = SplitMix64(seed: 13)
        for count in [2, 3, 8, 9, 20] {
            var people: [Person?] = (0..<count).map { _ in Person() }
            var calls: [ObjectIdentifier] = []
            let observation = try people.map { $0! }.observe("age") { calls.append(ObjectIdentifier($0.target)) }
            for index in (0..<count).shuffled(using: &random) {
                #expect(observation.isValid)
                let leaving = people[index]!
                people[index] = nil
                if !byDeath {
                    #expect(leaving.removeAllObservers() == 1)
                    #expect(!observation.targets.contains { $0 === leaving } || !observation.isValid)
                    leaving.age += 1
                }
                withExtendedLifetime(leaving) {}
            }
            #expect(calls == [])
            #expect(!observation.isValid)
        }
    }

    @Test("what is left of many targets is told after each that goes", arguments: [true, false]) func left(
        byDeath: Bool
    ) throws {
        var random = SplitMix64(seed: 17)
        for count in [3, 8, 17] {
            let people = Shared<[Person?]>((0..<count).map { _ in Person() })
            var calls: [ObjectIdentifier] = []
            let observation = try people.value.map { $0! }.observe("age") { calls.append(ObjectIdentifier($0.target)) }
            for index in (0..<count).shuffled(using: &random) {
                if !byDeath { people.value[index]!.removeAllObservers() }
                people.value[index] = nil
                let left = people.value.compactMap { $0 }
                for person in left { person.age += 1 }
                #expect(calls == left.map(ObjectIdentifier.init))
                #expect(observation.targets.map(ObjectIdentifier.init) == calls)
                calls = []
            }
        }
    }

    @Test("many changes that wait elsewhere arrive in order, also those that are made meanwhile") func waiting() throws
    {
        final class Later: ChangeScheduler, @unchecked Sendable {
            private var operations: [@Sendable () -> Void] = []
            func schedule(_ operation: @escaping @Sendable () -> Void) { operations.append(operation) }
            func run() { while !operations.isEmpty { operations.removeFirst()() } }
        }
        let scheduler = Later()
        let ages = Guarded<[Int]>([])
        nonisolated(unsafe) let person = person
        let observation = try person.observe("age", as: Int.self, options: [.new], on: scheduler) { change in
            let age = change.newValue!
            ages.withLock { $0.append(age) }
            if age % 10 == 0, age < 100 { for next in 1...10 { person.age = age + next } }
            if (100..<110).contains(age) { person.age = age + 1 }
        }
        for age in 1...10 { person.age = age }
        scheduler.run()
        #expect(ages.withLock { $0 } == Array(1...110))
        observation.remove()
    }

    @Test("nothing is left when the suite is over") func nothingIsLeft() async {
        await #expect(processExitsWith: .success) { await expectNothingLeft(by: "ManyObserversTests") }
    }
}
