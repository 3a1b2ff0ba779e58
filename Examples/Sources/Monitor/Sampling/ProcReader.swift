import Foundation

/// Reads the system's figures from the files below `/proc`, or below another folder that looks like it.
struct ProcReader {
    var root = "/proc"

    func sample() throws(SampleError) -> Sample {
        Sample(
            takenAt: .now,
            stat: try ProcStat(parsing: read("stat")),
            memory: try ProcMemInfo(parsing: read("meminfo")),
            load: try ProcLoadAverage(parsing: read("loadavg")),
            // A container may have no network at all, and then no such file.
            network: exists("net/dev") ? try ProcNetDev(parsing: read("net/dev")) : nil)
    }

    private func exists(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(root)/\(file)")
    }

    private func read(_ file: String) throws(SampleError) -> String {
        do {
            return try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
        } catch {
            throw SampleError(
                file: "\(root)/\(file)", problem: "it cannot be read; autokvo-monitor needs the /proc of Linux")
        }
    }
}

/// Everything that was read at one moment.
struct Sample {
    var takenAt: ContinuousClock.Instant
    var stat: ProcStat
    var memory: ProcMemInfo
    var load: ProcLoadAverage
    var network: ProcNetDev?
}
