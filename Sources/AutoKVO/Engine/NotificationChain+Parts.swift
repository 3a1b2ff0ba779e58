extension NotificationChain {
    /// If a change has several subjects, parts are called after all lists, together with the other paths, in the order of
    /// registration. So they get notifications of their own, and the traversals of their lists skip them.
    ///
    /// Until the parts are removed, other copies of the chain must not be used.
    ///
    /// - Returns: Whether there are any.
    @inline(__always)
    mutating func separateParts(isPrior: Bool, _ thread: InPlace<ThreadContext>) -> Bool {
        var haveParts = false
        forEach { if let list = $0.list, list.value.hasParts { haveParts = true } }
        return haveParts && addParts(isPrior: isPrior, thread)
    }

    @inline(never)
    private mutating func addParts(isPrior: Bool, _ thread: InPlace<ThreadContext>) -> Bool {
        var lists = NotificationChain()
        var routes: [Borrowed<PendingNotification>] = []
        forEachRemoving { notification in
            if notification.use({ $0.route }) != nil { return routes.append(notification) }
            lists.append(notification)
            notification.use { source in
                guard let list = source.list, list.value.hasParts,
                    isPrior ? source.needs.contains(.prior) : !source.isDropped
                else {
                    return
                }
                source.skipped = .part
                for route in source.record!.use({
                    $0.partRoutes(in: list, above: source.lowerBound, upTo: source.bound)
                }) {
                    let part = thread.value.takeNotification()
                    part.use { $0.setSubject(part: route, of: source) }
                    routes.append(part)
                }
            }
        }
        self = lists
        for notification in routes.inOrder(by: { a, b in a.use { a in b.use { b in a.routeSequence < b.routeSequence } }
        }) {
            append(notification)
        }
        return true
    }

    mutating func removeParts(_ thread: InPlace<ThreadContext>) {
        var rest = NotificationChain()
        forEachRemoving { notification in
            notification.use { $0.skipped = [] }
            if notification.use({ $0.isAdded }) { thread.giveBack(notification) } else { rest.append(notification) }
        }
        self = rest
    }
}

extension ObjectRecord {
    /// The routes of the parts in a list, without those that were added since the change began.
    fileprivate func partRoutes(in list: InPlace<ObserverList>, above lowerBound: UInt64, upTo bound: UInt64)
        -> [Borrowed<Route>]
    {
        lock.withLock {
            var found: [Borrowed<Route>] = []
            list.value.forEachLinked {
                if $0.sequence > lowerBound, $0.sequence <= bound, let route = $0.details?.partRoute {
                    found.append(.retaining(route))
                }
            }
            return found
        }
    }
}
