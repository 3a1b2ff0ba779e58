extension Transaction {
    /// Marks what reads a property, or a key derived from it, and calls a function with the links of paths that lead on from one of them.
    ///
    /// What reads an expression that is marked already is marked, too: another thread may have marked the one and not yet the other, and
    /// a change ends only when all that it concerns is marked.
    ///
    /// - Parameter link: Called when all is marked: it may be user code.
    static func markReaders(
        of record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>,
        link follow: (PathLink) -> Void = { _ in }
    ) {
        var links: [Borrowed<PathLink>] = []
        swap(&links, &thread.value.affectedLinks)
        thread.value.coalescing?.use { $0.startWalk(.marking) }
        AffectedLists.forEach(
            from: record, slot,
            marking: { link, key in
                if link.unmanagedExpression != nil { return mark(link, key, thread) }
                // The end of an observed path, or a key on the way, is needed as one is that has observers. What is behind a key on the way is
                // known when that is computed.
                if let route = link.record.list(link.slot)?.value.expressionRoute?.object,
                    let subject = link.route.identity
                {
                    thread.value.marked.append(
                        Marked(route: route, subject: subject, link: link.isFollowed ? link : nil))
                } else if link.isFollowed {
                    links.append(.retaining(link))
                }
                return 0
            })
        for link in links {
            link.use { follow($0) }
            link.release()
        }
        links.removeAll(keepingCapacity: links.count <= ThreadContext.poolLimit)
        swap(&links, &thread.value.affectedLinks)
    }

    /// An expression that has observers is refreshed at the end of the change; the others when one that reads them is.
    ///
    /// - Parameter key: The key that it reads by the link.
    /// - Returns: How often it had become clean.
    @inline(__always)
    private static func mark(
        _ source: PathLink, _ key: AffectedLists.AffectedKey, _ thread: InPlace<ThreadContext>
    ) -> UInt32 {
        // What has become clean since this walk marked it another thread has computed, perhaps inside of this reader, which had read the former
        // value.
        let isCertain =
            !source.record.layout!.value[source.slot].isRecorded
            || source.record.list(source.slot)?.value.expression?.use { $0.currentMark.cleanings != key.cleanings }
                ?? false
        let former = source.unmanagedExpression!.use { $0.mark(isCertain: isCertain, thread) }
        if former.kind == .clean {
            source.unmanagedRoute.use { route in
                guard route.isObserved, !route.isGivenUp.load(ordering: .relaxed), let subject = route.identity else {
                    return
                }
                thread.value.marked.append(Marked(route: route, subject: subject))
            }
        }
        return former.cleanings
    }

    /// A key that a getter computes is known to have changed: it is marked, and what needs it.
    static func markComputed(_ record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>) {
        guard let expression = record.expression(slot) else { return }
        if expression.mark(isCertain: true, thread).kind == .clean, let route = expression.liveRoute, route.isObserved {
            thread.value.marked.append(Marked(route: route, subject: route.identity!))
        }
        markReaders(of: record, slot, thread)
    }

    /// An expression to be refreshed at the end of a change, by its route; and the subject whose observers need it. While an open change has
    /// that subject, the expression waits.
    struct Marked {
        let route: Route
        let subject: Subject.Identity
        /// The link of a path that leads on from the key that is computed.
        var link: PathLink?
    }

    /// Before handlers are called: adds to the open changes what has moved to their properties, evaluates what is marked, and adds what
    /// that has moved.
    ///
    /// A function that writes makes a change of its own meanwhile. Observers of what it writes that this change concerns, too, are notified
    /// of this change first. A derived value or a path that both changes concern is notified once, at the end of this one: it may read what is
    /// still being computed.
    func settle(_ thread: InPlace<ThreadContext>) {
        let moved = thread.value.openTransactions.isEmpty ? nil : Transaction.findMovedSubjects(thread)
        if thread.value.waitingCount > 0 { handOnMarked(thread) }
        defer { sortIfRaised(thread) }
        if thread.value.marked.isEmpty { return moved.map(Transaction.readOld) ?? () }
        // A function that is being evaluated for an outer change has made this one. The outer change's own subjects may read what the function
        // computes, so that change refreshes them.
        for outer in thread.value.settling { outer.object.postponeMarked(thread) }
        let outer = startDelivering(thread)
        forEachSubject {
            $0.openCount += 1
            // What is not the property itself may read what is being computed, so its observers cannot be called before, and another thread may
            // tell them of a change meanwhile.
            if !$0.isOwn { return $0.becomeKnown() }
            $0.isWaiting = true
            thread.value.appendPending($0)
        }
        thread.value.settling.append(.to(self))
        Recording.severalTimes { refreshMarked(thread) }
        thread.value.settling.removeLast()
        forEachSubject {
            if $0.isWaiting { thread.value.removePending($0) }
            $0.isWaiting = false
        }
        countOut()
        thread.value.delivering = outer
        // Of what was found to be moved, now that the values are computed; then of what that has moved.
        moved.map(Transaction.readOld)
        Transaction.addMovedSubjects(thread)
    }

    /// Since the subjects were found, keys have come to depend on higher ones.
    @inline(__always)
    private func sortIfRaised(_ thread: InPlace<ThreadContext>) {
        let now = Transaction.raisedHeights.load(ordering: .acquiring)
        if raisedHeights == now || subjects.count < 2 { return }
        raisedHeights = now
        forEachSubject { $0.raiseRank() }
        sort(from: 0, thread)
    }

    /// Has an expression wait for the end of this change.
    private func postpone(_ each: Marked, _ thread: InPlace<ThreadContext>) {
        guard markedIdentities.insert(ObjectIdentifier(each.link ?? each.route as AnyObject)).inserted else { return }
        marked.append(each)
        thread.value.waitingCount += 1
    }

    /// Has the expressions that this thread has marked wait for it, as far as they are its subjects: the thread is to make other changes meanwhile.
    func postponeMarked(_ thread: InPlace<ThreadContext>) {
        for each in thread.value.marked where has(each.subject) { postpone(each, thread) }
        thread.value.marked.removeAll { has($0.subject) }
    }

    /// Expressions that have waited for the end of this change wait no more.
    @inline(never)
    func handOnMarked(_ thread: InPlace<ThreadContext>) {
        thread.value.waitingCount -= marked.count
        thread.value.marked += marked
        let isSmall = marked.count <= ThreadContext.poolLimit
        marked.removeAll(keepingCapacity: isSmall)
        markedIdentities.removeAll(keepingCapacity: isSmall)
    }

    /// Refreshes the expressions that this thread has marked, except those that are subjects of an open change, which has them refreshed at
    /// its end. So the sources of each are those of now.
    @inline(never)
    private func refreshMarked(_ thread: InPlace<ThreadContext>) {
        var marked: [Marked] = []
        swap(&marked, &thread.value.markedRoom)
        var round = 0
        while !thread.value.marked.isEmpty {
            swap(&marked, &thread.value.marked)
            round += 1
            requireUsage(
                round < 100_000,
                "\(marked[0].route.expression!.label) and others write what they read: each of 100,000 rounds changed a source."
            )
            for each in marked {
                // What is delivered now does not wait for what has come to the same subject since.
                guard let holder = thread.holder(of: each.subject)?.object,
                    !thread.value.settling.contains(where: { $0.object.has(each.subject) })
                else {
                    each.route.expression!.refresh()
                    if let link = each.link, link.chain.correct(behind: link), let slot = link.route.derivedSlot {
                        Transaction.follow(link.route.base, slot)
                    }
                    continue
                }
                holder.postpone(each, thread)
            }
            marked.removeAll(keepingCapacity: marked.count <= ThreadContext.poolLimit)
            // Of changes that functions have made meanwhile.
            if thread.value.waitingCount > 0 { handOnMarked(thread) }
        }
        swap(&marked, &thread.value.markedRoom)
    }

    // MARK: - Where a coalescingChanges has been

    /// What a walk through what a change concerns is for.
    ///
    /// Inside of a `coalescingChanges` with many changes, one that finds subjects and one that marks do not go on behind an expression behind
    /// which both were done before. It is marked still, so nothing that reads it has been computed since, and nothing been added that would not
    /// have had it computed (`AffectedLists.additions`). So *n* changes of what one chain of derived values reads take O(*n*).
    enum Walk { case finding, marking, other }

    /// Begins a walk inside of this `coalescingChanges`.
    @inline(never)
    func startWalk(_ walk: Walk, from record: ObjectRecord? = nil) {
        if walk == .finding {
            walks += 1
            isOfSeveral = isOfSeveral || changedFirst ?? record!.target != record!.target
            changedFirst = changedFirst ?? record!.target
        }
        if walks <= Transaction.searchedCount { return }
        let additions = AffectedLists.additions
        if walk == .finding, walkedAdditions != additions { (walked, walkedAdditions) = ([:], additions) }
        let isKnown = walkedAdditions == additions && !(walksEverywhere && walk == .finding)
        self.walk = isKnown ? walk : .other
    }

    /// Observers are called inside of a `coalescingChanges`, of a change that was announced before: what that has found is to be found again.
    @inline(__always)
    static func forgetWalks(_ thread: InPlace<ThreadContext>) { thread.value.coalescing?.object.walked = [:] }

    /// Whether a walk need not go on behind an expression. If it does, all that is there will have been found, or marked.
    func hasWalked(behind expression: Expression) -> Bool {
        let (identity, mark) = (ObjectIdentifier(expression), expression.currentMark)
        let (known, isMarked) = (walked[identity], mark.kind != .clean)
        if isMarked, known == mark.cleanings { return true }
        if walk == .finding {
            walked[identity] = .some(nil)
        } else if known == .some(nil), isMarked {
            walked[identity] = mark.cleanings
        }
        return false
    }
}
