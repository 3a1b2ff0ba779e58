import AutoKVO

/// A page of the board. Nothing in it knows that it is kept in two processes; its names are what the other side may change.
final class Page: TrackedObject {
    @Observed var title = ""
    @Observed var level = 0
    @Observed var items: [String] = []
    @Observed var labels: Set<String> = []

    override class var schema: Schema {
        Schema(Page.self, extending: super.schema) {
            Key("title", \.title)
            Key("level", \.level)
            Key("items", \.items)
            Key("labels", \.labels)
        }
    }
}

/// The model that two processes have.
final class Board: TrackedObject {
    @Observed var left = Page()
    @Observed var right = Page()

    /// All of it, in an order of its own, to be printed and compared.
    var text: String {
        [left, right].map { "\($0.title)|\($0.level)|\($0.items)|\($0.labels.sorted())" }.joined(separator: "\n")
    }
}
