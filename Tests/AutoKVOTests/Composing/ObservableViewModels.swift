import AutoKVO
import AutoKVOTestSupport
import Observation

/// A computed property, and a stored one, that the schema does not declare.
final class Notebook: Person {
    var initials: String { "\(firstName.prefix(1))\(lastName.prefix(1))" }
    var first: String { firstName }
}

/// Calls a closure once when something that an expression reads is about to change.
func track<Value>(_ read: () -> Value, onChange: @escaping @Sendable () -> Void) -> Value {
    withObservationTracking(read, onChange: onChange)
}

/// Whether a change calls Observation for what an expression reads.
func isCalled<Value>(_ read: () -> Value, for change: () -> Void) -> Bool {
    let calls = Counter()
    _ = track(read) { calls.add() }
    change()
    precondition(calls.count <= 1, "A tracking is called once.")
    return calls.count == 1
}
