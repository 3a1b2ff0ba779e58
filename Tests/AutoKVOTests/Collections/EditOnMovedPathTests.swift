import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Shelf: TrackedObject {
    @Observed var items: [Int] = []
    @Observed var inner: Shelf?
}

/// An observer of a path that is moved while an edit of the array at its end has begun and is not over: it gets the whole values.
struct EditOnMovedPathTests {
    private let outer = Shelf()
    private let first = Shelf()
    private let second = Shelf()
    private let log = MessageLog()

    init() throws {
        (first.items, second.items, outer.inner) = ([1], [8, 9], first)
        try outer.observe("inner.items", options: [.old, .new]) { [log] in
            log.add("\($0.kind) \($0.oldValue ?? "-" as Any) \($0.newValue ?? "-" as Any)")
        }
    }

    @Test(
        "moved away inside of an edit that is announced by hand, before or behind its store", arguments: [false, true])
    func announced(isStoredBefore: Bool) {
        first.willChange(.insertion, valuesAt: 1..<2, forKey: "items")
        if isStoredBefore { first.items.append(2) }
        outer.inner = second
        if !isStoredBefore { first.items.append(2) }
        first.didChange(.insertion, valuesAt: 1..<2, forKey: "items")
        expectEqual(log.messages, ["setting \(isStoredBefore ? [1, 2] : [1]) [8, 9]"])
    }

    @Test("moved away and back inside of such an edit") func back() {
        first.willChange(.insertion, valuesAt: 1..<2, forKey: "items")
        outer.inner = second
        first.items.append(2)
        outer.inner = first
        first.didChange(.insertion, valuesAt: 1..<2, forKey: "items")
        expectEqual(log.messages, ["setting [1] [1, 2]"])
    }

    @Test("moved away by a prior handler of an edit") func prior() throws {
        try first.observe("items", options: .prior) { [outer, second] in if $0.isPrior { outer.inner = second } }
        first.$items.append(2)
        expectEqual(log.messages, ["setting [1] [8, 9]"])
    }
}
