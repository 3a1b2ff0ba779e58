import AutoKVO

/// One processor core.
final class Core: TrackedObject {
    let number: Int
    /// Percent of the time since the last sample in which something ran here.
    @Observed var load = 0.0

    init(number: Int) {
        self.number = number
        super.init()
    }

    override class var schema: Schema {
        Schema(Core.self, extending: super.schema) {
            Key("number", \.number, notifiesAutomatically: false)
        }
    }
}
