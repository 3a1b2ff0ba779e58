import ArgumentParser
import AutoKVO
import AutoKVOFoundation
import Foundation

@main
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Settings", abstract: "Applies settings files one after another, each as a whole or not at all.")

    @Argument(help: "JSON files.")
    var files: [String] = []

    @Option(help: "A setting whose changes are printed, such as editor.theme or summary; may be given several times.")
    var watch: [String] = ["summary"]

    @Flag(help: "Print the settings that there are.")
    var list = false

    @Flag(help: "Print the settings at the end, as a file.")
    var export = false

    func run() throws {
        let settings = AppSettings()
        // The name comes from the command line, so it may be wrong: the error says what was meant.
        try settings.observe(watch, options: [.old, .new, .distinct]) { change in
            print("  \(change.keyPath): \(change.oldValue ?? "-") is now \(change.newValue ?? "-")")
        }
        if list { AppSettings.settablePaths.forEach { print($0) } }
        for file in files {
            print(file)
            do {
                let data = try Data(contentsOf: URL(fileURLWithPath: file))
                try SettingsFile(data).apply(to: settings)
                print("  applied")
            } catch let error as KeyValueError {
                print("  refused, nothing is changed:")
                for error in error.errors { print("  - \(error.localizedDescription)") }
            } catch {
                print("  not read: \(error.localizedDescription)")
            }
        }
        if export { print(String(decoding: try settings.exported(), as: UTF8.self)) }
    }
}
