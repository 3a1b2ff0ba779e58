import AutoKVO
import AutoKVOTestSupport
import Testing

/// More observers, changes and calls at once than the structures behind them have room for at first.
struct ManyObserversTests {
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
            expectEqual(calls, Array(0..<count))
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
            expectEqual(calls, (0..<count).filter { $0 <= remover || !leaving.contains($0) })
            calls = []
            person.age += 1
            expectEqual(calls, (0..<count).filter { !leaving.contains($0) })
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
        expectEqual(calls, Array(0..<count))
        calls = []
        person.age = 2
        expectEqual(calls, Array(0..<count + 20))
        person.removeAllObservers()
    }

    // MARK: What is kept

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
            expectEqual(change.newValue as? Int, age)
            expectEqual(change.oldValue as? Int, age - 1)
            expectEqual(change.userInfo as? Int, index)
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
                expectEqual(change.oldValue as? Int, 0)
                expectEqual(change.newValue as? Int, index + 100)
            }
        }
        let order = people.indices.map { $0 * 7 % 40 }
        coalescingChanges {
            for index in order { people[index].age = index + 1 }
            for index in order.reversed() { people[index].age = index + 100 }
        }
        expectEqual(told, order)
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
            let observation = try people.map { $0! }.observe("age") { calls.append(ObjectIdentifier($0.target!)) }
            for index in (0..<count).shuffled(using: &random) {
                #expect(observation.isValid)
                let leaving = people[index]!
                people[index] = nil
                if !byDeath {
                    expectEqual(leaving.removeAllObservers(), 1)
                    #expect(!observation.targets.contains { $0 === leaving } || !observation.isValid)
                    leaving.age += 1
                }
                withExtendedLifetime(leaving) {}
            }
            expectEqual(calls, [])
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
            let observation = try people.value.map { $0! }.observe("age") { calls.append(ObjectIdentifier($0.target!)) }
            for index in (0..<count).shuffled(using: &random) {
                if !byDeath { people.value[index]!.removeAllObservers() }
                people.value[index] = nil
                let left = people.value.compactMap { $0 }
                for person in left { person.age += 1 }
                expectEqual(calls, left.map(ObjectIdentifier.init))
                expectEqual(observation.targets.map(ObjectIdentifier.init), calls)
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
        expectEqual(ages.withLock { $0 }, Array(1...110))
        observation.remove()
    }
}
