import AutoKVO
import AutoKVOTestSupport
import Testing

/// Coalesced changes.
struct CoalescingTests {
    let person = Person()
    let recorder = Recorder<Any>()

    @Test("two keys of one observation are a call each, with the first old and the last new value") func twoKeys()
        throws
    {
        try person.observe(["age", "lastName"], options: [.old, .new], recorder.handler())
        coalescingChanges {
            person.age = 1
            person.lastName = "Ray"
            person.lastName = "Moe"
            expectEqual(recorder.count, 0)
        }
        expectEqual(recorder.paths, ["age", "lastName"])
        expectEqual(recorder.olds(String.self), [nil, "Lee"])
        expectEqual(recorder.news(String.self), [nil, "Moe"])
        expectEqual(recorder.news(Int.self), [1, nil])
    }

    @Test("a computed key that is announced by hand, too, is one call")
    func computedByHand() throws {
        let labels = ComputedLabels()
        try labels.observe("title", options: [.old, .new], recorder.handler())
        coalescingChanges {
            labels.name = "b"
            labels.willChangeValue(forKey: "title")
            labels.didChangeValue(forKey: "title")
        }
        expectEqual(recorder.olds(String.self), ["<a>"])
        expectEqual(recorder.news(String.self), ["<b>"])
    }

    @Test("the same key twice is one call, with the first old and the last new value") func sameKey() throws {
        try person.observe("age", options: [.old, .new], recorder.handler())
        coalescingChanges {
            person.age = 1
            person.age = 2
        }
        expectEqual(recorder.count, 1)
        expectEqual(recorder.olds(Int.self), [0])
        expectEqual(recorder.news(Int.self), [2])
        person.age = 3
        expectEqual(recorder.count, 2)
    }

    @Test("observations are called in the order in which they were first concerned") func order() throws {
        try person.observe("lastName", recorder.handler("lastName"))
        try person.observe("age", recorder.handler("age"))
        coalescingChanges {
            person.age = 1
            person.lastName = "Ray"
            person.age = 2
        }
        expectEqual(recorder.labels, ["age", "lastName"])
    }

    @Test("of one write the derived keys are called before the paths, whichever were registered first")
    func orderOfOneWrite() throws {
        final class Source: TrackedObject {
            @Observed var level = 1
            @Derived({ (source: Source) in source.level + 1 }) var next: Int
            @Derived({ (source: Source) in source.next * 2 }) var twice: Int
            var half: Int { level / 2 }
            override class var schema: Schema {
                Schema(Source.self, extending: super.schema) { Key("half", \.half) }
            }
        }
        final class Holder: TrackedObject { @Observed var source: Source? }
        let (source, holder) = (Source(), Holder())
        holder.source = source
        var called: [String] = []
        try holder.observe("source.twice") { _ in called.append("path to a derived key") }
        try holder.observe("source.level") { _ in called.append("path") }
        for key in ["half", "twice", "next", "level"] { try source.observe(key) { _ in called.append(key) } }
        source.level = 2
        let plain = called
        #expect(called.count == 6 && called[0] == "level" && called[4...].allSatisfy { $0.hasPrefix("path") })
        called = []
        coalescingChanges { source.level = 5 }
        expectEqual(called, plain)
        called = []
        coalescingChanges { for level in 6..<9 { source.level = level } }
        expectEqual(called, plain)
    }

    @Test("of many objects, set in another order each time, each is one call with its first old and last new value")
    func manyObjects() throws {
        let people = (0..<40).map { _ in Person() }
        for person in people { try person.observe("age", options: [.old, .new], recorder.handler()) }
        coalescingChanges {
            // None of these has a divisor in common with 40, so each round sets each object once.
            for (round, step) in [3, 7, 9].enumerated() {
                for index in people.indices { people[index * step % 40].age = 100 * round + index + 1 }
            }
        }
        var (last, called) = ([Int](repeating: 0, count: 40), [Int]())
        for index in people.indices { last[index * 9 % 40] = 201 + index }
        for index in people.indices { called.append(index * 3 % 40) }
        expectEqual(recorder.olds(Int.self), Array(repeating: 0, count: 40))
        expectEqual(recorder.news(Int.self), called.map { last[$0] })
        expectEqual(people.map(\.age), last)
    }

    @Test("only the end of the outermost tells") func nested() throws {
        try person.observe("age", options: [.new], recorder.handler())
        coalescingChanges {
            coalescingChanges { person.age = 1 }
            expectEqual(recorder.count, 0)
            person.age = 2
        }
        expectEqual(recorder.news(Int.self), [2])
    }

    @Test("a closure that throws tells what was changed until then, and the error goes on") func throwing() throws {
        struct Failure: Error {}
        try person.observe("age", options: [.new], recorder.handler())
        #expect(throws: Failure.self) {
            try coalescingChanges { () throws(Failure) in
                person.age = 1
                throw Failure()
            }
        }
        expectEqual(recorder.news(Int.self), [1])
        let result = coalescingChanges { 5 }
        expectEqual(result, 5)
        person.age = 2
        expectEqual(recorder.count, 2)
    }

    @Test("a value that came back to what it was is no change for .distinct") func distinct() throws {
        try person.observe("age", options: [.distinct], recorder.handler("distinct"))
        try person.observe("age", recorder.handler("all"))
        try person.observe("scores", options: [.distinct], recorder.handler("scores"))
        coalescingChanges {
            person.age = 1
            person.age = 0
            person.$scores.append(1)
            person.$scores.removeAll { $0 == 1 }
        }
        expectEqual(recorder.labels, ["all"])
    }

    @Test("an observation with .once is called once, with the last value") func once() throws {
        try person.observe("age", options: [.once, .new], recorder.handler())
        coalescingChanges {
            person.age = 1
            person.age = 2
        }
        person.age = 3
        expectEqual(recorder.news(Int.self), [2])
    }

    @Test("who is removed, registered or dies inside is treated as at the end") func removal() throws {
        var dying: Person? = Person()
        let removed = try person.observe("age", recorder.handler("removed"))
        try person.addObserver(dying!, forKeyPath: "age") { [recorder] _, change in recorder.record(change, "dying") }
        try dying!.observe("age", recorder.handler("dead"))
        let group = try person.observe(["age", "lastName"], recorder.handler("group"))
        coalescingChanges {
            person.lastName = "Ray"
            person.age = 1
            dying!.age = 1
            removed.remove()
            group.remove(keyPath: "age")
            dying = nil
        }
        expectEqual(recorder.labels, ["group"])
        expectEqual(recorder.paths, ["lastName"])
        recorder.clear()
        try coalescingChanges {
            person.lastName = "Moe"
            try person.observe("lastName", options: [.initial], recorder.handler("late"))
            expectEqual(recorder.labels, ["late"])
        }
        expectEqual(recorder.labels, ["late", "group"])
    }

    @Test("a target that dies inside is not given to the handler of an observation that is ended by hand") func manual()
        throws
    {
        var target: Person? = Person()
        let observation = target!.observe(\.age, options: [.unregisterManually]) { _, _ in
            Issue.record("a dead target was delivered")
        }
        coalescingChanges {
            target!.age = 1
            target = nil
        }
        observation.remove()
    }

    @Test("prior calls are left out and dependent keys are told once") func dependent() throws {
        try person.observe("fullName", options: [.prior, .old, .new], recorder.handler())
        coalescingChanges {
            person.firstName = "Eve"
            person.lastName = "Ray"
        }
        expectEqual(recorder.priors, [false])
        expectEqual(recorder.olds(String.self), ["Ann Lee"])
        expectEqual(recorder.news(String.self), ["Eve Ray"])
    }

    @Test("several edits of a collection are one setting, old and new whole") func edits() throws {
        person.scores = [1, 2, 3]
        person.tags = ["a", "b"]
        try person.observe("scores", options: [.old, .new], recorder.handler())
        try person.observe("tags", options: [.old, .new], recorder.handler())
        coalescingChanges {
            person.$scores.append(4)
            person.$scores.remove(at: 0)
            person.$scores.swapAt(0, 1)
            person.$tags.insert("c")
            person.$tags.remove("a")
        }
        expectEqual(recorder.kinds, [.setting, .setting])
        expectEqual(recorder.entries[0].old as? [Int], [1, 2, 3])
        expectEqual(recorder.entries[0].new as? [Int], [3, 2, 4])
        expectEqual(recorder.entries[1].old as? Set, ["a", "b"])
        expectEqual(recorder.entries[1].new as? Set, ["b", "c"])
        recorder.clear()
        coalescingChanges {
            person.$scores.append(9)
            person.scores = [7]
            person.$scores.append(8)
        }
        expectEqual(recorder.last?.old as? [Int], [3, 2, 4])
        expectEqual(recorder.last?.new as? [Int], [7, 8])
        recorder.clear()
        coalescingChanges {
            person.$scores.append(9)
            person.scores = [6, 5]
        }
        expectEqual(recorder.kinds, [.setting])
        expectEqual(recorder.last?.old as? [Int], [7, 8])
        expectEqual(recorder.last?.new as? [Int], [6, 5])
        recorder.clear()
        coalescingChanges { person.$scores.append(10) }
        expectEqual(recorder.kinds, [.insertion])
        expectEqual(recorder.last?.indexes, RangeSet(2..<3))
    }

    @Test("the whole old value of any array, and values that are read before the first handler") func whole() throws {
        let crate = Crate()
        crate.dense = [1, 2, 3]
        try crate.observe("dense") { change in
            let crate = change.target as! Crate
            if crate.dense.count < 5 { crate.$dense.append(9) }
        }
        try crate.observe("dense", options: [.old, .new], recorder.handler())
        coalescingChanges {
            crate.$dense.append(4)
            crate.$dense.remove(at: 0)
            crate.$dense[0] = 7
        }
        expectEqual(recorder.entries.map(\.kind), [.setting, .insertion, .insertion])
        expectEqual(recorder.entries.first?.old as? ContiguousArray, [1, 2, 3])
        expectEqual(recorder.entries.first?.new as? ContiguousArray, [7, 3, 4])
    }

    @Test("an observer that is added inside gets the collection from before its own first edit") func addedInside()
        throws
    {
        person.scores = [1]
        person.tags = ["a"]
        try person.observe("scores", options: [.old, .new], recorder.handler("first"))
        try coalescingChanges {
            person.$scores.append(2)
            person.$tags.insert("b")
            try person.observe("scores", options: [.old, .new], recorder.handler("second"))
            try person.observe("tags", options: [.old, .new], recorder.handler("tags"))
            person.$scores.append(3)
            person.$scores.append(4)
            person.$tags.insert("c")
            person.$tags.insert("d")
        }
        expectEqual(recorder.labels, ["first", "second", "tags"])
        expectEqual(recorder.entries[0].old as? [Int], [1])
        expectEqual(recorder.entries[1].old as? [Int], [1, 2])
        expectEqual(recorder.entries[2].old as? Set, ["a", "b"])
        expectEqual(recorder.entries[0].new as? [Int], [1, 2, 3, 4])
        expectEqual(recorder.entries[1].new as? [Int], [1, 2, 3, 4])
    }

    @Test("a path that moves to another object keeps the collection from before the first edit") func movedPath() throws
    {
        let (first, second) = (Person(), Person())
        (first.scores, second.scores) = ([1], [9])
        person.spouse = first
        try person.observe("spouse.scores", options: [.old, .new], recorder.handler())
        coalescingChanges {
            first.$scores.append(2)
            person.spouse = second
            second.$scores.append(8)
        }
        expectEqual(recorder.kinds, [.setting])
        expectEqual(recorder.last?.old as? [Int], [1])
        expectEqual(recorder.last?.new as? [Int], [9, 8])
    }

    @Test("edits copy the collection once, however many there are") func linear() throws {
        let count = 20_000
        person.scores = Array(0..<count)
        try person.observe("scores", options: [.old, .new], recorder.handler())
        var storages: Set<UnsafeRawPointer> = []
        coalescingChanges {
            for index in 0..<count {
                person.$scores[index] = -1
                person.scores.withUnsafeBytes { _ = storages.insert($0.baseAddress!) }
            }
        }
        expectEqual(storages.count, 1)
        expectEqual(recorder.last?.old as? [Int], Array(0..<count))
        expectEqual(recorder.last?.new as? [Int], Array(repeating: -1, count: count))
    }

    @Test("what handlers change at the end is told inside their call") func reentrant() throws {
        try person.observe("age") { [recorder] change in
            recorder.record(change, "age")
            let person = change.target as! Person
            if person.age < 3 { person.age += 1 }
        }
        coalescingChanges { person.age = 1 }
        expectEqual(recorder.count, 3)
        expectEqual(person.age, 3)
    }

    @Test("objects that change in another order each time, and paths of one observation by turns") func turns() throws {
        let people = (0..<6).map { _ in Person() }
        for (number, person) in people.enumerated() {
            try person.observe("age", options: [.old, .new], recorder.handler("\(number)"))
        }
        let group = Recorder<Any>()
        try person.observe(["age", "firstName", "lastName"], options: [.old, .new], group.handler())
        coalescingChanges {
            for round in 1...5 {
                for number in [0, 1, 2, 3, 4, 5].map({ ($0 * round) % 6 }) { people[number].age += round }
                person.lastName = "last \(round)"
                person.age = round
                person.firstName = "first \(round)"
                person.age = round + 1
            }
        }
        expectEqual(recorder.labels, ["0", "1", "2", "3", "4", "5"])
        expectEqual(recorder.olds(Int.self), [0, 0, 0, 0, 0, 0])
        expectEqual(recorder.news(Int.self), people.map(\.age))
        expectEqual(group.paths, ["age", "firstName", "lastName"])
        expectEqual(group.entries.map { "\($0.old!)" }, ["0", "Ann", "Lee"])
        expectEqual(group.entries.map { "\($0.new!)" }, ["6", "first 5", "last 5"])
    }

    @Test("the last value is delivered whatever types the values before it had") func typesOfValues() throws {
        final class Box: TrackedObject { @Observed var content: Any = 0 }
        let box = Box()
        try box.observe("content", options: [.old, .new], recorder.handler())
        for last: any (Equatable & Sendable) in [7, 2.5, "text", true, UInt8(3)] {
            coalescingChanges {
                for value: any (Equatable & Sendable) in [1, 1.5, "a", 2, false, "b", 2.5, 3.5, last] {
                    box.content = value
                }
            }
            expectEqual("\(recorder.last!.new!)", "\(last)")
        }
        expectEqual(recorder.count, 5)
    }

    @Test("a value that is replaced, and makes a change when it is released") func releasing() throws {
        final class Content {
            var onDeinit: () -> Void = {}
            deinit { onDeinit() }
        }
        final class Box: TrackedObject { @Observed var content = Content() }
        let (box, last) = (Box(), Content())
        try box.observe("content", options: [.new], recorder.handler())
        coalescingChanges {
            box.content = Content()
            box.content.onDeinit = { [unowned box] in box.content = last }
            box.content = Content()
        }
        #expect(box.content === last)
        #expect(recorder.count == 1 && recorder.last?.new as? Content === last)
    }

    @Test("many changes of several targets on another thread are a call for each, one in all if it ignores the change")
    func background() throws {
        let (together, inAll) = (Counter(), Counter())
        let single = Counter()
        onAnotherThread {
            do {
                let targets = (0..<5).map { _ in Person() }
                for _ in 0..<10 {
                    try targets.observe("age") { _ in together.add() }
                    try targets.map { Dependency($0, "age") }.addObserver(targets[0], userInfo: nil) { _ in inAll.add()
                    }
                    for target in targets { try target.observe("age") { _ in single.add() } }
                }
                coalescingChanges { for index in 0..<5000 { targets[index % 5].age = index } }
            } catch {
                Issue.record(error)
            }
        }
        expectEqual(together.count, 50)
        expectEqual(inAll.count, 10)
        expectEqual(single.count, 50)
    }
}

private final class ComputedLabels: Model {
    @Observed var name = "a"
    var title: String { "<\(name)>" }
    override class var schema: Schema {
        Schema(ComputedLabels.self, extending: super.schema) { Key("title", \.title) }
    }
}

private final class Doubling: Model {
    @Observed var number = 0
    @Derived({ (object: Doubling) in object.number * 2 }) var double: Int
    @ObservedReadOnly private(set) var next: Doubling?
    func lead(to other: Doubling) { editable(\._next).value = other }
}

extension CoalescingTests {
    @Test("many derived values, and paths to them, cost the same for each object, few or many", arguments: 0..<3)
    func manyWaiting(form: Int) throws {
        let ratio = try timeRatio(to: size(32_000)) { count in
            let objects = (0..<count).map { _ in Doubling() }
            let calls = Counter()
            for object in objects {
                switch form {
                case 0: object.$double.observe { _ in calls.add() }
                case 1: object.observe(reading: { $0.number }) { _, _ in calls.add() }
                default:
                    object.lead(to: Doubling())
                    try object.observe("next.double") { _ in calls.add() }
                }
            }
            let time = processorTime {
                coalescingChanges {
                    for _ in 0..<2 { for object in objects { (form == 2 ? object.next! : object).number += 1 } }
                }
            }
            expectEqual(calls.count, count)
            return time
        }
        #expect(ratio < 9)
    }
}
