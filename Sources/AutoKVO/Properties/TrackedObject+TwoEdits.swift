extension TrackedObject {
    /// Makes a change that is two edits, one after the other.
    ///
    /// - Parameters:
    ///   - slot: That of the property; nil if it has none yet.
    ///   - first: Makes the first edit. It calls its argument when the edit is stored and no observer has been notified of it.
    ///   - second: Makes the second one: behind the first, or before any other change of the property that a handler makes.
    @usableFromInline final func inTwoEdits<Failure: Error>(
        _ slot: @autoclosure @escaping () -> Int?, _ first: (_ isStored: () -> Void) throws(Failure) -> Void,
        _ second: () -> Void
    ) throws(Failure) {
        try withoutActuallyEscaping(second) { second throws(Failure) in
            let thread = ThreadContext.current
            let (rest, whole) = (thread.value.takeSubject(), thread.value.takeTransaction())
            let outer = thread.value.twoEdits
            thread.value.twoEdits = whole
            whole.object.changedFirst = ObjectIdentifier(self)
            defer {
                whole.object.changedFirst = nil
                rest.object.continuation = nil
                rest.use { $0.record?.use { record in record.lock.withLock { record.interestDidChange(by: -1) } } }
                thread.value.twoEdits = outer
                thread.value.giveBack(whole)
                thread.giveBack(rest)
            }
            func prepare() {
                guard isObserved, rest.object.list == nil, let slot = slot(), let record else { return }
                // If an observer of the first edit ends the last observation, the object counts as observed all the same: what it then does with
                // the property has the second one made before.
                record.lock.withLock { record.interestDidChange(by: 1) }
                rest.object.setTopic(.to(record), slot, record.lock.withLock { record.makeList(slot) })
                rest.object.continuation = makeSecond
            }
            /// The observers of the first edit are to hear of it before. An edit that one of them makes then has the second one made.
            func makeSecond() {
                let (record, slot) = (rest.object.record!.object, rest.object.slot)
                rest.object.continuation = makeSecond
                thread.value.appendPending(rest.object)
                let older = Transaction.olderDeliveries(of: record, slot, thread).filter { $0 !== rest.object }
                Transaction.complete(older, thread)
                thread.value.removePending(rest.object)
                if rest.object.continuation.take() != nil { second() }
            }
            prepare()
            try first {
                // What has planned it may have made somebody observe the property.
                prepare()
                if rest.object.list != nil { thread.value.appendPending(rest.object) }
            }
            thread.value.removePending(rest.object)
            (rest.object.list == nil ? second : rest.object.continuation.take())?()
        }
    }
}
