// snippet: errors.import
import AutoKVO
// end
import Testing

/// The code of `Errors-and-Diagnostics.md`.
struct ErrorsTests {
    // snippet: errors.model
    class Valve: TrackedObject {
        @Observed var opening = 0
        @Observed var label = "main"
        @Observed var next: Valve?

        override class var schema: Schema {
            Schema(Valve.self, extending: super.schema) {
                Key("opening", \.opening) { _, opening in
                    if !(0...100).contains(opening) { throw KeyValueError(.invalidValue("0 to 100 percent")) }
                }
                Key("label", \.label)
            }
        }
    }
    // end

    @Test("distinguish errors") func reasons() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: errors.reasons
        func set(_ value: Any?, _ path: String, of valve: Valve) {
            do {
                try valve.setValue(value, forKeyPath: path)
            } catch {
                switch error.reason {
                case .unknownKey(let nearest): print("no such key;", nearest ?? "nothing", "is similar")
                case .noObject: print(error.key, "is nil")
                case .wrongType(let expected, let actual): print(expected, "expected,", actual, "given")
                default: print(error)
                }
            }
        }
        let valve = Valve()
        set(7, "openin", of: valve)  // prints: no such key; opening is similar
        set(7, "next.opening", of: valve)  // prints: next is nil
        set("wide", "opening", of: valve)  // prints: Int expected, String given
        set(valve, "next", of: valve)
        // prints: read-only key "next": write Key("next", \.next) in the schema of Valve to let it be set by name
        // end
        try output.expect("errors.reasons")
    }

    @Test("an error for each entry") func entries() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: errors.entries
        do {
            try Valve().setValues(["opening": 120, "label": 5, "colour": "red"], validating: true)
        } catch {
            print(error.errors.count, "entries are wrong")
            for entry in error.errors { print(entry) }
        }
        // prints: 3 entries are wrong
        // prints: unknown key "colour": Valve has no key "colour"
        // prints: wrong type for "label": Valve.label holds String, not Int
        // prints: invalid value for "opening": 0 to 100 percent
        // end
        try output.expect("errors.entries")
    }

    @Test("check a schema") func schema() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: errors.schema
        class Pump: TrackedObject {
            @Observed var speed = 0
            var isRunning: Bool { speed > 0 }

            override class var schema: Schema {
                Schema(Pump.self, extending: super.schema) { Key("isRunning", \.isRunning, affectedBy: "sped") }
            }
        }
        do {
            try Pump.validateSchema()
        } catch {
            print(error)
        }
        // prints: the schema of Pump is faulty at key "isRunning": it is affected by "sped", which is unknown, did you mean "speed"?
        // end
        try output.expect("errors.schema")
    }

    @Test("receive diagnostics") func diagnostics() throws {
        let output = Output()
        @Sendable func print(_ items: Any...) { output.add(items) }
        // snippet: errors.diagnostics
        Diagnostics.withHandler({ message in print(message.contains("without its willChangeValue")) }) {
            Valve().didChangeValue(forKey: "opening")  // prints: true
        }
        // end
        try output.expect("errors.diagnostics")
    }

    @Test("describe an observation") func description() throws {
        // snippet: errors.description
        let valve = Valve()
        try valve.observe("opening", options: .new) { _ in }
        for observation in valve.observations() { debugPrint(observation) }
        // end
        let text = valve.observations().map(\.debugDescription).joined()
        let pattern =
            #/<KeyValueObservation of "opening" on Valve\(0x[0-9a-f]+\) by no observer, options \[\.new\], valid, registered at .*:\d+>/#
        #expect(text.wholeMatch(of: pattern) != nil, "\(text)")
    }

    @Test("trace an object") func trace() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: errors.trace
        let valve = Valve()
        let site = try valve.observe("opening") { _ in }.registrationSite
        let trace = Diagnostics.trace(valve) { change in
            print(change.key, change.oldValue ?? "-", "to", change.newValue ?? "-")
            for call in change.calls { print(call.registeredAt == site, call.duration < .seconds(1)) }
        }
        valve.opening = 5
        // prints: opening 0 to 5
        // prints: true true
        valve.label = "side"  // prints: label main to side
        trace.remove()
        valve.opening = 6  // not reported: the trace has ended
        // end
        try output.expect("errors.trace")
    }

    @Test("draw the observations") func graph() throws {
        let output = Output()
        func print(_ items: Any...) { output.add(items) }
        // snippet: errors.graph
        final class Gauge: TrackedObject {}
        let (valve, gauge) = (Valve(), Gauge())
        try gauge.observe(["opening", "next.opening"], of: valve) { _, _ in }
        let graph = Diagnostics.graph()
        let address = UInt(bitPattern: ObjectIdentifier(gauge))
        for edge in graph.observations where edge.observer == address {
            print(edge.targets.count, "target,", edge.keyPaths)  // prints: 1 target, ["opening", "next.opening"]
        }
        print(graph.mermaid.hasPrefix("flowchart LR"))  // prints: true
        // end
        try output.expect("errors.graph")
    }
}
