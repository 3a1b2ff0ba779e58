import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Shelf: TrackedObject {
    @Observed var items: [Int] = []
    @Observed var inner: Shelf?
}

/// An edit at the end of a path that is moved while the edit is announced and not over.
struct EditOnMovedPathTests {
    @Test("a path that is moved inside of an announced edit is told of the whole values", arguments: [false, true])
    func announced(isStoredBefore: Bool) throws {
        let (outer, first, second) = (Shelf(), Shelf(), Shelf())
        (first.items, second.items, outer.inner) = ([1], [8, 9], first)
        var log: [String] = []
        try outer.observe("inner.items", options: [.old, .new]) {
            log.append("\($0.kind) \($0.oldValue ?? "-" as Any) \($0.newValue ?? "-" as Any)")
        }
        first.willChange(.insertion, valuesAt: 1..<2, forKey: "items")
        if isStoredBefore { first.items.append(2) }
        outer.inner = second
        if !isStoredBefore { first.items.append(2) }
        first.didChange(.insertion, valuesAt: 1..<2, forKey: "items")
        expectEqual(log, ["setting \(isStoredBefore ? [1, 2] : [1]) [8, 9]"])
    }

    @Test("the same in a prior handler of the edit") func prior() throws {
        let (outer, first, second) = (Shelf(), Shelf(), Shelf())
        (first.items, second.items, outer.inner) = ([1], [8, 9], first)
        var log: [String] = []
        try outer.observe("inner.items", options: [.old, .new]) {
            log.append("\($0.kind) \($0.oldValue ?? "-" as Any) \($0.newValue ?? "-" as Any)")
        }
        try first.observe("items", options: .prior) { if $0.isPrior { outer.inner = second } }
        first.$items.append(2)
        expectEqual(log, ["setting [1] [8, 9]"])
    }

    @Test("so is one that is moved away and back") func back() throws {
        let (outer, first, second) = (Shelf(), Shelf(), Shelf())
        (first.items, second.items, outer.inner) = ([1], [8, 9], first)
        var log: [String] = []
        try outer.observe("inner.items", options: [.old, .new]) {
            log.append("\($0.kind) \($0.oldValue ?? "-" as Any) \($0.newValue ?? "-" as Any)")
        }
        first.willChange(.insertion, valuesAt: 1..<2, forKey: "items")
        outer.inner = second
        first.items.append(2)
        outer.inner = first
        first.didChange(.insertion, valuesAt: 1..<2, forKey: "items")
        expectEqual(log, ["setting [1] [1, 2]"])
    }
}
