/// An observation that ends when this is released.
///
/// Keep it as long as the changes matter; the compiler warns when it is dropped at once.
public final class ScopedObservation: Sendable {
    /// The observation itself.
    public let observation: KeyValueObservation

    init(_ observation: KeyValueObservation) {
        self.observation = observation
    }

    deinit { observation.remove() }

    /// Whether changes are still delivered. See `KeyValueObservation.isValid`.
    public var isValid: Bool { observation.isValid }

    /// Ends the observation before the release does.
    public func remove() {
        observation.remove()
    }
}

extension KeyValueObservation {
    /// The same observation, ended when the result is released.
    public func scoped() -> ScopedObservation {
        ScopedObservation(self)
    }
}
