public import AutoKVO
public import Foundation

extension NotificationCenter {
    /// Calls a handler for each notification of a name, as long as the observer lives.
    ///
    /// - Parameters:
    ///   - observer: Any object. It is not kept alive, but is while the handler runs. If it is a `TrackedObject`, the
    ///     registration ends inside its `deinit`; the death of any other object is noticed at the next notification.
    ///   - name: The notifications; nil for all.
    ///   - object: The sender, if only its notifications are wanted. It is not kept alive.
    ///   - handler: Called on the thread that posts. It gets the observer, so that it need not capture it.
    /// - Returns: The registration. It need not be kept.
    @discardableResult
    public func addObserver<Observer: AnyObject>(
        _ observer: Observer, named name: Notification.Name?, object: AnyObject? = nil,
        _ handler: @escaping (Observer, Notification) -> Void
    ) -> NotificationObservation {
        let reference = PinnedReference(observer)
        let observation = NotificationObservation(self) { reference.object == nil }
        observation.start(name: name, object: object) { note in
            if let observer = reference.object { handler(observer, note) }
        }
        observation.end(with: observer)
        return observation
    }

    /// Calls a handler for each notification of a name, as long as the result is kept.
    ///
    /// - Parameters:
    ///   - name: The notifications; nil for all.
    ///   - object: The sender, if only its notifications are wanted. It is not kept alive.
    ///   - handler: Called on the thread that posts.
    public func onNotification(
        _ name: Notification.Name?, object: AnyObject? = nil, _ handler: @escaping (Notification) -> Void
    ) -> ScopedNotificationObservation {
        let observation = NotificationObservation(self) { false }
        observation.start(name: name, object: object, handler)
        return observation.scoped()
    }
}

extension KeyValueObserver {
    /// Calls a handler for each notification of a name, as long as this object lives:
    /// `panel.observeNotification(named: .didReload) { panel, note in … }`.
    ///
    /// See `NotificationCenter.addObserver(_:named:object:_:)`.
    @discardableResult
    public func observeNotification(
        named name: Notification.Name?, object: AnyObject? = nil, center: NotificationCenter = .default,
        _ handler: @escaping (Self, Notification) -> Void
    ) -> NotificationObservation {
        center.addObserver(self, named: name, object: object, handler)
    }
}
