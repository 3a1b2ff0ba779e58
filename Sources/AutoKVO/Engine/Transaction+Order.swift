/// All observers are notified of changes in the order in which the changes are made: before a change, the deliveries under way of
/// the same subjects are completed.
extension Transaction {
    /// Completes the deliveries under way on this thread of subjects that a change of a property concerns, the outermost first.
    static func completeDeliveries(before record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>) {
        if thread.value.firstPending != nil { completePending(before: record, slot, thread) }
    }

    @inline(never)
    private static func completePending(before record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>) {
        var lists: [InPlace<ObserverList>] = []
        var routes: [Route] = []
        AffectedLists.forEach(from: record, slot) { _, list, _ in
            lists.append(list)
        } link: { link, _ in
            if link.observation != nil { routes.append(link.route) }
        }
        var cursor = thread.value.firstPending
        while let notification = cursor {
            cursor = notification.use {
                guard $0.isConcerned(lists, routes) else { return $0.nextPending }
                $0.complete(thread)
                // Handlers have changed the list of pending notifications; the completed ones are not in it any more.
                return thread.value.firstPending
            }
        }
    }
}

extension PendingNotification {
    /// Whether a change of these lists and of the values of these routes also changes its subject.
    func isConcerned(_ lists: [InPlace<ObserverList>], _ routes: [Route]) -> Bool {
        if let route {
            return route.use { route in
                routes.contains { $0 === route } || route.keyList.map { lists.contains($0) } ?? false
            }
        }
        if let observation {
            return observation.use { $0.record?.list(Int($0.slot)).map { lists.contains($0) } ?? false }
        }
        return lists.contains(list!)
    }
}
