import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Holder: Model {
    @ObservedWeak var next: Holder?
    @Observed var name = "holder"
    @Derived({ (h: Holder) in h.next?.name ?? "nobody" }) var nextName: String
}

/// Observers that are added while a change is open.
struct AddedInsideTests {
    @Test func anObserverOfADerivedKeyHearsWhatIsStoredAfterItWasAdded() {
        let g = DerivedGraph()
        let (early, late) = (Recorder<Int>(), Recorder<Int>())
        g.$sum.observe(options: [.old, .new], early.handler())
        coalescingChanges {
            g.a = 1
            g.$sum.observe(options: [.old, .new], late.handler())
            g.b = 20
            g.a = 2
        }
        expectEqual(early.take().map { [$0.old, $0.new] }, [[10, 22]])
        expectEqual(late.take().map { [$0.old, $0.new] }, [[11, 22]])
    }

    @Test func itHearsNothingIfNothingIsStoredAfterwards() {
        let g = DerivedGraph()
        let (early, late) = (Recorder<Int>(), Recorder<Int>())
        g.$sum.observe(options: [.old, .new], early.handler())
        coalescingChanges {
            g.a = 1
            g.$sum.observe(options: [.old, .new], late.handler())
        }
        expectEqual(early.take().map { [$0.old, $0.new] }, [[10, 11]])
        #expect(late.take().isEmpty)
    }

    @Test func itHearsNothingIfTheValueIsTheOneItFound() {
        let g = DerivedGraph()
        let (early, late) = (Recorder<Int>(), Recorder<Int>())
        g.$sum.observe(options: [.old, .new], early.handler())
        coalescingChanges {
            g.a = 1
            g.$sum.observe(options: [.old, .new], late.handler())
            g.a = 5
            g.a = 1
        }
        expectEqual(early.take().map { [$0.old, $0.new] }, [[10, 11]])
        #expect(late.take().isEmpty)
    }

    @Test func aChangeOfAnotherBaseInsideAnOpenOneIsHeardByThoseAddedBetween() {
        let g = DerivedGraph()
        let logs = (0..<3).map { _ in Recorder<Int>() }
        g.$sum.observe(options: [.old, .new], logs[0].handler())
        g.$flag.withMutation {
            g.$a.withMutation {
                g.b = 20
                g.$sum.observe(options: [.old, .new], logs[1].handler())
                g.b = 30
                g.$sum.observe(options: [.old, .new], logs[2].handler())
                g.b = 40
            }
        }
        expectEqual(logs.map { $0.take().map { [$0.old, $0.new] } }, [[[10, 40]], [[20, 40]], [[30, 40]]])
        g.b = 50
        expectEqual(logs.map { $0.take().map { [$0.old, $0.new] } }, [[[40, 50]], [[40, 50]], [[40, 50]]])
    }

    @Test("partners of a group that are added inside are called once") func groups() throws {
        let g = DerivedGraph()
        let (early, late) = (Recorder<Any>(), Recorder<Any>())
        try g.observe(["sum", "b"], options: [.new], early.handler())
        try coalescingChanges {
            g.a = 1
            try g.observe(["sum", "b"], options: [.new], late.handler())
            g.a = 2
        }
        expectEqual(early.take().map { $0.new as? Int }, [12])
        expectEqual(late.take().map { $0.new as? Int }, [12])
    }
}

private final class Desk: Model {
    @Observed var graph = DerivedGraph()
}

/// Initial calls for several paths inside of a `coalescingChanges`, the first of which changes what the second path leads to.
struct InitialInsideTests {
    /// - Returns: What the observer was told of a sum that is 10 before and behind, and was 11 when it was told first.
    private func told(
        _ graph: DerivedGraph, _ target: TrackedObject, _ paths: [String], options: ObservingOptions
    ) throws -> [Int?] {
        var told: [Int?] = []
        try coalescingChanges {
            try target.observe(paths, options: options) { [unowned graph] (change: Change<Any>) in
                guard change.keyPath == paths[1] else {
                    graph.a = 1
                    return
                }
                told.append(change.newValue as? Int)
            }
            graph.a = 0
        }
        return told
    }

    @Test("no change of a path is reported before the path's own initial call, not even one made in another path's")
    func outsideOfOthers() throws {
        let (graph, desk) = (DerivedGraph(), Desk())
        desk.graph = graph
        var told: [String] = []
        let observation = try desk.observe(["graph.b", "graph.sum", "graph.a"], options: [.initial, .new, .prior]) {
            [unowned graph] (change: Change<Any>) in
            told.append(change.keyPath + (change.isPrior ? " prior" : " \(change.newValue ?? "-")"))
            if told.count == 1 { graph.a = 1 }
        }
        expectEqual(told, ["graph.b 10", "graph.sum 11", "graph.a 1"])
        told = ["again"]
        graph.a = 2
        expectEqual(told, ["again", "graph.sum prior", "graph.a prior", "graph.sum 12", "graph.a 2"])
        observation.remove()
    }

    @Test(arguments: [[], .distinct, .old] as [ObservingOptions])
    func whoWasToldAnotherValueIsToldThatItIsTheFormerOneAgain(of options: ObservingOptions) throws {
        let (graph, desk) = (DerivedGraph(), Desk())
        desk.graph = graph
        let options = options.union([.initial, .new])
        expectEqual(try told(graph, desk, ["graph.b", "graph.sum"], options: options), [11, 10])
        let log = Recorder<Int>()
        graph.$sum.observe(options: [.old, .new], log.handler())
        expectEqual(try told(graph, graph, ["b", "sum"], options: options), [11, 10])
        expectEqual(log.take().last?.new ?? 10, 10)
        graph.a = 3
        expectEqual(log.take().map { [$0.old, $0.new] }, [[10, 13]])
    }
}

/// A death that several weak properties see.
struct SharedReferentTests {
    @Test func isOneChangeOfAllOfThem() throws {
        let holders = (0..<3).map { _ in Holder() }
        defer { for holder in holders { holder.removeAllObservers() } }
        let log = Shared<[String]>([])
        for (index, holder) in holders.enumerated() {
            try holder.observe("next") { _ in
                log.value.append("\(index) " + holders.map { $0.next == nil ? "nil" : "object" }.joined(separator: " "))
            }
            holder.$nextName.observe(options: [.old, .new]) { log.value.append("\($0.oldValue!) to \($0.newValue!)") }
        }
        do {
            let referent = Holder()
            referent.name = "referent"
            for holder in holders { holder.next = referent }
            log.value = []
            withExtendedLifetime(referent) {}
        }
        expectEqual(
            log.value.filter { !$0.contains("to") }, ["0 nil nil nil", "1 nil nil nil", "2 nil nil nil"])
        expectEqual(log.value.filter { $0.contains("to") }, Array(repeating: "referent to nobody", count: 3))
    }

    @Test("a path that a handler of one moves to another one is told of the death, and of the move") func pathMoved()
        throws
    {
        let (first, second, root) = (Holder(), Holder(), Holder())
        let log = Recorder<Any>()
        root.next = first
        try root.observe("next.next", options: [.new], log.handler())
        try first.observe("next") { _ in root.next = second }
        do {
            let referent = Holder()
            first.next = referent
            second.next = referent
            log.clear()
            withExtendedLifetime(referent) {}
        }
        expectEqual(log.count, 2)
        withExtendedLifetime((first, second)) {}
    }

    @Test func whatReadsSeveralOfThemIsToldOnce() {
        let (first, second, reader) = (Holder(), Holder(), Model())
        var told: [Int] = []
        reader.observe(reading: { _ in (first.next == nil ? 0 : 1) + (second.next == nil ? 0 : 1) }, options: [.new]) {
            _, change in
            told.append(change.newValue ?? -1)
        }
        do {
            let referent = Holder()
            first.next = referent
            second.next = referent
        }
        expectEqual(told, [1, 2, 0])
    }
}

/// A change that another object's open change holds back.
struct HeldBackTests {
    @Test("it is delivered when that object dies without having ended its change") func death() throws {
        let (reader, other) = (Model(), DerivedGraph())
        var dying: DerivedGraph? = DerivedGraph()
        let address = Unmanaged.passUnretained(dying!)
        var isAlive = true
        var told: [Int] = []
        reader.observe(
            reading: { _ in (isAlive ? address._withUnsafeGuaranteedRef { $0.a } : 0) + other.a }, options: [.new]
        ) { _, change in told.append(change.newValue!) }
        dying!.willChangeValue(forKey: "a")
        other.a = 5
        expectEqual(told, [])
        isAlive = false
        dying = nil
        expectEqual(told, [5])
        other.a = 6
        expectEqual(told, [5, 6])
    }

    private final class Picker: Model {
        weak var dying: DerivedGraph?
        @Observed var isFirst = true
        @Observed var both: [Person] = [Person("Ann"), Person("Bob")]
        @Derived({ (picker: Picker) in picker.both[picker.isFirst && picker.dying?.a ?? 0 == 0 ? 0 : 1] }) var picked:
            Person
    }

    @Test("a path that it moves is told when that object dies without having ended its change") func pathMoved() throws
    {
        let picker = Picker()
        var dying: DerivedGraph? = DerivedGraph()
        picker.dying = dying
        var told: [String] = []
        try picker.observe("picked.firstName", as: String.self, options: [.old, .new]) {
            told.append("\($0.oldValue ?? "-") \($0.newValue ?? "-")")
        }
        dying!.willChangeValue(forKey: "a")
        picker.isFirst = false
        expectEqual(told, [])
        dying = nil
        expectEqual(told, ["Ann Bob"])
        picker.both[1].firstName = "Eve"
        expectEqual(told, ["Ann Bob", "Bob Eve"])
    }

    @Test(
        "an observer that is added inside of a change gets its prior call there, whoever observes",
        arguments: [false, true])
    func priorCall(isObserved: Bool) {
        let sum = DerivedGraph()
        if isObserved { sum.$sum.observe { _ in } }
        var calls: [Bool] = []
        sum.$a.withMutation {
            sum.$sum.observe(options: .prior) { calls.append($0.isPrior) }
            sum.b = 5
            expectEqual(calls.first, true)
        }
        expectEqual(calls, [true, false])
    }
}
