import AutoKVO
import AutoKVOTestSupport
import Testing

/// What edits through handles copy.
struct ArrayHandleCostTests {
    let crate = Crate()

    private func place() -> UnsafeRawPointer? {
        crate.items.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }

    /// Makes edits of every kind and checks that the elements stay in the same memory.
    private func expectInPlace(_ sourceLocation: SourceLocation = #_sourceLocation) {
        crate.items = Array(0..<100)
        crate.items.reserveCapacity(500)
        let before = place()
        let items = crate.$items
        items.append(1)
        items.insert(2, at: 0)
        items.append(contentsOf: [1, 2, 3])
        items.insert(contentsOf: [4, 5], at: 3)
        items[7] = 9
        items.swapAt(1, 9)
        items.remove(at: 4)
        items.removeSubrange(2..<5)
        items.replaceSubrange(0..<2, with: [1, 2, 3])
        items.removeAll { $0 % 7 == 0 }
        items.sort()
        items.reverse()
        items.value.append(4)
        expectEqual(place(), before, sourceLocation: sourceLocation)
    }

    @Test("nobody observes: nothing is copied") func unobserved() {
        expectInPlace()
    }

    @Test("an observer of new values, of elements: the array is not copied") func new() throws {
        try crate.observe("items", options: [.new]) { _ in }
        expectInPlace()
    }

    @Test("an observer without options, with prior calls, of the count: the array is not copied") func others() throws {
        try crate.observe("items") { _ in }
        try crate.observe("items", options: [.prior]) { _ in }
        try crate.observe("items.@count", options: [.new]) { _ in }
        expectInPlace()
    }

    @Test("proxies edit an observed property in place") func proxies() throws {
        crate.items = Array(0..<100)
        crate.items.reserveCapacity(500)
        try crate.observe("items", options: [.new]) { _ in }
        let before = place()
        let proxy = try crate.mutableArrayValue(forKey: "items")
        try proxy.append(1)
        try proxy.insert(2, at: 0)
        try proxy.remove(at: 3)
        try proxy.replace(at: 0, with: 8)
        expectEqual(place(), before)
        expectEqual(proxy.count, 101)
    }

    @Test("an element that goes is released after its observers were called") func release() {
        let tracker = LifetimeTracker()
        crate.people = [tracker.track(Person()), tracker.track(Person())]
        var live: [Int] = []
        crate.$people.observe { _ in live.append(tracker.liveCount) }
        crate.$people[0] = Person()
        #expect(live == [2] && tracker.liveCount == 1)
        crate.$people.value = []
        #expect(live == [2, 1] && tracker.liveCount == 0)
        tracker.expectNoLeaks()
    }
}

/// Holds people, and refers weakly to one of them.
private final class Squad: TrackedObject {
    @Observed var members: [Person] = []
    @Observed var pool: Set<Member> = []
    @ObservedWeak var captain: Person?

    final class Member: Person, Hashable {
        static func == (a: Member, b: Member) -> Bool { a === b }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    override class var schema: Schema {
        Schema(Squad.self, extending: super.schema) {
            Key("members", \.members)
            Key("pool", \.pool)
            Key("captain", \.captain)
        }
    }
}

/// Elements that die with their removal.
struct DyingElementTests {
    private typealias Edit = @Sendable (Squad) throws -> Void
    private static let edits: [Edit] = [
        { $0.$members.removeAll() }, { $0.$members.removeAll(keepingCapacity: true) }, { $0.$members.removeFirst(2) },
        { $0.$members.remove(at: 0) }, { $0.$members.removeAll { _ in true } }, { $0.$members[0] = Person() },
        { $0.$members.removeSubranges(indexes(0..<1)) }, { $0.$members.replaceSubrange(0..<2, with: [Person()]) },
        { $0.$members.value = [] }, { try $0.mutableArrayValue(forKey: "members").removeAll() },
        { try $0.mutableArrayValue(forKey: "members").remove(at: 0) },
        { try $0.mutableArrayValue(forKey: "members").replaceSubrange(0..<2, with: [Person()]) },
        { try $0.setValue([Person](), forKey: "members") },
        { $0.$pool.removeAll() }, { $0.$pool.subtract($0.pool) }, { $0.$pool.formIntersection([]) },
        { $0.$pool.value = [] },
        { $0.$pool.removeAll { _ in true } }, { $0.$pool.formSymmetricDifference($0.pool) },
        { try $0.mutableSetValue(forKey: "pool").removeAll() },
        { try $0.mutableSetValue(forKey: "pool").formIntersection([Person]()) },
    ]

    @Test("whoever is told of the death may read the collection", arguments: edits.indices, [false, true])
    func death(index: Int, isCollectionObserved: Bool) throws {
        let squad = Squad()
        let inPool = Self.edits.count - index <= 8
        if inPool {
            squad.pool = [Squad.Member()]
            squad.captain = squad.pool.first
        } else {
            squad.members = [Person(), Person(), Person()]
            squad.captain = squad.members[0]
        }
        var counts: [Int] = []
        try squad.observe("captain") { [unowned squad] _ in counts.append(squad.members.count + squad.pool.count) }
        if isCollectionObserved { try squad.observe(["members", "pool"], options: [.new]) { _ in } }
        try Self.edits[index](squad)
        expectEqual(counts.count, 1)
        #expect(squad.captain == nil)
    }
}

/// Mistakes in code with collections.
struct CollectionTrapTests {
    @Test("an index that is out of range stops the program with a sentence") func outOfRangeTraps() async {
        let results = [
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { Crate().$items[0] = 1 },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Crate().$items.insert(1, at: 1)
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Crate().$items.remove(at: -1)
            },
        ]
        for result in results {
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(text.contains("out of range for Crate.items"))
        }
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Crate().$items.removeSubrange(0..<2)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("The indexes 0..<2 are out of range for Crate.items, which has 0 elements."))
    }

    @Test("using a property inside an edit of it stops the program, as for any property", .needs(.accessRecord))
    func overlappingTraps() async {
        await #expect(processExitsWith: .failure) {
            let crate = Crate()
            crate.items = [1, 2]
            crate.items.removeAll { _ in
                crate.$items.append(3)
                return true
            }
        }
    }
}
