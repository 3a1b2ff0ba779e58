import AutoKVO
import CDeallocHook
import Foundation
import Testing

/// Checks that nothing of the library's own is alive: no record, observation, link or route, and no entry in the C
/// table nor member of its list.
///
/// The counters are global and Swift Testing runs suites side by side in one process, so this means something only
/// where nothing else runs: in the process of an exit test. `expectNothingLeft(by:)` is how a suite is checked.
public func expectAllGone(_ sourceLocation: SourceLocation = #_sourceLocation) {
    let counts = [Counters.records, .observations, .links, .routes].map { ("\($0)", $0.count) }
    let inC = [("table entries", Int(cdh_live_entries())), ("list members", Int(cdh_collect({ _ in nil }, nil, 0)))]
    for (name, count) in counts + inC where count != 0 {
        Issue.record("\(count) \(name) are left", sourceLocation: sourceLocation)
    }
}

/// Whether the tests run in the process of `expectNothingLeft(by:)`, where random tests need not search again.
public var isRepeatedForLeftOvers: Bool { getenv("AUTOKVO_REPEATED") != nil }

/// Runs all tests of some suites again, one after the other, and then checks that the library keeps nothing.
///
/// To be called in an exit test, the only one of its file:
///
///     @Test("nothing is left when the suite is over") func nothingIsLeft() async {
///         await #expect(processExitsWith: .success) { await expectNothingLeft(by: "SettingTests") }
///     }
///
/// It works by calling the entry point by which SwiftPM starts Swift Testing, once more, inside the exit test's
/// process, with a filter. Tests that are exit tests themselves are left out by their names, which end in `Traps` or are
/// `nothingIsLeft`: what they leave behind ends with their own process.
public func expectNothingLeft(by suites: String..., sourceLocation: SourceLocation = #_sourceLocation) async {
    setenv("AUTOKVO_REPEATED", "1", 1)
    var arguments = __CommandLineArguments_v0()
    arguments.filter = suites.map { "\\.\($0)/" }
    arguments.skip = ["Traps\\(\\)", "nothingIsLeft\\(\\)"]
    arguments.parallel = false
    arguments.verbosity = -2
    // What an exit test prints is thrown away, so the issues are read from the stream of events.
    let events = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jsonl")
    defer { remove(events.path) }
    arguments.eventStreamOutputPath = events.path
    let status = await __swiftPMEntryPoint(passing: arguments) as CInt
    if status != 0 {
        let issues = (try? String(contentsOf: events, encoding: .utf8))?.split(separator: "\n")
            .filter { $0.contains(#""issueRecorded""#) }.joined(separator: "\n")
        let sentence = "The tests of \(suites) ended with status \(status): \(issues ?? "no events")"
        Issue.record("\(sentence)", sourceLocation: sourceLocation)
    }
    expectAllGone(sourceLocation)
}
