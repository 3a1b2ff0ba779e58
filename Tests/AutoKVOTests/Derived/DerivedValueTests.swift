import AutoKVO
import AutoKVOTestSupport
import Testing

/// Derived values.
struct DerivedValueTests {
    @Test func aDiamondIsComputedOnceAndCalledOnce() throws {
        let g = DerivedGraph()
        let log = Recorder<Int>()
        g.$top.observe(options: [.old, .new], log.handler())
        _ = g.computed.take()
        g.a = 5
        expectEqual(g.computed.take(), ["left": 1, "right": 1, "top": 1])
        expectEqual(log.take().map { [$0.old, $0.new] }, [[1, 16]])
    }

    @Test func whatIsNotChosenIsNotAskedFor() {
        let g = DerivedGraph()
        let log = Recorder<Int>()
        g.$chosen.observe(options: .new, log.handler())
        _ = g.computed.take()
        g.b = 11
        #expect(g.computed.take().isEmpty)
        g.flag = false
        expectEqual(log.take().map(\.new), [11])
        _ = g.computed.take()
        g.a = 1
        #expect(g.computed.take().isEmpty && log.take().isEmpty)
        g.b = 12
        expectEqual(log.take().map(\.new), [12])
    }

    @Test func anEqualValueIsNoChangeAndStopsThere() {
        let g = DerivedGraph()
        let log = Recorder<String>()
        g.$shown.observe(options: .new, log.handler())
        _ = g.computed.take()
        g.a = 5
        #expect(g.computed.take() == ["tens": 1] && log.take().isEmpty)
        g.a = 15
        expectEqual(g.computed.take(), ["tens": 1, "shown": 1])
        expectEqual(log.take().map(\.new), ["1"])
    }

    @Test func whatNobodyNeedsIsComputedAtEachReadAndAtNoChange() {
        let g = DerivedGraph()
        g.a = 1
        #expect(g.computed.take().isEmpty)
        #expect(g.top == 4 && g.top == 4)
        expectEqual(g.computed.take(), ["left": 2, "right": 2, "top": 2])
    }

    @Test func aValueThatIsKeptIsNotComputedForOtherReaders() throws {
        let g = DerivedGraph()
        let observation = g.$top.observe { _ in }
        _ = g.computed.take()
        #expect(g.top == 1 && g.left == 1)
        try expectEqual(g.value(forKey: "top") as? Int, 1)
        expectEqual(g.$top.value, 1)
        #expect(g.computed.take().isEmpty)
        observation.remove()
        _ = g.top
        expectEqual(g.computed.take(), ["left": 1, "right": 1, "top": 1])
        let log = Recorder<Any>()
        g.a = 3
        try g.observe("top", options: [.initial, .new], log.handler())
        expectEqual(log.news(Int.self), [10])
    }

    @Test func aReadNeverFindsAStaleValue() {
        let g = DerivedGraph()
        var seen: [Int] = []
        g.$a.observe(options: .prior) { [unowned g] _ in seen.append(g.top) }
        g.$top.observe { [unowned g] _ in seen.append(g.top) }
        g.a = 1
        expectEqual(seen, [1, 4, 4])
        seen = []
        coalescingChanges {
            g.a = 2
            seen.append(g.top)
            g.a = 3
            seen.append(g.top)
        }
        expectEqual(seen, [7, 10, 10, 10])
    }

    @Test func severalBasesInOneTransactionAreOneComputationAndOneCall() {
        let g = DerivedGraph()
        let log = Recorder<Int>()
        g.$sum.observe(options: [.old, .new], log.handler())
        _ = g.computed.take()
        coalescingChanges {
            g.a = 1
            g.b = 2
            g.a = 3
        }
        expectEqual(g.computed.take(), ["sum": 1])
        expectEqual(log.take().map { [$0.old, $0.new] }, [[10, 5]])
        coalescingChanges {
            g.a = 100
            g.a = 3
        }
        #expect(log.take().isEmpty)
        g.$a.withMutation {
            g.$b.withMutation {
                g.a = 7
                g.b = 7
            }
        }
        expectEqual(log.take().map { [$0.old, $0.new] }, [[5, 14]])
    }

    @Test func observersOfTheBaseComeFirstThenDerivedKeysAsDeclared() throws {
        let g = DerivedGraph()
        var order: [String] = []
        for key in ["top", "right", "left", "a"] { try g.observe(key) { order.append($0.keyPath) } }
        g.a = 1
        expectEqual(order, ["a", "left", "right", "top"])
    }

    @Test func aHandlerThatWritesAgainIsHeardInOrder() {
        let g = DerivedGraph()
        let (early, late) = (Recorder<Int>(), Recorder<Int>())
        g.$top.observe(options: [.old, .new], early.handler())
        g.$top.observe { [unowned g] _ in if g.a < 3 { g.a += 1 } }
        g.$top.observe(options: [.old, .new], late.handler())
        g.a = 1
        expectEqual(early.entries.map(\.new), [4, 7, 10])
        expectEqual(late.entries.map(\.new), [4, 7, 10])
        expectEqual(late.entries.map(\.old), [1, 4, 7])
    }

    @Test func elementsOfACollectionAreFollowed() {
        let (cart, log) = (Cart(), Recorder<Int>())
        let (one, two) = (CartItem(1), CartItem(2))
        cart.$total.observe(options: [.old, .new], log.handler())
        cart.items.append(one)
        cart.$items.append(two)
        cart.items.append(one)
        one.price = 10
        expectEqual(log.take().map(\.new), [1, 3, 4, 22])
        cart.$items.sort { $0.price > $1.price }
        #expect(log.take().isEmpty)
        cart.$items.removeAll { $0 === one }
        one.price = 5
        expectEqual(log.take().map(\.new), [2])
        cart.items = []
        two.price = 7
        expectEqual(log.take().map(\.new), [0])
    }

    @Test func objectsOnTheWayAreFollowedWhateverBecomesOfThem() {
        let (cart, log, weak) = (Cart(), Recorder<String>(), Recorder<String?>())
        cart.$ownerName.observe(options: .new, log.handler())
        cart.$guestName.observe(options: [.old, .new], weak.handler())
        let (ann, bob) = (Person("Ann"), Person("Bob"))
        cart.owner = ann
        cart.owner = bob
        ann.firstName = "Anna"
        bob.firstName = "Bobby"
        cart.owner = nil
        bob.firstName = "?"
        expectEqual(log.take().map(\.new), ["Ann", "Bob", "Bobby", "nobody"])
        var guest: Person? = Person("Gus")
        cart.guest = guest
        guest = nil
        expectEqual(weak.take().map { [$0.old, $0.new] }, [[.some(nil), "Gus"], ["Gus", .some(nil)]])
        _ = guest
    }

    @Test func aDerivedValueKeepsNoObjectAlive() {
        let cart = Cart()
        let observation = cart.$dearest.observe { _ in }
        weak var item: CartItem?
        do {
            let made = CartItem(3)
            item = made
            cart.items = [made]
            #expect(cart.dearest === made)
        }
        cart.items = []
        #expect(item == nil && cart.dearest == nil)
        observation.remove()
    }

    @Test func itIsAKeyInPathsOperatorsBindingsAndDescriptions() throws {
        let (cart, log, sums) = (Cart(), Recorder<Any>(), Recorder<Any>())
        let shop = CartShop()
        shop.cart = cart
        shop.carts = [cart, Cart()]
        try shop.observe("cart.total", options: [.old, .new], log.handler())
        try shop.observe("carts.@sum.total", options: .new, sums.handler())
        shop.$shown.bind(to: cart.$total)
        try cart.observe("dear", options: .new, log.handler())
        cart.items = [CartItem(5)]
        #expect(log.news(Int.self) == [5] && sums.news(Int.self) == [5] && shop.shown == 5)
        cart.items = [CartItem(500)]
        expectEqual(log.paths, ["cart.total", "dear", "cart.total"])
        cart.items = [CartItem(500)]
        expectEqual(log.count, 3)
        let described = Cart.keyDescriptions.first { $0.name == "total" }
        #expect(described?.isDerived == true && described?.affectedBy == [] && described?.isSettable == false)
        #expect(throws: KeyValueError.self) { try cart.setValue(1, forKey: "total") }
    }

    @Test func aKeyOfAComputedPropertyFindsWhatItReads() throws {
        let (cart, log) = (Cart(), Recorder<Any>())
        try cart.observe("label", options: [.old, .new], log.handler())
        cart.items = [CartItem(1)]
        cart.owner = Person("Ann")
        cart.owner?.firstName = "Bea"
        cart.items = [CartItem(2)]
        expectEqual(log.news(String.self), ["1 for nobody", "1 for Ann", "1 for Bea"])
        expectEqual(Cart.keyDescriptions.first { $0.name == "label" }?.isDerived, true)
    }

    @Test func priorOnceAndDistinct() throws {
        let g = DerivedGraph()
        let (priors, once) = (Recorder<Int>(), Recorder<Int>())
        let prior = g.$tens.observe(options: [.old, .new, .prior], priors.handler())
        g.$tens.observe(options: [.old, .new, .once, .prior], once.handler())
        g.a = 5
        expectEqual(priors.take().map(\.isPrior), [true])
        g.a = 25
        expectEqual(priors.take().map { [$0.old, $0.new] }, [[0, nil], [0, 2]])
        g.a = 45
        expectEqual(once.entries.map(\.isPrior), [true, true, false])
        expectEqual(once.entries.last?.new, 2)
        prior.remove()
        let distinct = Recorder<Int>()
        g.$tens.observe(options: [.new, .distinct], distinct.handler())
        g.a = 46
        g.a = 56
        expectEqual(distinct.entries.map(\.new), [5])
    }

    @Test func untrackedReadsAreNotFollowed() {
        let (g, log) = (DerivedGraph(), Recorder<Int>())
        g.$half.observe(options: .new, log.handler())
        g.a = 3
        #expect(log.take().isEmpty)
        g.b = 4
        expectEqual(log.take().map(\.new), [7])
    }

    @Test func aWriteWhileComputingIsDoneReportedAndHeard() {
        let (writer, log) = (CountingWriter(), Recorder<Int>())
        writer.$count.observe(options: .new, log.handler())
        let reported = messages { writer.$doubled.observe { _ in } }
        #expect(log.take().map(\.new) == [1] && reported.contains { $0.contains("CountingWriter.count") })
        let again = messages { writer.value = 4 }
        #expect(writer.count == 2 && writer.doubled == 8 && !again.isEmpty)
    }

    @Test func aCircleTraps() async {
        await #expect(processExitsWith: .failure) { _ = DerivedGraph().first }
        await #expect(processExitsWith: .failure) { DerivedGraph().$first.observe { _ in } }
    }

    @Test("a circle that a change closes traps, whichever of its values is observed") func aCircleThatCloses() async {
        await #expect(processExitsWith: .failure) {
            ClosingCircle().close { $0.$first.observe(options: .new) { _ in } }
        }
        await #expect(processExitsWith: .failure) {
            ClosingCircle().close { $0.$second.observe(options: .new) { _ in } }
        }
        await #expect(processExitsWith: .failure) {
            ClosingCircle().close { $0.$third.observe(options: .new) { _ in } }
        }
        await #expect(processExitsWith: .failure) {
            let circle = ClosingCircle()
            circle.$third.observe(options: .new) { _ in }
            coalescingChanges { circle.isClosed = true }
        }
        // With `isShort` the second value does not read the first one, so there is no circle.
        let (circle, log) = (ClosingCircle(), Recorder<Int>())
        circle.$third.observe(options: .new, log.handler())
        coalescingChanges { (circle.isClosed, circle.isShort) = (true, true) }
        expectEqual(log.take().map(\.new), [9])
    }

    private final class ClosingCircle: TrackedObject {
        @Observed var isClosed = false
        @Observed var isShort = false
        @Derived({ (circle: ClosingCircle) in circle.isClosed ? circle.third + 1 : 0 }) var first: Int
        @Derived({ (circle: ClosingCircle) in circle.isShort ? 8 : circle.first + 1 }) var second: Int
        @Derived({ (circle: ClosingCircle) in circle.second + 1 }) var third: Int

        func close(_ observe: (ClosingCircle) -> KeyValueObservation) {
            _ = observe(self)
            isClosed = true
        }
    }

    @Test(
        "when an object dies that a weak property refers to, observers get the value from before, those of a path, too",
        .needs(.blankObject))
    func deathBehindAPath() throws {
        final class Node: TrackedObject {
            @Observed var a = 3
            @Observed var next: Node?
            @ObservedWeak var other: Node?
            @Derived({ (node: Node) in node.other?.a ?? -1 }) var seen: Int
        }
        let (root, node, log) = (Node(), Node(), Recorder<Int>())
        root.next = node
        var other: Node? = Node()
        node.other = other
        node.$seen.observe(options: [.old, .new], log.handler())
        root.$next.$seen.observe(options: [.old, .new], log.handler())
        try root.observe("next.seen", as: Int.self, options: [.old, .new], log.handler())
        other = nil
        expectEqual(log.take().map { [$0.old, $0.new] }, [[3, -1], [3, -1], [3, -1]])
        _ = other
    }

    @Test func manualAnnouncementsAreHeardThroughDidRead() {
        let (manual, log) = (ManualToken(), Recorder<Int>())
        manual.$doubled.observe(options: .new, log.handler())
        manual.stored = 4
        #expect(log.take().isEmpty)
        manual.withMutation(of: "token") { manual.stored = 5 }
        expectEqual(log.take().map(\.new), [10])
        manual.willChangeValue(forKey: "token")
        manual.stored = 6
        expectEqual(manual.doubled, 12)
        manual.stored = 7
        manual.didChangeValue(forKey: "token")
        #expect(log.take().map(\.new) == [14] && manual.doubled == 14)
    }

    @Test func aNameThatDidReadDoesNotKnowIsReported() {
        let manual = ManualToken()
        manual.$doubled.observe { _ in }
        #expect(
            messages { _ = manual.observe(reading: { $0.didRead("tokn") }) { _, _ in } }.contains {
                $0.contains("token")
            })
    }

    @Test func notANumberEqualsItself() {
        let (ratio, log) = (DerivedRatio(), Recorder<Double>())
        ratio.$value.observe(options: .new, log.handler())
        ratio.b = 0
        ratio.a = 0
        ratio.c += 1
        expectEqual(log.entries.count, 2)
    }

    @Test("in a deinit it is that of what the deinit has written, observed or not") func deinitialization() {
        final class Leaving: Model {
            @Observed var v = 1
            @Derived({ (object: Leaving) in object.v * 2 }) var double: Int
            @Derived({ (object: Leaving) in object.double + 1 }) var more: Int
            nonisolated(unsafe) static var last: [Int] = []
            deinit {
                v = 9
                Self.last = [double, more, $more.value]
            }
        }
        for isObserved in [false, true] {
            let object = Leaving()
            if isObserved { object.$more.observe { _ in } }
        }
        expectEqual(Leaving.last, [18, 19, 19])
    }

    @Test("setting one by name does not advise a Key, which would not help") func setting() {
        let error = #expect(throws: KeyValueError.self) { try DerivedGraph().setValue(1, forKey: "top") }
        #expect(error?.reason == .readOnlyKey && error?.description.contains("write Key") == false)
    }

    @Test func aLongChainIsChangedOnASmallStack() {
        let links = ChainLink.chain(10_000)
        var values: [Int] = []
        // Made live from the beginning: the first evaluation is as deep as the functions are.
        for link in links { link.$value.observe { _ in } }
        links.last!.$value.observe(options: .new) { values.append($0.newValue!) }
        nonisolated(unsafe) let box = (value: links, 0)
        onAnotherThread(stackSize: 512 * 1024) { box.value[0].base = 5 }
        expectEqual(values, [10_004])
        var chain = links
        while let last = chain.popLast() { last.previous = nil }
    }

    @Test("a chain is changed on a small stack where only its end is observed, too") func aLongChainObservedAtItsEnd() {
        // The thread sanitizer follows 65,536 calls.
        let links = ChainLink.chain(isSanitized ? 500 : 10_000)
        nonisolated(unsafe) let box = (links: links, values: Recorder<Int>())
        // The first evaluation is as deep as the functions are.
        onAnotherThread(stackSize: isSanitized ? 16 << 20 : 512 << 20) {
            box.links.last!.$value.observe(options: .new, box.values.handler())
        }
        onAnotherThread(stackSize: 512 * 1024) { box.links[0].base = 5 }
        expectEqual(box.values.take().map(\.new), [links.count + 4])
        var chain = links
        while let last = chain.popLast() { last.previous = nil }
    }

    @Test("a circle is named by its keys") func namedCircle() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = DerivedGraph().first
        }
        expectEqual(missing("DerivedGraph.first", "depends on itself, through", "DerivedGraph.second", in: result), [])
        let observed = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            DerivedGraph().$second.observe { _ in }
        }
        expectEqual(missing("DerivedGraph.first", "depends on itself", "DerivedGraph.second", in: observed), [])
    }

    @Test("after 1,000 changes of what is read now and then only that is known which was read last") func noGrowth() {
        let g = DerivedGraph()
        g.$chosen.observe { _ in }
        for index in 0..<1_000 {
            g.flag.toggle()
            (g.a, g.b) = (index, -index)
        }
        let address = UInt(bitPattern: Unmanaged.passUnretained(g).toOpaque())
        let reads = Diagnostics.graph().reads.filter { $0.object == address }
        expectEqual(reads.map(\.sourceKey).sorted(), ["a", "flag"])
    }

    @Test(
        "derived values that are made and dropped by the hundred thousand leave nothing, which the end of the tests shows"
    )
    func madeAndDropped() {
        let g = DerivedGraph()
        var calls = 0
        #if DEBUG
            let count = 20_000
        #else
            let count = 100_000
        #endif
        for index in 0..<count {
            let reader = ValueReader(g)
            reader.$seen.observe { _ in calls += 1 }
            if index % 1_000 == 0 { g.a += 1 }
        }
        expectEqual(calls, count / 1_000)
    }

    @Test func manyReadersOfOneValueAreComputedOnceEach() {
        let g = DerivedGraph()
        let readers = (0..<1_000).map { _ in ValueReader(g) }
        var calls = 0
        for reader in readers { reader.$seen.observe { _ in calls += 1 } }
        for reader in readers { reader.computations = 0 }
        g.a = 1
        #expect(calls == 1_000 && readers.allSatisfy { $0.computations == 1 })
    }

    @Test(
        "setting the last property of a path to an equal value calls its observer, also if a derived key on the way reads that property"
    )
    func equalValueAtItsEnd() throws {
        let ring = DerivedRing()
        ring.next = ring
        defer { ring.next = nil }
        let recorder = Recorder<Any>()
        try ring.observe("chosen.n", options: [.old, .new], recorder.handler())
        ring.n = 1
        ring.n = 200
        ring.n = 200
        expectEqual(recorder.news(Int.self), [1, 200, 200])
        coalescingChanges { ring.n = 200 }
        expectEqual(recorder.news(Int.self), [1, 200, 200, 200])
    }

    @Test(
        "the observer of a path is called once if the change moves the path and also changes the derived value at its end",
        arguments: ["next.sum", "next.computed"])
    func pathThroughItself(path: String) throws {
        let ring = DerivedRing()
        ring.next = ring
        defer { ring.next = nil }
        let recorder = Recorder<Any>()
        try ring.observe(path, options: [.old, .new], recorder.handler())
        ring.next = nil
        expectEqual(recorder.olds(Int.self), [2])
        ring.next = ring
        expectEqual(recorder.news(Int.self), [nil, 2])
        let observer = DerivedRing()
        ring.next = observer
        try ring.observe("next.next.sum", options: [.old, .new], recorder.handler())
        observer.next = ring
        #expect(recorder.paths.suffix(2).sorted() == [path, "next.next.sum"].sorted() && recorder.count == 5)
    }
}

final class CartShop: Model {
    @Observed var cart: Cart?
    @Observed var carts: [Cart] = []
    @Observed var shown = 0
}

final class CountingWriter: Model {
    @Observed var value = 1
    @Observed var count = 0
    @Derived({ (writer: CountingWriter) in
        writer.count += 1
        return writer.value * 2
    }) var doubled: Int
}

final class ManualToken: Model {
    var stored = 0
    var token: Int {
        didRead("token")
        return stored
    }
    @Derived({ (manual: ManualToken) in manual.token * 2 }) var doubled: Int
    override class var schema: Schema {
        Schema(ManualToken.self, extending: super.schema) { Key("token", \.token, notifiesAutomatically: false) }
    }
}

/// Its derived value reads what leads to it.
final class DerivedRing: Model {
    @Observed var n = 1
    @Observed var next: DerivedRing?
    @Derived({ (ring: DerivedRing) in ring.n + (ring.next?.n ?? 0) }) var sum: Int
    @Derived({ (ring: DerivedRing) in ring.n > 100 ? ring : ring.next }) var chosen: DerivedRing?
    var computed: Int { n + (next?.n ?? 0) }
    override class var schema: Schema {
        Schema(DerivedRing.self, extending: super.schema) { Key("computed", \.computed) }
    }
}

final class DerivedRatio: Model {
    @Observed var a = 1.0
    @Observed var b = 1.0
    @Observed var c = 0
    @Derived({ (ratio: DerivedRatio) in
        _ = ratio.c
        return ratio.a / ratio.b
    }) var value: Double
}

final class ValueReader: Model {
    let graph: DerivedGraph
    var computations = 0
    init(_ graph: DerivedGraph) { self.graph = graph }
    @Derived({ (reader: ValueReader) in
        reader.computations += 1
        return reader.graph.a
    }) var seen: Int
}
