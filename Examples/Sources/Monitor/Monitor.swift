import AutoKVO

/// The program without its command line: a machine, its panels, and somebody to tell.
struct Monitor {
    let machine: Machine
    private(set) var slots: [PanelSlot]
    private let closeRequests: [CloseRequest]
    private let sampler: Sampler
    private var reporter: any Reporter
    private(set) var samples = 0

    init(panels: [PanelDeclaration], closing closeRequests: [CloseRequest], first: Sample, reporter: any Reporter) {
        let machine = Machine()
        self.machine = machine
        self.closeRequests = closeRequests
        self.reporter = reporter
        sampler = Sampler(machine: machine, first: first)
        slots = panels.map { PanelSlot($0, on: machine) }
        for slot in slots where slot.failure != nil { self.reporter.failed(slot) }
    }

    /// False when no panel could be opened, or all have been closed: nothing would be shown any more.
    var hasPanel: Bool { slots.contains { $0.panel != nil } }

    /// How many observations of the machine there are now. All the panels' paths start at it.
    var liveObservations: Int { machine.observations().count }

    /// Writes a sample into the machine, which is what the panels hear of; then releases those whose time has come.
    mutating func take(_ sample: Sample) {
        samples += 1
        sampler.write(sample)
        for slot in slots { slot.panel?.advance() }
        reporter.sampled(samples, slots)
        for request in closeRequests where request.sample == samples {
            for slot in slots where slot.declaration.name == request.name && slot.panel != nil {
                slot.close(atSample: samples)
                reporter.closed(slot, afterSample: samples, live: liveObservations)
            }
        }
    }

    /// Releases all panels and says how many observations are left.
    mutating func finish() {
        slots = []
        reporter.finished(samples: samples, live: liveObservations)
    }
}
