extension ChangeContext {
    /// Makes several calls for one change, one after the other: for each element of a collection, or for each of several handlers.
    ///
    /// One of them may change the same property. Then those that are left are made first, as other observers that have not been called yet
    /// are: they are a delivery under way. And one may end the observation, or remove the path: then no more are made.
    ///
    /// - Parameter call: Gets the number of the call.
    @usableFromInline final func makeCalls(_ count: Int, _ call: (Int) -> Void) {
        if isWithdrawn { return }
        guard count > 1 else { return (0..<count).forEach(call) }
        let (thread, observation) = (ThreadContext.current, currentObservation)
        let (record, slot) = (observation.record, Int(observation.slot))
        let pooled = thread.value.takeSubject()
        let rest = pooled.object
        if let route { rest.setTopic(route) } else { rest.setTopic(.to(record!), slot, record!.list(slot)!) }
        (rest.isRestOfCalls, rest.event.delivery) = (true, event.value.delivery)
        var next = 0
        withoutActuallyEscaping(call) { call in
            func callRest() {
                while next < count, !isWithdrawn {
                    next += 1
                    rest.continuation = next == count ? nil : callRest
                    if next == count { thread.value.removePending(rest) }
                    if next < count, !rest.isPending { thread.value.appendPending(rest) }
                    call(next - 1)
                }
            }
            callRest()
            thread.value.removePending(rest)
            (rest.continuation, rest.isRestOfCalls) = (nil, false)
        }
        thread.giveBack(pooled)
    }

    /// Whether its observation has ended since the change was made, or has lost the path.
    var isWithdrawn: Bool { currentObservation.state == .ended || route.map { !isStillHeard(by: $0.object) } ?? false }

    /// Whether its observation has a path still.
    final func isStillHeard(by route: Route) -> Bool {
        !route.isOneOfSeveral || route.isHeard || wants(.once) && currentObservation.has(route)
    }
}
