import AutoKVO
import Testing

/// Counts the instances it handed out that are still alive.
///
///     let tracker = LifetimeTracker()
///     do {
///         let person = tracker.track(Person())
///         …
///     }
///     tracker.expectNoLeaks()
///
/// Each test has its own, so tests may run side by side. Any thread may use it.
public final class LifetimeTracker: Sendable {
    private let count = Guarded(0)

    public init() {}

    public var liveCount: Int { count.withLock { $0 } }

    /// A token: alive as long as whatever keeps it, be it a closure's captures or an object's property.
    public func token() -> LifetimeToken {
        count.withLock { $0 += 1 }
        return LifetimeToken(self)
    }

    /// Gives a model object a token, which goes with the object's stored properties.
    public func track<Object: Model>(_ object: Object) -> Object {
        object.lifetime = token()
        return object
    }

    fileprivate func tokenDidDie() { count.withLock { $0 -= 1 } }

    /// Records an issue if anything that was handed out is alive.
    public func expectNoLeaks(_ sourceLocation: SourceLocation = #_sourceLocation) {
        let live = liveCount
        if live != 0 { Issue.record("\(live) tracked instances are still alive", sourceLocation: sourceLocation) }
    }
}

/// See `LifetimeTracker.token()`.
public final class LifetimeToken: Sendable {
    private let tracker: LifetimeTracker

    fileprivate init(_ tracker: LifetimeTracker) { self.tracker = tracker }

    deinit { tracker.tokenDidDie() }

    /// Does nothing: a closure that calls it has captured the token.
    public func touch() {}
}
