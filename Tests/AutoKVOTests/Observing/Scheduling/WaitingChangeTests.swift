import AutoKVO
import AutoKVOTestSupport
import Testing

/// What a change has with it while it waits for a scheduler.
struct WaitingChangeTests {
    private final class Pal: Hashable, @unchecked Sendable {
        let token: LifetimeToken
        init(_ token: LifetimeToken) { self.token = token }
        static func == (a: Pal, b: Pal) -> Bool { a === b }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
    private final class Team: Model, @unchecked Sendable {
        @Observed var pals: Set<Pal> = []
        @Observed var list: [Pal] = []
        @Observed var content: LifetimeToken?
    }
    private final class Chooser: Model {
        @Observed var nick: String?
        @Observed var name = "Ann"
        var shown: String { nick ?? name }
    }
    private final class Pair: Model {
        @Observed var a = 0
        @Observed var b = 0
    }
    private final class Panel: Model, @unchecked Sendable {}
    private let scheduler = ManualScheduler()
    private let log = MessageLog()

    @Test("elements that nobody asked for are not kept") func elements() {
        let (team, panel, tracker) = (Team(), Panel(), LifetimeTracker())
        nonisolated(unsafe) var kept: [Change<Set<Pal>>] = []
        team.$pals.observe(for: panel, on: scheduler) { _ in }
        team.$list.observe(for: panel, on: scheduler) { _ in }
        team.$pals.observe { kept.append($0) }
        do {
            let pal = Pal(tracker.token())
            team.$pals.insert(pal)
            team.$pals.remove(pal)
            team.$list.append(pal)
            team.$list.removeLast()
        }
        expectEqual(tracker.liveCount, 0)
        #expect(kept.map(\.kind) == [.insertion, .removal] && kept.allSatisfy { $0.indexes == nil })
        scheduler.runAll()
    }

    @Test("the name of the key that an expression read is that of its change") func name() {
        let chooser = Chooser()
        nonisolated(unsafe) var kept: [Change<String>] = []
        chooser.observe(\.shown, options: .new, on: scheduler) { [log] change in log.add(change.keyPath) }
        chooser.observe(\.shown, options: .new) { _, change in kept.append(change) }
        chooser.name = "Bea"
        chooser.nick = "X"
        chooser.nick = nil
        scheduler.runAll()
        expectEqual(log.messages, ["", "nick", ""])
        expectEqual(kept.map(\.keyPath), ["", "nick", ""])
    }

    @Test("a value under way is released when the observation ends") func value() {
        let (team, panel, tracker) = (Team(), Panel(), LifetimeTracker())
        let observation = team.$content.onValue(for: panel, on: scheduler) { _, _ in }
        scheduler.runAll()
        team.content = tracker.token()
        team.content = nil
        observation.remove()
        expectEqual(tracker.liveCount, 0)
        scheduler.runAll()
    }

    @Test("an observation that fires has fired, also if its observer dies in the call") func fired() {
        let pair = Pair()
        nonisolated(unsafe) var panel: Panel? = Panel()
        pair.$a.observe(for: panel!, options: .once, on: scheduler) { [log] _, _ in
            panel = nil
            log.add("called")
        }.onEnd { [log] in log.add("\($0)") }
        pair.a = 1
        scheduler.runAll()
        expectEqual(log.messages, ["called", "fired"])
    }

    @Test("a call of several paths is not made for one whose value is equal", arguments: [0, 1]) func equal(value: Int)
    {
        let (pair, panel) = (Pair(), Panel())
        [pair.$a, pair.$b].observe(for: panel, options: .distinct, on: scheduler) { [log] _ in log.add("called") }
        coalescingChanges {
            pair.a = 1
            pair.b = value
        }
        panel.stopObserving(pair.$a)
        scheduler.runAll()
        expectEqual(log.messages.count, value)
    }
}
