import AutoKVO
import AutoKVOTestSupport
import Testing

/// Sets through their handles.
struct SetHandleTests {
    let crate = Crate()
    let recorder = Recorder<Set<String>>()

    private func changes(
        from tags: Set<String>, options: ObservingOptions = [.old, .new], _ edit: (Property<Set<String>>) -> Void
    ) -> [String] {
        crate.tags = tags
        let observation = crate.$tags.observe(options: options, recorder.handler())
        defer { observation.remove() }
        edit(crate.$tags)
        defer { recorder.clear() }
        return recorder.lines
    }

    @Test("a handle reads as the set") func reading() {
        crate.tags = ["a", "b"]
        #expect(crate.$tags.count == 2 && !crate.$tags.isEmpty)
        #expect(crate.$tags.contains("a") && !crate.$tags.contains("c"))
        expectEqual(crate.$tags.sorted(), ["a", "b"])
        expectEqual(crate.$tags.value, ["a", "b"])
    }

    @Test("union and insert are insertions of the elements that were not there") func insertions() {
        expectEqual(changes(from: ["a"]) { $0.insert("b") }, ["insertion … > [\"b\"]"])
        expectEqual(changes(from: ["a"]) { $0.insert("a") }, [])
        expectEqual(changes(from: ["a", "b"]) { $0.formUnion(["b", "c", "d"]) }, ["insertion … > [\"c\", \"d\"]"])
        expectEqual(changes(from: ["a", "b"]) { $0.formUnion(["b"]) }, [])
        expectEqual(crate.tags, ["a", "b"])
        #expect(crate.$tags.insert("b") == (false, "b"))
        #expect(crate.$tags.insert("x") == (true, "x"))
    }

    @Test("minus, intersect and remove are removals of the elements that were there") func removals() {
        expectEqual(changes(from: ["a", "b"]) { $0.remove("b") }, ["removal [\"b\"] > …"])
        expectEqual(changes(from: ["a", "b"]) { $0.remove("c") }, [])
        expectEqual(changes(from: ["a", "b", "c"]) { $0.subtract(["b", "c", "d"]) }, ["removal [\"b\", \"c\"] > …"])
        expectEqual(changes(from: ["a"]) { $0.subtract(["d"]) }, [])
        expectEqual(
            changes(from: ["a", "b", "c"]) { $0.formIntersection(["b", "d"]) }, ["removal [\"a\", \"c\"] > …"])
        expectEqual(changes(from: ["a"]) { $0.formIntersection(["a", "d"]) }, [])
        expectEqual(changes(from: ["a", "b"]) { $0.removeAll() }, ["removal [\"a\", \"b\"] > …"])
        expectEqual(changes(from: []) { $0.removeAll() }, [])
        expectEqual(changes(from: ["a", "b"]) { $0.removeAll { $0 == "a" } }, ["removal [\"a\"] > …"])
        expectEqual(changes(from: ["a", "b"]) { $0.removeAll { $0 == "c" } }, [])
    }

    @Test("setting the whole set through the handle is a replacement of what left by what came") func setting() {
        expectEqual(changes(from: ["a", "b"]) { $0.value = ["b", "c"] }, ["replacement [\"a\"] > [\"c\"]"])
        expectEqual(changes(from: ["a"]) { $0.value = ["a", "b"] }, ["replacement [] > [\"b\"]"])
        expectEqual(changes(from: ["a", "b"]) { $0.value = ["b", "a"] }, [])
        expectEqual(changes(from: ["a"]) { $0.value.insert("c") }, ["replacement [] > [\"c\"]"])
    }

    @Test("setting the property itself is a setting with both sets whole, also if they are equal")
    func settingProperty() {
        expectEqual(
            changes(from: ["2"]) { _ in
                crate.tags = ["2", "3"]
                crate.tags = ["2", "3"]
            }, ["setting [\"2\"] > [\"2\", \"3\"]", "setting [\"2\", \"3\"] > [\"2\", \"3\"]"])
    }

    @Test("a symmetric difference is what it comes down to") func symmetricDifference() {
        expectEqual(
            changes(from: ["a", "b"]) { $0.formSymmetricDifference(["b", "c"]) }, ["replacement [\"b\"] > [\"c\"]"])
        expectEqual(changes(from: ["a"]) { $0.formSymmetricDifference(["c"]) }, ["insertion … > [\"c\"]"])
        expectEqual(changes(from: ["a", "b"]) { $0.formSymmetricDifference(["b"]) }, ["removal [\"b\"] > …"])
        expectEqual(changes(from: ["a"]) { $0.formSymmetricDifference([]) }, [])
        expectEqual(crate.tags, ["a"])
    }

    @Test("an equal element that takes the other's place is a replacement of it") func update() {
        final class Label: Hashable {
            let name: String
            init(_ name: String) { self.name = name }
            static func == (a: Label, b: Label) -> Bool { a.name == b.name }
            func hash(into hasher: inout Hasher) { hasher.combine(name) }
        }
        final class Board: TrackedObject {
            @Observed var labels: Set<Label> = []
            override class var schema: Schema {
                Schema(Board.self, extending: super.schema) { Key("labels", \.labels) }
            }
        }
        let board = Board()
        let history = UndoHistory(of: board)
        let (first, second) = (Label("a"), Label("a"))
        var told: [(old: Label?, new: Label?)] = []
        board.$labels.observe(options: [.old, .new]) { told.append(($0.oldValue?.first, $0.newValue?.first)) }
        #expect(board.$labels.update(with: first) == nil)
        #expect(board.$labels.update(with: second) === first)
        #expect(board.labels.first === second)
        #expect(told.count == 2 && told[1].old === first && told[1].new === second)
        #expect(board.$labels.remove(first) === second)
        #expect(told.last?.old === second && told.count == 3)
        // Undone and made again step by step, each element is the one that was there.
        history.undo()
        #expect(board.labels.first === second)
        history.undo()
        #expect(board.labels.first === first && told.last?.old === second && told.last?.new === first)
        history.undo()
        #expect(board.labels.isEmpty)
        history.redo()
        history.redo()
        #expect(board.labels.first === second && board.labels.count == 1)
        history.redo()
        #expect(board.labels.isEmpty)
    }

    @Test("the prior of an edit has its kind and the elements that leave, where they were asked for") func prior() {
        expectEqual(
            changes(from: ["a", "b"], options: [.old, .new, .prior]) { $0.value = ["b", "c"] },
            ["prior replacement [\"a\"] > …", "replacement [\"a\"] > [\"c\"]"])
        expectEqual(
            changes(from: ["a"], options: [.prior]) { $0.insert("b") }, ["prior insertion … > …", "insertion … > …"])
    }

    @Test("edits are silent where the key's automatic notification is off, and in an open change part of it")
    func silent() {
        crate.$silentTags.observe { _ in Issue.record("called") }
        crate.$silentTags.insert("a")
        crate.$silentTags.value = ["b"]
        expectEqual(crate.silentTags, ["b"])
        let lines = changes(from: ["a"]) { tags in
            tags.withMutation {
                tags.insert("b")
                tags.remove("a")
            }
        }
        expectEqual(lines, ["setting [\"a\"] > [\"b\"]"])
    }

    @Test("nobody observes: edits do the same to the set") func unobserved() {
        let tags = crate.$tags
        tags.formUnion(["a", "b", "c", "d"])
        tags.subtract(["a"])
        tags.formIntersection(["b", "c", "x"])
        tags.formSymmetricDifference(["c", "e"])
        expectEqual(crate.tags, ["b", "e"])
        #expect(tags.remove("b") == "b" && tags.update(with: "e") == "e")
        tags.removeAll { $0 == "z" }
        expectEqual(crate.tags, ["e"])
        tags.value = ["q"]
        expectEqual(crate.tags, ["q"])
        tags.removeAll()
        expectEqual(crate.tags, [])
    }

    @Test("mutations announced by hand tell the elements that really move, and nothing if none does") func manual()
        throws
    {
        func lines(_ kind: SetMutationKind, _ elements: Set<String>) -> [String] {
            changes(from: ["a", "b"]) { _ in
                crate.willChangeValue(forKey: "tags", withSetMutation: kind, using: elements)
                crate.withMutation(of: "tags") {
                    switch kind {
                    case .union: crate.tags.formUnion(elements)
                    case .minus: crate.tags.subtract(elements)
                    case .intersect: crate.tags.formIntersection(elements)
                    case .set: crate.tags = elements
                    }
                }
                crate.didChangeValue(forKey: "tags", withSetMutation: kind, using: elements)
            }
        }
        expectEqual(lines(.union, ["b", "c"]), ["insertion … > [\"c\"]"])
        expectEqual(lines(.minus, ["b", "c"]), ["removal [\"b\"] > …"])
        expectEqual(lines(.intersect, ["b", "c"]), ["removal [\"a\"] > …"])
        expectEqual(lines(.set, ["b", "c"]), ["replacement [\"a\"] > [\"c\"]"])
    }

    @Test("a mutation announced by hand that moves nothing is balanced and makes no call") func manualNothing() throws {
        let recorder = Recorder<Any>()
        crate.silentTags = ["a"]
        try crate.observe("silentTags", options: [.new], recorder.handler())
        let log = messages {
            crate.willChangeValue(forKey: "silentTags", withSetMutation: .union, using: ["a"])
            crate.didChangeValue(forKey: "silentTags", withSetMutation: .union, using: ["a"])
            crate.willChangeValue(forKey: "silentTags")
            crate.willChangeValue(forKey: "silentTags", withSetMutation: .minus, using: ["x"])
            crate.didChangeValue(forKey: "silentTags", withSetMutation: .minus, using: ["x"])
            expectEqual(recorder.count, 0)
            crate.silentTags = ["b"]
            crate.didChangeValue(forKey: "silentTags")
        }
        expectEqual(log, [])
        expectEqual(recorder.lines, ["setting … > [\"b\"]"])
        let strange = messages {
            crate.willChangeValue(forKey: "number", withSetMutation: .set, using: [1])
            crate.didChangeValue(forKey: "number", withSetMutation: .set, using: [1])
            crate.willChangeValue(forKey: "nothing", withSetMutation: .set, using: [1])
        }
        expectEqual(strange.count, 1)
    }
}
