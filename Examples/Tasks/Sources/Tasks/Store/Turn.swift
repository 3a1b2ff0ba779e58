import AutoKVO

/// What one request changed. Turns are numbered without a gap, over all runs of the program.
struct Turn: Sendable {
    let revision: Int64
    /// Each change as JSON: the name of the object and a `ChangeRecord`.
    let changes: [String]

    var json: String { #"{"revision":\#(revision),"changes":[\#(changes.joined(separator: ","))]}"# }
}

/// The last turn that is in the database. Who follows the turns observes it; the end of the journal is the end of all streams of it.
final class Journal: TrackedObject {
    @Observed var latest: Turn

    init(_ latest: Turn) { self.latest = latest }
}
