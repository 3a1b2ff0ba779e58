/// Starting and ending routes, which may start and end other routes: one after the other, not recursively, however long the
/// chain of objects is.
enum PathWork {
    case start(Route)
    case end(Route)
    /// Of an expression that may have missed a change.
    case evaluate(Route)
    /// A link of a key that depends on others, which may not be linked yet: what is behind it may have missed a change.
    case follow(PathLink)

    /// Does it now, or, if this thread is doing such work already, after that.
    ///
    /// - Parameter first: Where the work begins that has been left, and is done before it; nil for none.
    static func `do`(_ work: PathWork, from first: Int? = nil) {
        let thread = ThreadContext.current
        thread.value.pathWork.append(work)
        doLeft(from: first ?? thread.value.pathWork.count - 1)
    }

    /// Does what has been left from an index on; later, if this thread is doing such work already.
    static func doLeft(from start: Int) {
        let thread = ThreadContext.current
        if thread.value.doesPathWork || thread.value.pathWork.count <= start { return }
        let outerStart = thread.value.pathWorkStart
        (thread.value.doesPathWork, thread.value.pathWorkStart) = (true, start)
        /// The index of what is to be done next; that at which all was where the paths lead; how many links were; and how often not.
        var (next, known, knownLinks, movedCount) = (start, start, 0, 0)
        var (links, outdated, evaluated): ([PathLink], [Route], Int) = ([], [], 0)
        let raised = thread.value.raisingLinks.count
        while true {
            if next < thread.value.pathWork.count {
                switch thread.value.pathWork[next] {
                case .start(let route):
                    // The starts of an expression may be of several threads.
                    if route.startIndex != .max { route.startIndex = .max }
                    route.start()
                case .end(let route): route.end()
                case .evaluate(let route): outdated.append(route)
                case .follow(let link): links.append(link)
                }
                next += 1
            } else if !links.isEmpty, known != next, movedCount < 3 {
                // All is linked: what another thread has changed before is found now. A getter may return another object each time.
                known = next
                let all = evaluated == outdated.count ? links[...] : links[knownLinks...]
                for link in all where link.chain.correct(behind: link) { known = -1 }
                if known < 0 { movedCount += 1 } else { knownLinks = links.count }
            } else if evaluated < outdated.count {
                let expression = outdated[evaluated].expression!
                evaluated += 1
                if evaluated == outdated.count { known = -1 }
                expression.mark(isCertain: true)
                expression.refresh()
            } else if thread.value.raisingLinks.count > raised {
                ObjectRecord.raise(behind: thread.value.raisingLinks.removeLast())
            } else {
                break
            }
        }
        for case .start(let route) in thread.value.pathWork[start...] { route.starter.store(0, ordering: .releasing) }
        thread.value.pathWork.removeSubrange(start...)
        if start == 0, next > ThreadContext.poolLimit { thread.value.pathWork = [] }
        if raised == 0, thread.value.raisingLinks.capacity > 2 * ThreadContext.poolLimit {
            thread.value.raisingLinks = []
        }
        (thread.value.doesPathWork, thread.value.pathWorkStart) = (false, outerStart)
    }

    /// A link of a key that depends on others has been made. No effect where this thread does no such work: then all of that is linked.
    static func followLater(_ link: PathLink) {
        let thread = ThreadContext.current
        if thread.value.doesPathWork { thread.value.pathWork.append(.follow(link)) }
    }

    /// A link of the path of a derived key has been made. In a chain of such keys the last one comes first, so that each is raised once.
    static func raise(_ link: PathLink) {
        let thread = ThreadContext.current
        guard thread.value.doesPathWork else { return ObjectRecord.raise(behind: link) }
        thread.value.raisingLinks.append(link)
    }

    /// Calls a function inside of which such work is left for later, or is done at once: what a registration links, also in a function that is
    /// computed for a path.
    static func leaving<Result>(_ isLeft: Bool, _ body: () -> Result) -> Result {
        let thread = ThreadContext.current
        let wasLeft = thread.value.doesPathWork
        thread.value.doesPathWork = isLeft
        defer { thread.value.doesPathWork = wasLeft }
        return body()
    }
}
