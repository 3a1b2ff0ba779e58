import AsyncAlgorithms
import AutoKVO
import Configuration
import Foundation
import GRDB
import InMemoryLogging
import Logging
import Metrics
import MetricsTestKit
import NIOCore
import NIOPosix
import Testing

final class Sensor: TrackedObject {
    @Observed var level = 0
    @Observed var heat = 0
}

final class Thermostat: TrackedObject {
    @Observed var limit = 0

    override class var schema: Schema {
        Schema(Thermostat.self, extending: super.schema) {
            Key("limit", \.limit) { _, limit in limit = min(limit, 100) }
        }
    }
}

struct OnLoop: ChangeScheduler {
    let loop: any EventLoop
    func schedule(_ operation: @escaping @Sendable () -> Void) { loop.execute(operation) }
}

final class Reading: TrackedObject, Codable {
    @Observed var level = 4
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

    @Test("throttle gives the first value of each interval, and what came last in it") func throttle() async {
        var sensor: Sensor? = Sensor()
        let shown = sensor!.$level.values()._throttle(for: .seconds(1))
        for level in 1...5 { sensor!.level = level }
        sensor = nil
        let values = await Array(shown)
        #expect(values.first == 1 && values.count <= 2)
    }

    @Test("a configuration that is loaded again sets the model, all or nothing") func configuration() async throws {
        let provider = MutableInMemoryProvider(initialValues: ["limit": 50])
        let config = ConfigReader(provider: provider)
        let thermostat = Thermostat()
        try await config.watchSnapshot { snapshots in
            for await snapshot in snapshots {
                try thermostat.setValues(["limit": snapshot.int(forKey: "limit")], validating: true)
                if thermostat.limit == 100 { return }
                provider.setValue(200, forKey: "limit")
            }
        }
        #expect(thermostat.limit == 100)
    }

    @Test("an event loop is a scheduler") func eventLoop() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Int.self)
        let sensor = Sensor()
        sensor.$level.observe(options: [.new, .once], on: OnLoop(loop: loop)) { change in
            loop.preconditionInEventLoop()
            promise.succeed(change.newValue ?? -1)
        }
        sensor.level = 3
        #expect(try await promise.futureResult.get() == 3)
    }

    @Test("a model follows a query") func database() async throws {
        let database = try DatabaseQueue()
        try await database.write { try $0.execute(sql: "CREATE TABLE reading (level INTEGER)") }
        let highest = ValueObservation.tracking { try Int.fetchOne($0, sql: "SELECT max(level) FROM reading") ?? 0 }
        let sensor = Sensor()
        for try await level in highest.values(in: database) {
            sensor.level = level
            if level == 8 { break }
            try await database.write { try $0.execute(sql: "INSERT INTO reading VALUES (8)") }
        }
        #expect(sensor.level == 8)
    }

    @Test("a tracked class is Codable where its properties are") func codable() throws {
        let data = try JSONEncoder().encode(Reading())
        #expect(String(decoding: data, as: UTF8.self) == #"{"level":4}"#)
        #expect(try JSONDecoder().decode(Reading.self, from: Data(#"{"level":9}"#.utf8)).level == 9)
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
        #expect(blocks.count == 12)
        for block in blocks { #expect(code.contains(block), "\(block)") }
    }
}
