/// The observers of a subject are notified of its changes in the order in which these are made: before a change, the deliveries under
/// way of the same subjects are completed.
extension Transaction {
    /// Where several objects were changed, all keys come by their heights alone, but those that another change is to tell of.
    func rankByHeight() { forEachSubject { if $0.rank > 0, $0.openCount < 2 { $0.rank &= ~(1 << 48) } } }

    /// Sorts what has been found by its place; of several links of one path only the first counts. What other changes have open stays: they
    /// have two subjects of one path if that was moved to the property of an open change by another one, which is computing derived values.
    @inline(never)
    func sort(from start: Int, _ thread: InPlace<ThreadContext>) {
        var last = subjects[start].use { $0.place }
        let isSorted = subjects[(start + 1)...].allSatisfy {
            let former = last
            last = $0.use { $0.place }
            // Two links of one path, one of them before its end, have places in order.
            let (a, b) = ((former.0, former.1), (last.0, last.1))
            return a < b || a == b && last.0 != .max
        }
        if isSorted { return }
        if start < formerPlaces.count { forgetPlaces() }
        let found = Array(subjects[start...]).inOrder { $0.object.place < $1.object.place }
        subjects.removeSubrange(start...)
        for subject in found {
            if let last = subjects.last, isOpener(of: subject.object),
                subject.use({ $0.route != nil && $0.route == last.use { $0.route } })
            {
                if subject.use({ !$0.isUncertain }) { last.object.isChangedForCertain() }
                subject.object.others?.forEach { last.object.note($0, $1) }
                if let other = subject.object.computed, other !== last.object.computed {
                    last.object.note(other, other.changes.all)
                }
                // The other one asks, behind the calls, whether the observer is alive: to end the observation now would run its code in a search.
                subject.object.isUncertain = false
                thread.giveBack(subject)
            } else {
                subjects.append(subject)
            }
        }
    }

    /// Completes the deliveries under way on this thread of subjects that a change of a property concerns, the outermost first.
    static func completeDeliveries(before record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>) {
        if !thread.value.pending.isEmpty { complete(olderDeliveries(of: record, slot, thread), thread) }
    }

    /// The deliveries under way that such a change comes after. Each belongs to a caller of this function's caller, so it stays.
    @inline(never)
    static func olderDeliveries(of record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>) -> [Subject] {
        thread.value.pending.isEmpty ? [] : thread.value.pending(of: topics(of: record, slot, thread))
    }

    /// What a change of a property concerns.
    static func topics(
        of record: ObjectRecord, _ slot: Int, _ thread: InPlace<ThreadContext>
    ) -> Set<Subject.Identity> {
        thread.value.coalescing?.object.startWalk(.other)
        var topics: Set<Subject.Identity> = []
        AffectedLists.forEach(from: record, slot) { _, list, _ in
            topics.insert(list.address)
        } link: { link, _ in
            if link.observation != nil { topics.insert(link.unmanagedRoute.rawAddress) }
        }
        // The second one of two edits may still have to be made, also where only what is derived from the property is observed.
        if let list = record.list(slot) { topics.insert(list.address) }
        return topics
    }

    /// Of what it is to tell. A path may have left the property since the change began.
    var topics: Set<Subject.Identity> { Set(subjects.flatMap { [$0.object.topics.0, $0.object.topics.1] }) }

    /// Completes deliveries unless a handler of one before has made a change that did.
    static func complete(_ deliveries: [Subject], _ thread: InPlace<ThreadContext>) {
        for delivery in inOrder(deliveries) where delivery.isPending { delivery.complete(thread) }
    }

    /// The calls that are left of one observer come before the observers behind it that the same change concerns, also those of
    /// derived keys.
    private static func inOrder(_ deliveries: [Subject]) -> [Subject] {
        var rests = deliveries.filter(\.isRestOfCalls)
        if rests.isEmpty { return deliveries }
        return deliveries.flatMap { next in
            // What else waits of its own list is of the same change, or of a later one.
            let first = rests.filter {
                $0 === next || $0.topics.1 == next.topics.1
                    || $0.event.delivery != 0 && $0.event.delivery == next.event.delivery
            }
            rests.removeAll { rest in first.contains { $0 === rest } }
            return first + (next.isRestOfCalls ? [] : [next])
        }
    }

    /// Several paths of one observation are called in the order of registration, behind all lists. So those of one key, which are called with
    /// its list, are subjects of their own for a delivery that touches another path of the observation, too.
    static func makeParts(of subjects: [Borrowed<Subject>], isPrior: Bool) -> [Subject] {
        guard subjects.contains(where: { $0.use { $0.list?.value.hasParts ?? false } }) else { return [] }
        var parts: [(source: Subject, route: Route)] = []
        var counts: [KeyValueObservation: Int] = [:]
        for subject in subjects.map(\.object) where isPrior ? subject.needs.contains(.prior) : !subject.isDropped {
            let routes = subject.route.map { [$0.object] } ?? subject.partRoutes
            for route in routes { counts[route.observation!, default: 0] += 1 }
            if subject.list != nil { parts += routes.map { (subject, $0) } }
        }
        return parts.filter { counts[$0.route.observation!]! > 1 }.map { source, route in
            source.separated.insert(ObjectIdentifier(route))
            return Subject(part: route, of: source)
        }
    }

    static func separated(_ subjects: [Borrowed<Subject>], _ parts: [Subject]) -> [Borrowed<Subject>] {
        let all = subjects + parts.map { .to($0) }
        // The number of a list is 0: lists come first, as they are.
        return all.inOrder { $0.object.place.1 < $1.object.place.1 }
    }
}

extension Subject {
    /// What it is the subject of, by address: a list, or a route and, if that is of one key, the key's list; else the same twice.
    var topics: (Identity, Identity) { (identity, route?.object.keyList?.address ?? identity) }
    /// With the record of the object that has it.
    var wideTopics: [Identity] { [topics.0, topics.1, Borrowed.to(root).rawAddress] }

    /// The routes of the parts in its list, without those that were added since the change began.
    fileprivate var partRoutes: [Route] {
        guard let record, let list, list.value.hasParts else { return [] }
        var found: [Route] = []
        record.object.lock.withLock {
            list.value.forEachLinked {
                if lowerBound...upperBound ~= $0.sequence, let route = $0.details?.partRoute { found.append(route) }
            }
        }
        return found
    }
}
