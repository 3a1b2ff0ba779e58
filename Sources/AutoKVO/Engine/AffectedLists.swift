/// The lists that a change of a property concerns: its own, those of the keys derived from it, on this and on other objects.
enum AffectedLists {
    /// Visits each list once: the property's own, then those of derived keys, of one object in the order of their declaration;
    /// and the links of paths that go on from them.
    ///
    /// - Parameters:
    ///   - visit: Gets the lists that have observers, with what those need and the last one's number. Under the record's lock.
    ///   - link: Gets the links that are more than the end of a path.
    /// - Complexity: O(*n*) for *n* lists and the paths that lead on from them. Not recursive, however deep they hang together.
    @inline(__always)
    static func forEach(
        from record: ObjectRecord, _ slot: Int,
        _ visit: (Borrowed<ObjectRecord>, Int, InPlace<ObserverList>, ObserverList.Needs, UInt64) -> Void,
        link visitLink: (PathLink) -> Void
    ) {
        let links = visitObject(record, slot, visit)
        if !links.isEmpty { followLinks(links, from: record, slot, visit, visitLink) }
    }

    /// Visits the list of a property and those of the keys of the same object that are derived from it.
    ///
    /// What is derived from a derived key is among what is derived from its base: only the base is asked, or a chain of n keys
    /// would take n² steps and as much memory.
    ///
    /// - Returns: The links that go on from them.
    private static func visitObject(
        _ record: ObjectRecord, _ slot: Int, isNew: (InPlace<ObserverList>) -> Bool = { _ in true },
        _ visit: (Borrowed<ObjectRecord>, Int, InPlace<ObserverList>, ObserverList.Needs, UInt64) -> Void
    ) -> TinyArray<PathLink> {
        var links = TinyArray<PathLink>()
        guard let list = record.list(slot), !list.value.interest.load(ordering: .acquiring).isEmpty else {
            return links
        }
        let hold = record.lock.lock()
        visitList(list, of: record, slot, &links, visit)
        if list.value.hasDerivedInterest {
            let derived = record.unmanagedSchema!.use { $0.unmanagedDependencies(of: slot).use { $0.derived } }
            for slot in derived {
                if let list = record.list(slot), isNew(list) { visitList(list, of: record, slot, &links, visit) }
            }
        }
        record.lock.unlock(hold)
        return links
    }

    @inline(__always)
    private static func visitList(
        _ list: InPlace<ObserverList>, of record: ObjectRecord, _ slot: Int, _ links: inout TinyArray<PathLink>,
        _ visit: (Borrowed<ObjectRecord>, Int, InPlace<ObserverList>, ObserverList.Needs, UInt64) -> Void
    ) {
        if list.value.hasObservers { visit(.to(record), slot, list, list.value.needs, list.value.lastSequence) }
        if list.value.hasInnerLinks { list.value.collectInnerLinks(&links) }
    }

    /// Goes on along links to keys of other objects that are derived from paths. Not recursive, however deep they hang together.
    @inline(never)
    private static func followLinks(
        _ first: TinyArray<PathLink>, from record: ObjectRecord, _ slot: Int,
        _ visit: (Borrowed<ObjectRecord>, Int, InPlace<ObserverList>, ObserverList.Needs, UInt64) -> Void,
        _ visitLink: (PathLink) -> Void
    ) {
        // It owns the records.
        var queue: [(record: ObjectRecord, slot: Int)] = []
        var seen: Set<InPlace<ObserverList>> = []
        var links = first
        var next = 0
        while true {
            links.forEach { link in
                visitLink(link)
                guard let (root, derived) = link.derivedKey, let list = root.list(derived) else { return }
                if queue.isEmpty { seen = lists(of: record, slot) }
                if seen.insert(list).inserted { queue.append((root, derived)) }
            }
            if next == queue.count { return }
            links = visitObject(queue[next].record, queue[next].slot, isNew: { seen.insert($0).inserted }, visit)
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
    func collectInnerLinks(_ found: inout TinyArray<PathLink>) {
        forEachLinked { node in
            guard node.kind == .link else { return }
            let link = unsafeDowncast(node, to: PathLink.self)
            if !link.isLeaf { found.append(link) }
        }
    }
}
