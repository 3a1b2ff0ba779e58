import AutoKVO
import AutoKVOTestSupport
import Testing

/// Set and notify.
struct SettingTests {
    let person = Person()
    let recorder = Recorder<Any>()

    @Test("one set of an observed key is one call with the new value, no old one, and the target") func oneCall() throws
    {
        try person.observe("age", options: [.new], recorder.handler())
        person.age = 5
        person.lastName = "Ray"
        expectEqual(recorder.count, 1)
        expectEqual(recorder.last?.new as? Int, 5)
        #expect(recorder.last?.old == nil)
        expectEqual(recorder.last?.target, ObjectIdentifier(person))
    }

    @Test("two observers of two keys get their own key only") func exclusive() throws {
        try person.observe("age", recorder.handler("age"))
        try person.observe("lastName", recorder.handler("lastName"))
        person.age = 1
        expectEqual(recorder.labels, ["age"])
        person.lastName = "Ray"
        expectEqual(recorder.labels, ["age", "lastName"])
        expectEqual(recorder.paths, ["age", "lastName"])
    }

    @Test("an old value that was nil is present and empty") func oldNil() throws {
        try person.observe("nickname", options: [.old, .new], recorder.handler())
        person.nickname = "Annie"
        #expect(recorder.last?.old != nil)
        #expect(recorder.last?.old as? String == nil)
        expectEqual(recorder.last?.new as? String, "Annie")
        person.nickname = nil
        expectEqual(recorder.last?.old as? String, "Annie")
        #expect(recorder.last?.new != nil)
        #expect(recorder.last?.new as? String == nil)
    }

    @Test("without options a change says only that the value was set") func noOptions() throws {
        try person.observe("age", recorder.handler())
        person.age = 1
        let entry = try #require(recorder.last)
        expectEqual(recorder.count, 1)
        expectEqual(entry.kind, .setting)
        #expect(entry.old == nil && entry.new == nil && entry.indexes == nil && !entry.isPrior)
    }

    @Test(
        "values that nobody asked for are not read",
        arguments: [[], [.prior], [.initial], [.once]] as [ObservingOptions])
    func noReads(options: ObservingOptions) throws {
        try person.observe("fullName", options: options, recorder.handler())
        person.firstName = "Bob"
        expectEqual(person.fullNameReads, 0)
        #expect(recorder.count > 0)
    }

    @Test("values are read once for all observers of a change") func oneReadForAll() throws {
        for _ in 0..<5 { try person.observe("fullName", options: [.old, .new, .prior], recorder.handler()) }
        person.firstName = "Bob"
        expectEqual(recorder.count, 10)
        expectEqual(person.fullNameReads, 2)
    }

    @Test("each change holds only what its own observer asked for") func noLeaks() throws {
        try person.observe("age", options: [.old, .new], recorder.handler("both"))
        try person.observe("age", options: [.new], recorder.handler("new"))
        try person.observe("age", options: [.old], recorder.handler("old"))
        try person.observe("age", recorder.handler("none"))
        person.age = 3
        expectEqual(recorder.labels, ["both", "new", "old", "none"])
        expectEqual(recorder.entries.map { $0.old as? Int }, [0, nil, 0, nil])
        expectEqual(recorder.entries.map { $0.new as? Int }, [3, 3, nil, nil])
    }

    @Test("a prior call has the old value if asked, never the new one") func priorEntries() throws {
        try person.observe("age", options: [.old, .new, .prior], recorder.handler())
        try person.observe("nickname", options: [.new, .prior], recorder.handler())
        person.age = 3
        expectEqual(recorder.priors, [true, false])
        expectEqual(recorder.entries.map { $0.old as? Int }, [0, 0])
        expectEqual(recorder.entries.map { $0.new as? Int }, [nil, 3])
        recorder.clear()
        person.nickname = "x"
        expectEqual(recorder.entries.map { $0.old == nil }, [true, true])
        expectEqual(recorder.entries.map { $0.new == nil }, [true, false])
    }

    @Test("inside the prior call the target has the old value, inside the other the new one") func priorReads() throws {
        var seen: [Int] = []
        try person.observe("age", options: [.prior]) { change in
            seen.append((change.target as! Person).age)
        }
        person.age = 3
        expectEqual(seen, [0, 3])
    }

    @Test(
        "the initial call is one, a setting, not prior, with the new value if asked and never an old one",
        arguments: [
            [.initial], [.initial, .new], [.initial, .old], [.initial, .old, .new, .prior], [.initial, .prior],
        ] as [ObservingOptions])
    func initial(options: ObservingOptions) throws {
        person.age = 7
        try person.observe("age", options: options, recorder.handler())
        expectEqual(recorder.count, 1)
        let entry = try #require(recorder.last)
        expectEqual(entry.kind, .setting)
        #expect(!entry.isPrior)
        #expect(entry.old == nil)
        #expect(entry.new as? Int == (options.contains(.new) ? 7 : nil))
        #expect(entry.indexes == nil)
    }

    @Test("the initial value of an empty optional is present and empty") func initialNil() throws {
        try person.observe("nickname", options: [.initial, .new], recorder.handler())
        #expect(recorder.last?.new != nil)
        #expect(recorder.last?.new as? String == nil)
    }

    @Test("without .initial a registration calls nobody") func noInitial() throws {
        try person.observe("age", options: [.old, .new, .prior], recorder.handler())
        expectEqual(recorder.count, 0)
    }

    @Test("a key that does not announce itself makes its initial call and no other") func initialOfManual() throws {
        try person.observe("token", options: [.initial, .new], recorder.handler())
        person.token = 9
        expectEqual(recorder.count, 1)
        expectEqual(recorder.last?.kind, .setting)
    }

    @Test("setting an equal value notifies") func equalValue() throws {
        try person.observe("age", options: [.initial, .old, .new], recorder.handler())
        person.age = 0
        person.age = 0
        expectEqual(recorder.news(Int.self), [0, 0, 0])
        expectEqual(recorder.olds(Int.self), [nil, 0, 0])
    }

    @Test(".distinct leaves out changes to an equal value, and needs no other option for that") func distinct() throws {
        try person.observe("age", options: [.distinct], recorder.handler())
        person.age = 0
        person.age = 1
        person.age = 1
        person.age = 0
        expectEqual(recorder.count, 2)
        #expect(recorder.entries.allSatisfy { $0.old == nil && $0.new == nil })
    }

    @Test(".distinct compares objects by identity, optionals by content, and arrays by elements") func distinctKinds()
        throws
    {
        let home = Address()
        for path in ["address", "nickname", "scores"] {
            try person.observe(path, options: [.distinct], recorder.handler())
        }
        person.address = nil
        person.nickname = nil
        person.scores = []
        expectEqual(recorder.count, 0)
        person.address = home
        person.address = home
        person.nickname = "x"
        person.nickname = "x"
        person.scores = [1]
        person.scores = [1]
        expectEqual(recorder.paths, ["address", "nickname", "scores"])
        person.address = Address()
        person.address = nil
        expectEqual(recorder.count, 5)
    }

    @Test(".distinct works for derived keys and for paths") func distinctDerived() throws {
        person.address = Address("Ulm")
        try person.observe("fullName", options: [.distinct], recorder.handler())
        try person.observe("address.city", options: [.distinct], recorder.handler())
        person.firstName = "Ann"
        person.address = Address("Ulm")
        expectEqual(recorder.count, 0)
        person.firstName = "Bob"
        person.address?.city = "Bonn"
        expectEqual(recorder.paths, ["fullName", "address.city"])
    }

    @Test("a scalar arrives as itself") func scalar() throws {
        try person.observe("age", options: [.initial, .new], recorder.handler())
        person.age = 10
        expectEqual(recorder.news(Int.self), [0, 10])
    }

    @Test("an object that observes itself is called once for each change") func selfObserver() throws {
        try person.addObserver(person, forKeyPath: "age") { observer, change in
            #expect(observer === change.target)
            observer.log.append("age")
        }
        person.age = 1
        expectEqual(person.log, ["age"])
        expectEqual(person.observations().count, 1)
    }

    @Test("a constant property can be observed and is never called for") func constant() throws {
        try person.observe("birthplace", options: [.initial, .new], recorder.handler())
        expectEqual(recorder.news(String.self), ["Linz"])
        expectEqual(person.birthplace, "Linz")
    }

    @Test("a handler has run when the write returns, on the thread that wrote") func synchronous() throws {
        var order: [String] = []
        try person.observe("age") { _ in order.append("handler") }
        order.append("before")
        person.age = 1
        order.append("after")
        expectEqual(order, ["before", "handler", "after"])
    }

    @Test("writing in place is one change with old and new whole") func inPlace() throws {
        try person.observe("scores", options: [.old, .new], recorder.handler())
        person.scores.append(1)
        person.scores.append(2)
        expectEqual(recorder.olds([Int].self), [[], [1]])
        expectEqual(recorder.news([Int].self), [[1], [1, 2]])
        person.age += 1
        expectEqual(recorder.count, 2)
    }

    @Test(
        "every combination of old, new, prior and initial gives what it says",
        arguments: 0..<16)
    func combinations(bits: Int) throws {
        let all: [ObservingOptions] = [.old, .new, .prior, .initial]
        let options = all.indices.reduce(into: ObservingOptions()) { if bits & (1 << $1) != 0 { $0.insert(all[$1]) } }
        person.address = Address("Ulm")
        for path in ["firstName", "fullName", "address.city", "address"] {
            recorder.clear()
            try person.observe(path, options: options, recorder.handler())
            #expect(recorder.count == (options.contains(.initial) ? 1 : 0))
            recorder.clear()
            switch path {
            case "address.city": person.address!.city += "!"
            case "address": person.address = Address("Bonn")
            default: person.firstName += "!"
            }
            #expect(recorder.priors == (options.contains(.prior) ? [true, false] : [false]), "\(path)")
            #expect(recorder.entries.allSatisfy { ($0.old != nil) == options.contains(.old) }, "\(path)")
            expectEqual(recorder.last.map { $0.new != nil }, options.contains(.new), "\(path)")
            #expect(recorder.entries.dropLast().allSatisfy { $0.new == nil }, "\(path)")
            expectEqual(person.removeAllObservers(), 1)
        }
    }
}
