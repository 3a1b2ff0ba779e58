import AutoKVOTestSupport

@testable import AutoKVO

/// An observer list in step with plain arrays.
final class ListWorld: SteppedWorld {
    private struct Entry {
        let number: Int
        let observation: KeyValueObservation
        var isLeaving = false
        var pins: UInt32 = 0
    }

    private let fixture = ListFixture()
    private let tracker = LifetimeTracker()
    private var entries: [Entry] = []
    private var lastNumber = 0
    private let spareLinks: [PathLink]
    private var linkedLinks: Set<Int> = []
    private var derived: [(isAhead: Bool, isInner: Bool)] = []
    private(set) var log: [String] = []
    private let keepsLog: Bool

    init(keepsLog: Bool) {
        self.keepsLog = keepsLog
        let route = try! EngineNode().route("next.value", .observation(.unlinked()))
        spareLinks = (0..<5).map { PathLink(route, level: $0 % 2) }
    }

    private static let options: [ObservingOptions] = [
        [], [.old], [.new], [.old, .new], [.prior], [.distinct], [.once],
    ]

    func perform(_ step: ModelStep) -> String? {
        switch step.kind % 12 {
        case 0, 1, 2:
            for number in 0..<(step.b % 8 == 0 ? 17 : 1) {
                append(Self.options[(Int(step.a) + number) % Self.options.count])
            }
        case 3, 4: change(step.a, where: { !$0.isLeaving }, remove)
        case 5: change(step.a, where: { $0.isLeaving }, rejoin)
        case 6, 7: change(step.a, where: { !$0.isLeaving }, pin)
        case 8: change(step.a, where: { $0.pins > 0 }, unpin)
        case 9: unpinAll()
        case 10: toggleLink(Int(step.a) % spareLinks.count)
        default: changeDerived(step)
        }
        return problem()
    }

    func finish() -> String? {
        derived.removeAll { interest in
            fixture.list.derivedInterestDidChange(by: -1, isAhead: interest.isAhead, isInner: interest.isInner)
            return true
        }
        for index in linkedLinks { fixture.remove(spareLinks[index]) }
        linkedLinks = []
        for index in entries.indices.reversed() where !entries[index].isLeaving { remove(index) }
        unpinAll()
        while entries.contains(where: { $0.pins > 0 }) { unpinAll() }
        if let problem = problem() { return problem }
        return fixture.list.isEmpty && fixture.list.first == nil && tracker.liveCount == 0
            ? nil : "\(tracker.liveCount) observations are left"
    }

    // MARK: Steps

    private func append(_ options: ObservingOptions) {
        guard entries.count < 40 else { return }
        lastNumber += 1
        note("append o\(lastNumber), \(options)")
        let observation = KeyValueObservation.unlinked(options, token: tracker.token())
        fixture.append(observation)
        entries.append(Entry(number: lastNumber, observation: observation))
    }

    private func change(_ number: UInt8, where condition: (Entry) -> Bool, _ body: (Int) -> Void) {
        let found = entries.indices.filter { condition(entries[$0]) }
        if !found.isEmpty { body(found[Int(number) % found.count]) }
    }

    private func remove(_ index: Int) {
        note("remove o\(entries[index].number)")
        _ = fixture.remove(entries[index].observation)
        entries[index].isLeaving = true
        dropUnpinned()
    }

    private func rejoin(_ index: Int) {
        note("rejoin o\(entries[index].number)")
        fixture.list.append(entries[index].observation)
        entries[index].isLeaving = false
    }

    private func pin(_ index: Int) {
        note("pin o\(entries[index].number)")
        entries[index].observation.pinWord += 1
        entries[index].pins += 1
    }

    private func unpin(_ index: Int) {
        note("unpin o\(entries[index].number)")
        _ = fixture.unpin(entries[index].observation)
        entries[index].pins -= 1
        dropUnpinned()
    }

    /// As a traversal does it with its batch.
    private func unpinAll() {
        note("unpin all once")
        let pinned = entries.indices.filter { entries[$0].pins > 0 }
        for index in pinned {
            entries[index].observation.pinWord -= 1
            entries[index].pins -= 1
        }
        fixture.list.unlinkUnpinned(pinned.map { .to(entries[$0].observation) })?.forEach { $0.release() }
        dropUnpinned()
    }

    private func dropUnpinned() { entries.removeAll { $0.isLeaving && $0.pins == 0 } }

    private func toggleLink(_ index: Int) {
        if linkedLinks.remove(index) != nil {
            note("remove link \(index)")
            fixture.remove(spareLinks[index])
        } else {
            note("append link \(index)")
            linkedLinks.insert(index)
            fixture.append(spareLinks[index])
        }
    }

    private func changeDerived(_ step: ModelStep) {
        if step.a % 2 == 0 || derived.isEmpty {
            let interest = (isAhead: step.b % 2 == 0, isInner: step.b % 3 == 0)
            note("derived interest \(interest)")
            derived.append(interest)
            fixture.list.derivedInterestDidChange(by: 1, isAhead: interest.isAhead, isInner: interest.isInner)
        } else {
            let interest = derived.remove(at: Int(step.b) % derived.count)
            note("no derived interest \(interest)")
            fixture.list.derivedInterestDidChange(by: -1, isAhead: interest.isAhead, isInner: interest.isInner)
        }
    }

    private func note(_ line: @autoclosure () -> String) {
        if keepsLog { log.append(line()) }
    }

    // MARK: Comparing

    private var interest: ObserverList.Interest {
        var interest: ObserverList.Interest = []
        for entry in entries where !entry.isLeaving {
            let options = entry.observation.options
            interest.insert(.own)
            if !options.isDisjoint(with: [.old, .distinct]) { interest.insert(.old) }
            if !options.isDisjoint(with: [.new, .distinct]) { interest.insert(.new) }
            if options.contains(.prior) { interest.formUnion([.prior, .ahead]) }
        }
        if !derived.isEmpty { interest.insert(.derived) }
        if !linkedLinks.isEmpty || derived.contains(where: \.isAhead) { interest.insert(.ahead) }
        if linkedLinks.contains(where: { $0 % 2 == 0 }) || derived.contains(where: \.isInner) {
            interest.insert(.inner)
        }
        return interest
    }

    private func problem() -> String? {
        let linked = entries.filter { !$0.isLeaving }.map(\.observation)
        if fixture.all != entries.map(\.observation) { return "the list is not in order" }
        if fixture.linked != linked { return "the observations that are not leaving are not in order" }
        if fixture.list.firstLinked() != linked.first { return "the first that is not leaving is another" }
        if fixture.list.count != linked.count { return "the count is \(fixture.list.count), not \(linked.count)" }
        // The first has the last before it: where a list ends is found so.
        var previous = entries.last.map { Borrowed.to($0.observation) }
        for entry in entries {
            if entry.observation.previous != previous { return "o\(entry.number) has another one before it" }
            if entry.observation.pinCount != entry.pins { return "o\(entry.number) is pinned otherwise" }
            previous = .to(entry.observation)
        }
        if fixture.interest != interest {
            return "the interest is \(fixture.interest.rawValue), not \(interest.rawValue)"
        }
        for (index, link) in spareLinks.enumerated() {
            let isLinked = fixture.links.contains { $0 === link }
            if isLinked != linkedLinks.contains(index) {
                return "link \(index) is \(isLinked ? "" : "not ")in the list"
            }
            if link.isLinked != isLinked { return "link \(index) believes the contrary" }
        }
        return fixture.links.count == linkedLinks.count ? nil : "\(fixture.links.count) links"
    }
}
