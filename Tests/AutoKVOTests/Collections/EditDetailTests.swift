import AutoKVO
import AutoKVOTestSupport
import Testing

/// What edits do and return, whether somebody observes the object or not.
struct EditDetailTests {
    private struct Tag: Hashable {
        var name: String
        var color: String
        static func == (a: Tag, b: Tag) -> Bool { a.name == b.name }
        func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
    private final class Box: TrackedObject {
        @Observed var numbers: [Int] = []
        @Observed var tags: Set<Tag> = []
        @Observed var text = ""
    }

    private func make(isObserved: Bool) -> Box {
        let box = Box()
        if isObserved { box.$numbers.observe { _ in } }
        return box
    }

    @Test("popLast of an empty array is nil and changes nothing", arguments: [false, true])
    func popLast(isObserved: Bool) {
        let box = make(isObserved: isObserved)
        #expect(box.$numbers.popLast() == nil && box.numbers.isEmpty)
        box.numbers = [1]
        #expect(box.$numbers.popLast() == 1 && box.$numbers.popLast() == nil)
    }

    @Test("shuffle() changes the order and keeps the elements", arguments: [false, true])
    func shuffle(isObserved: Bool) {
        let box = make(isObserved: isObserved)
        box.numbers = Array(0..<100)
        box.$numbers.shuffle()
        #expect(box.numbers != Array(0..<100) && box.numbers.sorted() == Array(0..<100))
    }

    @Test("an insertion into a set returns the equal element that is there", arguments: [false, true])
    func memberAfterInsert(isObserved: Bool) {
        let box = make(isObserved: isObserved)
        let first = box.$tags.insert(Tag(name: "a", color: "red"))
        #expect(first.inserted && first.memberAfterInsert.color == "red")
        let second = box.$tags.insert(Tag(name: "a", color: "blue"))
        #expect(!second.inserted && second.memberAfterInsert.color == "red" && box.tags.first!.color == "red")
        #expect(box.$tags.update(with: Tag(name: "a", color: "blue"))?.color == "red")
        expectEqual(box.tags.first!.color, "blue")
    }

    private final class Window: TrackedObject { @Observed var rows: ArraySlice<Int> = [] }

    @Test("edits of a slice take its own indexes, and tell its observers positions, which begin at 0")
    func slices() {
        let window = Window()
        window.rows = [0, 1, 2, 3, 4][2...]
        var (copy, places) = (window.rows, [Range<Int>]())
        window.$rows.observe(options: .new) { change in
            change.apply(to: &copy)
            places += Array(change.indexes!.ranges)
        }
        window.$rows.insert(9, at: 3)
        window.$rows.remove(at: 2)
        window.$rows.update(to: [9, 3])
        window.$rows.edit { $0[$0.startIndex] = 8 }
        expectEqual(places, [1..<2, 0..<1, 2..<3, 0..<1])
        #expect(Array(window.rows) == [8, 3] && Array(copy) == [8, 3])
    }

    @Test("an observer that the closure of an edit adds is called for that edit") func addedInside() {
        let box = Box()
        var told: [Range<Int>] = []
        box.numbers = [1, 2]
        box.$numbers.edit {
            $0.append(3)
            box.$numbers.observe { told += Array($0.indexes!.ranges) }
        }
        #expect(told == [2..<3] && box.numbers == [1, 2, 3])
    }

    @Test("an equal value that a handle sets is a change, unless the property is distinct") func equalValue() {
        let box = Box()
        var told: [String] = []
        box.$text.observe(options: .new) { told.append($0.newValue!) }
        box.$text.value = ""
        box.$text.value = "a"
        box.$text.value = "a"
        expectEqual(told, ["", "a", "a"])
    }
}
