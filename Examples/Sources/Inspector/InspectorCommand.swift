import Foundation
import InspectorServer

/// A greenhouse that can be looked at: `AUTOKVO_INSPECTOR=8080 swift run Inspector`.
@main struct InspectorCommand {
    @MainActor static func main() async throws {
        let inspector = try await ObservationInspector.startIfAsked()
        if let inspector {
            // Unlike print, this is seen at once also where the output is no terminal.
            FileHandle.standardOutput.write(Data("Open \(inspector.url)\n".utf8))
        } else {
            print("Not inspected: set AUTOKVO_INSPECTOR to the number of a port, 0 for any free one.")
        }
        let text = CommandLine.arguments.dropFirst().first
        guard let seconds = runningTime(text, isInspected: inspector != nil) else {
            FileHandle.standardError.write(Data("usage: Inspector [SECONDS], at most 86400\n".utf8))
            exit(2)
        }
        let greenhouse = try Greenhouse()
        for zone in greenhouse.zones { inspector?.offer(zone, as: "Zone \(zone.name)") }
        for step in 0..<(seconds * 20) {
            greenhouse.advance(step)
            if step == 600 { greenhouse.closeLogbook() }
            try await Task.sleep(for: .milliseconds(50))
        }
        await inspector?.stop()
    }

    /// The seconds that a text asks for, and without one those that are usual; nil if it is no number up to a day.
    static func runningTime(_ text: String?, isInspected: Bool) -> Int? {
        guard let text else { return isInspected ? 3600 : 1 }
        return Int(text).flatMap { (0...86_400).contains($0) ? $0 : nil }
    }
}
