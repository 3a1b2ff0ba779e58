/// What `/proc/stat` counts since the machine was started.
struct ProcStat: Equatable {
    var total: CPUTimes
    var cores: [Int: CPUTimes] = [:]
    var contextSwitches: UInt64 = 0
    var running = 0

    init(parsing text: String) throws(SampleError) {
        var total: CPUTimes?
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            guard let name = words.first else { continue }
            switch name {
            case "cpu":
                total = try CPUTimes(fields: words.dropFirst(), line: line)
            case "ctxt":
                contextSwitches = try Self.number(words, line: line)
            case "procs_running":
                running = Int(clamping: try Self.number(words, line: line))
            default:
                guard name.hasPrefix("cpu"), let core = Int(name.dropFirst(3)) else { continue }
                cores[core] = try CPUTimes(fields: words.dropFirst(), line: line)
            }
        }
        guard let total else { throw SampleError(file: "stat", problem: "it has no line \"cpu\"") }
        self.total = total
    }

    private static func number(_ words: [Substring], line: Substring) throws(SampleError) -> UInt64 {
        guard words.count >= 2, let number = UInt64(words[1]) else {
            throw SampleError(file: "stat", problem: "no number in \"\(line.prefix(60))\"")
        }
        return number
    }
}

/// How long one processor, or all of them, did what; in clock ticks since the machine was started.
struct CPUTimes: Equatable {
    var user: UInt64
    var system: UInt64
    /// Waiting for a disk counts as idle: the processor was free meanwhile.
    var idle: UInt64

    /// - Parameter fields: user, nice, system, idle, iowait, irq, softirq and steal; old kernels end after the fourth.
    ///   What follows (guest times) is contained in user and nice.
    init(fields: ArraySlice<Substring>, line: Substring) throws(SampleError) {
        var ticks: [UInt64] = []
        for field in fields.prefix(8) {
            guard let tick = UInt64(field) else { break }
            ticks.append(tick)
        }
        guard ticks.count == min(fields.count, 8), ticks.count >= 4 else {
            throw SampleError(file: "stat", problem: "not a line of times: \"\(line.prefix(60))\"")
        }
        ticks += repeatElement(0, count: 8 - ticks.count)
        user = ticks[0] &+ ticks[1]
        system = ticks[2] &+ ticks[5] &+ ticks[6] &+ ticks[7]
        idle = ticks[3] &+ ticks[4]
    }

    /// The shares of the time since `earlier`, in percent; all zero if no time has passed.
    ///
    /// The kernel documents that some of these counters may go backwards; that counts as no time.
    func shares(since earlier: CPUTimes) -> (load: Double, user: Double, system: Double) {
        let user = Self.difference(user, earlier.user)
        let system = Self.difference(system, earlier.system)
        let whole = user + system + Self.difference(idle, earlier.idle)
        guard whole > 0 else { return (0, 0, 0) }
        return (100 * (user + system) / whole, 100 * user / whole, 100 * system / whole)
    }

    private static func difference(_ later: UInt64, _ earlier: UInt64) -> Double {
        later > earlier ? Double(later - earlier) : 0
    }
}
