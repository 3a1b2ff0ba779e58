import AutoKVO
import AutoKVOTestSupport
import Observation
import Testing

/// A computed property, and a stored one, that the schema does not declare.
final class Notebook: Person {
    var initials: String { "\(firstName.prefix(1))\(lastName.prefix(1))" }
    var first: String { firstName }
}

/// A class with a hidden key and no other declared one.
final class Safe: TrackedObject {
    @Observed var code = 0
    @Observed var label = "none"
    @ObservedReadOnly private(set) var owner: Person?

    func give(to person: Person?) { owner = person }

    override class var schema: Schema {
        Schema(Safe.self, extending: super.schema) { Hidden("code") }
    }
}

/// Calls a closure once when something that an expression reads is about to change.
func track<Value>(_ read: () -> Value, onChange: @escaping @Sendable () -> Void) -> Value {
    withObservationTracking(read, onChange: onChange)
}

/// Expects that a change calls Observation for what an expression reads.
func expectCall<Value>(
    _ read: @autoclosure () -> Value, isExpected: Bool = true, sourceLocation: SourceLocation = #_sourceLocation,
    _ change: () -> Void
) {
    let calls = Counter()
    _ = track(read) { calls.add() }
    change()
    #expect(calls.count == (isExpected ? 1 : 0), sourceLocation: sourceLocation)
}

/// Expects that a change does not call Observation for what an expression reads.
func expectNoCall<Value>(
    _ read: @autoclosure () -> Value, sourceLocation: SourceLocation = #_sourceLocation, _ change: () -> Void
) {
    expectCall(read(), isExpected: false, sourceLocation: sourceLocation, change)
}
