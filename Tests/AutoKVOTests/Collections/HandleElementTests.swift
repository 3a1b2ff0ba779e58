import AutoKVO
import AutoKVOTestSupport
import Testing

@Suite("Elements by handle") struct HandleElementTests {
    final class Lists: Model {
        @Observed var numbers: [Int] = []
        @Observed var maybe: [String]?
        @Observed var letters: Set<String> = []
        @Observed var counts: [String: Int] = [:]
        @ObservedReadOnly private(set) var log: [Int] = []
        @Observed var other: Lists?

        func add(_ number: Int) { editable(\._log).append(number) }
    }
    let lists = Lists()
    let log = MessageLog()

    @Test("elements that are added and removed, by edits and assignments") func arrays() {
        lists.numbers = [1]
        lists.$numbers.observeElements(
            options: [.initial], added: { [log] in log.add("+\($0 + 0)") }, removed: { [log] in log.add("-\($0 + 0)") })
        lists.$numbers.append(2)
        lists.numbers = [2, 3]
        lists.$letters.observeElements(added: { [log] in log.add("+" + $0) }, removed: { [log] in log.add("-" + $0) })
        lists.$letters.insert("a")
        lists.letters = []
        #expect(log.messages == ["+1", "+2", "-1", "+3", "+a", "-a"])
    }

    @Test("nil counts as an empty collection") func optionals() {
        lists.$maybe.observeElements(added: { [log] in log.add("+" + $0) }, removed: { [log] in log.add("-" + $0) })
        lists.maybe = ["a"]
        lists.maybe = nil
        #expect(log.messages == ["+a", "-a"])
    }

    @Test("of a read-only property, of a path, and of a dictionary's pairs", .needs(.blankObject)) func others() {
        lists.$log.observeElements(added: { [log] in log.add("\($0)") })
        lists.add(1)
        lists.$other.$numbers.observeElements(
            added: { [log] in log.add("+\($0)") }, removed: { [log] in log.add("-\($0)") })
        lists.other = Lists()
        lists.other!.numbers = [7]
        lists.other = nil
        lists.$counts.observeElements(added: { [log] in log.add("\($0.key) \($0.value)") })
        lists.counts = ["k": 4]
        #expect(log.messages == ["1", "+7", "-7", "k 4"])
    }

    @Test("the closures go with the object") func lifetimes() {
        let tracker = LifetimeTracker()
        do {
            let (lists, token) = (tracker.track(Lists()), tracker.token())
            lists.$numbers.observeElements(added: { _ in token.touch() })
            lists.$numbers.append(1)
        }
        tracker.expectNoLeaks()
    }
}
