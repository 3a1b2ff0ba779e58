import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// The observers of one key.
struct ObserverListTests {
    private let tracker = LifetimeTracker()
    private let fixture = ListFixture()

    private func append(_ options: ObservingOptions = []) -> KeyValueObservation {
        let observation = KeyValueObservation.unlinked(options, token: tracker.token())
        fixture.append(observation)
        return observation
    }

    @Test("observations are in the order in which they were added, numbered from one") func appending() {
        let observations = (0..<4).map { _ in append() }
        expectEqual(fixture.linked, observations)
        expectEqual(observations.map(\.sequence), [1, 2, 3, 4])
        expectEqual(fixture.list.lastSequence, 4)
        expectEqual(fixture.list.count, 4)
        expectEqual(fixture.list.firstLinked(), observations[0])
        for observation in observations { #expect(fixture.remove(observation)) }
        #expect(fixture.isEmpty && fixture.list.first == nil && fixture.list.firstLinked() == nil)
    }

    @Test("one is removed from any position, and the others stay in order", arguments: 0..<3) func removing(index: Int)
    {
        var observations = (0..<3).map { _ in append() }
        let removed = observations.remove(at: index)
        #expect(fixture.remove(removed))
        expectEqual(fixture.all, observations)
        #expect(removed.membership == .out && removed.next == nil && removed.previous == nil)
        observations.append(append())
        expectEqual(fixture.all, observations)
        for observation in observations { #expect(fixture.remove(observation)) }
    }

    @Test("the list owns its observations, and gives its ownership to the caller who removes one") func ownership() {
        weak var observation: KeyValueObservation?
        do {
            let made = append()
            observation = made
        }
        #expect(observation != nil && tracker.liveCount == 1)
        if let found = fixture.list.firstLinked() { #expect(fixture.remove(found)) }
        #expect(observation == nil && tracker.liveCount == 0)
    }

    @Test("one that is removed while pinned stays linked until it is unpinned, and is not called") func pinned() {
        let (a, b, c) = (append(), append([.old]), append())
        b.pinWord += 2
        #expect(!fixture.remove(b))
        #expect(b.membership == .leaving && b.pinCount == 2)
        #expect(fixture.all == [a, b, c] && fixture.linked == [a, c])
        #expect(fixture.list.count == 2 && fixture.interest == .own)
        #expect(!fixture.unpin(b))
        expectEqual(fixture.all, [a, b, c])
        #expect(fixture.unpin(b))
        #expect(fixture.all == [a, c] && b.membership == .out)
        for observation in [a, c] { #expect(fixture.remove(observation)) }
    }

    @Test("the first that is not leaving is found behind those that are") func firstBehindLeaving() {
        let (a, b) = (append(), append())
        a.pinWord += 1
        #expect(!fixture.remove(a))
        #expect(fixture.list.first == .to(a) && fixture.list.firstLinked() == b)
        #expect(fixture.unpin(a))
        #expect(fixture.remove(b))
    }

    @Test("one that was leaving rejoins at its old position, with a number of its own") func rejoining() {
        let (a, b, c) = (append(), append([.prior]), append())
        b.pinWord += 1
        #expect(!fixture.remove(b))
        fixture.list.append(b)
        #expect(fixture.linked == [a, b, c] && b.sequence == 4 && fixture.list.count == 3)
        expectEqual(fixture.interest, [.own, .prior, .ahead])
        #expect(!fixture.unpin(b))
        expectEqual(fixture.linked, [a, b, c])
        for observation in [a, b, c] { #expect(fixture.remove(observation)) }
    }

    @Test("of a batch, those that are leaving and unpinned are unlinked") func batch() {
        let (a, b, c) = (append(), append(), append())
        b.pinWord += 1
        c.pinWord += 2
        #expect(!fixture.remove(b) && !fixture.remove(c))
        b.pinWord -= 1
        c.pinWord -= 1
        let batch = [a, b, c].map { Borrowed.to($0) }
        let gone = fixture.list.unlinkUnpinned(batch)
        expectEqual(gone, [.to(b)])
        gone?.forEach { $0.release() }
        #expect(fixture.list.unlinkUnpinned(batch) == nil)
        #expect(fixture.unpin(c) && fixture.remove(a))
    }

    @Test(
        "the interest is what the observers need",
        arguments: [
            ([], .own), ([.old], [.own, .old]), ([.new], [.own, .new]), ([.old, .new], [.own, .old, .new]),
            ([.prior], [.own, .prior, .ahead]), ([.distinct], [.own, .old, .new]), ([.once, .initial], .own),
        ] as [(ObservingOptions, ObserverList.Interest)])
    func interest(options: ObservingOptions, interest: ObserverList.Interest) {
        let (first, second) = (append(options), append(options))
        expectEqual(fixture.interest, interest)
        #expect(fixture.remove(first))
        expectEqual(fixture.interest, interest)
        #expect(fixture.remove(second))
        expectEqual(fixture.interest, [])
    }

    @Test("the interest in derived keys is counted, each kind by itself") func derivedInterest() {
        fixture.list.derivedInterestDidChange(by: 1, isAhead: false, isInner: false)
        fixture.list.derivedInterestDidChange(by: 1, isAhead: true, isInner: false)
        expectEqual(fixture.interest, [.derived, .ahead])
        fixture.list.derivedInterestDidChange(by: 1, isAhead: true, isInner: true)
        fixture.list.derivedInterestDidChange(by: -1, isAhead: true, isInner: false)
        expectEqual(fixture.interest, [.derived, .ahead, .inner])
        fixture.list.derivedInterestDidChange(by: -1, isAhead: true, isInner: true)
        expectEqual(fixture.interest, .derived)
        fixture.list.derivedInterestDidChange(by: -1, isAhead: false, isInner: false)
        expectEqual(fixture.interest, [])
        #expect(fixture.isEmpty)
    }

    @Test("links stay in order when one is taken out, wherever it stands, and comes again", arguments: 0..<4)
    func links(index: Int) throws {
        let route = try EngineNode().route("next.value")
        let links = (0..<4).map { _ in PathLink(route, level: 0) }
        for link in links { fixture.append(link) }
        #expect(fixture.links.count == 4 && links.allSatisfy(\.isLinked))
        fixture.remove(links[index])
        #expect(!links[index].isLinked && links[index].next == nil && links[index].previous == nil)
        let rest = links.filter { $0 !== links[index] }
        expectEqual(fixture.links.map(ObjectIdentifier.init), rest.map(ObjectIdentifier.init))
        fixture.append(links[index])
        expectEqual(fixture.links.map(ObjectIdentifier.init), (rest + [links[index]]).map(ObjectIdentifier.init))
        for link in fixture.links { fixture.remove(link) }
        #expect(fixture.interest == [] && fixture.isEmpty)
        // The list refers to links and does not own them.
        withExtendedLifetime((links, route)) {}
    }

    @Test("a link that objects are linked behind counts as inner, the end of an observed path does not")
    func innerLinks() throws {
        let observation = KeyValueObservation.unlinked()
        let route = try EngineNode().route("next.value", .observation(observation))
        let (head, leaf) = (PathLink(route, level: 0), PathLink(route, level: 1))
        fixture.append(leaf)
        expectEqual(fixture.interest, .ahead)
        fixture.append(head)
        expectEqual(fixture.interest, [.ahead, .inner])
        fixture.remove(head)
        expectEqual(fixture.interest, .ahead)
        fixture.remove(leaf)
        expectEqual(fixture.interest, [])
        withExtendedLifetime((head, leaf, route)) {}
    }

    @Test("random steps leave what a plain array has") func randomSteps() {
        ModelSearch { ListWorld(keepsLog: $0) }.search(steps: load(50_000))
    }
}
