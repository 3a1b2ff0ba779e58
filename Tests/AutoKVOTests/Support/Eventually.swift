import Testing

/// Waits for what other threads or tasks are about to bring, and records an issue if it does not come.
func eventually(
    _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, isolation: isolated (any Actor)? = #isolation,
    _ condition: () async -> Bool
) async {
    // Long, since it passes only where a test fails: tests that compute run on the same few threads, under the thread sanitizer and
    // on a busy machine for minutes.
    let deadline = ContinuousClock.now + .seconds(900)
    while ContinuousClock.now < deadline {
        if await condition() { return }
        try? await Task.sleep(for: .milliseconds(1))
    }
    Issue.record(what, sourceLocation: sourceLocation)
}
