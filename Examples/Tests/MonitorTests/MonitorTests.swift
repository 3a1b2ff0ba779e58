import AutoKVO
import Testing

@testable import Monitor

@Suite("The monitor, from a sample to a line")
struct MonitorTests {
    /// Keeps what is reported.
    final class Record {
        var events: [String] = []
    }

    /// Reports in short.
    struct Recorder: Reporter {
        let record: Record

        func failed(_ slot: PanelSlot) {
            record.events.append("failed \(slot.declaration.name): \(slot.failure ?? "")")
        }
        func sampled(_ sample: Int, _ slots: [PanelSlot]) {
            let figures = slots.compactMap { slot in
                slot.panel.map { " \(slot.declaration.name)=\($0.reading.text(slot.declaration.unit))" }
            }
            record.events.append("\(sample)" + figures.joined())
        }
        func closed(_ slot: PanelSlot, afterSample sample: Int, live: Int) {
            record.events.append("closed \(slot.declaration.name)@\(sample) \(slot.observationState), live \(live)")
        }
        func finished(samples: Int, live: Int) {
            record.events.append("finished \(samples), live \(live)")
        }
    }

    /// Runs a monitor over the samples and returns what it reported.
    private func run(
        _ panels: [PanelDeclaration], closing: [CloseRequest] = [], samples: [Sample]
    ) throws -> [String] {
        let record = Record()
        var monitor = Monitor(
            panels: panels, closing: closing, first: try Fixtures.sample(second: 0, busy: [0, 0]),
            reporter: Recorder(record: record))
        for sample in samples { monitor.take(sample) }
        monitor.finish()
        return record.events
    }

    private func panel(
        _ name: String, _ keyPath: String, _ handler: String = "showValue",
        _ options: ObservingOptions = [.initial, .new], unit: PanelUnit = .count
    ) -> PanelDeclaration {
        PanelDeclaration(name: name, title: name, keyPath: keyPath, handler: handler, options: options, unit: unit)
    }

    @Test func aPanelShowsTheFigureAtItsKeyPath() throws {
        let events = try run(
            [panel("cpu", "cpu.load"), panel("used", "memory.used"), panel("load", "load.one", unit: .plain)],
            samples: [
                Fixtures.sample(second: 1, busy: [50, 0]),
                Fixtures.sample(second: 2, busy: [150, 100], available: 300),
            ])
        #expect(events == ["1 cpu=25 used=400 load=0.10", "2 cpu=100 used=700 load=0.20", "finished 2, live 0"])
    }

    @Test func derivedKeysPathsAndOperatorsComeFromTheFileAlone() throws {
        let events = try run(
            [
                panel("headroom", "headroom"), panel("perCore", "loadPerCore", unit: .plain),
                panel("average", "cores.@avg.load"), panel("most", "cores.@max.load"),
                panel("network", "network.primary.totalPerSecond"), panel("cores", "cores.@count"),
            ],
            samples: [
                Fixtures.sample(second: 1, busy: [50, 0], received: 100),
                Fixtures.sample(second: 2, busy: [150, 0], received: 400),
            ])
        #expect(
            events == [
                "1 headroom=60 perCore=0.05 average=25 most=50 network=100 cores=2",
                "2 headroom=50 perCore=0.10 average=50 most=100 network=300 cores=2",
                "finished 2, live 0",
            ])
    }

    @Test func aCoreThatIsSwitchedOffLeavesTheAverage() throws {
        let events = try run(
            [panel("average", "cores.@avg.load"), panel("cores", "cores.@count")],
            samples: [Fixtures.sample(second: 1, busy: [100, 0]), Fixtures.sample(second: 2, busy: [200])])
        #expect(events == ["1 average=50 cores=2", "2 average=100 cores=1", "finished 2, live 0"])
    }

    @Test func eachHandlerIsFoundByName() throws {
        let events = try run(
            [
                panel("peak", "cpu.load", "showPeak"), panel("moved", "memory.used", "showDifference", [.old, .new]),
                panel("calls", "load.one|load.five", "countChanges", []),
                panel("note", "load.processes", "showWithNote"),
            ],
            samples: [
                Fixtures.sample(second: 1, busy: [80, 80], available: 600),
                Fixtures.sample(second: 2, busy: [90, 90], available: 450),
            ])
        #expect(
            events == [
                "1 peak=80 moved=0 calls=1 note=80", "2 peak=80 moved=150 calls=2 note=80", "finished 2, live 0",
            ])
    }

    @Test func anEditOfACollectionShowsAllOfIt() throws {
        let machine = Machine()
        let panels = ["showValue", "showPeak", "showDifference"].map { Panel(panel($0, "cores", $0, [.old, .new])) }
        for panel in panels { _ = try panel.open(on: machine) }
        func figures() -> [Double?] { panels.map(\.reading.number) }
        machine.$cores.append(contentsOf: [Core(number: 0), Core(number: 1)])
        #expect(figures() == [2, 2, 2])
        machine.$cores.append(Core(number: 2))
        #expect(figures() == [3, 3, 1])
        machine.$cores.removeFirst(2)
        #expect(figures() == [1, 3, -2])
        machine.cores = []
        #expect(figures() == [0, 3, -1])
    }

    @Test func aReleasedPanelsObservationEndsByItselfAndTheOthersGoOn() throws {
        let events = try run(
            [panel("a", "cpu.load"), panel("b", "cpu.load")],
            closing: [try #require(CloseRequest(argument: "a@1"))],
            samples: [Fixtures.sample(second: 1, busy: [50, 50]), Fixtures.sample(second: 2, busy: [60, 60])])
        #expect(
            events == ["1 a=50 b=50", "closed a@1 observerDeinitialized, live 1", "2 b=10", "finished 2, live 0"])
    }

    @Test func aMisspeltKeyPathOrHandlerConcernsItsPanelAlone() throws {
        let events = try run(
            [panel("key", "cpu.laod"), panel("handler", "cpu.load", "showVlaue"), panel("good", "cpu.load")],
            samples: [Fixtures.sample(second: 1, busy: [50, 50])])
        try #require(events.count == 4, "\(events)")
        #expect(events[0].contains("unknown key \"cpu.laod\""), "\(events[0])")
        #expect(events[0].contains("did you mean \"load\"?"), "\(events[0])")
        #expect(events[1].contains("unknown handler \"showVlaue\""), "\(events[1])")
        #expect(events[1].contains("did you mean \"showValue\"?"), "\(events[1])")
        #expect(events[2...] == ["1 good=50", "finished 1, live 0"])
    }

    @Test(arguments: [
        "", ".", "cpu.", ".cpu", "cpu..load", "nothing", "cpu.load.more", "cores.load", "cores.@nothing.load",
        "cpu|", "@count", "cpu.@avg.load", "network.primary.nmae", "c\u{0}pu", "cores.@avg.",
    ])
    func aKeyPathThatLeadsNowhereIsReported(keyPath: String) {
        let machine = Machine()
        let slot = PanelSlot(panel("a", keyPath), on: machine)
        #expect(slot.panel == nil)
        #expect(slot.failure?.isEmpty == false)
        #expect(machine.observations().isEmpty)
    }

    @Test func aLineHasTitleSparklineAndFigure() {
        let record = Record()
        var reporter = LineReporter(
            screen: Screen(isTerminal: false) { record.events.append($0) }, titles: ["cpu", "longer"])
        let machine = Machine()
        let slot = PanelSlot(panel("cpu", "cpu.load"), on: machine)
        machine.cpu.load = 7
        slot.panel?.advance()
        reporter.sampled(1, [slot])
        slot.close(atSample: 1)
        reporter.closed(slot, afterSample: 1, live: 0)
        reporter.finished(samples: 1, live: 0)
        #expect(
            record.events == [
                "1\tcpu     \(String(repeating: " ", count: 23))▁  7\n",
                "sample 1: panel \"cpu\" was released; its observation of \"cpu.load\" ended by itself "
                    + "(observerDeinitialized); live observations: 0\n",
                "samples: 1; all panels released; live observations: 0\n",
            ])
    }

    @Test func aNameCannotSendControlCharactersToTheTerminal() {
        let record = Record()
        let name = "a\u{1B}[2J\nb"
        var reporter = LineReporter(
            screen: Screen(isTerminal: false) { record.events.append($0) }, titles: [name, "longer than that"])
        reporter.failed(PanelSlot(panel(name, "cpu.\u{7}"), on: Machine()))
        #expect(record.events.count == 1)
        #expect(record.events.first?.hasPrefix("a?[2J?b           unknown key \"cpu.") == true, "\(record.events)")
        #expect(record.events.first?.dropLast().contains("\u{7}") == false)
        #expect(record.events.first?.filter(\.isNewline) == "\n")
    }

    @Test func whatFollowsATitleOfWideLettersStandsBelowTheOthers() {
        let record = Record()
        var reporter = LineReporter(
            screen: Screen(isTerminal: false) { record.events.append($0) }, titles: ["温度", "longer"])
        reporter.failed(PanelSlot(panel("温度", "cpu.laod"), on: Machine()))
        #expect(record.events.first?.hasPrefix("温度    unknown key") == true, "\(record.events)")
    }

    @Test func asJSONEveryEventIsOneObject() {
        let record = Record()
        let reporter = JSONReporter { record.events.append($0) }
        let machine = Machine()
        let slot = PanelSlot(panel("cpu", "cpu.load"), on: machine)
        let nothing = PanelSlot(panel("none", "network.primary.name"), on: machine)
        let wrong = PanelSlot(panel("wrong", "cpu.laod"), on: machine)
        machine.cpu.load = 7.5
        reporter.sampled(1, [slot, nothing, wrong])
        reporter.finished(samples: 1, live: 2)
        #expect(
            record.events == [
                #"{"event":"sample","panels":[{"changes":2,"keyPath":"cpu.load","name":"cpu","text":"8","value":7.5},"#
                    + #"{"changes":1,"keyPath":"network.primary.name","name":"none","text":"–","value":null}],"sample":1}"#
                    + "\n",
                #"{"event":"finished","liveObservations":2,"samples":1}"# + "\n",
            ])
        reporter.failed(wrong)
        #expect(record.events.last?.hasPrefix(#"{"error":"unknown key \"cpu.laod\""#) == true)
    }

    @Test func theMachineOfThisTestCanBeSampled() throws {
        let reader = ProcReader()
        let record = Record()
        var monitor = Monitor(
            panels: try PanelFile.builtIn().panels, closing: [], first: try reader.sample(),
            reporter: Recorder(record: record))
        monitor.take(try reader.sample())
        monitor.finish()
        #expect(record.events.last == "finished 1, live 0")
    }
}
