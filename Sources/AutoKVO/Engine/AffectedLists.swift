/// The lists that a change of a property concerns: its own, those of the keys derived from it, on this and on other objects.
enum AffectedLists {
    /// A list: that of the changed property, of a key derived from it, or of one derived from a path that leads there.
    struct AffectedKey {
        let record: Borrowed<ObjectRecord>
        let slot: Int
        /// Whether the path has been moved there since it was first linked.
        let isMoved: Bool
        /// Whether the value need not change: the key is computed from what it reads, or derived from one that is.
        var isUncertain = false
        /// Greater than those of the derived keys that it is computed from.
        var height = 0
    }

    /// Called with a list that has observers. Under its record's lock.
    typealias Visit = (AffectedKey, InPlace<ObserverList>, ObserverList.Interest) -> Void
    /// Called with a link of a path that leads through a list. Under the lock of the list's record.
    typealias VisitLink = (PathLink, AffectedKey) -> Void

    /// Visits each list once: the property's own, then those of derived keys, of one object in the order of their declaration;
    /// and the links of the paths that lead through them.
    ///
    /// Inlined with both functions, since every change that is not of one list alone comes here: functions that are passed on would be
    /// made and called for each list (15 ns a change).
    ///
    /// - Complexity: O(*n*) for *n* lists and links. Not recursive, however long the chain of derived keys is.
    @inline(__always)
    static func forEach(from record: ObjectRecord, _ slot: Int, _ visit: Visit, link visitLink: VisitLink) {
        var current = AffectedKey(record: .to(record), slot: slot, isMoved: false)
        var others: FurtherKeys?
        while true {
            let leading = visitObject(current, isNew: { others?.isNew($0) ?? true }, visit, visitLink)
            if leading.isEmpty, others == nil { return }
            if others == nil { others = FurtherKeys(than: current) }
            guard others!.moveOn(&current, adding: leading) else { return }
        }
    }

    /// Visits the list of a property and those of the keys of the same object that are derived from it.
    ///
    /// The dependencies of the base are closed: they contain keys that are derived from derived keys. So only those of the base
    /// are read; reading those of each derived key would take n² steps for a chain of n keys.
    ///
    /// - Returns: The links of paths that keys are derived from.
    @inline(__always)
    private static func visitObject(
        _ key: AffectedKey, isNew: (InPlace<ObserverList>) -> Bool, _ visit: Visit, _ visitLink: VisitLink
    ) -> TinyArray<PathLink> {
        var leading = TinyArray<PathLink>()
        key.record.use { record in
            guard let list = record.list(key.slot) else { return }
            let hold = record.lock.lock()
            visitList(list, key, &leading, visit, visitLink)
            if list.value.interest.load(ordering: .relaxed).contains(.derived) {
                record.unmanagedSchema!.use { schema in
                    schema.unmanagedDependencies(of: key.slot).use { dependencies in
                        for slot in dependencies.derived {
                            guard let list = record.list(slot), isNew(list) else { continue }
                            let derived = AffectedKey(
                                record: key.record, slot: slot, isMoved: key.isMoved, isUncertain: key.isUncertain,
                                height: key.height)
                            visitList(list, derived, &leading, visit, visitLink)
                        }
                    }
                }
            }
            record.lock.unlock(hold)
        }
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

    /// The keys of other objects that are derived from paths. Those that are derived from them are visited with them.
    private struct FurtherKeys {
        /// It owns the records.
        private var queue: [(record: ObjectRecord, slot: Int, isMoved: Bool, isUncertain: Bool, height: Int)] = []
        /// How many of the queue have been visited.
        private var count = 0
        private var seen: Set<InPlace<ObserverList>>

        /// - Parameter first: What has been visited.
        init(than first: AffectedKey) {
            let record = first.record.object
            seen = Set(
                (CollectionOfOne(first.slot) + record.schema!.dependencies(of: first.slot).derived)
                    .compactMap { record.list($0) })
        }

        mutating func isNew(_ list: InPlace<ObserverList>) -> Bool { seen.insert(list).inserted }

        /// Moves on to the next key, after adding those that links of the last one lead to. False if none is left.
        @inline(never)
        mutating func moveOn(_ key: inout AffectedKey, adding leading: TinyArray<PathLink>) -> Bool {
            leading.forEach { link in
                guard let (root, derived) = link.derivedKey, let list = root.list(derived), isNew(list) else { return }
                let expression = link.expression
                queue.append(
                    (
                        root, derived, key.isMoved || link.isMoved, key.isUncertain || expression != nil,
                        max(expression?.height ?? 0, key.height + 1)
                    ))
            }
            if count == queue.count { return false }
            let next = queue[count]
            key = AffectedKey(
                record: .to(next.record), slot: next.slot, isMoved: next.isMoved, isUncertain: next.isUncertain,
                height: next.height)
            count += 1
            return true
        }
    }
}
