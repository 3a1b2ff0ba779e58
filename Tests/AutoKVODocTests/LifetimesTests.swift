// snippet: life.import
import AutoKVO
// end
import Testing

/// The code of `Lifetimes.md`.
struct LifetimesTests {
    // snippet: life.model
    final class Engine: TrackedObject {
        @Observed var speed = 0
        let serial = "E-1"
    }

    final class Gauge: TrackedObject {
        var shown = 0
    }
    // end

    @Test("an observer's death ends it") func observer() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: life.observer
        let engine = Engine()
        var gauge: Gauge? = Gauge()
        let observation = try engine.addObserver(gauge!, forKeyPath: "speed", options: .new) { gauge, change in
            gauge.shown = change.newValue as? Int ?? 0
        }
        observation.onEnd { reason in print(reason) }

        gauge = nil  // prints: observerDeinitialized
        engine.speed = 30  // no call
        print(observation.isValid)  // prints: false
        // end
        try output.expect("life.observer")
    }

    @Test("what happens at the moment of death") func death() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: life.deinit
        var engine: Engine? = Engine()
        let serial = engine!.serial
        let observation = try engine!.observe("speed") { _ in }
        observation.onEnd { reason in print("1.", reason) }
        engine!.onDeinit { print("2. scrapped", serial) }
        engine = nil
        // prints: 1. targetDeinitialized
        // prints: 2. scrapped E-1
        // end
        try output.expect("life.deinit")
    }

    @Test("an observer that is not tracked") func plain() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: life.plain
        final class Plain {}

        let engine = Engine()
        var plain: Plain? = Plain()
        let observation = try engine.addObserver(plain!, forKeyPath: "speed") { _, _ in print("changed") }
        engine.speed = 1  // prints: changed
        plain = nil
        engine.speed = 2
        print(observation.isValid)  // prints: false
        // end
        try output.expect("life.plain")
    }

    @Test("bound to a token") func scoped() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: life.scoped
        let engine = Engine()
        var token: ScopedObservation? = try engine.onChange("speed", options: .new) { change in
            print(change.newValue ?? "-")
        }
        engine.speed = 50  // prints: 50
        token = nil
        engine.speed = 60
        print(engine.observations().count, token == nil)  // prints: 0 true
        // end
        try output.expect("life.scoped")
    }

    @Test("many targets") func many() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: life.many
        var engines = [Engine(), Engine()]
        let observation = try engines.observe("speed") { _ in print("changed") }
        engines.removeFirst()
        engines[0].speed = 10  // prints: changed
        print(observation.targets.count, observation.isValid)  // prints: 1 true
        engines = []
        print(observation.isValid)  // prints: false
        // end
        try output.expect("life.many")
    }
}
