extension NotificationChain {
    /// Where a change concerns several subjects, or a list has both its own observers and the ends of longer paths, those ends
    /// are called behind all lists, in the order of registration, each once: they get notifications of their own.
    ///
    /// Until they are removed again, the chain is not to be used through another copy of it.
    @inline(__always)
    mutating func addRoutes(isPrior: Bool, _ thread: InPlace<ThreadContext>) -> Bool {
        let isSingle = isSingle
        let separate = isSingle ? ObserverList.Interest.separate : .links
        var isSeparate = false
        forEach {
            $0.skipped = []
            if let list = $0.list, list.value.interest.load(ordering: .acquiring).contains(separate) {
                isSeparate = true
            }
        }
        return isSeparate && addSeparateRoutes(isPrior: isPrior, isSingle: isSingle, thread)
    }

    @inline(never)
    private mutating func addSeparateRoutes(isPrior: Bool, isSingle: Bool, _ thread: InPlace<ThreadContext>) -> Bool {
        var links: [(link: PathLink, source: Borrowed<PendingNotification>)] = []
        forEach { notification in
            guard let list = notification.list, !isPrior || notification.needs.contains(.prior) else { return }
            notification.record!.use { record in
                record.lock.withLock {
                    notification.skipped = list.value.separateLinks(isAlone: isSingle)
                    if notification.skipped.isEmpty { return }
                    list.value.forEachLinked { node in
                        guard !node.marks.isDisjoint(with: notification.skipped), node.kind == .link,
                            node.sequence <= notification.bound || node.isMovedLink
                        else { return }
                        let link = unsafeDowncast(node, to: PathLink.self)
                        if link.isLeaf { links.append((link, .to(notification))) }
                    }
                }
            }
        }
        if links.isEmpty { return false }
        var routes: [Borrowed<PendingNotification>] = []
        var lists = NotificationChain()
        var cursor = first
        while let notification = cursor {
            cursor = notification.use { $0.next }
            if notification.use({ $0.route }) == nil { lists.append(notification) } else { routes.append(notification) }
        }
        var added: [Borrowed<PendingNotification>] = []
        for (link, source) in links {
            // Inside a change of an object on the path's way, that change notifies, when it ends.
            let identity = UnsafeRawPointer(Borrowed.to(link.route).address)
            if thread.value.openNotification(identity) != nil { continue }
            let notification = thread.value.takeNotification()
            notification.use { notification in
                notification.isAdded = true
                notification.setSubject(.to(link.route))
                source.use {
                    notification.event = $0.event
                    notification.needs = $0.needs
                }
            }
            added.append(notification)
        }
        // The sort is stable: a route that the change concerns on its way comes before what it has at its end here.
        routes = (routes + added).sorted { $0.sequenceOfRoute < $1.sequenceOfRoute }
        self = lists
        var previous: Route?
        for notification in routes {
            notification.use {
                let route = $0.route!.object
                // Called already, for this route or, if the handler ignores the change, for another one.
                if let previous, route === previous || route.ignoresChange && route.observation === previous.observation
                {
                    $0.isStarted = true
                }
                previous = route
            }
            append(notification)
        }
        return true
    }

    mutating func removeAdded(_ thread: InPlace<ThreadContext>) {
        guard first(where: { $0.isAdded }) != nil else { return }
        var (rest, cursor) = (NotificationChain(), first)
        while let notification = cursor {
            let isAdded = notification.use { notification in
                cursor = notification.next
                defer { notification.isAdded = false }
                return notification.isAdded
            }
            if isAdded { thread.giveBack(notification) } else { rest.append(notification) }
        }
        self = rest
    }
}

extension Borrowed where Object == PendingNotification {
    var sequenceOfRoute: UInt64 {
        use { $0.route!.use { $0.sequence } }
    }
}
