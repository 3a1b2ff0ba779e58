import AutoKVO

/// A producer. Others see its progress only as changes that are delivered to them, and as streams.
actor Importer {
    private let progress: ImportProgress

    init(name: String, records: Int) {
        progress = ImportProgress(name: name, total: records)
    }

    /// How many observations of the progress there are now.
    var observationCount: Int { progress.observations().count }

    /// Imports record after record until all are imported or the task is cancelled.
    func run() async {
        progress.state = .running
        while progress.done < progress.total {
            if Task.isCancelled {
                progress.state = .cancelled
                return
            }
            progress.done += 1
            await Task.yield()
        }
        progress.state = .finished
    }

    /// Shows the progress on a board, which is on the main actor.
    func show(on board: Board) {
        let name = progress.name
        progress.$done.observe(for: board, options: .new, on: .mainActor) { board, change in
            if let done = change.newValue { board.lines[name, default: Board.Line()].done = done }
        }
        progress.$state.observe(for: board, options: [.initial, .new], on: .mainActor) { board, change in
            if let state = change.newValue { board.lines[name, default: Board.Line()].state = state }
        }
    }

    /// Has a journal, which is an actor, write down each state.
    func record(in journal: Journal) throws {
        try journal.follow(progress)
    }

    /// Every change, none left out, however slowly they are taken.
    func changes() -> AsyncStream<ChangeRecord<Int>> {
        progress.$done.changes()
    }

    /// The latest fraction each time one is taken. Those in between are dropped.
    func fractions() throws -> AsyncStream<Double> {
        try progress.values(of: "fraction", as: Double.self, bufferingPolicy: .bufferingNewest(1))
    }
}
