import AutoKVO
import AutoKVOTestSupport
import Testing

/// All observations of an observer.
struct AllObservationsTests {
    @Test("they are those in which any object is the observer, as long as they are valid", arguments: [true, false])
    func all(isTracked: Bool) throws {
        let observer: AnyObject = isTracked ? Person("Panel") : PlainObserver()
        let person = Person()
        expectEqual(KeyValueObservation.all(observer: observer), [])
        let age = try person.addObserver(observer, forKeyPath: "age") { (_: AnyObject, _) in }
        let city = try person.addObserver(observer, forKeyPath: "address.city") { (_: AnyObject, _) in }
        do {
            let dying = Person()
            try dying.addObserver(observer, forKeyPath: "age") { (_: AnyObject, _) in }
            expectEqual(KeyValueObservation.all(observer: observer).count, 3)
        }
        expectEqual(Set(KeyValueObservation.all(observer: observer)), [age, city])
        age.remove()
        expectEqual(KeyValueObservation.all(observer: observer), [city])
    }

    @Test("an object's observations as a target are not among them") func targetRole() throws {
        let person = Person()
        try person.observe("age") { _ in }
        expectEqual(KeyValueObservation.all(observer: person), [])
        expectEqual(person.observations().count, 1)
    }

    @Test("a named handler may come after the user info, as before it") func handlerAfterUserInfo() throws {
        let (panel, person) = (Person("Panel"), Person())
        let observation = try panel.observe("age", of: person, handler: "valueDidChange", userInfo: 7)
        person.age = 1
        expectEqual(panel.log, ["value:age:7"])
        expectEqual(observation.userInfo as? Int, 7)
    }

    @Test("a dependency has its object and its paths, and a collection of them its own options and user info")
    func dependencies() throws {
        let (first, second, observer) = (Person(), Person(), PlainObserver())
        let dependencies = [Dependency(first, "age|firstName"), Dependency(second, ["age"])]
        expectEqual(dependencies.map { $0.target === first }, [true, false])
        expectEqual(dependencies.map(\.keyPaths), [["age", "firstName"], ["age"]])
        let observation = try dependencies.addObserver(observer, options: .once, userInfo: "why") {
            $0.log.append("called")
        }
        expectEqual(observation.userInfo as? String, "why")
        second.age = 1
        first.age = 1
        expectEqual(observer.log, ["called"])
        #expect(!observation.isValid)
    }
}
