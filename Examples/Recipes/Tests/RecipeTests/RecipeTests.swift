import AsyncAlgorithms
import AutoKVO
import Foundation
import InMemoryLogging
import Logging
import Metrics
import MetricsTestKit
import Testing

final class Sensor: TrackedObject {
    @Observed var level = 0
    @Observed var heat = 0
}

@Suite("Recipes with other libraries", .timeLimit(.minutes(1))) struct RecipeTests {
    @Test("debounce gives the value that stays") func debounce() async {
        var sensor: Sensor? = Sensor()
        let settled = sensor!.$level.values().debounce(for: .seconds(1))
        for level in 1...5 { sensor!.level = level }
        sensor = nil
        #expect(await Array(settled) == [5])
    }

    @Test("merge gives the values of both, combineLatest pairs of them") func combine() async {
        var sensor: Sensor? = Sensor()
        let both = merge(sensor!.$level.values(), sensor!.$heat.values())
        let pairs = combineLatest(
            sensor!.$level.values(options: .initial), sensor!.$heat.values(options: .initial))
        (sensor!.level, sensor!.heat) = (3, 4)
        sensor = nil
        #expect(await both.reduce(0, +) == 7)
        var last = (0, 0)
        for await pair in pairs { last = pair }
        #expect(last == (3, 4))
    }

    @Test("a gauge follows a key") func gauge() throws {
        let metrics = TestMetrics()
        let sensor = Sensor()
        let gauge = Gauge(label: "level", factory: metrics)
        sensor.$level.onValue { gauge.record($0) }
        sensor.level = 8
        #expect(try metrics.expectGauge("level").values == [0, 8])
    }

    @Test("what the library reports is logged") func log() {
        let entries = InMemoryLogHandler()
        let logger = Logger(label: "AutoKVO", factory: { _ in entries })
        Diagnostics.withHandler({ message in logger.warning("\(message)") }) {
            Sensor().didChangeValue(forKey: "level")
        }
        #expect(entries.entries.map(\.level) == [.warning])
    }

    @Test("each block of the README is in these tests, line by line") func readme() throws {
        func lines(_ text: some StringProtocol) -> [String] {
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let tests = URL(filePath: #filePath)
        let readme = try String(contentsOf: tests.appending(path: "../../../README.md").standardized, encoding: .utf8)
        let code = try lines(String(contentsOf: tests, encoding: .utf8))
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst().map {
            lines($0.components(separatedBy: "```")[0])
        }
        #expect(blocks.count == 5)
        for block in blocks { #expect(code.contains(block), "\(block)") }
    }
}
