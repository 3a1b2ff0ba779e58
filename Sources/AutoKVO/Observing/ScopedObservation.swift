/// An observation that ends when this is released.
///
/// Keep it as long as the changes are needed; the compiler warns if the result of `onChange` is not used. It may be released on any
/// thread.
public final class ScopedObservation: Sendable, Hashable {
    /// The observation itself.
    public let observation: KeyValueObservation

    init(_ observation: KeyValueObservation) { self.observation = observation }

    deinit { observation.remove() }

    /// Whether changes are still delivered. See `KeyValueObservation.isValid`.
    @export(implementation) public var isValid: Bool { observation.isValid }

    /// Ends the observation before this is released.
    ///
    /// - Complexity: As for `KeyValueObservation.remove()`.
    @export(implementation) public func remove() { observation.remove() }

    /// Keeps it in an array, with which it ends: `try person.onChange("age") { … }.store(in: &tokens)`.
    @export(implementation) public func store(in collection: inout some RangeReplaceableCollection<ScopedObservation>) {
        collection.append(self)
    }

    /// Keeps it in a set, with which it ends.
    @export(implementation) public func store(in set: inout Set<ScopedObservation>) { set.insert(self) }

    /// Each is equal only to itself.
    @export(implementation) public static func == (a: ScopedObservation, b: ScopedObservation) -> Bool { a === b }
    @export(implementation) public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension KeyValueObservation {
    /// The same observation, ended when the result is released.
    ///
    /// The death of an observer that is not a `TrackedObject` is noticed at the next change, or when `isValid` is read: until then the
    /// observation keeps its handler, and what that captures. An observer that keeps its observations in tokens ends them as it dies:
    ///
    ///     person.$age.addObserver(self) { panel, change in … }.scoped().store(in: &tokens)
    public func scoped() -> ScopedObservation { ScopedObservation(self) }
}
