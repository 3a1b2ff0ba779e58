import AutoKVO

/// Something to look at: sensors, zones that observe them, and vents that observe the zones.
final class Greenhouse {
    final class Sensor: TrackedObject {
        @Observed var temperature: Double
        @Observed var humidity = 60.0

        init(temperature: Double) { self.temperature = temperature }
    }

    final class Zone: TrackedObject {
        let name: String
        @Observed var sensor: Sensor?
        @Observed var warmest = 0.0
        @Observed var target = 22.0

        @Derived({ (zone: Zone) in zone.warmest - zone.target }) var excess: Double

        init(name: String, sensor: Sensor) {
            self.name = name
            self.sensor = sensor
        }
    }

    final class Vent: TrackedObject {
        @Observed var opening = 0.0
    }

    /// An observer that is not tracked itself.
    final class Logbook {
        var entries = 0
    }

    let zones: [Zone]
    let vents: [Vent]
    private(set) var logbook: Logbook? = Logbook()

    init() throws {
        let sensors = [Sensor(temperature: 19), Sensor(temperature: 24)]
        zones = [Zone(name: "north", sensor: sensors[0]), Zone(name: "south", sensor: sensors[1])]
        vents = zones.map { _ in Vent() }
        for (zone, vent) in zip(zones, vents) {
            try zone.observe("sensor.temperature", of: zone, as: Double?.self, options: .new) { zone, change in
                if let temperature = change.newValue ?? nil { zone.warmest = max(zone.warmest * 0.99, temperature) }
            }
            try vent.observe("excess", of: zone, as: Double.self, options: .new) { vent, change in
                if let excess = change.newValue { vent.opening = min(1, max(0, excess / 10)) }
            }
            vent.$opening.addObserver(logbook!, options: .distinct) { logbook, _ in logbook.entries += 1 }
        }
        try sensors.observe("humidity") { _ in }
    }

    /// One step of the weather.
    func advance(_ step: Int) {
        for (number, zone) in zones.enumerated() {
            guard let sensor = zone.sensor else { continue }
            sensor.temperature += Double((step * 7 + number * 3) % 11) / 5 - 1
            if step.isMultiple(of: 5) { sensor.humidity = 50 + Double((step + number) % 20) }
        }
    }

    /// Lets the logbook die, and its observations with it.
    func closeLogbook() { logbook = nil }
}
