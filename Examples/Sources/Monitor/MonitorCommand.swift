import ArgumentParser
import AutoKVO
import Foundation
import Synchronization

/// Set by the interrupt key; the program then ends as it does after its last sample.
private let interrupted = Atomic<Bool>(false)

@main
struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "autokvo-monitor",
        abstract: "Watches this machine through panels that are declared in a file, by key path.",
        discussion: """
            The figures of /proc are written into plain objects, and each panel observes them by a key path that is only \
            known when the program runs. No panel ever unregisters: --close just releases one.

            Keys: cpu (load, user, system, running, contextSwitchesPerSecond, mood), cores (number, load), memory (total, \
            available, used, usedPercent, swapTotal, swapFree, swapUsed), load (one, five, fifteen, processes, trend), \
            network.primary and network.interfaces (name, receivedPerSecond, sentPerSecond, totalPerSecond), headroom, \
            loadPerCore. Handlers: showValue, showWithNote, showPeak, showDifference, countChanges.
            """)

    @Option(help: "How many samples to take; without it, until interrupted.")
    var samples: Int?

    @Option(help: "Seconds between two samples.")
    var interval = 1.0

    @Option(help: "The JSON file that declares the panels, in place of the built-in ones.", completion: .file())
    var panels: String?

    @Option(help: ArgumentHelp("Release this panel after this sample; may be repeated.", valueName: "name@sample"))
    var close: [CloseRequest] = []

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write who observes what, as it is after the last sample: Mermaid (.mmd), Graphviz (.dot) or JSON (.json).",
            valueName: "file"),
        completion: .file())
    var graph: String?

    @Option(help: ArgumentHelp("Read another folder in place of /proc.", visibility: .hidden))
    var proc = "/proc"

    func validate() throws {
        guard interval >= 0, interval <= 86_400 else { throw ValidationError("--interval takes 0 to 86400 seconds") }
        if let graph, GraphFormat(path: graph) == nil {
            throw ValidationError("--graph takes a file that ends in \(GraphFormat.endings)")
        }
        guard samples ?? 1 > 0 else { throw ValidationError("--samples takes a positive number") }
    }

    func run() throws {
        let declarations = try declaredPanels()
        let reader = ProcReader(root: proc)
        let reporter: any Reporter =
            if json {
                JSONReporter { FileHandle.standardOutput.write(Data($0.utf8)) }
            } else {
                LineReporter(screen: .standardOutput, titles: declarations.map(\.title))
            }
        var nothingShown = false
        do throws(SampleError) {
            var monitor = Monitor(panels: declarations, closing: close, first: try reader.sample(), reporter: reporter)
            signal(SIGINT) { _ in interrupted.store(true, ordering: .relaxed) }
            // Rates need two readings, so the first sample comes after a wait as well.
            while monitor.hasPanel, monitor.samples < samples ?? .max {
                Self.wait(seconds: interval)
                if interrupted.load(ordering: .relaxed) { break }
                monitor.take(try reader.sample())
            }
            nothingShown = monitor.samples == 0 && !monitor.hasPanel
            try writeGraph()
            monitor.finish()
        } catch {
            throw Self.refusal("\(error)", code: 1)
        }
        // Every panel was reported; a script would still take code 0 for a program that showed something.
        if nothingShown { throw ExitCode(1) }
    }

    /// The panels of the file, or the built-in ones. A name after `--close` that none of them has is a mistake, too.
    private func declaredPanels() throws -> [PanelDeclaration] {
        let declarations: [PanelDeclaration]
        do throws(PanelFile.Fault) {
            declarations = if let panels { try PanelFile(path: panels).panels } else { try PanelFile.builtIn().panels }
        } catch {
            throw Self.refusal("\(error)", code: 2)
        }
        for request in close where !declarations.contains(where: { $0.name == request.name }) {
            let names = declarations.map(\.name).joined(separator: ", ")
            throw Self.refusal("--close: no panel is named \"\(request.name)\"; there are \(names)", code: 2)
        }
        return declarations
    }

    /// Writes the graph of observations, while the panels are there.
    private func writeGraph() throws(SampleError) {
        guard let graph, let format = GraphFormat(path: graph) else { return }
        do {
            try Data(format.text(of: Diagnostics.graph()).utf8).write(to: URL(fileURLWithPath: graph))
        } catch {
            throw SampleError(file: graph, problem: "it cannot be written: \(error.localizedDescription)")
        }
    }

    /// Prints one line to standard error; to be thrown.
    private static func refusal(_ sentence: String, code: Int32) -> ExitCode {
        FileHandle.standardError.write(Data("autokvo-monitor: \(sentence.printable)\n".utf8))
        return ExitCode(code)
    }

    /// Ends early when a signal arrives, unlike Foundation's sleep.
    private static func wait(seconds: Double) {
        var time = timespec()
        time.tv_sec = Int(seconds)
        time.tv_nsec = Int((seconds - seconds.rounded(.down)) * 1e9)
        nanosleep(&time, nil)
    }
}
