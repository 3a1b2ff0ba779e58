import AutoKVO
import AutoKVOTestSupport
import Testing

#if DEBUG
    /// Values that were not asked for.
    struct UnaskedValueTests {
        private let person = Person()

        @Test("a value that is read and was not asked for is reported once for each place, with the option to add")
        func reported() throws {
            let line = #line + 3
            let lines = try messages {
                for _ in 0..<3 {
                    try person.observe("age", options: [.old]) { #expect($0.newValue == nil) }
                }
                person.$firstName.observe { #expect($0.oldValue == nil) }
                for age in 1...3 { person.age = age }
                person.firstName = "Eve"
                person.firstName = "Zoe"
            }
            expectEqual(lines.count, 2)
            expectEqual(lines.first?.contains("UnaskedValueTests.swift:\(line) "), true)
            #expect(lines.first?.contains("add .new") == true && lines.first?.contains(#""age""#) == true)
            expectEqual(lines.last?.contains("add .old"), true)
        }

        @Test("nothing is reported where there is no such value, or where it was asked for") func notReported() throws {
            let lines = try messages {
                func read(_ change: Change<Any>) { _ = (change.oldValue, change.newValue) }
                try person.observe("age", options: [.old, .new, .prior, .initial], read)
                try person.observe("firstName", options: [.initial]) { read($0) }.remove()
                try person.observe("firstName", options: [.old, .prior]) { if $0.isPrior { read($0) } }
                try person.observe("friends", options: [.new]) { read($0) }
                try person.observe("friends", options: [.old]) { if $0.kind == .removal { read($0) } }
                person.age = 1
                person.firstName = "Eve"
                person.$friends.append(Person())
                person.$friends.removeLast()
            }
            expectEqual(lines.filter { !$0.contains("\"friends\"") || $0.contains(".new") }, [])
        }

        @Test("streams, Foundation's wording and kept changes read only what was asked for") func library() async throws
        {
            var kept: Change<Int>?
            let lines = try messages {
                let stream = try person.changes(of: "age", as: Int.self)
                person.$age.observe { kept = $0 }
                person.age = 1
                withExtendedLifetime(stream) {}
            }
            expectEqual(lines, [])
            _ = kept
        }
    }
#endif
