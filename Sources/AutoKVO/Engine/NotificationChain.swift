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
