import AutoKVO
import AutoKVOTestSupport
import Foundation
import Testing

/// What each process of tests checks at its end.
struct LeftOverTests {
    @Test("what is left when the tests are over is named, and the process fails") func fails() async throws {
        let result = await #expect(processExitsWith: .exitCode(EXIT_FAILURE), observing: [\.standardErrorContent]) {
            let person = Person()
            person.$age.observe { _ in }
            endWithoutLeftOvers(waiting: 0)
            withExtendedLifetime(person) {}
        }
        let printed = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        // A release build counts only what is in C.
        #expect(printed.contains("this is left of them: ") && printed.contains("1 list members"))
        #expect(printed.contains("LeftOverTests.swift:"))
    }

    @Test("where nothing is left the process ends as it would") func succeeds() async {
        await #expect(processExitsWith: .exitCode(7)) {
            do {
                let person = Person()
                person.$age.observe { _ in }
            }
            endWithoutLeftOvers(waiting: 0)
            exit(7)
        }
    }
}
