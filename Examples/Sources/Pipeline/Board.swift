/// What a user interface would show.
@MainActor final class Board {
    struct Line: Equatable {
        var done = 0
        var state = ImportState.waiting
    }

    var lines: [String: Line] = [:]
}
