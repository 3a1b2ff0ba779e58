import AutoKVO
import AutoKVOTestSupport
import Testing

/// Will and did.
struct NestingTests {
    let person = Person()
    let recorder = Recorder<Any>()

    @Test("nested pairs on one key: one prior at the outermost will, one post at the outermost did") func nestedSame()
        throws
    {
        try person.observe("age", options: [.old, .new, .prior], recorder.handler())
        person.willChangeValue(forKey: "age")
        expectEqual(recorder.priors, [true])
        person.willChangeValue(forKey: "age")
        person.age = 1
        person.age = 2
        person.didChangeValue(forKey: "age")
        expectEqual(recorder.count, 1)
        person.didChangeValue(forKey: "age")
        expectEqual(recorder.priors, [true, false])
        expectEqual(recorder.last?.old as? Int, 0)
        expectEqual(recorder.last?.new as? Int, 2)
    }

    @Test(
        "a plain write inside an announced change is part of it, for every set of options",
        arguments: [[], [.old], [.new], [.prior], [.old, .new]] as [ObservingOptions])
    func writeInside(options: ObservingOptions) throws {
        try person.observe("age", options: options, recorder.handler())
        person.withMutation(of: "age") { for value in 1...5 { person.age = value } }
        #expect(recorder.count == (options.contains(.prior) ? 2 : 1))
        if options.contains(.new) { expectEqual(recorder.last?.new as? Int, 5) }
        if options.contains(.old) { expectEqual(recorder.last?.old as? Int, 0) }
    }

    @Test("different keys nested with nobody observing: balanced, no message") func unobserved() {
        let lines = messages {
            person.willChangeValue(forKey: "age")
            person.willChangeValue(forKey: "firstName")
            person.didChangeValue(forKey: "age")
            person.didChangeValue(forKey: "firstName")
        }
        #expect(lines.isEmpty)
    }

    @Test(
        "an observer added between will and did is not part of that change, and gets the next",
        arguments: [true, false])
    func addedBetween(observedBefore: Bool) throws {
        if observedBefore { try person.observe("age", recorder.handler("first")) }
        let lines = try messages {
            person.willChangeValue(forKey: "age")
            try person.observe("age", recorder.handler("newcomer"))
            person.withMutation(of: "firstName") {}
            person.didChangeValue(forKey: "age")
        }
        #expect(lines.isEmpty)
        #expect(recorder.labels == (observedBefore ? ["first"] : []))
        recorder.clear()
        person.withMutation(of: "age") {}
        #expect(recorder.labels == (observedBefore ? ["first", "newcomer"] : ["newcomer"]))
    }

    @Test("a path or group added between will and did is not part of that change either") func pathAddedBetween() throws
    {
        person.address = Address()
        person.willChangeValue(forKey: "address")
        try person.observe("address.city", recorder.handler("path"))
        try person.observe(["address", "age"], recorder.handler("group"))
        try person.observe("cityLine", recorder.handler("derived"))
        person.address = Address("Bonn")
        person.didChangeValue(forKey: "address")
        expectEqual(recorder.labels, [])
        person.address = Address("Kiel")
        expectEqual(Set(recorder.labels), ["path", "group", "derived"])
        expectEqual(recorder.count, 3)
        recorder.clear()
        person.address!.city = "Ulm"
        expectEqual(Set(recorder.labels), ["path", "derived"])
    }

    @Test("an observer removed between will and did gets nothing more") func removedBetween() throws {
        let observation = try person.observe("age", options: [.prior], recorder.handler("gone"))
        try person.observe("age", options: [.prior], recorder.handler("stays"))
        person.willChangeValue(forKey: "age")
        observation.remove()
        person.didChangeValue(forKey: "age")
        expectEqual(recorder.labels, ["gone", "stays", "stays"])
    }

    @Test("all observers removed between will and did: no call, no message") func allRemovedBetween() throws {
        try person.observe("age", recorder.handler())
        let lines = messages {
            person.willChangeValue(forKey: "age")
            person.removeAllObservers()
            person.didChangeValue(forKey: "age")
        }
        #expect(lines.isEmpty)
        expectEqual(recorder.count, 0)
    }

    @Test("did without will is one diagnostic and no call", arguments: [true, false]) func didWithoutWill(
        observed: Bool
    ) throws {
        if observed { try person.observe("age", recorder.handler()) }
        let lines = messages { person.didChangeValue(forKey: "age") }
        expectEqual(lines.count, 1)
        expectEqual(lines.first?.contains("age"), true)
        expectEqual(recorder.count, 0)
        person.age = 1
        #expect(recorder.count == (observed ? 1 : 0))
    }

    @Test("a did too many after a balanced pair is a diagnostic") func oneDidTooMany() throws {
        try person.observe("age", recorder.handler())
        let lines = messages {
            person.willChangeValue(forKey: "age")
            person.didChangeValue(forKey: "age")
            person.didChangeValue(forKey: "age")
        }
        expectEqual(lines.count, 1)
        expectEqual(recorder.count, 1)
    }

    @Test("a will without did leaves other objects, other keys and other threads alone") func willWithoutDid()
        async throws
    {
        try person.observe("age", options: [.prior], recorder.handler())
        person.willChangeValue(forKey: "age")
        expectEqual(recorder.priors, [true])
        let other = Person()
        let otherRecorder = Recorder<Any>()
        try other.observe("age", options: [.prior], otherRecorder.handler())
        other.age = 1
        try person.observe("firstName", otherRecorder.handler())
        person.firstName = "x"
        expectEqual(otherRecorder.count, 3)
        let shared = Shared(person)
        onAnotherThread { shared.value.firstName = "y" }
        expectEqual(otherRecorder.count, 4)
        person.didChangeValue(forKey: "age")
        person.age = 2
        expectEqual(recorder.priors, [true, false, true, false])
    }

    @Test("an object may die with a change open, and its address be used again") func diesOpen() throws {
        for _ in 0..<50 {
            let other = Person()
            try other.observe("age", options: [.old, .prior], recorder.handler())
            other.willChangeValue(forKey: "age")
        }
        for _ in 0..<50 {
            let other = Person()
            recorder.clear()
            try other.observe("age", options: [.old, .new, .prior], recorder.handler())
            other.age = 3
            expectEqual(recorder.priors, [true, false])
        }
    }

    // Several bases of one derived key.
    @Test("several bases of one derived key inside nested will/did: one prior with the first, one post after the last")
    func bases() throws {
        try person.observe("fullName", options: [.old, .new, .prior], recorder.handler("full"))
        try person.observe("greeting", options: [.old, .new], recorder.handler("greeting"))
        person.willChangeValue(forKey: "firstName")
        expectEqual(recorder.priors, [true])
        person.willChangeValue(forKey: "lastName")
        person.firstName = "Bob"
        person.lastName = "Ray"
        person.didChangeValue(forKey: "lastName")
        expectEqual(recorder.count, 1)
        person.didChangeValue(forKey: "firstName")
        expectEqual(recorder.labels, ["full", "full", "greeting"])
        expectEqual(recorder.entries[1].old as? String, "Ann Lee")
        expectEqual(recorder.entries[1].new as? String, "Bob Ray")
        expectEqual(recorder.entries[2].new as? String, "Hello Bob Ray")
        recorder.clear()
        // Overlapping, not nested.
        person.willChangeValue(forKey: "firstName")
        person.willChangeValue(forKey: "lastName")
        person.firstName = "Cid"
        person.didChangeValue(forKey: "firstName")
        person.lastName = "Roy"
        person.didChangeValue(forKey: "lastName")
        expectEqual(recorder.labels, ["full", "full", "greeting"])
        expectEqual(recorder.entries[1].new as? String, "Cid Roy")
    }

    @Test("withMutation returns what its body returns, and announces the change though the body throws") func throwing()
        throws
    {
        struct Failure: Error {}
        try person.observe("plain", options: [.old, .new], recorder.handler())
        expectEqual(
            person.withMutation(of: "plain") {
                person.plain = 1
                return "done"
            }, "done")
        #expect(throws: Failure.self) {
            try person.withMutation(of: "plain") {
                person.plain = 2
                throw Failure()
            }
        }
        expectEqual(recorder.news(Int.self), [1, 2])
        expectEqual(recorder.olds(Int.self), [0, 1])
        person.$age.withMutation { person.age = 3 }
        expectEqual(recorder.count, 2)
    }

    @Test("announcing an unknown key is a diagnostic, and withMutation runs its body all the same") func unknownKey() {
        var isRun = false
        let lines = messages { person.withMutation(of: "plian") { isRun = true } }
        #expect(isRun)
        #expect(!lines.isEmpty)
        #expect(lines[0].contains("plain"))
    }

    @Test("the open change of one thread is not that of another") func threads() throws {
        try person.observe("age", recorder.handler())
        try person.observe("firstName", recorder.handler())
        person.willChangeValue(forKey: "age")
        var lines: [String] = []
        onAnotherThread {
            lines = messages {
                person.firstName = "x"
                person.didChangeValue(forKey: "age")
            }
        }
        expectEqual(lines.count, 1)
        person.didChangeValue(forKey: "age")
        expectEqual(recorder.paths, ["firstName", "age"])
    }
}
