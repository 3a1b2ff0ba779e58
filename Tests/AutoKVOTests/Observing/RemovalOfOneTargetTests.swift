import AutoKVO
import AutoKVOTestSupport
import Testing

/// Removing the observations of one target by an observer that has many.
struct RemovalOfOneTargetTests {
    private let calls = Counter()

    /// An observer of many people, in each of the ways in which a name can be observed.
    private func observing(_ people: [Person], by observer: AnyObject) throws {
        for person in people {
            for path in ["age", "address.city", "fullName"] {
                try person.addObserver(observer, forKeyPath: path) { [calls] (_: AnyObject, _) in calls.add() }
            }
            try person.addObserver(observer, forKeyPath: ["age", "firstName"]) { [calls] (_: AnyObject, _) in
                calls.add()
            }
        }
    }

    @Test("ends what it has of this target, and nothing else", arguments: [1, 4, 5, 6, 40], [false, true])
    func exact(count: Int, isTracked: Bool) throws {
        let people = (0..<count).map { _ in Person() }
        let observer: AnyObject = isTracked ? Person() : PlainObserver()
        let another = Person()
        try observing(people, by: observer)
        try people[0].addObserver(another, forKeyPath: "age") { [calls] (_: AnyObject, _) in calls.add() }
        expectEqual(people[0].removeObserver(observer, forKeyPath: "age"), 2)
        people[0].age += 1
        expectEqual(calls.count, 1)
        people[0].firstName += "."
        expectEqual(calls.count, 3)
        expectEqual(people[0].removeObserver(observer), 3)
        expectEqual(people[0].removeObserver(observer), 0)
        people[0].firstName += "."
        people[0].address = Address()
        expectEqual(calls.count, 3)
        expectEqual(people[0].observations().count, 1)
        expectEqual(KeyValueObservation.all(observer: observer).count, 4 * (count - 1))
        withExtendedLifetime(people) {}
    }

    @Test("a context finds what was registered last, few or many", arguments: [1, 40]) func last(count: Int) throws {
        let people = (0..<count).map { _ in Person() }
        let observer = Person()
        for person in people {
            for path in ["age", "firstName", "address.city", "address.city", "age"] {
                try person.addObserver(observer, forKeyPath: path, context: nil)
            }
        }
        for path in ["age", "address.city"] {
            let former = people[0].observations().filter { $0.keyPaths == [path] }
            expectEqual(people[0].removeObserver(observer, forKeyPath: path, context: nil), 1)
            expectEqual(former.map(\.isValid), [true, false])
        }
    }

    @Test("costs what the target has, not what the observer has") func growth() throws {
        let ratio = try timeRatio(to: size(32_000)) { count in
            let observer = Person()
            let people = (0..<count).map { _ in Person() }
            try observing(people, by: observer)
            return processorTime { for person in people { observer.stopObserving(of: person) } }
        }
        #expect(ratio < 9)
    }

    @Test("costs what the observer has, not what the target has") func growthOfTarget() throws {
        let ratio = try timeRatio(to: size(32_000)) { count in
            let person = Person()
            let observers = (0..<count).map { _ in Person() }
            for observer in observers { try observing([person], by: observer) }
            return processorTime { for observer in observers { observer.stopObserving(of: person) } }
        }
        #expect(ratio < 9)
    }
}
