/// The lists that a change of a property concerns: its own, those of the keys derived from it, on this and on other objects.
enum AffectedLists {
    /// Called with a list that has observers. Under its record's lock.
    typealias Visit = (Borrowed<ObjectRecord>, _ slot: Int, InPlace<ObserverList>, ObserverList.Interest) -> Void
    /// Called with a link of a path that leads through a list, and the list's record and slot. Under that record's lock.
    typealias VisitLink = (PathLink, Borrowed<ObjectRecord>, _ slot: Int) -> Void

    /// Visits each list once: the property's own, then those of derived keys, of one object in the order of their declaration;
    /// and the links of the paths that lead through them.
    ///
    /// - Complexity: O(*n*) for *n* lists and links. Not recursive, however long the chain of derived keys is.
    @inline(__always)
    static func forEach(from record: ObjectRecord, _ slot: Int, _ visit: Visit, link visitLink: VisitLink) {
        let leading = visitObject(record, slot, visit, visitLink)
        if !leading.isEmpty { follow(leading, from: record, slot, visit, visitLink) }
    }

    /// Visits the list of a property and those of the keys of the same object that are derived from it.
    ///
    /// The dependencies of the base are closed: they contain keys that are derived from derived keys. So only those of the base
    /// are read; reading those of each derived key would take n² steps for a chain of n keys.
    ///
    /// - Returns: The links of paths that keys are derived from.
    private static func visitObject(
        _ record: ObjectRecord, _ slot: Int, isNew: (InPlace<ObserverList>) -> Bool = { _ in true }, _ visit: Visit,
        _ visitLink: VisitLink
    ) -> TinyArray<PathLink> {
        var leading = TinyArray<PathLink>()
        guard let list = record.list(slot) else { return leading }
        let hold = record.lock.lock()
        visitList(list, of: record, slot, &leading, visit, visitLink)
        if list.value.interest.load(ordering: .relaxed).contains(.derived) {
            record.unmanagedSchema!.use { schema in
                schema.unmanagedDependencies(of: slot).use { dependencies in
                    for slot in dependencies.derived {
                        guard let list = record.list(slot), isNew(list) else { continue }
                        visitList(list, of: record, slot, &leading, visit, visitLink)
                    }
                }
            }
        }
        record.lock.unlock(hold)
        return leading
    }

    @inline(__always)
    private static func visitList(
        _ list: InPlace<ObserverList>, of record: ObjectRecord, _ slot: Int, _ leading: inout TinyArray<PathLink>,
        _ visit: Visit, _ visitLink: VisitLink
    ) {
        let interest = list.value.interest.load(ordering: .relaxed)
        if interest.contains(.own) { visit(.to(record), slot, list, interest) }
        if !interest.contains(.ahead) { return }
        for index in list.value.links.indices {
            let link = list.value.links[index]
            visitLink(link, .to(record), slot)
            if link.observation == nil { leading.append(link) }
        }
    }

    /// Visits the keys of other objects that are derived from paths, and those that are derived from them.
    @inline(never)
    private static func follow(
        _ first: TinyArray<PathLink>, from record: ObjectRecord, _ slot: Int, _ visit: Visit, _ visitLink: VisitLink
    ) {
        // It owns the records.
        var queue: [(record: ObjectRecord, slot: Int)] = []
        var seen = lists(of: record, slot)
        var leading = first
        var next = 0
        while true {
            leading.forEach { link in
                guard let (root, derived) = link.derivedKey, let list = root.list(derived) else { return }
                if seen.insert(list).inserted { queue.append((root, derived)) }
            }
            if next == queue.count { return }
            leading = visitObject(
                queue[next].record, queue[next].slot, isNew: { seen.insert($0).inserted }, visit, visitLink)
            next += 1
        }
    }

    /// The lists of a property and of the keys of the same object that are derived from it.
    private static func lists(of record: ObjectRecord, _ slot: Int) -> Set<InPlace<ObserverList>> {
        Set((CollectionOfOne(slot) + record.schema!.dependencies(of: slot).derived).compactMap { record.list($0) })
    }
}
