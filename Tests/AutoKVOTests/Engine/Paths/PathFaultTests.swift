import AutoKVO
import AutoKVOTestSupport
import Testing

private class Part: Model {
    @Observed var level = 1
    @Observed var anything: Any?
}

/// Its schema has a fault, so that none of its keys can be used.
private final class FaultyPart: Part {
    var plain = 1
    override class var schema: Schema {
        Schema(FaultyPart.self, extending: super.schema) { Key("plain", \.plain) }
    }
}

private final class Whole: Model {
    @Observed var part: Part?
    @Observed var parts: [Part] = []
    @Observed var total = 0
    @ObservedWeak var friend: Part?
    var depth: Int { part?.level ?? 0 }
    override class var schema: Schema {
        Schema(Whole.self, extending: super.schema) {
            Key("depth", \.depth, affectedBy: "part.level")
            Key("total", \.total)
        }
    }
}

/// Paths that meet an object whose class has a fault.
struct PathFaultTests {
    private let whole = Whole()
    let recorder = Recorder<Any>()

    private func expectReport(_ lines: [String], _ count: Int = 1, _ words: String = "A key path leads to") {
        expectEqual(lines.count, count)
        for line in lines {
            #expect(line.hasPrefix(words) && line.contains("FaultyPart") && line.contains("\"plain\""))
        }
    }

    @Test("a path says so, at the registration and at a change, and goes on behind the next object") func path() throws
    {
        whole.part = FaultyPart()
        expectReport(try messages { try whole.observe("part.level", options: .new, recorder.handler()) })
        let part = Part()
        expectEqual(messages { whole.part = part }, [])
        part.level = 2
        expectEqual(recorder.news(Int.self), [1, 2])
        expectReport(messages { whole.part = FaultyPart() })
        expectEqual(recorder.count, 3)
    }

    @Test("so do a path of handles, which has no value then, and a key that is derived from a path") func others()
        throws
    {
        whole.part = FaultyPart()
        expectReport(messages { whole.$part.$level.observe { _ in } })
        expectReport(messages { #expect(whole.$part.$level.value == nil) }, 1, "A key path has no value")
        expectReport(try messages { try whole.observe("depth", recorder.handler()) })
    }

    @Test("a path says so of a value that is no object, where the declared type left that open") func noObject() throws
    {
        let part = Part()
        (whole.part, part.anything) = (part, 5)
        let lines = try messages {
            try whole.observe("part.anything.level", options: .new, recorder.handler())
            part.anything = "text"
        }
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("anything") && $0.contains("has no keys") })
        let other = Part()
        expectEqual(messages { part.anything = other }, [])
        other.level = 2
        expectEqual(recorder.count, 3)
        expectEqual(messages { part.anything = nil }, [])
    }

    private final class Broken: Model {
        @Observed var part: Part?
        var level: Int { 0 }
        var doubled: Int { 0 }
        override class var schema: Schema {
            Schema(Broken.self, extending: super.schema) {
                Key("level", \.level, affectedBy: "part.height")
                Key("doubled", \.doubled, affectedBy: "level")
            }
        }
    }

    @Test("a key that is affected by a path that there is not throws where it is read or observed by name")
    func unknownPath() throws {
        let object = Broken()
        let uses: [() throws -> Void] = [
            { _ = try object.value(forKey: "level") }, { _ = try object.path("doubled", as: Int.self) },
            { try object.observe("level") { _ in } }, { try object.observe("doubled", options: .initial) { _ in } },
            { _ = try object.addObserver(object, forKeyPath: "level") { _, _ in } },
        ]
        for use in uses + uses {
            let error = #expect(throws: KeyValueError.self) { try use() }
            #expect(error?.className == "Broken" && error?.key == "level")
            #expect(error.map { "\($0)".contains("part.height") } == true)
        }
        #expect(object.observations().isEmpty)
    }

    @Test("by a key path of the compiler it says so once, at each registration") func unknownPathOfKeyPath() throws {
        let object = Broken()
        let lines = messages { object.observe(\.level) { _, _ in }.remove() }
        #expect(lines.count == 1 && lines[0].contains("part.height"))
    }

    @Test("so does an operator of which it is an element") func element() throws {
        whole.parts = [Part(), FaultyPart()]
        expectReport(try messages { try whole.observe("parts.@sum.level", options: .new, recorder.handler()) })
        expectReport(messages { whole.parts.append(FaultyPart()) }, 2)
    }

    @Test("a weak property says that the death of such an object will be no change") func weak() throws {
        let (faulty, part) = (FaultyPart(), Part())
        try whole.observe("friend", options: .new, recorder.handler())
        let lines = messages { whole.friend = faulty }
        expectReport(lines, 1, "The death of the object that Whole.friend refers to")
        expectEqual(messages { whole.friend = part }, [])
        expectEqual(recorder.count, 2)
    }

    @Test("values that do not fit an operator are reported, and the path has none") func operands() throws {
        let part = Part()
        whole.parts = [part]
        try whole.observe("parts.@sum.anything", options: .new, recorder.handler())
        part.anything = 3
        expectEqual(recorder.last?.new as? Int, 3)
        let lines = messages { part.anything = "three" }
        #expect(lines.count == 1 && lines[0].hasPrefix("A key path has no value") && lines[0].contains("@sum"))
        #expect(recorder.count == 2 && recorder.last?.new as? Int == nil)
    }

    @Test("a binding whose source cannot be read says so, and is made") func binding() throws {
        let part = Part()
        (whole.parts, part.anything) = ([part], "three")
        let other = Whole()
        let lines = try messages {
            try other.bind("total", to: "parts.@sum.anything", of: whole, transform: .default(7))
        }
        #expect(lines.count == 1 && lines[0].contains("@sum"))
        expectEqual(other.total, 7)
        part.anything = 5
        expectEqual(other.total, 5)
    }

    @Test("so does a binding that would set it, one way and both ways") func boundPath() {
        let other = Whole()
        (other.total, whole.total) = (4, 5)
        whole.part = FaultyPart()
        // What is read through it, and what would be set in it.
        let set = messages { whole.$part.$level.bind(to: other.$total) }
        #expect(set.contains { $0.hasPrefix("A binding cannot set \"part.level\"") && $0.contains("FaultyPart") })
        let again = messages { other.total = 6 }
        #expect(again.contains { $0.hasPrefix("A binding cannot set") })
        let part = Part()
        whole.part = part
        other.total = 7
        expectEqual(part.level, 7)
        #expect(whole.$part.$level.unbind())
        let both = messages {
            whole.part = FaultyPart()
            whole.$total.bindBothWays(to: whole.$part.$level, nilAs: -1)
        }
        #expect(!both.isEmpty && both.allSatisfy { $0.contains("FaultyPart") } && whole.total == -1)
        whole.part = Part()
        expectEqual(whole.total, 1)
        whole.total = 8
        expectEqual(whole.part?.level, 8)
        let lines = messages { whole.part = FaultyPart() }
        #expect(!lines.isEmpty && whole.total == -1)
    }

    @Test(
        "so do a stream, a dependency, a coalesced change and .once, and each hears the next object", arguments: 0..<4)
    func consumers(which: Int) async throws {
        var count = 0
        var stream: AsyncStream<Int>?
        let owner = Whole()
        switch which {
        case 0: stream = try whole.values(of: "part.level", as: Int.self)
        case 1: try owner.depend(on: [Dependency(whole, ["part.level", "parts.@sum.level"])]) { _ in count += 1 }
        case 2: try whole.observe("part.level") { _ in count += 1 }
        default: try whole.observe("part.level", options: [.once, .distinct, .new]) { _ in count += 1 }
        }
        let lines = messages {
            if which == 2 { coalescingChanges { whole.part = FaultyPart() } } else { whole.part = FaultyPart() }
        }
        #expect(!lines.isEmpty && lines.allSatisfy { $0.contains("FaultyPart") })
        count = 0
        whole.part = Part()
        #expect(count == (which == 0 ? 0 : 1))
        if let stream {
            whole.removeAllObservers()
            await expectEqual(stream.reduce(into: []) { $0.append($1) }, [1])
        }
    }
}
