import ArgumentParser
import Foundation

/// Runs every cell of every system, round by round, and writes what came of it.
///
/// One cell runs for all systems before the next one does, and every cell runs again in each round: what the machine
/// does meanwhile falls on all of them alike.
@main
struct Sweep: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures the systems side by side and judges the bars.")

    @Argument(help: "The benchmark executables.")
    var executables: [String] = []

    @Option(help: "How often everything is run.")
    var rounds = 4

    @Option(help: "Samples of a cell in one round.")
    var samples = 7

    @Option(help: "Where latest.jsonl, latest.md, latest.svg and users.svg go.")
    var output: String

    @Option(help: "A latest.jsonl. Nothing is measured: users.svg is drawn again, of what it says.")
    var recorded: String?

    @Option(
        help:
            "A page of tables to fill in between its markers: <!-- sweep -->, <!-- second set -->, <!-- third set -->.")
    var page: String?

    @Option(help: "The users' page, to fill in between its markers <!-- figures -->.")
    var users: String?

    @Option(help: "A file that names what was left out, a line each.")
    var missing: String?

    @Option(help: "A file that says what the systems were built of and how, a line each.")
    var built: String?

    @Option(help: "What was measured, for the report: a commit, say.")
    var revision = "unknown"

    @Option(help: "Only workloads whose name begins so (may be repeated).")
    var only: [String] = []

    @Flag(help: "The systems of a quick look, without the largest sizes.")
    var quick = false

    @Flag(help: "Measures in processes of one thread, where the C library leaves atomic instructions out of its locks.")
    var oneThread = false

    func validate() throws {
        guard rounds > 0, samples > 0 else { throw ValidationError("rounds and samples are at least 1") }
    }

    func run() throws {
        let folder = URL(fileURLWithPath: output, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let recorded {
            return try writeUsersPicture(
                Results(recorded: String(contentsOfFile: recorded, encoding: .utf8)), to: folder)
        }
        let started = Date()
        var environment = ProcessInfo.processInfo.environment
        environment["BENCH_ONE_THREAD"] = oneThread ? "1" : nil
        let runner = Runner(environment: environment)
        func lines(of file: String?) throws -> [String] {
            guard let file else { return [] }
            return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
        let builtWith = try lines(of: built)
        var leftOut = try lines(of: missing)

        var cells: [Cell] = []
        for executable in executables {
            do {
                cells += try runner.cells(of: executable)
            } catch {
                leftOut.append("\(URL(fileURLWithPath: executable).lastPathComponent): \(error)")
            }
        }
        cells = cells.filter { wants($0) }.sorted { $0.place < $1.place }
        guard !cells.isEmpty else { throw ValidationError("nothing to run") }

        var results = Results()
        var failed: Set<Cell> = []
        for round in 1...rounds {
            for cell in cells where !failed.contains(cell) && (!cell.once || round == 1) {
                do {
                    results.add(try runner.run(cell, samples: cell.once ? samples * rounds : samples))
                } catch {
                    failed.insert(cell)
                    leftOut.append("\(cell.system) \(cell.workload) N=\(cell.n): \(error)")
                    log("failed: \(leftOut.last!)")
                }
            }
            log("round \(round) of \(rounds) done after \(Int(-started.timeIntervalSinceNow)) s")
        }
        results.derive()

        let report = Report(
            results: results, bars: Bar.all.map { $0.judged(results) },
            secondBars: Bar.ofSecondSet.map { $0.judged(results) },
            thirdBars: Bar.ofThirdSet.map { $0.judged(results) }, leftOut: leftOut, built: builtWith,
            revision: revision, date: started,
            quick: quick,
            oneThread: oneThread, samples: rounds * samples, rounds: rounds,
            seconds: Int(-started.timeIntervalSinceNow))
        try results.jsonLines().write(to: folder.appending(path: "latest.jsonl"), atomically: true, encoding: .utf8)
        try report.markdown().write(to: folder.appending(path: "latest.md"), atomically: true, encoding: .utf8)
        try Picture(results).svg().write(to: folder.appending(path: "latest.svg"), atomically: true, encoding: .utf8)
        try writeUsersPicture(results, to: folder)
        func fill(_ page: String?, _ filled: (String) -> String?) throws {
            guard let page else { return }
            guard let text = filled(try String(contentsOfFile: page, encoding: .utf8)) else {
                throw ValidationError("\(page) has no markers")
            }
            try text.write(toFile: page, atomically: true, encoding: .utf8)
        }
        try fill(page, report.filledIn)
        try fill(users, report.filledInForUsers)
        print(report.barList())
        for line in leftOut { print("left out: \(line)") }
        if !failed.isEmpty { throw ExitCode(1) }
    }

    private func writeUsersPicture(_ results: Results, to folder: URL) throws {
        try UsersPicture(results).svg()
            .write(to: folder.appending(path: "users.svg"), atomically: true, encoding: .utf8)
    }

    private func wants(_ cell: Cell) -> Bool {
        if !only.isEmpty, !only.contains(where: { cell.workload.hasPrefix($0) }) { return false }
        guard quick else { return true }
        return quickSystems.contains(cell.system) && cell.n < 1_000_000 || cell.workload == "append"
    }

    private var quickSystems: [String] {
        Systems.autoKVO + [
            Systems.floor, "OpenCombine CurrentValueSubject", "Qt 6 signal", "Qt 6 QProperty", "Qt 6 property",
            "boost::signals2",
            "boost::signals2 tracked",
        ]
    }
}

func log(_ message: String) {
    FileHandle.standardError.write(Data((message + "\n").utf8))
}
