import AutoKVO

/// This computer, as the panels see it: every figure is reached by a key path that starts here.
final class Machine: TrackedObject {
    @Observed var cpu = CPU()
    @Observed var cores: [Core] = []
    @Observed var memory = Memory()
    @Observed var load = LoadAverage()
    @Observed var network = Network()

    /// What is left of the scarcer of processor and memory, in percent.
    var headroom: Double { 100 - max(cpu.load, memory.usedPercent) }

    /// The one-minute load average for each core; 1 means that the machine is just busy.
    var loadPerCore: Double { load.one / Double(max(cores.count, 1)) }

    override class var schema: Schema {
        Schema(Machine.self, extending: super.schema) {
            Key("headroom", \.headroom, affectedBy: "cpu.load", "memory.usedPercent")
            Key("loadPerCore", \.loadPerCore, affectedBy: "load.one", "cores")
        }
    }
}
