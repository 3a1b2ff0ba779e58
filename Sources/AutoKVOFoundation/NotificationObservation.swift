import AutoKVO
import Foundation

/// A registration for named notifications that ends when it is removed, or with its observer.
///
/// It may be used from any thread. Dropping it changes nothing.
public final class NotificationObservation: @unchecked Sendable {
    // `state` is guarded by `lock`; the rest is constant.

    private struct State {
        /// The center's token for the registration, until it is removed: opaque, and used only for that, which any thread may do.
        var token: (any NSObjectProtocol)?
        var isEnded = false
        /// What runs the removal at the death of a tracked observer.
        var deinitAction: DeinitAction?
    }

    private var state = State()
    private let lock = NSLock()
    /// Weak, since the center owns the block that refers to this: otherwise a center that the program made could not die
    /// before an observer's death is noticed.
    private weak let center: NotificationCenter?
    private let isObserverDead: @Sendable () -> Bool

    init(_ center: NotificationCenter, isObserverDead: @escaping @Sendable () -> Bool) {
        self.center = center
        self.isObserverDead = isObserverDead
    }

    /// Whether notifications are still delivered.
    ///
    /// An observer that is not a `TrackedObject` has no hook: its death is noticed here or at the next notification. The center's death is
    /// noticed here.
    public var isValid: Bool {
        if lock.withLock({ state.isEnded }) { return false }
        if center != nil, !isObserverDead() { return true }
        remove()
        return false
    }

    /// Ends the registration. No call of its handler starts after this has returned; one that is running on another
    /// thread may finish. Calling it again is harmless.
    public func remove() {
        let (token, action) = lock.withLock {
            defer {
                state.token = nil
                state.deinitAction = nil
                state.isEnded = true
            }
            return (state.token, state.deinitAction)
        }
        if let token { center?.removeObserver(token) }
        action?.cancel()
    }

    /// Registers with the center.
    ///
    /// - Parameter call: Makes the call, unless the observer is dead.
    func start(name: Notification.Name?, object: AnyObject?, _ call: @escaping (Notification) -> Void) {
        // Compared when a notification is posted: the center would keep the object alive if it had it.
        let sender = object.map { PinnedReference($0) }
        guard let center else { return }
        nonisolated(unsafe) let call = call
        let token = center.addObserver(forName: name, object: nil, queue: nil) { note in
            if let sender {
                // The cast finds the object in layers of Optional, too. Of another value it makes an object that is nobody's sender.
                guard let object = note.object, sender.isReference(to: object as AnyObject) else {
                    if self.isObserverDead() { self.remove() }
                    return
                }
            }
            if self.lock.withLock({ self.state.isEnded }) { return }
            call(note)
            if self.isObserverDead() { self.remove() }
        }
        let isEnded = lock.withLock {
            if !state.isEnded { state.token = token }
            return state.isEnded
        }
        if isEnded { center.removeObserver(token) }
    }

    /// Ends the registration inside the observer's deinit, if that has a hook.
    func end(with observer: AnyObject) {
        guard let tracked = observer as? TrackedObject else { return }
        let action = tracked.onDeinit { self.remove() }
        let isEnded = lock.withLock {
            state.deinitAction = state.isEnded ? nil : action
            return state.isEnded
        }
        if isEnded { action.cancel() }
    }

    /// The same registration, ended when the result is released.
    public func scoped() -> ScopedNotificationObservation {
        ScopedNotificationObservation(self)
    }
}

/// A registration for named notifications that ends when this is released.
public final class ScopedNotificationObservation: Sendable {
    /// The registration itself.
    public let observation: NotificationObservation

    init(_ observation: NotificationObservation) {
        self.observation = observation
    }

    deinit {
        observation.remove()
    }

    /// Whether notifications are still delivered. See `NotificationObservation.isValid`.
    public var isValid: Bool { observation.isValid }

    /// Ends the registration before the release does.
    public func remove() {
        observation.remove()
    }
}
