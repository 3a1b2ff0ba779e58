import AutoKVOTestSupport
import Testing

@testable import AutoKVO

/// What a thread keeps for its changes.
struct ThreadContextTests {
    /// On a thread of its own, so that no other test uses its pools.
    private func onThread(_ body: () throws -> Void) throws {
        var result: Result<Void, any Error> = .success(())
        onAnotherThread { result = Result { try body() } }
        try result.get()
    }

    private func expectSmall(_ sourceLocation: SourceLocation = #_sourceLocation) {
        let thread = ThreadContext.current
        let limit = ThreadContext.poolLimit
        #expect(thread.value.spareSubjects.count <= limit, sourceLocation: sourceLocation)
        #expect(thread.value.spareContexts.count <= limit, sourceLocation: sourceLocation)
        #expect(thread.value.pathWork.capacity <= 2 * limit, sourceLocation: sourceLocation)
        #expect(thread.value.raisingLinks.capacity <= 2 * limit, sourceLocation: sourceLocation)
        #expect(thread.value.uncertainKeys.capacity <= 2 * limit, sourceLocation: sourceLocation)
        #expect(thread.value.affectedKeys.capacity <= 2 * limit, sourceLocation: sourceLocation)
        #expect(thread.value.spareTransactions.count <= limit, sourceLocation: sourceLocation)
        #expect(thread.value.checkedExpressions.capacity <= 2 * limit, sourceLocation: sourceLocation)
        #expect(thread.value.affectedLinks.capacity <= 2 * limit, sourceLocation: sourceLocation)
        #expect(thread.value.marked.capacity <= 2 * limit, sourceLocation: sourceLocation)
        #expect(thread.value.markedRoom.capacity <= 2 * limit, sourceLocation: sourceLocation)
        let spare = thread.value.takeTransaction()
        #expect(spare.object.subjects.capacity <= limit, sourceLocation: sourceLocation)
        thread.value.giveBack(spare)
    }

    private final class Reader: Model {
        let source: Address
        init(_ source: Address) { self.source = source }
        @Derived({ (reader: Reader) in reader.source.city }) var city: String
    }

    @Test("nor is what many readers and paths of one property took") func readers() throws {
        try onThread {
            let (person, source, middle) = (Person(), Address(), Person())
            person.address = source
            // A key of another object that changes for certain.
            try person.observe("cityLine") { _ in }
            let readers = (0..<1000).map { _ in Reader(source) }
            for reader in readers { reader.$city.observe { _ in } }
            source.city = "Bonn"
            expectSmall()
            let people = (0..<1000).map { _ in Person() }
            for one in people {
                one.spouse = middle
                try one.observe("spouse.spouse.age") { _ in }
            }
            middle.spouse = Person()
            expectSmall()
        }
    }

    @Test("many coalesced observations are not kept") func coalesced() throws {
        try onThread {
            let calls = Counter()
            let people = (0..<size(20_000)).map { _ in Person() }
            for person in people { try person.observe("age", options: [.old, .new]) { _ in calls.add() } }
            for _ in 0..<2 { coalescingChanges { for person in people { person.age += 1 } } }
            expectEqual(calls.count, 2 * people.count)
            expectEqual(ThreadContext.current.value.spareSubjects.count, ThreadContext.poolLimit)
            expectSmall()
        }
    }

    @Test("nor is what deep changes, open changes, many subjects and long chains of objects took") func others() throws
    {
        try onThread {
            let person = Person()
            try person.observe("age", options: [.prior]) { change in
                if !change.isPrior, person.age < 300 { person.age += 1 }
            }
            person.age = 1
            expectEqual(person.age, 300)
            expectSmall()
            let people = (0..<1000).map { _ in Person() }
            for person in people { person.willChangeValue(forKey: "age") }
            for person in people { person.didChangeValue(forKey: "age") }
            expectSmall()
            for other in people { try other.observe("spouse.age") { _ in } }
            for other in people { other.spouse = person }
            person.removeAllObservers()
            person.age += 1
            expectSmall()
            for (one, other) in zip(people, people.dropFirst()) { one.spouse = other }
            let links = (0..<1000).map { _ in ChainLink() }
            for (one, other) in zip(links, links.dropFirst()) { one.next = other }
            let observation = try links[0].observe("total") { _ in }
            expectSmall()
            observation.remove()
            expectSmall()
        }
    }

    @Test("nor is what a long chain of derived values took") func derived() throws {
        try onThread {
            let links = (0..<1000).map { _ in ChainLink() }
            var observations: [KeyValueObservation] = []
            for (number, link) in links.enumerated() {
                if number > 0 { link.next = links[number - 1] }
                observations.append(link.$depth.observe { _ in })
            }
            // Those between the ends have no observers, so they are checked for the last one.
            for observation in observations.dropLast() { observation.remove() }
            links[0].base += 1
            expectEqual(links[999].depth, 1001)
            expectSmall()
        }
    }

    private final class ChainLink: Model {
        @Observed var base = 0
        @Derived({ (link: ChainLink) in (link.next?.depth ?? link.base) + 1 }) var depth: Int
        @Observed var next: ChainLink?
        var total: Int { 0 }

        override class var schema: Schema {
            Schema(ChainLink.self, extending: super.schema) {
                Key("next", \.next)
                Key("total", \.total, affectedBy: "next.total")
            }
        }
    }

    @Test("no two threads make the same token, also if one begins when the other has ended") func tokens() throws {
        let count = 70_000
        let all = Guarded<Set<UInt>>([])
        for _ in 0..<2 {
            concurrently(4) { _ in
                var tokens: [UInt] = []
                for _ in 0..<count { tokens.append(ThreadContext.current.value.makeToken()) }
                all.withLock { $0.formUnion(tokens) }
            }
        }
        let tokens = all.withLock { $0 }
        #expect(tokens.count == 8 * count && !tokens.contains(0))
    }
}
