import Synchronization

/// Where bindings that follow each other stop. Each binding has one.
final class BindingCircle: Sendable {
    /// The depth of the binding's recursion: two properties may follow each other and never have equal values.
    private let depth = Atomic<Int>(0)

    private static let maximumDepth = 64

    /// Sets a property to a new value, unless it has an equal one.
    ///
    /// - Parameter name: The property's, with its class.
    func set<Failure: Error>(
        _ new: Any?, insteadOf old: Any?, _ name: @autoclosure () -> String, _ store: () throws(Failure) -> Void
    ) throws(Failure) {
        if isEqual(old, new) { return }
        let outer = depth.wrappingAdd(1, ordering: .relaxed).oldValue
        defer { depth.wrappingSubtract(1, ordering: .relaxed) }
        // A value that does not equal itself, such as NaN, stops when it has passed round the circle once.
        if outer > 0, !isEqual(new, new) { return }
        if outer < Self.maximumDepth { return try store() }
        Diagnostics.report("\(name()) is bound in a circle in which no value becomes equal; it was left as it is")
    }
}

/// By `==` if the type has one, by identity for objects, and never otherwise; nil and the empty optional are equal.
private func isEqual(_ a: Any?, _ b: Any?) -> Bool {
    // The identity unwraps optionals.
    guard let a = BindingTransform.identity(a) else { return BindingTransform.identity(b) == nil }
    guard let b = BindingTransform.identity(b) else { return false }
    func equals<Value: Equatable>(_ a: Value) -> Bool { b as? Value == a }
    if let a = a as? any Equatable { return equals(a) }
    return type(of: a) is AnyClass && type(of: b) is AnyClass && a as AnyObject === b as AnyObject
}
