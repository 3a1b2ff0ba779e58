@testable import AutoKVO

extension Expression {
    /// Traps if what it says of itself is not so. While no thread uses it, or what it reads.
    func checkInvariants() {
        let (sources, hasEnded, changes) = root.lock.withLock {
            (self.sourcesUnderLock, self.hasEnded, self.changesUnderLock)
        }
        precondition(!hasEnded || sources.isEmpty, "An expression that has ended reads something.")
        precondition(changes.lastRead <= changes.all, "An expression miscounts its values.")
        guard !hasEnded, currentMark.kind == .clean else { return }
        precondition(isClean, "An expression is being evaluated, and nothing runs.")
        for link in sources {
            let isLinked = link.record.isDeinitializing || link.record.lock.withLock { link.isLinked }
            precondition(isLinked, "An expression reads by a link that is in no list.")
            let isSourceClean = link.record.expression(link.slot)?.isClean ?? true
            precondition(isSourceClean, "An expression is clean, and what it reads is not.")
        }
        guard let kept = keptValue, let object = root.object(as: AnyObject.self) else { return }
        let value = Recording.suspended { function.body(object) }
        // What cannot be compared is another one each time.
        precondition(
            !isUnchanged(kept, kept) || isUnchanged(value, kept),
            "A clean expression has a value that its function does not return.")
    }
}

extension ObjectRecord {
    /// Checks the expressions of the object's keys, and those of the observations that it holds and that are of it.
    func checkExpressions() {
        for slot in 0..<layout!.value.count { expression(slot)?.checkInvariants() }
        let routes = lock.withLock { guarded.details?.sortedFunctionRoutes ?? [] }
        for route in routes { route.expression!.checkInvariants() }
    }
}
