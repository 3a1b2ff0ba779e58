internal import CSwiftRuntime

/// Calling the observers of one subject.
///
/// Handlers are called without the list's lock: under the lock a traversal unpins its batch of observations and pins the next
/// one, then it calls them. A pinned observation that is taken out stays linked until the last traversal unpins it, so that the
/// traversal can continue behind it. Handlers may change the list, on any thread:
///
/// - a removed observation is not called: its state is read right before the call;
/// - an added observation is not called: the traversal ends at the observation that was the last when the change began;
/// - a handler that never returns keeps the batch of its own traversal pinned, and nothing else.
extension PendingNotification {
    /// Calls the observers that have not been called yet.
    func deliver(_ thread: InPlace<ThreadContext>) {
        if isDropped, !event.isPrior { return skip(thread) }
        if observation == nil, route == nil { return deliverToList(thread) }
        thread.value.removePending(self)
        if isStarted { return }
        isStarted = true
        callSingle(thread)
    }

    /// Not inlined, as its variables would be on the stack of the handlers.
    @inline(never)
    private func skip(_ thread: InPlace<ThreadContext>) { finishPending(thread) }

    private func callSingle(_ thread: InPlace<ThreadContext>) {
        var loop = HandlerLoop(thread, eventPlace)
        if let observation {
            observation.use { observation in
                if let route { route.use { loop.call($0, calls) } } else { loop.callDirectly(observation) }
            }
        } else {
            route!.use { loop.call($0, calls) }
        }
        loop.finish()
    }

    private func deliverToList(_ thread: InPlace<ThreadContext>) {
        if isStarted { return }
        isStarted = true
        record!.use { record in
            if !ownsSubject { return traverse(record, list!, thread) }
            // For an object that is dying no observer is called.
            guard let object = record.trackedObject else { return finishPending(thread) }
            traverse(record, list!, thread)
            withExtendedLifetime(object) {}
        }
    }

    /// Pins and calls the observations of a list, batch by batch.
    ///
    /// - Parameters:
    ///   - predecessor: The observation behind which to begin, which another traversal has pinned; nil for the whole list.
    ///   - makeEvent: For a notification that has no event yet. Called after the lock was taken: before, a lock that several threads
    ///     use would first complete the stores of the event (4 ns).
    @inline(__always)
    func traverse(
        _ record: ObjectRecord, _ list: InPlace<ObserverList>, behind predecessor: Borrowed<KeyValueObservation>? = nil,
        _ thread: InPlace<ThreadContext>, _ makeEvent: () -> Void = {}
    ) {
        let hold = record.lock.lock()
        if let predecessor {
            cursor = predecessor.use { $0.next }
        } else {
            cursor = list.value.first
            end = list.value.lastSequence
            if lowerBound != 0 { skipEarlier() }
        }
        pinNextBatch()
        record.lock.unlock(hold)
        if batchCount == 0 { return finishPending(thread) }
        makeEvent()
        if !isPending, !event.isPrior, batchCount > 1 || cursor != nil {
            isStarted = true
            if self.list == nil { setSubject(.to(record), 0, list, isHeld: true) }
            thread.value.appendPending(self)
        }
        var loop = HandlerLoop(thread, eventPlace)
        repeat {
            callBatch(&loop, thread)
            let gone = replaceBatch(record, list)
            if let gone { release(gone) }
        } while batchCount > 0
        finishPending(thread)
        loop.finish()
    }

    /// Calls the observations of the batch that have not been called yet. A change that a handler makes may call some of them.
    @inline(__always)
    private func callBatch(_ loop: inout HandlerLoop, _ thread: InPlace<ThreadContext>) {
        // Only the traversal that pinned the batch replaces it.
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

    /// Moves the cursor behind the observations that an earlier notification of the change calls. Under the lock.
    @inline(never)
    private func skipEarlier() {
        while let observation = cursor, observation.use({ $0.sequence <= lowerBound }) {
            cursor = observation.use { $0.next }
        }
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
        // The processor fetches the next one while these are called.
        if let cursor { csr_prefetch(cursor.address) }
        self.cursor = cursor
        batchCount = count
        batchIndex = 0
    }

    /// Unpins the batch, and pins the next one.
    ///
    /// - Returns: The observations that were taken out while they were pinned. The caller takes over the list's ownership.
    @inline(__always)
    private func replaceBatch(
        _ record: ObjectRecord, _ list: InPlace<ObserverList>
    ) -> [Borrowed<KeyValueObservation>]? {
        let count = batchCount
        let hold = record.lock.lock()
        // The next one may have been unlinked. The pinned ones are still linked.
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
        // Zero: the observation is linked, and no other traversal pins it.
        let gone = left == 0 ? nil : list.value.unlinkUnpinned((0..<count).map { batch[$0].unsafelyUnwrapped })
        if cursor == nil { (batchCount, batchIndex) = (0, 0) } else { pinNextBatch() }
        record.lock.unlock(hold)
        return gone
    }

    /// Releases, without a lock, observations that were taken out while traversals pinned them.
    @inline(never)
    private func release(_ observations: [Borrowed<KeyValueObservation>]) {
        TestPoint.lettingGo.reach()
        for observation in observations {
            observation.use { $0.releaseHandlerIfEnded() }
            observation.release()
        }
    }

    // MARK: Completing

    /// Calls the observers that have not been called yet, from inside a handler that was called for the same notification or for
    /// another one of its thread.
    ///
    /// The pinned batch stays with the traversal whose handler is running: it is called here, and unpinned there. A second
    /// traversal calls the observations behind it.
    @inline(never)
    func complete(_ thread: InPlace<ThreadContext>) {
        if let continuation = continuation.take() {
            finishPending(thread)
            return continuation()
        }
        event.isCompleting = !event.isHeldBack
        guard isStarted, observation == nil, route == nil else { return deliver(thread) }
        var loop = HandlerLoop(thread, eventPlace)
        callBatch(&loop, thread)
        loop.finish()
        guard cursor != nil, let record, let list else { return }
        let last = batch[batchCount - 1]!
        cursor = nil
        finishPending(thread)
        let other = thread.value.takeNotification()
        other.use { other in
            other.setSubject(record, slot, list, isHeld: true)
            other.bound = bound
            other.end = end
            other.skipped = skipped
            record.use { other.traverse($0, list, behind: last, thread) { other.event = event } }
        }
        thread.giveBack(other)
    }
}
