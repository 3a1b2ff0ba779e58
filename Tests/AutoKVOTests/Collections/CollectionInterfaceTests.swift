import AutoKVO
import AutoKVOTestSupport
import Testing

/// Handles and proxies as collections.
struct CollectionInterfaceTests {
    private let crate = Person()

    @Test("a handle has the indices, slices and storage of its collection") func handle() {
        crate.scores = [3, 1, 2]
        let scores = crate.$scores
        #expect(scores.object === crate)
        #expect(scores.startIndex == 0 && scores.endIndex == 3)
        expectEqual(scores.indices, 0..<3)
        #expect(scores.index(after: 0) == 1 && scores.index(before: 2) == 1)
        expectEqual(scores.index(0, offsetBy: 2), 2)
        #expect(scores.index(0, offsetBy: 4, limitedBy: 3) == nil)
        expectEqual(scores.index(0, offsetBy: 3, limitedBy: 3), 3)
        expectEqual(scores.distance(from: 1, to: 3), 2)
        expectEqual(scores[1..<3], [1, 2])
        expectEqual(scores.underestimatedCount, 3)
        expectEqual(scores.withContiguousStorageIfAvailable { $0.reduce(0, +) }, 6)
        expectEqual(scores.reversed(), [2, 1, 3])
        typealias Handle = Property<[Int]>
        #expect(Handle.Element.self == Int.self && Handle.Index.self == Int.self)
        #expect(Handle.Indices.self == Range<Int>.self && Handle.SubSequence.self == ArraySlice<Int>.self)
    }

    @Test("a collection whose indices are no numbers can be read through its handle") func set() throws {
        crate.tags = ["a", "b"]
        let tags = crate.$tags
        let first = tags.startIndex
        expectEqual(tags.index(after: tags.index(after: first)), tags.endIndex)
        expectEqual(tags[first], crate.tags[crate.tags.startIndex])
        expectEqual(tags.distance(from: first, to: tags.endIndex), 2)
    }

    @Test("shuffling a handle keeps the elements") func shuffle() {
        crate.scores = Array(0..<100)
        crate.$scores.shuffle()
        expectEqual(crate.scores.sorted(), Array(0..<100))
    }

    @Test("iterating goes over the elements that were there when it began") func iterating() throws {
        crate.scores = [1, 2]
        crate.tags = ["a"]
        var numbers = crate.$scores.makeIterator()
        var elements = try crate.mutableArrayValue(forKey: "scores").makeIterator()
        var tags = try crate.mutableSetValue(forKey: "tags").makeIterator()
        (crate.scores, crate.tags) = ([], [])
        #expect(numbers.next() == 1 && numbers.next() == 2 && numbers.next() == nil)
        #expect(elements.next() as? Int == 1 && elements.next() as? Int == 2 && elements.next() == nil)
        #expect(tags.next() as? String == "a" && tags.next() == nil)
    }

    @Test("a proxy has the bounds and the elements of its collection") func proxies() throws {
        crate.scores = [4, 5]
        crate.tags = ["a", "b"]
        let (scores, tags) = (
            try crate.mutableArrayValue(forKey: "scores"), try crate.mutableSetValue(forKey: "tags")
        )
        #expect(scores.startIndex == 0 && scores.endIndex == 2)
        expectEqual(scores.indices.map { scores[$0] as? Int }, [4, 5])
        expectEqual(Set(tags.elements.compactMap { $0 as? String }), ["a", "b"])
        #expect(tags.underestimatedCount <= tags.count)
    }
}
