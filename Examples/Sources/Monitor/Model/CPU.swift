import AutoKVO

/// All processors taken together.
final class CPU: TrackedObject {
    /// Percent of the time since the last sample in which something ran.
    @Observed var load = 0.0
    @Observed var user = 0.0
    @Observed var system = 0.0
    @Observed var contextSwitchesPerSecond = 0.0
    @Observed var running = 0

    /// What it does, in a word.
    var mood: String {
        switch load {
        case ..<5: "idle"
        case ..<90: user >= system ? "computing" : "busy in the kernel"
        default: "saturated"
        }
    }

    override class var schema: Schema {
        Schema(CPU.self, extending: super.schema) {
            Key("mood", \.mood, affectedBy: "load", "user", "system")
        }
    }
}
