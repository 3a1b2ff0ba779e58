// snippet: streams.import
import AutoKVO
import AutoKVOFoundation
import Dispatch
// end
import Testing

/// The code of `Streams-and-Schedulers.md`.
struct StreamsTests {
    // snippet: streams.model
    final class Sensor: TrackedObject {
        @Observed var level = 0
        @Observed var samples: [Int] = []
    }
    // end

    @Test("values") func values() async throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: streams.values
        var sensor: Sensor? = Sensor()
        let levels = try sensor!.values(of: "level", as: Int.self, options: [.initial, .distinct])
        sensor!.level = 5
        sensor!.level = 5
        sensor!.level = 7
        sensor = nil
        for await level in levels { print(level) }
        // prints: 0
        // prints: 5
        // prints: 7
        // end
        try output.expect("streams.values")
    }

    @Test("changes") func changes() async throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: streams.changes
        var sensor: Sensor? = Sensor()
        let changes = sensor!.$samples.changes(options: .new)
        sensor!.$samples.append(3)
        sensor!.$samples.append(4)
        sensor!.$samples.removeFirst()
        sensor = nil
        for await change in changes { print(change.kind, change.newValue ?? []) }
        // prints: insertion [3]
        // prints: insertion [4]
        // prints: removal []
        // end
        try output.expect("streams.changes")
    }

    @Test("buffering") func buffering() async throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: streams.buffering
        var sensor: Sensor? = Sensor()
        let latest = sensor!.$level.values(bufferingPolicy: .bufferingNewest(1))
        for level in 1...1000 { sensor!.level = level }
        sensor = nil
        for await level in latest { print(level) }  // prints: 1000
        // end
        try output.expect("streams.buffering")
    }

    // snippet: streams.cancel
    @MainActor final class Meter {
        var shown = 0
        private var task: Task<Void, Never>?

        func follow(_ sensor: Sensor) {
            let levels = sensor.$level.values(options: .initial)
            task = Task { [weak self] in
                for await level in levels { self?.shown = level }
            }
        }

        func stop() { task?.cancel() }
    }
    // end

    @MainActor @Test("end a loop") func cancel() async {
        let (sensor, meter) = (Sensor(), Meter())
        meter.follow(sensor)
        sensor.level = 3
        while meter.shown != 3 { await Task.yield() }
        #expect(sensor.observations().count == 1)
        meter.stop()
        while !sensor.observations().isEmpty { await Task.yield() }
    }

    @MainActor @Test("on the main actor") func mainActor() async throws {
        // snippet: streams.main
        let (sensor, meter) = (Sensor(), Meter())
        sensor.$level.observe(options: .new, on: .mainActor) { change in
            meter.shown = change.newValue ?? meter.shown
        }
        sensor.level = 4
        // end
        while meter.shown == 0 { await Task.yield() }
        #expect(meter.shown == 4)
    }

    // snippet: streams.actor
    actor Store {
        private(set) var levels: [Int] = []

        nonisolated func follow(_ sensor: Sensor) throws {
            try sensor.observe("level", as: Int.self, options: .new, on: self) { store, change in
                if let level = change.newValue { store.levels.append(level) }
            }
        }
    }
    // end

    @Test("on an actor") func actor() async throws {
        let (sensor, store) = (Sensor(), Store())
        try store.follow(sensor)
        sensor.level = 1
        sensor.level = 2
        while await store.levels.count < 2 { await Task.yield() }
        #expect(await store.levels == [1, 2])
    }

    @Test("on a queue") func queue() throws {
        let output = Output()
        @Sendable func print(_ items: Any...) { output.add(items) }
        // snippet: streams.queue
        let queue = DispatchQueue(label: "levels")
        let sensor = Sensor()
        sensor.$level.observe(options: .new, on: queue) { change in print(change.newValue ?? 0) }
        sensor.level = 8
        queue.sync { print("the handler has run") }
        // prints: 8
        // prints: the handler has run
        // end
        try output.expect("streams.queue")
    }

    @Test("on a scheduler of one's own") func scheduler() throws {
        let output = Output()
        @Sendable func print(_ items: Any...) { output.add(items) }
        // snippet: streams.scheduler
        struct OnTask: ChangeScheduler {
            let priority: TaskPriority
            func schedule(_ operation: @escaping @Sendable () -> Void) {
                Task.detached(priority: priority) { operation() }
            }
        }
        let sensor = Sensor()
        let done = DispatchSemaphore(value: 0)
        sensor.$level.observe(options: .new, on: OnTask(priority: .background)) { change in
            print(change.newValue ?? 0)
            if change.newValue == 3 { done.signal() }
        }
        for level in 1...3 { sensor.level = level }
        done.wait()
        // prints: 1
        // prints: 2
        // prints: 3
        // end
        try output.expect("streams.scheduler")
    }
}
