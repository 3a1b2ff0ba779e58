/// The observers of a subject are notified of its changes in the order in which these are made: before a change, the deliveries under
/// way of the same subjects are completed.
extension Transaction {
    /// Completes the deliveries under way on this thread of subjects that a change of a property concerns, the outermost first.
    static func completeDeliveries(before record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>) {
        if thread.value.firstPending == nil { return }
        complete(deliveriesUnderWay(of: record, slot, thread), thread)
    }

    /// The deliveries under way that such a change comes after. Each belongs to a caller of this function's caller, so it stays.
    @inline(never)
    static func deliveriesUnderWay(
        of record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>
    ) -> [Borrowed<Subject>] {
        if thread.value.firstPending == nil { return [] }
        var topics: Set<Subject.Identity> = []
        AffectedLists.forEach(from: record, slot) { _, list, _ in
            topics.insert(list.address)
        } link: { link, _ in
            if link.observation != nil { topics.insert(link.unmanagedRoute.rawAddress) }
        }
        if !thread.value.mayBePending(topics) { return [] }
        return thread.value.pending.filter { $0.use { $0.isConcerned(topics) } }
    }

    /// Completes deliveries unless a handler of one before has made a change that did.
    static func complete(_ deliveries: [Borrowed<Subject>], _ thread: InPlace<ThreadContext>) {
        for delivery in deliveries { delivery.use { if $0.isPending { $0.complete(thread) } } }
    }
}

extension Subject {
    /// What it is the subject of, by address: a list, or a route and, if that is of one key, the key's list.
    var topics: (Identity, Identity?) { (identity, route?.object.keyList?.address) }

    /// Whether a change of these lists and of the values of these routes also changes its subject.
    func isConcerned(_ changed: Set<Identity>) -> Bool {
        let (topic, keyList) = topics
        return changed.contains(topic) || keyList.map(changed.contains) ?? false
    }
}
