internal import CDeallocHook

/// A closure that runs at an object's death, registered with `onDeinit`.
///
/// A value of two words; dropping it changes nothing. It may be used from any thread, also when the object is dead.
public struct DeinitAction: Hashable, Sendable {
    private let address: UInt
    /// Identifies the closure among all closures of all objects, also of a later object at the same address. Zero: none.
    fileprivate var token: UInt64 = 0

    /// Registers a closure for the teardown of an object that has a record. No effect if the object's deinit has begun.
    init(_ object: Borrowed<TrackedObject>, _ action: @escaping () -> Void) {
        address = object.bitPattern
        if object.isDeinitializing { return }
        let box = Borrowed.retaining(ActionBox(action))
        let result = cdh_on_teardown(
            object.rawAddress, { _, context in Recording.suspended(Borrowed<ActionBox>.at(context!).object.action) },
            box.address, { context in Borrowed<ActionBox>.at(context!).release() }, &token)
        requireUsage(result != CDH_NO_MEMORY, "AutoKVO could not get memory for the code left for an object's death.")
        if result != CDH_OK { box.release() }
    }

    /// Cancels the action and releases its closure.
    ///
    /// - Returns: Whether it was still to run; false if it ran, is running, or was cancelled before.
    /// - Complexity: O(*n*) for *n* actions of the object.
    @discardableResult public func cancel() -> Bool {
        guard let object = Borrowed<TrackedObject>(bitPattern: address) else { return false }
        return cdh_cancel(object.rawAddress, token)
    }
}

extension TrackedObject {
    /// Registers a closure that runs at this object's death.
    ///
    /// It runs inside the object's `deinit`: after the bodies of its subclasses' own, after the observations it takes
    /// part in have ended, and before any stored property is destroyed, on the thread that released the object last.
    /// Any number of actions may be registered; they run in that order. The closure must not use a reference to the
    /// object, which cannot be retained any more; capture what it needs. It is released as soon as it has run.
    ///
    /// Any thread that holds the object may call it. On an object whose deinit has begun nothing is registered: that is
    /// reported to `Diagnostics`, and the result cancels nothing.
    ///
    /// - Returns: A handle that cancels the action. It need not be kept.
    /// - Complexity: O(1).
    @discardableResult public func onDeinit(_ action: @escaping () -> Void) -> DeinitAction {
        // With a record the object's deinit runs its teardown.
        _ = orTrap(try makeRecord())
        let registered = DeinitAction(.to(self), action)
        if registered.token == 0 {
            Diagnostics.report(
                "Code was left for the death of \(describeObject(self)), which is being deinitialized: it will not run")
        }
        return registered
    }
}

private final class ActionBox {
    let action: () -> Void

    init(_ action: @escaping () -> Void) { self.action = action }
}
