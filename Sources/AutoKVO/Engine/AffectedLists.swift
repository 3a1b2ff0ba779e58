/// The lists that a change of a property concerns: its own, those of the keys derived from it, on this and on other objects.
enum AffectedLists {
    /// Visits each list once: the property's own, then those of derived keys, of one object in the order of their declaration;
    /// and the links of paths that go on from them.
    ///
    /// - Parameters:
    ///   - visit: Gets the lists that have observers, with what those need and the last one's number. Under the record's lock.
    ///   - link: Gets the links that are more than the end of a path.
    /// - Complexity: O(*n*) for *n* lists and the paths that lead on from them. Not recursive, however deep they hang together.
    static func forEach(
        from record: ObjectRecord, _ slot: Int,
        _ visit: (Borrowed<ObjectRecord>, Int, InPlace<ObserverList>, ObserverList.Needs, UInt64) -> Void,
        link visitLink: (PathLink) -> Void
    ) {
        var (base, slot) = (Borrowed.to(record), slot)
        // Bases on other objects that are still to be visited, which it owns, and, from the first of them on, the lists seen.
        var queue: [(record: ObjectRecord, slot: Int)] = []
        var seen: Set<InPlace<ObserverList>> = []
        var next = 0
        while true {
            base.use { record in
                guard let list = record.list(slot), !list.value.interest.load(ordering: .acquiring).isEmpty else { return }
                var links = Few<PathLink>()
                func visitOne(_ slot: Int, _ list: InPlace<ObserverList>) {
                    if list.value.hasObservers { visit(base, slot, list, list.value.needs, list.value.lastSequence) }
                    if list.value.hasInnerLinks { list.value.collectInnerLinks(&links) }
                }
                let hold = record.lock.lock()
                visitOne(slot, list)
                // What is derived from a derived key is among what is derived from its base: only the base is asked, or a chain
                // of n keys would take n² steps and as much memory.
                if list.value.hasDerivedInterest {
                    for derived in record.schema!.dependencies(of: slot).derived {
                        guard let list = record.list(derived), queue.isEmpty || seen.insert(list).inserted else { continue }
                        visitOne(derived, list)
                    }
                }
                record.lock.unlock(hold)
                links.forEach { link in
                    visitLink(link)
                    guard let (root, derived) = link.derivedKey, let list = root.list(derived) else { return }
                    if queue.isEmpty { seen = lists(of: record, slot) }
                    if seen.insert(list).inserted { queue.append((root, derived)) }
                }
            }
            if next == queue.count { return }
            (base, slot) = (.to(queue[next].record), queue[next].slot)
            next += 1
        }
    }

    /// The lists of a property and of the keys of the same object that are derived from it.
    private static func lists(of record: ObjectRecord, _ slot: Int) -> Set<InPlace<ObserverList>> {
        Set((CollectionOfOne(slot) + record.schema!.dependencies(of: slot).derived).compactMap { record.list($0) })
    }
}

extension ObserverList {
    /// Adds the links of paths for which a change of this property is more than a call with its values. Under the lock.
    func collectInnerLinks(_ found: inout Few<PathLink>) {
        forEachLinked { node in
            guard node.kind == .link else { return }
            let link = unsafeDowncast(node, to: PathLink.self)
            if !link.isLeaf { found.append(link) }
        }
    }
}
