import Foundation

@testable import Monitor

/// Texts of /proc files, and samples made of them.
enum Fixtures {
    static let stat = """
        cpu  100 20 50 800 30 5 5 10 0 0
        cpu0 60 10 20 400 10 0 5 5 0 0
        cpu1 40 10 30 400 20 5 0 5 0 0
        intr 224374 0 0 0 1 1 15
        ctxt 383130
        btime 1795240000
        processes 7991
        procs_running 3
        procs_blocked 0
        softirq 62720 0 1107 626
        """

    static let memory = """
        MemTotal:       24684092 kB
        MemFree:        20000000 kB
        MemAvailable:   24382136 kB
        Buffers:            1084 kB
        SwapTotal:          2048 kB
        SwapFree:           1024 kB
        HugePages_Total:       0
        """

    static let load = "0.20 0.18 0.12 1/80 11206\n"

    static let network = """
        Inter-|   Receive                                    |  Transmit
         face |bytes    packets errs drop fifo frame multicast|bytes    packets errs drop fifo colls compressed
            lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0
          eth0:1000 10 0 0 0 0 0 0 500 5 0 0 0 0 0 0
         wlan0: 9000 90 0 0 0 0 0 0 100 1 0 0 0 0 0 0
        """

    static let start = ContinuousClock.now

    /// A sample taken `second` seconds after the first, in which each core has worked for `busy` ticks of the
    /// `100 * second` that went by.
    static func sample(second: Int, busy: [Int], available: Int = 600, received: Int = 0) throws -> Sample {
        let cores = busy.enumerated().map { number, busy in "cpu\(number) \(busy) 0 0 \(100 * second - busy)\n" }
        let sum = busy.reduce(0, +)
        let total = "cpu \(sum) 0 0 \(100 * second * busy.count - sum)\n"
        return Sample(
            takenAt: start.advanced(by: .seconds(second)),
            stat: try ProcStat(parsing: total + cores.joined() + "ctxt \(second * 50)\n"),
            memory: try ProcMemInfo(parsing: "MemTotal: 1000\nMemAvailable: \(available)\n"),
            load: try ProcLoadAverage(parsing: "\(Double(second) / 10) 0.2 0.1 1/80 1"),
            network: try ProcNetDev(parsing: "eth0: \(received) 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"))
    }

    static func panels(_ json: String) throws -> [PanelDeclaration] {
        try PanelFile(data: Data(json.utf8), file: "test.json").panels
    }
}
