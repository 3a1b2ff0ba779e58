import AutoKVO
import AutoKVOTestSupport
import Testing

/// Derived keys.
struct DerivedTests {
    let box = DerivedBox()
    let recorder = Recorder<Any>()

    @Test("only the derived key observed: one call for it, none for its base, new computed after the set") func one()
        throws
    {
        try box.observe("sum", options: [.new], recorder.handler())
        box.a = 5
        expectEqual(recorder.paths, ["sum"])
        expectEqual(recorder.last?.new as? Int, 7)
    }

    @Test("old is the derived value from before, also two levels up") func old() throws {
        try box.observe("twice", options: [.old, .new], recorder.handler())
        box.a = 5
        expectEqual(recorder.last?.old as? Int, 6)
        expectEqual(recorder.last?.new as? Int, 14)
    }

    @Test("through a chain, and by two roads at once, each base set is exactly one call with the final value")
    func chain() throws {
        for path in ["twice", "both"] { try box.observe(path, options: [.old, .new], recorder.handler()) }
        box.b = 3
        expectEqual(recorder.paths.sorted(), ["both", "twice"])
        expectEqual(recorder.entries.first { $0.keyPath == "both" }?.new as? Int, 12)
        expectEqual(recorder.entries.first { $0.keyPath == "both" }?.old as? Int, 9)
    }

    @Test("one observation of a key and its dependents is called once for each of them, with its own values")
    func group() throws {
        try box.observe(["a", "sum", "twice", "both"], options: [.prior, .old, .new], recorder.handler())
        box.a = 9
        expectEqual(recorder.priors, [true, true, true, true, false, false, false, false])
        expectEqual(recorder.paths, ["a", "sum", "twice", "both", "a", "sum", "twice", "both"])
        expectEqual(recorder.entries.suffix(4).map { $0.new as? Int }, [box.a, box.sum, box.twice, box.both])
        expectEqual(
            recorder.entries.suffix(4).map { $0.old as? Int }, recorder.entries.prefix(4).map { $0.old as? Int })
    }

    @Test("derived from two keys: each set is one call") func twoBases() throws {
        try box.observe("isSame", options: [.new], recorder.handler())
        box.a = 7
        box.b = 7
        expectEqual(recorder.news(Bool.self), [false, true])
    }

    @Test("a key announced by itself and its two bases set once each: three calls") func three() throws {
        try box.observe("sum", recorder.handler())
        box.withMutation(of: "sum") {}
        box.a = 2
        box.b = 4
        expectEqual(recorder.count, 3)
    }

    @Test("two roots that depend on one remote key are both told") func twoRoots() throws {
        let shared = DerivedBox()
        let other = DerivedBox()
        box.inner = shared
        other.inner = shared
        try box.observe("innerSum", recorder.handler("box"))
        try other.observe("innerSum", recorder.handler("other"))
        try box.observe("mixed", recorder.handler("mixed"))
        shared.a = 4
        expectEqual(recorder.labels, ["box", "other"])
        shared.word = "x"
        expectEqual(recorder.labels, ["box", "other", "mixed"])
    }

    @Test("a derived key as the head of a path: the base swapped, the inner key set") func derivedHead() throws {
        let inner = DerivedBox()
        try box.observe("chosen.word", options: [.old, .new], recorder.handler())
        box.inner = inner
        inner.word = "w"
        expectEqual(recorder.news(String.self), ["hello world", "w"])
    }

    @Test("when the selection of a derived head switches, the newly selected one is heard and the old one not")
    func selection() throws {
        let first = DerivedBox()
        let second = DerivedBox()
        box.inner = first
        try box.observe("chosen.word", options: [.new], recorder.handler())
        box.a = 0
        first.word = "unheard"
        box.inner = second
        box.a = 1
        recorder.clear()
        first.word = "no"
        second.word = "yes"
        expectEqual(recorder.news(String.self), ["yes"])
    }

    @Test("derived by a path: the leaf, the middle and the head each are one call") func byPath() throws {
        try box.observe("deepWord", options: [.old, .new], recorder.handler())
        let middle = DerivedBox()
        box.inner = middle
        middle.inner = DerivedBox()
        middle.inner!.word = "x"
        box.inner = nil
        expectEqual(recorder.news(String.self), ["none", "hello world", "x", "none"])
        expectEqual(recorder.olds(String.self), ["none", "none", "hello world", "x"])
        recorder.clear()
        middle.inner!.word = "gone"
        expectEqual(recorder.count, 0)
        #expect(middle.observations().isEmpty)
    }

    @Test("path to a derived key of another object: attach is one call, after removal none") func derivedLeaf() throws {
        let observation = try box.observe("inner.twice", options: [.new], recorder.handler())
        let inner = DerivedBox()
        box.inner = inner
        expectEqual(recorder.news(Int.self), [6])
        inner.a = 2
        expectEqual(recorder.last?.new as? Int, 8)
        observation.remove()
        inner.a = 3
        box.inner = nil
        expectEqual(recorder.count, 2)
    }

    @Test("a subclass inherits dependencies, and what it adds to a key is added") func inherited() throws {
        let bigger = BiggerDerivedBox()
        for path in ["sum", "twice", "volume"] { try bigger.observe(path, options: [.old, .new], recorder.handler()) }
        bigger.a = 2
        expectEqual(recorder.paths.sorted(), ["sum", "twice", "volume"])
        expectEqual(recorder.entries.first { $0.keyPath == "volume" }?.new as? Int, 70)
        recorder.clear()
        bigger.c = 4
        expectEqual(recorder.paths.sorted(), ["sum", "twice", "volume"])
        expectEqual(recorder.entries.first { $0.keyPath == "twice" }?.old as? Int, 14)
        expectEqual(recorder.entries.first { $0.keyPath == "twice" }?.new as? Int, 16)
        recorder.clear()
        let plain = DerivedBox()
        try plain.observe("sum", recorder.handler())
        plain.a = 4
        expectEqual(recorder.count, 1)
    }

    @Test("announcing a base by hand announces what is derived from it") func manualBase() throws {
        try box.observe("twice", options: [.old, .new, .prior], recorder.handler())
        box.withMutation(of: "a") { box.a = 10 }
        expectEqual(recorder.priors, [true, false])
        expectEqual(recorder.last?.old as? Int, 6)
        expectEqual(recorder.last?.new as? Int, 24)
    }

    @Test("derived from an operator over a to-many: follows members and elements, and tells of settings")
    func fromOperator() throws {
        final class Circle: Model {
            @Observed var members: [Person] = []
            var total: Int { members.reduce(0) { $0 + $1.age } }
            var names: [String] { members.map(\.firstName) }
            override class var schema: Schema {
                Schema(Circle.self, extending: super.schema) {
                    Key("members", \.members)
                    Key("total", \.total, affectedBy: "members.@sum.age")
                    Key("names", \.names, affectedBy: "members")
                }
            }
        }
        let circle = Circle()
        try circle.observe(["total"], options: [.old, .new], recorder.handler())
        try circle.observe("names", options: [.new], recorder.handler())
        let person = Person()
        person.age = 3
        circle.$members.append(person)
        expectEqual(recorder.paths.sorted(), ["names", "total"])
        expectEqual(recorder.kinds, [.setting, .setting])
        recorder.clear()
        person.age = 5
        expectEqual(recorder.paths, ["total"])
        expectEqual(recorder.last?.old as? Int, 3)
        expectEqual(recorder.last?.new as? Int, 5)
    }

    @Test("dependencies hold for every wording, whichever comes first") func everyWording() throws {
        let first = DerivedBox()
        first.observe(\.sum, options: [.new]) { [recorder] _, change in
            expectEqual(change.newValue, 5)
            recorder.clear()
        }
        try first.observe("sum", options: [.new], recorder.handler())
        first.a = 3
        expectEqual(recorder.news(Int.self), [5])
        first.removeAllObservers()
    }

    @Test("a name computed from optional parts: one call each") func computedName() throws {
        final class Named: Model {
            @Observed var first: String?
            @Observed var last: String?
            var full: String? {
                let parts = [first, last].compactMap { $0 }
                return parts.isEmpty ? nil : parts.joined(separator: " ")
            }
            override class var schema: Schema {
                Schema(Named.self, extending: super.schema) {
                    Key("first", \.first)
                    Key("last", \.last)
                    Key("full", \.full, affectedBy: "first", "last")
                }
            }
        }
        let named = Named()
        var seen: [String??] = []
        named.observe(\.full, options: [.new]) { seen.append($1.newValue) }
        named.first = "Bob"
        named.last = "Jones"
        named.first = nil
        named.last = nil
        expectEqual(seen, [.some("Bob"), .some("Bob Jones"), .some("Jones"), .some(nil)])
    }

    @Test("prior and old work for derived keys, and prior reads the value from before") func prior() throws {
        var seen: [Int] = []
        try box.observe("twice", options: [.prior, .old]) { change in
            seen += [(change.target as! DerivedBox).twice, change.oldValue as! Int]
        }
        box.a = 2
        expectEqual(seen, [6, 6, 8, 6])
    }

    @Test("a derived key that nobody observes is not computed") func notComputed() throws {
        try box.observe("a", options: [.old, .new], recorder.handler())
        box.a = 5
        expectEqual(box.reads, 0)
    }

    @Test("while a derived key is observed, its object may die: with the remote object alive, and dying with it")
    func deaths() throws {
        let tracker = LifetimeTracker()
        let inner = tracker.track(DerivedBox())
        do {
            let root = tracker.track(DerivedBox())
            root.inner = inner
            try root.observe(["innerSum", "mixed", "deepWord"], recorder.handler())
            inner.a = 3
            expectEqual(recorder.count, 1)
        }
        inner.a = 4
        inner.word = "x"
        expectEqual(recorder.count, 1)
        expectEqual(tracker.liveCount, 1)
        do {
            let root = tracker.track(DerivedBox())
            root.inner = tracker.track(DerivedBox())
            root.inner!.inner = tracker.track(DerivedBox())
            try root.observe("deepWord", recorder.handler())
        }
        expectEqual(tracker.liveCount, 1)
    }

    @Test("a chain of 200 derived keys over 200 objects, without recursion at its deep end") func longChain() throws {
        var boxes = [DerivedBox()]
        for _ in 0..<200 {
            let next = DerivedBox()
            boxes.last!.inner = next
            boxes.append(next)
        }
        var path = ""
        for _ in 0..<200 { path += "inner." }
        try boxes[0].observe(path + "sum", options: [.new], recorder.handler())
        boxes[200].a = 40
        expectEqual(recorder.news(Int.self), [42])
        boxes[100].inner = nil
        expectEqual(recorder.count, 2)
        boxes[200].a = 41
        expectEqual(recorder.count, 2)
    }
}
