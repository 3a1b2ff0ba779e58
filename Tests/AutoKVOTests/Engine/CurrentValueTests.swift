import AutoKVO
import AutoKVOTestSupport
import Testing

/// The current value of a change.
struct CurrentValueTests {
    private let person = Person()

    @Test("it is the value that is there when it is read, though the change's new value is outdated") func outdated() {
        var changes: [Change<Int>] = []
        person.$age.observe(options: .new) { changes.append($0) }
        person.age = 1
        expectEqual(changes[0].currentValue, 1)
        person.age = 2
        expectEqual(changes.map(\.newValue), [1, 2])
        expectEqual(changes.map(\.currentValue), [2, 2])
    }

    @Test("after an edit of a collection it is the whole collection, and in a prior call the one from before")
    func edit() {
        person.scores = [1]
        var values: [[Int]?] = []
        person.$scores.observe(options: [.prior, .new]) { values.append($0.currentValue) }
        person.$scores.append(9)
        expectEqual(values, [[1], [1, 9]])
    }

    @Test("of a path it is the value at its end, and .some(nil) for an optional type where an object is missing")
    func paths() throws {
        person.address = Address("Ulm")
        var kept: Change<String?>?
        try person.observe("address.city", as: String?.self) { kept = $0 }
        person.address!.city = "Bonn"
        expectEqual(kept?.currentValue, .some("Bonn"))
        person.address = nil
        expectEqual(kept?.currentValue, .some(.some(.none)))
    }

    @Test("it is nil if the target is dead, or if the value is not of the type of the change") func none() throws {
        var kept: Change<Any>?
        do {
            let other = Person()
            try other.observe("age") { kept = $0 }
            other.age = 1
            expectEqual(kept?.currentValue as? Int, 1)
        }
        #expect(kept != nil)
        #expect(kept?.currentValue == nil)
    }

    @Test("of a function it is computed when the observation is over") func function() throws {
        let (panel, person) = (Person(), Person())
        var kept: Change<Int>?
        let observation = panel.observe(\.fullName.count, of: person) { _, change in kept = change }
        person.firstName = "Beatrix"
        expectEqual(kept?.currentValue, 11)
        observation.remove()
        person.firstName = "Bo"
        expectEqual(kept?.currentValue, 6)
    }
}
