import AutoKVO
import AutoKVOTestSupport
import Testing

/// After each of many edits a path behind an operator is called for exactly the objects that are in the collection.
struct OperatorEditTests {
    let players = (0..<6).map { _ in Player() }
    let recorder = Recorder<Any>()

    /// Changes each player and checks who is followed.
    private func expectFollowed(
        _ members: [Player], _ what: Comment, _ sourceLocation: SourceLocation = #_sourceLocation
    ) {
        recorder.clear()
        for player in players {
            player.points += 1
            let isMember = members.contains(player)
            #expect(recorder.take().count == (isMember ? 1 : 0), what, sourceLocation: sourceLocation)
        }
    }

    private func flat(_ members: some Sequence<Player?>) -> [Player] { members.compactMap { $0 } }

    @Test("random edits of an array, alone, together, and inside an announced change", arguments: [false, true])
    func arrays(isTurned: Bool) throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let roster = isTurned ? TurnedRoster() : Roster()
            let observation = try roster.observe("players.@sum.points", options: [.new], recorder.handler())
            func player() -> Player { players.randomElement(using: &random)! }
            func edit() {
                let (array, count) = (roster.$players, roster.$players.count)
                func index() -> Int { Int.random(in: 0..<count, using: &random) }
                switch count == 0 ? 0 : Int.random(in: 0..<16, using: &random) {
                case 0: array.append(player())
                case 1: array.insert(player(), at: index())
                case 2: array.append(contentsOf: [player(), player()])
                case 3: array.insert(contentsOf: [player(), player(), player()], at: index())
                case 4: array.remove(at: index())
                case 5: array[index()] = player()
                case 6: array.swapAt(index(), index())
                case 7: array.removeSubrange(min(index(), count / 2)..<count)
                case 8: array.replaceSubrange(0..<index(), with: [player(), player()])
                case 9: array.shuffle(using: &random)
                case 10: array.removeAll { $0 === players[0] }
                case 11: array.moveSubranges(RangeSet(0..<index()), to: count)
                case 12: roster.players = [player(), player(), player()]
                case 13: roster.players.append(player())
                case 14: roster.players.removeLast()
                default:
                    roster.willChange(.insertion, valuesAt: 0..<1, forKey: "players")
                    roster.$players.insert(player(), at: 0)
                    roster.didChange(.insertion, valuesAt: 0..<1, forKey: "players")
                }
            }
            for step in 0..<60 {
                switch step % 4 {
                case 0: coalescingChanges { for _ in 0..<3 { edit() } }
                case 1: roster.withMutation(of: "players") { for _ in 0..<3 { edit() } }
                default: edit()
                }
                expectFollowed(roster.players, "seed \(seed), step \(step)")
            }
            observation.remove()
            expectFollowed([], "removed, seed \(seed)")
        }
    }

    @Test("random edits of a set") func sets() throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let roster = Roster()
            let observation = try roster.observe("squad.@sum.points", options: [.new], recorder.handler())
            defer { observation.remove() }
            for step in 0..<60 {
                let some = Set(players.shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
                let one = players.randomElement(using: &random)!
                switch Int.random(in: 0..<10, using: &random) {
                case 0: roster.$squad.insert(one)
                case 1: roster.$squad.remove(one)
                case 2: roster.$squad.formUnion(some)
                case 3: roster.$squad.subtract(some)
                case 4: roster.$squad.formIntersection(some.union([one]))
                case 5: roster.$squad.formSymmetricDifference(some)
                case 6: roster.$squad.value = some
                case 7: roster.squad = some
                case 8: roster.$squad.update(with: one)
                default: roster.squad.insert(one)
                }
                expectFollowed(Array(roster.squad), "seed \(seed), step \(step)")
            }
        }
    }

    @Test("arrays of optionals and of arrays, slices, and dictionaries") func others() throws {
        let roster = Roster()
        for path in ["holes", "groups", "slice", "byName"] {
            try roster.observe("\(path).@unionOfObjects.points", recorder.handler(path))
        }
        let (a, b, c) = (players[0], players[1], players[2])
        roster.$holes.append(contentsOf: [a, nil, b, a])
        expectFollowed([a, b], "appended")
        roster.$holes[0] = nil
        roster.$holes.remove(at: 1)
        expectFollowed([a, b], "once")
        roster.$holes.removeLast()
        expectFollowed([b], "twice")
        roster.holes = []
        roster.$groups.append([a, b])
        roster.$groups.append([a])
        expectFollowed([a, b], "groups")
        roster.$groups.remove(at: 0)
        expectFollowed([a], "a group removed")
        roster.$groups[0] = [c, c]
        expectFollowed([c], "a group replaced")
        roster.groups = []
        roster.slice = [a, b, c, a, b][1...3]
        roster.$slice.remove(at: 2)
        expectFollowed([b, a], "a slice")
        roster.$slice.insert(c, at: roster.$slice.startIndex)
        roster.$slice[roster.$slice.startIndex + 1] = c
        expectFollowed([c, a], "a slice, replaced")
        roster.slice = []
        roster.byName = ["a": a, "b": b]
        roster.byName["a"] = c
        expectFollowed([b, c], "a dictionary")
    }

    @Test("an array that changed without a word is read as it is at the next announced change") func silent() throws {
        let roster = Roster()
        try roster.observe("silent.@sum.points", recorder.handler())
        roster.silent = [players[0], players[1]]
        roster.willChange(.insertion, valuesAt: 0..<2, forKey: "silent")
        roster.didChange(.insertion, valuesAt: 0..<2, forKey: "silent")
        expectFollowed([players[0], players[1]], "inserted")
        roster.silent[0] = players[2]
        roster.willChange(.insertion, valuesAt: 2..<3, forKey: "silent")
        roster.$silent.append(players[3])
        roster.didChange(.insertion, valuesAt: 2..<3, forKey: "silent")
        expectFollowed([players[1], players[2], players[3]], "replaced without a word")
        roster.willChange(.insertion, valuesAt: 0..<1, forKey: "silent")
        roster.withMutation(of: "silent") { roster.silent = [players[0]] }
        roster.silent.append(players[1])
        roster.didChange(.insertion, valuesAt: 0..<1, forKey: "silent")
        expectFollowed([players[0], players[1]], "set inside of an edit")
    }

    @Test("edits that handlers make inside of edits") func nested() throws {
        let roster = Roster()
        try roster.observe("players", options: [.prior]) { [players] change in
            let count = roster.players.count
            if count < 5 { roster.$players.append(players[count]) }
        }
        try roster.observe("players.@sum.points", recorder.handler())
        roster.$players.append(players[5])
        expectFollowed(roster.players, "appended")
        roster.$players.remove(at: 0)
        expectFollowed(roster.players, "removed")
        roster.removeAllObservers()
    }

    @Test("the head of the path is swapped between the edits") func heads() throws {
        final class Owner: Model { @Observed var roster: Roster? }
        let (owner, first, second) = (Owner(), Roster(), Roster())
        try owner.observe("roster.players.@sum.points", recorder.handler())
        owner.roster = first
        first.$players.append(players[0])
        owner.roster = second
        first.$players.append(players[1])
        expectFollowed([], "detached")
        second.$players.append(players[2])
        expectFollowed([players[2]], "the second")
        owner.roster = first
        first.$players.removeFirst()
        expectFollowed([players[1]], "the first again")
        owner.roster = nil
        expectFollowed([], "none")
    }

    // MARK: Values inside coalescingChanges

    @Test("the first old and the last new value, also of a path that moves, and of a leaf that is written")
    func coalesced() throws {
        let (roster, other) = (Roster(), Roster())
        roster.players = [players[0]]
        try roster.observe("players.@sum.points", options: [.old, .new], recorder.handler())
        coalescingChanges {
            roster.$players.append(players[1])
            players[1].points = 10
            roster.players = [players[2]]
            players[2].points = 5
        }
        #expect(recorder.olds(Int.self) == [1] && recorder.news(Int.self) == [5])
        recorder.clear()
        final class Owner: Model { @Observed var roster: Player? }
        let owner = Owner()
        owner.roster = players[2]
        try owner.observe("roster.points", options: [.old, .new], recorder.handler())
        coalescingChanges {
            players[2].points = 6
            owner.roster = players[3]
            players[3].points = 7
            owner.roster = players[4]
        }
        expectEqual(recorder.entries.filter { $0.keyPath == "roster.points" }.map { $0.old as? Int }, [5])
        expectEqual(recorder.entries.filter { $0.keyPath == "roster.points" }.map { $0.new as? Int }, [1])
        withExtendedLifetime(other) {}
    }

    @Test("a change that is made by the release of a value holds nothing back and calls nobody early") func releasing()
        throws
    {
        final class Content {
            var onDeinit: () -> Void = {}
            deinit { onDeinit() }
        }
        final class Box: TrackedObject { @Observed var content = Content() }
        let (box, last) = (Box(), Content())
        var contents: [[Content?]] = [[], []]
        for index in 0..<2 { box.$content.observe(options: [.new]) { contents[index].append($0.newValue) } }
        coalescingChanges {
            box.content = Content()
            box.content.onDeinit = { [unowned box] in box.content = last }
            box.content = Content()
            #expect(contents[0].isEmpty && contents[1].isEmpty)
        }
        for news in contents { #expect(news.count == 1 && news.first! === last) }
    }
}
