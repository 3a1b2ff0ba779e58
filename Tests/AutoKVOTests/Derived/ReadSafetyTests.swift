import AutoKVOTestSupport
import Testing

@testable import AutoKVO

private class Gauge: Model {
    @Observed var level = 1
    @Observed var extra = 1
    @Observed var deputy: Gauge?
}

private final class Cached {
    let value: Int
    init(_ value: Int) { self.value = value }
}

/// Its property is affected by what is computed.
private final class CachingGauge: Gauge {
    private var cache = Cached(1)
    private var isReading = false
    var calls: [String] = []

    private func call(_ name: String) {
        calls.append(isReading ? "\(name) inside of a read" : name)
        cache = Cached(cache.value)
    }

    @Derived({ (gauge: CachingGauge) in
        gauge.call("total")
        return gauge.extra * 10
    }) var total: Int
    var chief: Gauge? {
        call("chief")
        return deputy
    }

    override class var schema: Schema {
        Schema(CachingGauge.self, extending: super.schema) {
            Key("level", \.level, affectedBy: "total", "chief.extra")
            Key("chief", \.chief, affectedBy: "deputy")
        }
    }
    override var level: Int {
        get {
            // In an optimized build nothing but the variable keeps it.
            let cached = cache
            isReading = true
            let stored = super.level
            isReading = false
            return stored + cached.value
        }
        set { super.level = newValue }
    }
}

/// Its property is computed from one that nobody observes, and that changes with an observed one of another object.
private final class Relay: Gauge {
    var shown = 1

    override class var schema: Schema {
        Schema(Relay.self, extending: super.schema) { Key("level", \.level, affectedBy: "deputy.extra") }
    }
    override var level: Int {
        get { super.level + shown }
        set { super.level = newValue }
    }
}

private final class Reader: Model {
    var gauge: Gauge?
    @Observed var offset = 0
    @Derived({ (reader: Reader) in reader.offset + (reader.offset < 0 ? 0 : reader.gauge?.level ?? 0) }) var sum: Int
    @Derived({ (reader: Reader) in reader.gauge.map { try! $0.value(forKey: "level") as! Int } ?? 0 }) var byName: Int
    @Derived({ (reader: Reader) in reader.sum + 10 }) var further: Int
}

/// The optimizer takes a read for something that calls no function of the program's.
@Suite struct ReadSafetyTests {
    @Test(
        "what a property is affected by is computed and followed when the function that reads it has returned",
        arguments: 0..<3)
    func affectedBy(way: Int) throws {
        let (gauge, deputy, reader) = (CachingGauge(), Gauge(), Reader())
        (gauge.deputy, reader.gauge) = (deputy, gauge)
        var told: [Int] = []
        switch way {
        case 0: reader.observe(reading: { $0.gauge?.level ?? 0 }, options: .new) { told.append($1.newValue ?? 0) }
        case 1: reader.$sum.observe(options: .new) { told.append($0.newValue!) }
        default:
            // Read for the first time behind a change.
            reader.offset = -1
            reader.$sum.observe(options: .new) { told.append($0.newValue!) }
            expectEqual(gauge.calls, [])
            reader.offset = 0
            expectEqual(told, [2])
        }
        expectEqual(Set(gauge.calls), ["total", "chief"])
        gauge.level = 2
        expectEqual(told.last, 3)
        gauge.calls = []
        gauge.extra = 2
        deputy.extra = 2
        #expect(!gauge.calls.isEmpty && gauge.calls.allSatisfy { $0 == "total" })
        withExtendedLifetime((gauge, deputy, reader)) {}
    }

    #if DEBUG
        @Test(
            "a change that another thread makes before that is followed is not missed", arguments: 0..<4)
        func changedBefore(way: Int) throws {
            let (relay, deputy, reader) = (Relay(), Gauge(), Reader())
            (relay.deputy, reader.gauge) = (deputy, relay)
            TestPoint.relinking.whenReached { (deputy.extra, relay.shown) = (2, 2) }
            var told: [Int] = []
            switch way {
            case 0:
                reader.observe(reading: { $0.gauge?.level ?? 0 }, options: [.initial, .new]) {
                    told.append($1.newValue ?? 0)
                }
            case 1: reader.$sum.observe(options: [.initial, .new]) { told.append($0.newValue!) }
            case 2: reader.$byName.observe(options: [.initial, .new]) { told.append($0.newValue!) }
            default: reader.$further.observe(options: [.initial, .new]) { told.append($0.newValue! - 10) }
            }
            expectEqual(told, [3])
            relay.shown = 4
            deputy.extra = 4
            expectEqual(told, [3, 5])
            withExtendedLifetime((relay, deputy, reader)) {}
        }
    #endif
}
