// A tracked object is not Hashable by itself: its subclasses may mean something else by equality. One that says Hashable
// and no more is equal to nothing but itself.

extension Equatable where Self: TrackedObject {
    /// Whether both are the same object.
    public static func == (a: Self, b: Self) -> Bool { a === b }
}

extension Hashable where Self: TrackedObject {
    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
