import Testing

@testable import Monitor

@Suite("The parsers of /proc")
struct ProcParsingTests {
    @Test func statHasTheTotalTheCoresAndTheCounters() throws {
        let stat = try ProcStat(parsing: Fixtures.stat)
        #expect(stat.total.user == 120)
        #expect(stat.total.system == 70)
        #expect(stat.total.idle == 830)
        #expect(stat.cores.keys.sorted() == [0, 1])
        #expect(stat.contextSwitches == 383_130)
        #expect(stat.running == 3)
    }

    @Test func fourTimesAreEnough() throws {
        let total = try ProcStat(parsing: "cpu 1 2 3 4").total
        #expect((total.user, total.system, total.idle) == (3, 3, 4))
    }

    @Test(arguments: [
        "", "cpu", "cpu 1 2 3", "cpu 1 2 three 4", "cpu 1 2 -3 4", "cpu 1 2 3 4\ncpu0 x", "ctxt 3", "cpu 1 2 3 4\nctxt",
    ])
    func aStatThatIsNoneIsRefused(text: String) {
        #expect(throws: SampleError.self) { try ProcStat(parsing: text) }
    }

    @Test func hugeCountersDoNotTrap() throws {
        let most = UInt64.max
        let stat = try ProcStat(parsing: "cpu \(most) \(most) \(most) \(most) \(most)\nprocs_running \(most)")
        #expect(stat.total.shares(since: stat.total) == (0, 0, 0))
        #expect(stat.running == .max)
    }

    @Test func sharesAreOfTheTimeBetween() throws {
        let before = try ProcStat(parsing: "cpu 100 0 100 800").total
        let after = try ProcStat(parsing: "cpu 130 0 110 860").total
        #expect(after.shares(since: before) == (40, 30, 10))
    }

    @Test func aCounterThatGoesBackwardsCountsAsNothing() throws {
        let before = try ProcStat(parsing: "cpu 100 0 100 800").total
        let after = try ProcStat(parsing: "cpu 90 0 150 850").total
        #expect(after.shares(since: before) == (50, 0, 50))
    }

    @Test func memoryIsInBytes() throws {
        let memory = try ProcMemInfo(parsing: Fixtures.memory)
        #expect(memory.total == 24_684_092 * 1024)
        #expect(memory.available == 24_382_136 * 1024)
        #expect(memory.swapTotal == 2048 * 1024)
        #expect(memory.swapFree == 1024 * 1024)
    }

    @Test func anOldKernelSaysOnlyWhatIsFree() throws {
        #expect(try ProcMemInfo(parsing: "MemTotal: 10 kB\nMemFree: 4 kB").available == 4096)
    }

    @Test(arguments: [
        "", "MemTotal: 10 kB", "MemFree: 3 kB", "MemTotal: x kB\nMemFree: 1 kB",
        "MemTotal: \(Int.max) kB\nMemFree: 1 kB",
    ])
    func aMeminfoThatIsNoneIsRefused(text: String) {
        #expect(throws: SampleError.self) { try ProcMemInfo(parsing: text) }
    }

    @Test func loadAveragesAndProcesses() throws {
        let load = try ProcLoadAverage(parsing: Fixtures.load)
        #expect((load.one, load.five, load.fifteen, load.processes) == (0.2, 0.18, 0.12, 80))
    }

    @Test(arguments: [
        "", "0.1 0.2", "0.1 0.2 0.3", "a b c 1/80 3", "0.1 0.2 0.3 80 3", "0.1 0.2 nan 1/80 3", "0.1 0.2 inf 1/80 3",
    ])
    func aLoadavgThatIsNoneIsRefused(text: String) {
        #expect(throws: SampleError.self) { try ProcLoadAverage(parsing: text) }
    }

    @Test func interfacesAreReadEvenWhenAFigureTouchesTheName() throws {
        let network = try ProcNetDev(parsing: Fixtures.network)
        #expect(network.interfaces.map(\.name) == ["lo", "eth0", "wlan0"])
        #expect(network.interfaces.map(\.received) == [3193, 1000, 9000])
        #expect(network.interfaces.map(\.sent) == [3193, 500, 100])
    }

    @Test func noInterfaceIsNoError() throws {
        #expect(try ProcNetDev(parsing: "").interfaces.isEmpty)
    }

    @Test(arguments: ["eth0: 1 2 3", "eth0: x 0 0 0 0 0 0 0 5 0", ": 1 2 3 4 5 6 7 8 9 10"])
    func anInterfaceWithoutItsCountersIsRefused(text: String) {
        #expect(throws: SampleError.self) { try ProcNetDev(parsing: text) }
    }

    @Test func aFolderThatIsNotProcIsRefusedWithItsName() {
        let error = #expect(throws: SampleError.self) { try ProcReader(root: "/nowhere").sample() }
        #expect(error?.description.hasPrefix("/nowhere/stat: ") == true)
    }
}
