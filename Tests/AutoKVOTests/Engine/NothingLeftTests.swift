import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// What is over leaves nothing at the objects that live on.
struct NothingLeftTests {
    @Test("an observation of a key path that is no key, when it is removed") func keyPath() {
        let (panel, person) = (Person(), Person())
        let observation = panel.observe(\.fullName.count, of: person) { _, _ in }
        weak let route = observation.routes?.first
        #expect(route != nil && person.record!.guarded.details!.functionRoutes.count == 1)
        observation.remove()
        #expect(route == nil && person.record!.guarded.details!.functionRoutes.isEmpty)
    }

    @Test("the death of what an observed weak property refers to") func referent() async {
        let (person, calls) = (Person(), Counter())
        var parent: Person? = Person()
        person.parent = parent
        person.$parent.observe { _ in calls.add() }
        weak let record = parent!.record
        #expect(record != nil)
        parent = nil
        expectEqual(calls.count, 1)
        // A test on another thread may make the graph of all objects, which has their records meanwhile.
        await eventually("the record is gone") { record == nil }
    }

    @Test("what an observed weak property has referred to before") func formerReferent() async {
        let (first, second) = (Person(), Person())
        var person: Person? = Person()
        person!.parent = first
        person!.$parent.observe { _ in }
        person!.parent = second
        weak let record = person!.record
        #expect(first.record!.guarded.details!.watchers.isEmpty)
        person = nil
        await eventually("the record is gone") { record == nil }
    }

    @Test("the contexts of changes, which are used again", arguments: ["age", "address.zip"])
    func contexts(path: String) throws {
        let (person, address) = (Person(), Address())
        person.address = address
        var contexts: Set<ObjectIdentifier> = []
        func set(_ value: Int) { if path == "age" { person.age = value } else { address.zip = value } }
        for number in 0..<20 {
            try person.observe(path, as: Int.self, options: .new) { change in
                contexts.insert(ObjectIdentifier(change.context))
                if number == 0, change.newValue! % 2 == 1 { set(change.newValue! + 1) }
            }
        }
        for value in 1...10 { set(2 * value - 1) }
        person.removeAllObservers()
        #expect(contexts.count < 10)
    }
}
