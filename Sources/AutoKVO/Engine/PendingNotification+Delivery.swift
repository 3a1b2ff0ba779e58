internal import CSwiftRuntime

/// Calling the observers of one subject.
///
/// A list is traversed without its lock: under the lock the next batch of observations is pinned, and the batch before is unpinned;
/// then they are called. An observation that is taken out meanwhile stays linked until the last traversal unpins it, so that the
/// traversal can go on behind it. What a handler does to the list, on any thread, is respected:
///
/// - a removed observation is not called: each is asked again right before its call;
/// - a new one is not called: the traversal ends at what was the last when the change began;
/// - a handler that never returns keeps back the batch that its own traversal has pinned, and nothing else.
extension PendingNotification {
    /// Calls whoever has not been called yet.
    func deliver(_ thread: InPlace<ThreadContext>) {
        if observation == nil, route == nil { return deliverToList(thread) }
        thread.value.removePending(self)
        if isStarted { return }
        isStarted = true
        callSingle(thread)
    }

    private func callSingle(_ thread: InPlace<ThreadContext>) {
        var loop = HandlerLoop(thread, event)
        if let observation {
            observation.use { observation in
                if let route { route.use { loop.call($0) } } else { loop.callDirectly(observation) }
            }
        } else {
            route!.use { loop.call($0) }
        }
        loop.finish()
    }

    private func deliverToList(_ thread: InPlace<ThreadContext>) {
        if isStarted { return }
        isStarted = true
        record!.use { record in
            if !ownsSubject { return traverse(record, list!, thread, event) }
            // Nothing is left to be called for an object that dies.
            guard let object = record.trackedObject else { return finishPending(thread) }
            traverse(record, list!, thread, event)
            withExtendedLifetime(object) {}
        }
    }

    /// Pins and calls the observations of a list, batch by batch, with an event that is made after the lock was taken, which, if it is
    /// shared, would otherwise wait until all of the event is written (4 ns).
    ///
    /// - Parameter predecessor: The observation behind which to begin, which another traversal has pinned; the whole list if nil.
    @inline(__always)
    func traverse(
        _ record: ObjectRecord, _ list: InPlace<ObserverList>, behind predecessor: Borrowed<KeyValueObservation>? = nil,
        _ thread: InPlace<ThreadContext>, _ event: @autoclosure () -> ChangeEvent
    ) {
        let hold = record.lock.lock()
        if let predecessor {
            cursor = predecessor.use { $0.next }
        } else {
            cursor = list.value.first
            end = list.value.lastSequence
        }
        pinNextBatch()
        record.lock.unlock(hold)
        if batchCount == 0 { return finishPending(thread) }
        let event = event()
        if !isPending, !event.isPrior, batchCount > 1 || cursor != nil {
            waitAs(event, record, list)
            thread.value.appendPending(self)
        }
        var loop = HandlerLoop(thread)
        loop.begin(event)
        repeat {
            callBatch(&loop, thread)
            let gone = replaceBatch(record, list)
            if let gone { release(gone) }
        } while batchCount > 0
        finishPending(thread)
        loop.finish()
    }

    /// Notes what `complete` needs.
    @inline(__always)
    private func waitAs(_ event: ChangeEvent, _ record: ObjectRecord, _ list: InPlace<ObserverList>) {
        self.event = event
        isStarted = true
        if self.list == nil { setSubject(.to(record), 0, list, isHeld: true) }
    }

    /// Calls the observations of the batch that are not called yet. A handler's nested change may call some of them.
    @inline(__always)
    private func callBatch(_ loop: inout HandlerLoop, _ thread: InPlace<ThreadContext>) {
        // The batch is replaced by the traversal that pinned it only.
        let count = batchCount
        while batchIndex < count {
            let index = batchIndex
            batchIndex = index &+ 1
            if index &+ 1 == count, cursor == nil { finishPending(thread) }
            batch[unchecked: index].unsafelyUnwrapped.use { loop.call($0) }
        }
    }

    @inline(__always)
    private func finishPending(_ thread: InPlace<ThreadContext>) {
        if isPending { thread.value.removePending(self) }
    }

    /// Pins the next batch of observations. Under the lock.
    @inline(__always)
    private func pinNextBatch() {
        var count = 0
        var cursor = cursor
        let (end, skipped) = (min(bound, end), skipped)
        while let observation = cursor {
            observation.use {
                guard $0.sequence <= end else {
                    cursor = nil
                    return
                }
                cursor = $0.next
                guard $0.isLinked, $0.flags.isDisjoint(with: skipped) else { return }
                $0.pinWord &+= 1
                batch[count] = observation
                count &+= 1
            }
            if count == Self.batchSize { break }
        }
        // The next one is fetched from memory while these are called.
        if let cursor { csr_prefetch(cursor.address) }
        self.cursor = cursor
        batchCount = count
        batchIndex = 0
    }

    /// Unpins the batch, and pins the next one.
    ///
    /// - Returns: The observations that left the list while they were pinned. The list's ownership of them goes to the caller.
    @inline(__always)
    private func replaceBatch(
        _ record: ObjectRecord, _ list: InPlace<ObserverList>
    ) -> [Borrowed<KeyValueObservation>]? {
        let count = batchCount
        let hold = record.lock.lock()
        // What was next may have left meanwhile. What is pinned is still in its place.
        if cursor != nil { cursor = batch[count &- 1].unsafelyUnwrapped.use { $0.next } }
        var left: UInt32 = 0
        var index = 0
        repeat {
            left |= batch[index].unsafelyUnwrapped.use {
                $0.pinWord &-= 1
                return $0.pinWord
            }
            index &+= 1
        } while index < count
        // Zero is an observation that is linked and that nobody else pins.
        let gone = left == 0 ? nil : list.value.unlinkUnpinned((0..<count).map { batch[$0].unsafelyUnwrapped })
        if cursor == nil { batchCount = 0 } else { pinNextBatch() }
        record.lock.unlock(hold)
        return gone
    }

    /// Releases, without a lock, observations that left their list while traversals pinned them.
    @inline(never)
    private func release(_ observations: [Borrowed<KeyValueObservation>]) {
        TestPoint.lettingGo.reach()
        for observation in observations {
            observation.use { $0.releaseHandlerIfEnded() }
            observation.release()
        }
    }

    // MARK: Completing

    /// Calls whoever has not been called yet, from inside a handler that was called for the same notification or for another
    /// one of its thread.
    ///
    /// The batch that is pinned belongs to the traversal that pinned it, whose handler is running. What is behind it is taken
    /// over by a traversal of its own.
    @inline(never)
    func complete(_ thread: InPlace<ThreadContext>) {
        event.isCompleting = true
        guard isStarted, observation == nil, route == nil else { return deliver(thread) }
        var loop = HandlerLoop(thread, event)
        callBatch(&loop, thread)
        loop.finish()
        guard cursor != nil, let record, let list else { return }
        let last = batch[batchCount - 1].unsafelyUnwrapped
        cursor = nil
        finishPending(thread)
        let other = thread.value.takeNotification()
        other.use { other in
            other.bound = bound
            other.end = end
            other.skipped = skipped
            record.use { other.traverse($0, list, behind: last, thread, event) }
        }
        thread.giveBack(other)
    }
}
