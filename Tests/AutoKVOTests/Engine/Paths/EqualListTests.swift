import AutoKVO
import AutoKVOTestSupport
import Testing

/// `.distinct` and bindings compare what an operator puts together element by element.
struct EqualListTests {
    private final class Part: TrackedObject {
        @Observed var number = 0
        @Observed var tags: [String] = []
        @Observed var ratio = Double.nan
        @Observed var next: Part?
    }
    private final class Box: TrackedObject {
        @Observed var parts: [Part] = []
        @Observed var numbers: [Int] = []
    }

    @Test(
        "a list that is equal is no change",
        arguments: [
            "parts.@unionOfObjects.number", "parts.@distinctUnionOfObjects.number", "parts.@unionOfArrays.tags",
            "parts.@distinctUnionOfArrays.tags", "parts.@unionOfObjects.ratio", "parts.@unionOfObjects.next",
        ])
    func distinct(path: String) throws {
        let (box, part) = (Box(), Part())
        part.next = part
        defer { part.next = nil }
        box.parts = [part, Part()]
        var (calls, all) = (0, 0)
        try box.observe(path, options: .distinct) { _ in calls += 1 }
        try box.observe(path) { _ in all += 1 }
        (part.number, part.tags, part.ratio, part.next) = (0, [], .nan, part)
        #expect(calls == 0 && all > 0)
        (part.number, part.tags, part.ratio, part.next) = (1, ["a"], 1, nil)
        expectEqual(calls, 1)
        (part.number, part.tags, part.ratio, part.next) = (1, ["a"], 1, nil)
        expectEqual(calls, 1)
        (part.number, part.tags, part.ratio, part.next) = (2, ["b"], 2, Part())
        expectEqual(calls, 2)
    }

    @Test("every nil in a list is the same, wherever the path ends") func nils() throws {
        let (box, part, other) = (Box(), Part(), Part())
        box.parts = [part, other]
        other.next = Part()
        var calls = 0
        try box.observe("parts.@unionOfObjects.next.next", options: .distinct) { _ in calls += 1 }
        part.next = Part()
        expectEqual(calls, 0)
        part.next!.next = Part()
        expectEqual(calls, 1)
    }

    @Test("a binding to one does not set what is equal") func binding() throws {
        let (box, copy, part) = (Box(), Box(), Part())
        box.parts = [part]
        copy.$numbers.bind(to: try box.path("parts.@unionOfObjects.number", as: [Int].self)) { $0 ?? [] }
        var calls = 0
        copy.$numbers.observe { _ in calls += 1 }
        part.number = 0
        expectEqual(calls, 0)
        part.number = 1
        #expect(calls == 1 && copy.numbers == [1])
    }
}
