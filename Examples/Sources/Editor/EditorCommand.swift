import ArgumentParser
import AutoKVO
import Foundation

@main
struct EditorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Editor",
        abstract: "Edits a text by commands, and shows after each of them what its observers made of it.")

    @Argument(help: "A file with a command on each line; standard input if it is left out.")
    var script: String?

    func run() throws {
        let editor = Editor(Document(title: "Untitled"))
        let script = Script(editor: editor)
        let lines: [String]
        if let path = self.script {
            lines = Script.lines(of: try String(contentsOfFile: path, encoding: .utf8))
        } else {
            lines = Array(AnyIterator { readLine() })
        }
        for line in lines where !line.hasPrefix("#") {
            print(">", line)
            do {
                for shown in try script.run(line) { print(shown) }
                print("  [\(editor.status.text)]")
            } catch {
                print("  \(error)")
            }
        }
    }
}
