// snippet: observation.import
import AutoKVO
import Observation
// end
import Testing

/// The code of `Coming-from-Observation.md`.
struct ComingFromObservationTests {
    // snippet: observation.both
    @Observable final class Lamp {
        var level = 0
    }

    final class Dimmer: TrackedObject {
        @Observed var level = 0
        @Derived({ (dimmer: Dimmer) in "\(dimmer.level) %" }) var text: String
    }
    // end

    @Test("who is told of what") func calls() throws {
        let output = Output()
        @Sendable func print(_ items: Any...) { output.add(items) }
        // snippet: observation.calls
        let lamp = Lamp()
        withObservationTracking {
            _ = lamp.level
        } onChange: {
            print("the lamp is about to change")
        }
        lamp.level = 1  // prints: the lamp is about to change
        lamp.level = 2  // no call: it has to be armed again

        let dimmer = Dimmer()
        dimmer.observe(\.$level, options: [.old, .new]) { dimmer, change in
            guard let old = change.oldValue, let new = change.newValue else { return }
            print("the dimmer went from", old, "to", new)
        }
        dimmer.level = 1  // prints: the dimmer went from 0 to 1
        dimmer.level = 2  // prints: the dimmer went from 1 to 2
        // end
        try output.expect("observation.calls")
    }

    @Test("one follows the other") func bridge() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: observation.bridge
        let lamp = Lamp()
        let dimmer = Dimmer()
        dimmer.$level.addObserver(lamp, options: [.initial, .new]) { lamp, change in
            lamp.level = change.newValue ?? lamp.level
        }
        dimmer.level = 70
        print(lamp.level)  // prints: 70
        // end
        try output.expect("observation.bridge")
    }

    @Test("a tracked object is seen by Observation") func view() throws {
        let output = Output()
        @Sendable func print(_ items: Any...) { output.add(items) }
        // snippet: observation.view
        let dimmer = Dimmer()
        withObservationTracking {
            print(dimmer.observable.text)
        } onChange: {
            print("the text is about to change")
        }
        // prints: 0 %
        dimmer.level = 50  // prints: the text is about to change
        // end
        try output.expect("observation.view")
    }

    @MainActor @Test("an observable object is the source") func source() async {
        // snippet: observation.source
        let lamp = Lamp()
        let dimmer = Dimmer()
        dimmer.observe(tracking: { lamp.level }, on: .mainActor) { dimmer, level in
            dimmer.level = level
        }
        // end
        lamp.level = 70
        while dimmer.level == 0 { await Task.yield() }
        #expect(dimmer.level == 70)
    }
}
