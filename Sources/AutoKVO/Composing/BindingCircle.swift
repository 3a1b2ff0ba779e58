import Synchronization

/// Where bindings that follow each other stop. Each binding has one.
final class BindingCircle: Sendable {
    /// The depth of the binding's recursion: two properties may follow each other and never have equal values.
    private let depth = Atomic<Int>(0)

    private static let maximumDepth = 64

    /// Sets a property to a new value, unless it has an equal one.
    ///
    /// - Parameter name: The property's, with its class.
    func set<Value>(
        _ new: Value, insteadOf old: Value, by areEqual: (Value, Value) -> Bool, _ name: @autoclosure () -> String,
        _ store: () -> Void
    ) {
        if areEqual(old, new) { return }
        let outer = depth.wrappingAdd(1, ordering: .relaxed).oldValue
        defer { depth.wrappingSubtract(1, ordering: .relaxed) }
        // A value that does not equal itself, such as NaN, stops when it has passed round the circle once.
        if outer > 0, !areEqual(new, new) { return }
        if outer < Self.maximumDepth { return store() }
        Diagnostics.report("\(name()) is bound in a circle in which no value becomes equal; it was left as it is")
    }
}
