import AutoKVO
import AutoKVOFoundation
import AutoKVOTestSupport
import Foundation
import Testing

/// Index sets.
struct IndexSetTests {
    @Test("announcements and changes speak index sets") func announcing() throws {
        let person = Person()
        var seen: [IndexSet?] = []
        try person.observe("scores") { seen.append($0.indexSet) }
        person.willChange(.insertion, valuesAt: IndexSet([0, 1, 4]), forKey: "scores")
        person.didChange(.insertion, valuesAt: IndexSet([0, 1, 4]), forKey: "scores")
        person.scores = [1]
        #expect(seen == [IndexSet([0, 1, 4]), nil])
    }

    @Test("index sets and range sets become each other") func conversions() {
        let indexes = IndexSet([1, 2, 3, 9])
        #expect(RangeSet(indexes) == RangeSet([1..<4, 9..<10]))
        #expect(IndexSet(RangeSet([1..<4, 9..<10])) == indexes)
        #expect(RangeSet(IndexSet()).isEmpty)
    }
}
