import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// While a change is open on one thread, another thread makes one, whose observers are called. Then the first one goes on.
struct ChangesElsewhereTests {
    private final class Sum: Model {
        @Observed var a = 0
        @Observed var b = 0
        @Observed(.distinct) var level = 0
        @Observed var list: [Int] = []
        @Observed var next: Sum?
        @Derived({ (sum: Sum) in sum.a + sum.b }) var total: Int
        var double: Int { 2 * (a + b) }
        var shown: Int { 2 * total }

        override class var schema: Schema {
            Schema(Sum.self, extending: super.schema) {
                Key("double", \.double, affectedBy: "a", "b")
                Key("shown", \.shown, affectedBy: "total", "level")
            }
        }
    }

    /// How the first thread holds its change open.
    enum Holding: CaseIterable {
        case coalescing, mutation, byHand, prior
    }

    private func hold(_ sum: Sum, _ holding: Holding, _ first: Int, _ meanwhile: @escaping () -> Void, _ last: Int) {
        func changes() {
            sum.a = first
            onAnotherThread(meanwhile)
            sum.a = last
        }
        switch holding {
        case .coalescing: coalescingChanges(changes)
        case .mutation: sum.$a.withMutation(changes)
        case .byHand:
            sum.willChangeValue(forKey: "a")
            changes()
            sum.didChangeValue(forKey: "a")
        case .prior:
            let waiting = sum.$a.observe(options: .prior) { if $0.isPrior { onAnotherThread(meanwhile) } }
            sum.a = last
            waiting.remove()
        }
    }

    @Test(
        "is what the open one has changed from, also where that comes back to its first value",
        arguments: Holding.allCases)
    func derived(holding: Holding) throws {
        let (sum, root, bound, inOrder) = (Sum(), Sum(), Sum(), Recorder<Int>())
        root.next = sum
        var (values, read, named, last): ([Int], [Int], [Int], [Int]) = ([], [], [], [])
        sum.$total.observe(options: [.old, .new], inOrder.handler())
        sum.$total.onValue { values.append($0) }
        sum.observe(reading: { $0.a + $0.b }, options: .new) { read.append($1.newValue!) }
        try root.observe("next.total", as: Int.self, options: [.old, .new]) { named += [$0.oldValue!, $0.newValue!] }
        try sum.observe("double", as: Int.self, options: [.new, .distinct]) { last.append($0.newValue!) }
        bound.$a.bind(to: sum.$total)
        bound.$b.bind { sum.a + sum.b }
        let first = holding == .prior ? 0 : 1
        hold(sum, holding, first, { sum.b = 1 }, -1)
        expectEqual(inOrder.take().map { [$0.old, $0.new] }, [[0, first + 1], [first + 1, 0]])
        #expect(values == [0, first + 1, 0] && read == [first + 1, 0] && named == [0, first + 1, first + 1, 0])
        #expect(last == [2 * first + 2, 0] && (bound.a, bound.b) == (0, 0))
        hold(sum, holding, 5, { sum.b = 2 }, 7)
        #expect(inOrder.take().map { $0.old } == [0, holding == .prior ? 1 : 7] && bound.a == 9)
    }

    @Test("whose value is equal there is known to some observers only: all are told in the end", arguments: [0, 1])
    func equal(last: Int) throws {
        let sum = Sum()
        var (all, distinct): ([Int], [Int]) = ([], [])
        try sum.observe("shown", as: Int.self, options: .new) { all.append($0.newValue!) }
        try sum.observe("shown", as: Int.self, options: [.new, .distinct]) { distinct.append($0.newValue!) }
        coalescingChanges {
            sum.b = 1
            onAnotherThread { sum.level = 1 }
            expectEqual(all, [2])
            sum.b = last
        }
        expectEqual(all, [2, 2 * last])
        expectEqual(distinct, [2 * last])
        sum.level = 2
        expectEqual(all.count, 3)
        expectEqual(distinct.count, 1)
    }

    @Test("follows for those who ask for no values, or for old ones alone", arguments: Holding.allCases)
    func withoutValues(holding: Holding) throws {
        let sum = Sum()
        var (shown, followed, olds): (Int, Int?, [Int]) = (0, 0, [])
        try sum.observe("shown") { [unowned sum] _ in shown = sum.shown }
        try sum.path("shown", as: Int.self).onValue { followed = $0 }
        hold(sum, holding, 4, { sum.level = 1 }, 0)
        #expect(shown == sum.shown && followed == sum.shown)
        sum.$level.observe(options: .old) { olds.append($0.oldValue!) }
        sum.$level.withMutation {
            onAnotherThread { sum.level = 7 }
            sum.level = 5
        }
        expectEqual(olds, [1, 7])
    }

    @Test("of the same property, whose equal values are no change") func ownProperty() {
        let (sum, log, list) = (Sum(), Recorder<Int>(), Recorder<[Int]>())
        sum.$level.observe(options: [.old, .new], log.handler())
        sum.$list.observe(options: [.old, .new], list.handler())
        coalescingChanges {
            sum.level = 1
            sum.$list.append(1)
            onAnotherThread {
                sum.level = 5
                sum.$list.append(2)
            }
            sum.level = 0
        }
        expectEqual(log.take().map { [$0.old, $0.new] }, [[1, 5], [5, 0]])
        expectEqual(list.take().map(\.old), [[1], [1, 2]])
    }

    @Test(
        "is no edit of an array of which an earlier edit has not been told yet: a copy stays equal",
        arguments: [false, true])
    func mirror(isCoalesced: Bool) {
        let sum = Sum()
        var (copy, kinds): ([Int], [ChangeKind]) = ([], [])
        sum.$list.observe(options: .new) { change in
            change.apply(to: &copy)
            kinds.append(change.kind)
        }
        func edit() {
            sum.$list.append(1)
            onAnotherThread { sum.$list.append(2) }
            expectEqual(copy, [1, 2])
            sum.$list.remove(at: 0)
        }
        if isCoalesced { coalescingChanges(edit) } else { sum.$list.withMutation(edit) }
        expectEqual(copy, [2])
        sum.$list.append(3)
        expectEqual(copy, [2, 3])
        expectEqual(kinds, [.setting, .setting, .insertion])
    }

    @Test(
        "is no edit of an array that another open change has edited, whichever ends first: a copy stays equal",
        arguments: [.new, [.old, .new]] as [ObservingOptions])
    func twoOpen(options: ObservingOptions) {
        let (sum, begun, over) = (Sum(), Door(), Door())
        var (copy, kinds): ([Int], [ChangeKind]) = ([], [])
        sum.$list.observe(options: options) { change in
            change.apply(to: &copy)
            kinds.append(change.kind)
        }
        let other = coalescingChanges {
            sum.$list.append(1)
            let other = Thread {
                coalescingChanges {
                    sum.$list.remove(at: 0)
                    begun.open()
                    over.wait()
                }
            }
            begun.wait()
            return other
        }
        #expect(copy.isEmpty && kinds == [.setting])
        over.open()
        other.join()
        #expect(copy.isEmpty && kinds == [.setting, .setting])
    }

    @Test(
        "brings an observer up to date that another thread has added meanwhile, at the next edit behind it",
        arguments: [false, true])
    func addedElsewhere(isEdited: Bool) {
        let sum = Sum()
        var copy: [Int] = []
        sum.$list.observe { _ in }
        sum.$list.withMutation {
            sum.$list.append(1)
            onAnotherThread {
                sum.$list.observe(options: [.initial, .new]) { $0.apply(to: &copy) }
                if isEdited { sum.$list.append(2) }
            }
            expectEqual(copy, sum.list)
            sum.$list.remove(at: 0)
        }
        sum.$list.append(3)
        expectEqual(copy, sum.list)
        sum.$list.append(4)
        expectEqual(copy, sum.list)
    }

    @Test("an edit for an observer that was added after another edit in the same coalescing is one") func added() {
        let sum = Sum()
        let (first, second) = (Recorder<[Int]>(), Recorder<[Int]>())
        sum.$list.observe(options: [.old, .new], first.handler())
        coalescingChanges {
            sum.$list.append(1)
            sum.$list.observe(options: [.old, .new], second.handler())
            sum.$list.append(2)
        }
        expectEqual(first.entries.map(\.kind), [.setting])
        expectEqual(second.entries.map(\.kind), [.insertion])
    }

    @Test("leaves nothing behind, and costs nothing when both are over") func nothingStays() {
        let tracker = LifetimeTracker()
        do {
            final class Holder: Model { @Observed var object: Sum? }
            let holder = tracker.track(Holder())
            let watcher = tracker.track(Holder())
            watcher.observe(reading: { [unowned holder] _ in holder.object }, options: [.old, .new]) { _, _ in }
            coalescingChanges {
                holder.object = tracker.track(Sum())
                onAnotherThread { holder.object = tracker.track(Sum()) }
                holder.object = nil
            }
            for object in [holder, watcher] { #expect(object.record!.guarded.details?.told.isEmpty ?? true) }
        }
        tracker.expectNoLeaks()
    }
}
