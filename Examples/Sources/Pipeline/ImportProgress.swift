import AutoKVO

enum ImportState: String {
    case waiting, running, finished, cancelled
}

/// How far an import is. It is not `Sendable`: it stays on the actor of its importer.
final class ImportProgress: TrackedObject {
    let name: String
    let total: Int
    @Observed var done = 0
    @Observed var state = ImportState.waiting

    var fraction: Double { Double(done) / Double(total) }

    init(name: String, total: Int) {
        self.name = name
        self.total = total
    }

    override class var schema: Schema {
        Schema(ImportProgress.self, extending: super.schema) {
            Key("fraction", \.fraction, affectedBy: "done")
        }
    }
}
