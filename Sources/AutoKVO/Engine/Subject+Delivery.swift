internal import CSwiftRuntime

/// Calling the observers of one subject.
///
/// Handlers are called without the list's lock: under the lock a frame pins a batch of observations, then it calls them, and under the
/// lock it unpins them and pins the next ones. A pinned observation that is taken out stays linked until the last frame unpins it, so
/// that the list can be gone through behind it. Handlers may change the list, on any thread:
///
/// - a removed observation is not called: its state is read right before the call;
/// - an added observation is not called: the delivery ends at the observation that was the last when the change began;
/// - a handler that never returns keeps the batch of its own frame pinned, and nothing else.
///
/// A handler may make a change of the same subject, which completes the delivery first: an inner frame calls what is left of the outer
/// frame's batch, which stays pinned, then what is behind it. The outer frame finds nobody left.
extension Subject {
    /// Observations that one frame has pinned; those from `index` on are to be called. Behind the last one the memory is not initialized.
    struct Batch {
        static var size: Int { 16 }
        var members: InlineArray<16, Borrowed<KeyValueObservation>>
        var count: Int
        var index: Int

        var last: Borrowed<KeyValueObservation> { members[count - 1] }
    }

    /// Calls the observers that have not been called yet.
    func deliver(_ thread: InPlace<ThreadContext>) {
        if isDropped, !event.isPrior { return leavePending(thread) }
        if route != nil { return deliverToPath(thread) }
        if isStarted, batch == nil { return }
        isStarted = true
        record!.use { record in
            // For an object that is dying no observer is called.
            guard let object = record.trackedObject else { return leavePending(thread) }
            run(record, slot, list!, thread)
            extendLifetime(object)
        }
    }

    /// The same from inside a handler, before another change of the subject.
    @inline(never)
    func complete(_ thread: InPlace<ThreadContext>) {
        if isWaiting {
            isWaiting = false
            makeEvent(isPrior: false)
            tellElsewhere(nil)
            deliver(thread)
            (isDropped, isOldTold) = (true, false)
            return
        }
        guard let continuation = continuation.take() else { return deliver(thread) }
        leavePending(thread)
        continuation()
    }

    private func deliverToPath(_ thread: InPlace<ThreadContext>) {
        leavePending(thread)
        if isStarted { return }
        isStarted = true
        var loop = HandlerLoop(thread, self)
        route!.use { loop.call($0) }
        loop.finish()
    }

    /// Pins and calls the observations of a list, batch by batch.
    ///
    /// - Parameter makeEvent: For a subject that has no event yet. Called after the lock was taken: made earlier, a lock that
    ///   several threads use would wait for the stores of the event (4 ns).
    @inline(__always)
    func run(
        _ record: ObjectRecord, _ slot: Int, _ list: InPlace<ObserverList>, _ thread: InPlace<ThreadContext>,
        _ makeEvent: () -> Void = {}
    ) {
        let outer = batch
        if let outer { callRest(of: outer, thread) }
        // Not a variable, which would be filled with zeros first.
        withUnsafeTemporaryAllocation(of: Batch.self, capacity: 1) {
            let own = InPlace($0.baseAddress!)
            if !pinFirstBatch(own, behind: outer, record, slot, list, thread, makeEvent) { return }
            batch = own
            var loop = HandlerLoop(thread, self)
            repeat {
                callBatch(own, &loop, thread)
                replaceBatch(own, record, list)
            } while own.value.count > 0
            batch = outer
            leavePending(thread)
            loop.finish()
        }
    }

    /// Pins the first batch of a frame. False if there is nobody to call. A function of its own, as its variables would be on the stack of
    /// the handlers.
    @inline(__always)
    private func pinFirstBatch(
        _ own: InPlace<Batch>, behind outer: InPlace<Batch>?, _ record: ObjectRecord, _ slot: Int,
        _ list: InPlace<ObserverList>, _ thread: InPlace<ThreadContext>, _ makeEvent: () -> Void
    ) -> Bool {
        record.lock.lock()
        if let outer {
            if cursor != nil { cursor = outer.value.last.use { $0.next } }
        } else {
            (cursor, end) = (list.value.first, min(upperBound, list.value.lastSequence))
        }
        pinBatch(own)
        record.lock.unlock()
        if own.value.count == 0 {
            leavePending(thread)
            return false
        }
        makeEvent()
        if !isPending, own.value.count > 1 || cursor != nil {
            if self.list == nil { setTopic(.to(record), slot, list) }
            thread.value.appendPending(self)
        }
        return true
    }

    @inline(never)
    private func callRest(of batch: InPlace<Batch>, _ thread: InPlace<ThreadContext>) {
        var loop = HandlerLoop(thread, self)
        callBatch(batch, &loop, thread)
        loop.finish()
    }

    /// Calls the observations of a batch that have not been called yet. A change that a handler makes may call some of them.
    @inline(__always)
    private func callBatch(_ batch: InPlace<Batch>, _ loop: inout HandlerLoop, _ thread: InPlace<ThreadContext>) {
        let count = batch.value.count
        while batch.value.index < count {
            let index = batch.value.index
            batch.value.index = index &+ 1
            if index &+ 1 == count, cursor == nil { leavePending(thread) }
            batch.value.members[unchecked: index].use { loop.call($0) }
        }
    }

    @inline(__always)
    private func leavePending(_ thread: InPlace<ThreadContext>) { if isPending { thread.value.removePending(self) } }

    /// Pins the next observations. Under the lock.
    @inline(__always)
    private func pinBatch(_ batch: InPlace<Batch>) {
        var count = 0
        var cursor = cursor
        let (start, length) = (lowerBound, end &- lowerBound)
        while let observation = cursor {
            observation.use {
                cursor = $0.next
                // One comparison for both bounds. The numbers need not be in the order of the list.
                guard $0.sequence &- start <= length, $0.isLinked else { return }
                $0.pinWord &+= 1
                batch.value.members[unchecked: count] = observation
                count &+= 1
            }
            if count == Batch.size { break }
        }
        // The processor fetches the next one while these are called.
        if let cursor { csr_prefetch(cursor.address) }
        self.cursor = cursor
        batch.value.count = count
        batch.value.index = 0
    }

    /// Unpins the batch, and pins the next one. Observations that were taken out while they were pinned are released.
    @inline(__always)
    private func replaceBatch(_ batch: InPlace<Batch>, _ record: ObjectRecord, _ list: InPlace<ObserverList>) {
        let count = batch.value.count
        record.lock.lock()
        // The next one may have been unlinked. The pinned ones are still linked.
        if cursor != nil { cursor = batch.value.last.use { $0.next } }
        var left: UInt32 = 0
        var index = 0
        repeat {
            left |= batch.value.members[unchecked: index].use {
                $0.pinWord &-= 1
                return $0.pinWord
            }
            index &+= 1
        } while index < count
        // Zero: the observation is linked, and no other frame pins it.
        let gone = left == 0 ? nil : list.value.unlinkUnpinned((0..<count).map { batch.value.members[$0] })
        pinBatch(batch)
        record.lock.unlock()
        if let gone { release(gone) }
    }

    /// Releases, without a lock, observations that were taken out while frames pinned them.
    @inline(never)
    private func release(_ observations: [Borrowed<KeyValueObservation>]) {
        TestPoint.lettingGo.reach()
        for observation in observations { observation.take().releaseHandlerIfEnded() }
    }
}

/// Which observations a change has called of those whose handlers ignore it: they are called once, by the first of their paths that
/// is called. That shows at the call: until then a path may be removed, its target die, or `.distinct` find its value unchanged.
///
/// The subjects of the change share it for the calls before the store, and another one for those after it. Neither the
/// observation nor a subject could know it: a handler may make another change, or complete the delivery of this one.
final class CallsOfChange {
    private let subjects: [Borrowed<Subject>]
    var called: Set<KeyValueObservation> = []
    /// The calls that wait at a scheduler: one is for all paths of its observation to which the change comes.
    var waiting: [KeyValueObservation: PathsOfCall] = [:]

    /// The change has come to another path of an observation that has been called. False if that call has been dropped.
    func add(_ route: Route, of observation: KeyValueObservation) -> Bool { waiting[observation]?.add(route) ?? true }

    init(_ subjects: [Borrowed<Subject>] = []) { self.subjects = subjects }

    /// Whether one of the change's subjects has a token: then the change made the prior call that has it.
    func isOf(_ token: UInt) -> Bool { subjects.contains { $0.object.event.token == token } }
}

/// The paths to which a change has come besides the first one, for a call that waits at a scheduler.
final class PathsOfCall: Sendable {
    private let state = Guarded((paths: [Route](), isDropped: false))

    /// False if the call has been dropped.
    fileprivate func add(_ route: Route) -> Bool {
        state.withLock {
            $0.paths.append(route)
            return !$0.isDropped
        }
    }

    /// Whether a condition is true of one of the paths. Else the call is dropped.
    func contains(where condition: (Route) -> Bool) -> Bool {
        var count = 0
        while true {
            let added = state.withLock {
                $0.isDropped = $0.paths.count == count
                return $0.paths[count...]
            }
            if added.isEmpty { return false }
            if added.contains(where: condition) { return true }
            count += added.count
        }
    }

    /// The call is not made any more.
    func drop() { state.withLock { $0.isDropped = true } }
}
