import AutoKVO
import AutoKVOTestSupport
import Testing

/// A change calls a handler that ignores it once, if any of its paths is one that is called.
final class OnceForAChangeTests {
    private class Meter: Model {
        @Observed var level = 0
        @Observed var name = "m"
        @Observed var next: Meter?
        @Observed var items: [Meter] = []
        var isHigh: Bool { level > 9 }
        @Derived({ (meter: Meter) in "\(meter.level) \(meter.next?.level ?? 0)" }) var text: String
        @Derived({ (meter: Meter) in meter.items.reduce(0) { $0 + $1.level } }) var sum: Int
        var reloads = 0
        func reload() { reloads += 1 }

        override class var schema: Schema {
            Schema(Meter.self, extending: super.schema) {
                Key("isHigh", \.isHigh, affectedBy: "level")
                Handler("reload", Meter.reload)
            }
        }
    }

    private let tracker = LifetimeTracker()
    private var meter, panel: Meter!
    private var calls = 0

    init() {
        meter = make()
        panel = make()
    }

    deinit {
        meter = nil
        panel = nil
        tracker.expectNoLeaks()
    }

    private func make() -> Meter { tracker.track(Meter()) }

    /// Observes paths of objects in both forms of a handler that ignores the change.
    private func observe(
        _ paths: [String], of targets: [Meter]? = nil, options: ObservingOptions = []
    ) throws -> [KeyValueObservation] {
        let targets = targets ?? [meter]
        let dependencies = targets.map { Dependency($0, paths) }
        return [
            try dependencies.addObserver(panel, options: options, userInfo: nil) { [unowned self] _ in calls += 1 },
            try targets.addObserver(panel, forKeyPath: paths, options: options, handler: "reload"),
        ]
    }

    /// How often a change calls a handler: the same for both forms.
    private func callsMade(sourceLocation: SourceLocation = #_sourceLocation, by change: () throws -> Void) rethrows
        -> Int
    {
        (calls, panel.reloads) = (0, 0)
        try change()
        expectEqual(calls, panel.reloads, sourceLocation: sourceLocation)
        return calls
    }

    // MARK: Never twice

    @Test("several longer paths are one call, the key of one of them is one") func longerPaths() throws {
        let (first, second) = (make(), make())
        meter.next = first
        _ = try observe(["next.level", "next.name"])
        try panel.depend(on: [Dependency(meter, ["next.level", "next.name"])]) { _ in }
        expectEqual(callsMade { meter.next = second }, 1)
        expectEqual(callsMade { second.name = "x" }, 1)
        expectEqual(callsMade { first.name = "x" }, 0)
        expectEqual(callsMade { meter.next = nil }, 1)
    }

    @Test("paths that share an object on the way are one call") func sharedIntermediates() throws {
        let (middle, end) = (make(), make())
        meter.next = middle
        middle.next = end
        _ = try observe(["next.next.level", "next.next.name", "next.next.next.level", "next.next"])
        expectEqual(callsMade { middle.next = make() }, 1)
        expectEqual(callsMade { meter.next = nil }, 1)
    }

    @Test("operators over one list are one call, for the list and for an element") func operators() throws {
        let element = make()
        _ = try observe(["items.@sum.level", "items.@max.level", "items.@count"])
        expectEqual(callsMade { meter.items = [element] }, 1)
        expectEqual(callsMade { meter.$items.append(make()) }, 1)
        expectEqual(callsMade { element.level = 3 }, 1)
    }

    @Test("keys and longer paths of one observation are one call") func keysAndPaths() throws {
        meter.next = meter
        defer { meter.next = nil }
        _ = try observe(["next.level", "level", "isHigh", "next.isHigh", "name"])
        expectEqual(callsMade { meter.level = 3 }, 1)
        expectEqual(callsMade { meter.name = "x" }, 1)
    }

    @Test("many targets that one change concerns are one call") func manyTargets() throws {
        let shared = make()
        let targets = (0..<40).map { _ in make() }
        for target in targets { target.next = shared }
        _ = try observe(["next.level", "next.name", "level"], of: targets)
        expectEqual(callsMade { shared.level = 1 }, 1)
        expectEqual(callsMade { targets[7].next = nil }, 1)
        expectEqual(callsMade { for target in targets { target.level = 1 } }, 40)
    }

    @Test("derived values, what they read, paths and operators to them are one call") func derived() throws {
        let element = make()
        (meter.next, meter.items) = (element, [element])
        _ = try observe(["text", "sum", "level", "next.text", "items.@max.text", "items.@sum.level"])
        expectEqual(callsMade { element.level = 3 }, 1)
        expectEqual(callsMade { meter.level = 3 }, 1)
        expectEqual(callsMade { meter.items = [] }, 1)
        expectEqual(callsMade { coalescingChanges { (meter.level, element.level) = (4, 4) } }, 1)
        // Only one of the derived values is another one, and it is not the first path.
        expectEqual(callsMade { meter.$items.append(element) }, 1)
        meter.next = nil
    }

    @Test("with .distinct the one derived value that is another one calls, wherever it stands") func derivedDistinct()
        throws
    {
        let other = make()
        meter.items = [other]
        for paths in [["sum", "text"], ["text", "sum"], ["items.@count", "sum", "text"]] {
            let observations = try observe(paths, options: .distinct)
            expectEqual(callsMade { other.level += 1 }, 1)
            expectEqual(callsMade { meter.level += 1 }, 1)
            expectEqual(callsMade { meter.level += 0 }, 0)
            expectEqual(
                callsMade {
                    coalescingChanges {
                        meter.level += 1
                        meter.level -= 1
                    }
                }, 0)
            for observation in observations { observation.remove() }
        }
    }

    @Test("handles, and a path that dies with an object on the way, are one call each") func handles() throws {
        var last: Meter? = make()
        meter.next = make()
        meter.next!.next = last
        try panel.depend(on: [
            Dependency(meter.$next.$next.$level), Dependency(meter.$next.$next.$name), Dependency(meter.$level),
            Dependency(meter, "next.next.isHigh"),
        ]) { [unowned self] _ in calls += 1 }
        calls = 0
        last!.level = 20
        expectEqual(calls, 1)
        last = nil
        meter.next!.next = nil
        expectEqual(calls, 2)
        meter.next = nil
        expectEqual(calls, 3)
    }

    @Test("an edit that a handler makes between the two is one more call") func nestedEdits() throws {
        try meter.observe("items.@count", as: Int.self, options: .new) { [unowned self] change in
            if change.newValue! > 2 { meter.$items.removeFirst() }
        }
        _ = try observe(["items.@sum.level", "sum", "items", "items.@count"])
        expectEqual(callsMade { for _ in 0..<2 { meter.$items.append(make()) } }, 2)
        expectEqual(callsMade { meter.$items.append(make()) }, 2)
        expectEqual(meter.items.count, 2)
    }

    @Test("with .prior one call before the change and one after it") func prior() throws {
        meter.next = make()
        _ = try observe(["next.level", "next.name"], options: .prior)
        expectEqual(callsMade { meter.next = make() }, 2)
        expectEqual(callsMade { meter.next!.level = 1 }, 2)
        expectEqual(callsMade { meter.withMutation(of: "next") { meter.next = nil } }, 2)
    }

    @Test("a block of changes is one call, for whichever path has changed in the end") func coalescing() throws {
        meter.next = make()
        _ = try observe(["isHigh", "level", "next.level", "next.name"], options: .distinct)
        expectEqual(
            callsMade {
                coalescingChanges {
                    meter.next!.name = "x"
                    meter.level = 1
                    meter.level = 0
                    meter.next!.level = 1
                    meter.next!.level = 0
                }
            }, 1)
        expectEqual(
            callsMade {
                coalescingChanges {
                    meter.level = 1
                    meter.level = 0
                }
            }, 0)
    }

    @Test("each write that another handler makes is one more call, before and behind that handler")
    func nestedWrites() throws {
        meter.next = make()
        _ = try observe(["next.level", "next.isHigh", "next.name"])
        try meter.observe("next.level") { [unowned self] _ in
            if let next = meter.next, next.level < 3 { next.level += 1 }
        }
        _ = try observe(["next.level", "next.isHigh", "next.name"])
        expectEqual(callsMade { meter.next!.level = 1 }, 3 * 2)
        // A write that concerns a path which the outer change does not, in the middle of its delivery.
        try meter.observe("next.name") { [unowned self] _ in meter.next!.level = 7 }
        _ = try observe(["next.level", "next.name"])
        expectEqual(callsMade { meter.next!.name = "x" }, 3 * 2)
        expectEqual(callsMade { meter.next = make() }, 5 * 3)
    }

    @Test("a handler that writes the same key again is called once for each write") func writesItself() throws {
        meter.next = make()
        var depth = 0
        try [Dependency(meter, ["next.level", "next.isHigh"])].addObserver(panel, userInfo: nil) {
            [unowned self] _ in
            calls += 1
            depth += 1
            if depth < 4 { meter.next!.level += 6 }
            depth -= 1
        }
        meter.next!.level = 1
        expectEqual(calls, 4)
    }

    // MARK: Always once

    @Test("a path whose value has not changed does not take the call of another") func distinct() throws {
        _ = try observe(["isHigh", "level"], options: .distinct)
        expectEqual(callsMade { meter.level = 1 }, 1)
        expectEqual(callsMade { meter.level = 1 }, 0)
        expectEqual(callsMade { meter.level = 20 }, 1)
        meter.next = make()
        _ = try observe(["next.isHigh", "next.level"], options: .distinct)
        expectEqual(callsMade { meter.next!.level = 2 }, 1)
    }

    @Test("a target that died does not take the call of another") func deadTarget() throws {
        let shared = make()
        var dying: Meter? = make()
        dying!.next = shared
        meter.next = shared
        shared.$level.observe { _ in dying = nil }
        _ = try observe(["next.level", "next.name"], of: [dying!, meter])
        expectEqual(callsMade { shared.level = 1 }, 1)
        #expect(dying == nil)
        dying = make()
        dying!.next = shared
        _ = try observe(["next.level", "level"], of: [dying!, shared])
        expectEqual(callsMade { shared.level = 2 }, 2, "the observation of before is called, too")
        #expect(dying == nil)
    }

    @Test("a path that an earlier handler removed does not take the call of another") func removedPath() throws {
        meter.next = make()
        var victims: [KeyValueObservation] = []
        meter.next!.$level.observe { _ in for victim in victims { victim.remove(keyPath: "next.isHigh") } }
        victims = try observe(["next.isHigh", "next.level"])
        expectEqual(callsMade { meter.next!.level = 1 }, 1)
        #expect(victims.allSatisfy { $0.keyPaths == ["next.level"] })
        meter.$level.observe { _ in for victim in victims { victim.remove(keyPath: "isHigh") } }
        victims = try observe(["isHigh", "level"])
        expectEqual(callsMade { meter.level = 1 }, 1)
        #expect(victims.allSatisfy { $0.keyPaths == ["level"] })
    }

    #if DEBUG
        @Test("a path that is removed before the initial call does not take it from another") func initial() throws {
            meter.next = make()
            TestPoint.linked.whenReached { [unowned self] in panel.stopObserving("next.isHigh", of: meter) }
            try [Dependency(meter, ["next.isHigh", "next.level"])].addObserver(
                panel, options: .initial, userInfo: nil
            ) { [unowned self] _ in calls += 1 }
            expectEqual(calls, 1)
            expectEqual(panel.stopObserving("next.level", of: meter), 1)
        }
    #endif

    @Test("with .once it is the change that calls, whichever path it is") func once() throws {
        meter.next = make()
        _ = try observe(["next.isHigh", "next.level"], options: [.once, .distinct])
        expectEqual(callsMade { meter.next!.level = 0 }, 0)
        expectEqual(callsMade { meter.next!.level = 1 }, 1)
        expectEqual(callsMade { meter.next!.level = 20 }, 0)
    }

    @Test("with .once and .prior both calls are made, if only for another path of the change") func onceAndPrior()
        throws
    {
        for head in ["", "next."] {
            meter.next = make()
            meter.level = 0
            let observations = try observe(["\(head)isHigh", "\(head)level"], options: [.once, .prior, .distinct])
            let target: Meter = head.isEmpty ? meter : meter.next!
            expectEqual(callsMade { target.level = 1 }, 2)
            expectEqual(callsMade { target.level = 20 }, 0)
            for observation in observations { try observation.rearm() }
            expectEqual(callsMade { target.level = 20 }, 1, "the value is the same after the prior call")
            expectEqual(callsMade { target.level = 0 }, 2)
        }
    }

    @Test("a change that a manual observation's handler is called for is one call") func manual() throws {
        meter.next = make()
        let observations = try observe(["next.level", "next.name"], options: .unregisterManually)
        expectEqual(callsMade { meter.next = make() }, 1)
        for observation in observations { observation.remove() }
        expectEqual(callsMade { meter.next = nil }, 0)
    }

    // MARK: What is one change

    @Test("a change inside another one is a change of its own") func openChanges() throws {
        meter.next = make()
        _ = try observe(["level", "name", "next.level"])
        expectEqual(callsMade { meter.withMutation(of: "level") { meter.level = 1 } }, 1)
        expectEqual(callsMade { meter.withMutation(of: "level") { meter.name = "x" } }, 2)
    }

    @Test("a change that ends later calls for what both concern") func interleavedChanges() throws {
        final class Pair: TrackedObject {
            @Observed var a = 0
            @Observed var b = 0
            var sum: Int { a + b }
            override class var schema: Schema {
                Schema(Pair.self, extending: super.schema) { Key("sum", \.sum, affectedBy: "a", "b") }
            }
        }
        let pair = Pair()
        var sums: [Int] = []
        try panel.depend(on: [Dependency(pair, ["a", "sum"])]) { _ in sums.append(pair.sum) }
        pair.willChangeValue(forKey: "a")
        pair.willChangeValue(forKey: "b")
        pair.a = 1
        pair.didChangeValue(forKey: "a")
        pair.b = 2
        pair.didChangeValue(forKey: "b")
        expectEqual(sums, [0, 1, 3])
    }
}
