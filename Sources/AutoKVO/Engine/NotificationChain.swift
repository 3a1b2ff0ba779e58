/// Which observations a change has called of those whose handlers ignore it: they are called once, by the first of their paths that
/// is called. That shows at the call: until then a path may be removed, its target die, or `.distinct` find its value unchanged.
///
/// The notifications of the change share it for the calls before the store, and another one for those after it. Neither the
/// observation nor a notification could know it: a handler may make another change, or complete the delivery of this one.
final class CallsOfChange {
    /// The chain of the change, which is not changed as long as its handlers are called.
    private let chain: NotificationChain
    private var called: Set<KeyValueObservation> = []

    init(_ chain: NotificationChain) { self.chain = chain }

    func contains(_ observation: KeyValueObservation) -> Bool { called.contains(observation) }

    func insert(_ observation: KeyValueObservation) { called.insert(observation) }

    /// Whether one of the change's notifications has a token: then the change made the prior call that has it.
    func isOf(_ token: UInt) -> Bool { chain.first { $0.event.token == token } != nil }
}

/// The notifications of one change, in the order in which their observers are called.
struct NotificationChain {
    private(set) var first: Borrowed<PendingNotification>?
    private(set) var last: Borrowed<PendingNotification>?

    var isSingle: Bool { first == last }

    mutating func append(_ notification: Borrowed<PendingNotification>) {
        notification.use { $0.next = nil }
        if let last { last.use { $0.next = notification } } else { first = notification }
        last = notification
    }

    /// Lets the notifications of paths whose handlers ignore the change know of each other's calls.
    @inline(__always)
    func rememberCalls() {
        var calls: CallsOfChange?
        forEach {
            guard let route = $0.route, route.use({ $0.ignoresChange }) else { return }
            if calls == nil { calls = CallsOfChange(self) }
            $0.calls = calls
        }
    }

    /// Calls a function with each notification. It may append to the chain.
    @inline(__always)
    func forEach(_ body: (PendingNotification) -> Void) {
        var cursor = first
        while let notification = cursor {
            notification.use {
                body($0)
                cursor = $0.next
            }
        }
    }

    /// Calls a function with each notification. It may append the notification to another chain.
    func forEachRemoving(_ body: (Borrowed<PendingNotification>) -> Void) {
        var cursor = first
        while let notification = cursor {
            cursor = notification.use { $0.next }
            body(notification)
        }
    }

    @inline(__always)
    func first(where condition: (PendingNotification) -> Bool) -> Borrowed<PendingNotification>? {
        var cursor = first
        while let notification = cursor, !notification.use(condition) {
            cursor = notification.use { $0.next }
        }
        return cursor
    }
}
