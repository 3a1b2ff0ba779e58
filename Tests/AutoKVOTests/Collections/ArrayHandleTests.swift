import AutoKVO
import AutoKVOTestSupport
import Testing

/// Arrays through their handles.
struct ArrayHandleTests {
    let crate = Crate()
    let recorder = Recorder<[Int]>()

    /// The changes that edits of an array make, asked for with everything.
    func changes(
        from items: [Int], options: ObservingOptions = [.old, .new], _ edit: (Property<[Int]>) throws -> Void
    ) rethrows -> [String] {
        crate.items = items
        let observation = crate.$items.observe(options: options, recorder.handler())
        defer { observation.remove() }
        try edit(crate.$items)
        defer { recorder.clear() }
        return recorder.lines
    }

    @Test("changing what a computed property stores, behind its back, tells nobody") func behindItsBack() throws {
        let recorder = Recorder<Any>()
        try crate.observe("computed", options: [.new], recorder.handler())
        crate.hidden.append(1)
        expectEqual(recorder.count, 0)
        expectEqual(crate.computed, [1])
    }

    @Test("a handle reads as the collection") func reading() {
        crate.items = [3, 1, 2]
        let items = crate.$items
        expectEqual(items.count, 3)
        #expect(!items.isEmpty)
        expectEqual(items[1], 1)
        expectEqual(Array(items), [3, 1, 2])
        expectEqual(items[1...], [1, 2])
        #expect(items.first == 3 && items.last == 2)
        expectEqual(items.firstIndex(of: 2), 2)
        expectEqual(items.map { $0 * 2 }, [6, 2, 4])
        expectEqual(items.reversed(), [2, 1, 3])
        expectEqual(items.sorted(), [1, 2, 3])
        #expect(crate.$table.count == 0 && crate.$tags.isEmpty)
        var seen: [Int] = []
        for item in items {
            seen.append(item)
            items.append(item)
        }
        #expect(seen == [3, 1, 2] && crate.items.count == 6)
    }

    @Test("append is one insertion at the end, with the element alone") func append() {
        expectEqual(changes(from: [1, 2]) { $0.append(3) }, ["insertion 2..<3 … > [3]"])
        expectEqual(crate.items, [1, 2, 3])
        expectEqual(changes(from: []) { $0.append(contentsOf: 5..<8) }, ["insertion 0..<3 … > [5, 6, 7]"])
        expectEqual(changes(from: [1]) { $0.append(contentsOf: []) }, [])
        expectEqual(changes(from: [1]) { $0.insert(contentsOf: [], at: 1) }, [])
    }

    @Test("an insertion has no old value, a removal no new one, a replacement both") func contents() {
        expectEqual(changes(from: [1, 3]) { $0.insert(2, at: 1) }, ["insertion 1..<2 … > [2]"])
        expectEqual(changes(from: [1, 2, 3]) { $0.remove(at: 1) }, ["removal 1..<2 [2] > …"])
        expectEqual(changes(from: [1, 2, 3]) { $0[1] = 9 }, ["replacement 1..<2 [2] > [9]"])
    }

    @Test("the prior of an edit has kind, indexes and, where they were asked for, the old elements") func prior() {
        let all: ObservingOptions = [.old, .new, .prior]
        expectEqual(
            changes(from: [1, 3], options: all) { $0.insert(2, at: 1) },
            ["prior insertion 1..<2 … > …", "insertion 1..<2 … > [2]"])
        expectEqual(
            changes(from: [1, 2, 3], options: all) { $0.removeFirst() },
            ["prior removal 0..<1 [1] > …", "removal 0..<1 [1] > …"])
        expectEqual(
            changes(from: [1, 2, 3], options: all) { $0[0] = 7 },
            ["prior replacement 0..<1 [1] > …", "replacement 0..<1 [1] > [7]"])
        expectEqual(
            changes(from: [1, 2, 3], options: [.prior]) { $0[0] = 7 },
            ["prior replacement 0..<1 … > …", "replacement 0..<1 … > …"])
    }

    @Test("each way of taking elements out is one removal") func removals() {
        var results: [Int?] = []
        expectEqual(changes(from: [1, 2, 3]) { results.append($0.removeFirst()) }, ["removal 0..<1 [1] > …"])
        expectEqual(changes(from: [1, 2, 3]) { results.append($0.removeLast()) }, ["removal 2..<3 [3] > …"])
        expectEqual(changes(from: [1, 2, 3]) { results.append($0.popLast()) }, ["removal 2..<3 [3] > …"])
        expectEqual(changes(from: []) { results.append($0.popLast()) }, [])
        expectEqual(results, [1, 3, 3, nil])
        expectEqual(changes(from: [1, 2, 3]) { $0.removeFirst(2) }, ["removal 0..<2 [1, 2] > …"])
        expectEqual(changes(from: [1, 2, 3]) { $0.removeLast(2) }, ["removal 1..<3 [2, 3] > …"])
        expectEqual(changes(from: [1, 2, 3]) { $0.removeLast(0) }, [])
        expectEqual(changes(from: [1, 2, 3]) { $0.removeSubrange(1...) }, ["removal 1..<3 [2, 3] > …"])
        expectEqual(changes(from: [1, 2, 3]) { $0.removeSubrange(1..<1) }, [])
        expectEqual(changes(from: [1, 2, 3]) { $0.removeAll() }, ["removal 0..<3 [1, 2, 3] > …"])
        expectEqual(changes(from: []) { $0.removeAll() }, [])
        expectEqual(
            changes(from: [1, 2, 3, 4]) { $0.removeSubranges(indexes(0..<1, 2..<4)) },
            ["removal 0..<1,2..<4 [1, 3, 4] > …"])
        expectEqual(crate.items, [2])
    }

    @Test("removeAll(where:) is one removal of the elements that go, or none") func removeWhere() {
        expectEqual(changes(from: [1, 2, 3, 4]) { $0.removeAll { $0 % 2 == 0 } }, ["removal 1..<2,3..<4 [2, 4] > …"])
        expectEqual(crate.items, [1, 3])
        expectEqual(changes(from: [1, 3]) { $0.removeAll { $0 > 9 } }, [])
        var asked: [Int] = []
        _ = changes(from: [1, 2, 3]) {
            $0.removeAll {
                asked.append($0)
                return $0 < 3
            }
        }
        expectEqual(asked, [1, 2, 3])
    }

    @Test("replaceSubrange is a replacement and the rest, and no more than two changes") func replaceSubrange() {
        expectEqual(
            changes(from: [1, 2, 3]) { $0.replaceSubrange(0..<2, with: [8, 9]) },
            [
                "replacement 0..<2 [1, 2] > [8, 9]"
            ])
        expectEqual(
            changes(from: [1, 2, 3]) { $0.replaceSubrange(0..<1, with: [7, 8, 9]) },
            ["replacement 0..<1 [1] > [7]", "insertion 1..<3 … > [8, 9]"])
        expectEqual(crate.items, [7, 8, 9, 2, 3])
        expectEqual(
            changes(from: [1, 2, 3]) { $0.replaceSubrange(0...2, with: [7]) },
            ["replacement 0..<1 [1] > [7]", "removal 1..<3 [2, 3] > …"])
        expectEqual(crate.items, [7])
        expectEqual(changes(from: [1, 2]) { $0.replaceSubrange(1..<1, with: [5]) }, ["insertion 1..<2 … > [5]"])
        expectEqual(changes(from: [1, 2]) { $0.replaceSubrange(1..<2, with: []) }, ["removal 1..<2 [2] > …"])
        expectEqual(changes(from: [1, 2]) { $0.replaceSubrange(1..<1, with: []) }, [])
    }

    @Test("an element set to an equal one is told of") func equalElement() {
        expectEqual(changes(from: [1]) { $0[0] = 1 }, ["replacement 0..<1 [1] > [1]"])
    }

    @Test("setting the whole array is a setting without indexes, by the property and by the handle's value")
    func whole() {
        expectEqual(
            changes(from: [1]) {
                crate.items = [2]
                $0.value = [3]
                $0.value.append(4)
            }, ["setting [1] > [2]", "setting [2] > [3]", "setting [3] > [3, 4]"])
        expectEqual(changes(from: [1], options: [.new]) { $0.value.append(4) }, ["setting … > [1, 4]"])
        expectEqual(
            changes(from: [1], options: [.prior, .new]) { $0.value[0] = 2 },
            [
                "prior setting … > …", "setting … > [2]",
            ])
    }

    @Test("an edit in place of the handle's value that throws is told as far as it got, and ended") func throwingEdit()
    {
        struct Refusal: Error {}
        func fail(_ items: inout [Int]) throws {
            items.append(2)
            throw Refusal()
        }
        for options in [[.new], [.old, .new], [.old, .new, .prior]] as [ObservingOptions] {
            let lines = changes(from: [1], options: options) { items in
                #expect(throws: Refusal.self) { try fail(&items.value) }
                crate.items = [3]
            }
            expectEqual(lines.filter { !$0.hasPrefix("prior") }.map { $0.suffix(6) }, ["[1, 2]", "] > [3]".suffix(6)])
        }
        #expect(throws: Refusal.self) { try fail(&crate.$items.value) }
        expectEqual(crate.items, [3, 2])
    }

    @Test("edits inside an open change of the property are part of it") func insideMutation() {
        let lines = changes(from: [1]) { items in
            items.withMutation {
                items.append(2)
                items.remove(at: 0)
                items.sort()
            }
        }
        expectEqual(lines, ["setting [1] > [2]"])
    }

    @Test("edits through the handle are silent where the key's automatic notification is off") func silent() throws {
        let recorder = Recorder<Any>()
        try crate.observe("silent", recorder.handler())
        crate.$silent.append(1)
        crate.$silent.value = [4, 5]
        crate.$silent.value.append(6)
        crate.$silent.sort(by: >)
        #expect(crate.silent == [6, 5, 4] && recorder.count == 0)
        crate.$silent.withMutation { crate.$silent.removeAll() }
        expectEqual(recorder.kinds, [.setting])
    }

    @Test("derived keys and paths hear of edits, a path to the array with its kind and indexes") func derived() throws {
        let outer = Crate()
        outer.inner = crate
        let derived = Recorder<Any>()
        let path = Recorder<Any>()
        let count = Recorder<Any>()
        try crate.observe("readOnly", options: [.old, .new], derived.handler())
        try outer.observe("inner.items", options: [.old, .new], path.handler())
        try outer.observe("inner.items.@count", options: [.old, .new], count.handler())
        crate.$items.append(contentsOf: [4, 5])
        expectEqual(derived.lines, ["setting [] > [4, 5]"])
        expectEqual(path.lines, ["insertion 0..<2 … > [4, 5]"])
        expectEqual(count.lines, ["setting 0 > 2"])
    }

    @Test("a handler may edit the array again") func reentry() {
        crate.$items.observe(options: [.new]) { [unowned crate, recorder] change in
            recorder.record(change)
            if crate.items.count < 3 { crate.$items.append(crate.items.count) }
        }
        crate.$items.append(0)
        expectEqual(crate.items, [0, 1, 2])
        expectEqual(
            Set(recorder.lines), ["insertion 0..<1 … > [0]", "insertion 1..<2 … > [1]", "insertion 2..<3 … > [2]"])
    }

    @Test("a handler that shortens the array between the two changes of replaceSubrange does no harm") func shortening()
    {
        crate.items = [1, 2, 3, 4]
        crate.$items.observe { [unowned crate] change in
            if change.kind == .replacement { crate.items = [] }
        }
        crate.$items.replaceSubrange(0..<4, with: [9])
        expectEqual(crate.items, [])
        crate.items = [1, 2]
        // The second change is made before the handler empties the array.
        crate.$items.replaceSubrange(0..<1, with: [7, 8, 9])
        expectEqual(crate.items, [])
    }

    @Test("other arrays can be edited too") func denseArray() {
        let recorder = Recorder<ContiguousArray<Int>>()
        crate.$dense.observe(options: [.old, .new], recorder.handler())
        crate.$dense.append(contentsOf: [5, 6])
        crate.$dense.swapAt(0, 1)
        expectEqual(recorder.lines, ["insertion 0..<2 … > [5, 6]", "replacement 0..<2 [5, 6] > [6, 5]"])
    }

    @Test("edits while the object dies are made, and nobody is told") func dying() {
        final class Mortal: Crate {
            var last: (([Int]) -> Void)?
            deinit {
                $items.append(1)
                $items.value = [1, 2]
                $tags.insert("x")
                last?(items)
            }
        }
        var seen: [Int] = []
        do {
            let mortal = Mortal()
            mortal.last = { seen = $0 }
            mortal.$items.observe(recorder.handler())
        }
        #expect(seen == [1, 2] && recorder.count == 0)
    }
}
