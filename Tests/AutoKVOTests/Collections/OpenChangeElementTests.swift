import AutoKVO
import AutoKVOTestSupport
import Testing

private final class ClubMember: Model {
    @Observed var score = 0
    let number: Int

    init(_ number: Int) { self.number = number }
}

private final class Club: Model {
    @Observed var members: [ClubMember] = []
    @Observed var club: Club?
}

/// A list that is edited inside of open changes of it, and by its handlers. Who follows its elements has those that are in it.
private final class OpenChangeWorld {
    private let club = Club()
    private let pool = (0..<5).map { ClubMember($0) }
    private var random: SplitMix64
    private let hasHandlers: Bool
    /// How many more edits handlers may make in this step.
    private var budget = 0
    private var depth = 0
    /// Whether a change is open: who observes from then on follows the next one, so nobody is added.
    private var isOpen = false
    private var bags: [Counts] = []
    private var heard: [Counts] = []
    private(set) var problem: String?

    private final class Counts { var content: [Int: Int] = [:] }

    init(seed: UInt64) {
        (random, hasHandlers) = (SplitMix64(seed: seed), seed % 2 == 1)
        club.club = club
        guard hasHandlers else { return }
        for options in [[], .prior, [.prior, .old, .new]] as [ObservingOptions] {
            club.$members.observe(options: options) { [unowned self] change in
                guard budget > 0, number(3) == 0 else { return }
                budget -= 1
                if change.isPrior { open { edit() } } else { edit() }
            }
        }
    }

    func end() {
        club.removeAllObservers()
        club.club = nil
    }

    func step() {
        budget = 3
        edit()
        let expected = Dictionary(club.members.map { ($0.number, 1) }, uniquingKeysWith: +)
        for bag in bags where bag.content != expected { fail("elements \(bag.content), not \(expected)") }
        for heard in heard { heard.content = [:] }
        for player in pool { player.score += 1 }
        // Each is observed once, however often it is in the list.
        let each = expected.mapValues { _ in 1 }
        for heard in heard where heard.content != each { fail("observed \(heard.content), not \(each)") }
    }

    private func fail(_ text: String) { problem = problem ?? text }
    private func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    private func players() -> [ClubMember] { (0..<number(4)).map { _ in pool[number(5)] } }

    private func open(_ body: () -> Void) {
        let wasOpen = isOpen
        isOpen = true
        body()
        isOpen = wasOpen
    }

    private func edit() {
        depth += 1
        defer { depth -= 1 }
        switch number(depth > 3 ? 7 : 12) {
        case 0: club.members.append(pool[number(5)])
        case 1: club.members = players()
        case 2: club.$members.update(to: players())
        case 3:
            let gone = number(5)
            club.$members.removeAll { $0.number == gone }
        case 4: club.$members.sort { $0.number < $1.number }
        case 5:
            let new = players()
            club.$members.edit { $0.replaceSubrange(0..<min(2, $0.count), with: new) }
        case 6: if !isOpen, bags.count + heard.count < 6 { follow() }
        case 7:
            open {
                club.willChangeValue(forKey: "members")
                edit()
                edit()
                club.didChangeValue(forKey: "members")
            }
        case 8:
            open {
                club.willChangeValue(forKey: "members")
                edit()
                club.willChangeValue(forKey: "members")
                edit()
                club.didChangeValue(forKey: "members")
                edit()
                club.didChangeValue(forKey: "members")
            }
        case 9:
            open {
                club.withMutation(of: "members") {
                    edit()
                    edit()
                }
            }
        case 10: open { club.$members.withMutation { edit() } }
        default:
            coalescingChanges {
                edit()
                edit()
                edit()
            }
        }
    }

    private func follow() {
        let counts = Counts()
        let added = { (player: ClubMember) in counts.content[player.number, default: 0] += 1 }
        let removed = { [unowned self] (player: ClubMember) in
            guard let count = counts.content[player.number] else { return fail("\(player.number) left twice") }
            counts.content[player.number] = count == 1 ? nil : count - 1
        }
        let isElements = number(2) == 0
        if isElements { bags.append(counts) } else { heard.append(counts) }
        switch (isElements, number(2)) {
        case (true, 0): club.$members.observeElements(options: .initial, added: added, removed: removed)
        case (true, _):
            try! club.observeElements(
                "club.members", as: ClubMember.self, options: .initial, added: added, removed: removed)
        case (_, 0): club.$members.observeEach(\.$score) { player, _ in added(player) }
        default:
            try! club.path("club.members", as: [ClubMember].self).observeEach(\.$score) { player, _ in added(player) }
        }
    }
}

struct OpenChangeElementTests {
    @Test(
        "each element that joins or leaves a list inside of an open change is reported once, and observed while it is there"
    )
    func worlds() {
        for seed in 0..<400 as Range<UInt64> {
            let world = OpenChangeWorld(seed: seed)
            for _ in 0..<12 where world.problem == nil { world.step() }
            #expect(world.problem == nil, "seed \(seed)")
            world.end()
        }
    }
}
