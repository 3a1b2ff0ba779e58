import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// A key path that is made anew each time, since the function is generic.
@inline(never) private func agePath<Root: Person>(of type: Root.Type) -> KeyPath<Root, Int> { \Root.age }
@inline(never) private func namePath<Root: Person>(of type: Root.Type) -> KeyPath<Root, String> { \Root.firstName }

/// The slots of key paths.
struct KeyPathSlotsTests {
    @Test("key paths made at run time, of which there are more than are kept, each lead to their key") func many() {
        let person = Person()
        // Every other one is kept here, so that the others come to lie in their memory.
        var kept: [AnyKeyPath] = []
        for round in 0..<2000 {
            let (age, name) = (agePath(of: Person.self), namePath(of: Person.self))
            let observations = [person.observe(age) { _, _ in }, person.observe(name) { _, _ in }]
            expectEqual(observations.map(\.keyPaths), [["age"], ["firstName"]])
            expectEqual(observations.map(\.isValid), [true, true])
            observations.forEach { $0.remove() }
            if round % 2 == 0 { kept.append(age) }
        }
        #expect(kept.allSatisfy { $0 == \Person.age })
    }

    @Test("threads that observe by key paths at once each observe their key") func threads() {
        concurrently(4) { number in
            let person = Person()
            for _ in 0..<load(500) {
                let keyPaths =
                    number % 2 == 0
                    ? person.observe(agePath(of: Person.self)) { _, _ in }.keyPaths
                    : person.observe(namePath(of: Person.self)) { _, _ in }.keyPaths
                if keyPaths != [number % 2 == 0 ? "age" : "firstName"] { Issue.record("\(keyPaths)") }
            }
        }
    }

    @Test("a key path of a class has the same key in its subclasses, and one of a subclass its own") func subclasses() {
        let employee = Employee("E")
        for _ in 0..<2 {
            var calls: [String] = []
            let observations = [
                employee.observe(\Person.age) { _, change in calls.append(change.keyPath) },
                Person().observe(\.age) { _, change in calls.append(change.keyPath) },
                employee.observe(\.$age) { _, change in calls.append(change.keyPath) },
            ]
            employee.age += 1
            expectEqual(calls, ["age", "age"])
            observations.forEach { $0.remove() }
        }
    }
}
