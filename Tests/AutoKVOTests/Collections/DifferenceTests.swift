import AutoKVO
import AutoKVOTestSupport
import Testing

/// What `update(to:)` finds to be different, for each kind of element.
struct DifferenceTests {
    private final class Shelf<Element>: TrackedObject {
        @Observed var items: [Element] = []
    }
    private final class Thing {}
    /// All are equal by `==`. As elements of an array they are compared by identity.
    private final class EqualThing: Hashable {
        static func == (a: EqualThing, b: EqualThing) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }
    private struct Row: Equatable { let number: Int }

    /// How many elements two arrays have in common at most, in their order.
    private func commonCount<Element>(_ a: [Element], _ b: [Element], _ areSame: (Element, Element) -> Bool) -> Int {
        var row = [Int](repeating: 0, count: b.count + 1)
        for element in a {
            var corner = 0
            for (index, other) in b.enumerated() {
                let above = row[index + 1]
                row[index + 1] = areSame(element, other) ? corner + 1 : max(above, row[index])
                corner = above
            }
        }
        return row[b.count]
    }

    private func check<Element>(
        _ pool: [Element], _ seed: Int, _ areSame: @escaping (Element, Element) -> Bool
    ) {
        var generator = SplitMix64(seed: UInt64(seed))
        let shelf = Shelf<Element>()
        var (copy, moved): ([Element], Int) = ([], 0)
        shelf.$items.observe(options: [.old, .new]) { change in
            change.apply(to: &copy)
            moved += change.indexes!.ranges.reduce(0) { $0 + $1.count }
        }
        for _ in 0..<20 {
            let old = shelf.items
            let new = (0..<Int.random(in: 0..<9, using: &generator)).map { _ in pool.randomElement(using: &generator)! }
            moved = 0
            shelf.$items.update(to: new)
            #expect(copy.elementsEqual(new, by: areSame), "seed \(seed): \(old) to \(new)")
            #expect(
                moved == old.count + new.count - 2 * commonCount(old, new, areSame), "seed \(seed): \(old) to \(new)")
        }
    }

    @Test("an update tells the fewest elements, and the changes make the new array", arguments: 0..<20)
    func fewest(seed: Int) {
        check([1, 2, 3], seed, ==)
        check([0.5, 1, .nan], seed) { $0 == $1 || $0.isNaN && $1.isNaN }
        check([nil, 1, 2] as [Int?], seed, ==)
        check(["a", "b", "c"], seed, ==)
        check((0..<3).map { _ in Thing() }, seed, ===)
        check((0..<3).map { _ in EqualThing() }, seed, ===)
        check((0..<3).map(Row.init(number:)), seed, ==)
        check([1, "1", 1.0] as [Any], seed) { type(of: $0) == type(of: $1) }
        check([(1, "a"), (1, "b"), (2, "a")], seed) { $0 == $1 }
    }
}
