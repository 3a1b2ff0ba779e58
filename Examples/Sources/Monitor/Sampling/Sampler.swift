import AutoKVO

/// Writes one sample after another into a machine's objects. It knows nothing of panels: they hear of it by themselves.
final class Sampler {
    let machine: Machine
    private var previous: Sample

    /// - Parameter first: what the rates of the next sample are counted from.
    init(machine: Machine, first: Sample) {
        self.machine = machine
        previous = first
        writeCores(first)
        writeMemory(first.memory)
        writeLoad(first.load)
        writeInterfaces(first, seconds: 0)
    }

    /// Each observation hears of a sample once, when all of it is written: a figure that is derived from several others
    /// is never shown half new.
    func write(_ sample: Sample) {
        let seconds = previous.takenAt.duration(to: sample.takenAt) / .seconds(1)
        coalescingChanges {
            writeCPU(sample, seconds: seconds)
            writeCores(sample)
            writeMemory(sample.memory)
            writeLoad(sample.load)
            writeInterfaces(sample, seconds: seconds)
        }
        previous = sample
    }

    private func writeCPU(_ sample: Sample, seconds: Double) {
        let cpu = machine.cpu
        let shares = sample.stat.total.shares(since: previous.stat.total)
        cpu.user = shares.user
        cpu.system = shares.system
        cpu.load = shares.load
        cpu.running = sample.stat.running
        cpu.contextSwitchesPerSecond = rate(sample.stat.contextSwitches, previous.stat.contextSwitches, seconds)
    }

    /// Cores can be switched off and on while the machine runs; the objects of those that stay are kept.
    private func writeCores(_ sample: Sample) {
        let numbers = sample.stat.cores.keys.sorted()
        if machine.cores.map(\.number) != numbers {
            machine.cores = numbers.map { number in
                machine.cores.first { $0.number == number } ?? Core(number: number)
            }
        }
        for core in machine.cores {
            guard let now = sample.stat.cores[core.number], let before = previous.stat.cores[core.number] else {
                continue
            }
            core.load = now.shares(since: before).load
        }
    }

    private func writeMemory(_ figures: ProcMemInfo) {
        let memory = machine.memory
        memory.total = figures.total
        memory.available = figures.available
        memory.swapTotal = figures.swapTotal
        memory.swapFree = figures.swapFree
    }

    private func writeLoad(_ figures: ProcLoadAverage) {
        let load = machine.load
        load.one = figures.one
        load.five = figures.five
        load.fifteen = figures.fifteen
        load.processes = figures.processes
    }

    private func writeInterfaces(_ sample: Sample, seconds: Double) {
        let network = machine.network
        let counters = sample.network?.interfaces ?? []
        if network.interfaces.map(\.name) != counters.map(\.name) {
            network.interfaces = counters.map { counter in
                network.interfaces.first { $0.name == counter.name } ?? NetworkInterface(name: counter.name)
            }
        }
        for (interface, counter) in zip(network.interfaces, counters) {
            guard let before = previous.network?.interfaces.first(where: { $0.name == counter.name }) else { continue }
            interface.receivedPerSecond = rate(counter.received, before.received, seconds)
            interface.sentPerSecond = rate(counter.sent, before.sent, seconds)
        }
        let busiest = counters.filter { $0.name != "lo" }.max { $0.received &+ $0.sent < $1.received &+ $1.sent }
        let primary = busiest.flatMap { busiest in network.interfaces.first { $0.name == busiest.name } }
        if network.primary !== primary { network.primary = primary }
    }

    /// A counter that was reset (an interface taken down and up) counts as nothing.
    private func rate(_ later: UInt64, _ earlier: UInt64, _ seconds: Double) -> Double {
        later > earlier && seconds > 0 ? Double(later - earlier) / seconds : 0
    }
}
