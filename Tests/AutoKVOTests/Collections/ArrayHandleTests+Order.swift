import AutoKVO
import AutoKVOTestSupport
import Testing

extension ArrayHandleTests {
    @Test("changes of order are one replacement of the elements that moved, or none") func order() {
        var moved = 0..<0
        expectEqual(changes(from: [3, 1, 2, 4]) { $0.sort() }, ["replacement 0..<3 [3, 1, 2] > [1, 2, 3]"])
        expectEqual(changes(from: [1, 2, 3]) { $0.sort() }, [])
        expectEqual(changes(from: [1, 2]) { $0.sort(by: >) }, ["replacement 0..<2 [1, 2] > [2, 1]"])
        expectEqual(changes(from: [1, 2, 3]) { $0.swapAt(0, 2) }, ["replacement 0..<1,2..<3 [1, 3] > [3, 1]"])
        expectEqual(changes(from: [1, 2, 3]) { $0.swapAt(1, 1) }, [])
        expectEqual(changes(from: [1, 2, 3]) { $0.reverse() }, ["replacement 0..<1,2..<3 [1, 3] > [3, 1]"])
        expectEqual(changes(from: [1]) { $0.reverse() }, [])
        expectEqual(
            changes(from: [1, 2, 3, 4]) { moved = $0.moveSubranges(indexes(0..<1), to: 3) },
            ["replacement 0..<3 [1, 2, 3] > [2, 3, 1]"])
        #expect(crate.items == [2, 3, 1, 4] && moved == 2..<3)
        expectEqual(changes(from: [1, 2]) { $0.moveSubranges(indexes(), to: 0) }, [])
    }

    @Test("sorting keeps equal elements in their order, whether or not somebody observes") func stableSort() {
        let people = (0..<40).map { index -> Person in
            let person = Person("\(index)")
            person.age = index % 3
            return person
        }
        crate.people = people
        crate.$people.sort { $0.age < $1.age }
        let unobserved = crate.people.map(\.firstName)
        crate.people = people
        crate.$people.observe { _ in }
        crate.$people.sort { $0.age < $1.age }
        expectEqual(crate.people.map(\.firstName), unobserved)
    }

    @Test("a comparison that throws while somebody observes leaves the order as it was") func throwingSort() {
        struct Refusal: Error {}
        crate.items = [3, 2, 1]
        crate.$items.observe(recorder.handler())
        #expect(throws: Refusal.self) { try crate.$items.sort { _, _ in throw Refusal() } }
        #expect(throws: Refusal.self) { try crate.$items.removeAll { _ in throw Refusal() } }
        #expect(crate.items == [3, 2, 1] && recorder.count == 0)
    }

    @Test("shuffling is one replacement that applied gives the array") func shuffle() {
        var generator = SplitMix64(seed: 7)
        crate.items = Array(0..<20)
        crate.$items.observe(options: [.new]) { [unowned crate, recorder] change in
            var copy = Array(0..<20)
            for (index, element) in zip(change.indexes!.ranges.joined(), change.newValue!) { copy[index] = element }
            expectEqual(copy, crate.items)
            recorder.record(change)
        }
        crate.$items.shuffle(using: &generator)
        expectEqual(recorder.kinds, [.replacement])
    }
}
