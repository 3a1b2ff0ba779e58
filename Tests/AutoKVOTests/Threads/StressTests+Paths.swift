import AutoKVO
import AutoKVOTestSupport
import Synchronization
import Testing

extension StressTests {
    /// One thread swaps the head of a path while another changes both leaves.
    @Test func headMayBeSwappedWhileLeavesChange() throws {
        let board = tracker.track(Board())
        let leaves = [tracker.track(Leaf()), tracker.track(Leaf())]
        board.leaf = leaves[0]
        let (calls, swaps) = (Counter(), load(8_000))
        let observation = try board.observe("leaf.value") { [token = tracker.token()] _ in
            token.touch()
            calls.add()
        }
        let isOver = Atomic(false)
        concurrently(3) { number in
            switch number {
            case 0:
                for round in 1...swaps { board.leaf = leaves[round & 1] }
                isOver.store(true, ordering: .releasing)
            default:
                while !isOver.load(ordering: .acquiring) { leaves[number - 1].value += 1 }
            }
        }
        #expect(calls.count >= swaps)
        let before = calls.count
        leaves[swaps & 1].value += 1
        expectEqual(calls.count, before + 1)
        leaves[1 - swaps & 1].value += 1
        expectEqual(calls.count, before + 1)
        observation.remove()
        leaves[swaps & 1].value += 1
        expectEqual(calls.count, before + 1)
    }

    /// Paths through one object are laid and taken away by all threads, through a derived key, a weak link and an operator.
    @Test func pathsMayBeLaidAndTakenAwayAtOnce() throws {
        let person = tracker.track(Person())
        person.address = tracker.track(Address())
        person.friends = [tracker.track(Person()), tracker.track(Person())]
        let parent = tracker.track(Person())
        person.parent = parent
        let paths = [
            "cityLine", "address.city", "parent.age", "parent", "friends.@sum.age", "fullName|age|parent.address.city",
        ]
        let rounds = load(1_500)
        concurrently(4) { number in
            for round in 0..<rounds {
                let observation = try! person.observe(paths[(round + number) % paths.count]) {
                    [token = tracker.token()] _ in
                    token.touch()
                }
                if round % 3 != 0 { observation.remove() } else { _ = observation.scoped() }
            }
        }
        expectEqual(person.observations(), [])
        expectEqual(tracker.liveCount, 5)
        let calls = Counter()
        for path in paths { try person.observe(path) { _ in calls.add() } }
        person.address!.city = "Bonn"
        parent.age = 1
        person.friends[0].age = 2
        expectEqual(calls.count, 4)
    }
}
