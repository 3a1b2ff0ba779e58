import AutoKVO
import CDeallocHook
import Foundation

/// What the library keeps of its own: records, observations, links, routes, entries in the C table and members of its list, a walk's stamp, by
/// their names. Nothing, where all objects have died. A release build counts only what is in C.
private func leftOvers() -> [(name: String, count: Int)] {
    let counts = [Counters.records, .observations, .links, .routes].map { ("\($0)", $0.count) }
    let inC = [("table entries", Int(cdh_live_entries())), ("list members", Int(cdh_collect({ _ in nil }, nil, 0)))]
    return (counts + inC + [("stamps of walks", WalkStamp.isFree ? 0 : 1)]).filter { $0.1 != 0 }
}

/// Called at the end of a process of tests, whichever tests it ran: all suites are over then, so nothing may be left of any of them. What
/// is left is printed, with the places where it was registered, and the process fails. Other threads may still release what the last
/// tests gave them: they have `seconds`.
public func endWithoutLeftOvers(waiting seconds: Int = 10) {
    for _ in 0..<seconds * 100 where !leftOvers().isEmpty { usleep(10_000) }
    let left = leftOvers()
    guard !left.isEmpty else { return }
    let counts = left.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    let sites = Set(Diagnostics.graph().observations.map(\.registeredAt)).sorted().joined(separator: "\n")
    let sentence = "The tests are over, and this is left of them: \(counts). Registered at\n\(sites)\n"
    FileHandle.standardError.write(Data(sentence.utf8))
    _exit(EXIT_FAILURE)
}

/// Run when the process starts, before main. The process of an exit test ends where it likes.
@section(".init_array") @used
private let registerForTheEnd: @convention(c) () -> Void = {
    if getenv("SWT_EXIT_TEST_ID") == nil { atexit { endWithoutLeftOvers() } }
}
