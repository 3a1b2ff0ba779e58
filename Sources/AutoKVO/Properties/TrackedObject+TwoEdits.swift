extension TrackedObject {
    /// Makes a change that is two edits, one after the other.
    ///
    /// - Parameters:
    ///   - first: Makes the first edit. It calls its argument when the edit is stored and no observer has been notified of it.
    ///   - second: Makes the second one: behind the first, or before any other change of the property that a handler makes.
    @usableFromInline
    final func inTwoEdits(_ slot: Int?, _ first: (_ isStored: () -> Void) -> Void, _ second: () -> Void) {
        guard let slot, let record,
            let list = record.lock.withLock({ isObserved ? record.makeList(slot) : record.list(slot) })
        else {
            first {}
            return second()
        }
        withoutActuallyEscaping(second) { second in
            let thread = ThreadContext.current
            let (rest, whole) = (thread.value.takeSubject(), thread.value.takeTransaction())
            let (outer, held) = (thread.value.twoEdits, Int32(isObserved ? 1 : 0))
            thread.value.twoEdits = whole
            // If an observer of the first edit ends the last observation, the object counts as observed all the same: what it then does with
            // the property has the second one made before.
            record.lock.withLock { record.interestDidChange(by: held) }
            defer {
                record.lock.withLock { record.interestDidChange(by: -held) }
                thread.value.twoEdits = outer
                thread.value.giveBack(whole)
            }
            /// The observers of the first edit are to hear of it before. An edit that one of them makes then has the second one made.
            func makeSecond() {
                rest.object.continuation = makeSecond
                thread.value.appendPending(rest.object)
                let older = Transaction.deliveriesUnderWay(of: record, slot, thread).filter { $0 != rest }
                Transaction.complete(older, thread)
                thread.value.removePending(rest.object)
                if rest.object.continuation.take() != nil { second() }
            }
            rest.use { rest in
                rest.setTopic(.to(record), slot, list)
                rest.continuation = makeSecond
                first { thread.value.appendPending(rest) }
                thread.value.removePending(rest)
                rest.continuation.take()?()
            }
            thread.giveBack(rest)
        }
    }
}
