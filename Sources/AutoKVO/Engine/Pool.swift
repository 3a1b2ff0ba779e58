/// The base class of what a thread keeps for its next change.
@usableFromInline class PooledObject {
    /// The next one in the pool.
    @exclusivity(unchecked) final var nextSpare: Borrowed<PooledObject>?
}

/// Objects for the next use, at most `ThreadContext.poolLimit`, each retained.
struct Pool<Object: PooledObject> {
    private var first: Borrowed<PooledObject>?
    private(set) var count = 0

    @inline(__always)
    mutating func take() -> Borrowed<Object>? {
        guard let object = first else { return nil }
        first = object.use { $0.nextSpare }
        count &-= 1
        return .at(object.rawAddress)
    }

    /// Puts an object into the pool, or releases it. Nothing else refers to it.
    @inline(__always)
    mutating func giveBack(_ object: Borrowed<Object>) {
        if count == ThreadContext.poolLimit { return object.release() }
        object.use { $0.nextSpare = first }
        first = .at(object.rawAddress)
        count &+= 1
    }

    mutating func releaseAll() { while let object = take() { object.release() } }
}
