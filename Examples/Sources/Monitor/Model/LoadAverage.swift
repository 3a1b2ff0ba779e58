import AutoKVO

/// How many processes wanted to run, averaged over 1, 5 and 15 minutes.
final class LoadAverage: TrackedObject {
    @Observed var one = 0.0
    @Observed var five = 0.0
    @Observed var fifteen = 0.0
    @Observed var processes = 0

    /// Positive while the machine gets busier.
    var trend: Double { one - fifteen }

    override class var schema: Schema {
        Schema(LoadAverage.self, extending: super.schema) {
            Key("trend", \.trend, affectedBy: "one", "fifteen")
        }
    }
}
