/// The lists that a change of a property concerns: its own, those of the keys derived from it, on this and on other objects.
enum AffectedLists {
    typealias Visit = (Borrowed<ObjectRecord>, _ slot: Int, InPlace<ObserverList>, ObserverList.Interest) -> Void

    /// Visits each list once: the property's own, then those of derived keys, of one object in the order of their declaration;
    /// and the links of the paths that lead through them.
    ///
    /// - Parameters:
    ///   - visit: Gets the lists that have observers. Under the record's lock.
    ///   - visitLink: Gets the links. Without a lock.
    /// - Complexity: O(*n*) for *n* lists and the paths that lead on from them. Not recursive, however deep they hang together.
    @inline(__always)
    static func forEach(
        from record: ObjectRecord, _ slot: Int, _ visit: Visit, link visitLink: (PathLink) -> Void
    ) {
        let links = visitObject(record, slot, visit)
        if !links.isEmpty { followLinks(links, from: record, slot, visit, visitLink) }
    }

    /// Visits the list of a property and those of the keys of the same object that are derived from it.
    ///
    /// What is derived from a derived key is among what is derived from its base: only the base is asked, or a chain of n keys
    /// would take n² steps and as much memory.
    ///
    /// - Returns: The links of paths that lead through them.
    private static func visitObject(
        _ record: ObjectRecord, _ slot: Int, isNew: (InPlace<ObserverList>) -> Bool = { _ in true }, _ visit: Visit
    ) -> TinyArray<PathLink> {
        var links = TinyArray<PathLink>()
        guard let list = record.list(slot) else { return links }
        let hold = record.lock.lock()
        visitList(list, of: record, slot, &links, visit)
        if list.value.interest.load(ordering: .relaxed).contains(.derived) {
            record.unmanagedSchema!.use { schema in
                schema.unmanagedDependencies(of: slot).use { dependencies in
                    for slot in dependencies.derived {
                        if let list = record.list(slot), isNew(list) { visitList(list, of: record, slot, &links, visit) }
                    }
                }
            }
        }
        record.lock.unlock(hold)
        return links
    }

    @inline(__always)
    private static func visitList(
        _ list: InPlace<ObserverList>, of record: ObjectRecord, _ slot: Int, _ links: inout TinyArray<PathLink>,
        _ visit: Visit
    ) {
        let interest = list.value.interest.load(ordering: .relaxed)
        if interest.contains(.own) { visit(.to(record), slot, list, interest) }
        if interest.contains(.ahead), !list.value.links.isEmpty {
            for link in list.value.links { links.append(link) }
        }
    }

    /// Goes on along links to keys of other objects that are derived from paths. Not recursive, however deep they hang together.
    @inline(never)
    private static func followLinks(
        _ first: TinyArray<PathLink>, from record: ObjectRecord, _ slot: Int, _ visit: Visit,
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
