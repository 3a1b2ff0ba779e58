import AutoKVO
import AutoKVOTestSupport
import Testing

private final class Node: Model {
    @ObservedWeak var next: Node?
    @Observed var value = 0
    @Observed var list = [1]
    @Observed var marks: Set<Int> = [1]
    var nextValue: Int? { next?.value }
    var hasNext: Bool { next != nil }
    override class var schema: Schema {
        Schema(Node.self, extending: super.schema) {
            Key("next", \.next)
            Key("value", \.value)
            Key("list", \.list)
            Key("marks", \.marks)
            Key("nextValue", \.nextValue, affectedBy: "next.value")
            Key("hasNext", \.hasNext, affectedBy: "next")
        }
    }
}

/// Weak properties.
struct WeakTests {
    private let node = Node()
    let tracker = LifetimeTracker()
    let recorder = Recorder<Any>()

    @Test("a weak property does not keep its object, observed or not", arguments: [true, false]) func doesNotKeep(
        observed: Bool
    ) throws {
        if observed { try node.observe("next", recorder.handler()) }
        do {
            let next = tracker.track(Node())
            node.next = next
            #expect(node.next === next)
        }
        tracker.expectNoLeaks()
        #expect(node.next == nil)
        #expect(recorder.count == (observed ? 2 : 0))
    }

    @Test("with .distinct the death of the object is told, though there is no old value") func distinct()
        throws
    {
        var calls = 0
        try node.observe("next", options: [.distinct, .old, .new]) { _ in calls += 1 }
        do { node.next = Node() }
        expectEqual(calls, 2)
        node.next = nil
        expectEqual(calls, 2)
    }

    @Test(
        "coalesced, an edit of what is at the end of a path and the death of its object are one setting, from all that there was"
    )
    func editAndDeath() throws {
        var next: Node? = Node()
        node.next = next
        var told: [String] = []
        for path in ["next.list", "next.marks"] {
            for options: ObservingOptions in [[.old, .new], .new] {
                try node.observe(path, options: options) {
                    told.append("\(path) \($0.kind) \($0.oldValue ?? "-") \($0.newValue!)")
                }
            }
        }
        coalescingChanges {
            next!.$list.append(2)
            next!.$marks.insert(2)
            next = nil
        }
        expectEqual(
            told,
            [
                "next.list setting [1] nil", "next.list setting - nil", "next.marks setting [1] nil",
                "next.marks setting - nil",
            ])
    }

    @Test("the death of the object is one change to nil") func death() throws {
        do {
            let next = tracker.track(Node())
            node.next = next
            try node.observe("next", options: [.new], recorder.handler())
        }
        expectEqual(recorder.count, 1)
        expectEqual(recorder.last?.kind, .setting)
        #expect(recorder.last?.new != nil)
        #expect(recorder.last?.new as? Node == nil)
        expectEqual(recorder.last?.isPrior, false)
    }

    @Test("a weak intermediate dies: one post change, new nil; heard again after reassignment") func intermediateDies()
        throws
    {
        let observation = try node.observe("next.value", options: [.new, .prior], recorder.handler())
        do {
            let next = tracker.track(Node())
            node.next = next
            next.value = 1
            recorder.clear()
            withExtendedLifetime(next) {}
        }
        expectEqual(recorder.priors, [false])
        #expect(recorder.last?.new != nil)
        #expect(recorder.last?.new as? Int == nil)
        #expect(observation.isValid)
        recorder.clear()
        let again = Node()
        again.value = 10
        node.next = again
        again.value = 11
        expectEqual(recorder.news(Int.self), [nil, 10, nil, 11])
    }

    @Test("the middle of three weak components dies") func middleDies() throws {
        let last = Node()
        last.value = 5
        var middle: Node? = tracker.track(Node())
        let first = Node()
        node.next = first
        first.next = middle
        middle!.next = last
        try node.observe("next.next.next.value", options: [.initial, .new], recorder.handler())
        expectEqual(recorder.last?.new as? Int, 5)
        middle = nil
        expectEqual(recorder.count, 2)
        #expect(recorder.last?.new as? Int == nil)
        last.value = 6
        expectEqual(recorder.count, 2)
        tracker.expectNoLeaks()
    }

    @Test("keys derived from a weak property, or through it, follow its death") func derived() throws {
        try node.observe("hasNext", options: [.new], recorder.handler())
        try node.observe("nextValue", options: [.new], recorder.handler())
        do {
            let next = Node()
            next.value = 4
            node.next = next
            expectEqual(recorder.paths.sorted(), ["hasNext", "nextValue"])
            recorder.clear()
            withExtendedLifetime(next) {}
        }
        expectEqual(recorder.paths.sorted(), ["hasNext", "nextValue"])
        expectEqual(recorder.entries.first { $0.keyPath == "hasNext" }?.new as? Bool, false)
        #expect(recorder.entries.first { $0.keyPath == "nextValue" }?.new as? Int == nil)
    }

    @Test("an object that was replaced before it died is not heard of") func replaced() throws {
        let stays = Node()
        try node.observe("next", recorder.handler())
        do {
            node.next = Node()
            recorder.clear()
            let leaves = tracker.track(Node())
            node.next = leaves
            node.next = stays
            recorder.clear()
        }
        expectEqual(recorder.count, 0)
        tracker.expectNoLeaks()
    }

    @Test("an object that is set and released at once is two changes") func temporary() throws {
        try node.observe("next", recorder.handler())
        func setAndRelease() { node.next = Node() }
        setAndRelease()
        expectEqual(recorder.count, 2)
        #expect(node.next == nil)
    }

    @Test("many weak references to one object are each told of its death, once") func many() throws {
        let nodes = (0..<20).map { _ in Node() }
        do {
            let shared = tracker.track(Node())
            for node in nodes {
                node.next = shared
                try node.observe("next", recorder.handler())
            }
        }
        expectEqual(recorder.count, 20)
        expectEqual(Set(recorder.entries.compactMap(\.target)).count, 20)
        tracker.expectNoLeaks()
    }

    @Test(
        "the observer of a weak property may die with the object referred to, in either order",
        arguments: [true, false])
    func bothDie(holderFirst: Bool) throws {
        var holder: Node? = tracker.track(Node())
        var referent: Node? = tracker.track(Node())
        holder!.next = referent
        try holder!.observe(["next.value", "hasNext"], recorder.handler())
        if holderFirst { holder = nil } else { referent = nil }
        #expect(recorder.paths.sorted() == (holderFirst ? [] : ["hasNext", "next.value"]))
        holder = nil
        referent = nil
        tracker.expectNoLeaks()
    }

    @Test(
        "a closure that is evaluated again because an object has died is released with its observation, also without a later change"
    )
    func computedForDeath() {
        let node = Node()
        var next: Node? = Node()
        node.next = next
        let token = { [tracker] in tracker.token() }
        let observation = node.observe(reading: { [token = token()] in
            token.touch()
            return $0.next != nil
        }) { [recorder] _, change in recorder.record(change) }
        next = nil
        expectEqual(recorder.count, 1)
        observation.remove()
        tracker.expectNoLeaks()
        recorder.clear()
    }

    @Test(
        "with .distinct the death is told, also if the property was set to nil in its object's deinit",
        arguments: ["next", "next.value"], [true, false])
    func setWhileItDies(path: String, isElsewhere: Bool) throws {
        final class Leaving: Model {
            @Observed var value = 2
            var leave: (() -> Void)?
            deinit { leave?() }
        }
        final class Owner: Model {
            @ObservedWeak var next: Leaving?
            @ObservedWeak var other: Leaving?
        }
        let owner = Owner()
        var (distinct, once, all) = (0, 0, Recorder<Any>())
        for other in [nil, Leaving()] {
            var next: Leaving? = Leaving()
            owner.next = next
            next!.leave = { [unowned owner] in
                func set() { owner.next = other }
                if isElsewhere { onAnotherThread(set) } else { set() }
            }
            (distinct, once) = (0, 0)
            try owner.observe(path, options: .distinct) { _ in distinct += 1 }
            try owner.observe(path, options: [.distinct, .once]) { _ in once += 1 }
            try owner.observe(path, options: .new, all.handler())
            next = nil
            #expect(owner.next === other && distinct == 1 && once == 1)
            // The set tells of the death, too.
            expectEqual(all.entries.count, 1)
            owner.removeAllObservers()
            all.clear()
        }
    }

    final class Leaving: Model {
        @Observed var value = 2
        var leave: (() -> Void)?
        deinit { leave?() }
    }
    final class Keeper: Model {
        @ObservedWeak var leaving: Leaving?
        @Observed var next: Keeper?
        @Observed var members: [Keeper] = []
        @Derived({ (keeper: Keeper) in keeper.next }) var further: Keeper?
    }

    /// There a path reads what it will be behind the death, but nobody has been told of that yet.
    @Test(
        "whatever the deinit of a weakly held object changes, every observer is called once",
        arguments: [
            "leaving", "leaving.value", "next.leaving", "next.leaving.value", "further.leaving.value",
            "members.@sum.leaving.value",
        ],
        [[], .distinct, [.distinct, .old, .new], [.old, .new]] as [ObservingOptions])
    func changesInDeinit(path: String, options: ObservingOptions) throws {
        let stays = Leaving()
        let changes: [(Keeper) -> Void] = [
            { ($0.leaving, $0.next, $0.members) = (nil, nil, []) },
            { keeper in
                keeper.withMutation(of: "leaving") { (keeper.leaving, keeper.leaving) = (stays, nil) }
                keeper.next = nil
                keeper.$members.removeFirst()
            },
            { keeper in
                coalescingChanges {
                    (keeper.leaving, keeper.leaving) = (stays, nil)
                    (keeper.next, keeper.next) = (Keeper(), nil)
                    keeper.$members.removeFirst()
                }
            },
        ]
        for (change, isCoalesced) in zip(changes + changes, [false, false, false, true, true, true]) {
            let (keeper, next, member) = (Keeper(), Keeper(), Keeper())
            var leaving: Leaving? = Leaving()
            (keeper.leaving, next.leaving, member.leaving) = (leaving, leaving, leaving)
            (keeper.next, keeper.members) = (next, [member])
            leaving!.leave = { [unowned keeper] in change(keeper) }
            try keeper.observe(path, options: options, recorder.handler())
            if isCoalesced { coalescingChanges { leaving = nil } } else { leaving = nil }
            expectEqual(recorder.count, 1)
            if options.contains(.new) {
                #expect(recorder.last?.old == nil)
                expectEqual(recorder.last?.new as? Int, path.contains("@") ? 0 : nil)
            }
            recorder.clear()
        }
    }

    @Test(
        "observers of what is affected by a derived value are called when the object dies that is the value",
        arguments: ["head", "isHeaded", "headValue"], [[], .distinct, [.old, .new]] as [ObservingOptions])
    func deathOfDerived(key: String, options: ObservingOptions) throws {
        final class Headed: Model {
            @ObservedWeak var friend: Leaving?
            @Derived({ (headed: Headed) in headed.friend }) var head: Leaving?
            var isHeaded: Bool { head != nil }
            var headValue: Int { head?.value ?? -1 }
            override class var schema: Schema {
                Schema(Headed.self, extending: super.schema) {
                    Key("isHeaded", \.isHeaded, affectedBy: "head")
                    Key("headValue", \.headValue, affectedBy: "head.value")
                }
            }
        }
        let headed = Headed()
        var friend: Leaving? = Leaving()
        headed.friend = friend
        try headed.observe(key, options: options, recorder.handler())
        friend!.value = 3
        recorder.clear()
        friend = nil
        expectEqual(recorder.count, 1)
        #expect(recorder.last?.old == nil)
        if key == "headValue", options.contains(.new) { expectEqual(recorder.last?.new as? Int, -1) }
        let next = Leaving()
        headed.friend = next
        expectEqual(recorder.count, 2)
        if key == "headValue", options.contains(.old) { expectEqual(recorder.last?.old as? Int, -1) }
    }

    @Test("a function in which an observation of a weak property ends has not read that", arguments: [false, true])
    func endedInFunction(dies: Bool) {
        final class Reader: Model {
            @Observed var value = 1
            @ObservedWeak var next: Reader?
            @Derived({ (reader: Reader) in reader.next?.value ?? 0 }) var nextValue: Int
        }
        let (reader, other) = (Reader(), Reader())
        other.next = reader
        other.$next.observe { _ in }
        var observer: Model? = Model()
        var ending: KeyValueObservation? = other.$nextValue.observe(for: observer!) { _, _ in }
        if dies { ending = nil }
        var evaluations = 0
        reader.observe(reading: { reader in
            evaluations += 1
            if dies { observer = nil } else { ending?.remove() }
            return reader.value
        }) { _, _ in }
        expectEqual(other.observations().count, 1)
        other.next = nil
        expectEqual(evaluations, 1)
        reader.value = 2
        expectEqual(evaluations, 2)
    }

    @Test("nor what the deinit of an object reads that is let go of there")
    func releasedInFunction() {
        final class Whole: Model {
            @Observed var value = 1
            @ObservedWeak var part: Leaving?
            @Derived({ (whole: Whole) in whole.part.map { [$0] } ?? [] }) var parts: [Leaving]
        }
        let (whole, other) = (Whole(), Whole())
        var part: Leaving? = Leaving()
        part!.leave = { [unowned other] in expectEqual(other.value, 1) }
        whole.part = part
        let observation = whole.$parts.observe { _ in }
        // The list that is kept keeps it.
        part = nil
        var evaluations = 0
        whole.observe(reading: { whole in
            evaluations += 1
            observation.remove()
            return whole.value
        }) { _, _ in }
        #expect(whole.part == nil && evaluations == 1)
        other.value = 2
        expectEqual(evaluations, 1)
        whole.value = 2
        expectEqual(evaluations, 2)
    }

    @Test("an object that refers weakly to itself dies quietly") func toItself() throws {
        do {
            let node = tracker.track(Node())
            node.next = node
            try node.observe(["next", "next.value", "hasNext"], recorder.handler())
        }
        tracker.expectNoLeaks()
        expectEqual(recorder.count, 0)
    }

    @Test("after the observation is removed the death is no change, and observing again sees nil") func removedBefore()
        throws
    {
        do {
            let next = Node()
            node.next = next
            let observation = try node.observe("next", recorder.handler())
            observation.remove()
        }
        expectEqual(recorder.count, 0)
        try node.observe("next", options: [.initial, .new], recorder.handler())
        #expect(recorder.last?.new as? Node == nil)
        let next = Node()
        node.next = next
        #expect(recorder.last?.new as? Node === next)
        recorder.clear()
    }

    @Test("objects that a computed property makes anew are not watched: their death is no change") func temporaries()
        throws
    {
        final class Maker: Model {
            @Observed var seed = 1
            var made: Address { Address("city \(seed)") }
            override class var schema: Schema {
                Schema(Maker.self, extending: super.schema) {
                    Key("seed", \.seed)
                    Key("made", \.made, affectedBy: "seed")
                }
            }
        }
        let maker = Maker()
        try maker.observe("made.city", options: [.new], recorder.handler())
        try maker.observe("made", recorder.handler())
        maker.seed = 2
        expectEqual(recorder.paths.sorted(), ["made", "made.city"])
        expectEqual(recorder.entries.first { $0.keyPath == "made.city" }?.new as? String, "city 2")
    }

    @Test("if several weak properties lose one object, all of them are told before what is derived from them")
    func severalHolders() {
        final class Holder: Model {
            @ObservedWeak var item: Node?
            @Derived({ (holder: Holder) in holder.item == nil ? 0 : 1 }) var count: Int
        }
        final class Panel: Model {
            let holders = [Holder(), Holder(), Holder()]
            @Derived({ (panel: Panel) in panel.holders.reduce(0) { $0 + $1.count } }) var total: Int
        }
        let panel = Panel()
        var item: Node? = Node()
        for holder in panel.holders { holder.item = item }
        var log: [String] = []
        panel.$total.observe(options: .new) { log.append("total \($0.newValue!)") }
        for holder in panel.holders { holder.$count.observe { _ in log.append("count") } }
        item = nil
        expectEqual(log, ["count", "count", "count", "total 0"])
    }

    @Test(
        "a weak property announced by hand tells of its object's death, also if it was set unannounced",
        arguments: [false, true])
    func silent(hadAnother: Bool) {
        final class Quiet: Model {
            @ObservedWeak var item: Node?
            override class var schema: Schema {
                Schema(Quiet.self, extending: super.schema) { Key("item", \.item, notifiesAutomatically: false) }
            }
        }
        let (quiet, first) = (Quiet(), Node())
        if hadAnother { quiet.item = first }
        var calls = 0
        quiet.$item.observe { _ in calls += 1 }
        var item: Node? = Node()
        quiet.item = item
        item = nil
        expectEqual(calls, 1)
        extendLifetime(first)
    }

    private final class Boss: Model {
        var onGone: (() -> Void)?
        deinit { onGone?() }
    }

    private final class Employee: Model {
        @Observed var name = ""
        @ObservedWeak var boss: Boss?
        @ObservedWeak var deputy: Boss?
    }

    @Test("the death of one property's object takes no old value from another one, whose object is dead already")
    func anotherDies() {
        let (employee, other) = (Employee(), Boss())
        var boss: Boss? = Boss()
        var deputy: Boss? = Boss()
        (employee.boss, employee.deputy) = (boss, deputy)
        var olds: [Boss??] = []
        employee.$boss.observe { _ in }
        employee.$deputy.observe(options: [.old, .new, .distinct]) { olds.append($0.oldValue) }
        deputy = nil
        expectEqual(olds.count, 1)
        boss!.onGone = { [unowned employee] in
            employee.deputy = nil
            employee.deputy = other
        }
        boss = nil
        // Each has an old value, which is nil.
        expectEqual(olds.dropFirst().map { $0.map { $0 == nil } ?? false }, [true])
        #expect(deputy == nil && boss == nil)
    }

    @Test(
        "a history records that another object takes the place of one that dies at the same time",
        arguments: [false, true])
    func recorded(isInDeinit: Bool) {
        let (employee, new) = (Employee(), Boss())
        var old: Boss? = Boss()
        employee.boss = old
        let history = UndoHistory(of: employee)
        employee.name = "x"
        history.undo()
        if isInDeinit {
            old!.onGone = { [unowned employee] in employee.boss = new }
            old = nil
        } else {
            coalescingChanges {
                old = nil
                employee.boss = new
            }
        }
        #expect(history.canUndo && !history.canRedo && employee.boss === new && old == nil)
        history.undo()
        #expect(employee.boss == nil)
        history.redo()
        #expect(employee.boss === new)
    }
}
