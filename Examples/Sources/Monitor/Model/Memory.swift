import AutoKVO

/// Main memory and swap space, in bytes.
final class Memory: TrackedObject {
    @Observed var total = 0
    @Observed var available = 0
    @Observed var swapTotal = 0
    @Observed var swapFree = 0

    var used: Int { total - available }
    var usedPercent: Double { total > 0 ? 100 * Double(used) / Double(total) : 0 }
    var swapUsed: Int { swapTotal - swapFree }

    override class var schema: Schema {
        Schema(Memory.self, extending: super.schema) {
            Key("used", \.used, affectedBy: "total", "available")
            Key("usedPercent", \.usedPercent, affectedBy: "used")
            Key("swapUsed", \.swapUsed, affectedBy: "swapTotal", "swapFree")
        }
    }
}
