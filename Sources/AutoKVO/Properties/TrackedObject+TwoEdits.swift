extension TrackedObject {
    /// Makes a change that is two edits, one after the other.
    ///
    /// - Parameters:
    ///   - first: Makes the first edit. It calls its argument when the edit is stored and no observer has been notified of it.
    ///   - second: Makes the second one: behind the first, or before any other change of the property that a handler makes.
    @usableFromInline
    final func inTwoEdits(_ slot: Int?, _ first: (_ isStored: () -> Void) -> Void, _ second: () -> Void) {
        guard let slot, let record = unmanagedRecord, let list = record.use({ $0.list(slot) }) else {
            first {}
            return second()
        }
        withoutActuallyEscaping(second) { second in
            let thread = ThreadContext.current
            let (rest, whole, outer) = (
                thread.value.takeSubject(), thread.value.takeTransaction(), thread.value.twoEdits
            )
            thread.value.twoEdits = whole
            defer {
                thread.value.twoEdits = outer
                thread.value.giveBack(whole)
            }
            rest.use { rest in
                rest.setTopic(record, slot, list)
                rest.continuation = second
                first { thread.value.appendPending(rest) }
                thread.value.removePending(rest)
                rest.continuation.take()?()
            }
            thread.giveBack(rest)
        }
    }
}
