import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Captain: TrackedObject, Hashable {
    static func == (a: Captain, b: Captain) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private final class Squad: TrackedObject {
    @Observed var leader: Captain?
    @Observed var leaders: [Captain] = []
    @Observed var crew: Set<Captain> = []
    @ObservedReadOnly private(set) var founder: Captain?
    @ObservedWeak var last: Captain?

    func found(_ leader: Captain?) { founder = leader }
}

/// The owner of what dies is read by those who are told of the death.
struct ReleasedValueTests {
    private let team = Squad()
    private let watcher = Squad()

    private func expectTold(_ set: () -> Void, _ clear: () -> Void) {
        set()
        var seen: [Int] = []
        watcher.$last.observe { [unowned team] _ in
            seen.append(
                team.leaders.count + team.crew.count + (team.leader == nil ? 0 : 1) + (team.founder == nil ? 0 : 1))
        }
        clear()
        #expect(seen == [0] && watcher.last == nil)
    }

    private func watched() -> Captain {
        let leader = Captain()
        watcher.last = leader
        return leader
    }

    @Test(
        "what leaves a property that nobody observes dies when that has its new value",
        arguments: 0..<14)
    func unobserved(form: Int) {
        switch form {
        case 0: expectTold({ team.leader = watched() }, { team.leader = nil })
        case 1: expectTold({ team.leaders = [watched()] }, { team.leaders = [] })
        case 2: expectTold({ team.found(watched()) }, { team.found(nil) })
        case 3: expectTold({ team.$leader.value = watched() }, { team.$leader.value = nil })
        case 4: expectTold({ team.$leaders.append(watched()) }, { team.$leaders.removeAll() })
        case 5: expectTold({ team.$leaders.append(watched()) }, { team.$leaders.update(to: []) })
        case 6: expectTold({ team.$leaders.append(watched()) }, { team.$leaders.removeSubrange(0...) })
        case 7: expectTold({ team.$leaders.append(watched()) }, { team.$leaders.removeLast(1) })
        case 8: expectTold({ team.$leaders.append(watched()) }, { team.$leaders.removeAll { _ in true } })
        case 9: expectTold({ team.$crew.insert(watched()) }, { team.$crew.subtract(Array(team.crew)) })
        case 10: expectTold({ team.$crew.insert(watched()) }, { team.$crew.formIntersection([]) })
        case 11: expectTold({ team.$crew.insert(watched()) }, { team.$crew.removeAll() })
        case 12: expectTold({ team.$crew.insert(watched()) }, { team.$crew.update(to: []) })
        default: expectTold({ team.$crew.insert(watched()) }, { team.$crew.formSymmetricDifference(Array(team.crew)) })
        }
    }

    @Test("so does one that leaves an observed property", arguments: 0..<4) func observed(form: Int) throws {
        try team.observeAnyKey { _ in }
        switch form {
        case 0: expectTold({ team.leader = watched() }, { team.leader = nil })
        case 1: expectTold({ team.leaders = [watched()] }, { team.leaders = [] })
        case 2: expectTold({ team.found(watched()) }, { team.found(nil) })
        default: expectTold({ team.$leaders.append(watched()) }, { team.$leaders.removeAll() })
        }
    }
}
