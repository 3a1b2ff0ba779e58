import AutoKVO
import AutoKVOTestSupport
import Testing

private class GenericBase<Item: Hashable & Sendable, Unused, Third>: Model where Unused: Equatable {
    @Observed var item: Item
    var label: String { "generic" }
    @Observed var start = 0
    init(item: Item) { self.item = item }
}

private class Ladder: GenericBase<String, Int, Bool> {
    @Observed var a = 4
    @Observed var b = 1
    @Observed var flag = true
    var title: String { "plain" }
    @Observed var extra = 0
    let computed = Computations()
    init() { super.init(item: "") }

    @Derived({ (l: Ladder) in l.count("tens", l.a / 10) }) var tens: Int
    @Derived({ (l: Ladder) in l.count("top", l.tens * 2) }) var top: Int
    @Derived({ (l: Ladder) in l.count("chosen", l.flag ? l.a : l.b) }) var chosen: Int
    @Derived({ (l: Ladder) in l.count("shown", l.chosen + 1) }) var shown: Int
    @Derived({ (l: Ladder) in l.count("s1", l.b + l.b) }) var s1: Int
    @Derived({ (l: Ladder) in l.count("s2", l.s1 + l.s1) }) var s2: Int
    @Derived({ (l: Ladder) in l.count("s3", l.s2 + l.s2) }) var s3: Int
    @Derived({ (l: Ladder) in l.count("s4", l.s3 + l.s3) }) var s4: Int

    private func count(_ name: String, _ value: Int) -> Int {
        computed.count(name)
        return value
    }
}

private final class TitledLadder: Ladder {
    override var title: String { "titled" }
}

private final class WideLadder: Ladder {
    override var extra: Int { didSet {} }
}

private final class LabelledLadder: Ladder {
    override var label: String { "labelled" }
    override var title: String { "titled" }
}

/// A ladder as a generic class of its own, with requirements.
private class GenericLadder<First: Hashable, Second: Collection, Third>: Model where Second.Element: Comparable {
    @Observed var b = 1
    var title: String { "plain" }
    let computed = Computations()

    @Derived({ (l: GenericLadder) in l.count("s1", l.b + l.b) }) var s1: Int
    @Derived({ (l: GenericLadder) in l.count("s2", l.s1 + l.s1) }) var s2: Int
    @Derived({ (l: GenericLadder) in l.count("s3", l.s2 + l.s2) }) var s3: Int
    @Derived({ (l: GenericLadder) in l.count("s4", l.s3 + l.s3) }) var s4: Int

    private func count(_ name: String, _ value: Int) -> Int {
        computed.count(name)
        return value
    }

    class Inner: GenericLadder {
        var inner: Int { 1 }
    }
}

private final class TitledGenericLadder: GenericLadder<Int, [String], Never> {
    override var title: String { "titled" }
}

private final class TitledInner<Item: Hashable>: GenericLadder<Item, [Item: Int].Values, Bool>.Inner {
    override var title: String { "titled" }
    override var inner: Int { 2 }
}

private final class OverridingLadder<Item: Hashable>: GenericLadder<Item, String, Item> {
    override var s2: Int { 100 + super.s2 }
}

private class DeepLink: Model {
    @Observed var own = 1
    @Observed var next: DeepLink?
    var title: String { "plain" }
    @Derived({ (link: DeepLink) in (link.next?.sum ?? 0) + link.own }) var sum: Int
}

private final class TitledLink: DeepLink {
    override var title: String { "titled" }
}

/// Derived values of a class that overrides another getter.
@Suite(.needs(.classMetadata)) struct UnrelatedOverrideTests {
    private static func make(_ number: Int) -> Ladder {
        [Ladder(), TitledLadder(), WideLadder(), LabelledLadder()][number]
    }

    @Test("are computed once for each change, and not at all behind an equal value", arguments: 0..<4)
    func counts(number: Int) {
        let ladder = Self.make(number)
        var told: [Int] = []
        ladder.$top.observe { _ in }
        ladder.$s4.observe(options: .new) { told.append($0.newValue!) }
        #expect(ladder.s4 == 16 && ladder.top == 0)
        _ = ladder.computed.take()
        ladder.a = 5
        expectEqual(ladder.computed.take(), ["tens": 1])
        ladder.b = 2
        expectEqual(ladder.computed.take(), ["s1": 1, "s2": 1, "s3": 1, "s4": 1])
        #expect(ladder.s4 == 32 && ladder.s1 == 4 && told == [32])
        expectEqual(ladder.computed.take(), [:])
    }

    @Test("depend on what was read last, without prior calls for anything else", arguments: 0..<4)
    func choice(number: Int) {
        let ladder = Self.make(number)
        let log = Recorder<Int>()
        ladder.$shown.observe(options: [.old, .new, .prior], log.handler())
        ladder.b = 5
        ladder.flag = false
        expectEqual(log.take().map { [$0.old, $0.new] }, [[5, nil], [5, 6]])
        _ = ladder.computed.take()
        ladder.a = 7
        #expect(log.take().isEmpty && ladder.computed.take().isEmpty)
    }

    @Test("are named by an expression that reads one", arguments: 0..<4) func name(number: Int) {
        let ladder = Self.make(number)
        let log = Recorder<Int>()
        ladder.observe(\.top, options: .new) { _, change in log.record(change) }
        ladder.a = 20
        expectEqual(log.paths, ["top"])
    }

    @Test("of a generic class are computed once for each change") func generic() {
        func check<A, B, C>(_ ladder: GenericLadder<A, B, C>) {
            ladder.$s4.observe { _ in }
            #expect(ladder.s4 == 16)
            _ = ladder.computed.take()
            ladder.b = 2
            expectEqual(ladder.computed.take(), ["s1": 1, "s2": 1, "s3": 1, "s4": 1])
            #expect(ladder.s4 == 32)
        }
        check(GenericLadder<String, [Int], Bool>())
        check(TitledGenericLadder())
        check(TitledInner<String>())
        let ladder = OverridingLadder<Int>()
        var told: [Int] = []
        ladder.$s4.observe(options: .new) { told.append($0.newValue!) }
        ladder.b = 2
        expectEqual(told, [4 * 108])
    }

    @Test("take no stack for a long chain") func chain() {
        var links = (0..<5_000).map { _ in TitledLink() }
        var told: [Int] = []
        for (number, link) in links.enumerated() {
            if number > 0 { link.next = links[number - 1] }
            link.$sum.observe { _ in }
        }
        links.last!.$sum.observe(options: .new) { told.append($0.newValue!) }
        nonisolated(unsafe) let box = (links, 0)
        onAnotherThread(stackSize: 512 * 1024) { box.0[0].own = 100 }
        expectEqual(told, [5_099])
        while let last = links.popLast() { last.next = nil }
    }
}
