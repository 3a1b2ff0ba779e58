import AutoKVO
import AutoKVOTestSupport
import Testing

extension RegistrationTests {
    @Test("an empty path set is an error in every wording") func empty() throws {
        let none: [String] = []
        func expectEmpty(_ body: () throws -> Void) {
            #expect { try body() } throws: { ($0 as? KeyValueError)?.reason == .emptyPathSet }
        }
        expectEmpty { try person.observe(none) { _ in } }
        expectEmpty { try person.observe(Set<String>()) { _ in } }
        expectEmpty { try person.addObserver(person, forKeyPath: none) { _, _ in } }
        expectEmpty { try person.addObserver(person, forKeyPath: none, handler: "reload") }
        expectEmpty { try person.observe(none, of: person) { _, _ in } }
        expectEmpty { try [person].observe(none) { _ in } }
        expectEmpty { try [Person]().observe(none) { _ in } }
        expectEmpty { _ = try person.onChange(none) { _ in } }
        expectEmpty { try person.observe([:]) }
        #expect(person.observations().isEmpty)
    }

    @Test("one bad path in a handler-per-path call registers none and calls none") func handlerPerPathThrows() throws {
        #expect(throws: KeyValueError.self) {
            try person.observe(["age": recorder.handler(), "agge": recorder.handler()], options: [.initial])
        }
        expectEqual(recorder.count, 0)
        #expect(person.observations().isEmpty)
    }

    @Test(
        "a misspelt path is an error with the nearest name, and nothing is registered, called or kept",
        arguments: [
            ("agee", "age"), ("FirstName", "firstName"), ("fristName", "firstName"), ("adress.city", "address"),
            ("address.citty", "city"),
        ])
    func misspelt(path: String, nearest: String) throws {
        let tracker = LifetimeTracker()
        do {
            let token = tracker.token()
            let error = #expect(throws: KeyValueError.self) {
                try person.observe(["age", path], options: [.initial, .retainsTarget]) { _ in token.touch() }
            }
            expectEqual(error?.reason, .unknownKey(nearest: nearest))
            expectEqual(error?.keyPath, path)
            expectEqual(error?.description.contains("did you mean \"\(nearest)\"?"), true)
            #expect(error?.className == (path.hasSuffix("citty") ? "Address" : "Person"))
        }
        tracker.expectNoLeaks()
        #expect(person.observations().isEmpty)
    }

    @Test(
        "malformed paths are errors",
        arguments: [
            "", ".", "..", "age.", ".age", "address..city", "|", "age|", "|age", "@", "@count", "address.@", "@age",
            "age.@sum.@",
        ])
    func malformed(path: String) throws {
        #expect(throws: KeyValueError.self) { try person.observe(path) { _ in } }
        #expect(throws: KeyValueError.self) { try person.observe([path]) { _ in } }
        #expect(throws: KeyValueError.self) {
            try person.observe(["age", path], options: [.initial]) { _ in Issue.record("called") }
        }
        #expect(throws: KeyValueError.self) { try person.addObserver(PlainObserver(), forKeyPath: path) { _, _ in } }
        #expect(person.observations().isEmpty)
    }

    @Test(
        "strange names are unknown keys and nothing worse",
        arguments: [
            " ", "\0", "age\0", "ａｇｅ", "a̶ge", "🙂", "age ", "self", "description",
            String(repeating: "x", count: 10_000),
            String(repeating: "a.", count: 500) + "a",
        ])
    func strange(path: String) throws {
        let error = #expect(throws: KeyValueError.self) { try person.observe(path) { _ in } }
        if case .unknownKey? = error?.reason {} else { Issue.record("\(String(describing: error))") }
    }

    @Test("one unknown path among many targets registers nothing on any") func allOrNothing() throws {
        let tracker = LifetimeTracker()
        do {
            let token = tracker.token()
            let targets: [Person] = [person, Employee(), Person()]
            #expect(throws: KeyValueError.self) {
                try targets.observe("salary", options: [.initial]) { _ in
                    token.touch()
                    Issue.record("called")
                }
            }
            #expect(targets.allSatisfy { $0.observations().isEmpty })
        }
        tracker.expectNoLeaks()
    }
}
