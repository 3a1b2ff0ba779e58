import AutoKVO
import AutoKVOTestSupport
import Testing

/// What is counted is how often elements are hashed: each look at one of them costs one.
struct SetCostTests {
    /// One thread uses it at a time.
    private final class Hashes: @unchecked Sendable { var count = 0 }

    private struct Tag: Hashable {
        let number: Int
        let hashes: Hashes

        static func == (left: Tag, right: Tag) -> Bool { left.number == right.number }
        func hash(into hasher: inout Hasher) {
            hashes.count += 1
            hasher.combine(number)
        }
    }

    private final class Box: TrackedObject {
        @Observed var tags: Set<Tag> = []
        override class var schema: Schema { Schema(Box.self, extending: super.schema) { Key("tags", \.tags) } }
    }

    /// Hashes of an edit with a few elements of a set of 1,000, which has room for more.
    private func hashes(_ options: ObservingOptions, _ edit: (Box, (Int) -> Tag) throws -> Void) throws -> Int {
        let hashes = Hashes()
        let box = Box()
        box.tags.reserveCapacity(4000)
        box.tags.formUnion((0..<1000).map { Tag(number: $0, hashes: hashes) })
        var calls = 0
        try box.observe("tags", options: options) { _ in calls += 1 }
        hashes.count = 0
        try edit(box) { Tag(number: $0, hashes: hashes) }
        let count = hashes.count
        #expect(calls > 0)
        return count
    }

    @Test(
        "they look at the elements that they are given, however many there are",
        arguments: [[], [.new], [.old, .new], .prior] as [ObservingOptions]
    )
    func few(options: ObservingOptions) throws {
        let edits: [(name: String, edit: (Box, (Int) -> Tag) throws -> Void)] = [
            ("insert", { $0.$tags.insert($1(5000)) }),
            ("update(with:)", { $0.$tags.update(with: $1(7)) }),
            ("remove", { $0.$tags.remove($1(7)) }),
            ("formUnion", { $0.$tags.formUnion([$1(7), $1(5000), $1(5001)]) }),
            ("subtract", { $0.$tags.subtract([$1(7), $1(8), $1(5001)]) }),
            ("formSymmetricDifference", { $0.$tags.formSymmetricDifference([$1(7), $1(8), $1(5001)]) }),
            ("insert of a proxy", { try $0.mutableSetValue(forKey: "tags").insert($1(5000)) }),
            ("remove of a proxy", { try $0.mutableSetValue(forKey: "tags").remove($1(7)) }),
            ("formUnion of a proxy", { try $0.mutableSetValue(forKey: "tags").formUnion([$1(7), $1(5000)]) }),
        ]
        for (name, edit) in edits {
            // Three elements, each put into a set that the edit makes, looked for, and moved, twice with a prior call.
            let count = try hashes(options, edit)
            #expect(count <= 40, "\(name) hashed \(count) elements")
        }
    }
}
