import AutoKVO
import AutoKVOTestSupport
import Testing

/// Streams of values.
struct StreamTests {
    @Test("values come in order, the current one first if asked for, and end with the target") func order() async throws
    {
        var person: Person? = Person()
        let all = try person!.values(of: "age", as: Int.self, options: [.initial])
        let later = person!.$age.values
        person!.age = 1
        person!.age = 2
        person = nil
        var seen: [Int] = []
        for await age in all { seen.append(age) }
        expectEqual(seen, [0, 1, 2])
        seen = []
        for await age in later { seen.append(age) }
        expectEqual(seen, [1, 2])
    }

    @Test("a stream with .once ends with its one value, be it the current one") func once() async throws {
        let person = Person()
        let values = try person.values(of: "age", as: Int.self, options: .once)
        let current = person.$age.values(options: [.once, .initial])
        person.age = 1
        person.age = 2
        var seen: [Int] = []
        for await age in values { seen.append(age) }
        for await age in current { seen.append(age) }
        expectEqual(seen, [1, 0])
        #expect(person.observations().isEmpty)
    }

    @Test("a path's values, nil if the type is optional, left out if it is not") func paths() async throws {
        var person: Person? = Person()
        let optional = try person!.values(of: "address.city", as: String?.self, options: [.initial])
        let bare = try person!.values(of: "address.city", as: String.self, options: [.initial])
        person!.address = Address("Linz")
        person!.address!.city = "Graz"
        person = nil
        var all: [String?] = []
        for await city in optional { all.append(city) }
        expectEqual(all, [nil, "Linz", "Graz"])
        var some: [String] = []
        for await city in bare { some.append(city) }
        expectEqual(some, ["Linz", "Graz"])
    }

    @Test("values that nobody takes are kept or dropped as asked") func pressure() async throws {
        var person: Person? = Person()
        let newest = try person!.values(of: "age", as: Int.self, bufferingPolicy: .bufferingNewest(2))
        let oldest = person!.$age.values(options: [.initial], bufferingPolicy: .bufferingOldest(2))
        for age in 1...5 { person!.age = age }
        person = nil
        var seen: [Int] = []
        for await age in newest { seen.append(age) }
        for await age in oldest { seen.append(age) }
        expectEqual(seen, [4, 5, 0, 1])
    }

    @Test("many sets on another thread, and then the target's death there: every value, and the end") func thread()
        async throws
    {
        let target = Shared<Person?>(Person())
        let stream = try target.value!.values(of: "age", as: Int.self)
        let thread = Thread {
            for age in 1...5000 { target.value!.age = age }
            target.value = nil
        }
        var last = 0
        for await age in stream {
            expectEqual(age, last + 1)
            last = age
        }
        expectEqual(last, 5000)
        thread.join()
    }

    @Test("dropping the stream, or leaving its loop, ends the observation") func dropping() async throws {
        let person = Person()
        do {
            let stream = try person.values(of: "age", as: Int.self, options: [.initial])
            expectEqual(person.observations().count, 1)
            for await _ in stream { break }
        }
        #expect(person.observations().isEmpty)
    }

    @Test("cancelling the task that iterates ends the observation") func cancelling() async throws {
        let person = Person()
        let stream = try person.values(of: "age", as: Int.self)
        let seen = Counter()
        let task = Task { for await _ in stream { seen.add() } }
        person.age = 1
        await eventually("the first value") { seen.count == 1 }
        task.cancel()
        await task.value
        #expect(person.observations().isEmpty)
        person.age = 2
        expectEqual(seen.count, 1)
    }

    @Test("removing the observation, and .once, end the stream") func ending() async throws {
        let person = Person()
        let removed = try person.values(of: "age", as: Int.self)
        person.age = 1
        person.removeAllObservers()
        var seen: [Int] = []
        for await age in removed { seen.append(age) }
        let once = try person.values(of: "age", as: Int.self, options: [.once])
        person.age = 2
        person.age = 3
        for await age in once { seen.append(age) }
        expectEqual(seen, [1, 2])
    }

    @Test("a wrong path or type throws") func errors() {
        let person = Person()
        #expect(throws: KeyValueError.self) { try person.values(of: "agee", as: Int.self) }
        #expect(throws: KeyValueError.self) { try person.values(of: "age", as: String.self) }
        #expect(person.observations().isEmpty)
    }

    @Test("an edit of a collection gives the whole collection, a removal too") func edits() async throws {
        var person: Person? = Person()
        let scores = person!.$scores.values
        let named = try person!.values(of: "scores", as: [Int].self, options: [.initial])
        let tags = person!.$tags.values(options: [.initial])
        person!.$scores.append(1)
        person!.$scores.append(2)
        person!.$scores.remove(at: 0)
        person!.withMutation(of: "scores") {
            person!.$scores.append(3)
            person!.$scores.remove(at: 0)
        }
        coalescingChanges {
            person!.$scores.append(4)
            person!.$scores.append(5)
        }
        person!.$tags.formUnion(["a", "b"])
        person!.$tags.remove("a")
        person = nil
        await expectEqual(all(scores), [[1], [1, 2], [2], [3], [3, 4, 5]])
        await expectEqual(all(named), [[], [1], [1, 2], [2], [3], [3, 4, 5]])
        await expectEqual(all(tags), [[], ["a", "b"], ["b"]])
    }

    @Test("of several paths, each change gives the whole value of the one that changed") func severalPaths()
        async throws
    {
        var person: Person? = Person()
        let friend = Person()
        person!.spouse = friend
        let stream = try person!.values(of: ["scores", "spouse.scores"], as: [Int].self, options: [.initial])
        person!.$scores.append(1)
        friend.$scores.append(contentsOf: [7, 8])
        person!.$scores.append(2)
        friend.$scores.remove(at: 0)
        person = nil
        await expectEqual(all(stream), [[], [], [1], [7, 8], [1, 2], [8]])
    }

    @Test("with .distinct an edit that leaves the collection equal gives nothing") func distinct() async throws {
        var person: Person? = Person()
        person!.scores = [1, 2]
        let stream = person!.$scores.values(options: [.distinct])
        person!.$scores[0] = 1
        person!.scores = [1, 2]
        person!.$scores[0] = 3
        person!.$scores.append(3)
        coalescingChanges {
            person!.$scores.append(4)
            person!.$scores.removeLast()
        }
        person = nil
        await expectEqual(all(stream), [[3, 2], [3, 2, 3]])
    }

    @Test("a value that a handler corrects is given before the correction, and the last one is the current one")
    func corrected() async throws {
        var person: Person? = Person()
        try person!.observe("age") { change in
            let person = change.target as! Person
            if person.age > 3 { person.age = 3 }
        }
        try person!.observe("scores") { change in
            let person = change.target as! Person
            if person.scores.last == 0 { person.$scores.removeLast() }
        }
        let ages = person!.$age.values
        let scores = try person!.values(of: "scores", as: [Int].self)
        person!.age = 1
        person!.age = 10
        person!.$scores.append(contentsOf: [5, 0])
        person = nil
        await expectEqual(all(ages), [1, 10, 3])
        await expectEqual(all(scores), [[5, 0], [5]])
    }

    private func all<Value: Sendable>(_ stream: AsyncStream<Value>) async -> [Value] {
        var values: [Value] = []
        for await value in stream { values.append(value) }
        return values
    }

    @Test("neither target nor values are kept") func leaks() async throws {
        let tracker = LifetimeTracker()
        do {
            let person = tracker.track(Person())
            let stream = try person.values(of: "age", as: Int.self, options: [.initial])
            let values = person.$age.values
            person.age = 1
            _ = (stream, values)
        }
        tracker.expectNoLeaks()
    }

    /// Runs what is enqueued at once, inside of the call that gives a value to it.
    private final class InlineExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    @Test("who reads a value may be run where it is given, and change the property again") func inlineExecutor() async {
        let gauge = Person()
        nonisolated(unsafe) let shared = (gauge: gauge, 0)
        let (values, waiting) = (gauge.$age.values, Door())
        let reader = Task(executorPreference: InlineExecutor()) {
            waiting.open()
            var last = 0
            for await age in values {
                last = age
                if age < 3 { shared.gauge.age += 1 } else if age >= 10 { break }
            }
            return last
        }
        waiting.wait()
        gauge.age = 1
        #expect(gauge.age >= 1)
        gauge.age = 10
        expectEqual(await reader.value, 10)
    }

    ///     tells of level = 1: reads shown, 1
    ///                                           level = 2: reads shown, adds 2
    ///     would add 1
    @Test("a value that another thread overtakes while it is read is read again") func overtaken() async throws {
        final class Gauge: TrackedObject, @unchecked Sendable {
            @Observed var level = 0
            var isOvertaken = false
            var shown: Int {
                let level = level
                if level == 1, !isOvertaken {
                    isOvertaken = true
                    onAnotherThread { self.level = 2 }
                }
                return level
            }

            override class var schema: Schema {
                Schema(Gauge.self, extending: super.schema) { Key("shown", \.shown, affectedBy: "level") }
            }
        }
        var gauge: Gauge? = Gauge()
        let (named, newest) = (
            try gauge!.values(of: "shown", as: Int.self),
            try gauge!.path("shown", as: Int.self).values(bufferingPolicy: .bufferingNewest(1))
        )
        gauge!.level = 1
        gauge = nil
        var seen: [Int?] = []
        for await level in named { seen.append(level) }
        expectEqual(seen, [2, 2])
        seen = []
        for await level in newest { seen.append(level) }
        expectEqual(seen, [2])
    }
}
