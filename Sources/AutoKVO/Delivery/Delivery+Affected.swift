extension Delivery {
    /// A subject of a change, with what it wanted when the change began.
    struct Affected {
        let subject: ChangeSubject
        let needs: ObserverList.Needs
        let bound: UInt64

        func isOwn(_ record: ObjectRecord, _ slot: Int) -> Bool {
            subject == .list(.passUnretained(record), slot: slot)
        }
    }

    /// Everybody a change of a property concerns, each once: the property's own list first, then derived keys and paths,
    /// nearest first, across objects.
    ///
    /// - Complexity: O(*n*) for *n* subjects and the paths that lead on from them. Not recursive, however deep they hang
    ///   together.
    static func forEachAffected(by record: ObjectRecord, _ slot: Int, _ body: (Affected) -> Void) {
        // What is derived from a derived key is among what is derived from its base: only the base is asked, or a chain of
        // n keys would take n² steps and as much memory.
        // It owns the records, as what `body` makes owns the routes: who has been seen stays where it is.
        var queue: [(record: ObjectRecord, slot: Int, isBase: Bool)] = []
        var (unmanaged, slot, isBase) = (Unmanaged.passUnretained(record), slot, true)
        var seen = SubjectSet(.list(unmanaged, slot: slot))
        var next = 0
        while true {
            unmanaged._withUnsafeGuaranteedRef { record in
                guard let list = record.list(slot), !list.pointee.interest.load(ordering: .acquiring).isEmpty else { return }
                let hold = record.lock.lock()
                let (needs, bound) = (list.pointee.needs, list.pointee.lastSequence)
                let isObserved = list.pointee.hasObservers
                let isDerivedFrom = isBase && list.pointee.hasDerivedInterest
                let links = list.pointee.hasInnerLinks ? list.pointee.innerLinks() : Few()
                record.lock.unlock(hold)
                if isObserved { body(Affected(subject: .list(unmanaged, slot: slot), needs: needs, bound: bound)) }
                if isDerivedFrom {
                    for derived in record.schema!.dependencies(of: slot).derived
                    where seen.insert(.list(unmanaged, slot: derived)) { queue.append((record, derived, false)) }
                }
                links.forEach { link in
                    if let observation = link.route.unmanagedObservation {
                        let subject = ChangeSubject.route(.passUnretained(link.route))
                        guard seen.insert(subject) else { return }
                        body(Affected(subject: subject, needs: observation._withUnsafeGuaranteedRef { $0.needs }, bound: 0))
                    } else if let (root, derived) = link.derivedKey, seen.insert(.list(.passUnretained(root), slot: derived)) {
                        queue.append((root, derived, true))
                    }
                }
            }
            if next == queue.count { return }
            (unmanaged, slot, isBase) = (.passUnretained(queue[next].record), queue[next].slot, queue[next].isBase)
            next += 1
        }
    }

    /// A set that is an array as long as it is small, as it nearly always is, and holds its first two elements by itself.
    struct SubjectSet {
        private let first: ChangeSubject
        private var second: ChangeSubject?
        private var few: [ChangeSubject] = []
        private var many: Set<ChangeSubject> = []

        init(_ first: ChangeSubject) {
            self.first = first
        }

        mutating func insert(_ subject: ChangeSubject) -> Bool {
            if subject == first { return false }
            guard let second else {
                second = subject
                return true
            }
            if subject == second { return false }
            if few.count < 16 {
                if few.contains(subject) { return false }
                few.append(subject)
                if few.count == 16 { many = Set(few) }
                return true
            }
            return many.insert(subject).inserted
        }
    }
}

extension ObserverList {
    /// The links of paths for which a change of this property is more than a call with its values. Under the lock.
    func innerLinks() -> Few<PathLink> {
        var found = Few<PathLink>()
        var cursor = first
        while let node = cursor {
            node._withUnsafeGuaranteedRef {
                guard $0.kind == .link, $0.isLinked else { return }
                let link = unsafeDowncast($0, to: PathLink.self)
                if !link.isLeaf { found.append(link) }
            }
            cursor = node._withUnsafeGuaranteedRef { $0.next }
        }
        return found
    }
}
