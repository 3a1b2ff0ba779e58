extension Delivery {
    /// A subject of a change, with what it wanted when the change began.
    struct Affected {
        let subject: ChangeSubject
        let needs: ObserverList.Needs
        let bound: UInt64

        func isOwn(_ record: ObjectRecord, _ slot: Int) -> Bool {
            if case .list(let mine, slot) = subject { mine === record } else { false }
        }
    }

    /// Everybody a change of a property concerns, each once: the property's own list first, then derived keys and paths,
    /// nearest first, across objects.
    ///
    /// - Complexity: O(*n*) for *n* subjects and the paths that lead on from them. Not recursive, however deep they hang
    ///   together.
    static func affected(by record: ObjectRecord, _ slot: Int) -> [Affected] {
        var found: [Affected] = []
        // What is derived from a derived key is among what is derived from its base: only the base is asked, or a chain of
        // n keys would take n² steps and as much memory.
        var queue: [(record: ObjectRecord, slot: Int, isBase: Bool)] = [(record, slot, true)]
        var seen = SubjectSet()
        _ = seen.insert(.list(record, slot: slot))
        var next = 0
        while next < queue.count {
            let (record, slot, isBase) = queue[next]
            next += 1
            guard let list = record.list(slot), list.pointee.shape.load(ordering: .acquiring) != .idle else { continue }
            let (affected, isDerivedFrom, links) = record.lock.withLock {
                (
                    list.pointee.count > 0
                        ? Affected(
                            subject: .list(record, slot: slot), needs: list.pointee.needs,
                            bound: list.pointee.lastSequence)
                        : nil,
                    list.pointee.hasDerivedInterest,
                    list.pointee.hasInnerLinks ? list.pointee.innerLinks() : []
                )
            }
            if let affected { found.append(affected) }
            if isBase, isDerivedFrom {
                for derived in record.schema!.dependencies(of: slot).derived
                where seen.insert(.list(record, slot: derived)) {
                    queue.append((record, derived, false))
                }
            }
            for link in links {
                switch link.route.sink {
                case .observation(let observation):
                    guard seen.insert(.route(link.route)) else { continue }
                    found.append(Affected(subject: .route(link.route), needs: observation.needs, bound: 0))
                case .derivedKey(let slot):
                    let root = link.route.root
                    if seen.insert(.list(root, slot: slot)) { queue.append((root, slot, true)) }
                case .nobody: break
                }
            }
        }
        return found
    }

    /// A set that is an array as long as it is small, as it nearly always is.
    struct SubjectSet {
        private var few: [ChangeSubject] = []
        private var many: Set<ChangeSubject> = []

        mutating func insert(_ subject: ChangeSubject) -> Bool {
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
    func innerLinks() -> [PathLink] {
        var found: [PathLink] = []
        var cursor = first
        while let node = cursor {
            node._withUnsafeGuaranteedRef {
                guard $0.kind == .link, $0.membership == .linked else { return }
                let link = unsafeDowncast($0, to: PathLink.self)
                if !link.isLeaf { found.append(link) }
            }
            cursor = node._withUnsafeGuaranteedRef { $0.next }
        }
        return found
    }
}
