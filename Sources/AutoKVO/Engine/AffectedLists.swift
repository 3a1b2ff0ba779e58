/// The lists that a change of a property concerns: its own, those of the keys derived from it, on this and on other objects.
enum AffectedLists {
    /// A list: that of the changed property, of a key derived from it, or of one derived from a path that leads there.
    struct AffectedKey {
        let record: Borrowed<ObjectRecord>
        let slot: Int
        /// Whether the path has been moved there since it was first linked.
        let isMoved: Bool
    }

    /// Called with a list that has observers. Under its record's lock.
    typealias Visit = (AffectedKey, InPlace<ObserverList>, ObserverList.Interest) -> Void
    /// Called with a link of a path that leads through a list. Under the lock of the list's record.
    typealias VisitLink = (PathLink, AffectedKey) -> Void

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
        _ record: ObjectRecord, _ slot: Int, isNew: (InPlace<ObserverList>) -> Bool = { _ in true },
        _ visit: Visit,
        _ visitLink: VisitLink, isMoved: Bool = false
    ) -> TinyArray<PathLink> {
        var leading = TinyArray<PathLink>()
        guard let list = record.list(slot) else { return leading }
        let hold = record.lock.lock()
        visitList(list, AffectedKey(record: .to(record), slot: slot, isMoved: isMoved), &leading, visit, visitLink)
        if list.value.interest.load(ordering: .relaxed).contains(.derived) {
            record.unmanagedSchema!.use { schema in
                schema.unmanagedDependencies(of: slot).use { dependencies in
                    for slot in dependencies.derived {
                        guard let list = record.list(slot), isNew(list) else { continue }
                        visitList(
                            list, AffectedKey(record: .to(record), slot: slot, isMoved: isMoved), &leading, visit,
                            visitLink)
                    }
                }
            }
        }
        record.lock.unlock(hold)
        return leading
    }

    @inline(__always)
    private static func visitList(
        _ list: InPlace<ObserverList>, _ key: AffectedKey, _ leading: inout TinyArray<PathLink>, _ visit: Visit,
        _ visitLink: VisitLink
    ) {
        let interest = list.value.interest.load(ordering: .relaxed)
        if interest.contains(.own) { visit(key, list, interest) }
        if !interest.contains(.ahead) { return }
        list.value.forEachLink { link in
            visitLink(link, key)
            if link.observation == nil { leading.append(link) }
        }
    }

    /// Visits the keys of other objects that are derived from paths, and those that are derived from them.
    @inline(never)
    private static func follow(
        _ first: TinyArray<PathLink>, from record: ObjectRecord, _ slot: Int, _ visit: Visit, _ visitLink: VisitLink
    ) {
        // It owns the records.
        var queue: [(record: ObjectRecord, slot: Int, isMoved: Bool)] = []
        var seen = lists(of: record, slot)
        var leading = first
        var isMoved = false
        var next = 0
        while true {
            leading.forEach { link in
                guard let (root, derived) = link.derivedKey, let list = root.list(derived) else { return }
                if seen.insert(list).inserted { queue.append((root, derived, isMoved || link.isMoved)) }
            }
            if next == queue.count { return }
            isMoved = queue[next].isMoved
            leading = visitObject(
                queue[next].record, queue[next].slot, isNew: { seen.insert($0).inserted }, visit, visitLink,
                isMoved: isMoved)
            next += 1
        }
    }

    /// The lists of a property and of the keys of the same object that are derived from it.
    private static func lists(of record: ObjectRecord, _ slot: Int) -> Set<InPlace<ObserverList>> {
        Set((CollectionOfOne(slot) + record.schema!.dependencies(of: slot).derived).compactMap { record.list($0) })
    }
}
