import Synchronization

/// What observers are told while a change is open elsewhere: on another thread, or by a task that waits. That change is from there on.
///
///     thread 1                                      thread 2
///     begins a change of p.a, while p.sum is 0
///                                                   p.b = 1: tells that p.sum is 2
///     p.a = -1, and ends its change: p.sum is 0,
///     as before it, but has changed from 2
///
/// So the subjects of a change inside of which user code runs are counted in the list of their key, or in the route of their path, until they
/// are told. (Another change is over before its thread can let a second one go on.)
struct ToldElsewhere {
    /// Counts what has been told while a subject of the topic was open.
    let number: Int
    let value: Any?
    /// How often an expression had changed then.
    let changes: Int
}

extension Subject {
    /// The record that has the topic.
    private var root: ObjectRecord { route?.use { $0.base } ?? record!.object }

    /// Adds to the number of open subjects of the topic that all threads know.
    private func addOpen(_ one: Int32) -> Int32 {
        route?.use { $0.openSubjects.wrappingAdd(one, ordering: .relaxed).newValue }
            ?? list!.value.openSubjects.wrappingAdd(one, ordering: .relaxed).newValue
    }

    /// Lets all threads know that a change is open.
    func beginTopic() {
        if toldBefore != nil { return }
        let root = root
        toldBefore = root.lock.withLock { addOpen(1) > 1 ? root.guarded.details?.told[identity]?.number ?? 0 : 0 }
    }

    /// The change ends. What was told since it began is the old value.
    ///
    /// - Returns: What is to be released.
    func endTopic() -> [Any?] {
        guard let before = toldBefore.take() else { return [] }
        let root = root
        let told: ToldElsewhere? = root.lock.withLock {
            let isLast = addOpen(-1) == 0
            guard let details = root.guarded.details, !details.told.isEmpty else { return nil }
            return isLast ? details.told.removeValue(forKey: identity) : details.told[identity]
        }
        return told.map { [$0.value, $0.number > before ? replaceOld($0.value, $0.changes) : nil] } ?? []
    }

    /// Observers are about to be told the value. Where none asks for new values, none has been read.
    @inline(__always)
    func tellElsewhere(_ thread: InPlace<ThreadContext>) {
        let open = route?.use { $0.openSubjects.load(ordering: .relaxed) }
        if open ?? list!.value.openSubjects.load(ordering: .relaxed) > 0 { leaveValue(thread) }
    }

    @inline(never)
    private func leaveValue(_ thread: InPlace<ThreadContext>) {
        if isDropped || !wantsNew || event.isUnchanged || thread.isHeld(identity) { return }
        let value = edit == nil ? event.newValue?.box() : readWhole()
        let changes = expression?.changes.all ?? 0
        let root = root
        let former: ToldElsewhere? = root.lock.withLock {
            if addOpen(0) == 0 { return nil }
            let details = root.guarded.makeDetails()
            let number = 1 + (details.told[identity]?.number ?? 0)
            let new = ToldElsewhere(number: number, value: value, changes: changes)
            return details.told.updateValue(new, forKey: identity)
        }
        withExtendedLifetime(former) {}
    }
}

extension Transaction {
    /// The same for the subjects that no other change has open.
    @inline(never)
    func endTopics() -> [Any?] { subjects.map(\.object).flatMap { $0.openCount == 0 ? $0.endTopic() : [] } }
}
